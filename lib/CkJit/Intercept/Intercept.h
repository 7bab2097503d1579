//===- Intercept.h - ck-jit-hipcc, the drop-in compiler ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ck-jit-hipcc` replaces hipcc in a build. A blob is recorded and becomes a
// stub object; so does a dispatcher; the link of the library becomes `ck-jit
// build link` (CkJit/Build/Commands.h); all other commands run the real
// compiler with the original arguments. docs/howto/ck-jit-build.md has the
// rules.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_INTERCEPT_INTERCEPT_H
#define KPACK_CKJIT_INTERCEPT_INTERCEPT_H

#include <string>

namespace kpack::ckjit {

/// Returns the exit code, unless another program replaces this one.
int interceptMain(int Argc, char **Argv);

/// Returns true if \p Program, with links followed, is a compiler of this
/// project: kpack's hipcc in PATH is one by another name.
bool isKpack(const std::string &Program);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_INTERCEPT_INTERCEPT_H
