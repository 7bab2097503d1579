//===- Events.cpp - interrupts of the GPU that host threads wait for ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table first, then the C API on it.
//
//===----------------------------------------------------------------------===//
#include "Events.h"
#include "Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <atomic>
#include <chrono>
#include <sys/mman.h>

using namespace kpack::softgpu;

//===----------------------------------------------------------------------===//
// Life of events
//===----------------------------------------------------------------------===//

bool EventTable::provideMailboxes() {
  if (Mailboxes)
    return true;
  void *Page =
      ::mmap(nullptr, MaxEvents * sizeof(uint64_t), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Page == MAP_FAILED)
    return false;
  Mailboxes = static_cast<uint64_t *>(Page);
  return true;
}

MemoryRange EventTable::mailboxes() {
  std::lock_guard<std::mutex> Guard(Lock);
  if (!provideMailboxes())
    return {};
  auto Begin = reinterpret_cast<uint64_t>(Mailboxes);
  return {Begin, Begin + MaxEvents * sizeof(uint64_t), /*Writable=*/true,
          "event mailboxes"};
}

HsaEvent *EventTable::create(HSA_EVENTTYPE Type, bool ManualReset,
                             bool Signalled) {
  std::lock_guard<std::mutex> Guard(Lock);
  // 0 is no event.
  if (Events.size() >= MaxEvents - 1 || !provideMailboxes())
    return nullptr;
  do
    LastId = LastId + 1 < MaxEvents ? LastId + 1 : 1;
  while (Events.count(LastId));
  auto E = std::make_shared<Event>();
  E->ManualReset = ManualReset;
  E->Signalled = Signalled;
  uint64_t *Mailbox = Mailboxes + LastId;
  std::atomic_ref<uint64_t>(*Mailbox).store(0, std::memory_order_relaxed);
  E->Public.EventId = LastId;
  E->Public.EventData.EventType = Type;
  E->Public.EventData.HWData1 = LastId;
  E->Public.EventData.HWData2 = reinterpret_cast<uint64_t>(Mailbox);
  E->Public.EventData.HWData3 = LastId;
  HsaEvent *Result = &E->Public;
  Events[LastId] = std::move(E);
  return Result;
}

/// Null: not one of ours, or destroyed.
EventTable::EventRef EventTable::find(HsaEvent *E) const {
  if (!E)
    return nullptr;
  auto Found = llvm::find_if(
      Events, [E](const auto &Entry) { return &Entry.second->Public == E; });
  return Found == Events.end() ? nullptr : Found->second;
}

HSAKMT_STATUS EventTable::destroy(HsaEvent *E) {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    EventRef Found = find(E);
    if (!Found)
      return HSAKMT_STATUS_INVALID_HANDLE;
    Found->Destroyed = true;
    Events.erase(Found->Public.EventId);
  }
  Changed.notify_all();
  return HSAKMT_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Setting
//===----------------------------------------------------------------------===//

void EventTable::setLocked(Event &E) {
  ++E.Sets;
  E.Signalled = E.ManualReset || E.Waiters == 0;
}

HSAKMT_STATUS EventTable::set(HsaEvent *E) {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    EventRef Found = find(E);
    if (!Found)
      return HSAKMT_STATUS_INVALID_HANDLE;
    setLocked(*Found);
  }
  Changed.notify_all();
  return HSAKMT_STATUS_SUCCESS;
}

void EventTable::post(uint32_t Id) {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    auto Found = Events.find(Id);
    if (Found == Events.end())
      return;
    setLocked(*Found->second);
  }
  Changed.notify_all();
}

void EventTable::interrupt() {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    for (auto &[Id, E] : Events) {
      std::atomic_ref<uint64_t> Mailbox(Mailboxes[Id]);
      if (Mailbox.load(std::memory_order_relaxed) != 0) {
        Mailbox.store(0, std::memory_order_relaxed);
        setLocked(*E);
      }
    }
  }
  Changed.notify_all();
}

bool EventTable::memoryFault(const HsaMemoryAccessFault &Fault) {
  bool Any = false;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    for (auto &[Id, E] : Events) {
      if (E->Public.EventData.EventType != HSA_EVENTTYPE_MEMORY)
        continue;
      Any = true;
      E->Fault = Fault;
      E->HasFault = true;
      setLocked(*E);
    }
  }
  Changed.notify_all();
  return Any;
}

