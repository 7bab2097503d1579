//===- HipRuntime.cpp - kernels on GPUs of AMD ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DeviceRuntime.h. Functions are declared here by hand, nothing is built
// with ROCm's headers. They are the same from HIP 5 to HIP 7 but for the
// properties of a device, whose structure has grown in its middle: of that only
// the target id is wanted, which is found in it by what it looks like.
//
// HIP 5 launches kernels of modules at once also while their stream is captured
// into a graph: there they are made nodes of it here.
//
//===----------------------------------------------------------------------===//
#include "DeviceRuntime.h"

#include "kpack/Support/HipKernelNode.h"
#include "kpack/Support/RuntimeLibrary.h"
#include "kpack/Support/TargetId.h"
#include "kpack/Support/Texts.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

using namespace kpack;
using namespace kpack::jit;

/// Bytes of a device's properties, many more than any version has.
static constexpr size_t PropertiesBytes = 16384;
/// How they begin: the name for people.
static constexpr size_t NameBytes = 256;
/// Numbers of HIP's interface: the first version that captures launches of
/// kernels of modules, what a stream is doing, what becomes of its last nodes.
static constexpr int CapturingVersion = 60000000;
enum : int { IsCapturing = 1, IsCaptureInvalid = 2 };
/// hipErrorStreamCaptureInvalidated.
static constexpr int CaptureIsInvalidError = 901;
enum : unsigned { ReplaceLastNodes = 1 };

namespace {

struct HipFunctions {
  int (*GetDevice)(int *);
  int (*SetDevice)(int);
  int (*GetDeviceCount)(int *);
  int (*GetDeviceProperties)(void *, int);
  int (*DeviceSynchronize)();
  int (*ModuleLoadData)(void **, const void *);
  int (*ModuleGetFunction)(void **, void *, const char *);
  int (*ModuleLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned,
                            unsigned, unsigned, unsigned, void *, void **,
                            void **);
  int (*ModuleUnload)(void *);
  const char *(*GetErrorName)(int);
  // Null: it has none.
  int (*PointerGetAttributes)(void *, const void *);
  int (*MemGetAddressRange)(void **, size_t *, const void *);
  int (*GetLastError)();
  // Null: it need not be done here.
  int (*StreamGetCaptureInfo)(void *, int *, unsigned long long *, void **,
                              void *const **, size_t *);
  int (*StreamUpdateCaptureDependencies)(void *, void **, size_t, unsigned);
  int (*GraphAddKernelNode)(void **, void *, void *const *, size_t,
                            const HipKernelNode *);

  /// False: one lacks that is needed.
  bool find(void *Library);

private:
  void findCapture(void *Library);
};

class HipRuntime final : public DeviceRuntime {
public:
  explicit HipRuntime(HipFunctions Functions) : F(Functions) {}

  Result<int> currentDevice() override;
  Result<std::string> target(int Device) override;
  bool runsOn(std::string_view Built, std::string_view Device) override;
  Result<void *> load(int Device, const char *Image) override;
  Result<void *> function(int Device, void *Module,
                          const char *Symbol) override;
  Status launch(int Device, void *Function, const LaunchShape &Shape,
                const PackedArguments &Arguments) override;
  AddressFacts factsOf(int Device, const void *Address) override;
  void synchronize(int Device) override;
  void unload(int Device, void *Module) override;
  void synchronizeAll();

private:
  /// Adds a node to the graph into which somebody captures the stream. Nothing:
  /// nobody does, or HIP does it by itself.
  std::optional<int> capture(void *Function, const LaunchShape &Shape,
                             const PackedArguments &Arguments) const;

  /// The calling thread's device while this lives.
  class OnDevice {
  public:
    OnDevice(const HipFunctions &F, int Device) : F(F) {
      IsSet = F.GetDevice(&Before) == 0;
      if (IsSet && Before == Device)
        IsSet = false;
      else
        Failure = F.SetDevice(Device);
    }
    ~OnDevice() {
      if (IsSet)
        F.SetDevice(Before);
    }
    OnDevice(const OnDevice &) = delete;
    int failure() const { return Failure; }

