//===- Jit/Service/Toolchain.h - what compiles, and for what ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which clang++ a late compile runs, and which of the targets that something
// was built for serves a GPU. The same rules for all front doors.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_TOOLCHAIN_H
#define KPACK_JIT_SERVICE_TOOLCHAIN_H

#include "kpack/Support/Status.h"

#include <string>
#include <vector>

namespace kpack::jit {

/// Which of the build's targets serves the GPU \p Device, a target id, by HIP's
/// rules: of the same processor, or generic for it; features that both mention
/// are equal. The one that says most is taken. A build that names none takes
/// the device's. Errors: ArchNotFound when none fits, or several equally well.
Result<std::string> chooseTarget(const std::vector<std::string> &BuiltFor,
                                 const std::string &Device);

/// Where a clang++ is looked for.
struct CompilerSearch {
  std::string Wanted;     ///< a path or a name; empty: any
  std::string RocmPath;   ///< $ROCM_PATH
  std::string SearchPath; ///< $PATH
  /// The variable that names one, for the message.
  const char *Variable = "KPACK_JIT_COMPILER";
  /// Also "clang++-22" and its like, the newest first, where nothing is wanted.
  bool WithVersions = true;
};

/// The absolute path of a clang++: what is wanted if that is one; else what is
/// wanted (nothing: of $ROCM_PATH and /opt/rocm, then "clang++") in the folders
/// of the search path. Errors: FileNotFound.
Result<std::string> findCompiler(const CompilerSearch &Search);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_TOOLCHAIN_H
