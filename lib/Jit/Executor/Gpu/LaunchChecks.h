//===- Gpu/LaunchChecks.h - checks of a kernel launch -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a launch for errors that runtimes do not detect or report clearly: for
// a workgroup that is too large HIP only reports an invalid value, and for a
// pointer to host memory nothing before the GPU faults. Cheap checks compare
// numbers that are at hand; full ones query the runtime for each pointer, which
// takes longer than some launches.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_GPU_LAUNCHCHECKS_H
#define KPACK_JIT_EXECUTOR_GPU_LAUNCHCHECKS_H

#include "kpack/Support/Status.h"
#include "kpack/kpack_jit.h"

namespace kpack::jit {

struct LaunchShape;
struct LoadedKernel;

enum class CheckLevel { None, Cheap, Full };

struct LaunchChecks {
  CheckLevel Level = CheckLevel::Cheap;
  /// Refuse null pointers.
  bool NoNulls = false;
  /// Memory regions that the caller describes.
  const kpack_jit_memory *Memory = nullptr;
  size_t MemoryCount = 0;
};

/// Checks a launch with the addresses of \p Count values. Every level checks
/// their number. Errors: InvalidArgument, with LaunchFailed.
Status checkLaunch(const LoadedKernel &Kernel, const LaunchShape &Shape,
                   void *const *Arguments, size_t Count,
                   const LaunchChecks &Checks);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_GPU_LAUNCHCHECKS_H