  private:
    const HipFunctions &F;
    int Before = 0, Failure = 0;
    bool IsSet;
  };

  Status failure(const char *What, int Device, int Code, Errc Detail) const {
    StatusCode Kind = Detail == Errc::LoadFailed ? StatusCode::InvalidFormat
                                                 : StatusCode::IoError;
    const char *Name = F.GetErrorName(Code);
    return Status(Kind,
                  "device " + std::to_string(Device) + ": " + What + ": " +
                      (Name ? Name : std::to_string(Code)),
                  Detail);
  }

  const HipFunctions F;
  std::mutex Lock;
  std::map<int, std::string> Targets; ///< that are known
};

} // namespace

template <typename T> static bool take(void *Library, const char *Name, T &To) {
  To = reinterpret_cast<T>(::dlsym(Library, Name));
  return To != nullptr;
}

void HipFunctions::findCapture(void *Library) {
  int (*GetVersion)(int *), Version = 0;
  bool CapturesItself = !take(Library, "hipRuntimeGetVersion", GetVersion) ||
                        GetVersion(&Version) != 0 ||
                        Version >= CapturingVersion;
  StreamGetCaptureInfo = nullptr;
  if (!CapturesItself &&
      take(Library, "hipGraphAddKernelNode", GraphAddKernelNode) &&
      take(Library, "hipStreamUpdateCaptureDependencies",
           StreamUpdateCaptureDependencies))
    (void)take(Library, "hipStreamGetCaptureInfo_v2", StreamGetCaptureInfo);
}

bool HipFunctions::find(void *Library) {
  findCapture(Library);
  (void)take(Library, "hipPointerGetAttributes", PointerGetAttributes);
  (void)take(Library, "hipMemGetAddressRange", MemGetAddressRange);
  (void)take(Library, "hipGetLastError", GetLastError);
  return (take(Library, "hipGetDevicePropertiesR0600", GetDeviceProperties) ||
          take(Library, "hipGetDeviceProperties", GetDeviceProperties)) &&
         take(Library, "hipGetDevice", GetDevice) &&
         take(Library, "hipSetDevice", SetDevice) &&
         take(Library, "hipGetDeviceCount", GetDeviceCount) &&
         take(Library, "hipDeviceSynchronize", DeviceSynchronize) &&
         take(Library, "hipModuleLoadData", ModuleLoadData) &&
         take(Library, "hipModuleGetFunction", ModuleGetFunction) &&
         take(Library, "hipModuleLaunchKernel", ModuleLaunchKernel) &&
         take(Library, "hipModuleUnload", ModuleUnload) &&
         take(Library, "hipGetErrorName", GetErrorName);
}

Result<int> HipRuntime::currentDevice() {
  int Count = 0, Device = 0;
  int Code = F.GetDeviceCount(&Count);
  if (Code == 0 && Count > 0)
    Code = F.GetDevice(&Device);
  if (Code != 0 || Count <= 0)
    return Status(StatusCode::IoError,
                  std::string("HIP: it has no device: ") +
                      (Code ? F.GetErrorName(Code) : "none is visible") +
                      "; look at what rocminfo says",
                  Errc::NoDevice);
  return Device;
}

/// The first text of \p Bytes that is a target id.
static std::string targetIn(std::string_view Bytes) {
  for (size_t At = 0; (At = Bytes.find("gfx", At)) != std::string_view::npos;
       ++At) {
    std::string_view Id = Bytes.substr(At, Bytes.find('\0', At) - At);
    if (isValidTargetId(Id))
      return std::string(Id);
  }
  return {};
}

