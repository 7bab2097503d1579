//===- CompressionPool.h - zstd on all cores, in order ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compresses kernels on several threads and gives them back to their writer in
// the order in which they came from it. Any number of writers share one: what
// it holds is limited by bytes, one kernel with its compressed form for each
// thread or many small ones, however many archives they go to, however large
// those are and however uneven their kernels. User: ArchiveWriter.cpp.
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

/// One kernel on its way through the pool.
struct CompressionJob {
  KernelWriter *Writer = nullptr;
  uint64_t Ordinal = 0;
  int Level = 0;
  /// Its bytes, or Kept are; those belong to Owner.
  Buffer Content;
  std::string_view Kept = {};
  std::shared_ptr<const void> Owner = nullptr;
  /// The blob's record: u32 length of the frame, then the frame.
  Buffer Record;
  /// Why there is no record; empty otherwise.
  std::string Error;
  bool Started = false, Done = false;

  std::string_view bytes() const { return Owner ? Kept : Content.bytes(); }
};

/// Whoever gets kernels back.
class KernelWriter {
public:
  /// Of its kernels the oldest in the pool, which is done. It keeps an error to
  /// itself: the caller may be another writer.
  virtual void write(const CompressionJob &Job) = 0;

protected:
  ~KernelWriter() = default;
};

/// One thread calls the member functions, and its writers; others compress.
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

  /// Whether a kernel should leave before the next one comes. A pool that is
  /// not full has a thread to spare, or holds little; so one more kernel of any
  /// size may be made and submitted.
  bool full() const {
    return Jobs.size() >= Workers->count() &&
           (HeldBytes > SmallBytes ||
            Jobs.size() >= JobsPerThread * Workers->count());
  }

  /// Job.Record is there for a kernel that needs no compression.
  void submit(CompressionJob Job);

  /// Gives the oldest kernel that can be written to its writer, and drops it.
  /// With \p Wait, waits for one. False when there was none.
  bool writeOne(bool Wait);

  /// Whether \p Writer has kernels here.
  bool holds(const KernelWriter &Writer) const;
  /// A kernel that is here still, else null.
  const CompressionJob *find(const KernelWriter &Writer,
                             uint64_t Ordinal) const;
  /// Forgets the kernels of \p Writer, which goes.
  void drop(const KernelWriter &Writer);

private:
  /// What may wait beyond one kernel a thread. With what it becomes compressed,
  /// and with the threads' tables, it stays below 64 MiB.
  static constexpr size_t SmallBytes = size_t(16) << 20;
  /// Jobs take memory too, however small their kernels are.
  static constexpr size_t JobsPerThread = 64;

  using JobList = std::list<CompressionJob>;

  void work();
  JobList::iterator firstToWrite();
  void remove(JobList::iterator Job);

  const std::shared_ptr<WorkerThreads> Workers;
  mutable std::mutex Mutex;
  std::condition_variable JobDone;
  /// In the order in which they came. Only the thread that submits adds and
  /// removes; Started and Done are the threads' too.
  JobList Jobs;
  std::deque<CompressionJob *> Waiting;
  /// Tasks that the workers have not ended yet.
  size_t TaskCount = 0;
  /// Those that no thread is using.
  std::vector<Context> Contexts;
  /// Bytes of the kernels in Jobs. Only the thread that submits reads it.
  size_t HeldBytes = 0;
};

} // namespace detail
} // namespace kpack

#endif // KPACK_LIB_ARCHIVE_COMPRESSIONPOOL_H
