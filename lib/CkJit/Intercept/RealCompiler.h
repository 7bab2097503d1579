//===- RealCompiler.h - search for the replaced compiler --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The drop-in compiler runs by the name of the one that it replaces: hipcc, or
// c++ for host sources of the same build. The real one is never this program by
// another name, nor kpack's hipcc unless it is named. A compiler that calls us
// back is stopped after a few rounds.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_INTERCEPT_REALCOMPILER_H
#define KPACK_LIB_CKJIT_INTERCEPT_REALCOMPILER_H

#include "kpack/Support/Status.h"

#include <string>

namespace kpack::ckjit {

/// Returns the absolute path of the compiler that \p Program (argv[0])
/// replaces. Errors: FileNotFound, InvalidArgument.
Result<std::string> realCompiler(const std::string &Program);

/// Returns "llvm-ar" if \p Program is ck-jit-llvm-ar, similarly for
/// llvm-ranlib; else empty. CMake parses "ck-jit-" as a toolchain prefix and
/// searches these to archive bitcode.
std::string findArchiver(const std::string &Program);

/// Returns the absolute path of the archiver \p Tool: beside the compiler that
/// ck-jit-clang++ replaces, else in PATH, else that of the binutils.
Result<std::string> realArchiver(const std::string &Tool);

/// Returns the folder of this program, links followed.
std::string ownFolder();

/// Resets variables with the build's made-up ROCm to the real one, and marks
/// programs that start from now on as called by us.
void restoreEnvironment();

/// Returns true if a compiler that we called has called us: intercept nothing
/// then.
bool isCalledBack();

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_INTERCEPT_REALCOMPILER_H
