//===- Events.h - events that host threads wait for -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events work as in the kernel driver. An event is signalled by the host, by
// the packet processor when a dispatch has completed, or by device code, which
// writes the event's number to its mailbox and raises an interrupt. Memory
// faults are an event with data.
//
// Setting an event wakes every thread that waits for it. One with AutoReset
// stays signalled only if there is no such thread. A thread that starts to wait
// later therefore cannot take the wake-up of an earlier one.
//
// A thread passes the age at which it last saw an event, and does not wait if
// the event is older now. ROCr 6.4 forgets ages if a list has an event twice
// and would poll endlessly, so an event keeps the age that it last told a
// thread.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_EVENTS_H
#define KPACK_LIB_SOFTGPU_KFD_EVENTS_H

#include "Abi.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace kpack::softgpu {

/// All members are thread-safe.
class EventTable {
public:
  EventTable() = default;
  EventTable(const EventTable &) = delete;
  EventTable &operator=(const EventTable &) = delete;

  /// The driver's limit, which is also the number of mailboxes in a page.
  static constexpr uint32_t MaxEvents = KFD_SIGNAL_EVENT_LIMIT;

  /// Sets the array of MaxEvents mailboxes. Call this before the first
  /// create().
  void useMailboxes(uint64_t *Memory);

  /// Returns a number from 1 on, or 0 if there are too many events.
  uint32_t create(uint32_t Type, bool AutoReset);
  // These return false if the event does not exist.
  bool destroy(uint32_t Id);
  bool set(uint32_t Id);
  bool reset(uint32_t Id);

  enum class WaitResult { Met, TimedOut, Destroyed, NoSuchEvent };

  /// Waits until one of \p Waited (or all of them) was set, or the time is
  /// over. An event set since the caller read its age counts, too. If the
  /// caller knows no age and this thread was told of the event before, it is
  /// told again after ForgottenNap, not at once: ROCr 6.4 forgets ages and
  /// would poll endlessly. The answer cannot be left out: when ROCr stores to a
  /// signal and then checks for waiters, the processor may reorder the two, and
  /// then the event is never set. Writes the ages, and the data of memory
  /// faults to events of that type.
  WaitResult wait(llvm::MutableArrayRef<kfd_event_data> Waited, bool All,
                  uint32_t Milliseconds);

  /// Sets the events whose numbers device code has written to mailboxes.
  void interrupt();
  /// Sets all events of memory faults. Returns false if there is none.
  bool memoryFault(const kfd_hsa_memory_exception_data &Fault);

private:
  /// Age of an event that was never set; callers that know no age pass it.
  static constexpr uint64_t FirstAge = 1;
  static constexpr std::chrono::milliseconds ForgottenNap{1};

  struct Event {
    uint32_t Type = 0;
    bool AutoReset = false;
    bool Signalled = false;
    bool Destroyed = false;
    /// One for each waiting thread.
    llvm::SmallVector<std::condition_variable *, 2> Waiters;
    uint64_t Age = FirstAge; ///< grows by 1 each time it is set
    /// The last age that a thread was told, and that thread.
    uint64_t ToldAge = FirstAge;
    std::thread::id Told;
    std::unique_ptr<kfd_hsa_memory_exception_data> Fault;
  };
  using EventRef = std::shared_ptr<Event>;
  struct Watch {
    EventRef E;
    uint64_t SeenAge; ///< by the caller, or at the start of the wait
    kfd_event_data *Data;
    bool IsForgotten = false; ///< SeenAge is the age that this thread was told
    bool Met = false;
  };

  // The caller holds Lock:
  EventRef find(uint32_t Id) const;
  static void wake(Event &E);
  static void setLocked(Event &E);
  static Watch watch(EventRef E, kfd_event_data &Data);
  static void tellAgain(llvm::MutableArrayRef<Watch> Watches);
  static void take(Watch &W);
  static bool poll(llvm::MutableArrayRef<Watch> Watches, bool All);

  mutable std::mutex Lock;
  std::map<uint32_t, EventRef> Events;
  uint32_t LastId = 0;
  uint64_t *Mailboxes = nullptr;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_EVENTS_H
