//===- SpanPrelude.h - Span type for kernels without headers ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_PROGRAMS_SPANPRELUDE_H
#define KPACK_JIT_EXECUTOR_PROGRAMS_SPANPRELUDE_H

#include "Jit/Executor/Programs/ProgramSource.h"

namespace kpack::jit {

/// Returns source text for \p Source that defines Span and RestrictSpan as
/// kpack/Jit/Executor.h does; empty if no part of it names them.
std::string spanPrelude(const ProgramSource &Source);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_SPANPRELUDE_H
