//===- ProgramKernels.h - a program's kernels on each device ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each device on which a program's kernels are used has one module. The first
// request there loads it and looks up all its functions. A launch checks its
// shape, packs the arguments and calls the runtime; it takes no lock and
// allocates nothing for up to 1 KiB of arguments.
//
// The program's end unloads its modules, after all work on their devices has
// ended. Modules stay if the process ends, since the runtime may be gone
// already, and in a child of fork(), which has none.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_GPU_PROGRAMKERNELS_H
#define KPACK_JIT_EXECUTOR_GPU_PROGRAMKERNELS_H

#include "Jit/Executor/Gpu/DeviceRuntime.h"

#include "Jit/Executor/Gpu/KernelMetadata.h"
#include "Jit/Store/Entry.h"

#include <map>
#include <memory>
#include <mutex>
#include <sys/types.h>

namespace kpack::jit {

/// A kernel on a device, owned by its program.
struct LoadedKernel {
  std::string Name; ///< the expression of the request
  const KernelMetadata *Metadata = nullptr;
  DeviceRuntime *Runtime = nullptr;
  int Device = 0;
  void *Function = nullptr; ///< handle of the runtime
  /// Maximum bytes of shared memory of a workgroup; 0: the runtime checks it.
  uint32_t MaxShared = 0;
};

struct LaunchChecks;

/// Checks the launch by \p Checks (LaunchChecks.h) and calls the runtime.
/// \p Arguments are addresses of values. Errors: InvalidArgument; LaunchFailed.
Status launch(const LoadedKernel &Kernel, const LaunchShape &Shape,
              void *const *Arguments, size_t Count, const LaunchChecks &Checks);

/// Returns this process's id, to be stored before loading into a GPU runtime.
pid_t loadingProcess();
/// Returns true if code that process \p Loader loaded can be unloaded: false at
/// the end of the process, and in another process.
bool mayUnload(pid_t Loader);

/// Thread-safe.
class ProgramKernels {
public:
  /// Reads the code in \p Image, which must outlive this object, for the
  /// functions of \p Info. Errors: InvalidFormat if it does not match \p Info.
  static Result<std::unique_ptr<ProgramKernels>> read(const std::string &Image,
                                                      const EntryInfo &Info);
  ~ProgramKernels();
  ProgramKernels(const ProgramKernels &) = delete;

  const std::string &target() const { return Image.Target; }
  /// \p Index must be below the number of functions.
  const KernelMetadata &metadata(size_t Index) const { return *Known[Index]; }
  /// Loads a kernel on \p Device; negative: the calling thread's current one.
  /// Errors: NoDevice; WrongIsa; LoadFailed.
  Result<const LoadedKernel *> load(size_t Index, int Device);

private:
  struct Loaded {
    std::mutex Loading; ///< held while the module is loaded
    void *Module = nullptr;
    std::vector<LoadedKernel> Kernels; ///< all kernels, or empty before loading
  };

  ProgramKernels(const std::string &Bytes, const EntryInfo &Info)
      : Bytes(Bytes), Info(Info) {}
  Result<Loaded *> moduleOn(DeviceRuntime &Runtime, int Device);
  Status loadModule(DeviceRuntime &Runtime, int Device, Loaded &Target);

  const std::string &Bytes;
  const EntryInfo &Info;
  ImageMetadata Image;
  std::vector<const KernelMetadata *> Known; ///< point into Image
  std::mutex Lock;                           ///< guards Devices
  DeviceRuntime *Runtime = nullptr;
  std::map<int, std::unique_ptr<Loaded>> Devices;
  pid_t Loader = 0; ///< the process that owns the modules
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_GPU_PROGRAMKERNELS_H
