//===- waits.cpp - what it costs to wait for a kernel ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processor time of the thread that waits, against that of the whole process,
// which is the kernel's: a thread that spins has about as much. Waiting for an
// event is not among them: ROCm 5.2 gives its core up by itself there, by
// sched_yield() in a loop.
//
//===----------------------------------------------------------------------===//
#include "check.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <hip/hip_runtime.h>
#include <hsa/hsa_ext_amd.h>
#include <thread>

__global__ void count(unsigned *Result, unsigned Rounds) {
  unsigned Sum = threadIdx.x;
  for (unsigned I = 0; I < Rounds; ++I)
    Sum = Sum * 1664525 + I;
  Result[threadIdx.x] = Sum;
}

static double seconds(clockid_t Clock) {
  timespec Now;
  clock_gettime(Clock, &Now);
  return double(Now.tv_sec) + 1e-9 * double(Now.tv_nsec);
}

/// Whether \p Wait takes next to no time of its own thread. That it may spin
/// for a moment first is in the 10 ms.
template <typename Function>
static void measure(const char *Name, Function Wait) {
  double Process = seconds(CLOCK_PROCESS_CPUTIME_ID);
  double Thread = seconds(CLOCK_THREAD_CPUTIME_ID);
  CHECK(Wait());
  Process = seconds(CLOCK_PROCESS_CPUTIME_ID) - Process;
  Thread = seconds(CLOCK_THREAD_CPUTIME_ID) - Thread;
  std::printf("%s %s\n", Name, Thread < 0.01 + Process / 32 ? "sleeps" : "spins");
  std::fprintf(stderr, "%s: %.4f s of %.4f s\n", Name, Thread, Process);
}

/// As most signals of HIP 6: without an event, so ROCm itself would spin.
static hipError_t waitForSignal() {
  hsa_signal_t Signal;
  if (hsa_amd_signal_create(1, 0, nullptr, HSA_AMD_SIGNAL_AMD_GPU_ONLY,
                            &Signal) != HSA_STATUS_SUCCESS)
    return hipErrorUnknown;
  std::thread Other([Signal] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    hsa_signal_store_screlease(Signal, 0);
  });
  hsa_signal_value_t Value =
      hsa_signal_wait_scacquire(Signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                                HSA_WAIT_STATE_ACTIVE);
  Other.join();
  hsa_signal_destroy(Signal);
  return Value == 0 ? hipSuccess : hipErrorUnknown;
}

int main() {
  unsigned *Device, Host[64];
  CHECK(hipMalloc(&Device, sizeof(Host)));
  auto Launch = [&](unsigned Rounds) {
    hipLaunchKernelGGL(count, 1, 64, 0, nullptr, Device, Rounds);
  };
  // What only the first launch does is not measured.
  Launch(1);
  CHECK(hipDeviceSynchronize());
  constexpr unsigned Rounds = 8000000;
  Launch(Rounds);
  measure("hipMemcpy", [&] {
    return hipMemcpy(Host, Device, sizeof(Host), hipMemcpyDeviceToHost);
  });
  Launch(Rounds);
  measure("hipDeviceSynchronize", [] { return hipDeviceSynchronize(); });
  measure("a signal without an event", waitForSignal);
}
