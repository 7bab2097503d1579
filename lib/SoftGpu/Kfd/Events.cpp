//===- Events.cpp - events that host threads wait for ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waiting threads keep a destroyed event alive until they have noticed.
//
//===----------------------------------------------------------------------===//
#include "Events.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>
#include <chrono>

using namespace kpack::softgpu;

//===----------------------------------------------------------------------===//
// Creation and destruction
//===----------------------------------------------------------------------===//

void EventTable::useMailboxes(uint64_t *Memory) {
  std::lock_guard<std::mutex> Guard(Lock);
  Mailboxes = Memory;
}

uint32_t EventTable::create(uint32_t Type, bool AutoReset) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (Events.size() >= MaxEvents - 1) // 0 is no event
    return 0;
  do
    LastId = LastId + 1 < MaxEvents ? LastId + 1 : 1;
  while (Events.count(LastId));
  auto E = std::make_shared<Event>();
  E->Type = Type;
  E->AutoReset = AutoReset;
  if (Mailboxes)
    std::atomic_ref<uint64_t>(Mailboxes[LastId])
        .store(0, std::memory_order_relaxed);
  Events[LastId] = std::move(E);
  return LastId;
}

/// Returns null if the event does not exist.
EventTable::EventRef EventTable::find(uint32_t Id) const {
  auto Found = Events.find(Id);
  return Found == Events.end() ? nullptr : Found->second;
}

bool EventTable::destroy(uint32_t Id) {
  std::lock_guard<std::mutex> Guard(Lock);
  EventRef E = find(Id);
  if (!E)
    return false;
  E->Destroyed = true;
  wake(*E);
  Events.erase(Id);
  return true;
}

//===----------------------------------------------------------------------===//
// Setting
//===----------------------------------------------------------------------===//

/// Wakes only the event's waiters: a program has a dozen waiting threads.
void EventTable::wake(Event &E) {
  for (std::condition_variable *Waiter : E.Waiters)
    Waiter->notify_one();
}

void EventTable::setLocked(Event &E) {
  ++E.Age;
  E.Signalled = !E.AutoReset || E.Waiters.empty();
  wake(E);
}

bool EventTable::set(uint32_t Id) {
  std::lock_guard<std::mutex> Guard(Lock);
  EventRef E = find(Id);
  if (E)
    setLocked(*E);
  return E != nullptr;
}

bool EventTable::reset(uint32_t Id) {
  std::lock_guard<std::mutex> Guard(Lock);
  EventRef E = find(Id);
  if (E)
    E->Signalled = false;
  return E != nullptr;
}

void EventTable::interrupt() {
  std::lock_guard<std::mutex> Guard(Lock);
  if (!Mailboxes)
    return;
  for (auto &[Id, E] : Events) {
    std::atomic_ref<uint64_t> Mailbox(Mailboxes[Id]);
    if (Mailbox.load(std::memory_order_relaxed) != 0) {
      Mailbox.store(0, std::memory_order_relaxed);
      setLocked(*E);
    }
  }
}

bool EventTable::memoryFault(const kfd_hsa_memory_exception_data &Fault) {
  bool Any = false;
  std::lock_guard<std::mutex> Guard(Lock);
  for (auto &[Id, E] : Events) {
    if (E->Type != KFD_IOC_EVENT_MEMORY)
      continue;
    Any = true;
    E->Fault = std::make_unique<kfd_hsa_memory_exception_data>(Fault);
    setLocked(*E);
  }
  return Any;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// Returns the field with the event's age that the caller knows, or null if it
/// gave none.
static uint64_t *getAge(uint32_t Type, kfd_event_data &Data) {
  auto &Signal = reinterpret_cast<kfd::SignalEventData &>(Data);
  return Type == KFD_IOC_EVENT_SIGNAL && Signal.LastEventAge
             ? &Signal.LastEventAge
             : nullptr;
}

/// Takes the event's age from the caller, or from the last answer to this
/// thread.
EventTable::Watch EventTable::watch(EventRef E, kfd_event_data &Data) {
  const uint64_t *Known = getAge(E->Type, Data);
  if (!Known)
    return {E, E->Age, &Data};
  bool Forgot = *Known == FirstAge && E->ToldAge != FirstAge &&
                E->Told == std::this_thread::get_id();
  return {E, Forgot ? E->ToldAge : *Known, &Data, Forgot};
}

/// Lets events that this thread was told of count as new again.
void EventTable::tellAgain(llvm::MutableArrayRef<Watch> Watches) {
  for (Watch &W : Watches)
    if (W.IsForgotten)
      W.SeenAge = FirstAge;
}

/// Delivers the event to this thread.
void EventTable::take(Watch &W) {
  W.Met = true;
  if (uint64_t *Age = getAge(W.E->Type, *W.Data)) {
    *Age = W.E->ToldAge = W.E->Age;
    W.E->Told = std::this_thread::get_id();
  }
  if (W.E->AutoReset)
    W.E->Signalled = false;
  if (W.E->Fault)
    W.Data->memory_exception_data = *W.E->Fault;
}

/// True if the thread can stop waiting.
bool EventTable::poll(llvm::MutableArrayRef<Watch> Watches, bool All) {
  for (Watch &W : Watches)
    if (!W.Met && (W.E->Signalled || W.E->Age != W.SeenAge))
      take(W);
  auto IsMet = [](const Watch &W) { return W.Met; };
  return All ? llvm::all_of(Watches, IsMet) : llvm::any_of(Watches, IsMet);
}

EventTable::WaitResult
EventTable::wait(llvm::MutableArrayRef<kfd_event_data> Waited, bool All,
                 uint32_t Milliseconds) {
  constexpr uint32_t ForEver = ~uint32_t(0);
  auto End = std::chrono::steady_clock::now() +
             std::chrono::milliseconds(Milliseconds);
  std::unique_lock<std::mutex> Guard(Lock);
  llvm::SmallVector<Watch, 16> Watches;
  for (kfd_event_data &Data : Waited) {
    EventRef E = find(Data.event_id);
    if (!E)
      return WaitResult::NoSuchEvent;
    Watches.push_back(watch(std::move(E), Data));
  }
  auto NapEnd = std::chrono::steady_clock::now() + ForgottenNap;
  bool Naps =
      NapEnd < End &&
      llvm::any_of(Watches, [](const Watch &W) { return W.IsForgotten; });
  std::condition_variable Woken;
  for (Watch &W : Watches)
    W.E->Waiters.push_back(&Woken);
  WaitResult Result = WaitResult::Met;
  while (!poll(Watches, All)) {
    if (llvm::any_of(Watches, [](const Watch &W) { return W.E->Destroyed; })) {
      Result = WaitResult::Destroyed;
      break;
    }
    if (Naps) {
      Naps = Woken.wait_until(Guard, NapEnd) != std::cv_status::timeout;
      if (!Naps)
        tellAgain(Watches);
    } else if (Milliseconds == ForEver) {
      Woken.wait(Guard);
    } else if (Woken.wait_until(Guard, End) == std::cv_status::timeout) {
      if (!poll(Watches, All))
        Result = WaitResult::TimedOut;
      break;
    }
  }
  for (Watch &W : Watches)
    W.E->Waiters.erase(llvm::find(W.E->Waiters, &Woken));
  return Result;
}
