//===- CompressionPool.cpp - zstd on all cores, in order ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One mutex guards the queue and the jobs' flags; a job's bytes belong to the
// thread that started it until Done is set. Threads start when there is work
// for them. Each has its own zstd context: frames depend on the content and
// the level alone.
//
// Large code objects repeat themselves over distances that no level's window
// reaches (a library of GEMM kernels to less than half). Long-distance matching
// finds that, and costs a reader nothing. Its window ends at 128 MiB, which is
// what zstd's stream readers accept when nobody raises their limit.
//
//===----------------------------------------------------------------------===//

#include "CompressionPool.h"

#include <memory>
#include <system_error>
#include <zstd.h>

using namespace kpack;
using namespace kpack::detail;

namespace {

struct CCtxDeleter {
  void operator()(ZSTD_CCtx *Context) const { ZSTD_freeCCtx(Context); }
};
using CCtxPtr = std::unique_ptr<ZSTD_CCtx, CCtxDeleter>;

CCtxPtr makeContext(int Level) {
  CCtxPtr Context(ZSTD_createCCtx());
  if (!Context)
    return nullptr;
  // The content size is in the frame by default; readers need it.
  if (ZSTD_isError(ZSTD_CCtx_setParameter(Context.get(),
                                          ZSTD_c_compressionLevel, Level)) ||
      ZSTD_isError(
          ZSTD_CCtx_setParameter(Context.get(), ZSTD_c_checksumFlag, 1)))
    return nullptr;
  return Context;
}

void storeU32(char *Out, uint32_t Value) {
  for (unsigned I = 0; I != sizeof(Value); ++I)
    Out[I] = static_cast<char>(Value >> (8 * I));
}

/// Looks for repetitions in the whole of a kernel of \p Size bytes, where it is
/// larger than what the level's own window looks through.
bool setWindow(ZSTD_CCtx *Context, size_t Size) {
  constexpr size_t LargeSize = size_t(1) << 20;
  constexpr int MaxWindowLog = 27; // ZSTD_WINDOWLOG_LIMIT_DEFAULT
  bool Large = Size > LargeSize;
  // A context keeps its parameters, so both are set for small kernels as well;
  // 0 is what the level says.
  return !ZSTD_isError(ZSTD_CCtx_setParameter(
             Context, ZSTD_c_enableLongDistanceMatching, Large)) &&
         !ZSTD_isError(ZSTD_CCtx_setParameter(Context, ZSTD_c_windowLog,
                                              Large ? MaxWindowLog : 0));
}

/// Fills Job.Record or Job.Error.
void compress(ZSTD_CCtx *Context, CompressionJob &Job) {
  constexpr size_t Prefix = sizeof(uint32_t);
  if (Job.Record.size())
    return; // was compressed before
  const Buffer &Content = Job.Content;
  size_t Bound = ZSTD_compressBound(Content.size());
  if (!Context || !setWindow(Context, Content.size()) || ZSTD_isError(Bound) ||
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
    Job.Record.resize(Prefix + Length); // Shrinking: the rest goes back.
}

} // namespace

CompressionPool::CompressionPool(int Level, unsigned Threads)
    : Level(Level), MaxThreads(Threads) {}

CompressionPool::~CompressionPool() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Stopping = true;
  }
  JobAdded.notify_all();
  for (std::thread &Thread : Threads)
    Thread.join();
}

void CompressionPool::submit(uint64_t Ordinal, Buffer Content, Buffer Record) {
  bool NeedsThread;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Jobs.emplace_back();
    HeldBytes += Content.size();
    Jobs.back().Ordinal = Ordinal;
    Jobs.back().Content = std::move(Content);
    Jobs.back().Record = std::move(Record);
    ++NotStarted;
    NeedsThread = Threads.size() < MaxThreads && Jobs.size() > Threads.size();
  }
  if (NeedsThread)
    startThread();
  JobAdded.notify_one();
}

void CompressionPool::startThread() {
  try {
    Threads.emplace_back([this] { work(); });
  } catch (const std::system_error &) {
    // The system gives no more threads: the ones that run do the work. front()
    // takes over when there is not even one.
  }
}

void CompressionPool::work() {
  CCtxPtr Context = makeContext(Level);
  std::unique_lock<std::mutex> Lock(Mutex);
  for (;;) {
    JobAdded.wait(Lock, [this] { return Stopping || NotStarted; });
    if (Stopping)
      return;
    // The jobs that wait are the last ones of the queue.
    CompressionJob &Job = Jobs[Jobs.size() - NotStarted];
    --NotStarted;
    Lock.unlock();
    compress(Context.get(), Job);
    Lock.lock();
    Job.Done = true;
    JobDone.notify_one();
  }
}

CompressionJob *CompressionPool::front(bool Wait) {
  std::unique_lock<std::mutex> Lock(Mutex);
  if (Jobs.empty())
    return nullptr;
  CompressionJob &Job = Jobs.front();
  if (Wait && Threads.empty() && !Job.Done) {
    --NotStarted;
    compress(makeContext(Level).get(), Job);
    Job.Done = true;
  }
  if (Wait)
    JobDone.wait(Lock, [&] { return Job.Done; });
  return Job.Done ? &Job : nullptr;
}

void CompressionPool::pop() {
  std::lock_guard<std::mutex> Lock(Mutex);
  HeldBytes -= Jobs.front().Content.size();
  Jobs.pop_front();
}

const Buffer *CompressionPool::contentOf(uint64_t Ordinal) const {
  // Only this thread adds and removes jobs, and nobody changes their content.
  if (Jobs.empty() || Ordinal < Jobs.front().Ordinal ||
      Ordinal - Jobs.front().Ordinal >= Jobs.size())
    return nullptr;
  return &Jobs[Ordinal - Jobs.front().Ordinal].Content;
}
