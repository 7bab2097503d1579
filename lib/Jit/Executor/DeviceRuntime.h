//===- DeviceRuntime.h - who runs kernels -----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is needed of the runtime of GPUs in this process, as one interface over
// HIP (HipRuntime.cpp) and CUDA's driver (CudaRuntime.cpp). Neither is linked
// with: their functions are looked up when a kernel is first asked for, in what
// the process has loaded already, so that modules and streams are those of the
// program's own calls.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_EXECUTOR_DEVICERUNTIME_H
#define KPACK_LIB_JIT_EXECUTOR_DEVICERUNTIME_H

#include "kpack/Support/Status.h"

#include <array>
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

/// What a runtime knows of an address.
struct AddressFacts {
  enum {
    Unknown, ///< the runtime cannot say, or all memory will do
    Foreign, ///< the device cannot reach it
    Reachable,
  } Reach = Unknown;
  /// The allocation that it lies in; no bytes: not known.
  uintptr_t Start = 0;
  size_t Bytes = 0;
};

/// One of a process, never destroyed. Thread-safe. What concerns a device
/// leaves the calling thread's current device as it was. Errors: LoadFailed,
/// LaunchFailed and NoDevice with the name that the runtime has for it.
class DeviceRuntime {
public:
  /// The number of the calling thread's current device. Errors: NoDevice.
  virtual Result<int> currentDevice() = 0;
  /// What code for that device is compiled for: "gfx90a:sramecc+:xnack-",
  /// "sm_90". Errors: NoDevice.
  virtual Result<std::string> target(int Device) = 0;
  /// Whether code for \p Built runs on a device for which target() says
  /// \p Device.
  virtual bool runsOn(std::string_view Built, std::string_view Device) = 0;

  /// \p Image lives as long as the module, and ends with a zero.
  virtual Result<void *> load(int Device, const char *Image) = 0;
  virtual Result<void *> function(int Device, void *Module,
                                  const char *Symbol) = 0;
  virtual Status launch(int Device, void *Function, const LaunchShape &Shape,
                        const PackedArguments &Arguments) = 0;
  /// What \p Device can make of \p Address.
  virtual AddressFacts factsOf(int Device, const void *Address) = 0;
  /// Waits for all that runs on \p Device.
  virtual void synchronize(int Device) = 0;
  virtual void unload(int Device, void *Module) = 0;

protected:
  ~DeviceRuntime() = default;
};

/// That of AMD's GPUs. Errors: NoDevice, there is none in this process, and
/// none can be loaded by name.
Result<DeviceRuntime *> hipRuntime();
/// That of NVIDIA's GPUs; likewise.
Result<DeviceRuntime *> cudaRuntime();
/// The one that runs code for \p Target.
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

#endif // KPACK_LIB_JIT_EXECUTOR_DEVICERUNTIME_H
