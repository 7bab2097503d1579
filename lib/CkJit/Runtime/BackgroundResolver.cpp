//===- BackgroundResolver.cpp - slots that are resolved while others run --===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each call polls the work of its slot. The first begins it; those that follow
// get CK_JIT_PENDING until the result is there, which is then handed out once.
// After a failure the next call begins a new try and returns the old failure
// meanwhile, so that a caller sees why there is no kernel and not just that it
// is pending again. That is cheap, for the Resolver compiles a blob that fails
// only after a pause, which grows. Where no thread can be started, the caller
// resolves the slot itself.
//
// The lock is held for look-ups alone, never while something is compiled.
//
//===----------------------------------------------------------------------===//
#include "BackgroundResolver.h"

using namespace kpack;
using namespace kpack::ckjit;

BackgroundResolver::BackgroundResolver(Resolver &R) : R(R), Guard(Lock) {}

/// The last one, or that there is no answer yet.
const ck_jit_failure *BackgroundResolver::failureOf(const ck_jit_slot &Slot) {
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
  // One piece of work for each slot, whatever its strings are.
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
    Why = failureOf(Slot);
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
