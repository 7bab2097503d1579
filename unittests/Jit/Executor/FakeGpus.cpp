//===- FakeGpus.cpp - fake HIP and CUDA runtimes that log calls -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FakeGpus.h"

#include <cstring>
#include <utility>

FakeGpus &FakeGpus::get() {
  static FakeGpus Only;
  return Only;
}

void FakeGpus::reset() {
  std::lock_guard<std::mutex> Held(Lock);
  HipTargets.clear();
  CudaTargets.clear();
  Calls.clear();
  Image.clear();
  Arguments.clear();
  Longs.clear();
  LoadError = LaunchError = LastError = SetDeviceError = 0;
  Allocations.clear();
  ContextReferences.clear();
  Callback = nullptr;
}

void FakeGpus::callBack() {
  std::function<void()> Function;
  {
    std::lock_guard<std::mutex> Held(Lock);
    Function = std::exchange(Callback, nullptr);
  }
  if (Function)
    Function();
}

std::pair<uintptr_t, size_t> FakeGpus::getAllocation(const void *Address) {
  auto Position = reinterpret_cast<uintptr_t>(Address);
  for (auto [Start, Size] : Allocations)
    if (Position >= Start && Position - Start < Size)
      return {Start, Size};
  return {};
}

int FakeGpus::count(const std::string &Start) {
  std::lock_guard<std::mutex> Held(Lock);
  int Count = 0;
  for (const std::string &Call : Calls)
    Count += Call.compare(0, Start.size(), Start) == 0;
  return Count;
}

int &fakeCurrentDevice() {
  static thread_local int Device = 0;
  return Device;
}

static int &currentContext() {
  static thread_local int Device = -1;
  return Device;
}

static void note(const std::string &Call, int Device) {
  FakeGpus &G = FakeGpus::get();
  std::lock_guard<std::mutex> Held(G.Lock);
  G.Calls.push_back(Call + " " + std::to_string(Device));
}

static void *newFunction(const char *Symbol) {
  FakeGpus &G = FakeGpus::get();
  std::lock_guard<std::mutex> Held(G.Lock);
  return &G.Functions.emplace_back(Symbol);
}

static std::string shape(unsigned X, unsigned Y, unsigned Z) {
  return " " + std::to_string(X) + "x" + std::to_string(Y) + "x" +
         std::to_string(Z);
}

#define FAKE extern "C" [[gnu::visibility("default")]]

//===----------------------------------------------------------------------===//
// HIP
//===----------------------------------------------------------------------===//

FAKE int hipGetDeviceCount(int *Count) {
  *Count = int(FakeGpus::get().HipTargets.size());
  return *Count ? 0 : 100;
}
FAKE int hipGetDevice(int *Device) {
  *Device = fakeCurrentDevice();
  return 0;
}
FAKE int hipSetDevice(int Device) {
  if (int Code = FakeGpus::get().SetDeviceError)
    return Code;
  fakeCurrentDevice() = Device;
  return 0;
}
FAKE int hipGetDeviceProperties(void *Out, int Device) {
  auto *Properties = static_cast<char *>(Out);
  const std::vector<std::string> &All = FakeGpus::get().HipTargets;
  if (size_t(Device) >= All.size())
    return 101;
  FakeGpus::get().callBack();
  std::strcpy(Properties, "gfx1 is the name of this one");
  std::strcpy(Properties + 640, All[size_t(Device)].c_str());
  return 0;
}
FAKE int hipDeviceSynchronize() {
  note("synchronize", fakeCurrentDevice());
  return 0;
}
FAKE int hipModuleLoadData(void **Module, const void *Image) {
  FakeGpus &G = FakeGpus::get();
  note("load", fakeCurrentDevice());
  std::lock_guard<std::mutex> Held(G.Lock);
  G.Image.assign(static_cast<const char *>(Image), 4);
  if (!G.LoadError)
    *Module = new int(fakeCurrentDevice());
  return G.LoadError;
}
FAKE int hipModuleGetFunction(void **Function, void *, const char *Symbol) {
  *Function = newFunction(Symbol);
  return 0;
}
FAKE int hipModuleLaunchKernel(void *Function, unsigned GX, unsigned GY,
                               unsigned GZ, unsigned BX, unsigned BY,
                               unsigned BZ, unsigned, void *, void **,
                               void **Extra) {
  FakeGpus &G = FakeGpus::get();
  note("launch " + *static_cast<std::string *>(Function) + shape(GX, GY, GZ) +
           shape(BX, BY, BZ),
       fakeCurrentDevice());
  std::lock_guard<std::mutex> Held(G.Lock);
  G.Arguments.assign(static_cast<char *>(Extra[1]),
                     *static_cast<size_t *>(Extra[3]));
  return G.LaunchError;
}
FAKE int hipModuleUnload(void *Module) {
  note("unload", fakeCurrentDevice());
  delete static_cast<int *>(Module);
  return 0;
}
FAKE const char *hipGetErrorName(int Code) {
  return Code == 100 ? "hipErrorNoDevice" : "hipErrorOfTheTest";
}