HSAKMT_STATUS EventTable::reset(HsaEvent *E) {
  std::lock_guard<std::mutex> Guard(Lock);
  EventRef Found = find(E);
  if (!Found)
    return HSAKMT_STATUS_INVALID_HANDLE;
  Found->Signalled = false;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS EventTable::query(HsaEvent *E) {
  std::lock_guard<std::mutex> Guard(Lock);
  EventRef Found = find(E);
  if (!Found)
    return HSAKMT_STATUS_INVALID_HANDLE;
  return Found->Signalled ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_WAIT_TIMEOUT;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// The event has served this thread. Its data go to the caller here, in the
/// thread that reads them next.
void EventTable::take(Watch &W) {
  Event &E = *W.E;
  W.Met = true;
  if (!E.ManualReset)
    E.Signalled = false;
  if (E.HasFault)
    E.Public.EventData.EventData.MemoryAccessFault = E.Fault;
}

/// Whether the thread need not wait any longer.
bool EventTable::poll(llvm::MutableArrayRef<Watch> Watches, bool All) {
  for (Watch &W : Watches)
    if (!W.Met && (W.E->Signalled || W.E->Sets != W.SeenSets))
      take(W);
  auto IsMet = [](const Watch &W) { return W.Met; };
  return All ? llvm::all_of(Watches, IsMet) : llvm::any_of(Watches, IsMet);
}

HSAKMT_STATUS EventTable::wait(llvm::ArrayRef<HsaEvent *> Waited, bool All,
                               uint32_t Milliseconds) {
  auto End = std::chrono::steady_clock::now() +
             std::chrono::milliseconds(Milliseconds);
  std::unique_lock<std::mutex> Guard(Lock);
  llvm::SmallVector<Watch, 16> Watches;
  for (HsaEvent *Pointer : Waited) {
    EventRef E = find(Pointer);
    if (!E)
      return HSAKMT_STATUS_INVALID_HANDLE;
    Watches.push_back({E, E->Sets, /*Met=*/false});
  }
  for (Watch &W : Watches)
    ++W.E->Waiters;
  HSAKMT_STATUS Result = HSAKMT_STATUS_SUCCESS;
  while (!poll(Watches, All)) {
    if (llvm::any_of(Watches, [](const Watch &W) { return W.E->Destroyed; })) {
      Result = HSAKMT_STATUS_WAIT_FAILURE;
      break;
    }
    if (Milliseconds == HSA_EVENTTIMEOUT_INFINITE) {
      Changed.wait(Guard);
    } else if (Changed.wait_until(Guard, End) == std::cv_status::timeout) {
      if (!poll(Watches, All))
        Result = HSAKMT_STATUS_WAIT_TIMEOUT;
      break;
    }
  }
  for (Watch &W : Watches)
    --W.E->Waiters;
  return Result;
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

HSAKMT_STATUS hsaKmtCreateEvent(HsaEventDescriptor *EventDesc, bool ManualReset,
                                bool IsSignaled, HsaEvent **Event) {
  Driver *D = Driver::opened();
  if (!D)
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  if (!EventDesc || !Event || EventDesc->EventType >= HSA_EVENTTYPE_MAXID)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  *Event = D->Events.create(EventDesc->EventType, ManualReset, IsSignaled);
  return *Event ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NO_MEMORY;
}

HSAKMT_STATUS hsaKmtDestroyEvent(HsaEvent *Event) {
  Driver *D = Driver::opened();
  return D ? D->Events.destroy(Event) : Driver::givenBack();
}

HSAKMT_STATUS hsaKmtSetEvent(HsaEvent *Event) {
  Driver *D = Driver::opened();
  if (!D)
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  D->Activity.ring(); // the signal behind it may be what a barrier waits for
  return D->Events.set(Event);
}

HSAKMT_STATUS hsaKmtResetEvent(HsaEvent *Event) {
  Driver *D = Driver::opened();
  return D ? D->Events.reset(Event)
           : HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
}

HSAKMT_STATUS hsaKmtQueryEventState(HsaEvent *Event) {
  Driver *D = Driver::opened();
  return D ? D->Events.query(Event)
           : HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents(HsaEvent *Events[],
                                         HSAuint32 NumEvents, bool WaitOnAll,
                                         HSAuint32 Milliseconds) {
  Driver *D = Driver::opened();
  if (!D)
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  if (!Events || !NumEvents)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  D->Activity.ring();
  return D->Events.wait(llvm::ArrayRef(Events, NumEvents), WaitOnAll,
                        Milliseconds);
}

HSAKMT_STATUS hsaKmtWaitOnEvent(HsaEvent *Event, HSAuint32 Milliseconds) {
  return hsaKmtWaitOnMultipleEvents(&Event, 1, true, Milliseconds);
}
