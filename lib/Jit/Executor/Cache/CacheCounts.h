//===- CacheCounts.h - hits and compiles of a cache object ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counts of one cache object, for Cache::statistics(), which also go to the
// cache directory, where StatisticsRecorder.h (Jit/Store) sums the counts of
// all processes for each kernel. Auxiliary entries are not counted.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_CACHECOUNTS_H
#define KPACK_JIT_EXECUTOR_CACHE_CACHECOUNTS_H

#include "Jit/Executor/Cache/Cache.h"
#include "Jit/Store/StatisticsRecorder.h"

namespace kpack::jit {

/// Thread-safe.
class CacheCounts {
public:
  /// Also records later counts in the cache directory \p Root, which stays
  /// open.
  void recordIn(int Root) {
    Recorder = std::make_unique<StatisticsRecorder>(Root);
  }

  /// Adds one to \p Counter; \p Entry is the entry that was used.
  void count(const CacheRequest &Request, uint64_t KernelStatistics::*Counter,
             const StoredEntry *Entry = nullptr);
  /// \p Entry is null for a failure.
  void countCompile(const CacheRequest &Request, double Seconds,
                    const StoredEntry *Entry);
  KernelStatistics sum() const;

private:
  void add(const CacheRequest &Request, KernelStatistics Delta,
           const StoredEntry *Entry);

  mutable std::mutex Lock; ///< guards Sum
  KernelStatistics Sum;
  ForkGuard Guard{Lock};
  std::unique_ptr<StatisticsRecorder> Recorder; ///< null: records nothing
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_CACHECOUNTS_H
