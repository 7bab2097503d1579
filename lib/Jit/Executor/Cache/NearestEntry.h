//===- Jit/Executor/Cache/NearestEntry.h - why it is not cached -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a cache has of the same name as what it was asked for, and in which
// fields the keys differ, in words. For the message of a miss where nothing may
// be compiled, for KPACK_JIT_EXPLAIN, for programs that ask
// (kpack_jit_cache_explain()) and for people ('ck-jit cache explain').
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_NEARESTENTRY_H
#define KPACK_JIT_EXECUTOR_CACHE_NEARESTENTRY_H

#include "Jit/Store/Store.h"

#include <atomic>
#include <chrono>

namespace kpack::jit {

struct NearestEntry {
  Digest Id{};
  EntryInfo Info;
  /// From its key to the one that was asked for; none: it is the same.
  std::vector<KeyDifference> Differences;
};

/// Looks at each entry of \p Layers until \p Deadline: the one with that key,
/// else that of \p Name and \p Kind (empty: any product) whose key differs in
/// the fewest fields from \p Key, of several the newest.
std::optional<NearestEntry>
findNearest(const std::vector<const Store *> &Layers, const std::string &Name,
            const std::string &Kind, const KeyRecord &Key,
            std::chrono::steady_clock::time_point Deadline =
                std::chrono::steady_clock::time_point::max());

/// "another compiler", "header a.h edited".
std::string meaningOf(const KeyDifference &Difference);

/// "flag -O1 -> -O2, include a.h 12ab added and 3 more".
std::string shortTextOf(const std::vector<KeyDifference> &Differences);

/// Looks for the nearest entry for a second altogether: a large cache is read
/// in seconds, and thousands may miss. Thread-safe.
class NearestEntryFinder {
public:
  std::optional<NearestEntry> find(const std::vector<const Store *> &Layers,
                                   const std::string &Name,
                                   const std::string &Kind,
                                   const KeyRecord &Key);

private:
  using Clock = std::chrono::steady_clock;
  std::atomic<Clock::rep> Spent{0};
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_NEARESTENTRY_H
