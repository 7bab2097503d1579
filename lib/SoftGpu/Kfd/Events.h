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
// A thread says how old it knows an event, and does not wait for one that has
// grown older. ROCr 6.4 forgets ages of a list in which an event is there twice
// and would ask again without end: what a thread was told last is kept.
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

  /// The driver's limit; a page of mailboxes has as many.
  static constexpr uint32_t MaxEvents = KFD_SIGNAL_EVENT_LIMIT;

  /// Where the mailboxes are, MaxEvents of them; before the first event.
  void useMailboxes(uint64_t *Memory);

  /// A number from 1 on. 0: there are too many events.
  uint32_t create(uint32_t Type, bool AutoReset);
  // False: there is no such event.
  bool destroy(uint32_t Id);
  bool set(uint32_t Id);
  bool reset(uint32_t Id);

  enum class WaitResult { Met, TimedOut, Destroyed, NoSuchEvent };

  /// Until one of \p Waited (or all of them) was set, or the time is over. One
  /// that was set since the caller looked at its age counts, too. If it knows
  /// no age and this thread has been told that one before, it is told again
  /// after ForgottenNap, not at once: ROCr 6.4 forgets ages and would ask
  /// without end. It cannot do without the answer, for where it stores to a
  /// signal and looks whether someone waits, the processor may look first; then
  /// nobody sets the event. Writes the age, and the data of memory faults to
  /// the events that are of that type.
  WaitResult wait(llvm::MutableArrayRef<kfd_event_data> Waited, bool All,
                  uint32_t Milliseconds);

  /// Sets the events whose numbers device code has put into mailboxes.
  void interrupt();
  /// Sets all events of memory faults. False: there is none.
  bool memoryFault(const kfd_hsa_memory_exception_data &Fault);

private:
  /// Of an event that was never set; who knows nothing of one says this.
  static constexpr uint64_t FirstAge = 1;
  static constexpr std::chrono::milliseconds ForgottenNap{1};

  struct Event {
    uint32_t Type = 0;
    bool AutoReset = false;
    bool Signalled = false;
    bool Destroyed = false;
    /// Of the threads that wait for it.
    llvm::SmallVector<std::condition_variable *, 2> Waiters;
    uint64_t Age = FirstAge; ///< grows by 1 each time it is set
    /// The last that a thread was told, and which thread that was.
    uint64_t ToldAge = FirstAge;
    std::thread::id Told;
    std::unique_ptr<kfd_hsa_memory_exception_data> Fault;
  };
  using EventRef = std::shared_ptr<Event>;
  struct Watch {
    EventRef E;
    uint64_t SeenAge; ///< by the caller, or when waiting began
    kfd_event_data *Data;
    bool IsForgotten = false; ///< SeenAge is what this thread was told
    bool Met = false;
  };

  // Under Lock:
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