Result<std::string> HipRuntime::target(int Device) {
  std::lock_guard<std::mutex> Held(Lock);
  std::string &Known = Targets[Device];
  if (!Known.empty())
    return Known;
  auto Properties = std::make_unique<char[]>(PropertiesBytes);
  if (int Code = F.GetDeviceProperties(Properties.get(), Device))
    return failure("its properties are unknown", Device, Code, Errc::NoDevice);
  std::string Id =
      targetIn({Properties.get() + NameBytes, PropertiesBytes - NameBytes});
  if (Id.empty())
    return Status(StatusCode::IoError,
                  "device " + std::to_string(Device) +
                      ": HIP does not say its target id; give a target",
                  Errc::NoDevice);
  return Known = std::move(Id);
}

bool HipRuntime::runsOn(std::string_view Built, std::string_view Device) {
  return targetFitness(Built, Device) != 0;
}

Result<void *> HipRuntime::load(int Device, const char *Image) {
  OnDevice Current(F, Device);
  void *Module = nullptr;
  int Code = Current.failure();
  if (Code != 0)
    return failure("it cannot be used", Device, Code, Errc::NoDevice);
  Code = F.ModuleLoadData(&Module, Image);
  if (Code != 0)
    return failure("the code object is not loaded", Device, Code,
                   Errc::LoadFailed);
  return Module;
}

Result<void *> HipRuntime::function(int Device, void *Module,
                                    const char *Symbol) {
  OnDevice Current(F, Device);
  void *Function = nullptr;
  if (int Code = F.ModuleGetFunction(&Function, Module, Symbol))
    return failure("the code object has no such kernel", Device, Code,
                   Errc::LoadFailed);
  return Function;
}

std::optional<int> HipRuntime::capture(void *Function, const LaunchShape &Shape,
                                       const PackedArguments &Arguments) const {
  int State = 0;
  unsigned long long Id = 0;
  void *Graph = nullptr, *Node = nullptr;
  void *const *Last = nullptr;
  size_t Count = 0;
  if (!F.StreamGetCaptureInfo || !Shape.Stream)
    return std::nullopt;
  if (F.StreamGetCaptureInfo(Shape.Stream, &State, &Id, &Graph, &Last,
                             &Count) != 0) {
    // A launch says whether the stream is one; HIP has noted this error, too.
    if (F.GetLastError)
      (void)F.GetLastError();
    return std::nullopt;
  }
  if (State == IsCaptureInvalid)
    return CaptureIsInvalidError;
  if (State != IsCapturing)
    return std::nullopt;
  const auto &G = Shape.Grid, &B = Shape.Block;
  // HIP copies the arguments, whose sizes the code object says.
  HipKernelNode Parameters{{B[0], B[1], B[2]}, nullptr,
                           Function,           {G[0], G[1], G[2]},
                           Arguments.Each,     Shape.DynamicShared};
  int Code = F.GraphAddKernelNode(&Node, Graph, Last, Count, &Parameters);
  return Code != 0 ? Code
                   : F.StreamUpdateCaptureDependencies(Shape.Stream, &Node, 1,
                                                       ReplaceLastNodes);
}

Status HipRuntime::launch(int Device, void *Function, const LaunchShape &Shape,
                          const PackedArguments &Arguments) {
  OnDevice Current(F, Device);
  // HIP's names for what follows: pointer, size, end.
  size_t Bytes = Arguments.BlockBytes;
  void *Extra[] = {reinterpret_cast<void *>(1), Arguments.Block,
                   reinterpret_cast<void *>(2), &Bytes,
                   reinterpret_cast<void *>(3)};
  const auto &G = Shape.Grid, &B = Shape.Block;
  int Code = Current.failure();
  std::optional<int> Captured;
  if (Code == 0)
    Captured = capture(Function, Shape, Arguments);
  if (Captured)
    Code = *Captured;
  else if (Code == 0)
    Code =
        F.ModuleLaunchKernel(Function, G[0], G[1], G[2], B[0], B[1], B[2],
                             Shape.DynamicShared, Shape.Stream, nullptr, Extra);
  return Code == 0 ? Status::success()
                   : failure("the kernel is not launched", Device, Code,
                             Errc::LaunchFailed);
}

