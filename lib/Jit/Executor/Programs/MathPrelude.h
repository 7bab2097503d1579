//===- MathPrelude.h - functions of mathematics for kernels -----*- C++ -*-===//
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

/// Source text that follows the device prelude, with those functions of C's
/// mathematics that \p From calls, in the texts that are in memory: "expf",
/// "sqrt". Those that cannot be had without a device library are deleted, and
/// their calls say so. Empty where it calls none.
std::string mathPrelude(PreludeFor Gpu, const ProgramSource &From);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_MATHPRELUDE_H
