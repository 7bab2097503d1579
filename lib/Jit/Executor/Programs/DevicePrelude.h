//===- DevicePrelude.h - keywords for kernels without headers ---*- C++ -*-===//
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

/// Returns source text for kernels that include no header of HIP or CUDA: the
/// keywords, threadIdx and the like, and __syncthreads(). HIP's header takes
/// half a second to parse, a kernel of some lines ten milliseconds to compile.
/// \p WithLaunches adds HIP's declarations for host functions that launch
/// kernels: dim3, streams, errors, and the functions for "<<<>>>".
std::string devicePrelude(PreludeFor Gpu, bool WithLaunches);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_DEVICEPRELUDE_H
