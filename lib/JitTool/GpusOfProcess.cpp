//===- GpusOfProcess.cpp - GPUs of this machine, by HSA -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The HSA runtime is loaded, not linked, so that tools also run without ROCm; a
// compile loads it only if no target is named.
//
//===----------------------------------------------------------------------===//
#include "JitTool/FrontDoor.h"

#include <dlfcn.h>

using namespace kpack;
std::vector<runtime::Device> jittool::devicesOfThisMachine() {
  // Stays loaded: its threads may run on.
  void *Hsa = ::dlopen("libhsa-runtime64.so.1", RTLD_LAZY);
  using Function = int (*)();
  auto Start =
      Hsa ? reinterpret_cast<Function>(::dlsym(Hsa, "hsa_init")) : nullptr;
  auto Stop =
      Hsa ? reinterpret_cast<Function>(::dlsym(Hsa, "hsa_shut_down")) : nullptr;
  if (!Start || !Stop || Start() != 0)
    return {};
  runtime::DeviceList List;
  List.connect();
  std::vector<runtime::Device> Devices = List.devices();
  Stop();
  return Devices;
}
