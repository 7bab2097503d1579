//===- Cache/CacheCounts.h - what a cache has been good for -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts of one cache object, for Cache::statistics(), and on their way into
// the cache directory, where the counts of all processes are summed for each
// kernel (Jit/Store/StatisticsRecorder.h). What is no kernel is not
// counted.
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
  /// From now on also into the cache directory \p Root, which stays open.
  void recordIn(int Root) {
    Recorder = std::make_unique<StatisticsRecorder>(Root);
  }

  /// One more of \p What, for which \p Entry was used.
  void count(const CacheRequest &Request, uint64_t KernelStatistics::*What,
             const StoredEntry *Entry = nullptr);
  /// \p Entry is null where it has failed.
  void countCompile(const CacheRequest &Request, double Seconds,
                    const StoredEntry *Entry);
  KernelStatistics sum() const;

private:
  void add(const CacheRequest &Request, KernelStatistics Delta,
           const StoredEntry *Entry);

  mutable std::mutex Lock; ///< of Sum
  KernelStatistics Sum;
  ForkGuard Guard{Lock};
  std::unique_ptr<StatisticsRecorder> Recorder; ///< null: nothing is written
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_CACHECOUNTS_H
