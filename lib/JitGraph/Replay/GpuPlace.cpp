//===- GpuPlace.cpp - GPU runtime functions for graphs --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GpuPlace.h"

#include "KernelPrograms.h"

#include "kpack/JitGraph/GraphError.h"

using namespace kpack;
using namespace kpack::jit;

Result<GpuPlace> GpuPlace::find(GpuKind Kind, int Device) {
  bool IsHip = Kind == GpuKind::Hip;
  std::unique_ptr<GpuRuntime> Found = IsHip ? findHip() : findCuda();
  if (!Found)
    return graphFailure(
        GraphErrc::Device,
        IsHip ? "HIP: libamdhip64.so is not in this process and cannot be "
                "loaded; install ROCm or link with it"
              : "CUDA: libcuda.so.1 is not in this process and cannot be "
                "loaded; install NVIDIA's driver",
        StatusCode::FileNotFound);
  if (const char *Missing = Found->firstMissing(ForGraphs))
    return graphFailure(
        GraphErrc::Device,
        (IsHip ? "HIP: it has no " : "CUDA: the driver has no ") +
            std::string(Missing) +
            (IsHip ? "; ROCm 5.2 and later have it"
                   : "; those of CUDA 11.4 and later have it"),
        StatusCode::NotImplemented);
  int Code = Found->initialize(ForGraphs);
  GpuPlace Place{std::move(Found), Device};
  if (Status S = Place.check(Code, IsHip ? "HIP" : "CUDA"); !S.ok())
    return S;
  return Place;
}

Status GpuPlace::check(int Code, const char *Action) const {
  if (Code == 0)
    return Status::success();
  return graphFailure(GraphErrc::Device,
                      std::string(Action) + ": " + Gpu->errorName(Code) +
                          (Gpu->Kind == GpuKind::Hip
                               ? "; AMD_LOG_LEVEL=3 shows what HIP has done"
                               : "; compute-sanitizer shows what kernels do"),
                      StatusCode::IoError);
}

/// For HIP, libkpack_jit names the target that it compiles for.
Result<std::string> GpuPlace::target() const {
  if (Gpu->Kind == GpuKind::Hip) {
    char Target[128];
    if (kpack_jit_status Code =
            kpack_jit_device_target(Device, Target, sizeof(Target)))
      return graphFailure(GraphErrc::Device, compileFailure(Code).message(),
                          StatusCode::IoError);
    return std::string(Target);
  }
  std::string Target;
  int Ordinal = Device, Code = 0;
  if (Ordinal < 0)
    Code = Gpu->currentDevice(Ordinal);
  if (Code == 0)
    Code = Gpu->target(Ordinal, Target);
  if (Code != 0)
    return check(Code, ("device " + std::to_string(Ordinal)).c_str());
  return Target;
}
