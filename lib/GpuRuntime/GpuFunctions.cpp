//===- GpuFunctions.cpp - HIP and CUDA functions by name ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GpuRuntime/GpuFunctions.h"

using namespace kpack;

GpuFunctions
GpuFunctions::load(GpuKind Kind,
                   const std::function<void *(const char *)> &Find) {
  GpuFunctions F;
  F.Kind = Kind;
  auto Take = [&](auto &Function, const char *Hip, const char *Cuda) {
    if (const char *Name = Kind == GpuKind::Hip ? Hip : Cuda)
      Function = reinterpret_cast<std::remove_reference_t<decltype(Function)>>(
          Find(Name));
  };
#define GPU_FUNCTION(MEMBER, TYPE, HIP, CUDA, USERS) Take(F.MEMBER, HIP, CUDA);
#include "GpuRuntime/GpuFunctions.def"
#undef GPU_FUNCTION
  if (F.GetDevicePropertiesR0600)
    F.GetDeviceProperties = F.GetDevicePropertiesR0600;
  return F;
}

const char *GpuFunctions::firstMissing(unsigned Users) const {
#define GPU_FUNCTION(MEMBER, TYPE, HIP, CUDA, USERS)                           \
  if (const char *Name = Kind == GpuKind::Hip ? HIP : CUDA;                    \
      Name && ((USERS) & Users) && !MEMBER)                                    \
    return Name;
#include "GpuRuntime/GpuFunctions.def"
#undef GPU_FUNCTION
  return nullptr;
}
