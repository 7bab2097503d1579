//===- NearestEntry.h - why there is none in the cache ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the message of a miss where nothing may be compiled: the fields in which
// the key that was asked for differs from the nearest one of that name. The
// same question with more words is 'ck-jit cache explain'.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_EXECUTOR_NEARESTENTRY_H
#define KPACK_LIB_JIT_EXECUTOR_NEARESTENTRY_H

#include "kpack/Jit/Executor/Cache.h"

#include <atomic>
#include <chrono>

namespace kpack::jit {

/// Thread-safe. All misses that one object is asked about search for a second
/// together: a large cache is read in seconds, and thousands may miss.
class NearestEntry {
public:
  /// A line that follows a message, "\n  the nearest entry differs in: flag -O1
  /// -> -O2, include a.h added"; empty: nothing of that name was found.
  std::string describe(const std::vector<std::unique_ptr<Store>> &Layers,
                       const CacheRequest &Request);

private:
  using Clock = std::chrono::steady_clock;
  std::atomic<Clock::rep> Spent{0};
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_EXECUTOR_NEARESTENTRY_H
