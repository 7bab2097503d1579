//===- ptx.cpp - kernels as PTX, on a GPU of NVIDIA -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "ptx make FILE" compiles kernels to PTX, which needs a clang and no GPU; "ptx
// run FILE" loads that and launches them, which needs a GPU and no clang. What
// is launched is the library's own way; of the driver only memory is used here.
// Every result is compared, and the words behind it. Exit status 3: there is no
// GPU. bundle.sh puts all that the second machine needs into a folder.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Kernel.h"

#include "../mathematics.h"

#include <chrono>
#include <dlfcn.h>

using namespace kpack;

static constexpr char Text[] = R"(
extern "C" __global__ void saxpy(float *y, const float *x, float a,
                                 unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += a * x[i];
}
extern "C" __global__ void __launch_bounds__(256)
    sums(unsigned long long *to, const unsigned *from, unsigned n) {
  __shared__ unsigned long long parts[256];
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  parts[threadIdx.x] = i < n ? from[i] : 0;
  for (unsigned half = 128; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    to[blockIdx.x] = parts[0];
}
extern "C" __global__ void reverse(int *to) {
  extern __shared__ int turned[];
  turned[blockDim.x - 1 - threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = turned[threadIdx.x];
}
extern "C" __global__ void places(unsigned *to) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
           y = blockIdx.y * blockDim.y + threadIdx.y,
           z = blockIdx.z * blockDim.z + threadIdx.z;
  unsigned width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  to[(z * height + y) * width + x] = x + 100 * y + 10000 * z;
}
extern "C" __global__ void mixed(double *to, char a, double b, bool c, short d,
                                 float e, unsigned long long f) {
  *to = a + b + c + d + e + f;
}
extern "C" __global__ void nothing() {}
)";

[[noreturn]] static void fail(const std::string &Why, int Code = 1) {
  std::printf("error: %s\n", Why.c_str());
  std::exit(Code);
}

template <class T> static T good(Result<T> Made) {
  if (!Made)
    fail(Made.status().message(),
         Made.status().detail() == Errc::NoDevice ? 3 : 1);
  return std::move(*Made);
}

static void good(const Status &Done) {
  if (!Done.ok())
    fail(Done.message(), Done.detail() == Errc::NoDevice ? 3 : 1);
}

/// Whether a kernel can be had as \p Sig; nothing is launched.
template <class Sig>
static void check(const jit::Program &All, const char *Entry) {
  (void)good(jit::kernel<Sig>(All, Entry, jit::Load::Lazy));
}

static int make(const char *File) {
  std::string Entries[] = {"saxpy", "sums",    "reverse",    "places",
                           "mixed", "nothing", "mathematics"};
  jit::Program Made = good(jit::compile_program(
      {.text = std::string(Text) + mathematics::Text, .entry = {}}, Entries,
      {.target = "sm_90"}));
  jit::Program Again = good(jit::load_program(Made.image()));
  for (const jit::Program &All : {Made, Again}) {
    check<void(float *, const float *, float, unsigned)>(All, "saxpy");
    check<void(unsigned long long *, const unsigned *, unsigned)>(All, "sums");
    check<void(double *, char, double, bool, short, float, unsigned long long)>(
        All, "mixed");
    check<void()>(All, "nothing");
  }
  std::ofstream(File, std::ios::binary) << Made.image();
  std::printf("%zu kernels for %s\n", Made.size(), Made.info().target);
  return 0;
}

//===----------------------------------------------------------------------===//
// Memory of the driver
//===----------------------------------------------------------------------===//

template <class Function> static Function driver(const char *Name) {
  static void *Library = ::dlopen("libcuda.so.1", RTLD_LAZY);
  void *Found = Library ? ::dlsym(Library, Name) : nullptr;
  if (!Found)
    fail(std::string(Name) + ": not in libcuda.so.1", 3);
  return reinterpret_cast<Function>(Found);
}

