//===- Queue.cpp - AQL queues and their packet processors -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread behind a queue, and the table of queues. What a
// packet does is in Packets.cpp.
//
//===----------------------------------------------------------------------===//
#include "Queue.h"
#include "Driver.h"
#include "kpack/Support/SignalMask.h"
#include "llvm/Support/MathExtras.h"
#include <hsa/hsa.h>
#include <signal.h>

using namespace kpack;
using namespace kpack::softgpu;

static constexpr uint64_t PacketBytes = 64;

//===----------------------------------------------------------------------===//
// One queue
//===----------------------------------------------------------------------===//

/// The program's signal handlers run on threads of the program. Faults of a
/// thread itself cannot be left to others.
static sigset_t signalsOfOthers() {
  sigset_t Set;
  ::sigfillset(&Set);
  for (int Own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
    ::sigdelset(&Set, Own);
  return Set;
}

Queue::Queue(Driver &D, Gpu &G, const QueueMemory &Shared)
    : D(D), TheGpu(G), Shared(Shared) {
  SignalMask Inherited(signalsOfOthers());
  Processor = std::thread([this] { run(); });
}

Queue::~Queue() { end(); }

void Queue::end() {
  std::lock_guard<std::mutex> Guard(EndLock);
  Ending = true;
  D.Activity.ring();
  if (Processor.joinable())
    Processor.join();
}

void Queue::setActive(bool Yes) {
  Active = Yes;
  D.Activity.ring();
}

void Queue::run() {
  Nap Idle(D.Activity);
  while (!Ending)
    if (Active && !InError && step())
      Idle.reset();
    else
      Idle.wait();
}

/// One packet, if there is one and what it waits for has come.
bool Queue::step() {
  std::atomic_ref<uint64_t> ReadIndex(*Shared.ReadIndex);
  std::atomic_ref<uint64_t> WriteIndex(*Shared.WriteIndex);
  uint64_t Read = ReadIndex.load(std::memory_order_relaxed);
  if (Read >= WriteIndex.load(std::memory_order_acquire))
    return false;
  uint8_t *Packet = Shared.Ring + (Read & (Shared.Packets - 1)) * PacketBytes;
  // A packet belongs to us when its header, which is written last, says so.
  std::atomic_ref<uint16_t> Header(*reinterpret_cast<uint16_t *>(Packet));
  uint16_t Found = Header.load(std::memory_order_acquire);
  if ((Found & 0xff) == HSA_PACKET_TYPE_INVALID)
    return false;
  hsa_signal_t Handle;
  std::memcpy(&Handle,
              Packet + offsetof(hsa_barrier_and_packet_t, completion_signal),
              sizeof(Handle));
  amd_signal_t *Completion = signal(Handle);
  if (Handle.handle && !Completion) {
    fail(QueueError::Packet, "the completion signal is not device memory");
    return false;
  }
  DispatchId = Read;
  if (Completion && !MetDependencies)
    Completion->start_ts = now();
  if (execute(Packet, Found) != Outcome::Done)
    return false;
  MetDependencies = 0;
  Header.store(HSA_PACKET_TYPE_INVALID, std::memory_order_release);
  ReadIndex.store(Read + 1, std::memory_order_release);
  if (Completion)
    complete(*Completion);
  return true;
}

//===----------------------------------------------------------------------===//
// All queues
//===----------------------------------------------------------------------===//

uint32_t QueueTable::add(std::unique_ptr<Queue> Q) {
  std::lock_guard<std::mutex> Guard(Lock);
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
  return true; // the thread is joined without the lock
}

void QueueTable::endAll() {
  std::lock_guard<std::mutex> Guard(Lock);
  for (auto &[Id, Q] : Queues)
    Q->end();
}
