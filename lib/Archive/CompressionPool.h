//===- CompressionPool.h - parallel zstd compression, in order --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compresses kernels on several threads and returns them to their writer in the
// order of submission. Any number of writers share a pool. Its memory is
// limited in bytes: one kernel with its compressed form for each thread, or
// many small ones, however many archives there are, however large they are and
// however uneven their kernels. Used by ArchiveWriter.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_ARCHIVE_COMPRESSIONPOOL_H
#define KPACK_LIB_ARCHIVE_COMPRESSIONPOOL_H

#include "kpack/Support/Buffer.h"
#include "kpack/Support/WorkerThreads.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>
#include <zstd.h>

namespace kpack {
namespace detail {

class KernelWriter;

/// A kernel in the pool.
struct CompressionJob {
  KernelWriter *Writer = nullptr;
  uint64_t Ordinal = 0;
  int Level = 0;
  /// The kernel's bytes, or Kept holds them; those belong to Owner.
  Buffer Content;
  std::string_view Kept = {};
  std::shared_ptr<const void> Owner = nullptr;
  /// The blob's record: u32 length of the frame, then the frame.
  Buffer Record;
  /// The reason why there is no record, or empty.
  std::string Error;
  bool Started = false, Done = false;

  std::string_view bytes() const { return Owner ? Kept : Content.bytes(); }
};

/// The receiver of compressed kernels.
class KernelWriter {
public:
  /// Takes the writer's oldest kernel in the pool, which is done. Stores an
  /// error instead of returning it: the caller may be another writer.
  virtual void write(const CompressionJob &Job) = 0;

protected:
  ~KernelWriter() = default;
};

/// One thread calls the member functions and its writers; other threads
/// compress.
class CompressionPool {
public:
  struct ContextDeleter {
    void operator()(ZSTD_CCtx *Context) const { ZSTD_freeCCtx(Context); }
  };
  using Context = std::unique_ptr<ZSTD_CCtx, ContextDeleter>;

  explicit CompressionPool(std::shared_ptr<WorkerThreads> Workers)
      : Workers(std::move(Workers)) {}
  ~CompressionPool();
  CompressionPool(const CompressionPool &) = delete;
  CompressionPool &operator=(const CompressionPool &) = delete;

  /// True if a kernel should leave before the next one is submitted. A pool
  /// that is not full has an idle thread, or holds little, so the caller may
  /// make and submit one more kernel of any size.
  bool full() const {
    return Jobs.size() >= Workers->count() &&
           (HeldBytes > SmallBytes ||
            Jobs.size() >= JobsPerThread * Workers->count());
  }

  /// Job.Record is set for a kernel that is compressed already.
  void submit(CompressionJob Job);

  /// Passes the oldest kernel that can be written to its writer, and drops it.
  /// With \p Wait, waits for one. Returns false if there was none.
  bool writeOne(bool Wait);

  /// True if the pool has kernels of \p Writer.
  bool holds(const KernelWriter &Writer) const;
  /// Returns a kernel that is still in the pool, or null.
  const CompressionJob *find(const KernelWriter &Writer,
                             uint64_t Ordinal) const;
  /// Drops the kernels of \p Writer, which is being destroyed.
  void drop(const KernelWriter &Writer);

private:
  /// The limit on waiting bytes beyond one kernel a thread. Together with the
  /// compressed forms and the threads' tables they stay below 64 MiB.
  static constexpr size_t SmallBytes = size_t(16) << 20;
  /// Jobs take memory too, even for tiny kernels.
  static constexpr size_t JobsPerThread = 64;

  using JobList = std::list<CompressionJob>;

  void work();
  JobList::iterator firstToWrite();
  void remove(JobList::iterator Job);

  const std::shared_ptr<WorkerThreads> Workers;
  mutable std::mutex Mutex;
  std::condition_variable JobDone;
  /// In submission order. Only the submitting thread adds and removes jobs; the
  /// workers also set Started and Done.
  JobList Jobs;
  std::deque<CompressionJob *> Waiting;
  /// Tasks that the workers have not finished.
  size_t TaskCount = 0;
  /// Contexts that no thread is using.
  std::vector<Context> Contexts;
  /// Bytes of the kernels in Jobs. Only the submitting thread reads it.
  size_t HeldBytes = 0;
};

} // namespace detail
} // namespace kpack

#endif // KPACK_LIB_ARCHIVE_COMPRESSIONPOOL_H
