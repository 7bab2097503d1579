//===- program.cpp - kernels from text, run by HIP ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel template and an integer kernel, compiled for the GPU that there is,
// loaded and launched through the HIP runtime of the system; indices of all
// three dimensions and shared memory come from what kernels have without a
// header. What HIP returns is not all: the results are compared, and nothing is
// written beside them. ../program.test runs it.
//
//===----------------------------------------------------------------------===//
#include "kpack/kpack_jit.h"

#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(int Code, const char *What, const char *Why) {
  if (Code == 0)
    return;
  std::printf("%s: %d %s\n", What, Code, Why);
  std::exit(1);
}
#define HIP(CALL) check(CALL, #CALL, "")
#define JIT(CALL) check(CALL, #CALL, kpack_jit_last_error())

static const char Text[] = R"(
template <int N, class T> __global__ void scale(T *x, unsigned n) {
  __shared__ T turned[64];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  turned[blockDim.x - 1 - threadIdx.x] = i < n ? x[i] * N : T(0);
  __syncthreads();
  if (i < n)
    x[i] = turned[blockDim.x - 1 - threadIdx.x];
}
// Where each work item is, and how many there are.
__global__ void places(unsigned *to) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
           y = blockIdx.y * blockDim.y + threadIdx.y,
           z = blockIdx.z * blockDim.z + threadIdx.z;
  unsigned width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  to[(z * height + y) * width + x] =
      x + 100 * y + 10000 * z + 1000000 * gridDim.z;
}
)";

static hipFunction_t kernel(kpack_jit_cache *Cache, const char *Target,
                            const char *Expression, const char *Type) {
  kpack_jit_entry_point Entry{Expression, Type};
  kpack_jit_program_source Source{};
  Source.size = sizeof(Source);
  Source.kind = KPACK_JIT_KERNEL;
  Source.text = Text;
  Source.entries = &Entry;
  Source.entry_count = 1;
  Source.target = Target;
  kpack_jit_program *Program;
  JIT(kpack_jit_compile(Cache, &Source, 0, &Program));
  kpack_jit_program_info Info{};
  Info.size = sizeof(Info);
  JIT(kpack_jit_program_get_info(Program, &Info));
  const char *Symbol;
  JIT(kpack_jit_program_entry(Program, 0, nullptr, &Symbol, nullptr));
  hipModule_t Module;
  HIP(hipModuleLoadData(&Module, Info.image));
  hipFunction_t Function;
  HIP(hipModuleGetFunction(&Function, Module, Symbol));
  return Function;
}

/// Behind the data stands what no kernel may touch.
static constexpr unsigned Canary = 0xc0ffee, CanaryWords = 64;

static std::vector<unsigned> run(hipFunction_t Function, dim3 Grid, dim3 Block,
                                 std::vector<unsigned> Data, unsigned Count) {
  Data.resize(Count + CanaryWords, Canary);
  void *Memory;
  HIP(hipMalloc(&Memory, Data.size() * 4));
  HIP(hipMemcpy(Memory, Data.data(), Data.size() * 4, hipMemcpyHostToDevice));
  void *Arguments[] = {&Memory, &Count};
  HIP(hipModuleLaunchKernel(Function, Grid.x, Grid.y, Grid.z, Block.x, Block.y,
                            Block.z, 0, nullptr, Arguments, nullptr));
  HIP(hipMemcpy(Data.data(), Memory, Data.size() * 4, hipMemcpyDeviceToHost));
  for (unsigned I = Count; I < Data.size(); ++I)
    check(Data[I] != Canary, "written behind the data", "");
  return Data;
}

static void checkScale(kpack_jit_cache *Cache, const char *Target) {
  constexpr unsigned Count = 150;
  std::vector<unsigned> Data;
  for (unsigned I = 0; I < Count; ++I)
    Data.push_back(I);
  Data = run(kernel(Cache, Target, "scale<3, int>", "void (int *, unsigned)"),
             dim3(3), dim3(64), Data, Count);
  int Wrong = 0;
  for (unsigned I = 0; I < Count; ++I)
    Wrong += Data[I] != 3 * I;
  std::printf("scale: %d wrong\n", Wrong);
}

static void checkPlaces(kpack_jit_cache *Cache, const char *Target) {
  constexpr unsigned X = 2 * 4, Y = 3 * 2, Z = 2 * 3;
  std::vector<unsigned> Data = run(kernel(Cache, Target, "places", nullptr),
                                   dim3(2, 3, 2), dim3(4, 2, 3), {}, X * Y * Z);
  int Wrong = 0;
  for (unsigned I = 0; I < X * Y * Z; ++I)
    Wrong += Data[I] !=
             I % X + 100 * (I / X % Y) + 10000 * (I / X / Y) + 1000000 * 2;
  std::printf("places: %d wrong\n", Wrong);
}

int main(int, char **Arguments) {
  hipDeviceProp_t Properties;
  HIP(hipGetDeviceProperties(&Properties, 0));
  kpack_jit_cache_options Options{};
  Options.size = sizeof(Options);
  Options.directory = Arguments[1];
  kpack_jit_cache *Cache;
  JIT(kpack_jit_cache_open(&Options, &Cache));
  checkScale(Cache, Properties.gcnArchName);
  checkPlaces(Cache, Properties.gcnArchName);
  kpack_jit_statistics Sum{};
  Sum.size = sizeof(Sum);
  JIT(kpack_jit_cache_get_statistics(Cache, &Sum));
  std::printf("compiles: %u\n", unsigned(Sum.compiles));
}
