//===- kernel.cpp - kernels from text, launched ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with arguments of all sizes, of one text and of several; launches
// that cannot be; another target's code. HIP is used for memory and streams
// alone. Every result is compared, and behind it stands what no kernel may
// touch. ../kernel.test runs it on emulated GPUs.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Kernel.h"

#include "mathematics.h"

#include <hip/hip_runtime_api.h>

#include <thread>

using namespace kpack;

static void hip(int Code, const char *What) {
  if (Code == 0)
    return;
  std::printf("%s: %d\n", What, Code);
  std::exit(1);
}
#define HIP(CALL) hip(CALL, #CALL)

template <class T> static T expect(Result<T> Made, const char *What) {
  if (Made)
    return std::move(*Made);
  std::printf("%s: %s\n", What, Made.status().message().c_str());
  std::exit(1);
}

/// Memory of the device; the second half of it is nobody's.
template <class T> class Memory {
public:
  explicit Memory(std::size_t Count, T Value = T()) : Host(2 * Count, Value) {
    for (std::size_t I = Count; I < Host.size(); ++I)
      Host[I] = Canary;
    HIP(hipMalloc(reinterpret_cast<void **>(&Device), bytes()));
    HIP(hipMemcpy(Device, Host.data(), bytes(), hipMemcpyHostToDevice));
  }
  ~Memory() { HIP(hipFree(Device)); }
  Memory(const Memory &) = delete;

  /// What is there now.
  std::vector<T> get() {
    HIP(hipMemcpy(Host.data(), Device, bytes(), hipMemcpyDeviceToHost));
    std::size_t Half = Host.size() / 2;
    for (std::size_t I = Half; I < Host.size(); ++I)
      if (Host[I] != Canary)
        hip(1, "written behind the end");
    return {Host.begin(), Host.begin() + Half};
  }
  T *Device = nullptr;

private:
  static constexpr T Canary = T(77);
  std::size_t bytes() const { return Host.size() * sizeof(T); }
  std::vector<T> Host;
};

static const char Text[] = R"(
template <class T> __global__ void fill(T *to, unsigned n, T value) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = value;
}
__global__ void mixed(double *to, char a, double b, bool c, short d, float e,
                      unsigned long long f) {
  if (threadIdx.x == 0)
    *to = a + b + c + d + e + f;
}
__global__ void __launch_bounds__(64) reverse(int *to) {
  extern __shared__ int turned[];
  turned[blockDim.x - 1 - threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = turned[threadIdx.x];
}
__global__ void lot(int *to) {
  __shared__ int all[8192];
  all[threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = all[blockDim.x - 1 - threadIdx.x];
}
__global__ void nothing() {}
__global__ void slow(float *to, int turns) {
  float *mine = to + blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < turns; ++i)
    *(volatile float *)mine += 1;
}
__global__ void axpy(kpack::jit::RestrictSpan<float> y,
                     kpack::jit::Span<const float> x) {
  unsigned long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < y.size())
    y[i] += x[i];
}
)";

static int wrong(const std::vector<float> &Values, float Wanted) {
  int Wrong = 0;
  for (float Value : Values)
    Wrong += Value != Wanted;
  return Wrong;
}

static void compileOne() {
  Memory<float> Data(1000);
  auto Fill = expect(jit::compile_kernel<void(float *, unsigned, float)>(
                         {.text = Text, .entry = "fill<float>"}),
                     "fill");
  Status Done = Fill({.grid = 4, .block = 256}, Data.Device, 1000, 2.5f);
  std::printf("fill: %s, %d wrong, device %d\n", Done.message().c_str(),
              wrong(Data.get(), 2.5f), Fill.device().value_or(-1));
  hipStream_t Stream;
  HIP(hipStreamCreate(&Stream));
  Done = Fill({.grid = 4, .block = 256, .stream = Stream}, Data.Device, 1000,
              -1.0f);
  HIP(hipStreamSynchronize(Stream));
  HIP(hipStreamDestroy(Stream));
  std::printf("stream: %s, %d wrong\n", Done.message().c_str(),
              wrong(Data.get(), -1.0f));
}

static jit::Program compileMany() {
  std::string Entries[] = {"fill<int>", "mixed", "reverse", "lot", "nothing"};
  jit::Options How;
  return expect(jit::compile_program({.text = Text, .entry = {}}, Entries, How),
                "program");
}

static void runMany(const jit::Program &Many) {
  Memory<double> Sum(1);
  auto Mixed =
      expect(jit::kernel<void(double *, char, double, bool, short, float,
                              unsigned long long)>(Many, "mixed"),
             "mixed");
  Status Done = Mixed({}, Sum.Device, 1, 0.25, true, 100, 0.5f, 1ull << 40);
  std::printf("mixed: %s, %.2f, %zu arguments in %u bytes\n",
              Done.message().c_str(), Sum.get()[0] - double(1ull << 40),
              Mixed.info().argument_count, Mixed.info().argument_bytes);
  Memory<int> Row(64, 3);
  auto Reverse = expect(jit::kernel<void(int *)>(Many, "reverse"), "reverse");
  auto Fill = expect(jit::kernel<void(int *, unsigned, int)>(Many, "fill<int>"),
                     "fill<int>");
  (void)Fill({.block = 64}, Row.Device, 64, 9);
  (void)Fill({}, Row.Device, 1, 5);
  Done = Reverse({.block = 64, .dynamic_lds = 256}, Row.Device);
  std::printf("reverse: %s, %d .. %d\n", Done.message().c_str(), Row.get()[0],
              Row.get()[63]);
  auto Nothing = expect(jit::kernel<void()>(Many, "nothing"), "nothing");
  std::printf("nothing: %s\n", Nothing({}).message().c_str());
  HIP(hipDeviceSynchronize());
}

