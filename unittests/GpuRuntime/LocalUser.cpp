//===- LocalUser.cpp - library with a private HIP runtime -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LocalUser.h"

#include <dlfcn.h>

using namespace kpack;

static void findHipLocally(LocalFindings &Findings) {
  std::unique_ptr<GpuRuntime> Hip = findHip();
  Findings.HasHip = Hip != nullptr;
  if (!Hip || !Hip->GetDevice)
    return;
  Hip->currentDevice(Findings.HipDevice);
  std::string Target = "none";
  Findings.TargetCode = Hip->target(0, Target);
  Findings.HasTarget = !Target.empty();
  Findings.Facts = Hip->factsOf(0, &Findings);
}

static void findCudaLocally(LocalFindings &Findings) {
  std::unique_ptr<GpuRuntime> Cuda = findCuda();
  Findings.HasCuda = Cuda != nullptr;
  if (Cuda && Cuda->Init)
    Findings.CudaInit = Cuda->initialize(ForMemory);
}

extern "C" [[gnu::visibility("default")]] void
localFindings(LocalFindings &Findings) {
  ::dlerror();
  findHipLocally(Findings);
  findCudaLocally(Findings);
  Findings.KeepsDlerror = !::dlerror();
  Findings.IsExposed = exposeHip();
}
