//===- ProgramKernels.cpp - a program's kernels on each device ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules are loaded and unloaded here; launches end in DeviceRuntime.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Gpu/ProgramKernels.h"

#include "Jit/Executor/Gpu/LaunchChecks.h"
#include "Jit/Executor/TraceEvents.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

//===----------------------------------------------------------------------===//
// The end of the process
//===----------------------------------------------------------------------===//

static std::atomic<bool> &processEnds() {
  static std::atomic<bool> Ends{false};
  return Ends;
}

/// Functions registered with atexit() run in reverse order: those registered
/// after this one still find a runtime, those registered before find none.
pid_t jit::loadingProcess() {
  static bool Watched = std::atexit([] { processEnds() = true; }) == 0;
  (void)Watched;
  return ::getpid();
}

bool jit::mayUnload(pid_t Loader) {
  return !processEnds() && Loader == ::getpid();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Result<std::unique_ptr<ProgramKernels>>
ProgramKernels::read(const std::string &Image, const EntryInfo &Info) {
  Result<ImageMetadata> Read = readImageMetadata(Image);
  if (!Read)
    return Status(Read.status().code(),
                  Info.Name + ": " + Read.status().message(), Errc::LoadFailed);
  std::unique_ptr<ProgramKernels> Created(new ProgramKernels(Image, Info));
  Created->Image = std::move(*Read);
  for (const EntryFunction &F : Info.Functions) {
    const KernelMetadata *Found = Created->Image.find(F.Symbol);
    if (!Found)
      return Status(StatusCode::InvalidArgument,
                    Info.Name + ": '" + F.Name +
                        "' is no kernel; make it a __global__ function",
                    Errc::UnknownEntry);
    if (!fitsType(*Found, F.Type))
      return Status(StatusCode::InvalidFormat,
                    Info.Name + ": what its code says of '" + F.Name +
                        "' is not of the type " + F.Type +
                        "; remove the entry from the cache",
                    Errc::LoadFailed);
    Created->Known.push_back(Found);
  }
  if (!Created->Image.Missing.empty())
    return Status(StatusCode::InvalidFormat,
                  Info.Name + ": it calls '" + Created->Image.Missing +
                      "', which no library here has; define it in the text",
                  Errc::LoadFailed);
  return Created;
}

ProgramKernels::~ProgramKernels() {
  if (!mayUnload(Loader))
    return;
  for (const auto &[Device, On] : Devices)
    if (On->Module) {
      Runtime->synchronize(Device);
      Runtime->unload(Device, On->Module);
    }
}

static uint32_t getMaxShared(const std::string &Target) {
  if (Target.compare(0, 3, "gfx") != 0)
    return 0;
  return Target.compare(0, 6, "gfx950") == 0 ? 160 << 10 : 64 << 10;
}

Status ProgramKernels::loadModule(DeviceRuntime &On, int Device, Loaded &Slot) {
  Result<std::string> Target = On.target(Device);
  if (!Target)
    return Target.status();
  if (!On.runsOn(Image.Target, *Target))
    return Status(StatusCode::InvalidArgument,
                  Info.Name + ": is compiled for " + Image.Target +
                      ", and device " + std::to_string(Device) + " is " +
                      *Target + "; compile it for that target",
                  Errc::WrongIsa);
  TraceSlice Slice("load", Info.Name);
  Result<void *> Module = On.load(Device, Bytes.c_str());
  if (!Module)
    return Module.status();
  std::vector<LoadedKernel> Kernels;
  for (size_t I = 0; I < Known.size(); ++I) {
    Result<void *> Function =
        On.function(Device, *Module, Known[I]->Symbol.c_str());
    if (!Function) {
      On.unload(Device, *Module);
      return Function.status();
    }
    Kernels.push_back({Info.Functions[I].Name, Known[I], &On, Device, *Function,
                       getMaxShared(Image.Target)});
  }
  Slot.Module = *Module;
  Slot.Kernels = std::move(Kernels);
  return Status::success();
}

Result<ProgramKernels::Loaded *> ProgramKernels::moduleOn(DeviceRuntime &On,
                                                          int Device) {
  Loaded *Place;
  {
    std::lock_guard<std::mutex> Held(Lock);
    if (Loader && Loader != ::getpid())
      return Status(StatusCode::IoError,
                    Info.Name + ": a child of fork() has no devices; start "
                                "another program instead",
                    Errc::NoDevice);
    Loader = loadingProcess();
    Runtime = &On;
    std::unique_ptr<Loaded> &Known = Devices[Device];
    if (!Known)
      Known = std::make_unique<Loaded>();
    Place = Known.get();
  }
  std::lock_guard<std::mutex> One(Place->Loading);
  if (!Place->Module)
    if (Status Done = loadModule(On, Device, *Place); !Done.ok())
      return Done;
  return Place;
}

Result<const LoadedKernel *> ProgramKernels::load(size_t Index, int Device) {
  Result<DeviceRuntime *> On = runtimeFor(Image.Target);
  if (!On)
    return On.status();
  if (Device < 0) {
    Result<int> Current = (*On)->currentDevice();
    if (!Current)
      return Current.status();
    Device = *Current;
  }
  Result<Loaded *> Place = moduleOn(**On, Device);
  if (!Place)
    return Place.status();
  return &(*Place)->Kernels[Index];
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Status jit::launch(const LoadedKernel &Kernel, const LaunchShape &Shape,
                   void *const *Arguments, size_t Count,
                   const LaunchChecks &Checks) {
  if (Status Checked = checkLaunch(Kernel, Shape, Arguments, Count, Checks);
      !Checked.ok())
    return Checked;
  const KernelMetadata &M = *Kernel.Metadata;
  // Nearly all kernels fit. HIP reads the block before it returns.
  alignas(16) char Small[1024];
  std::unique_ptr<char[]> Large;
  char *Block = Small;
  if (M.ArgumentBytes > sizeof(Small)) {
    Large = std::make_unique<char[]>(M.ArgumentBytes);
    Block = Large.get();
  } else {
    std::memset(Block, 0, M.ArgumentBytes);
  }
  for (size_t I = 0; I < Count; ++I)
    std::memcpy(Block + M.Arguments[I].Offset, Arguments[I],
                M.Arguments[I].Size);
  Status Done = Kernel.Runtime->launch(
      Kernel.Device, Kernel.Function, Shape,
      {const_cast<void **>(Arguments), Block, M.ArgumentBytes});
  return Done.ok() ? Done
                   : Status(Done.code(), Kernel.Name + ": " + Done.message(),
                            Done.detail());
}
