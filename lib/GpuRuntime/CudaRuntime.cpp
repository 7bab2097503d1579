//===- CudaRuntime.cpp - GpuRuntime on CUDA's driver ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA's driver compiles PTX for the present GPU. It works in contexts: a
// device's primary context, which CUDA's runtime uses too, is pushed for a call
// and popped after it.
//
//===----------------------------------------------------------------------===//
#include "RuntimeLibrary.h"

#include "GpuRuntime/GpuRuntime.h"

#include <map>
#include <mutex>

using namespace kpack;

/// Values of CUdevice_attribute.
static constexpr int ComputeMajor = 75, ComputeMinor = 76, AnyMemory = 88;
/// Values of CUpointer_attribute.
static constexpr int MemoryType = 2, DevicePointer = 3;
/// Values of CUjit_option.
static constexpr int ErrorLogBuffer = 5, ErrorLogBytes = 6;
/// CU_MEMHOSTALLOC_PORTABLE.
static constexpr unsigned Portable = 1;

namespace {

class CudaRuntime final : public GpuRuntime {
public:
  using GpuRuntime::GpuRuntime;

  int initialize(unsigned) override { return InitCode = Init(0); }
  std::string errorName(int Code) const override {
    const char *Name = nullptr;
    CudaErrorName(Code, &Name);
    return Name ? Name : std::to_string(Code);
  }
  int enter(int Device, void *&Before) const override;
  void leave(void *) const override {
    void *Ignored;
    CtxPop(&Ignored);
  }
  int currentDevice(int &Device) const override;
  int target(int Device, std::string &Target) const override;
  AddressFacts factsOf(int Device, const void *Address) const override;
  bool canRead(const void *Data) const override {
    void *OnDevice = nullptr;
    return PointerGetAttribute(&OnDevice, DevicePointer, Data) == 0 && OnDevice;
  }

  int load(void *&Module, const char *Image, std::string &Log) const override;
  int launch(const GpuLaunch &L) const override {
    if (!L.Each)
      return launchPacked(L, nullptr);
    return LaunchKernel(L.Function, L.Grid[0], L.Grid[1], L.Grid[2], L.Block[0],
                        L.Block[1], L.Block[2], L.DynamicShared, L.Stream,
                        L.Each, nullptr);
  }
  int allocateShared(void *&Memory, size_t Bytes) const override {
    return MemHostAlloc(&Memory, Bytes, Portable);
  }
  /// Waits for the stream: the call itself returns before the memory is set.
  int clear(void *Memory, size_t Bytes) const override {
    int Code = MemsetD8(Memory, 0, Bytes);
    return Code == 0 ? StreamSynchronize(nullptr) : Code;
  }
  int toDevice(void *Target, const void *Source, size_t Bytes) const override {
    return MemcpyHtoD(Target, Source, Bytes);
  }
  int toHost(void *Target, const void *Source, size_t Bytes) const override {
    return MemcpyDtoH(Target, Source, Bytes);
  }
  int toDeviceOn(void *Stream, void *Target, const void *Source,
                 size_t Bytes) const override {
    return MemcpyHtoDAsync(Target, Source, Bytes, Stream);
  }
  int createStream(void *&Stream) const override {
    return StreamCreateWithFlags(&Stream, 0);
  }
  int instantiate(void *&Exec, void *Graph) const override {
    return GraphInstantiateWithFlags(&Exec, Graph, 0);
  }

protected:
  GpuNodeParameters getParameters(GpuNode &Node) const override {
    const auto &G = Node.Grid, &B = Node.Block;
    Node.Bytes = Node.Arguments.size() * sizeof(uint64_t);
    fill(Node.Extra, Node.Arguments.data(), Node.Bytes, nullptr);
    GpuNodeParameters Parameters;
    Parameters.Cuda = {Node.Function, {G[0], G[1], G[2]}, {B[0], B[1], B[2]}, 0,
                       nullptr,       Node.Extra};
    return Parameters;
  }

private:
  /// Returns null if the context has not been retained.
  void *getContext(int Device) const;
  int retain(void *&Context, int Device) const;

