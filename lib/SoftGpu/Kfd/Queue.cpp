//===- Queue.cpp - common part of a GPU's queues --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread of a queue, its end and errors, and the table of queues.
//
//===----------------------------------------------------------------------===//
#include "Queue.h"
#include "KfdDriver.h"
#include "SoftGpu/Machine/HostAccess.h"
#include "Support/SignalMask.h"
#include <signal.h>
#include <time.h>

using namespace kpack;
using namespace kpack::softgpu;

uint64_t kpack::softgpu::now() {
  timespec T;
  ::clock_gettime(CLOCK_BOOTTIME, &T);
  return uint64_t(T.tv_sec) * 1'000'000'000 + uint64_t(T.tv_nsec);
}

//===----------------------------------------------------------------------===//
// One queue
//===----------------------------------------------------------------------===//

/// Returns the signals to block: the program's handlers run on its own threads.
/// Faults of the queue's thread must stay unblocked.
static sigset_t signalsOfOthers() {
  sigset_t Set;
  ::sigfillset(&Set);
  for (int Own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
    ::sigdelset(&Set, Own);
  return Set;
}

void Queue::start() {
  SignalMask Inherited(signalsOfOthers());
  Processor = std::thread([this] { run(); });
}

void Queue::end() {
  std::lock_guard<std::mutex> Guard(EndLock);
  Ending = true;
  D.Activity.wakeAll();
  if (Processor.joinable())
    Processor.join();
}

void Queue::setActive(bool Yes) {
  Active = Yes;
  D.Activity.wakeAll();
}

void Queue::run() {
  Nap Idle(D.Activity, Shared.ReadIndex, Shared.WriteIndex);
  while (!Ending)
    if (Active && !InError && step())
      Idle.reset();
    else
      Idle.wait();
}

uint8_t *Queue::deviceMemory(uint64_t Address, uint64_t Size) const {
  std::optional<MemoryRange> R = TheGpu.memory().find(Address);
  return R && R->contains(Address, Size) ? R->host(Address) : nullptr;
}

void Queue::stop(const std::string &Who, const Fault &Cause) {
  D.reportFault(TheGpu, Who, Cause);
  InError = true;
}

/// Sets \p Failure by trying to access a byte that the process has registered.
static void tryAccess(const MemoryMap &Memory, uint8_t *Byte,
                      kfd_memory_exception_failure &Failure) {
  HostAccess::Ranges Ranges = Memory.snapshot();
  std::atomic_ref<uint8_t> Tried(*Byte);
  if (accessHost(Ranges, [&] { Tried.load(); }))
    Failure.NotPresent = 1;
  // Compilers turn an atomic operation that changes nothing into a load.
  else if (accessHost(Ranges, [&] {
             asm volatile("lock orb $0, %0" : "+m"(*Byte));
           }))
    Failure.ReadOnly = 1;
}

bool Queue::raiseMemoryFault(uint64_t Address, uint32_t Type) {
  kfd_hsa_memory_exception_data Access{};
  Access.gpu_id = TheGpu.id();
  Access.va = Address;
  Access.ErrorType = Type;
  std::optional<MemoryRange> R = TheGpu.memory().find(Address);
  Access.failure.NotPresent = !R;
  Access.failure.ReadOnly = R && !R->Writable;
  if (R && R->Writable)
    tryAccess(TheGpu.memory(), R->host(Address), Access.failure);
  return D.Events.memoryFault(Access);
}

//===----------------------------------------------------------------------===//
// All queues
//===----------------------------------------------------------------------===//

uint32_t QueueTable::add(std::unique_ptr<Queue> Q) {
  std::lock_guard<std::mutex> Guard(Lock);
  Q->start();
  Queues[++LastId] = std::move(Q);
  return LastId;
}

bool QueueTable::setActive(uint32_t Id, bool Yes) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto Found = Queues.find(Id);
  if (Found == Queues.end())
    return false;
  Found->second->setActive(Yes);
  return true;
}

bool QueueTable::setCooperative(uint32_t Id, bool Yes) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto Found = Queues.find(Id);
  return Found != Queues.end() && Found->second->setCooperative(Yes);
}

bool QueueTable::destroy(uint32_t Id) {
  std::unique_ptr<Queue> Gone;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    auto Found = Queues.find(Id);
    if (Found == Queues.end())
      return false;
    Gone = std::move(Found->second);
    Queues.erase(Found);
  }
  Gone->end(); // without the lock: end() waits for the thread
  return true;
}

void QueueTable::endAll() {
  std::lock_guard<std::mutex> Guard(Lock);
  for (auto &[Id, Q] : Queues)
    Q->end();
}
