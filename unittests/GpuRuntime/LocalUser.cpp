//===- LocalUser.cpp - a library with a private HIP runtime ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LocalUser.h"

#include <dlfcn.h>

using namespace kpack;

static void findHipLocally(LocalFindings &To) {
  std::unique_ptr<GpuRuntime> Hip = findHip();
  To.HasHip = Hip != nullptr;
  if (!Hip || !Hip->GetDevice)
    return;
  Hip->currentDevice(To.HipDevice);
  std::string Target = "none";
  To.TargetCode = Hip->target(0, Target);
  To.HasTarget = !Target.empty();
  To.Facts = Hip->factsOf(0, &To);
}

static void findCudaLocally(LocalFindings &To) {
  std::unique_ptr<GpuRuntime> Cuda = findCuda();
  To.HasCuda = Cuda != nullptr;
  if (Cuda && Cuda->Init)
    To.CudaInit = Cuda->initialize(ForMemory);
}

extern "C" [[gnu::visibility("default")]] void
localFindings(LocalFindings &To) {
  ::dlerror();
  findHipLocally(To);
  findCudaLocally(To);
  To.KeepsDlerror = !::dlerror();
  To.IsExposed = exposeHip();
}
