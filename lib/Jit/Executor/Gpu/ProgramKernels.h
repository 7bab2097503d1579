//===- Gpu/ProgramKernels.h - kernels of a program on devices ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One module for each device that a program's kernels are used on, loaded when
// the first of them is asked for there; all functions of it are looked up at
// once. A launch checks its shape, packs the arguments and calls the runtime:
// it takes no lock and allocates nothing.
//
// With the program its modules are unloaded, after all that runs on their
// devices has ended; but not when the process ends, for then the runtime may be
// gone already, nor in a child of fork(), which has none.
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

/// A kernel on a device. Lives as long as its program.
struct LoadedKernel {
  std::string Name; ///< the expression that it was asked for by
  const KernelMetadata *Metadata = nullptr;
  DeviceRuntime *Runtime = nullptr;
  int Device = 0;
  void *Function = nullptr; ///< of the runtime
  /// Bytes of shared memory that a workgroup may have; 0: the runtime knows.
  uint32_t MaxShared = 0;
};

struct LaunchChecks;

/// Looks at the launch as \p Checks says (LaunchChecks.h); then it is the
/// runtime's turn. \p Arguments are addresses of values. Errors:
/// InvalidArgument; LaunchFailed.
Status launch(const LoadedKernel &Kernel, const LaunchShape &Shape,
              void *const *Arguments, size_t Count, const LaunchChecks &Checks);

/// Who loads something into the runtime of GPUs: this process. Asked before.
pid_t loadingProcess();
/// Whether that can be unloaded: false when the process ends, and where \p
/// Loader, who loaded it, is not this process.
bool mayUnload(pid_t Loader);

/// Thread-safe.
class ProgramKernels {
public:
  /// Of the code in \p Image, which outlives this object, for the functions of
  /// \p Info. Errors: InvalidFormat, it is not what \p Info says.
  static Result<std::unique_ptr<ProgramKernels>> read(const std::string &Image,
                                                      const EntryInfo &Info);
  ~ProgramKernels();
  ProgramKernels(const ProgramKernels &) = delete;

  const std::string &target() const { return Image.Target; }
  /// \p Index is below the number of functions.
  const KernelMetadata &metadata(size_t Index) const { return *Known[Index]; }
  /// On device \p Device; below 0: the calling thread's current one. Errors:
  /// NoDevice; WrongIsa; LoadFailed.
  Result<const LoadedKernel *> load(size_t Index, int Device);

private:
  struct Loaded {
    std::mutex Loading; ///< held while the module is
    void *Module = nullptr;
    std::vector<LoadedKernel> Kernels; ///< all of them, or none yet
  };

  ProgramKernels(const std::string &Bytes, const EntryInfo &Info)
      : Bytes(Bytes), Info(Info) {}
  Result<Loaded *> moduleOn(DeviceRuntime &Runtime, int Device);
  Status loadModule(DeviceRuntime &Runtime, int Device, Loaded &To);

  const std::string &Bytes;
  const EntryInfo &Info;
  ImageMetadata Image;
  std::vector<const KernelMetadata *> Known; ///< in Image
  std::mutex Lock;                           ///< of Devices
  DeviceRuntime *Runtime = nullptr;
  std::map<int, std::unique_ptr<Loaded>> Devices;
  pid_t Loader = 0; ///< the process whose modules these are
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_GPU_PROGRAMKERNELS_H
