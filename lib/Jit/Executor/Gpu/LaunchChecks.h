//===- Gpu/LaunchChecks.h - what is wrong with a launch ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is looked at before a kernel is launched is what runtimes do not look
// at, or say in other words than the source's: of a workgroup that is too large
// for a kernel HIP tells no more than that a value is invalid, and of a pointer
// to the host's memory nothing before the GPU faults. Cheap checks compare
// numbers that are there already; full ones ask the runtime of each pointer,
// which takes longer than some launches do.
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
  /// A pointer that is null is refused.
  bool NoNulls = false;
  /// What the caller knows of memory.
  const kpack_jit_memory *Memory = nullptr;
  size_t MemoryCount = 0;
};

/// Of a launch with addresses of \p Count values. However little is looked at,
/// their number is. Errors: InvalidArgument, with LaunchFailed.
Status checkLaunch(const LoadedKernel &Kernel, const LaunchShape &Shape,
                   void *const *Arguments, size_t Count,
                   const LaunchChecks &Checks);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_GPU_LAUNCHCHECKS_H
