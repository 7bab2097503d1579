//===- GpuPlace.h - GPU runtime functions for graphs ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU runtime's functions for graphs besides loading kernels, which
// libkpack_jit does: memory, streams, events, launches, and graphs with nodes
// that are added one by one. Never a capture: HIP 5.2 does not capture
// hipModuleLaunchKernel, but silently runs it at once.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_REPLAY_GPUPLACE_H
#define KPACK_LIB_JITGRAPH_REPLAY_GPUPLACE_H

#include "GpuRuntime/GpuRuntime.h"
#include "kpack/Support/Status.h"

namespace kpack::jit {

struct GpuPlace {
  std::shared_ptr<const GpuRuntime> Gpu;
  int Device = 0;

  /// Uses the runtime of \p Kind. Fails with Device if this process has none,
  /// and none can be loaded.
  static Result<GpuPlace> find(GpuKind Kind, int Device);

  /// Returns success, or Device: "<What>: hipErrorOutOfMemory".
  Status check(int Code, const char *Action) const;
  OnDevice enter() const { return OnDevice(*Gpu, Device); }
  Status check(const OnDevice &Current) const {
    return check(Current.failure(), "device");
  }
  /// Returns the target to compile for; if Device is below 0, for the calling
  /// thread's current device. Fails with Device.
  Result<std::string> target() const;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_REPLAY_GPUPLACE_H
