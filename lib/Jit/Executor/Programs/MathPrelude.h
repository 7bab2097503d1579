//===- MathPrelude.h - mathematical functions for kernels -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_PROGRAMS_MATHPRELUDE_H
#define KPACK_JIT_EXECUTOR_PROGRAMS_MATHPRELUDE_H

#include "Jit/Executor/Programs/DevicePrelude.h"

#include "Jit/Executor/Programs/ProgramSource.h"

namespace kpack::jit {

/// Returns source text to follow the device prelude, with those C math
/// functions that the texts of \p Source call: "expf", "sqrt". Functions that
/// need a device library are deleted with a message. Empty if none is called.
std::string mathPrelude(PreludeFor Gpu, const ProgramSource &Source);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_MATHPRELUDE_H
