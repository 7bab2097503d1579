//===- Jit/Store/Statistics.h - what a cache was good for -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hits, compiles and their seconds for each kernel, summed over all processes
// that have used a cache directory, and kept in it. A process counts in memory
// and adds its counts to a log with one write: after a compile, and when it
// ends. What a process counted since then is lost when it is killed or calls
// _exit(); nothing that is on disk is. Counting never fails a lookup: where it
// cannot be written it does not take place.
//
// Format: docs/format/jit-cache.md, "Statistics". Counts of one process:
// Cache::statistics().
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_STATISTICS_H
#define KPACK_JIT_STORE_STATISTICS_H

#include "kpack/Support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kpack::jit {

/// Of one kernel for one target.
struct KernelStatistics {
  std::string Name;   ///< as CacheRequest::Name
  std::string Target; ///< target id; empty: none
  uint64_t Hits = 0;
  uint64_t Misses = 0;
  uint64_t Compiles = 0; ///< also those that failed
  uint64_t Failures = 0;
  uint64_t Waits = 0; ///< for a compile of another process
  uint64_t CompileMilliseconds = 0;
  uint64_t Bytes = 0;   ///< of the entry that was used last
  uint64_t LastUse = 0; ///< seconds since 1970
  uint64_t Fetched = 0; ///< misses that a remote cache had

  /// Adds the counts; Bytes and LastUse are those of the later use.
  void add(const KernelStatistics &Other);
};

/// The sum of all rows, without a name; Bytes is the sum too.
KernelStatistics totalOf(const std::vector<KernelStatistics> &Rows);

/// The rows of the cache in \p CacheDirectory, by name and target. No more
/// kernels than there is room for have rows of their own; those that were not
/// used for the longest time are summed in one without a name. A directory
/// without statistics gives no rows; lines that are damaged are passed over.
/// Errors: IoError; InvalidArgument for a directory of another user.
Result<std::vector<KernelStatistics>>
readStatistics(const std::string &CacheDirectory);

/// Forgets all counts. Errors: as readStatistics().
Status clearStatistics(const std::string &CacheDirectory);

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_STATISTICS_H
