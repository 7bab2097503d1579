//===- CkJit.cpp - C functions of libckjit --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C functions of kpack/CkJit/Runtime.h. No exception leaves them except
// from ck_jit_resolve_or_throw().
//
//===----------------------------------------------------------------------===//
#include "BackgroundResolver.h"
#include "ParallelFor.h"

#include <algorithm>
#include <iterator>

using namespace kpack;
using namespace kpack::ckjit;

namespace kpack::jit {
extern const char KPACK_JIT_BUILD;
} // namespace kpack::jit

namespace {

/// Resolved when this library is loaded: requires libkpack_jit.so of this
/// build.
[[gnu::used]] const char *volatile const Build = &jit::KPACK_JIT_BUILD;

/// State of the process.
struct Process {
  std::mutex Lock;
  Choices Chosen;
  std::atomic<Resolver *> Made{nullptr};
  ck_jit_error_handler Handler = nullptr;
  void *HandlerUser = nullptr;
  ForkGuard Forks{Lock};

  Resolver &resolver() {
    if (Resolver *R = Made.load(std::memory_order_acquire))
      return *R;
    std::lock_guard<std::mutex> Guard(Lock);
    if (!Made.load(std::memory_order_relaxed))
      Made.store(new Resolver(Chosen), std::memory_order_release);
    return *Made.load(std::memory_order_relaxed);
  }
};

/// Never destroyed: stubs may be called at the end of the program.
Process &process() {
  static Process *const P = new Process;
  return *P;
}

bool choose(std::string Choices::*Member, const char *Value) {
  Process &P = process();
  std::lock_guard<std::mutex> Guard(P.Lock);
  if (!Value || P.Made.load(std::memory_order_relaxed))
    return false;
  P.Chosen.*Member = Value;
  return true;
}

const ck_jit_failure OutOfMemory = {CK_JIT_TRANSIENT, "libckjit", "",
                                    "out of memory"};

} // namespace

void *ck_jit_resolve(ck_jit_slot *Slot, const ck_jit_failure **Why) {
  const ck_jit_failure *Ignored;
  try {
    return process().resolver().resolve(*Slot, Why ? *Why : Ignored);
  } catch (const std::exception &) {
    // Only the standard library throws here (out of memory).
    (Why ? *Why : Ignored) = &OutOfMemory;
    return nullptr;
  }
}

const ck_jit_failure *ck_jit_resolve_all(ck_jit_slot *const *Slots,
                                         size_t Count) {
  try {
    std::vector<ck_jit_slot *> Missing;
    std::copy_if(Slots, Slots + Count, std::back_inserter(Missing),
                 [](const ck_jit_slot *Slot) {
                   return !Slot->address.load(std::memory_order_acquire);
                 });
    std::vector<const ck_jit_failure *> Failures(Missing.size());
    parallelFor(Missing.size(), [&](size_t I) {
      const ck_jit_failure *Why = nullptr;
      if (!ck_jit_resolve(Missing[I], &Why))
        Failures[I] = Why;
    });
    for (const ck_jit_failure *Why : Failures)
      if (Why)
        return Why;
    return nullptr;
  } catch (const std::exception &) {
    return &OutOfMemory;
  }
}

void *ck_jit_resolve_async(ck_jit_slot *Slot, const ck_jit_failure **Why) {
  const ck_jit_failure *Ignored;
  try {
    // Never destroyed, like the resolver.
    static BackgroundResolver *const Pending =
        new BackgroundResolver(process().resolver());
    return Pending->resolve(*Slot, Why ? *Why : Ignored);
  } catch (const std::exception &) {
    (Why ? *Why : Ignored) = &OutOfMemory;
    return nullptr;
  }
}

void *ck_jit_resolve_or_throw(ck_jit_slot *Slot) {
  const ck_jit_failure *Why = nullptr;
  if (void *Address = ck_jit_resolve(Slot, &Why))
    return Address;
  ck_jit_detail::fail(*Why);
}

bool ck_jit_set_cache_dir(const char *Path) {
  return choose(&Choices::CacheDir, Path);
}

bool ck_jit_set_target(const char *TargetId) {
  return choose(&Choices::Target, TargetId);
}

void ck_jit_set_error_handler(ck_jit_error_handler Handler, void *User) {
  Process &P = process();
  std::lock_guard<std::mutex> Guard(P.Lock);
  P.Handler = Handler;
  P.HandlerUser = User;
}

ck_jit_error_handler ck_jit_get_error_handler(void **User) {
  Process &P = process();
  std::lock_guard<std::mutex> Guard(P.Lock);
  *User = P.HandlerUser;
  return P.Handler;
}

void ck_jit_get_statistics(ck_jit_statistics *Out) {
  Process &P = process();
  Resolver *Created = P.Made.load(std::memory_order_acquire);
  *Out = Created ? Created->statistics() : ck_jit_statistics{};
}
