//===- ServedCommand.h - command in a preloaded compiler --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The helper's side of a command in a warm compiler (CompilerPool.h): our ends
// of its streams and its reply, and a pipe whose end ends the command.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_SERVEDCOMMAND_H
#define KPACK_LIB_JIT_HELPER_SERVEDCOMMAND_H

#include "Support/Jobs.h"

#include <optional>
#include <vector>

namespace kpack::jit {

/// The reply; a byte precedes it when the compiler begins.
struct CommandOutcome {
  int IsDone; ///< 0 if only the program can do it
  int Code;
  double CpuSeconds;
};

/// The destructor of a running command ends it.
class ServedCommand {
public:
  struct Ends {
    UniqueFd Output, Error, Reply, LifeLine;
  };
  explicit ServedCommand(Ends Ours)
      : Ours(std::move(Ours)), Start(std::chrono::steady_clock::now()) {}

  /// Adds the descriptors to poll; closed ones are skipped.
  void addTo(std::vector<pollfd> &Events) const;
  /// Returns the milliseconds until something must arrive; -1: no limit.
  int patience() const;
  /// Reads available data. Returns false if the command is over.
  bool goesOn();

  /// Valid after the end. nullopt: run the program instead.
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
