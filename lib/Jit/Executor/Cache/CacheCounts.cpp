//===- CacheCounts.cpp - hits and compiles of a cache object --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hit is only counted in memory. A compile or a fetch writes all counts: next
// to these the write takes no noticeable time.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Cache/CacheCounts.h"

#include <cmath>
#include <ctime>

using namespace kpack;
using namespace kpack::jit;

void CacheCounts::add(const CacheRequest &Request, KernelStatistics Delta,
                      const StoredEntry *Entry) {
  if (Request.Auxiliary)
    return;
  {
    std::lock_guard<std::mutex> Held(Lock);
    Sum.add(Delta);
  }
  if (!Recorder)
    return;
  Delta.Name = Request.Name;
  Delta.Target = Request.Target;
  Delta.Bytes = Entry ? Entry->FileSize : 0;
  Delta.LastUse = static_cast<uint64_t>(::time(nullptr));
  Recorder->record(Delta);
  if (Delta.Compiles || Delta.Fetched)
    Recorder->flush();
}

void CacheCounts::count(const CacheRequest &Request,
                        uint64_t KernelStatistics::*Counter,
                        const StoredEntry *Entry) {
  KernelStatistics Delta;
  Delta.*Counter = 1;
  add(Request, std::move(Delta), Entry);
}

void CacheCounts::countCompile(const CacheRequest &Request, double Seconds,
                               const StoredEntry *Entry) {
  KernelStatistics Delta;
  Delta.Compiles = 1;
  Delta.CompileMilliseconds =
      static_cast<uint64_t>(std::llround(Seconds * 1000));
  Delta.Failures = !Entry;
  add(Request, std::move(Delta), Entry);
}

KernelStatistics CacheCounts::sum() const {
  std::lock_guard<std::mutex> Held(Lock);
  return Sum;
}
