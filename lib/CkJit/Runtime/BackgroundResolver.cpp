//===- BackgroundResolver.cpp - kernels loaded in the background ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each call polls the work of its slot. The first starts it; later ones get
// CK_JIT_PENDING until there is a result, which is returned once. After a
// failure the next call starts a new try and returns the old failure meanwhile,
// so that the caller gets the reason and not just the pending state. That is
// cheap, since the Resolver compiles a failing blob only after a growing pause.
// If no thread can be started, the caller resolves the slot itself.
//
// The lock is held for look-ups only, never during a compile.
//
//===----------------------------------------------------------------------===//
#include "BackgroundResolver.h"

using namespace kpack;
using namespace kpack::ckjit;

BackgroundResolver::BackgroundResolver(Resolver &R) : R(R), Guard(Lock) {}

/// Returns the last failure, or the pending state.
const ck_jit_failure *BackgroundResolver::getFailure(const ck_jit_slot &Slot) {
  std::lock_guard<std::mutex> Held(Lock);
  if (auto Found = Failures.find(&Slot); Found != Failures.end())
    return Found->second;
  return &Pending
              .try_emplace(
                  &Slot, ck_jit_failure{CK_JIT_PENDING, Slot.blob, Slot.symbol,
                                        "is being compiled; use a fallback "
                                        "and call it again"})
              .first->second;
}

void *BackgroundResolver::resolve(ck_jit_slot &Slot,
                                  const ck_jit_failure *&Why) {
  // One job for each slot, even if strings are equal.
  std::string Name =
      std::to_string(reinterpret_cast<uintptr_t>(&Slot)) + " " + Slot.blob;
  auto Found = Work.poll(Name, [this, &Slot]() -> Result<Answer> {
    Answer A;
    A.Address = R.resolve(Slot, A.Why);
    return A;
  });
  if (!Found) // no thread: the caller waits after all
    return R.resolve(Slot, Why);
  if (!*Found) {
    Why = getFailure(Slot);
    return nullptr;
  }
  std::lock_guard<std::mutex> Held(Lock);
  if ((*Found)->Address) {
    Failures.erase(&Slot);
    return (*Found)->Address;
  }
  Why = Failures[&Slot] = (*Found)->Why;
  return nullptr;
}
