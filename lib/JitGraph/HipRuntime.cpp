//===- HipRuntime.cpp - graphs on GPUs of AMD -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GpuRuntime.h. Functions and structures are declared by hand; they are the
// same from HIP 5 to HIP 7.
//
//===----------------------------------------------------------------------===//
#include "GpuRuntime.h"

#include "KernelPrograms.h"

#include "kpack/JitGraph/GraphError.h"
#include "kpack/Support/HipKernelNode.h"
#include "kpack/Support/RuntimeLibrary.h"

#include <algorithm>
#include <dlfcn.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// Numbers of HIP's interface.
enum : int { HostToDevice = 1, DeviceToHost = 2, NotReady = 600 };
constexpr unsigned NoTiming = 2; // of events

struct HipFunctions {
  int (*GetDevice)(int *);
  int (*SetDevice)(int);
  int (*Malloc)(void **, size_t);
  int (*Free)(void *);
  int (*HostMalloc)(void **, size_t, unsigned);
  int (*HostFree)(void *);
  int (*Memset)(void *, int, size_t);
  int (*Memcpy)(void *, const void *, size_t, int);
  int (*MemcpyAsync)(void *, const void *, size_t, int, void *);
  int (*PointerGetAttributes)(void *, const void *);
  int (*GetLastError)();
  int (*StreamCreate)(void **);
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
                            const HipKernelNode *);
  int (*GraphInstantiate)(void **, void *, void **, char *, size_t);
  int (*GraphExecDestroy)(void *);
  int (*GraphExecKernelNodeSetParams)(void *, void *, const HipKernelNode *);
  int (*GraphLaunch)(void *, void *);
  const char *(*GetErrorName)(int);

  /// The first that \p Library lacks.
  std::string take(void *Library);
};

class HipRuntime final : public GpuRuntime {
public:
  explicit HipRuntime(const HipFunctions &Functions) : F(Functions) {}

  Status check(int Code, const char *What) const override;
  int enter(int Device, void *&Before) const override;
  void leave(void *Before) const override {
    if (Before)
      F.SetDevice(static_cast<int>(reinterpret_cast<intptr_t>(Before)) - 1);
  }
  int currentDevice(int &Device) const override { return F.GetDevice(&Device); }
  Result<std::string> target(int Device) const override;
  bool canRead(const void *Data) const override;

  void *allocate(size_t Bytes) const override {
    void *Memory = nullptr;
    return F.Malloc(&Memory, Bytes) == 0 ? Memory : nullptr;
  }
  void free(void *Memory) const override { F.Free(Memory); }
  void *allocateShared(size_t Bytes) const override {
    void *Memory = nullptr;
    return F.HostMalloc(&Memory, Bytes, 0) == 0 ? Memory : nullptr;
  }
  void freeShared(void *Memory) const override { F.HostFree(Memory); }
  int clear(void *Memory, size_t Bytes) const override {
    return F.Memset(Memory, 0, Bytes);
  }
  int toDevice(void *To, const void *From, size_t Bytes) const override {
    return F.Memcpy(To, From, Bytes, HostToDevice);
  }
  int toHost(void *To, const void *From, size_t Bytes) const override {
    return F.Memcpy(To, From, Bytes, DeviceToHost);
  }
  int toDeviceOn(void *Stream, void *To, const void *From,
                 size_t Bytes) const override {
    return F.MemcpyAsync(To, From, Bytes, HostToDevice, Stream);
  }

  int createStream(void *&Stream) const override {
    return F.StreamCreate(&Stream);
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
    // That is no error of the program.
    if (!Done)
      F.GetLastError();
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
    HipKernelNode Parameters = parametersOf(Node);
    return F.GraphAddKernelNode(&Node.Handle, Graph,
                                Before ? &Before->Handle : nullptr,
                                Before ? 1 : 0, &Parameters);
  }
  int instantiate(void *&Exec, void *Graph) const override {
    return F.GraphInstantiate(&Exec, Graph, nullptr, nullptr, 0);
  }
  void destroyExec(void *Exec) const override { F.GraphExecDestroy(Exec); }
  int setNode(void *Exec, GpuNode &Node) const override {
    HipKernelNode Parameters = parametersOf(Node);
    return F.GraphExecKernelNodeSetParams(Exec, Node.Handle, &Parameters);
  }
  int launchGraph(void *Exec, void *Stream) const override {
    return F.GraphLaunch(Exec, Stream);
  }

private:
  /// Pointer, size, end, in HIP's numbers.
  static void fill(void *(&Extra)[5], void *Arguments, size_t &Bytes) {
    void *All[] = {reinterpret_cast<void *>(1), Arguments,
                   reinterpret_cast<void *>(2), &Bytes,
                   reinterpret_cast<void *>(3)};
    std::copy(std::begin(All), std::end(All), Extra);
  }
  static HipKernelNode parametersOf(GpuNode &Node) {
    Node.Bytes = Node.Arguments.size() * sizeof(uint64_t);
    fill(Node.Extra, Node.Arguments.data(), Node.Bytes);
    return {{Node.Block[0], Node.Block[1], Node.Block[2]},
            Node.Extra,
            Node.Function,
            {Node.Grid[0], Node.Grid[1], Node.Grid[2]},
            nullptr,
            0};
  }

