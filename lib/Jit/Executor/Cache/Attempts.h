//===- Cache/Attempts.h - one compile of a key among threads ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the threads of a process that miss the same entry, one compiles it and the
// others wait. They all receive a failure, as do later callers within its
// lifetime: a compiler's error holds until the key changes, other errors may
// pass.
//
// A forked child lacks the threads that were compiling, so their keys are free
// again. Across processes: Jit/Store/CompileLock.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_ATTEMPTS_H
#define KPACK_JIT_EXECUTOR_CACHE_ATTEMPTS_H

#include "Jit/Executor/Cache/RetryPause.h"
#include "Jit/Store/Key.h"
#include "Jit/Store/StopCallback.h"
#include "Support/ForkGuard.h"

#include <condition_variable>
#include <map>
#include <mutex>

namespace kpack::jit {

/// Thread-safe.
class Attempts {
  struct Attempt;

public:
  /// \p FailureLifetime in seconds.
  explicit Attempts(double FailureLifetime);

  /// The result of take(). Mine is null if another thread's attempt has ended:
  /// with Failure, or with an entry if that is a success.
  struct Turn {
    std::shared_ptr<Attempt> Mine;
    Status Failure;
  };
  /// Returns the caller's turn, after which it must call end(), or the outcome
  /// of another thread's attempt. An attempt that was cancelled does not count.
  /// Errors: Cancelled, by \p Stop.
  Turn take(const Digest &Id, const StopCallback &Stop = nullptr);
  /// Ends an attempt. Waiting threads receive a failure, and with \p Remember
  /// also later ones for a while.
  void end(const Digest &Id, const Turn &Ended, const Status &Outcome,
           bool Remember);

private:
  bool waitFor(std::unique_lock<std::mutex> &Held, const Attempt &Other,
               const StopCallback &Stop);
  void forgetThreads();

  RetryPause Pause; ///< initial value of each attempt
  std::mutex Lock;  ///< guards all below; never held while compiling
  std::unique_ptr<std::condition_variable> AnyEnded;
  std::map<Digest, std::shared_ptr<Attempt>> Known;
  ForkGuard Guard;
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_ATTEMPTS_H
