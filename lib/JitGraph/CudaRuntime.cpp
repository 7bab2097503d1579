//===- CudaRuntime.cpp - graphs on GPUs of NVIDIA -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GpuRuntime.h. CUDA's driver works in contexts: a device's primary one,
// which CUDA's own runtime and libkpack_jit use, too, is pushed for a call and
// popped behind it. Functions and structures are declared by hand, under the
// names that the library has for them, numbers and all.
//
//===----------------------------------------------------------------------===//
#include "GpuRuntime.h"

#include "kpack/JitGraph/GraphError.h"
#include "kpack/Support/RuntimeLibrary.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

using CuAddress = unsigned long long;

/// CUDA_KERNEL_NODE_PARAMS.
struct CuKernelNode {
  void *Function;
  unsigned Grid[3], Block[3], DynamicShared;
  void **Arguments, **Extra;
};

/// Numbers of the driver's interface.
enum : int {
  ComputeMajor = 75, // CUdevice_attribute
  ComputeMinor = 76,
  DevicePointer = 3,   // CUpointer_attribute
  InvalidDevice = 101, // CUresult
  NotReady = 600,
};
constexpr unsigned NoTiming = 2; // CU_EVENT_...
constexpr unsigned Portable = 1; // CU_MEMHOSTALLOC_...

struct CudaFunctions {
  int (*Init)(unsigned);
  int (*DeviceGet)(int *, int);
  int (*DeviceGetCount)(int *);
  int (*DeviceGetAttribute)(int *, int, int);
  int (*CtxGetCurrent)(void **);
  int (*CtxGetDevice)(int *);
  int (*CtxPush)(void *);
  int (*CtxPop)(void **);
  int (*PrimaryCtxRetain)(void **, int);
  int (*GetErrorName)(int, const char **);
  int (*PointerGetAttribute)(void *, int, CuAddress);
  int (*MemAlloc)(CuAddress *, size_t);
  int (*MemFree)(CuAddress);
  int (*MemHostAlloc)(void **, size_t, unsigned);
  int (*MemFreeHost)(void *);
  int (*MemsetD8)(CuAddress, unsigned char, size_t);
  int (*MemcpyHtoD)(CuAddress, const void *, size_t);
  int (*MemcpyDtoH)(void *, CuAddress, size_t);
  int (*MemcpyHtoDAsync)(CuAddress, const void *, size_t, void *);
  int (*StreamCreate)(void **, unsigned);
  int (*StreamDestroy)(void *);
  int (*StreamSynchronize)(void *);
  int (*StreamWaitEvent)(void *, void *, unsigned);
  int (*EventCreate)(void **, unsigned);
  int (*EventDestroy)(void *);
  int (*EventRecord)(void *, void *);
  int (*EventQuery)(void *);
  int (*EventSynchronize)(void *);
  int (*LaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                      unsigned, unsigned, void *, void **, void **);
  int (*GraphCreate)(void **, unsigned);
  int (*GraphDestroy)(void *);
  int (*GraphAddKernelNode)(void **, void *, void *const *, size_t,
                            const CuKernelNode *);
  int (*GraphInstantiate)(void **, void *, unsigned long long);
  int (*GraphExecDestroy)(void *);
  int (*GraphExecKernelNodeSetParams)(void *, void *, const CuKernelNode *);
  int (*GraphLaunch)(void *, void *);

  /// The first that \p Library lacks.
  std::string take(void *Library);
};

class CudaRuntime final : public GpuRuntime {
public:
  explicit CudaRuntime(const CudaFunctions &Functions) : F(Functions) {}

  Status check(int Code, const char *What) const override;
  int enter(int Device, void *&Before) const override;
  void leave(void *) const override {
    void *Ignored;
    F.CtxPop(&Ignored);
  }
  int currentDevice(int &Device) const override;
  Result<std::string> target(int Device) const override;
  bool canRead(const void *Data) const override {
    CuAddress OnDevice = 0;
    return F.PointerGetAttribute(&OnDevice, DevicePointer, address(Data)) ==
               0 &&
           OnDevice;
  }

  void *allocate(size_t Bytes) const override {
    CuAddress Memory = 0;
    return F.MemAlloc(&Memory, Bytes) == 0 ? reinterpret_cast<void *>(Memory)
                                           : nullptr;
  }
  void free(void *Memory) const override { F.MemFree(address(Memory)); }
  void *allocateShared(size_t Bytes) const override {
    void *Memory = nullptr;
    return F.MemHostAlloc(&Memory, Bytes, Portable) == 0 ? Memory : nullptr;
  }
  void freeShared(void *Memory) const override { F.MemFreeHost(Memory); }
  /// On the stream that all others wait for; it returns before it is done.
  int clear(void *Memory, size_t Bytes) const override {
    int Code = F.MemsetD8(address(Memory), 0, Bytes);
    return Code == 0 ? F.StreamSynchronize(nullptr) : Code;
  }
  int toDevice(void *To, const void *From, size_t Bytes) const override {
    return F.MemcpyHtoD(address(To), From, Bytes);
  }
  int toHost(void *To, const void *From, size_t Bytes) const override {
    return F.MemcpyDtoH(To, address(From), Bytes);
  }
  int toDeviceOn(void *Stream, void *To, const void *From,
                 size_t Bytes) const override {
    return F.MemcpyHtoDAsync(address(To), From, Bytes, Stream);
  }

