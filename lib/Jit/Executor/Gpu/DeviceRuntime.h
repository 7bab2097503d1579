//===- DeviceRuntime.h - kernel loads and launches by a runtime -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the process's GPU runtime (GpuRuntime/GpuRuntime.h) that loads
// and launches kernels, with messages. The first request for a kernel looks it
// up among the libraries that the process has loaded, so that modules and
// streams are those of the program's calls.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_GPU_DEVICERUNTIME_H
#define KPACK_JIT_EXECUTOR_GPU_DEVICERUNTIME_H

#include "GpuRuntime/GpuRuntime.h"
#include "kpack/Support/Status.h"

#include <string_view>

namespace kpack::jit {

/// The parameters of a launch besides its arguments.
struct LaunchShape {
  std::array<uint32_t, 3> Grid{1, 1, 1}, Block{1, 1, 1};
  uint32_t DynamicShared = 0;
  void *Stream = nullptr; ///< of the runtime; null: its default stream
};

/// The arguments of a launch: their addresses in order, and the packed block
/// that the kernel reads.
struct PackedArguments {
  void **Each;
  void *Block;
  size_t BlockBytes;
};

struct RuntimeWords;

/// One per process, never destroyed. Thread-safe. Functions with a device
/// restore the calling thread's current device. Errors: LoadFailed,
/// LaunchFailed and NoDevice with the runtime's name for it.
class DeviceRuntime {
public:
  /// Initializes \p Gpu, which must have the functions for modules.
  DeviceRuntime(const RuntimeWords &Wording, std::unique_ptr<GpuRuntime> Gpu);

  /// Returns the number of the calling thread's current device. Errors:
  /// NoDevice.
  Result<int> currentDevice() const;
  /// Returns the target of code for that device: "gfx90a:sramecc+:xnack-",
  /// "sm_90". Errors: NoDevice.
  Result<std::string> target(int Device) const;
  /// Returns true if code for \p Built runs on a device with target()
  /// \p Device.
  bool runsOn(std::string_view Built, std::string_view Device) const;

  /// \p Image must outlive the module and end with a zero.
  Result<void *> load(int Device, const char *Image) const;
  Result<void *> function(int Device, void *Module, const char *Symbol) const;
  Status launch(int Device, void *Function, const LaunchShape &Shape,
                const PackedArguments &Arguments) const;
  /// Returns the use that \p Device can make of \p Address.
  AddressFacts factsOf(int Device, const void *Address) const {
    return Gpu->factsOf(Device, Address);
  }
  /// Waits for all work on \p Device.
  void synchronize(int Device) const;
  void synchronizeAll() const;
  void unload(int Device, void *Module) const;

private:
  Status failure(const std::string &Action, int Device, int Code,
                 Errc Detail) const;
  Status unusable(int Device, int Code) const {
    return failure("it cannot be used", Device, Code, Errc::NoDevice);
  }

  const RuntimeWords &Words;
  const std::unique_ptr<GpuRuntime> Gpu;
  const int InitCode;
};

/// Returns the runtime for code of \p Target. Errors: NoDevice if the process
/// has none and none can be loaded by name.
Result<DeviceRuntime *> runtimeFor(std::string_view Target);

/// Makes HIP's functions visible to libraries that are loaded later: host code
/// with kernels is not linked with HIP. Errors: NoDevice.
Status exposeHip();
/// Waits for all HIP devices of this process.
void synchronizeHip();

/// Returns the target of device \p Device, or of the calling thread's current
/// one if \p Device is negative: HIP's, else CUDA's. Errors: NoDevice.
Result<std::string> deviceTarget(int Device);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_GPU_DEVICERUNTIME_H
