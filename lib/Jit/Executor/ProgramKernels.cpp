//===- ProgramKernels.cpp - kernels of a program on devices ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProgramKernels.h. What a launch checks is what runtimes do not, or say in
// other words than the source's: of a workgroup that is too large for a kernel
// HIP tells no more than that a value is invalid.
//
//===----------------------------------------------------------------------===//
#include "ProgramKernels.h"

#include "Trace.h"

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

/// What runs at exit runs in the opposite order of its registration: whoever
/// comes after this still finds a runtime, and whoever comes before it none.
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
  std::unique_ptr<ProgramKernels> Made(new ProgramKernels(Image, Info));
  Made->Image = std::move(*Read);
  for (const EntryFunction &F : Info.Functions) {
    const KernelMetadata *Found = Made->Image.find(F.Symbol);
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
    Made->Known.push_back(Found);
  }
  return Made;
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

static uint32_t maxSharedOf(const std::string &Target) {
  if (Target.compare(0, 3, "gfx") != 0)
    return 0;
  return Target.compare(0, 6, "gfx950") == 0 ? 160 << 10 : 64 << 10;
}

Status ProgramKernels::loadModule(DeviceRuntime &On, int Device, Loaded &To) {
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
                       maxSharedOf(Image.Target)});
  }
  To.Module = *Module;
  To.Kernels = std::move(Kernels);
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

static Status refused(const LoadedKernel &Kernel, const std::string &Why) {
  return Status(StatusCode::InvalidArgument, Kernel.Name + ": " + Why,
                Errc::LaunchFailed);
}

static std::string inWords(const std::array<uint32_t, 3> &Sizes) {
  return std::to_string(Sizes[0]) + " x " + std::to_string(Sizes[1]) + " x " +
         std::to_string(Sizes[2]);
}

static bool hasZero(const std::array<uint32_t, 3> &Sizes) {
  return std::find(Sizes.begin(), Sizes.end(), 0u) != Sizes.end();
}

static Status checkShape(const LoadedKernel &Kernel, const LaunchShape &Shape) {
  const KernelMetadata &M = *Kernel.Metadata;
  if (hasZero(Shape.Grid) || hasZero(Shape.Block))
    return refused(Kernel, "a grid of " + inWords(Shape.Grid) +
                               " workgroups of " + inWords(Shape.Block) +
                               " has none; all sizes are 1 at least");
  for (size_t I = 0; I < Shape.Grid.size(); ++I)
    if (uint64_t(Shape.Grid[I]) * Shape.Block[I] > UINT32_MAX)
      return refused(Kernel, "a grid of " + inWords(Shape.Grid) +
                                 " workgroups of " + inWords(Shape.Block) +
                                 " has more than 2^32 - 1 work items one way; "
                                 "launch it in parts");
  // Factors are of 32 bits each: looked at one after another.
  uint64_t Items = uint64_t(Shape.Block[0]) * Shape.Block[1];
  if (M.MaxBlock && (Items > M.MaxBlock || Items * Shape.Block[2] > M.MaxBlock))
    return refused(Kernel, "a workgroup of " + inWords(Shape.Block) +
                               " has more work items than the " +
                               std::to_string(M.MaxBlock) +
                               " that the kernel is compiled for; see "
                               "__launch_bounds__");
  if (M.RequiredBlock[0] && Shape.Block != M.RequiredBlock)
    return refused(Kernel, "a workgroup of " + inWords(Shape.Block) +
                               " is not the one that the kernel is compiled "
                               "for, " +
                               inWords(M.RequiredBlock));
  uint64_t Shared = uint64_t(M.SharedBytes) + Shape.DynamicShared;
  if (Kernel.MaxShared && Shared > Kernel.MaxShared)
    return refused(Kernel, "its " + std::to_string(M.SharedBytes) +
                               " bytes of shared memory and " +
                               std::to_string(Shape.DynamicShared) +
                               " of the launch are more than the " +
                               std::to_string(Kernel.MaxShared) +
                               " that a workgroup may have");
  return Status::success();
}

static Status checkArguments(const LoadedKernel &Kernel, void *const *Arguments,
                             size_t Count, bool NoNulls) {
  const std::vector<KernelArgument> &All = Kernel.Metadata->Arguments;
  if (Count != All.size())
    return refused(Kernel, "takes " + std::to_string(All.size()) +
                               " arguments, not " + std::to_string(Count));
  for (size_t I = 0; I < Count; ++I) {
    uintptr_t Pointer = 0;
    if (NoNulls && All[I].IsPointer && All[I].Size == sizeof(Pointer)) {
      std::memcpy(&Pointer, Arguments[I], sizeof(Pointer));
      if (!Pointer)
        return refused(Kernel,
                       "argument " + std::to_string(I) + " is a null pointer");
    }
  }
  return Status::success();
}

Status jit::launch(const LoadedKernel &Kernel, const LaunchShape &Shape,
                   void *const *Arguments, size_t Count, bool NoNulls) {
  if (Status Checked = checkShape(Kernel, Shape); !Checked.ok())
    return Checked;
  if (Status Checked = checkArguments(Kernel, Arguments, Count, NoNulls);
      !Checked.ok())
    return Checked;
  const KernelMetadata &M = *Kernel.Metadata;
  // Nearly all kernels fit; HIP reads no more than this before it returns.
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
