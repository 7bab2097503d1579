//===- ConversionQueue.h - written side by side, named in order -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host parts of a tree's binaries are independent of each other, and writing
// and verifying them is most of the work where device code is little. Threads
// do that; what is seen of it (names, messages, errors) comes in the order in
// which the files came. User: PackTree.cpp.
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
  /// Told what has become of a file. An error ends the work.
  using DoneFunction = std::function<llvm::Error(llvm::Expected<Conversion>)>;

  explicit ConversionQueue(std::shared_ptr<WorkerThreads> Workers)
      : Workers(std::move(Workers)) {}
  /// Drops what has no name yet, once no thread is at it.
  ~ConversionQueue();
  ConversionQueue(const ConversionQueue &) = delete;
  ConversionQueue &operator=(const ConversionQueue &) = delete;

  /// Has \p File written. Where there are many, waits for the oldest. Errors:
  /// those of files that came before.
  llvm::Error add(std::unique_ptr<StartedConversion> File, DoneFunction OnDone);
  /// Waits for all.
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
