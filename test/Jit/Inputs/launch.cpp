//===- launch.cpp - host functions that launch kernels --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An executor of a text with "<<<>>>" is called as any other, and let go while
// its kernel runs; a program that is gone is unmapped. ../launch.test runs it.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Executor.h"

#include <hip/hip_runtime_api.h>

using namespace kpack;

static void hip(int Code, const char *What) {
  if (Code == 0)
    return;
  std::printf("%s: %d\n", What, Code);
  std::exit(1);
}
#define HIP(CALL) hip(CALL, #CALL)

static const char Text[] = R"(
template <int N> __global__ void times(float *x, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; i < n && round != rounds; ++round)
    x[i] *= N;
}
int run(float *x, unsigned n, void *stream) {
  times<3><<<dim3(n / 64 + 1), 64, 0, hipStream_t(stream)>>>(x, n);
  times<-1><<<n / 64 + 1, 64>>>(x, n);
  return hipGetLastError();
}
// Its kernel is there because it is asked for.
template <int N> int runs(float *x, unsigned n) {
  times<N><<<dim3(n / 64 + 1), 64>>>(x, n);
  return hipGetLastError();
}
)";

/// Whether code of a cache's entry is mapped.
static bool isMapped(const char *Folder) {
  std::ifstream Maps("/proc/self/maps");
  for (std::string Line; std::getline(Maps, Line);)
    if (Line.find(Folder) != std::string::npos)
      return true;
  return false;
}

static int count(const float *Device, float Wanted) {
  std::vector<float> Host(2000);
  HIP(hipMemcpy(Host.data(), Device, 8000, hipMemcpyDeviceToHost));
  int Wrong = 0;
  for (std::size_t I = 0; I < Host.size(); ++I)
    Wrong += Host[I] != (I < 1000 ? Wanted : 1.0f);
  return Wrong;
}

int main(int, char **Arguments) {
  using Run = int(float *, unsigned, void *);
  kpack_jit_cache_options Where{};
  Where.size = sizeof(Where);
  Where.directory = Arguments[1];
  Where.max_programs = 1;
  kpack_jit_cache *Opened;
  if (kpack_jit_cache_open(&Where, &Opened))
    return std::puts(kpack_jit_last_error());
  jit::Options How{.constants = {jit::constant("rounds", 1)},
                   .cache = jit::Cache(Opened)};
  jit::Source From{.text = Text, .entry = "run"};

  std::vector<float> Ones(2000, 1);
  float *Device;
  HIP(hipMalloc(reinterpret_cast<void **>(&Device), 8000));
  HIP(hipMemcpy(Device, Ones.data(), 8000, hipMemcpyHostToDevice));
  {
    Result<jit::Executor<Run>> Made = jit::compile<Run>(From, How);
    if (!Made)
      return std::puts(Made.status().message().c_str());
    int Code = (*Made)(Device, 1000, nullptr);
    std::printf("run: %d, %d wrong, mapped %d\n", Code, count(Device, -3),
                isMapped(Arguments[1]));
    (void)(*Made)(Device, 1000, nullptr);
  }
  // Another one takes its place while its kernels may run.
  Result<jit::Executor<int()>> Other =
      jit::compile<int()>({.text = "int one() { return 1; }", .entry = "one"},
                          {.cache = jit::Cache(Opened)});
  std::printf("after: %d, %d wrong\n", Other ? (*Other)() : -1,
              count(Device, 9));
  Other = Status(StatusCode::IoError, "");
  std::string Entries[] = {"nothing"};
  (void)jit::compile_program(
      {.text = "__global__ void nothing() {}", .entry = {}}, Entries,
      {.target = "gfx90a", .cache = jit::Cache(Opened)});
  std::printf("mapped: %d\n", isMapped(Arguments[1]));
  // The same again: registered anew.
  Result<jit::Executor<Run>> Again = jit::compile<Run>(From, How);
  if (!Again)
    return std::puts(Again.status().message().c_str());
  int Code = (*Again)(Device, 1000, nullptr);
  std::printf("again: %d, %d wrong\n", Code, count(Device, -27));
  From.entry = "runs<4>";
  auto Runs = jit::compile<int(float *, unsigned)>(From, How);
  Code = Runs ? (*Runs)(Device, 1000) : -1;
  std::printf("runs: %d, %d wrong\n", Code, count(Device, -108));
  HIP(hipFree(Device));
}
