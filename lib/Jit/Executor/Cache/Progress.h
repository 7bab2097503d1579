//===- Cache/Progress.h - what a person sees of compiles --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compile takes long and looks like a hang. On a terminal one line says what
// is going on and is replaced as it changes; elsewhere there are plain lines,
// few of them. No colours, and no control characters for TERM=dumb.
//
// Nobody waits for a reader, as far as poll() can tell that there is none: what
// a stopped terminal or a full pipe does not take is written with a later
// event, or never. No lock is held while it is written.
//
// Where events come from: CacheEvent.h. A program with a display of its own
// sets CacheOptions::OnEvent instead.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_PROGRESS_H
#define KPACK_JIT_EXECUTOR_CACHE_PROGRESS_H

#include "Jit/Executor/Cache/CacheEvent.h"
#include "Support/ForkGuard.h"

#include <mutex>

namespace kpack::jit {

struct ProgressOptions {
  std::string Prefix = "kpack-jit"; ///< of each line
  /// Compiles of less than a second have a line, too.
  bool Verbose = false;
  /// Failures have a line; not for who reports them otherwise.
  bool Failures = true;
  int File = 2;
};

/// Thread-safe.
class Progress {
public:
  explicit Progress(ProgressOptions Options);
  void show(const CacheEvent &Event);

private:
  void describe(const CacheEvent &Event);
  void line(const std::string &Text);   ///< for good
  void status(const std::string &Text); ///< until the next; "" removes it
  bool isDue(const CacheEvent &Event) const;
  void add(const std::string &Bytes);
  void writePending(std::unique_lock<std::mutex> &Held);

  const ProgressOptions Options;
  bool IsTerminal;
  std::mutex Lock; ///< of all below
  bool HasStatus = false;
  unsigned Running = 0;
  std::string Pending;  ///< not written yet
  bool Writing = false; ///< a thread is at it, also at what comes meanwhile
  ForkGuard Guard;
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_PROGRESS_H
