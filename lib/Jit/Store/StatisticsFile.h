//===- Jit/Store/StatisticsFile.h - counts on disk --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The folder stats/ of a cache: a log that many processes append to, and a
// table into which a log is folded when it is large. The table says how many
// logs it holds, and logs are numbered: each counts exactly once, whenever a
// process is killed. A log is locked (shared) while it is appended to and
// (exclusively) while it is folded; where there are no locks it is never
// folded, and full at some time. Nobody waits here.
//
// Format: docs/format/jit-cache.md. Who collects: StatisticsRecorder.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_STATISTICSFILE_H
#define KPACK_JIT_STORE_STATISTICSFILE_H

#include "Jit/Store/Statistics.h"
#include "Jit/Store/Store.h"

#include <map>

namespace kpack::jit {

/// By name and target.
using StatisticsTable =
    std::map<std::pair<std::string, std::string>, KernelStatistics>;

/// Adds \p Row to the row of its name and target.
void addRow(StatisticsTable &Table, const KernelStatistics &Row);

class StatisticsFile {
public:
  /// \p Root is a cache directory and stays open while this object lives.
  explicit StatisticsFile(int Root) : Root(Root) {}

  /// False: not now, somebody folds the log; or never.
  bool append(const StatisticsTable &Rows);

  std::vector<KernelStatistics> read() const;
  bool clear();

private:
  void fold(int Folder, uint64_t Number, int Log);

  int Root;
};

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_STATISTICSFILE_H
