//===- GpuPlace.h - a device that executes graphs ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a graph needs of a GPU's runtime besides loading kernels, which
// libkpack_jit does: memory, streams, events, launches, and graphs whose nodes
// are added one by one. Never a capture: HIP 5.2 captures no
// hipModuleLaunchKernel, runs it at once and says nothing.
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

  /// With the runtime of \p Kind. Errors: Device, there is none in this
  /// process, and none can be loaded.
  static Result<GpuPlace> find(GpuKind Kind, int Device);

  /// Success, or Device: "<What>: hipErrorOutOfMemory".
  Status check(int Code, const char *What) const;
  OnDevice enter() const { return OnDevice(*Gpu, Device); }
  Status check(const OnDevice &Current) const {
    return check(Current.failure(), "device");
  }
  /// What kernels are compiled for; below 0, the device is the calling thread's
  /// current one. Errors: Device.
  Result<std::string> target() const;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_REPLAY_GPUPLACE_H