/// How the answer begins is the same in all versions: what kind of memory it
/// is, whose numbers are not, and a device; then the device's address of it,
/// which memory of the host does not have, error or none.
AddressFacts HipRuntime::factsOf(int Device, const void *Address) {
  AddressFacts Known;
  Result<std::string> Target = target(Device);
  if (!F.PointerGetAttributes || !F.MemGetAddressRange || !F.GetLastError ||
      !Target || Target->find(":xnack+") != std::string::npos)
    return Known;
  OnDevice Current(F, Device);
  struct {
    int Kind, Device;
    void *OfDevice;
    char Rest[256];
  } Answer = {};
  int Code = F.PointerGetAttributes(&Answer, Address);
  Known.Reach = Code == 0 && Answer.OfDevice ? AddressFacts::Reachable
                                             : AddressFacts::Foreign;
  void *Start = nullptr;
  size_t Bytes = 0;
  if (Known.Reach == AddressFacts::Reachable)
    Code = F.MemGetAddressRange(&Start, &Bytes, Address);
  if (Code != 0)
    (void)F.GetLastError(); // no error of the program's
  else if (Start)
    Known.Start = reinterpret_cast<uintptr_t>(Start), Known.Bytes = Bytes;
  return Known;
}

void HipRuntime::synchronize(int Device) {
  OnDevice Current(F, Device);
  if (Current.failure() == 0)
    (void)F.DeviceSynchronize();
}

void HipRuntime::unload(int Device, void *Module) {
  OnDevice Current(F, Device);
  if (Current.failure() == 0)
    (void)F.ModuleUnload(Module);
}

void HipRuntime::synchronizeAll() {
  int Count = 0;
  if (F.GetDeviceCount(&Count) == 0)
    for (int Device = 0; Device < Count; ++Device)
      synchronize(Device);
}

static constexpr char LibraryStem[] = "libamdhip64.so";

static std::vector<std::string> libraryNames() {
  std::vector<std::string> Names = {"libamdhip64.so.7", "libamdhip64.so.6",
                                    "libamdhip64.so.5"};
  for (const std::string &Rocm :
       {variable("ROCM_PATH"), std::string("/opt/rocm")})
    if (!Rocm.empty() && Rocm[0] == '/')
      Names.push_back(Rocm + "/lib/" + LibraryStem);
  return Names;
}

/// Null: there is none yet; a program may load it later.
static HipRuntime *findHip() {
  static std::mutex Lock;
  static HipRuntime *Found = nullptr;
  std::lock_guard<std::mutex> Held(Lock);
  if (Found)
    return Found;
  HipFunctions Functions;
  void *Library =
      findLibrary("hipModuleLaunchKernel", LibraryStem, libraryNames());
  if (Library && Functions.find(Library))
    Found = new HipRuntime(Functions); // never destroyed
  return Found;
}

static Status noHip() {
  return Status(StatusCode::IoError,
                "HIP: libamdhip64.so is neither loaded nor found; install "
                "ROCm's runtime",
                Errc::NoDevice);
}

Result<DeviceRuntime *> jit::hipRuntime() {
  HipRuntime *Found = findHip();
  if (!Found)
    return noHip();
  return Found;
}

Status jit::exposeHip() {
  if (!findHip())
    return noHip();
  // Not asked first whether a function is visible: a library in front of HIP,
  // libkpack_hip.so for example, has some of them.
  if (std::string Mapped = mappedLibrary(LibraryStem); !Mapped.empty())
    if (::dlopen(Mapped.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL))
      return Status::success();
  bool IsVisible = ::dlsym(RTLD_DEFAULT, "__hipPopCallConfiguration");
  (void)::dlerror();
  return IsVisible ? Status::success() : noHip();
}

void jit::synchronizeHip() {
  if (HipRuntime *Found = findHip())
    Found->synchronizeAll();
}
