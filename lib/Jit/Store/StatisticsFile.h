//===- Jit/Store/StatisticsFile.h - log and table of statistics -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The directory stats/ of a cache has a log that many processes append to, and
// a table into which a large log is folded. Logs are numbered and the table
// holds the number of folded logs, so each log counts exactly once, even if a
// process is killed. A process locks the log to append to it (shared) or to
// fold it (exclusive). On a file system without locks the log is never folded,
// and at its size limit it takes no more rows. No call blocks for a lock.
//
// Format: docs/format/jit-cache.md. StatisticsRecorder.h collects the counts.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_STATISTICSFILE_H
#define KPACK_JIT_STORE_STATISTICSFILE_H

#include "Jit/Store/Statistics.h"
#include "Jit/Store/Store.h"

#include <map>

namespace kpack::jit {

/// Rows by name and target.
using StatisticsTable =
    std::map<std::pair<std::string, std::string>, KernelStatistics>;

/// Adds \p Row to the row of its name and target.
void addRow(StatisticsTable &Table, const KernelStatistics &Row);

class StatisticsFile {
public:
  /// \p Root is a cache directory and stays open while this object lives.
  explicit StatisticsFile(int Root) : Root(Root) {}

  /// Returns false if another process is folding the log, or after an error.
  bool append(const StatisticsTable &Rows);

  std::vector<KernelStatistics> read() const;
  bool clear();

private:
  void fold(int Folder, uint64_t LogIndex, int Log);

  int Root;
};

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_STATISTICSFILE_H
