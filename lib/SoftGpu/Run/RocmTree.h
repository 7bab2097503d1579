//===- RocmTree.h - programs with a ROCm in another folder ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack-run --rocm=DIR: DIR is a chroot, or a folder into which packages were
// unpacked (dpkg-deb -x). The program runs with the libraries of DIR, including
// its C library, but in the file system and with the rights of the user, so
// that no chroot() and no privilege is needed. If DIR has a C library, its
// dynamic linker starts the program.
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

/// Returns the command that runs \p Program, whose first word is a path or a
/// name, with the ROCm below \p Folder. Searches DIR's usr/bin, then PATH for a
/// name. If the tree has no C library, sets LD_LIBRARY_PATH and LD_AUDIT of
/// this process. \p Driver is the library that will be loaded into the program.
/// Writes to the folder of this run, \p Run, which must stay while the program
/// runs: "rocm", a link to \p Folder, and, if the tree has a C library, "lib"
/// with links to the libraries that the driver needs from the system, and
/// "linker", "audit" and "folders" (of libraries) for programs of the tree that
/// the program starts. Returns a program that cannot be started unchanged.
/// Fails if there is no HSA runtime, if the program is linked with another
/// version of a library of the tree, if a file cannot be written, or for a
/// script that is not executable or whose interpreter is not in the tree or
/// cannot be started.
llvm::Expected<std::vector<std::string>>
withRocm(llvm::StringRef Folder, llvm::ArrayRef<std::string> Program,
         llvm::StringRef Driver, llvm::StringRef Run);

} // namespace kpack::run

#endif // KPACK_LIB_SOFTGPU_RUN_ROCMTREE_H
