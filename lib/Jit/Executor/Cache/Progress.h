//===- Cache/Progress.h - progress of compiles on a terminal ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A long compile looks like a hang. On a terminal one line shows the state and
// is rewritten as it changes; elsewhere there are a few plain lines. No
// colours, and no control characters for TERM=dumb.
//
// No thread waits for a reader if poll() can tell that there is none: text that
// a stopped terminal or a full pipe does not take is written with a later
// event, or never. No lock is held during writes.
//
// The events come from CacheEvent.h. A program with another display sets
// CacheOptions::OnEvent instead.
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
  /// Also print a line for compiles of less than a second.
  bool Verbose = false;
  /// Print a line for failures; off if the caller reports them.
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
  void line(const std::string &Text);   ///< a permanent line
  void status(const std::string &Text); ///< until the next; "" removes it
  bool isDue(const CacheEvent &Event) const;
  void add(const std::string &Bytes);
  void writePending(std::unique_lock<std::mutex> &Held);

  const ProgressOptions Options;
  bool IsTerminal;
  std::mutex Lock; ///< guards all below
  bool HasStatus = false;
  unsigned Running = 0;
  std::string Pending;  ///< not written yet
  bool Writing = false; ///< a thread is writing, including text added meanwhile
  ForkGuard Guard;
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_PROGRESS_H
