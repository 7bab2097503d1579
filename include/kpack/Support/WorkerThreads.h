//===- kpack/Support/WorkerThreads.h - all cores, for all work --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number of threads for everything that one command does side by side: what
// has threads of its own for each archive and each file has more of them than
// there are cores, and more in memory than was counted on. Threads start when
// there is work for them. Tasks run in the order in which they came; none may
// wait for one that came later.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_WORKERTHREADS_H
#define KPACK_SUPPORT_WORKERTHREADS_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kpack {

/// One thread hands out work; tasks do not.
class WorkerThreads {
public:
  /// \p Count at most; 0: one for each CPU.
  explicit WorkerThreads(unsigned Count = 0);
  /// Does all that was handed out.
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads &) = delete;
  WorkerThreads &operator=(const WorkerThreads &) = delete;

  unsigned count() const { return MaxThreads; }

  /// Has \p Task run. Where the system gives no thread at all it is run before
  /// the call returns.
  void run(std::function<void()> Task);

private:
  void work();
  /// Whether there is a thread now that will see what waits.
  bool startThread();

  const unsigned MaxThreads;
  std::mutex Mutex;
  std::condition_variable TaskAdded;
  std::deque<std::function<void()>> Tasks;
  size_t Idle = 0;
  bool Stopping = false;
  std::vector<std::thread> Threads;
};

} // namespace kpack

#endif // KPACK_SUPPORT_WORKERTHREADS_H
