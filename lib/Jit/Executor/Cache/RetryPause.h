//===- Cache/RetryPause.h - growing pause after failures --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After a failure, attempts pause for a while, so that callers in a loop do not
// run a compiler in a loop. The pause doubles with each failure up to Longest;
// with First equal to Longest it is constant. Users:
// lib/Jit/Executor/Cache/Attempts.h, CkJit/Runtime/Resolver.h. For servers,
// which several processes share: Jit/Service/RemotePause.h.
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
  /// Returns true if it is time to try again.
  bool isOver() const { return Clock::now() >= Until; }

private:
  Clock::duration First, Longest, Pause{0};
  Clock::time_point Until;
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_RETRYPAUSE_H
