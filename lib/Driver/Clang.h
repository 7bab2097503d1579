//===- Clang.h - the clang that is driven -----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which clang++ it is, and becoming it: most commands have nothing of kpack in
// them, and for those this program is not there.
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

/// The program \p Asked for by --kpack-clang=; empty: that of HIP_CLANG_PATH,
/// or the one this driver was built with.
llvm::Expected<std::string> findClang(llvm::StringRef Asked);

struct ClangInstallation {
  llvm::VersionTuple Version;
  std::string Folder; // of the program; of the real one if that is a script
  std::string Text;   // what --version prints; empty: not asked
};

/// Describes the installation of \p Clang. Runs it, unless this driver was
/// built with it.
llvm::Expected<ClangInstallation> clangInstallation(llvm::StringRef Clang);

/// Returns the version of \p Clang. Runs it, unless this driver was built with
/// it.
llvm::Expected<llvm::VersionTuple> clangVersion(llvm::StringRef Clang);

/// Replaces this process by \p Clang. Returns only when that fails.
llvm::Error becomeClang(llvm::StringRef Clang,
                        llvm::ArrayRef<const char *> Arguments);

/// The same with a command line that may have come out of response files and
/// be too long for the system: then clang runs as a child, and its exit code is
/// returned.
llvm::Expected<int> becomeClang(llvm::StringRef Clang,
                                std::vector<std::string> Arguments);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_CLANG_H
