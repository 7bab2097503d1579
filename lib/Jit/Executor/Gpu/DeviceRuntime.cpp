//===- DeviceRuntime.cpp - kernel loads and launches by a runtime ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runtimes differ here in some words of messages, and in the code that fits a
// device.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Gpu/DeviceRuntime.h"

#include "kpack/Support/TargetId.h"

#include <atomic>
#include <cstdlib>

using namespace kpack;
using namespace kpack::jit;

/// The words of a runtime for messages.
struct jit::RuntimeWords {
  const char *Name, *Code; ///< Code: the form of loaded code
  const char *NoTarget;
  const char *Tool; ///< that shows devices
  const char *Missing;
  std::unique_ptr<GpuRuntime> (*Find)();
};

static constexpr RuntimeWords Hip = {
    "HIP",
    "code object",
    "its properties are unknown",
    "rocminfo",
    "libamdhip64.so is neither loaded nor found; install ROCm's runtime",
    findHip};
static constexpr RuntimeWords Cuda = {
    "CUDA",
    "PTX",
    "it cannot be used",
    "nvidia-smi",
    "libcuda.so.1 is neither loaded nor found; install NVIDIA's driver",
    findCuda};

DeviceRuntime::DeviceRuntime(const RuntimeWords &Wording,
                             std::unique_ptr<GpuRuntime> Given)
    : Words(Wording), Gpu(std::move(Given)),
      InitCode(Gpu->initialize(ForModules)) {}

Status DeviceRuntime::failure(const std::string &Action, int Device, int Code,
                              Errc Detail) const {
  StatusCode Kind = Detail == Errc::LoadFailed ? StatusCode::InvalidFormat
                                               : StatusCode::IoError;
  return Status(Kind,
                "device " + std::to_string(Device) + ": " + Action + ": " +
                    Gpu->errorName(Code),
                Detail);
}

Result<int> DeviceRuntime::currentDevice() const {
  int Count = 0, Device = 0, Code = InitCode;
  if (Code == 0)
    Code = Gpu->GetDeviceCount(&Count);
  if (Code == 0 && Count > 0)
    Code = Gpu->currentDevice(Device);
  if (Code != 0 || Count <= 0)
    return Status(StatusCode::IoError,
                  std::string(Words.Name) + ": it has no device: " +
                      (Code ? Gpu->errorName(Code) : "none is visible") +
                      "; look at what " + Words.Tool + " says",
                  Errc::NoDevice);
  return Device;
}

Result<std::string> DeviceRuntime::target(int Device) const {
  std::string Target;
  if (int Code = Gpu->target(Device, Target))
    return failure(Words.NoTarget, Device, Code, Errc::NoDevice);
  if (Target.empty())
    return Status(StatusCode::IoError,
                  "device " + std::to_string(Device) + ": " + Words.Name +
                      " does not say its target id; give a target",
                  Errc::NoDevice);
  return Target;
}

/// PTX runs on its target and newer ones; with a letter suffix on that one
/// alone.
static bool isPtxFor(std::string_view Built, std::string_view Device) {
  if (Built.empty() || Built.back() < '0' || Built.back() > '9')
    return Built.substr(0, Built.size() - 1) == Device;
  auto Architecture = [](std::string_view Target) {
    return std::atoi(std::string(Target.substr(3)).c_str());
  };
  return Built.size() > 3 && Architecture(Built) <= Architecture(Device);
}

bool DeviceRuntime::runsOn(std::string_view Built,
                           std::string_view Device) const {
  return Gpu->Kind == GpuKind::Hip ? targetFitness(Built, Device) != 0
                                   : isPtxFor(Built, Device);
}

Result<void *> DeviceRuntime::load(int Device, const char *Image) const {
  OnDevice Current(*Gpu, Device);
  if (int Code = Current.failure())
    return unusable(Device, Code);
  void *Module = nullptr;
  std::string Log;
  if (int Code = Gpu->load(Module, Image, Log))
    return failure(std::string("the ") + Words.Code + " is not loaded" +
                       (Log.empty() ? "" : ": " + Log),
                   Device, Code, Errc::LoadFailed);
  return Module;
}

