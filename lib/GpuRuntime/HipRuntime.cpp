//===- HipRuntime.cpp - GpuRuntime on HIP's runtime -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structure of a device's properties has grown in its middle from HIP 5 to
// HIP 7. Only the target id is needed; it is recognized by its form.
//
// HIP 5 launches kernels of modules at once even while their stream is captured
// into a graph. This file adds graph nodes for them.
//
//===----------------------------------------------------------------------===//
#include "RuntimeLibrary.h"

#include "GpuRuntime/GpuRuntime.h"
#include "Support/Texts.h"
#include "kpack/Support/TargetId.h"

#include <dlfcn.h>
#include <map>
#include <mutex>
#include <optional>

using namespace kpack;

/// Size of a buffer for a device's properties, much larger than in any version.
static constexpr size_t PropertiesBytes = 16384;
/// Size of their first field, the display name.
static constexpr size_t NameBytes = 256;
/// Constants of HIP's API: the first version that captures launches of kernels
/// of modules, the states of a capture, and the mode for its last nodes.
static constexpr int CapturingVersion = 60000000;
enum : int { IsCapturing = 1, IsCaptureInvalid = 2 };
/// hipErrorStreamCaptureInvalidated.
static constexpr int CaptureIsInvalidError = 901;
enum : unsigned { ReplaceLastNodes = 1 };
/// hipMemcpyKind.
enum : int { HostToDevice = 1, DeviceToHost = 2 };
/// HIP_LAUNCH_PARAM_END.
static void *const EndOfExtra = reinterpret_cast<void *>(3);

static constexpr char LibraryStem[] = "libamdhip64.so";

/// Returns the first target id in \p Bytes.
static std::string targetIn(std::string_view Bytes) {
  for (size_t Offset = 0;
       (Offset = Bytes.find("gfx", Offset)) != std::string_view::npos;
       ++Offset) {
    std::string_view Id =
        Bytes.substr(Offset, Bytes.find('\0', Offset) - Offset);
    if (isValidTargetId(Id))
      return std::string(Id);
  }
  return {};
}

namespace {

class HipRuntime final : public GpuRuntime {
public:
  using GpuRuntime::GpuRuntime;

  int initialize(unsigned Users) override;
  std::string errorName(int Code) const override {
    const char *Name = HipErrorName(Code);
    return Name ? Name : std::to_string(Code);
  }
  int enter(int Device, void *&Before) const override;
  void leave(void *Before) const override {
    if (Before)
      SetDevice(static_cast<int>(reinterpret_cast<intptr_t>(Before)) - 1);
  }
  int currentDevice(int &Device) const override { return GetDevice(&Device); }
  int target(int Device, std::string &Target) const override;
  AddressFacts factsOf(int Device, const void *Address) const override;
  bool canRead(const void *Data) const override;

  int load(void *&Module, const char *Image, std::string &) const override {
    return ModuleLoadData(&Module, Image);
  }
  int launch(const GpuLaunch &Launch) const override {
    std::optional<int> Captured = capture(Launch);
    return Captured ? *Captured : launchPacked(Launch, EndOfExtra);
  }
  int allocateShared(void *&Memory, size_t Bytes) const override {
    return MemHostAlloc(&Memory, Bytes, 0);
  }
  int clear(void *Memory, size_t Bytes) const override {
    return Memset(Memory, 0, Bytes);
  }
  int toDevice(void *Target, const void *Source, size_t Bytes) const override {
    return Memcpy(Target, Source, Bytes, HostToDevice);
  }
  int toHost(void *Target, const void *Source, size_t Bytes) const override {
    return Memcpy(Target, Source, Bytes, DeviceToHost);
  }
  int toDeviceOn(void *Stream, void *Target, const void *Source,
                 size_t Bytes) const override {
    return MemcpyAsync(Target, Source, Bytes, HostToDevice, Stream);
  }
  int createStream(void *&Stream) const override {
    return StreamCreate(&Stream);
  }
  int instantiate(void *&Exec, void *Graph) const override {
    return GraphInstantiate(&Exec, Graph, nullptr, nullptr, 0);
  }

protected:
  GpuNodeParameters getParameters(GpuNode &Node) const override {
    const auto &G = Node.Grid, &B = Node.Block;
    Node.Bytes = Node.Arguments.size() * sizeof(uint64_t);
    fill(Node.Extra, Node.Arguments.data(), Node.Bytes, EndOfExtra);
    GpuNodeParameters Parameters;
    Parameters.Hip = {{B[0], B[1], B[2]}, Node.Extra, Node.Function,
                      {G[0], G[1], G[2]}, nullptr,    0};
    return Parameters;
  }

private:
  /// Adds a node to the graph into which the stream is captured. Returns
  /// nullopt if the stream is not captured, or HIP adds the node itself.
  std::optional<int> capture(const GpuLaunch &Launch) const;

  bool Captures = false; ///< we add nodes to captured graphs
  mutable std::mutex Lock;
  mutable std::map<int, std::string> Targets; ///< known ones
};

} // namespace

