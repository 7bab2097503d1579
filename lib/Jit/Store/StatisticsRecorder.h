//===- StatisticsRecorder.h - counts on their way to the disk ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects what a process counts for one cache directory. A hit costs a lookup
// in memory; files are written where a compile has taken longer anyway, and
// when the recorder or the process ends. A forked child starts at zero.
//
// What is written: StatisticsFile.h.
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

  /// In memory only, unless there is very much of it.
  void record(const KernelStatistics &Delta);
  /// What could not be written is tried again with the next.
  void flush();

private:
  StatisticsFile File;
  std::mutex Lock;
  StatisticsTable Pending;
  ForkGuard Guard;
};

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_STATISTICSRECORDER_H
