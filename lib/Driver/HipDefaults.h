//===- HipDefaults.h - what clang and a HIP lack for each other -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A distribution's HIP is years older than its newest clang. The options that
// make the two fit, which a user would otherwise have to find out: given in
// front of the user's own, none of which is ever overruled.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_HIPDEFAULTS_H
#define KPACK_LIB_DRIVER_HIPDEFAULTS_H

#include "CommandLine.h"
#include "HipInstallation.h"

namespace kpack::driver {

struct HipDefaults {
  /// To go in front of the user's arguments; empty when nothing is lacking.
  std::vector<std::string> Arguments;
  /// What was added and why, a line each, for -v.
  std::vector<std::string> Notes;
  /// What may fail at run time and cannot be helped here.
  std::vector<std::string> Warnings;
};

/// What \p Command says about HIP, and the environment where it says nothing.
HipQuery hipQuery(const CommandLine &Command, llvm::StringRef Clang,
                  unsigned ClangMajor);

/// What \p Command lacks when the clang of version \p ClangMajor compiles it
/// against \p Hip. \p Plugin is the path of KpackPlugin.so; empty: it does not
/// fit this clang.
HipDefaults hipDefaults(const CommandLine &Command, const HipInstallation &Hip,
                        unsigned ClangMajor, llvm::StringRef Plugin);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_HIPDEFAULTS_H