  int InitCode = 0;
  mutable std::mutex Lock;
  /// Contexts by device; each is retained once and never released.
  mutable std::map<int, void *> Contexts;
};

} // namespace

void *CudaRuntime::getContext(int Device) const {
  std::lock_guard<std::mutex> Held(Lock);
  auto Known = Contexts.find(Device);
  return Known == Contexts.end() ? nullptr : Known->second;
}

/// Makes a context without the lock: that takes long, and tools that watch the
/// driver may call back. Of several concurrent threads, the first one's
/// reference is kept.
int CudaRuntime::retain(void *&Context, int Device) const {
  int Handle = 0, Code = InitCode;
  if (Code == 0)
    Code = DeviceGet(&Handle, Device);
  if (Code == 0)
    Code = PrimaryCtxRetain(&Context, Handle);
  if (Code != 0)
    return Code;
  bool IsFirst;
  {
    std::lock_guard<std::mutex> Held(Lock);
    IsFirst = Contexts.try_emplace(Device, Context).second;
  }
  if (!IsFirst && PrimaryCtxRelease)
    PrimaryCtxRelease(Handle);
  return 0;
}

int CudaRuntime::enter(int Device, void *&) const {
  void *Context = getContext(Device);
  if (!Context)
    if (int Code = retain(Context, Device))
      return Code;
  return CtxPush(Context);
}

/// A thread without a context uses the first device, as with CUDA's runtime.
int CudaRuntime::currentDevice(int &Device) const {
  int Count = 0, Handle = 0;
  Device = 0;
  if (int Code = GetDeviceCount(&Count))
    return Code;
  if (CtxGetDevice(&Handle) == 0)
    for (int Other; Device < Count; ++Device)
      if (DeviceGet(&Other, Device) == 0 && Other == Handle)
        return 0;
  Device = 0;
  return 0;
}

int CudaRuntime::target(int Device, std::string &Target) const {
  int Handle = 0, Major = 0, Minor = 0, Code = InitCode;
  if (Code == 0)
    Code = DeviceGet(&Handle, Device);
  if (Code == 0)
    Code = DeviceGetAttribute(&Major, ComputeMajor, Handle);
  if (Code == 0)
    Code = DeviceGetAttribute(&Minor, ComputeMinor, Handle);
  if (Code == 0)
    Target = "sm_" + std::to_string(Major * 10 + Minor);
  return Code;
}

AddressFacts CudaRuntime::factsOf(int Device, const void *Address) const {
  AddressFacts Known;
  OnDevice Current(*this, Device);
  int Handle = 0, Any = 0;
  if (!PointerGetAttribute || !MemGetAddressRange || Current.failure() != 0 ||
      DeviceGet(&Handle, Device) != 0 ||
      DeviceGetAttribute(&Any, AnyMemory, Handle) != 0 || Any)
    return Known;
  unsigned Kind = 0;
  Known.Reach = AddressFacts::Foreign;
  if (PointerGetAttribute(&Kind, MemoryType, Address) != 0)
    return Known;
  Known.Reach = AddressFacts::Reachable;
  (void)addRange(Address, Known);
  return Known;
}

int CudaRuntime::load(void *&Module, const char *Image,
                      std::string &Log) const {
  char Errors[4096] = "";
  int Options[] = {ErrorLogBuffer, ErrorLogBytes};
  void *Values[] = {Errors, reinterpret_cast<void *>(sizeof(Errors))};
  int Code = ModuleLoadDataEx(&Module, Image, 2, Options, Values);
  Errors[sizeof(Errors) - 1] = '\0';
  Log = Errors;
  return Code;
}

std::unique_ptr<GpuRuntime> kpack::findCuda() {
  LibraryFunctions Find =
      findLibrary("cuLaunchKernel", "libcuda.so", {"libcuda.so.1"});
  if (!Find)
    return nullptr;
  return std::make_unique<CudaRuntime>(GpuFunctions::load(GpuKind::Cuda, Find));
}
