//===- CompressionPool.cpp - parallel zstd compression, in order ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One mutex guards the queue and the jobs' flags; a job's bytes belong to the
// thread that started it until Done is set. Each zstd context is used by one
// thread at a time: frames depend on the content and the level alone.
//
// Large code objects repeat themselves over distances beyond any level's
// window. Long-distance matching finds these repetitions (it shrinks a library
// of GEMM kernels to less than half), at no cost for readers. Its window ends
// at 128 MiB, the default limit of zstd's stream readers.
//
//===----------------------------------------------------------------------===//

#include "CompressionPool.h"
#include "kpack/Archive/ArchiveWriter.h"

#include <algorithm>
#include <set>
#include <zstd.h>

using namespace kpack;
using namespace kpack::detail;

namespace {

void storeU32(char *Out, uint32_t Value) {
  for (unsigned I = 0; I != sizeof(Value); ++I)
    Out[I] = static_cast<char>(Value >> (8 * I));
}

bool set(ZSTD_CCtx *Context, ZSTD_cParameter Parameter, int Value) {
  return !ZSTD_isError(ZSTD_CCtx_setParameter(Context, Parameter, Value));
}

/// Prepares \p Context, which may have been used before, for a kernel of \p
/// Size bytes. If the kernel is larger than the level's window, searches for
/// repetitions in the whole of it. Frames contain the content size by default;
/// readers need it.
bool prepare(ZSTD_CCtx *Context, int Level, size_t Size) {
  constexpr size_t LargeSize = size_t(1) << 20;
  constexpr int MaxWindowLog = 27; // ZSTD_WINDOWLOG_LIMIT_DEFAULT
  bool Large = Size > LargeSize;
  // A context keeps its parameters, so both are set for small kernels as well;
  // 0 selects the level's default.
  return Context && set(Context, ZSTD_c_compressionLevel, Level) &&
         set(Context, ZSTD_c_checksumFlag, 1) &&
         set(Context, ZSTD_c_enableLongDistanceMatching, Large) &&
         set(Context, ZSTD_c_windowLog, Large ? MaxWindowLog : 0);
}

/// Sets Job.Record or Job.Error.
void compress(ZSTD_CCtx *Context, CompressionJob &Job) {
  constexpr size_t Prefix = sizeof(uint32_t);
  if (Job.Record.size())
    return; // compressed already
  std::string_view Content = Job.bytes();
  size_t Bound = ZSTD_compressBound(Content.size());
  if (!prepare(Context, Job.Level, Content.size()) || ZSTD_isError(Bound) ||
      !Job.Record.resize(Prefix + Bound)) {
    Job.Error = "no memory for " + std::to_string(Content.size()) + " bytes";
    return;
  }
  size_t Length = ZSTD_compress2(Context, Job.Record.data() + Prefix, Bound,
                                 Content.data(), Content.size());
  if (ZSTD_isError(Length))
    Job.Error = std::string("zstd: ") + ZSTD_getErrorName(Length);
  else if (Length > UINT32_MAX)
    Job.Error = "a compressed kernel of " + std::to_string(Length) +
                " bytes exceeds the 4 GiB that the format allows";
  else
    storeU32(Job.Record.data(), static_cast<uint32_t>(Length));
  if (Job.Error.empty())
    Job.Record.resize(Prefix + Length); // shrinking frees the rest
}

} // namespace

int kpack::levelLike(std::string_view Bytes, uint64_t StoredSize) {
  // A default level, and steps of about the same gain.
  constexpr int Steps[] = {3, 6, 9, 12, 15, 19, 22}, IfNone = 19;
  CompressionPool::Context Own(ZSTD_createCCtx());
  for (int Level : Steps) {
    CompressionJob Job;
    Job.Level = Level;
    Job.Kept = Bytes;
    Job.Owner = std::make_shared<char>(); // the caller keeps the bytes
    compress(Own.get(), Job);
    if (Job.Error.empty() && Job.Record.size() - sizeof(uint32_t) <= StoredSize)
      return Level;
  }
  return IfNone;
}

CompressionPool::~CompressionPool() {
  std::unique_lock<std::mutex> Lock(Mutex);
  Waiting.clear();
  JobDone.wait(Lock, [this] { return TaskCount == 0; });
}

void CompressionPool::submit(CompressionJob Job) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    HeldBytes += Job.bytes().size();
    Jobs.push_back(std::move(Job));
    Waiting.push_back(&Jobs.back());
    ++TaskCount;
  }
  Workers->run([this] { work(); });
}

/// Compresses a waiting job; there is a task for each.
void CompressionPool::work() {
  std::unique_lock<std::mutex> Lock(Mutex);
  if (!Waiting.empty()) {
    CompressionJob &Job = *Waiting.front();
    Waiting.pop_front();
    Job.Started = true;
    Context Own;
    if (!Contexts.empty()) {
      Own = std::move(Contexts.back());
      Contexts.pop_back();
    }
    Lock.unlock();
    if (!Own)
      Own.reset(ZSTD_createCCtx());
    compress(Own.get(), Job);
    Lock.lock();
    if (Own)
      Contexts.push_back(std::move(Own));
    Job.Done = true;
  }
  --TaskCount;
  // Notify with the lock held: the thread that waits for the last task destroys
  // the pool.
  JobDone.notify_one();
}

/// Returns the first job that is done and has no older one of its writer before
/// it.
CompressionPool::JobList::iterator CompressionPool::firstToWrite() {
  std::set<const KernelWriter *> HasOlder;
  for (auto Job = Jobs.begin(); Job != Jobs.end(); ++Job)
    if (HasOlder.insert(Job->Writer).second && Job->Done)
      return Job;
  return Jobs.end();
}

void CompressionPool::remove(JobList::iterator Job) {
  HeldBytes -= Job->bytes().size();
  Jobs.erase(Job);
}

bool CompressionPool::writeOne(bool Wait) {
  JobList::iterator Job;
  {
    std::unique_lock<std::mutex> Lock(Mutex);
    if (Wait && !Jobs.empty())
      JobDone.wait(Lock, [&] { return firstToWrite() != Jobs.end(); });
    Job = firstToWrite();
  }
  if (Job == Jobs.end())
    return false;
  Job->Writer->write(*Job);
  std::lock_guard<std::mutex> Lock(Mutex);
  remove(Job);
  return true;
}

bool CompressionPool::holds(const KernelWriter &Writer) const {
  return std::any_of(Jobs.begin(), Jobs.end(), [&](const CompressionJob &Job) {
    return Job.Writer == &Writer;
  });
}

const CompressionJob *CompressionPool::find(const KernelWriter &Writer,
                                            uint64_t Ordinal) const {
  // Only this thread adds and removes jobs, and no thread changes their
  // content.
  for (const CompressionJob &Job : Jobs)
    if (Job.Writer == &Writer && Job.Ordinal == Ordinal)
      return &Job;
  return nullptr;
}

void CompressionPool::drop(const KernelWriter &Writer) {
  std::unique_lock<std::mutex> Lock(Mutex);
  Waiting.erase(std::remove_if(Waiting.begin(), Waiting.end(),
                               [&](const CompressionJob *Job) {
                                 return Job->Writer == &Writer;
                               }),
                Waiting.end());
  for (auto Job = Jobs.begin(); Job != Jobs.end();) {
    auto Here = Job++;
    if (Here->Writer != &Writer)
      continue;
    JobDone.wait(Lock, [&] { return !Here->Started || Here->Done; });
    remove(Here);
  }
}
