//===- CkJit/Intercept/Intercept.h - the drop-in compiler -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ck-jit-hipcc` stands in a build where hipcc was. A blob is noted and becomes
// a stub object; so does a dispatcher; the link of the library becomes `ck-jit
// build link` (CkJit/Build/Commands.h); everything else is the real
// compiler, with exactly the arguments that were given.
// docs/howto/ck-jit-build.md has the rules.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_INTERCEPT_INTERCEPT_H
#define KPACK_CKJIT_INTERCEPT_INTERCEPT_H

#include <string>

namespace kpack::ckjit {

/// Exit code of the program, unless another one takes its place.
int interceptMain(int Argc, char **Argv);

/// Whether \p Program, with links followed, is a compiler of this project:
/// kpack's hipcc in PATH is one under another name.
bool isKpack(const std::string &Program);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_INTERCEPT_INTERCEPT_H
