//===- CudaRuntime.cpp - kernels on GPUs of NVIDIA ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DeviceRuntime.h. CUDA's driver compiles PTX for the GPU that there is.
// It works in contexts; a device's primary one, which CUDA's runtime uses, too,
// is pushed for a call and popped behind it. Functions are declared by hand,
// under the names that the library has for them, numbers and all.
//
//===----------------------------------------------------------------------===//
#include "DeviceRuntime.h"

#include "kpack/Support/RuntimeLibrary.h"
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>

using namespace kpack;
using namespace kpack::jit;

/// Of CUdevice_attribute.
static constexpr int ComputeMajor = 75, ComputeMinor = 76, AnyMemory = 88;
/// Of CUpointer_attribute.
static constexpr int MemoryType = 2;
/// Of CUjit_option.
static constexpr int ErrorLogBuffer = 5, ErrorLogBytes = 6;

namespace {

struct CudaFunctions {
  int (*Init)(unsigned);
  int (*DeviceGetCount)(int *);
  int (*DeviceGet)(int *, int);
  int (*DeviceGetAttribute)(int *, int, int);
  int (*CtxGetDevice)(int *);
  int (*CtxPush)(void *);
  int (*CtxPop)(void **);
  int (*CtxSynchronize)();
  int (*PrimaryCtxRetain)(void **, int);
  int (*ModuleLoadDataEx)(void **, const void *, unsigned, int *, void **);
  int (*ModuleGetFunction)(void **, void *, const char *);
  int (*ModuleUnload)(void *);
  int (*LaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                      unsigned, unsigned, void *, void **, void **);
  int (*GetErrorName)(int, const char **);
  // Null: it has none.
  int (*PointerGetAttribute)(void *, int, const void *);
  int (*MemGetAddressRange)(void **, size_t *, const void *);

  /// False: one lacks that is needed.
  bool find(void *Library);
};

class CudaRuntime final : public DeviceRuntime {
public:
  CudaRuntime(CudaFunctions Functions, int InitCode)
      : F(Functions), InitCode(InitCode) {}

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

private:
  /// The primary context of a device, current while this lives.
  class InContext {
  public:
    InContext(CudaRuntime &Of, int Device) : F(Of.F) {
      void *Context = nullptr;
      Failure = Of.context(Device, Context);
      if (Failure == 0)
        Failure = F.CtxPush(Context);
    }
    ~InContext() {
      void *Ignored;
      if (Failure == 0)
        F.CtxPop(&Ignored);
    }
    InContext(const InContext &) = delete;
    int failure() const { return Failure; }

  private:
    const CudaFunctions &F;
    int Failure;
  };

  int context(int Device, void *&Context);
  std::string name(int Code) const {
    const char *Name = nullptr;
    F.GetErrorName(Code, &Name);
    return Name ? Name : std::to_string(Code);
  }
  Status failure(const std::string &What, int Device, int Code, StatusCode Kind,
                 Errc Detail) const {
    return Status(Kind,
                  "device " + std::to_string(Device) + ": " + What + ": " +
                      name(Code),
                  Detail);
  }
  Status noDevice(int Device, int Code) const {
    return failure("it cannot be used", Device, Code, StatusCode::IoError,
                   Errc::NoDevice);
  }

  const CudaFunctions F;
  const int InitCode;
  std::mutex Lock;
  std::map<int, void *> Contexts; ///< retained for ever
};

} // namespace

template <typename T> static bool take(void *Library, const char *Name, T &To) {
  To = reinterpret_cast<T>(::dlsym(Library, Name));
  return To != nullptr;
}

