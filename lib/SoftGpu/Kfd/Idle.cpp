//===- Idle.cpp - waits for doorbells and signals -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After work, the first 32 waits only yield the processor, because the next
// packet often follows at once. Then come naps of 20 us, 40 us, ... 4 ms.
//
// The bell counts its rings, and a nap compares the count with the last one
// that it saw. So a ring between the check of the queue and the nap is not
// lost: the nap does not begin.
//
//===----------------------------------------------------------------------===//
#include "Idle.h"
#include <algorithm>
#include <sched.h>

using namespace kpack::softgpu;

/// Another thread may write the indices concurrently; it then rings, too.
bool ActivityBell::Sleeper::isConcerned() const {
  if (!ReadIndex)
    return true;
  return __atomic_load_n(ReadIndex, __ATOMIC_RELAXED) !=
         __atomic_load_n(WriteIndex, __ATOMIC_RELAXED);
}

void ActivityBell::ring() {
  std::lock_guard<std::mutex> Guard(Lock);
  ++Rings;
  for (Sleeper *S : Sleepers)
    if (!S->Rung && S->isConcerned()) {
      S->Rung = true;
      S->Woken.notify_one();
    }
}

void ActivityBell::wakeAll() {
  std::lock_guard<std::mutex> Guard(Lock);
  ++Rings;
  for (Sleeper *S : Sleepers) {
    S->Rung = true;
    S->Woken.notify_one();
  }
}

void ActivityBell::sleep(Sleeper &S, std::unique_lock<std::mutex> &Guard,
                         std::chrono::microseconds Longest) {
  Sleepers.push_back(&S);
  S.Woken.wait_for(Guard, Longest, [&] { return S.Rung; });
  Sleepers.erase(std::find(Sleepers.begin(), Sleepers.end(), &S));
}

void ActivityBell::await(uint64_t &Seen) {
  bool First = Seen == 0;
  if (First)
    ring();
  std::unique_lock<std::mutex> Guard(Lock);
  if (!First && Seen == Rings) {
    Sleeper S;
    sleep(S, Guard, std::chrono::milliseconds(1));
  }
  Seen = Rings;
}

void Nap::wait() {
  if (Looks < LooksBeforeNap) {
    ++Looks;
    ::sched_yield();
    return;
  }
  std::unique_lock<std::mutex> Guard(Bell.Lock);
  if (Bell.Rings == SeenRings) {
    ActivityBell::Sleeper S;
    S.ReadIndex = ReadIndex;
    S.WriteIndex = WriteIndex;
    Bell.sleep(S, Guard, Length);
    if (!S.Rung)
      Length = std::min(Length * 2, Longest);
  }
  SeenRings = Bell.Rings;
}
