//===- Build.h - one command with --emit-kpack ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A build is three stages: all compiles side by side, the finishing of each
// object, the link.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_BUILD_H
#define KPACK_LIB_DRIVER_BUILD_H

#include "CommandLine.h"

namespace kpack::driver {

/// What this program calls itself in messages.
inline constexpr llvm::StringLiteral ProgramName = "kpack-clang++";

/// KpackPlugin.so as it belongs to this program.
std::string pluginPath(const char *Argv0);

/// Builds what \p Command asks for with the clang++ \p Clang. Returns the exit
/// code; \p Signal is the one that came in the middle, or 0: by then everything
/// is put in order, and it remains to end by it.
llvm::Expected<int> runBuild(const CommandLine &Command, llvm::StringRef Clang,
                             const char *Argv0, int &Signal);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_BUILD_H