bool CudaFunctions::find(void *Library) {
  (void)take(Library, "cuPointerGetAttribute", PointerGetAttribute);
  (void)take(Library, "cuMemGetAddressRange_v2", MemGetAddressRange);
  return take(Library, "cuInit", Init) &&
         take(Library, "cuDeviceGetCount", DeviceGetCount) &&
         take(Library, "cuDeviceGet", DeviceGet) &&
         take(Library, "cuDeviceGetAttribute", DeviceGetAttribute) &&
         take(Library, "cuCtxGetDevice", CtxGetDevice) &&
         take(Library, "cuCtxPushCurrent_v2", CtxPush) &&
         take(Library, "cuCtxPopCurrent_v2", CtxPop) &&
         take(Library, "cuCtxSynchronize", CtxSynchronize) &&
         take(Library, "cuDevicePrimaryCtxRetain", PrimaryCtxRetain) &&
         take(Library, "cuModuleLoadDataEx", ModuleLoadDataEx) &&
         take(Library, "cuModuleGetFunction", ModuleGetFunction) &&
         take(Library, "cuModuleUnload", ModuleUnload) &&
         take(Library, "cuLaunchKernel", LaunchKernel) &&
         take(Library, "cuGetErrorName", GetErrorName);
}

int CudaRuntime::context(int Device, void *&Context) {
  std::lock_guard<std::mutex> Held(Lock);
  void *&Known = Contexts[Device];
  int Handle = 0, Code = InitCode;
  if (!Known && Code == 0)
    Code = F.DeviceGet(&Handle, Device);
  if (!Known && Code == 0)
    Code = F.PrimaryCtxRetain(&Known, Handle);
  Context = Known;
  return Known ? 0 : Code;
}

/// A thread without a context uses the first device, as with CUDA's runtime.
Result<int> CudaRuntime::currentDevice() {
  int Count = 0, Handle = 0, Code = InitCode;
  if (Code == 0)
    Code = F.DeviceGetCount(&Count);
  if (Code != 0 || Count <= 0)
    return Status(
        StatusCode::IoError,
        "CUDA: it has no device: " + (Code ? name(Code) : "none is visible") +
            "; look at what nvidia-smi says",
        Errc::NoDevice);
  if (F.CtxGetDevice(&Handle) != 0)
    return 0;
  for (int Device = 0, Other; Device < Count; ++Device)
    if (F.DeviceGet(&Other, Device) == 0 && Other == Handle)
      return Device;
  return 0;
}

Result<std::string> CudaRuntime::target(int Device) {
  int Handle = 0, Major = 0, Minor = 0, Code = InitCode;
  if (Code == 0)
    Code = F.DeviceGet(&Handle, Device);
  if (Code == 0)
    Code = F.DeviceGetAttribute(&Major, ComputeMajor, Handle);
  if (Code == 0)
    Code = F.DeviceGetAttribute(&Minor, ComputeMinor, Handle);
  if (Code != 0)
    return noDevice(Device, Code);
  return "sm_" + std::to_string(Major * 10 + Minor);
}

/// PTX runs on what is not older; with a letter behind it, on that one alone.
bool CudaRuntime::runsOn(std::string_view Built, std::string_view Device) {
  if (Built.empty() || Built.back() < '0' || Built.back() > '9')
    return Built.substr(0, Built.size() - 1) == Device;
  auto Number = [](std::string_view Target) {
    return std::atoi(std::string(Target.substr(3)).c_str());
  };
  return Built.size() > 3 && Number(Built) <= Number(Device);
}

Result<void *> CudaRuntime::load(int Device, const char *Image) {
  InContext Current(*this, Device);
  if (int Code = Current.failure())
    return noDevice(Device, Code);
  char Log[4096] = "";
  int Options[] = {ErrorLogBuffer, ErrorLogBytes};
  void *Values[] = {Log, reinterpret_cast<void *>(sizeof(Log))};
  void *Module = nullptr;
  int Code = F.ModuleLoadDataEx(&Module, Image, 2, Options, Values);
  Log[sizeof(Log) - 1] = '\0';
  if (Code != 0)
    return failure("the PTX is not loaded" +
                       (*Log ? ": " + std::string(Log) : std::string()),
                   Device, Code, StatusCode::InvalidFormat, Errc::LoadFailed);
  return Module;
}