  const HipFunctions F;
};

} // namespace

std::string HipFunctions::take(void *Library) {
  std::string Missing;
  auto Take = [&](auto &To, const char *Name) {
    To = reinterpret_cast<std::remove_reference_t<decltype(To)>>(
        ::dlsym(Library, Name));
    if (!To && Missing.empty())
      Missing = Name;
  };
  Take(GetDevice, "hipGetDevice");
  Take(SetDevice, "hipSetDevice");
  Take(Malloc, "hipMalloc");
  Take(Free, "hipFree");
  Take(HostMalloc, "hipHostMalloc");
  Take(HostFree, "hipHostFree");
  Take(Memset, "hipMemset");
  Take(Memcpy, "hipMemcpy");
  Take(MemcpyAsync, "hipMemcpyAsync");
  Take(PointerGetAttributes, "hipPointerGetAttributes");
  Take(GetLastError, "hipGetLastError");
  Take(StreamCreate, "hipStreamCreate");
  Take(StreamDestroy, "hipStreamDestroy");
  Take(StreamSynchronize, "hipStreamSynchronize");
  Take(StreamWaitEvent, "hipStreamWaitEvent");
  Take(EventCreate, "hipEventCreateWithFlags");
  Take(EventDestroy, "hipEventDestroy");
  Take(EventRecord, "hipEventRecord");
  Take(EventQuery, "hipEventQuery");
  Take(EventSynchronize, "hipEventSynchronize");
  Take(LaunchKernel, "hipModuleLaunchKernel");
  Take(GraphCreate, "hipGraphCreate");
  Take(GraphDestroy, "hipGraphDestroy");
  Take(GraphAddKernelNode, "hipGraphAddKernelNode");
  Take(GraphInstantiate, "hipGraphInstantiate");
  Take(GraphExecDestroy, "hipGraphExecDestroy");
  Take(GraphExecKernelNodeSetParams, "hipGraphExecKernelNodeSetParams");
  Take(GraphLaunch, "hipGraphLaunch");
  Take(GetErrorName, "hipGetErrorName");
  return Missing;
}

Status HipRuntime::check(int Code, const char *What) const {
  if (Code == 0)
    return Status::success();
  const char *Name = F.GetErrorName(Code);
  return graphFailure(GraphErrc::Device,
                      std::string(What) + ": " +
                          (Name ? Name : std::to_string(Code)) +
                          "; AMD_LOG_LEVEL=3 shows what HIP has done",
                      StatusCode::IoError);
}

/// \p Before: the number of the other one, counted from 1.
int HipRuntime::enter(int Device, void *&Before) const {
  int Now = 0;
  Before = nullptr;
  int Code = F.GetDevice(&Now);
  if (Code != 0 || Now == Device)
    return Code;
  Before = reinterpret_cast<void *>(intptr_t{Now} + 1);
  return F.SetDevice(Device);
}

Result<std::string> HipRuntime::target(int Device) const {
  char Target[128];
  if (kpack_jit_status Code =
          kpack_jit_device_target(Device, Target, sizeof(Target)))
    return graphFailure(GraphErrc::Device, compileFailure(Code).message(),
                        StatusCode::IoError);
  return std::string(Target);
}

/// HIP 5 knows nothing of memory of the program's own, HIP 6 has no address for
/// it.
bool HipRuntime::canRead(const void *Data) const {
  struct {
    int Type, Device;
    void *OnDevice;
    char Rest[64];
  } Attributes{};
  if (F.PointerGetAttributes(&Attributes, Data) == 0)
    return Attributes.OnDevice;
  // It is no error of the program.
  F.GetLastError();
  return false;
}

Result<std::shared_ptr<const GpuRuntime>> kpack::jit::findHip() {
  void *Library = findLibrary("hipModuleLaunchKernel", "libamdhip64.so",
                              {"libamdhip64.so.7", "libamdhip64.so.6",
                               "libamdhip64.so.5", "libamdhip64.so"});
  if (!Library)
    return graphFailure(GraphErrc::Device,
                        "HIP: libamdhip64.so is not in this process and cannot "
                        "be loaded; install ROCm or link with it",
                        StatusCode::FileNotFound);
  HipFunctions Functions;
  if (std::string Missing = Functions.take(Library); !Missing.empty())
    return graphFailure(GraphErrc::Device,
                        "HIP: it has no " + Missing +
                            "; ROCm 5.2 and later have it",
                        StatusCode::NotImplemented);
  return std::shared_ptr<const GpuRuntime>(
      std::make_shared<HipRuntime>(Functions));
}