static void say(const char *What, const Status &Why) {
  std::printf("%s: %d %s\n", What, int(Why.detail()), Why.message().c_str());
}

static void refuse(const jit::Program &Many) {
  Memory<int> Row(64);
  auto Reverse = expect(jit::kernel<void(int *)>(Many, "reverse"), "reverse");
  say("block", Reverse({.block = 65}, Row.Device));
  say("wide", Reverse({.block = {1u << 16, 1u << 16, 1u << 16}}, Row.Device));
  say("none", Reverse({.grid = {1, 0}}, Row.Device));
  say("grid", Reverse({.grid = 1u << 30, .block = 64}, Row.Device));
  say("null", Reverse({.refuse_null = true}, nullptr));
  auto Lot = expect(jit::kernel<void(int *)>(Many, "lot"), "lot");
  say("lds", Lot({.dynamic_lds = 32769}, Row.Device));
  say("fits", Lot({.dynamic_lds = 32768}, Row.Device));
  HIP(hipDeviceSynchronize());
  say("type", jit::kernel<void(float *)>(Many, "reverse").status());
  say("entry", jit::kernel<void(float *)>(Many, "revers").status());
  say("device", Reverse.on(99).status());
  auto Other =
      jit::compile_kernel<void()>({.text = Text, .entry = "nothing"},
                                  {.target = "gfx803"}, jit::Load::Lazy);
  if (Other)
    say("isa", (*Other)({}));
  say("eager", jit::compile_kernel<void()>({.text = Text, .entry = "nothing"},
                                           {.target = "gfx803"})
                   .status());
  int Argument = 0;
  void *Addresses[] = {&Argument, &Argument};
  kpack_jit_launch Shape{};
  Shape.size = sizeof(Shape);
  for (int I = 0; I < 3; ++I)
    Shape.grid[I] = Shape.block[I] = 1;
  const kpack_jit_kernel *Loaded;
  (void)kpack_jit_kernel_load(Many.native_handle(), 2, -1, &Loaded);
  (void)kpack_jit_kernel_launch(Loaded, &Shape, Addresses, 2);
  std::printf("count: %s\n", kpack_jit_last_error());
}

/// Who has which memory is this HIP's word.
static void checkFully() {
  Memory<float> Y(100, 2), X(100, 3);
  auto Axpy = expect(
      jit::compile_kernel<void(jit::RestrictSpan<float>,
                               jit::Span<const float>)>(
          {.text = Text, .entry = "axpy"}, {.checks = jit::Checks::Full}),
      "axpy");
  jit::Launch Shape{.grid = 2, .block = 64};
  float *Pinned = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void **>(&Pinned), 100 * sizeof(float)));
  std::fill(Pinned, Pinned + 100, 4.0f);
  Status Done = Axpy(Shape, {Y.Device, 100}, {X.Device, 100});
  if (Done.ok())
    Done = Axpy(Shape, {Y.Device, 100}, {Pinned, 100});
  std::printf("spans: %s, %d wrong\n", Done.message().c_str(),
              wrong(Y.get(), 9));
  std::vector<float> OfHost(100);
  say("host", Axpy(Shape, {Y.Device, 100}, OfHost));
  // Its second half is part of the allocation, too.
  say("long", Axpy(Shape, {Y.Device + 1, 200}, {X.Device, 100}));
  say("pinned", Axpy(Shape, {Y.Device, 100}, {Pinned + 50, 2000}));
  say("shared", Axpy(Shape, {Y.Device, 100}, {Y.Device + 99, 1}));
  HIP(hipHostFree(Pinned));
  std::printf("last error: %d\n", hipGetLastError());
}

static void compute() {
  std::vector<float> From = mathematics::arguments();
  unsigned Count = unsigned(From.size());
  Memory<float> To(mathematics::Count * From.size()), In(From.size());
  HIP(hipMemcpy(In.Device, From.data(), From.size() * sizeof(float),
                hipMemcpyHostToDevice));
  auto All = expect(jit::compile_kernel<void(float *, const float *, unsigned)>(
                        {.text = mathematics::Text, .entry = "mathematics"}),
                    "mathematics");
  Status Done =
      All({.grid = Count / 64 + 1, .block = 64}, To.Device, In.Device, Count);
  std::printf("mathematics: %s, %d wrong\n", Done.message().c_str(),
              mathematics::wrong(From, To.get()));
}

/// Nobody has it any more while it runs.
static void dropOne() {
  Memory<float> Data(4096);
  Status Done;
  {
    auto Slow = expect(jit::compile_kernel<void(float *, int)>(
                           {.text = Text, .entry = "slow"}, {.cache = nullptr}),
                       "slow");
    Done = Slow({.grid = 16, .block = 256}, Data.Device, 500);
  }
  std::printf("dropped: %s, %d wrong\n", Done.message().c_str(),
              wrong(Data.get(), 500));
}

int main() {
  compileOne();
  checkFully();
  dropOne();
  compute();
  jit::Program Many = compileMany();
  runMany(Many);
  refuse(Many);
}