static void cuda(int Code, const char *What) {
  if (Code != 0)
    fail(std::string(What) + ": " + std::to_string(Code));
}
#define CUDA(NAME, TYPE, ...)                                                  \
  cuda(driver<int(*) TYPE>(#NAME)(__VA_ARGS__), #NAME)

static void synchronize() { CUDA(cuCtxSynchronize, (), ); }

/// As many words again belong to nobody.
template <class T> class Memory {
public:
  explicit Memory(std::vector<T> Values) : Host(std::move(Values)) {
    Count = Host.size();
    Host.resize(2 * Count + 1, Canary);
    unsigned long long Address = 0;
    CUDA(cuMemAlloc_v2, (unsigned long long *, std::size_t), &Address, bytes());
    CUDA(cuMemcpyHtoD_v2, (unsigned long long, const void *, std::size_t),
         Address, Host.data(), bytes());
    Device = reinterpret_cast<T *>(Address);
  }
  Memory(const Memory &) = delete;
  std::vector<T> get() {
    CUDA(cuMemcpyDtoH_v2, (void *, unsigned long long, std::size_t),
         Host.data(), reinterpret_cast<unsigned long long>(Device), bytes());
    for (std::size_t I = Count; I < Host.size(); ++I)
      if (Host[I] != Canary)
        fail("written behind the end");
    return {Host.begin(), Host.begin() + long(Count)};
  }
  T *Device = nullptr;

private:
  static constexpr T Canary = T(77);
  std::size_t bytes() const { return Host.size() * sizeof(T); }
  std::size_t Count = 0;
  std::vector<T> Host;
};

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static void runSaxpy(const jit::Program &All) {
  constexpr unsigned Count = 1000003;
  std::vector<float> X(Count), Y(Count, 1);
  for (unsigned I = 0; I < Count; ++I)
    X[I] = float(I % 1000);
  Memory<float> From(X), To(Y);
  auto Saxpy = good(
      jit::kernel<void(float *, const float *, float, unsigned)>(All, "saxpy"));
  good(Saxpy({.grid = Count / 256 + 1, .block = 256}, To.Device, From.Device,
             2.0f, Count));
  Y = To.get();
  unsigned Wrong = 0;
  for (unsigned I = 0; I < Count; ++I)
    Wrong += Y[I] != 1 + 2 * X[I];
  std::printf("saxpy: %u of %u wrong\n", Wrong, Count);
}

static void runSums(const jit::Program &All) {
  constexpr unsigned Count = 100001, Blocks = Count / 256 + 1;
  std::vector<unsigned> Values(Count);
  unsigned long long Wanted = 0, Sum = 0;
  for (unsigned I = 0; I < Count; ++I)
    Wanted += Values[I] = I * 2654435761u;
  Memory<unsigned> From(Values);
  Memory<unsigned long long> To(std::vector<unsigned long long>(Blocks, 0));
  auto Sums =
      good(jit::kernel<void(unsigned long long *, const unsigned *, unsigned)>(
          All, "sums"));
  good(Sums({.grid = Blocks, .block = 256}, To.Device, From.Device, Count));
  for (unsigned long long Part : To.get())
    Sum += Part;
  std::printf("sums: %s\n", Sum == Wanted ? "right" : "wrong");
  Status Refused = Sums({.block = 512}, To.Device, From.Device, Count);
  std::printf("block: %s\n", Refused.message().c_str());
}

static void runSmall(const jit::Program &All) {
  Memory<int> Row({0, 1, 2, 3, 4, 5, 6, 7});
  auto Reverse = good(jit::kernel<void(int *)>(All, "reverse"));
  good(Reverse({.block = 8, .dynamic_lds = 32}, Row.Device));
  std::printf("reverse:");
  for (int Value : Row.get())
    std::printf(" %d", Value);
  constexpr unsigned X = 8, Y = 6, Z = 6;
  Memory<unsigned> To(std::vector<unsigned>(X * Y * Z, 0));
  auto Places = good(jit::kernel<void(unsigned *)>(All, "places"));
  good(Places({.grid = {2, 3, 2}, .block = {4, 2, 3}}, To.Device));
  unsigned Wrong = 0, I = 0;
  for (unsigned Value : To.get()) {
    Wrong += Value != I % X + 100 * (I / X % Y) + 10000 * (I / X / Y);
    ++I;
  }
  Memory<double> Sum({0});
  auto Mixed = good(jit::kernel<void(double *, char, double, bool, short, float,
                                     unsigned long long)>(All, "mixed"));
  good(Mixed({}, Sum.Device, 1, 0.25, true, 100, 0.5f, 1ull << 40));
  std::printf("\nplaces: %u wrong\nmixed: %.2f\n", Wrong,
              Sum.get()[0] - double(1ull << 40));
}

static void runMathematics(const jit::Program &All) {
  std::vector<float> X = mathematics::arguments();
  unsigned Count = unsigned(X.size());
  Memory<float> From(X), To(std::vector<float>(mathematics::Count * Count));
  auto Kernel = good(
      jit::kernel<void(float *, const float *, unsigned)>(All, "mathematics"));
  good(Kernel({.grid = Count / 64 + 1, .block = 64}, To.Device, From.Device,
              Count));
  std::printf("mathematics: %d of %u wrong\n", mathematics::wrong(X, To.get()),
              mathematics::Count);
}

/// Who has which memory is the driver's word.
static void runChecks(const jit::Program &All) {
  auto Saxpy = good(jit::kernel<void(float *, const float *, float, unsigned)>(
                        All, "saxpy"))
                   .with(jit::Checks::Full);
  Memory<float> Y({1, 2}), X({3, 4});
  float OfHost[] = {3, 4};
  good(Saxpy({.block = 2}, Y.Device, X.Device, 1, 2));
  std::printf("host: %s\n",
              Saxpy({.block = 2}, Y.Device, OfHost, 1, 2).message().c_str());
}

static void measure(const jit::Program &All) {
  auto Nothing = good(jit::kernel<void()>(All, "nothing"));
  constexpr int Count = 20000;
  for (bool IsMeasured : {false, true}) {
    auto Start = std::chrono::steady_clock::now();
    for (int I = 0; I < Count; ++I)
      good(Nothing({}));
    std::chrono::duration<double, std::micro> Put =
        std::chrono::steady_clock::now() - Start;
    synchronize();
    std::chrono::duration<double, std::micro> Done =
        std::chrono::steady_clock::now() - Start;
    if (IsMeasured)
      std::printf("launch: %.2f us to put, %.2f us to the end, each of %d\n",
                  Put.count() / Count, Done.count() / Count, Count);
  }
}

static int run(const char *File) {
  std::ifstream In(File, std::ios::binary);
  std::string Image(std::istreambuf_iterator<char>(In), {});
  {
    jit::Program All = good(jit::load_program(Image, File));
    // The driver's context is the library's: it is there from here on.
    auto First = good(jit::kernel<void()>(All, "nothing"));
    good(First({}));
    char Target[64];
    if (kpack_jit_device_target(First.device().value_or(0), Target,
                                sizeof(Target)))
      fail(kpack_jit_last_error());
    std::printf("device: %s\n", Target);
    void *Context = nullptr;
    int Handle = 0;
    CUDA(cuDeviceGet, (int *, int), &Handle, 0);
    CUDA(cuDevicePrimaryCtxRetain, (void **, int), &Context, Handle);
    CUDA(cuCtxSetCurrent, (void *), Context);
    runSaxpy(All);
    runSums(All);
    runSmall(All);
    runMathematics(All);
    runChecks(All);
    measure(All);
  }
  std::printf("unloaded\n");
  return 0;
}

int main(int Count, char **Arguments) {
  std::string What = Count == 3 ? Arguments[1] : "";
  if (What == "make")
    return make(Arguments[2]);
  if (What == "run")
    return run(Arguments[2]);
  fail("usage: ptx make FILE, or ptx run FILE");
}
