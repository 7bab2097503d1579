//===- HipBackend.cpp - kernels on GPUs of AMD ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are loaded and launched by the executor, which finds the HIP runtime
// of the process, or one by name. Only memory is asked of that runtime here:
// four functions, which are the same from HIP 5 to HIP 7.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Backend.h"
#include "kpack/Support/RuntimeLibrary.h"

#include <dlfcn.h>
#include <set>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// Numbers of HIP's interface.
enum : int { HostToDevice = 1, DeviceToHost = 2 };

struct HipFunctions {
  int (*GetDevice)(int *);
  int (*SetDevice)(int);
  int (*Malloc)(void **, size_t);
  int (*Free)(void *);
  int (*Memcpy)(void *, const void *, size_t, int);
  const char *(*GetErrorName)(int);

  /// False: one is missing.
  bool take(void *Library) {
    auto Take = [&](auto &To, const char *Name) {
      To = reinterpret_cast<std::remove_reference_t<decltype(To)>>(
          ::dlsym(Library, Name));
      return To != nullptr;
    };
    return Take(GetDevice, "hipGetDevice") && Take(SetDevice, "hipSetDevice") &&
           Take(Malloc, "hipMalloc") && Take(Free, "hipFree") &&
           Take(Memcpy, "hipMemcpy") && Take(GetErrorName, "hipGetErrorName");
  }
};

/// The calling thread's device while this lives.
class OnDevice {
public:
  OnDevice(const HipFunctions &F, int Device) : F(F) {
    Failure = F.GetDevice(&Before);
    if (Failure == 0 && Before != Device) {
      Failure = F.SetDevice(Device);
      IsSet = Failure == 0;
    }
  }
  ~OnDevice() {
    if (IsSet)
      F.SetDevice(Before);
  }
  OnDevice(const OnDevice &) = delete;
  int failure() const { return Failure; }

private:
  const HipFunctions &F;
  int Before = 0, Failure = 0;
  bool IsSet = false;
};

class HipKernel final : public LoadedKernel {
public:
  using Handles = std::array<const kpack_jit_kernel *, MaxSteps>;
  /// Those of steps that the kernel has not are null.
  explicit HipKernel(const Handles &Of) : Of(Of) {}

  Status launch(const KernelLaunch &Launch) override {
    kpack_jit_launch Shape{};
    Shape.size = sizeof(Shape);
    Shape.block[1] = Shape.block[2] = 1;
    Shape.stream = Launch.Stream;
    // The plan has computed the shape, and the caller owns the memory.
    Shape.checks = KPACK_JIT_CHECK_NONE;
    void *Arguments[] = {const_cast<std::byte *>(Launch.Arguments.data())};
    for (const LaunchStep &Step : Launch.Steps) {
      std::copy(Step.Grid.begin(), Step.Grid.end(), Shape.grid);
      Shape.block[0] = Step.Block;
      Shape.dynamic_shared_bytes = Step.Lds;
      if (kpack_jit_status Code = kpack_jit_kernel_launch(
              Of[static_cast<int>(Step.Which)], &Shape, Arguments, 1))
        return jit::detail::failure(Code);
    }
    return Status::success();
  }

private:
  const Handles Of; ///< of the program, which ConvKernel has
};

class HipBackend final : public Backend {
public:
  HipBackend(const HipFunctions &F, int Device, std::string Name)
      : F(F), Device(Device), Name(std::move(Name)) {}
  ~HipBackend() override {
    OnDevice Current(F, Device);
    for (void *Memory : Owned)
      F.Free(Memory);
  }

  const std::string &processor() const override { return Name; }

  Result<void *> allocate(size_t Bytes) override {
    OnDevice Current(F, Device);
    void *Memory = nullptr;
    int Code = Current.failure();
    if (Code == 0)
      Code = F.Malloc(&Memory, Bytes ? Bytes : 1);
    if (Code != 0)
      return failed(StatusCode::OutOfMemory,
                    std::to_string(Bytes) + " bytes are not to be had", Code);
    Owned.insert(Memory);
    return Memory;
  }
  void release(void *Memory) override {
    OnDevice Current(F, Device);
    if (Owned.erase(Memory))
      F.Free(Memory);
  }

  Status upload(void *To, const void *From, size_t Bytes) override {
    return copy(To, From, Bytes, HostToDevice);
  }
  Status download(void *To, const void *From, size_t Bytes) override {
    return copy(To, From, Bytes, DeviceToHost);
  }

  Result<std::unique_ptr<LoadedKernel>>
  load(const ConvKernel &Kernel) override {
    HipKernel::Handles Of{};
    for (KernelStep Step : stepsOf(Kernel.lowered()))
      for (size_t I = 0; I < Kernel.program().size(); ++I)
        if (Kernel.program().symbol(I) == Kernel.symbol(Step))
          if (kpack_jit_status Code =
                  kpack_jit_kernel_load(Kernel.program().native_handle(), I,
                                        Device, &Of[static_cast<int>(Step)]))
            return jit::detail::failure(Code);
    return std::unique_ptr<LoadedKernel>(new HipKernel(Of));
  }

private:
  Status failed(StatusCode Kind, const std::string &What, int Code) const {
    const char *Error = F.GetErrorName(Code);
    return Status(Kind, "device " + std::to_string(Device) + ": " + What +
                            ": " + (Error ? Error : std::to_string(Code)));
  }
  Status copy(void *To, const void *From, size_t Bytes, int Way) {
    OnDevice Current(F, Device);
    int Code = Current.failure();
    if (Code == 0)
      Code = F.Memcpy(To, From, Bytes, Way);
    return Code == 0 ? Status::success()
                     : failed(StatusCode::IoError, "a copy has failed", Code);
  }

  const HipFunctions F;
  const int Device;
  const std::string Name;
  std::set<void *> Owned;
};

} // namespace

Result<std::unique_ptr<Backend>> conv::makeHipBackend() {
  char Target[128];
  if (kpack_jit_status Code =
          kpack_jit_device_target(-1, Target, sizeof(Target)))
    return jit::detail::failure(Code);
  void *Library = findLibrary("hipModuleLaunchKernel", "libamdhip64.so",
                              {"libamdhip64.so.7", "libamdhip64.so.6",
                               "libamdhip64.so.5", "libamdhip64.so"});
  HipFunctions F{};
  int Device = 0;
  if (!Library || !F.take(Library) || F.GetDevice(&Device) != 0)
    return Status(StatusCode::IoError,
                  "HIP: libamdhip64.so is neither in this process nor found; "
                  "install ROCm's runtime, or take \"cpu\"",
                  Errc::NoDevice);
  return std::unique_ptr<Backend>(new HipBackend(F, Device, Target));
}
