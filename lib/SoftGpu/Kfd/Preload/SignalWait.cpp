//===- SignalWait.cpp - sleeping waits for a GPU --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP asks ROCm's runtime to spin until a kernel has ended, since on hardware
// the core is idle anyway. Here that core emulates the GPU, so a spinning
// thread takes half of the machine away from its kernel. The HSA standard calls
// the way to wait a hint. The runtime still spins for its first 200
// microseconds, and to the end if a signal has no event, as most of HIP 6's
// have none. So we sleep ourselves: wake the queues, then check when a packet
// has completed (Idle.h), at the latest after a millisecond. A wait of many
// milliseconds is left to the runtime, if the signal has an event.
//
//===----------------------------------------------------------------------===//
#include "SignalWait.h"
#include "Next.h"
#include "SoftGpu/Kfd/Preload/Emulator.h"

#include <atomic>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <time.h>

using namespace kpack::softgpu;

using Wait = decltype(hsa_signal_wait_scacquire);

static constinit std::atomic<Wait *> Genuine{nullptr};

static Wait *findGenuine() {
  constexpr char Name[] = "hsa_signal_wait_scacquire";
  void *Function = ::dlsym(RTLD_NEXT, Name);
  if (!Function) // loaded by the program, with local symbols
    if (void *Runtime =
            ::dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD))
      Function = ::dlsym(Runtime, Name);
  return reinterpret_cast<Wait *>(Function);
}

void kpack::softgpu::findSignalWait() {
  if (!Genuine.load(std::memory_order_relaxed))
    Genuine.store(findGenuine(), std::memory_order_relaxed);
}

static bool holds(hsa_signal_value_t Value, hsa_signal_condition_t Condition,
                  hsa_signal_value_t Compare) {
  switch (Condition) {
  case HSA_SIGNAL_CONDITION_EQ:
    return Value == Compare;
  case HSA_SIGNAL_CONDITION_NE:
    return Value != Compare;
  case HSA_SIGNAL_CONDITION_LT:
    return Value < Compare;
  case HSA_SIGNAL_CONDITION_GTE:
    return Value >= Compare;
  }
  return false;
}

/// A handle points to the signal as the packet processor knows it.
static bool isUsual(hsa_signal_t Signal, hsa_signal_condition_t Condition) {
  return Signal.handle && Condition <= HSA_SIGNAL_CONDITION_GTE &&
         reinterpret_cast<const amd_signal_t *>(Signal.handle)->kind ==
             AMD_SIGNAL_KIND_USER;
}

static uint64_t nanoseconds() {
  timespec T;
  ::clock_gettime(CLOCK_MONOTONIC, &T);
  return uint64_t(T.tv_sec) * 1'000'000'000 + uint64_t(T.tv_nsec);
}

KPACK_EXPORT hsa_signal_value_t hsa_signal_wait_scacquire(
    hsa_signal_t Signal, hsa_signal_condition_t Condition,
    hsa_signal_value_t Compare, uint64_t Timeout, hsa_wait_state_t) {
  constexpr uint64_t Long = 20'000'000;
  constexpr hsa_wait_state_t WaitState = HSA_WAIT_STATE_BLOCKED;
  findSignalWait();
  Wait *Function = Genuine.load(std::memory_order_relaxed);
  if (!Function) // the signal's runtime is unknown
    std::abort();
  const EmulatorTable *E = loadedEmulator();
  if (!E || !isUsual(Signal, Condition))
    return Function(Signal, Condition, Compare, Timeout, WaitState);
  const auto &S = *reinterpret_cast<const amd_signal_t *>(Signal.handle);
  uint64_t Begin = nanoseconds(), Spent = 0, Seen = 0;
  uint64_t Ours = S.event_mailbox_ptr && Timeout > Long ? Long : Timeout;
  do { // a tick of the runtime's clock is a nanosecond here
    hsa_signal_value_t Value = __atomic_load_n(&S.value, __ATOMIC_ACQUIRE);
    Spent = nanoseconds() - Begin;
    if (holds(Value, Condition, Compare) || Spent >= Timeout)
      return Value;
  } while (Spent < Ours && E->AwaitActivity(&Seen) == 0);
  return Function(Signal, Condition, Compare,
                  Timeout == UINT64_MAX ? Timeout : Timeout - Spent, WaitState);
}