  int createStream(void *&Stream) const override {
    return F.StreamCreate(&Stream, 0);
  }
  void destroyStream(void *Stream) const override { F.StreamDestroy(Stream); }
  int waitForStream(void *Stream) const override {
    return F.StreamSynchronize(Stream);
  }
  int createEvent(void *&Event) const override {
    return F.EventCreate(&Event, NoTiming);
  }
  void destroyEvent(void *Event) const override { F.EventDestroy(Event); }
  int record(void *Event, void *Stream) const override {
    return F.EventRecord(Event, Stream);
  }
  int streamWaits(void *Stream, void *Event) const override {
    return F.StreamWaitEvent(Stream, Event, 0);
  }
  int waitForEvent(void *Event) const override {
    return F.EventSynchronize(Event);
  }
  int isDone(void *Event, bool &Done) const override {
    int Code = F.EventQuery(Event);
    Done = Code != NotReady;
    return Done ? Code : 0;
  }

  int launch(void *Function, const std::array<uint32_t, 3> &Grid,
             const std::array<uint32_t, 3> &Block,
             std::span<uint64_t> Arguments, void *Stream) const override {
    size_t Bytes = Arguments.size_bytes();
    void *Extra[5];
    fill(Extra, Arguments.data(), Bytes);
    return F.LaunchKernel(Function, Grid[0], Grid[1], Grid[2], Block[0],
                          Block[1], Block[2], 0, Stream, nullptr, Extra);
  }
  int createGraph(void *&Graph) const override {
    return F.GraphCreate(&Graph, 0);
  }
  void destroyGraph(void *Graph) const override { F.GraphDestroy(Graph); }
  int addNode(void *Graph, const GpuNode *Before,
              GpuNode &Node) const override {
    CuKernelNode Parameters = parametersOf(Node);
    return F.GraphAddKernelNode(&Node.Handle, Graph,
                                Before ? &Before->Handle : nullptr,
                                Before ? 1 : 0, &Parameters);
  }
  int instantiate(void *&Exec, void *Graph) const override {
    return F.GraphInstantiate(&Exec, Graph, 0);
  }
  void destroyExec(void *Exec) const override { F.GraphExecDestroy(Exec); }
  int setNode(void *Exec, GpuNode &Node) const override {
    CuKernelNode Parameters = parametersOf(Node);
    return F.GraphExecKernelNodeSetParams(Exec, Node.Handle, &Parameters);
  }
  int launchGraph(void *Exec, void *Stream) const override {
    return F.GraphLaunch(Exec, Stream);
  }

private:
  static CuAddress address(const void *Memory) {
    return reinterpret_cast<CuAddress>(Memory);
  }
  /// Pointer, size, end, in the driver's numbers.
  static void fill(void *(&Extra)[5], void *Arguments, size_t &Bytes) {
    void *All[] = {reinterpret_cast<void *>(1), Arguments,
                   reinterpret_cast<void *>(2), &Bytes, nullptr};
    std::copy(std::begin(All), std::end(All), Extra);
  }
  static CuKernelNode parametersOf(GpuNode &Node) {
    Node.Bytes = Node.Arguments.size() * sizeof(uint64_t);
    fill(Node.Extra, Node.Arguments.data(), Node.Bytes);
    return {Node.Function,
            {Node.Grid[0], Node.Grid[1], Node.Grid[2]},
            {Node.Block[0], Node.Block[1], Node.Block[2]},
            0,
            nullptr,
            Node.Extra};
  }

  const CudaFunctions F;
  mutable std::array<std::atomic<void *>, 64> Contexts{}; ///< of devices
};

} // namespace

