//===- Idle.cpp - threads that wait for memory to change ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first 32 waits after there was work only yield the processor, because the
// next packet often follows at once. Then come naps of 20 us, 40 us, ... 4 ms.
//
// The bell counts its rings, and a nap compares the count with the one it saw
// last: a ring that comes between the look at the queue and the nap is not
// lost, since the nap then ends before it begins. A ring makes the following
// nap a short one again.
//
//===----------------------------------------------------------------------===//
#include "Idle.h"
#include <algorithm>
#include <sched.h>

using namespace kpack::softgpu;

void Nap::wait() {
  if (Looks < LooksBeforeNap) {
    ++Looks;
    ::sched_yield();
    return;
  }
  std::unique_lock<std::mutex> Guard(Bell.Lock);
  bool Rang = Bell.Rung.wait_for(Guard, Length,
                                 [&] { return Bell.Rings != SeenRings; });
  SeenRings = Bell.Rings;
  Length = Rang ? Shortest : std::min(Length * 2, Longest);
}
