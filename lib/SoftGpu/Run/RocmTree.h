//===- RocmTree.h - a ROCm that is unpacked elsewhere -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack-run --rocm=DIR: DIR is a chroot, or a folder into which packages were
// unpacked (dpkg-deb -x). The program runs with the libraries of DIR, its C
// library included, but in the file system and with the rights of the user; no
// chroot() and so no privilege is needed. Where DIR has a C library of its own,
// its dynamic linker starts the program.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_RUN_ROCMTREE_H
#define KPACK_LIB_SOFTGPU_RUN_ROCMTREE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack::run {

/// The words that run \p Program, its path or name first, with the ROCm below
/// \p Folder. A name is looked for in DIR's usr/bin, then in PATH. What has to
/// stand in variables is set for this process. \p Driver is the library that
/// will be loaded into the program. In the folder of this run, \p Run, which
/// has to stay while the program runs, "lib" has links to what the driver needs
/// of the system, "rocm" leads to \p Folder, and "linker" and "folders" (of
/// libraries) are for programs of the tree that the program starts.
/// A program that cannot be started is given back as it is.
/// Errors: no HSA runtime is there, or one that the program is not linked with;
/// a script.
llvm::Expected<std::vector<std::string>>
withRocm(llvm::StringRef Folder, llvm::ArrayRef<std::string> Program,
         llvm::StringRef Driver, llvm::StringRef Run);

} // namespace kpack::run

#endif // KPACK_LIB_SOFTGPU_RUN_ROCMTREE_H
