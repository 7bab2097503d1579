// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a library uses kpack/KernelLibrary.h: a loader that says what "loaded"
// means, archives beside the library, keys "fft/<architecture>/<length>/
// <precision>", and the kernel kept until it has run.
#include "fft.h"
#include "hip_modules.h"

#include "kpack/KernelLibrary.h"
#include "kpack/Support/TargetId.h"

#include <cmath>
#include <dlfcn.h>
#include <type_traits>

namespace {

std::string message(const std::string &What, hipError_t Error) {
  return What + ": " + hipGetErrorString(Error);
}

/// Modules of HIP, each with its one kernel.
struct HipLoader {
  struct Module {
    hipModule_t Handle;
    hipFunction_t Kernel;
  };

  kpack::Result<Module> load(const std::string &Key, const void *Code,
                             std::size_t) {
    Module M;
    if (hipError_t Error = hipModuleLoadData(&M.Handle, Code))
      return kpack::Status(kpack::StatusCode::InvalidFormat,
                           message(Key, Error));
    if (hipError_t Error =
            hipModuleGetFunction(&M.Kernel, M.Handle, "transform")) {
      hipModuleUnload(M.Handle);
      return kpack::Status(kpack::StatusCode::KernelNotFound,
                           message(Key, Error));
    }
    return M;
  }
  void unload(const Module &M) { hipModuleUnload(M.Handle); }
};

using Kernels = kpack::KernelLibrary<HipLoader>;

/// Memory of the device; freed at the end of its life.
class DeviceMemory {
public:
  explicit DeviceMemory(std::size_t Size) { hipMalloc(&Pointer, Size); }
  ~DeviceMemory() { hipFree(Pointer); }
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  void *Pointer = nullptr;
};

/// The folder of this library, with its slash.
std::string ownFolder() {
  Dl_info Here;
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &Here))
    return "";
  std::string Path = Here.dli_fname;
  return Path.substr(0, Path.rfind('/') + 1);
}

class KpackLibrary final : public fft::Library {
public:
  explicit KpackLibrary(std::unique_ptr<Kernels> K) : All(std::move(K)) {}

  bool transform(const std::vector<std::complex<float>> &In, int Length,
                 std::vector<std::complex<float>> &Out,
                 std::string &Error) override {
    return run(In, Length, Out, Error);
  }
  bool transform(const std::vector<std::complex<double>> &In, int Length,
                 std::vector<std::complex<double>> &Out,
                 std::string &Error) override {
    return run(In, Length, Out, Error);
  }

  std::string statistics() const override {
    kpack::KernelLibraryStats S = All->stats();
    return std::to_string(S.Loads) + " loads, " + std::to_string(S.Hits) +
           " hits, " + std::to_string(S.Evictions) + " evictions";
  }

private:
  template <typename Real>
  bool run(const std::vector<std::complex<Real>> &In, int Length,
           std::vector<std::complex<Real>> &Out, std::string &Error) {
    const char *Precision = std::is_same_v<Real, float> ? "single" : "double";
    kpack::Result<Kernels::Kernel> Kernel = All->get(
        kpack::kernelKey("fft", kpack::ArchPlaceholder, Length, Precision));
    if (!Kernel) {
      Error = Kernel.status().message();
      return false;
    }
    std::vector<std::complex<Real>> Roots(Length);
    for (int I = 0; I != Length; ++I)
      Roots[I] = std::polar(Real(1), Real(-2 * M_PI * I / Length));

    const std::size_t Size = In.size() * sizeof(In[0]);
    const std::size_t RootSize = Length * sizeof(In[0]);
    DeviceMemory From(Size), To(Size), DeviceRoots(RootSize);
    hipMemcpy(From.Pointer, In.data(), Size, hipMemcpyHostToDevice);
    hipMemcpy(DeviceRoots.Pointer, Roots.data(), RootSize,
              hipMemcpyHostToDevice);
    int Batch = static_cast<int>(In.size()) / Length;
    void *Args[] = {&From.Pointer, &To.Pointer, &DeviceRoots.Pointer, &Batch};
    const unsigned Blocks = (static_cast<unsigned>(In.size()) + 63) / 64;
    hipError_t Failed =
        hipModuleLaunchKernel(Kernel->module().Kernel, Blocks, 1, 1, 64, 1, 1,
                              0, nullptr, Args, nullptr);
    if (!Failed)
      Failed = hipDeviceSynchronize(); // Kernel keeps it loaded until here
    Out.resize(In.size());
    if (!Failed)
      Failed = hipMemcpy(Out.data(), To.Pointer, Size, hipMemcpyDeviceToHost);
    if (Failed)
      Error = message("launch", Failed);
    return !Failed;
  }

  const std::unique_ptr<Kernels> All;
};

} // namespace

std::unique_ptr<fft::Library> fft::Library::create(std::size_t KernelBytes,
                                                   std::string &Error) {
  int Devices = 0;
  if (hipError_t Failed = hipGetDeviceCount(&Devices)) {
    Error = message("hipGetDeviceCount", Failed);
    return nullptr;
  }
  hipDeviceProp_t Properties = {};
  if (hipError_t Failed = hipGetDeviceProperties(&Properties, 0)) {
    Error = message("hipGetDeviceProperties", Failed);
    return nullptr;
  }
  kpack::KernelLibraryOptions Options;
  Options.Archives = {ownFolder() + ".kpack/fft_@GFXARCH@.kpack"};
  Options.Targets = kpack::exactCandidates(Properties.gcnArchName);
  for (const std::string &T : kpack::genericCandidates(Properties.gcnArchName))
    Options.Targets.push_back(T);
  Options.ByteBudget = KernelBytes;
  Options.Preload = {
      kpack::kernelKey("fft", kpack::ArchPlaceholder, 8, "single")};
  kpack::Result<std::unique_ptr<Kernels>> Opened =
      Kernels::open(std::move(Options), HipLoader());
  if (!Opened) {
    Error = Opened.status().message();
    return nullptr;
  }
  return std::make_unique<KpackLibrary>(std::move(*Opened));
}
