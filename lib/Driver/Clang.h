//===- Clang.h - the clang++ that the driver runs ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the clang++ and replaces this process by it. Most commands do not use
// kpack, and for those this program must be invisible.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_CLANG_H
#define KPACK_LIB_DRIVER_CLANG_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VersionTuple.h"

#include <string>
#include <vector>

namespace kpack::driver {

/// Returns the program \p Asked, the value of --kpack-clang=. If it is empty,
/// that of HIP_CLANG_PATH, or else the clang++ with which this driver was
/// built.
llvm::Expected<std::string> findClang(llvm::StringRef Asked);

struct ClangInstallation {
  llvm::VersionTuple Version;
  std::string
      Folder; // directory of the program; of the real one if that is a script
  std::string Text; // output of --version; empty if it was not run
};

/// Describes the installation of \p Clang. Runs it, unless this driver was
/// built with it.
llvm::Expected<ClangInstallation> clangInstallation(llvm::StringRef Clang);

/// Returns the version of \p Clang. Runs it, unless this driver was built with
/// it.
llvm::Expected<llvm::VersionTuple> clangVersion(llvm::StringRef Clang);

/// Replaces this process by \p Clang. Returns only on failure.
llvm::Error becomeClang(llvm::StringRef Clang,
                        llvm::ArrayRef<const char *> Arguments);

/// The same for a command line that may come from response files and be too
/// long for the system: then clang runs as a child, and its exit code is
/// returned.
llvm::Expected<int> becomeClang(llvm::StringRef Clang,
                                std::vector<std::string> Arguments);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_CLANG_H
