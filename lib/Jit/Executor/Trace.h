//===- Trace.h - when a process did what ------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trace events as chrome://tracing and Perfetto read them, for KPACK_JIT_TRACE:
// a file for each process, an event for each write, an array whose closing
// bracket may be missing when the process was killed. Without the variable a
// slice costs a load and a branch.
//
// docs/reference/environment.md.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_EXECUTOR_TRACE_H
#define KPACK_LIB_JIT_EXECUTOR_TRACE_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kpack::jit {

/// From its construction to its end, in the thread that it lives in.
class TraceSlice {
public:
  TraceSlice(const char *Category, const std::string &Name);
  ~TraceSlice();
  TraceSlice(const TraceSlice &) = delete;
  TraceSlice &operator=(const TraceSlice &) = delete;

  void note(const char *Key, const std::string &Value);
  /// It is not of interest, unless it took a millisecond.
  void onlyIfLong() { IsOptional = true; }

private:
  bool IsOn, IsOptional = false;
  const char *Category;
  std::string Name, Notes;
  uint64_t Start = 0;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_EXECUTOR_TRACE_H
