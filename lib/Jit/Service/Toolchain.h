//===- Service/Toolchain.h - choice of compiler and GPU target --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects the clang++ that the JIT runs and the built target that serves a GPU.
// All front doors use the same rules.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_TOOLCHAIN_H
#define KPACK_JIT_SERVICE_TOOLCHAIN_H

#include "kpack/Support/Status.h"

#include <string>
#include <vector>

namespace kpack::jit {

/// Returns the target of the build that serves the GPU \p Device, a target id,
/// by HIP's rules: it has the same processor or is generic for it, and features
/// that both mention are equal. The most specific one wins. A build without
/// targets takes the device's. Errors: ArchNotFound if none fits or several fit
/// equally.
Result<std::string> chooseTarget(const std::vector<std::string> &BuiltFor,
                                 const std::string &Device);

/// The search for a clang++.
struct CompilerSearch {
  std::string Wanted;     ///< a path or a name; empty: any
  std::string RocmPath;   ///< $ROCM_PATH
  std::string SearchPath; ///< $PATH
  /// The variable for the compiler, for the message.
  const char *Variable = "KPACK_JIT_COMPILER";
  /// If Wanted is empty, also tries "clang++-22" and the like, newest first.
  bool WithVersions = true;
};

/// Returns the absolute path of a clang++: Wanted if that is a path; else
/// Wanted in the folders of the search path. If Wanted is empty, searches
/// $ROCM_PATH and /opt/rocm, then "clang++". Errors: FileNotFound.
Result<std::string> findCompiler(const CompilerSearch &Search);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_TOOLCHAIN_H
