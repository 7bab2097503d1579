//===- WorkerPool.cpp - helper threads for dispatches ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Job lives on the stack of run(), which returns only when no helper works on
// it and it is out of the queue.
//
//===----------------------------------------------------------------------===//
#include "WorkerPool.h"
#include "llvm/ADT/STLExtras.h"

using namespace kpack::softgpu;

WorkerPool::~WorkerPool() {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Ending = true;
  }
  WorkCame.notify_all();
  for (std::thread &T : Helpers)
    T.join();
}

void WorkerPool::startThreads() {
  while (Helpers.size() + 1 < Threads)
    Helpers.emplace_back([this] { help(); });
}

void WorkerPool::help() {
  std::unique_lock<std::mutex> Guard(Lock);
  for (;;) {
    WorkCame.wait(Guard, [&] { return Ending || !Jobs.empty(); });
    if (Ending)
      return;
    Job *J = Jobs.front();
    if (--J->Wanted == 0)
      Jobs.pop_front();
    ++J->Running;
    Guard.unlock();
    J->Work();
    Guard.lock();
    --J->Running;
    HelperLeft.notify_all();
  }
}

void WorkerPool::run(llvm::function_ref<void()> Work, uint64_t Most) {
  unsigned Wanted = unsigned(std::min<uint64_t>(Threads, Most)) - 1;
  if (Most == 0 || Wanted == 0)
    return Work();
  Job J{Work, Wanted};
  {
    std::lock_guard<std::mutex> Guard(Lock);
    startThreads();
    Jobs.push_back(&J);
  }
  WorkCame.notify_all();
  Work();
  std::unique_lock<std::mutex> Guard(Lock);
  llvm::erase(Jobs, &J);
  HelperLeft.wait(Guard, [&] { return J.Running == 0; });
}