FAKE int hipGetLastError() {
  return std::exchange(FakeGpus::get().LastError, 0);
}
/// As HIP 5; HIP 6 has success for memory of the host, and no address of it.
FAKE int hipPointerGetAttributes(void *Attributes, const void *Address) {
  note("attributes", fakeCurrentDevice());
  struct {
    int Kind, Device;
    const void *OfDevice;
  } Answer{1, 0, Address};
  if (!FakeGpus::get().getAllocation(Address).second)
    return FakeGpus::get().LastError = 1;
  std::memcpy(Attributes, &Answer, sizeof(Answer));
  return 0;
}
FAKE int hipMemGetAddressRange(void **Start, size_t *Size,
                               const void *Address) {
  auto [Found, Bytes] = FakeGpus::get().getAllocation(Address);
  *Start = reinterpret_cast<void *>(Found);
  *Size = Bytes;
  return Bytes ? 0 : FakeGpus::get().LastError = 1;
}

//===----------------------------------------------------------------------===//
// CUDA's driver
//===----------------------------------------------------------------------===//

FAKE int cuInit(unsigned) {
  FakeGpus::get().callBack();
  return 0;
}
FAKE int cuDeviceGetCount(int *Count) {
  *Count = int(FakeGpus::get().CudaTargets.size());
  return 0;
}
/// Handles are no ordinals.
FAKE int cuDeviceGet(int *Handle, int Device) {
  *Handle = Device + 7;
  return size_t(Device) < FakeGpus::get().CudaTargets.size() ? 0 : 101;
}
FAKE int cuDeviceGetAttribute(int *Value, int Attribute, int Handle) {
  if (Attribute == 88)
    return *Value = 0; // memory of the host is none of the GPU's
  const std::string &Target = FakeGpus::get().CudaTargets[size_t(Handle) - 7];
  int Architecture = std::stoi(Target.substr(3));
  *Value = Attribute == 75 ? Architecture / 10 : Architecture % 10;
  return 0;
}
FAKE int cuCtxGetDevice(int *Handle) {
  *Handle = currentContext() + 7;
  return currentContext() < 0 ? 201 : 0;
}
FAKE int cuDevicePrimaryCtxRetain(void **Context, int Handle) {
  FakeGpus &G = FakeGpus::get();
  G.callBack();
  *Context = reinterpret_cast<void *>(size_t(Handle));
  std::lock_guard<std::mutex> Held(G.Lock);
  ++G.ContextReferences[Handle];
  return 0;
}
FAKE int cuDevicePrimaryCtxRelease_v2(int Handle) {
  FakeGpus &G = FakeGpus::get();
  std::lock_guard<std::mutex> Held(G.Lock);
  --G.ContextReferences[Handle];
  return 0;
}
FAKE int cuCtxPushCurrent_v2(void *Context) {
  currentContext() = int(reinterpret_cast<size_t>(Context)) - 7;
  return 0;
}
FAKE int cuCtxPopCurrent_v2(void **) {
  currentContext() = -1;
  return 0;
}
FAKE int cuCtxSynchronize() {
  note("cuda synchronize", currentContext());
  return 0;
}
FAKE int cuModuleLoadDataEx(void **Module, const void *Image, unsigned, int *,
                            void **) {
  FakeGpus &G = FakeGpus::get();
  note("cuda load", currentContext());
  std::lock_guard<std::mutex> Held(G.Lock);
  G.Image = static_cast<const char *>(Image);
  *Module = &G;
  return G.LoadError;
}
FAKE int cuModuleGetFunction(void **Function, void *, const char *Symbol) {
  *Function = newFunction(Symbol);
  return 0;
}
FAKE int cuModuleUnload(void *) {
  note("cuda unload", currentContext());
  return 0;
}
FAKE int cuLaunchKernel(void *Function, unsigned GX, unsigned GY, unsigned GZ,
                        unsigned BX, unsigned BY, unsigned BZ, unsigned, void *,
                        void **Arguments, void **) {
  FakeGpus &G = FakeGpus::get();
  note("cuda launch " + *static_cast<std::string *>(Function) +
           shape(GX, GY, GZ) + shape(BX, BY, BZ),
       currentContext());
  std::lock_guard<std::mutex> Held(G.Lock);
  G.Longs.clear();
  for (int I = 0; I < 2; ++I) {
    int Value;
    std::memcpy(&Value, Arguments[I], sizeof(Value));
    G.Longs.push_back(Value);
  }
  return G.LaunchError;
}
FAKE int cuPointerGetAttribute(void *Value, int, const void *Address) {
  if (!FakeGpus::get().getAllocation(Address).second)
    return 1;
  *static_cast<unsigned *>(Value) = 2;
  return 0;
}
FAKE int cuMemGetAddressRange_v2(void **Start, size_t *Size,
                                 const void *Address) {
  return hipMemGetAddressRange(Start, Size, Address);
}
FAKE int cuGetErrorName(int, const char **Name) {
  *Name = "CUDA_ERROR_OF_THE_TEST";
  return 0;
}
