//===- StatisticsRecorder.h - a process's statistics in memory --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects a process's counts for one cache directory. A hit costs a lookup in
// memory. Files are written after a compile, which takes longer anyway, and
// when the recorder or the process ends. A forked child starts at zero.
//
// StatisticsFile.h writes them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_STATISTICSRECORDER_H
#define KPACK_JIT_STORE_STATISTICSRECORDER_H

#include "Jit/Store/StatisticsFile.h"
#include "Support/ForkGuard.h"

#include <mutex>

namespace kpack::jit {

/// Thread-safe.
class StatisticsRecorder {
public:
  /// \p Root is a cache directory and stays open while this object lives.
  explicit StatisticsRecorder(int Root);
  ~StatisticsRecorder();
  StatisticsRecorder(const StatisticsRecorder &) = delete;
  StatisticsRecorder &operator=(const StatisticsRecorder &) = delete;

  /// Adds to the counts in memory; writes them only if there are very many.
  void record(const KernelStatistics &Delta);
  /// Writes the counts. Rows that could not be written are kept for the next
  /// call.
  void flush();

private:
  StatisticsFile File;
  std::mutex Lock;
  StatisticsTable Pending;
  ForkGuard Guard;
};

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_STATISTICSRECORDER_H