int HipRuntime::initialize(unsigned Users) {
  int Version = 0;
  Captures = (Users & ForModules) && RuntimeGetVersion &&
             RuntimeGetVersion(&Version) == 0 && Version < CapturingVersion &&
             GraphAddKernelNode && StreamUpdateCaptureDependencies &&
             StreamGetCaptureInfo;
  return 0;
}

/// \p Before receives the previous device plus 1; null if it does not change.
int HipRuntime::enter(int Device, void *&Before) const {
  int Now = 0;
  Before = nullptr;
  int Code = GetDevice(&Now);
  if (Code != 0 || Now == Device)
    return Code;
  Before = reinterpret_cast<void *>(intptr_t{Now} + 1);
  return SetDevice(Device);
}

int HipRuntime::target(int Device, std::string &Target) const {
  Target.clear();
  if (!GetDeviceProperties)
    return 0;
  {
    std::lock_guard<std::mutex> Held(Lock);
    if (auto Known = Targets.find(Device); Known != Targets.end()) {
      Target = Known->second;
      return 0;
    }
  }
  // Call without the lock: this may take long, and tools that watch HIP may
  // call back.
  auto Properties = std::make_unique<char[]>(PropertiesBytes);
  if (int Code = GetDeviceProperties(Properties.get(), Device))
    return Code;
  Target =
      targetIn({Properties.get() + NameBytes, PropertiesBytes - NameBytes});
  std::lock_guard<std::mutex> Held(Lock);
  if (!Target.empty())
    Targets[Device] = Target;
  return 0;
}

/// The start of the answer is the same in all versions: the kind of memory,
/// whose numbers differ, and a device; then the address on the device. Host
/// memory has none; whether the call fails for it depends on the version.
bool HipRuntime::canRead(const void *Data) const {
  struct {
    int Kind, Device;
    void *OfDevice;
    char Rest[256];
  } Answer = {};
  if (PointerGetAttributes(&Answer, Data) == 0)
    return Answer.OfDevice;
  (void)GetLastError(); // not an error of the program
  return false;
}

AddressFacts HipRuntime::factsOf(int Device, const void *Address) const {
  AddressFacts Known;
  std::string Target;
  // With xnack, pages migrate to the device when a kernel touches them.
  if (!PointerGetAttributes || !MemGetAddressRange || !GetLastError ||
      target(Device, Target) != 0 || Target.empty() ||
      Target.find(":xnack+") != std::string::npos)
    return Known;
  OnDevice Current(*this, Device);
  Known.Reach = AddressFacts::Foreign;
  if (!canRead(Address))
    return Known;
  Known.Reach = AddressFacts::Reachable;
  if (addRange(Address, Known) != 0)
    (void)GetLastError();
  return Known;
}

std::optional<int> HipRuntime::capture(const GpuLaunch &L) const {
  int State = 0;
  unsigned long long Id = 0;
  void *Graph = nullptr, *Node = nullptr;
  void *const *Last = nullptr;
  size_t Count = 0;
  if (!Captures || !L.Stream || !L.Each)
    return std::nullopt;
  if (StreamGetCaptureInfo(L.Stream, &State, &Id, &Graph, &Last, &Count) != 0) {
    // The launch itself reports a bad stream; clear HIP's record of this error.
    if (GetLastError)
      (void)GetLastError();
    return std::nullopt;
  }
  if (State == IsCaptureInvalid)
    return CaptureIsInvalidError;
  if (State != IsCapturing)
    return std::nullopt;
  // HIP copies the arguments; the code object has their sizes.
  GpuNodeParameters Parameters;
  Parameters.Hip = {
      {L.Block[0], L.Block[1], L.Block[2]}, nullptr, L.Function,
      {L.Grid[0], L.Grid[1], L.Grid[2]},    L.Each,  L.DynamicShared};
  int Code = GraphAddKernelNode(&Node, Graph, Last, Count, &Parameters);
  return Code != 0 ? Code
                   : StreamUpdateCaptureDependencies(L.Stream, &Node, 1,
                                                     ReplaceLastNodes);
}

std::unique_ptr<GpuRuntime> kpack::findHip() {
  std::vector<std::string> Names = {"libamdhip64.so.7", "libamdhip64.so.6",
                                    "libamdhip64.so.5"};
  for (const std::string &Rocm :
       {variable("ROCM_PATH"), std::string("/opt/rocm")})
    if (!Rocm.empty() && Rocm[0] == '/')
      Names.push_back(Rocm + "/lib/" + LibraryStem);
  Names.push_back(LibraryStem);
  LibraryFunctions Find =
      findLibrary("hipModuleLaunchKernel", LibraryStem, Names);
  if (!Find)
    return nullptr;
  return std::make_unique<HipRuntime>(GpuFunctions::load(GpuKind::Hip, Find));
}

bool kpack::exposeHip() {
  // Do not check first whether a function is visible: a library before HIP,
  // such as libkpack_hip.so, defines some of them.
  if (std::string Mapped = mappedLibrary(LibraryStem); !Mapped.empty())
    if (::dlopen(Mapped.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL))
      return true;
  (void)::dlerror();
  return programFunctions()("__hipPopCallConfiguration");
}
