//===- Jit/Executor/Cache/Attempts.h - one thread for each key --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the threads of a process that want the same missing entry one makes it,
// the others wait for how that ends. A failure is told to all who have waited,
// and to those who come within its lifetime: what the compiler refuses it
// refuses until the key is another one, anything else may pass.
//
// A forked child has none of the threads that were at work: their keys are free
// again. One process of several: Jit/Store/CompileLock.h.
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

  /// Mine is null where another thread has ended with Failure.
  struct Turn {
    std::shared_ptr<Attempt> Mine;
    Status Failure;
  };
  /// The turn of the caller, who then calls end(); or, after a while, what came
  /// of somebody else's. An attempt that its caller has stopped is none.
  /// Errors: Cancelled, by \p Stop.
  Turn take(const Digest &Id, const StopCallback &Stop = nullptr);
  /// A failure is for those who wait, and with \p Remember for a while.
  void end(const Digest &Id, const Turn &Ended, const Status &Outcome,
           bool Remember);

private:
  bool waitFor(std::unique_lock<std::mutex> &Held, const Attempt &Other,
               const StopCallback &Stop);
  void forgetThreads();

  RetryPause Pause; ///< as each attempt begins
  std::mutex Lock;  ///< of all below; never held while compiling
  std::unique_ptr<std::condition_variable> AnyEnded;
  std::map<Digest, std::shared_ptr<Attempt>> Known;
  ForkGuard Guard;
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_ATTEMPTS_H
