//===- WorkerThreads.cpp - shared pool of threads -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One mutex guards the queue. The threads block signals, so that an interrupt
// goes to the thread that waits for it.
//
//===----------------------------------------------------------------------===//
#include "kpack/Support/WorkerThreads.h"

#include "Support/QuietThread.h"

#include <algorithm>

using namespace kpack;

WorkerThreads::WorkerThreads(unsigned Count)
    : MaxThreads(Count ? Count
                       : std::max(1u, std::thread::hardware_concurrency())) {}

WorkerThreads::~WorkerThreads() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Stopping = true;
  }
  TaskAdded.notify_all();
  for (std::thread &Thread : Threads)
    Thread.join();
}

bool WorkerThreads::startThread() {
  std::thread New = startQuietThread([this] { work(); });
  if (New.joinable())
    Threads.push_back(std::move(New));
  return !Threads.empty();
}

void WorkerThreads::run(std::function<void()> Task) {
  bool NeedsThread;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Tasks.push_back(std::move(Task));
    NeedsThread = Tasks.size() > Idle && Threads.size() < MaxThreads;
  }
  if (!NeedsThread || startThread()) {
    TaskAdded.notify_one();
    return;
  }
  // No thread could take it.
  std::function<void()> Own = std::move(Tasks.front());
  Tasks.pop_front();
  Own();
}

void WorkerThreads::work() {
  std::unique_lock<std::mutex> Lock(Mutex);
  for (;;) {
    ++Idle;
    TaskAdded.wait(Lock, [this] { return Stopping || !Tasks.empty(); });
    --Idle;
    if (Tasks.empty())
      return;
    std::function<void()> Task = std::move(Tasks.front());
    Tasks.pop_front();
    Lock.unlock();
    Task();
    Task = nullptr; // destroys its captures without the lock
    Lock.lock();
  }
}
