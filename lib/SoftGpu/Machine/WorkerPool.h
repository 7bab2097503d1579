//===- WorkerPool.h - helper threads for dispatches -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread that calls run() works itself, and the pool's threads help. So
// every dispatch makes progress even while others keep all helpers busy, as
// kernels that wait for one another require.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_WORKERPOOL_H
#define KPACK_LIB_SOFTGPU_MACHINE_WORKERPOOL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace kpack::softgpu {

class WorkerPool {
public:
  /// \p Threads is the number that work on one run(), including its caller; at
  /// least 1. They are created when first needed.
  explicit WorkerPool(unsigned Threads) : Threads(Threads) {}
  ~WorkerPool();

  /// Calls \p Work here and on up to \p Most threads in all, and returns when
  /// all calls have. Thread-safe.
  void run(llvm::function_ref<void()> Work, uint64_t Most);

private:
  struct Job {
    llvm::function_ref<void()> Work;
    unsigned Wanted;      ///< helpers that have not started
    unsigned Running = 0; ///< helpers that are working
  };

  void startThreads();
  void help();

  const unsigned Threads;
  std::mutex Lock;
  std::condition_variable WorkCame;
  std::condition_variable HelperLeft;
  std::deque<Job *> Jobs;
  std::vector<std::thread> Helpers;
  bool Ending = false;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_WORKERPOOL_H
