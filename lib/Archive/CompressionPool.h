//===- CompressionPool.h - zstd on all cores, in order ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compresses kernels on several threads and gives them back in the order in
// which they came. What it holds is limited by bytes: one kernel with its
// compressed form for each thread, or many small ones; memory depends neither
// on the size of the archive nor on how uneven its kernels are. User:
// ArchiveWriter.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_ARCHIVE_COMPRESSIONPOOL_H
#define KPACK_LIB_ARCHIVE_COMPRESSIONPOOL_H

#include "kpack/Support/Buffer.h"
#include "kpack/Support/Status.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kpack {
namespace detail {

/// One kernel on its way through the pool.
struct CompressionJob {
  uint64_t Ordinal = 0;
  Buffer Content;
  /// The blob's record: u32 length of the frame, then the frame.
  Buffer Record;
  /// Why there is no record; empty otherwise.
  std::string Error;
  bool Done = false;
};

/// One thread calls the member functions, the pool's threads compress.
class CompressionPool {
public:
  CompressionPool(int Level, unsigned Threads);
  ~CompressionPool();
  CompressionPool(const CompressionPool &) = delete;
  CompressionPool &operator=(const CompressionPool &) = delete;

  bool empty() const { return Jobs.empty(); }

  /// Whether the oldest job should leave before the next one comes. A pool that
  /// is not full has a thread to spare, or holds little; so one more kernel of
  /// any size may be made and submitted.
  bool full() const {
    return Jobs.size() >= MaxThreads &&
           (HeldBytes > SmallBytes ||
            Jobs.size() >= JobsPerThread * MaxThreads);
  }

  /// \p Record is there for a kernel that needs no compression.
  void submit(uint64_t Ordinal, Buffer Content, Buffer Record);

  /// The oldest job if it is done; with \p Wait, when it is done. Null when
  /// there is none. It stays in the pool until pop().
  CompressionJob *front(bool Wait);
  void pop();

  /// Content of \p Ordinal if that job is still in the pool, else null.
  const Buffer *contentOf(uint64_t Ordinal) const;

private:
  /// What may wait beyond one kernel a thread. With what it becomes compressed,
  /// and with the threads' tables, it stays below 64 MiB.
  static constexpr size_t SmallBytes = size_t(16) << 20;
  /// Jobs take memory too, however small their kernels are.
  static constexpr size_t JobsPerThread = 64;

  void work();
  void startThread();

  const int Level;
  const unsigned MaxThreads;
  mutable std::mutex Mutex;
  std::condition_variable JobAdded;
  std::condition_variable JobDone;
  /// By ordinal, without gaps. Elements stay in place while others come and go
  /// at the ends.
  std::deque<CompressionJob> Jobs;
  /// Bytes of the kernels in Jobs. Only the thread that submits reads it.
  size_t HeldBytes = 0;
  size_t NotStarted = 0;
  bool Stopping = false;
  std::vector<std::thread> Threads;
};

} // namespace detail
} // namespace kpack

#endif // KPACK_LIB_ARCHIVE_COMPRESSIONPOOL_H