Result<void *> CudaRuntime::function(int Device, void *Module,
                                     const char *Symbol) {
  InContext Current(*this, Device);
  void *Function = nullptr;
  int Code = Current.failure();
  if (Code == 0)
    Code = F.ModuleGetFunction(&Function, Module, Symbol);
  if (Code != 0)
    return failure("the PTX has no such kernel", Device, Code,
                   StatusCode::InvalidFormat, Errc::LoadFailed);
  return Function;
}

Status CudaRuntime::launch(int Device, void *Function, const LaunchShape &Shape,
                           const PackedArguments &Arguments) {
  InContext Current(*this, Device);
  const auto &G = Shape.Grid, &B = Shape.Block;
  int Code = Current.failure();
  if (Code == 0)
    Code = F.LaunchKernel(Function, G[0], G[1], G[2], B[0], B[1], B[2],
                          Shape.DynamicShared, Shape.Stream, Arguments.Each,
                          nullptr);
  return Code == 0 ? Status::success()
                   : failure("the kernel is not launched", Device, Code,
                             StatusCode::IoError, Errc::LaunchFailed);
}

AddressFacts CudaRuntime::factsOf(int Device, const void *Address) {
  AddressFacts Known;
  InContext Current(*this, Device);
  int Handle = 0, Any = 0;
  if (!F.PointerGetAttribute || !F.MemGetAddressRange ||
      Current.failure() != 0 || F.DeviceGet(&Handle, Device) != 0 ||
      F.DeviceGetAttribute(&Any, AnyMemory, Handle) != 0 || Any)
    return Known;
  unsigned Kind = 0;
  Known.Reach = F.PointerGetAttribute(&Kind, MemoryType, Address) == 0
                    ? AddressFacts::Reachable
                    : AddressFacts::Foreign;
  void *Start = nullptr;
  size_t Bytes = 0;
  if (Known.Reach == AddressFacts::Reachable &&
      F.MemGetAddressRange(&Start, &Bytes, Address) == 0)
    Known.Start = reinterpret_cast<uintptr_t>(Start), Known.Bytes = Bytes;
  return Known;
}

void CudaRuntime::synchronize(int Device) {
  InContext Current(*this, Device);
  if (Current.failure() == 0)
    (void)F.CtxSynchronize();
}

void CudaRuntime::unload(int Device, void *Module) {
  InContext Current(*this, Device);
  if (Current.failure() == 0)
    (void)F.ModuleUnload(Module);
}

/// Null: there is none yet.
static CudaRuntime *findCuda() {
  static std::mutex Lock;
  static CudaRuntime *Found = nullptr;
  std::lock_guard<std::mutex> Held(Lock);
  if (Found)
    return Found;
  CudaFunctions Functions;
  void *Library = findLibrary("cuLaunchKernel", "libcuda.so", {"libcuda.so.1"});
  if (Library && Functions.find(Library))
    Found = new CudaRuntime(Functions, Functions.Init(0)); // never destroyed
  return Found;
}

Result<DeviceRuntime *> jit::cudaRuntime() {
  CudaRuntime *Found = findCuda();
  if (!Found)
    return Status(StatusCode::IoError,
                  "CUDA: libcuda.so.1 is neither loaded nor found; install "
                  "NVIDIA's driver",
                  Errc::NoDevice);
  return Found;
}

Result<DeviceRuntime *> jit::runtimeFor(std::string_view Target) {
  return Target.substr(0, 3) == "sm_" ? cudaRuntime() : hipRuntime();
}

static Result<std::string> targetBy(Result<DeviceRuntime *> Runtime,
                                    int Device) {
  if (!Runtime)
    return Runtime.status();
  Result<int> Current = (*Runtime)->currentDevice();
  if (!Current)
    return Current.status();
  return (*Runtime)->target(Device < 0 ? *Current : Device);
}

Result<std::string> jit::deviceTarget(int Device) {
  Result<std::string> Hip = targetBy(hipRuntime(), Device);
  if (Hip)
    return Hip;
  Result<std::string> Cuda = targetBy(cudaRuntime(), Device);
  return Cuda ? Cuda : Hip;
}
