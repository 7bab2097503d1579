//===- Support/ForkGuard.h - state that survives a fork ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A child of fork() has one thread: locks that others held stay locked in it
// for ever, and what others were working on is never finished. An object with
// locks has a guard, which takes them before a fork and gives them back after
// it; in the child it also forgets the work of the threads that are gone.
//
// Rules: a guarded lock is held for short times only, never while something is
// compiled or a callback runs (else fork() waits for that). Hooks run in the
// order in which the guards were made: the guard of an object that locks first
// and then calls others is made before theirs. Condition variables are made
// anew in the child, and the old ones never destroyed: their waiters are gone
// without having left. posix_spawn() and vfork() run no hooks.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_FORKGUARD_H
#define KPACK_SUPPORT_FORKGUARD_H

#include <functional>
#include <memory>
#include <mutex>

namespace kpack {

enum class ForkMoment {
  Before, ///< take your locks
  Parent, ///< give them back
  Child,  ///< forget what other threads were doing, give them back
};

/// Calls a hook around every fork() while it lives. May be made while guarded
/// locks are held, but not destroyed.
class ForkGuard {
public:
  explicit ForkGuard(std::function<void(ForkMoment)> Hook);
  /// Of one lock; in the child \p InChild, if any, is called with it held.
  explicit ForkGuard(std::mutex &Lock, std::function<void()> InChild = nullptr);
  ~ForkGuard();
  ForkGuard(const ForkGuard &) = delete;
  ForkGuard &operator=(const ForkGuard &) = delete;

  class Entry;

private:
  std::shared_ptr<Entry> E;
};

} // namespace kpack

#endif // KPACK_SUPPORT_FORKGUARD_H