std::string CudaFunctions::take(void *Library) {
  std::string Missing;
  auto Take = [&](auto &To, const char *Name) {
    To = reinterpret_cast<std::remove_reference_t<decltype(To)>>(
        ::dlsym(Library, Name));
    if (!To && Missing.empty())
      Missing = Name;
  };
  Take(Init, "cuInit");
  Take(DeviceGet, "cuDeviceGet");
  Take(DeviceGetCount, "cuDeviceGetCount");
  Take(DeviceGetAttribute, "cuDeviceGetAttribute");
  Take(CtxGetCurrent, "cuCtxGetCurrent");
  Take(CtxGetDevice, "cuCtxGetDevice");
  Take(CtxPush, "cuCtxPushCurrent_v2");
  Take(CtxPop, "cuCtxPopCurrent_v2");
  Take(PrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  Take(GetErrorName, "cuGetErrorName");
  Take(PointerGetAttribute, "cuPointerGetAttribute");
  Take(MemAlloc, "cuMemAlloc_v2");
  Take(MemFree, "cuMemFree_v2");
  Take(MemHostAlloc, "cuMemHostAlloc");
  Take(MemFreeHost, "cuMemFreeHost");
  Take(MemsetD8, "cuMemsetD8_v2");
  Take(MemcpyHtoD, "cuMemcpyHtoD_v2");
  Take(MemcpyDtoH, "cuMemcpyDtoH_v2");
  Take(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2");
  Take(StreamCreate, "cuStreamCreate");
  Take(StreamDestroy, "cuStreamDestroy_v2");
  Take(StreamSynchronize, "cuStreamSynchronize");
  Take(StreamWaitEvent, "cuStreamWaitEvent");
  Take(EventCreate, "cuEventCreate");
  Take(EventDestroy, "cuEventDestroy_v2");
  Take(EventRecord, "cuEventRecord");
  Take(EventQuery, "cuEventQuery");
  Take(EventSynchronize, "cuEventSynchronize");
  Take(LaunchKernel, "cuLaunchKernel");
  Take(GraphCreate, "cuGraphCreate");
  Take(GraphDestroy, "cuGraphDestroy");
  Take(GraphAddKernelNode, "cuGraphAddKernelNode");
  Take(GraphInstantiate, "cuGraphInstantiateWithFlags");
  Take(GraphExecDestroy, "cuGraphExecDestroy");
  Take(GraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams");
  Take(GraphLaunch, "cuGraphLaunch");
  return Missing;
}

Status CudaRuntime::check(int Code, const char *What) const {
  if (Code == 0)
    return Status::success();
  const char *Name = nullptr;
  F.GetErrorName(Code, &Name);
  return graphFailure(GraphErrc::Device,
                      std::string(What) + ": " +
                          (Name ? Name : std::to_string(Code)) +
                          "; compute-sanitizer shows what kernels do",
                      StatusCode::IoError);
}

/// Two threads may both retain it, which does no harm.
int CudaRuntime::enter(int Device, void *&) const {
  if (Device < 0 || static_cast<size_t>(Device) >= Contexts.size())
    return InvalidDevice;
  std::atomic<void *> &Known = Contexts[static_cast<size_t>(Device)];
  void *Context = Known.load();
  if (!Context) {
    int Handle = 0;
    if (int Code = F.DeviceGet(&Handle, Device))
      return Code;
    if (int Code = F.PrimaryCtxRetain(&Context, Handle))
      return Code;
    Known = Context;
  }
  return F.CtxPush(Context);
}

/// A thread without a context uses the first device, as with CUDA's runtime.
int CudaRuntime::currentDevice(int &Device) const {
  int Count = 0, Handle = 0;
  void *Context = nullptr;
  Device = 0;
  if (int Code = F.DeviceGetCount(&Count))
    return Code;
  if (F.CtxGetCurrent(&Context) == 0 && Context && F.CtxGetDevice(&Handle) == 0)
    for (int Other; Device < Count; ++Device)
      if (F.DeviceGet(&Other, Device) == 0 && Other == Handle)
        return 0;
  Device = 0;
  return 0;
}

Result<std::string> CudaRuntime::target(int Device) const {
  int Handle = 0, Major = 0, Minor = 0, Code = 0;
  if (Device < 0)
    Code = currentDevice(Device);
  if (Code == 0)
    Code = F.DeviceGet(&Handle, Device);
  if (Code == 0)
    Code = F.DeviceGetAttribute(&Major, ComputeMajor, Handle);
  if (Code == 0)
    Code = F.DeviceGetAttribute(&Minor, ComputeMinor, Handle);
  if (Code != 0)
    return check(Code, ("device " + std::to_string(Device)).c_str());
  return "sm_" + std::to_string(Major * 10 + Minor);
}

Result<std::shared_ptr<const GpuRuntime>> kpack::jit::findCuda() {
  void *Library = findLibrary("cuLaunchKernel", "libcuda.so", {"libcuda.so.1"});
  if (!Library)
    return graphFailure(GraphErrc::Device,
                        "CUDA: libcuda.so.1 is not in this process and cannot "
                        "be loaded; install NVIDIA's driver",
                        StatusCode::FileNotFound);
  CudaFunctions Functions;
  if (std::string Missing = Functions.take(Library); !Missing.empty())
    return graphFailure(GraphErrc::Device,
                        "CUDA: the driver has no " + Missing +
                            "; those of CUDA 11.4 and later have it",
                        StatusCode::NotImplemented);
  auto Found = std::make_shared<CudaRuntime>(Functions);
  if (Status S = Found->check(Functions.Init(0), "CUDA"); !S.ok())
    return S;
  return std::shared_ptr<const GpuRuntime>(std::move(Found));
}
