//===- ServedCommand.h - a command at a warm compiler -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the helper has of a command that a warm compiler (CompilerPool.h) does:
// the ends of its streams and of its reply, and one whose end is the command's.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_SERVEDCOMMAND_H
#define KPACK_LIB_JIT_HELPER_SERVEDCOMMAND_H

#include "Support/Jobs.h"

#include <optional>
#include <vector>

namespace kpack::jit {

/// The reply, after a byte that says that the compiler has begun.
struct CommandOutcome {
  int IsDone; ///< 0: only the program can do it
  int Code;
  double CpuSeconds;
};

/// Let go of while it is under way, it is ended.
class ServedCommand {
public:
  struct Ends {
    UniqueFd Output, Error, Reply, LifeLine;
  };
  explicit ServedCommand(Ends Ours)
      : Ours(std::move(Ours)), Start(std::chrono::steady_clock::now()) {}

  /// What is to be polled; those that are closed are passed over.
  void addTo(std::vector<pollfd> &Events) const;
  /// Milliseconds in which something must come; -1: no matter when.
  int patience() const;
  /// Takes what has come. False: it is over.
  bool goesOn();

  /// When it is over. Nothing: the program is to be run.
  const std::optional<JobResult> &result() const { return Done; }

private:
  Ends Ours;
  std::chrono::steady_clock::time_point Start;
  std::string Replied, Output, Error;
  bool IsOver = false;
  std::optional<JobResult> Done;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_SERVEDCOMMAND_H
