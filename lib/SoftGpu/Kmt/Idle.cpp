//===- Idle.cpp - threads that wait for memory to change ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Idle.h.
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
