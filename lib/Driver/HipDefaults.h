//===- HipDefaults.h - clang options that HIP needs -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A distribution's HIP is years older than its newest clang. This adds the
// options that make the two compatible. They precede the user's options and
// never overrule one.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_HIPDEFAULTS_H
#define KPACK_LIB_DRIVER_HIPDEFAULTS_H

#include "CommandLine.h"
#include "HipInstallation.h"

namespace kpack::driver {

struct HipDefaults {
  /// Options to put before the user's; empty if none are needed.
  std::vector<std::string> Arguments;
  /// Lines for -v: each addition with its reason.
  std::vector<std::string> Notes;
  /// Problems that may occur at run time and that options cannot solve.
  std::vector<std::string> Warnings;
};

/// Returns the HIP settings of \p Command, with the environment as a fallback.
HipQuery hipQuery(const CommandLine &Command, llvm::StringRef Clang,
                  unsigned ClangMajor);

/// Returns the options that \p Command needs if the clang of version \p
/// ClangMajor compiles it against \p Hip. \p Plugin is the path of
/// KpackPlugin.so, or empty if it does not fit this clang.
HipDefaults hipDefaults(const CommandLine &Command, const HipInstallation &Hip,
                        unsigned ClangMajor, llvm::StringRef Plugin);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_HIPDEFAULTS_H
