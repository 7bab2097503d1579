//===- kpack/Support/WorkerThreads.h - shared pool of threads ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool of threads for all parallel work of one command. Separate threads for
// each archive and each file would be more than there are cores, and take more
// memory than planned. Threads start when there is work for them. Tasks run in
// the order in which they came; a task must not wait for a later one.
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

/// Only one thread may call run(), and no task.
class WorkerThreads {
public:
  /// Uses at most \p Count threads; 0: one for each CPU.
  explicit WorkerThreads(unsigned Count = 0);
  /// Completes all tasks.
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads &) = delete;
  WorkerThreads &operator=(const WorkerThreads &) = delete;

  unsigned count() const { return MaxThreads; }

  /// Queues \p Task. If the system gives no thread at all, runs it before the
  /// call returns.
  void run(std::function<void()> Task);

private:
  void work();
  /// True if there is a thread that will see the queue.
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
