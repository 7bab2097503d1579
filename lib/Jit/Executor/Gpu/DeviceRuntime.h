//===- Jit/Executor/Gpu/DeviceRuntime.h - who runs kernels ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What loading and launching kernels needs of the runtime of GPUs in this
// process (GpuRuntime/GpuRuntime.h), with messages. It is looked up when
// a kernel is first asked for, in what the process has loaded already, so that
// modules and streams are those of the program's own calls.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_GPU_DEVICERUNTIME_H
#define KPACK_JIT_EXECUTOR_GPU_DEVICERUNTIME_H

#include "GpuRuntime/GpuRuntime.h"
#include "kpack/Support/Status.h"

#include <string_view>

namespace kpack::jit {

/// What a launch says besides the arguments.
struct LaunchShape {
  std::array<uint32_t, 3> Grid{1, 1, 1}, Block{1, 1, 1};
  uint32_t DynamicShared = 0;
  void *Stream = nullptr; ///< of the runtime; null: its default one
};

/// The arguments of a launch: by address, in their order, and as they lie in
/// the kernel's own block of them.
struct PackedArguments {
  void **Each;
  void *Block;
  size_t BlockBytes;
};

struct RuntimeWords;

/// One of a process, never destroyed. Thread-safe. What concerns a device
/// leaves the calling thread's current device as it was. Errors: LoadFailed,
/// LaunchFailed and NoDevice with the name that the runtime has for it.
class DeviceRuntime {
public:
  /// \p Gpu has what modules need, and is initialized here.
  DeviceRuntime(const RuntimeWords &Words, std::unique_ptr<GpuRuntime> Gpu);

  /// The number of the calling thread's current device. Errors: NoDevice.
  Result<int> currentDevice() const;
  /// What code for that device is compiled for: "gfx90a:sramecc+:xnack-",
  /// "sm_90". Errors: NoDevice.
  Result<std::string> target(int Device) const;
  /// Whether code for \p Built runs on a device for which target() says
  /// \p Device.
  bool runsOn(std::string_view Built, std::string_view Device) const;

  /// \p Image lives as long as the module, and ends with a zero.
  Result<void *> load(int Device, const char *Image) const;
  Result<void *> function(int Device, void *Module, const char *Symbol) const;
  Status launch(int Device, void *Function, const LaunchShape &Shape,
                const PackedArguments &Arguments) const;
  /// What \p Device can make of \p Address.
  AddressFacts factsOf(int Device, const void *Address) const {
    return Gpu->factsOf(Device, Address);
  }
  /// Waits for all that runs on \p Device.
  void synchronize(int Device) const;
  void synchronizeAll() const;
  void unload(int Device, void *Module) const;

private:
  Status failure(const std::string &What, int Device, int Code,
                 Errc Detail) const;
  Status unusable(int Device, int Code) const {
    return failure("it cannot be used", Device, Code, Errc::NoDevice);
  }

  const RuntimeWords &Words;
  const std::unique_ptr<GpuRuntime> Gpu;
  const int InitCode;
};

/// The one that runs code for \p Target. Errors: NoDevice, there is none in
/// this process, and none can be loaded by name.
Result<DeviceRuntime *> runtimeFor(std::string_view Target);

/// Has HIP's functions found by libraries that are loaded from now on: host
/// code with kernels is linked with no HIP. Errors: NoDevice.
Status exposeHip();
/// Waits for all devices that HIP has in this process.
void synchronizeHip();

/// The target of the device that \p Device is the number of, below 0 of the
/// calling thread's current one: HIP's, else CUDA's. Errors: NoDevice.
Result<std::string> deviceTarget(int Device);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_GPU_DEVICERUNTIME_H
