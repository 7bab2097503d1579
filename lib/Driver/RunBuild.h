//===- RunBuild.h - execution of --emit-kpack commands ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A build has three stages: all compiles in parallel, the completion of each
// object, and the link.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_RUNBUILD_H
#define KPACK_LIB_DRIVER_RUNBUILD_H

#include "CommandLine.h"

namespace kpack::driver {

/// The name of this program in messages.
inline constexpr llvm::StringLiteral ProgramName = "kpack-clang++";

/// Returns the path of the KpackPlugin.so that belongs to this program.
std::string pluginPath(const char *Argv0);

/// Builds the outputs of \p Command with the clang++ \p Clang. Returns the exit
/// code. \p Signal receives the signal that interrupted the build, or 0; the
/// caller must end by that signal, all cleanup is done.
llvm::Expected<int> runBuild(const CommandLine &Command, llvm::StringRef Clang,
                             const char *Argv0, int &Signal);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_RUNBUILD_H
