//===- Jit/Store/Statistics.h - hits and compiles of a cache ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hits, compiles and their seconds for each kernel, summed over all processes
// that have used a cache directory, and stored in it. A process counts in
// memory and appends its counts to a log with one write, after a compile and at
// its end. Counts in memory are lost if the process is killed or calls _exit();
// counts on disk are not. Statistics never fail a lookup: if they cannot be
// written, they are dropped.
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

/// The row of one kernel for one target.
struct KernelStatistics {
  std::string Name;   ///< as CacheRequest::Name
  std::string Target; ///< target id, or empty
  uint64_t Hits = 0;
  uint64_t Misses = 0;
  uint64_t Compiles = 0; ///< including failed ones
  uint64_t Failures = 0;
  uint64_t Waits = 0; ///< for a compile of another process
  uint64_t CompileMilliseconds = 0;
  uint64_t Bytes = 0;   ///< of the entry used last
  uint64_t LastUse = 0; ///< seconds since 1970
  uint64_t Fetched = 0; ///< misses served by a remote cache

  /// Adds the counts; takes Bytes from the later use, and the later LastUse.
  void add(const KernelStatistics &Other);
};

/// Sums all rows into one without a name; sums Bytes too.
KernelStatistics computeTotal(const std::vector<KernelStatistics> &Rows);

/// Returns the rows of the cache in \p CacheDirectory, by name and target. If
/// there are too many kernels, those unused for longest are summed in one row
/// without a name. A directory without statistics gives no rows; damaged lines
/// are skipped. Errors: IoError; InvalidArgument for a directory of another
/// user.
Result<std::vector<KernelStatistics>>
readStatistics(const std::string &CacheDirectory);

/// Removes all counts. Errors: as readStatistics().
Status clearStatistics(const std::string &CacheDirectory);

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_STATISTICS_H
