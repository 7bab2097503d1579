//===- DevicePrelude.h - what kernels have without a header -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_PROGRAMS_DEVICEPRELUDE_H
#define KPACK_JIT_EXECUTOR_PROGRAMS_DEVICEPRELUDE_H

#include <string>

namespace kpack::jit {

enum class PreludeFor { Amd, Nvidia };

/// Source text in front of kernels that include nothing of HIP or CUDA: the
/// keywords, threadIdx and its like, and __syncthreads(). HIP's own header
/// takes half a second to read, a kernel of some lines ten milliseconds to
/// compile. \p WithLaunches: also what host functions need that launch them:
/// dim3, streams, errors, and what "<<<>>>" becomes; HIP's.
std::string devicePrelude(PreludeFor Gpu, bool WithLaunches);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_DEVICEPRELUDE_H
