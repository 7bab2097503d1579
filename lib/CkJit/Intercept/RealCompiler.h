//===- RealCompiler.h - the program that we stand for -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The drop-in compiler runs under the name of what it stands for: hipcc, or
// c++ for hosts' sources of the same build. The real one is never this program
// under another name, nor kpack's hipcc unless it is named; a compiler that
// calls us back gets no further than a few rounds.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_INTERCEPT_REALCOMPILER_H
#define KPACK_LIB_CKJIT_INTERCEPT_REALCOMPILER_H

#include "kpack/Support/Status.h"

#include <string>

namespace kpack::ckjit {

/// The absolute path of the compiler that \p Program (argv[0]) stands for.
/// Errors: FileNotFound, InvalidArgument.
Result<std::string> realCompiler(const std::string &Program);

/// "llvm-ar" where \p Program is ck-jit-llvm-ar, and so for llvm-ranlib; else
/// empty. CMake parses "ck-jit-" as the prefix of a toolchain and looks for
/// these to archive bitcode.
std::string archiverOf(const std::string &Program);

/// The absolute path of the archiver \p Tool: beside the compiler that
/// ck-jit-clang++ stands for, else in PATH, else that of the binutils.
Result<std::string> realArchiver(const std::string &Tool);

/// The folder of this program, links followed.
std::string ownFolder();

/// Variables that name the build's made-up ROCm name the real one again; what
/// is started from now on counts as called by us.
void restoreEnvironment();

/// Called by a compiler that we have called: nothing is intercepted again.
bool isCalledBack();

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_INTERCEPT_REALCOMPILER_H
