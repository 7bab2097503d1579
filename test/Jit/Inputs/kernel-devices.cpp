//===- kernel-devices.cpp - one source on two devices ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel for each of two devices, launched in turns by threads whose current
// device is either; of one program where both are of one kind, and of two
// otherwise. They are never let go: a process may end with them.
// ../kernel-devices.test runs it.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Kernel.h"

#include <hip/hip_runtime_api.h>

using namespace kpack;
using Kernel = jit::Kernel<void(unsigned *, unsigned)>;

static const jit::Source Add{.text = R"(
__global__ void add(unsigned *to, unsigned value) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 300)
    to[i] += value;
}
)",
                             .entry = "add"};

static void hip(int Code, const char *What) {
  if (Code == 0)
    return;
  std::printf("%s: %d\n", What, Code);
  std::exit(1);
}
#define HIP(CALL) hip(CALL, #CALL)

static std::vector<Kernel> &kernels() {
  static std::vector<Kernel> All; // destroyed when the process ends
  return All;
}

static Kernel compileFor(int Device) {
  HIP(hipSetDevice(Device));
  Result<Kernel> Made = jit::compile_kernel<void(unsigned *, unsigned)>(Add);
  if (!Made)
    hip(1, Made.status().message().c_str());
  return *Made;
}

int main() {
  std::vector<Kernel> &All = kernels();
  unsigned *Memory[2];
  for (int Device : {0, 1}) {
    All.push_back(compileFor(Device));
    // What one device has, the other may not be able to reach.
    HIP(hipSetDevice(Device));
    HIP(hipMalloc(reinterpret_cast<void **>(&Memory[Device]), 4096));
    HIP(hipMemset(Memory[Device], 0, 4096));
    HIP(hipDeviceSynchronize());
  }
  bool IsOneProgram = All[0].program() == All[1].program();
  if (IsOneProgram)
    if (Result<Kernel> Other = All[0].on(1))
      All[1] = *Other;
  std::printf("one program: %d, devices %d and %d\n", IsOneProgram,
              All[0].device().value_or(-1), All[1].device().value_or(-1));
  std::vector<std::thread> Threads;
  for (int Current : {0, 1})
    Threads.emplace_back([&, Current] {
      HIP(hipSetDevice(Current));
      for (unsigned Round = 0; Round < 10; ++Round)
        for (std::size_t Device : {0, 1})
          if (Status Done = All[Device]({.grid = 5, .block = 64},
                                        Memory[Device], unsigned(Device + 1));
              !Done.ok())
            hip(1, Done.message().c_str());
      int Now;
      HIP(hipGetDevice(&Now));
      if (Now != Current)
        hip(1, "the current device is another one");
    });
  for (std::thread &T : Threads)
    T.join();
  for (int Device : {0, 1}) {
    HIP(hipSetDevice(Device));
    HIP(hipDeviceSynchronize());
    std::vector<unsigned> Host(1024);
    HIP(hipMemcpy(Host.data(), Memory[Device], 4096, hipMemcpyDeviceToHost));
    unsigned Wrong = 0;
    for (unsigned I = 0; I < Host.size(); ++I)
      Wrong += Host[I] != (I < 300 ? 20u * unsigned(Device + 1) : 0u);
    std::printf("device %d: %u wrong\n", Device, Wrong);
  }
  // The one that is not bound follows the thread.
  Result<Kernel> Free =
      jit::compile_kernel<void(unsigned *, unsigned)>(Add, {}, jit::Load::Lazy);
  std::printf("lazy: %s\n",
              Free ? (*Free)({}, Memory[1], 1).message().c_str() : "none");
  HIP(hipDeviceSynchronize());
}