Result<void *> DeviceRuntime::function(int Device, void *Module,
                                       const char *Symbol) const {
  OnDevice Current(*Gpu, Device);
  void *Function = nullptr;
  int Code = Current.failure();
  if (Code == 0)
    Code = Gpu->ModuleGetFunction(&Function, Module, Symbol);
  if (Code != 0)
    return failure(std::string("the ") + Words.Code + " has no such kernel",
                   Device, Code, Errc::LoadFailed);
  return Function;
}

Status DeviceRuntime::launch(int Device, void *Function,
                             const LaunchShape &Shape,
                             const PackedArguments &Arguments) const {
  OnDevice Current(*Gpu, Device);
  int Code = Current.failure();
  if (Code == 0)
    Code = Gpu->launch({Function, Shape.Grid, Shape.Block, Shape.DynamicShared,
                        Shape.Stream, Arguments.Block, Arguments.BlockBytes,
                        Arguments.Each});
  return Code == 0 ? Status::success()
                   : failure("the kernel is not launched", Device, Code,
                             Errc::LaunchFailed);
}

void DeviceRuntime::synchronize(int Device) const {
  OnDevice Current(*Gpu, Device);
  if (Current.failure() == 0)
    (void)Gpu->DeviceSynchronize();
}

void DeviceRuntime::synchronizeAll() const {
  int Count = 0;
  if (Gpu->GetDeviceCount(&Count) == 0)
    for (int Device = 0; Device < Count; ++Device)
      synchronize(Device);
}

void DeviceRuntime::unload(int Device, void *Module) const {
  OnDevice Current(*Gpu, Device);
  if (Current.failure() == 0)
    (void)Gpu->ModuleUnload(Module);
}

//===----------------------------------------------------------------------===//
// The process's runtimes
//===----------------------------------------------------------------------===//

/// Finds the runtime of \p Words. If there is none yet, a later call may find
/// one that the program loads. No lock is held during the search: a library
/// whose constructor calls us holds the dynamic linker's lock, which the search
/// takes as well. Of several concurrent threads all get the first one's result.
template <const RuntimeWords &Words> static Result<DeviceRuntime *> runtime() {
  static std::atomic<DeviceRuntime *> Found = nullptr; // never destroyed
  if (DeviceRuntime *Known = Found)
    return Known;
  std::unique_ptr<GpuRuntime> Gpu = Words.Find();
  if (!Gpu || Gpu->firstMissing(ForModules))
    return Status(StatusCode::IoError,
                  std::string(Words.Name) + ": " + Words.Missing,
                  Errc::NoDevice);
  auto Created = std::make_unique<DeviceRuntime>(Words, std::move(Gpu));
  DeviceRuntime *First = nullptr;
  return Found.compare_exchange_strong(First, Created.get()) ? Created.release()
                                                             : First;
}

Result<DeviceRuntime *> jit::runtimeFor(std::string_view Target) {
  return Target.substr(0, 3) == "sm_" ? runtime<Cuda>() : runtime<Hip>();
}

static Result<std::string> targetBy(const Result<DeviceRuntime *> &Runtime,
                                    int Device) {
  if (!Runtime)
    return Runtime.status();
  Result<int> Current = (*Runtime)->currentDevice();
  if (!Current)
    return Current.status();
  return (*Runtime)->target(Device < 0 ? *Current : Device);
}

Result<std::string> jit::deviceTarget(int Device) {
  Result<std::string> OfHip = targetBy(runtime<Hip>(), Device);
  if (OfHip)
    return OfHip;
  Result<std::string> OfCuda = targetBy(runtime<Cuda>(), Device);
  return OfCuda ? OfCuda : OfHip;
}

Status jit::exposeHip() {
  if (Result<DeviceRuntime *> Found = runtime<Hip>(); !Found)
    return Found.status();
  return kpack::exposeHip() ? Status::success()
                            : Status(StatusCode::IoError,
                                     std::string(Hip.Name) + ": " + Hip.Missing,
                                     Errc::NoDevice);
}

void jit::synchronizeHip() {
  if (Result<DeviceRuntime *> Found = runtime<Hip>())
    (*Found)->synchronizeAll();
}
