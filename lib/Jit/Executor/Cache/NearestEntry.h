//===- Cache/NearestEntry.h - explanation of a cache miss -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the cached entry of the same name with the nearest key, and describes
// the fields that differ. Used for the message of a miss in strict mode, for
// KPACK_JIT_EXPLAIN, kpack_jit_cache_explain() and 'ck-jit cache explain'.
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
  /// From the entry's key to the requested one; empty if they are equal.
  std::vector<KeyDifference> Differences;
};

/// Searches all entries of \p Layers until \p Deadline: for the one with this
/// key, else for that of \p Name and \p Kind (empty: any product) whose key
/// differs from \p Key in the fewest fields; of several, the newest.
std::optional<NearestEntry>
findNearest(const std::vector<const Store *> &Layers, const std::string &Name,
            const std::string &Kind, const KeyRecord &Key,
            std::chrono::steady_clock::time_point Deadline =
                std::chrono::steady_clock::time_point::max());

/// Describes a difference: "another compiler", "header a.h edited".
std::string getMeaning(const KeyDifference &Difference);

/// Lists the first differences: "flag -O1 -> -O2, include a.h 12ab added and 3
/// more".
std::string getShortText(const std::vector<KeyDifference> &Differences);

/// Finds nearest entries, for a second in total: reading a large cache takes
/// seconds, and thousands of requests may miss. Thread-safe.
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
