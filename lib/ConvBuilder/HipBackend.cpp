//===- HipBackend.cpp - backend that runs kernels on AMD GPUs -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The executor loads and launches kernels; it finds the HIP runtime of the
// process, or loads one by name. This backend uses that runtime for memory
// only.
//
//===----------------------------------------------------------------------===//
#include "GpuRuntime/GpuRuntime.h"
#include "kpack/ConvBuilder/Backend.h"

#include <set>

using namespace kpack;
using namespace kpack::conv;

namespace {

class HipKernel final : public LoadedKernel {
public:
  using Handles = std::array<const kpack_jit_kernel *, MaxSteps>;
  /// Takes null for steps that the kernel lacks.
  explicit HipKernel(const Handles &Kernels) : Of(Kernels) {}

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
  const Handles Of; ///< owned by the program in ConvKernel
};

class HipBackend final : public Backend {
public:
  HipBackend(std::unique_ptr<GpuRuntime> Gpu, int Device, std::string Name)
      : Gpu(std::move(Gpu)), Device(Device), Name(std::move(Name)) {}
  ~HipBackend() override {
    OnDevice Current(*Gpu, Device);
    for (void *Memory : Owned)
      Gpu->MemFree(Memory);
  }

  const std::string &processor() const override { return Name; }

  Result<void *> allocate(size_t Bytes) override {
    OnDevice Current(*Gpu, Device);
    void *Memory = nullptr;
    int Code = Current.failure();
    if (Code == 0)
      Code = Gpu->MemAlloc(&Memory, Bytes ? Bytes : 1);
    if (Code != 0)
      return failed(StatusCode::OutOfMemory,
                    std::to_string(Bytes) + " bytes are not to be had", Code);
    Owned.insert(Memory);
    return Memory;
  }
  void release(void *Memory) override {
    OnDevice Current(*Gpu, Device);
    if (Owned.erase(Memory))
      Gpu->MemFree(Memory);
  }

  Status upload(void *Destination, const void *Source, size_t Bytes) override {
    OnDevice Current(*Gpu, Device);
    int Code = Current.failure();
    return copied(Code ? Code : Gpu->toDevice(Destination, Source, Bytes));
  }
  Status download(void *Destination, const void *Source,
                  size_t Bytes) override {
    OnDevice Current(*Gpu, Device);
    int Code = Current.failure();
    return copied(Code ? Code : Gpu->toHost(Destination, Source, Bytes));
  }

  Result<std::unique_ptr<LoadedKernel>>
  load(const ConvKernel &Kernel) override {
    HipKernel::Handles Kernels{};
    for (KernelStep Step : stepsOf(Kernel.lowered()))
      for (size_t I = 0; I < Kernel.program().size(); ++I)
        if (Kernel.program().symbol(I) == Kernel.symbol(Step))
          if (kpack_jit_status Code = kpack_jit_kernel_load(
                  Kernel.program().native_handle(), I, Device,
                  &Kernels[static_cast<int>(Step)]))
            return jit::detail::failure(Code);
    return std::unique_ptr<LoadedKernel>(new HipKernel(Kernels));
  }

private:
  Status failed(StatusCode Kind, const std::string &Action, int Code) const {
    return Status(Kind, "device " + std::to_string(Device) + ": " + Action +
                            ": " + Gpu->errorName(Code));
  }
  Status copied(int Code) const {
    return Code == 0 ? Status::success()
                     : failed(StatusCode::IoError, "a copy has failed", Code);
  }

  const std::unique_ptr<GpuRuntime> Gpu;
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
  std::unique_ptr<GpuRuntime> Gpu = findHip();
  int Device = 0;
  if (!Gpu || Gpu->firstMissing(ForMemory) || Gpu->initialize(ForMemory) != 0 ||
      Gpu->currentDevice(Device) != 0)
    return Status(StatusCode::IoError,
                  "HIP: libamdhip64.so is neither in this process nor found; "
                  "install ROCm's runtime, or take \"cpu\"",
                  Errc::NoDevice);
  return std::unique_ptr<Backend>(
      new HipBackend(std::move(Gpu), Device, Target));
}
