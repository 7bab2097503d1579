//===- ConversionQueue.h - parallel conversions, in order -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host parts of a tree's binaries are independent of each other. Writing
// and verifying them is most of the work if there is little device code.
// Threads do it; the visible results (names, messages, errors) keep the order
// of the files. Used by PackTree.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_CONVERSIONQUEUE_H
#define KPACK_LIB_HOSTREWRITE_CONVERSIONQUEUE_H

#include "HostRewrite/Convert.h"
#include "kpack/Support/WorkerThreads.h"

#include <atomic>
#include <deque>
#include <functional>
#include <future>

namespace kpack::hostrewrite {

/// One thread calls the member functions.
class ConversionQueue {
public:
  /// Receives the result for a file. An error ends the work.
  using DoneFunction = std::function<llvm::Error(llvm::Expected<Conversion>)>;

  explicit ConversionQueue(std::shared_ptr<WorkerThreads> Workers)
      : Workers(std::move(Workers)) {}
  /// Drops the files that have no name yet, after their threads left them.
  ~ConversionQueue();
  ConversionQueue(const ConversionQueue &) = delete;
  ConversionQueue &operator=(const ConversionQueue &) = delete;

  /// Queues \p File for write(). A full queue waits for the oldest file first.
  /// Returns errors of earlier files.
  llvm::Error add(std::unique_ptr<StartedConversion> File, DoneFunction OnDone);
  /// Waits for all files.
  llvm::Error finish();

private:
  struct Job {
    std::unique_ptr<StartedConversion> File;
    DoneFunction OnDone;
    std::future<void> Written;
  };
  llvm::Error finishOldest();

  const std::shared_ptr<WorkerThreads> Workers;
  std::atomic<bool> IsDropped = false;
  std::deque<Job> Jobs;
};

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_CONVERSIONQUEUE_H
