//===- Cache/RetryPause.h - when a failure is tried again -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has failed is left alone for a while, so that callers in a loop do not
// run a compiler in a loop. A pause that is to grow doubles with each failure
// up to its longest; one whose first is its longest stays as it is. Who waits
// for a time and who is asked are others: lib/Jit/Executor/Cache/Attempts.h,
// CkJit/Runtime/Resolver.h. Servers, of which several processes know:
// Jit/Service/RemotePause.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_RETRYPAUSE_H
#define KPACK_JIT_EXECUTOR_CACHE_RETRYPAUSE_H

#include <algorithm>
#include <chrono>

namespace kpack::jit {

/// Not thread-safe.
class RetryPause {
public:
  using Clock = std::chrono::steady_clock;

  RetryPause(Clock::duration First, Clock::duration Longest)
      : First(First), Longest(Longest) {}

  void failed() {
    Pause = std::clamp(Pause * 2, First, Longest);
    Until = Clock::now() + Pause;
  }
  void failedForGood() { Until = Clock::time_point::max(); }
  void succeeded() { Pause = Clock::duration(0); }
  /// Whether it is time to try again.
  bool isOver() const { return Clock::now() >= Until; }

private:
  Clock::duration First, Longest, Pause{0};
  Clock::time_point Until;
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_RETRYPAUSE_H
