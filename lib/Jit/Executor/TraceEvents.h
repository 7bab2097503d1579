//===- TraceEvents.h - trace events of a process ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trace events for chrome://tracing and Perfetto, written for KPACK_JIT_TRACE:
// a file for each process, one write for each event, in an array whose closing
// bracket may be missing if the process was killed. Without the variable a
// slice costs a load and a branch.
//
// docs/reference/environment.md.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_EXECUTOR_TRACEEVENTS_H
#define KPACK_LIB_JIT_EXECUTOR_TRACEEVENTS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kpack::jit {

/// An event from construction to destruction, in the current thread.
class TraceSlice {
public:
  TraceSlice(const char *Category, const std::string &Name);
  ~TraceSlice();
  TraceSlice(const TraceSlice &) = delete;
  TraceSlice &operator=(const TraceSlice &) = delete;

  void note(const char *Key, const std::string &Value);
  /// Drops the slice if it takes less than a millisecond.
  void onlyIfLong() { IsOptional = true; }

private:
  bool IsOn, IsOptional = false;
  const char *Category;
  std::string Name, Notes;
  uint64_t Start = 0;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_EXECUTOR_TRACEEVENTS_H
