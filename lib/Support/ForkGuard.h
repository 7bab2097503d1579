//===- Support/ForkGuard.h - locks and threads across fork() ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A child of fork() has one thread. Locks of other threads stay locked in it,
// and their work is never finished. An object with locks has a guard, which
// takes them before a fork and releases them after it; in the child it also
// discards the work of the other threads.
//
// Rules: a guarded lock is held for short times only, never during a compile or
// a callback, since fork() waits for it. Hooks run in the order in which the
// guards were made: the guard of an object that locks first and then calls
// other objects is made before theirs. The child makes new condition variables
// and never destroys the old ones, which still have waiters. posix_spawn() and
// vfork() run no hooks.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_FORKGUARD_H
#define KPACK_SUPPORT_FORKGUARD_H

#include <functional>
#include <memory>
#include <mutex>

namespace kpack {

enum class ForkMoment {
  Before, ///< take the locks
  Parent, ///< release them
  Child,  ///< discard the work of other threads, release the locks
};

/// Calls a hook around every fork() while it lives. May be made while guarded
/// locks are held, but not destroyed.
class ForkGuard {
public:
  explicit ForkGuard(std::function<void(ForkMoment)> Hook);
  /// Guards one lock; the child calls \p InChild, if set, with the lock held.
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
