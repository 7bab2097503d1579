//===- SignalWait.cpp - host threads sleep while they wait for a GPU ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP asks ROCm's runtime to spin until a kernel has ended: on hardware a core
// has nothing better to do. Here that core is the GPU, so a thread that spins
// takes half of the machine away from the kernel that it waits for. How to wait
// is a hint, by the HSA standard; ours is to sleep. The runtime still spins for
// its first 200 microseconds, and what it does then wakes the packet processor
// (Idle.h).
//
//===----------------------------------------------------------------------===//
#include "SignalWait.h"
#include "Next.h"

#include <atomic>
#include <hsa/hsa.h>

using namespace kpack::softgpu;

using Wait = decltype(hsa_signal_wait_scacquire);

static constinit std::atomic<Wait *> Genuine{nullptr};

static Wait *findGenuine() {
  constexpr char Name[] = "hsa_signal_wait_scacquire";
  void *Function = ::dlsym(RTLD_NEXT, Name);
  if (!Function) // loaded by the program, and visible to nobody else
    if (void *Runtime =
            ::dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD))
      Function = ::dlsym(Runtime, Name);
  return reinterpret_cast<Wait *>(Function);
}

void kpack::softgpu::findSignalWait() {
  if (!Genuine.load(std::memory_order_relaxed))
    Genuine.store(findGenuine(), std::memory_order_relaxed);
}

KPACK_EXPORT hsa_signal_value_t hsa_signal_wait_scacquire(
    hsa_signal_t Signal, hsa_signal_condition_t Condition,
    hsa_signal_value_t Compare, uint64_t Timeout, hsa_wait_state_t) {
  findSignalWait();
  Wait *Function = Genuine.load(std::memory_order_relaxed);
  if (!Function) // whose signal it would be, then, nobody knows
    std::abort();
  return Function(Signal, Condition, Compare, Timeout, HSA_WAIT_STATE_BLOCKED);
}
