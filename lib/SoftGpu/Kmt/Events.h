//===- Events.h - interrupts that host threads wait for ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As the kernel driver has them: an event is signalled by the host, by the
// packet processor when a dispatch has completed, or by device code, which
// writes the event's number to its mailbox and raises an interrupt. Memory
// faults are an event with data.
//
// Setting an event wakes every thread that waits for it then; only if there is
// none does it stay signalled. A thread that starts to wait later therefore
// cannot take a wake-up from one that waits already.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KMT_EVENTS_H
#define KPACK_LIB_SOFTGPU_KMT_EVENTS_H

#include "Thunk.h"

#include "kpack/SoftGpu/Machine/MemoryMap.h"
#include "llvm/ADT/ArrayRef.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>

namespace kpack::softgpu {

/// All members are thread-safe.
class EventTable {
public:
  EventTable() = default;
  EventTable(const EventTable &) = delete;
  EventTable &operator=(const EventTable &) = delete;

  /// The mailboxes, for the memory maps of GPUs. Empty: no memory.
  MemoryRange mailboxes();

  /// Null: too many events, or no memory.
  HsaEvent *create(HSA_EVENTTYPE Type, bool ManualReset, bool Signalled);
  HSAKMT_STATUS destroy(HsaEvent *E);
  HSAKMT_STATUS set(HsaEvent *E);
  HSAKMT_STATUS reset(HsaEvent *E);
  HSAKMT_STATUS query(HsaEvent *E);

  /// Until one of \p Waited (or all of them) was set, or the time is over.
  HSAKMT_STATUS wait(llvm::ArrayRef<HsaEvent *> Waited, bool All,
                     uint32_t Milliseconds);

  /// Sets the event of that number, if there is one.
  void post(uint32_t Id);
  /// Sets the events whose numbers device code has put into mailboxes.
  void interrupt();
  /// Sets all events of memory faults. False: there is none.
  bool memoryFault(const HsaMemoryAccessFault &Fault);

private:
  /// The driver's limit too; an event page of it has as many mailboxes.
  static constexpr uint32_t MaxEvents = 4096;

  struct Event {
    HsaEvent Public{}; ///< what the caller has a pointer to
    bool ManualReset = false;
    bool Signalled = false;
    bool Destroyed = false;
    unsigned Waiters = 0;
    uint64_t Sets = 0; ///< how often it was set
    HsaMemoryAccessFault Fault{};
    bool HasFault = false;
  };
  using EventRef = std::shared_ptr<Event>;
  struct Watch {
    EventRef E;
    uint64_t SeenSets; ///< when waiting began
    bool Met;
  };

  // Under Lock:
  bool provideMailboxes();
  EventRef find(HsaEvent *E) const;
  void setLocked(Event &E);
  static void take(Watch &W);
  static bool poll(llvm::MutableArrayRef<Watch> Watches, bool All);

  mutable std::mutex Lock;
  std::condition_variable Changed;
  std::map<uint32_t, EventRef> Events;
  uint32_t LastId = 0;
  uint64_t *Mailboxes = nullptr; ///< MaxEvents of them; never unmapped
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KMT_EVENTS_H
