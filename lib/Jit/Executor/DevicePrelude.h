//===- DevicePrelude.h - what kernels have without a header -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_EXECUTOR_DEVICEPRELUDE_H
#define KPACK_LIB_JIT_EXECUTOR_DEVICEPRELUDE_H

namespace kpack::jit {

/// Source text in front of kernels that include nothing of HIP: its keywords,
/// threadIdx and its like, and __syncthreads(). HIP's own header takes half a
/// second to read, a kernel of some lines ten milliseconds to compile.
extern const char DevicePrelude[];

/// The same for host functions that launch them, behind the other: dim3,
/// streams and errors, and what "<<<>>>" becomes.
extern const char LaunchPrelude[];

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_EXECUTOR_DEVICEPRELUDE_H
