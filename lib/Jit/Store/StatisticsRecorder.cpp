//===- StatisticsRecorder.cpp - a process's statistics in memory ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some caches live as long as the process and are never destroyed, so a list of
// all recorders is flushed at exit. The list itself is never destroyed, and it
// is created before the first recorder: fork hooks run in the order in which
// their guards were made, and the list's lock is taken first.
//
// Rows are swapped out under the lock and written without it. Rows that could
// not be written become pending again, unless there are so many that a full
// disk would fill the memory.
//
//===----------------------------------------------------------------------===//
#include "Jit/Store/StatisticsRecorder.h"

#include <algorithm>
#include <cstdlib>

using namespace kpack;
using namespace kpack::jit;

/// Rows in memory; record() flushes at this number.
static constexpr size_t MaxPending = 4096;

namespace {

/// All recorders, to be flushed at exit.
class Recorders {
public:
  static Recorders &get() {
    static Recorders *const R = new Recorders;
    return *R;
  }

  void add(StatisticsRecorder *R) {
    std::lock_guard<std::mutex> Held(Lock);
    All.push_back(R);
  }
  void remove(StatisticsRecorder *R) {
    std::lock_guard<std::mutex> Held(Lock);
    All.erase(std::find(All.begin(), All.end(), R));
  }

private:
  Recorders() {
    std::atexit([] { get().flush(); });
  }
  void flush() {
    std::lock_guard<std::mutex> Held(Lock);
    for (StatisticsRecorder *R : All)
      R->flush();
  }

  std::mutex Lock;
  std::vector<StatisticsRecorder *> All;
  ForkGuard Guard{Lock}; ///< constructed before those of the recorders
};

} // namespace

StatisticsRecorder::StatisticsRecorder(int Root)
    : File((Recorders::get(), Root)),
      Guard(Lock, [this] { Pending.clear(); }) { // the parent counts these rows
  Recorders::get().add(this);
}

StatisticsRecorder::~StatisticsRecorder() {
  Recorders::get().remove(this);
  flush();
}

void StatisticsRecorder::record(const KernelStatistics &Delta) {
  std::unique_lock<std::mutex> Held(Lock);
  addRow(Pending, Delta);
  bool IsFull = Pending.size() >= MaxPending;
  Held.unlock();
  if (IsFull)
    flush();
}

void StatisticsRecorder::flush() {
  StatisticsTable Rows;
  std::unique_lock<std::mutex> Held(Lock);
  Rows.swap(Pending);
  Held.unlock();
  if (Rows.empty() || File.append(Rows) || Rows.size() >= MaxPending)
    return;
  Held.lock();
  for (const auto &[Key, Row] : Rows)
    addRow(Pending, Row);
}
