//===- CompilerPool.h - processes with preloaded compilers ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small kernel's compile mostly starts programs; in a fork of a process that
// has mapped their libraries, it mostly faults on thousands of pages. So the
// server has a few processes that have mapped the libraries and compiled
// before, the warm compilers. Each runs one command at a time. A command is run
// as a program if no compiler is free or its compiler ends. A warm compiler
// ends after a command that could affect its next one.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_COMPILERPOOL_H
#define KPACK_LIB_JIT_HELPER_COMPILERPOOL_H

#include "CommandRunner.h"

#include "Jit/Helper/MappedCompilers.h"

#include <atomic>

namespace kpack::jit {

class CompilerPool : public CommandServer {
public:
  /// Starts without compilers; never forks more than \p Limit.
  explicit CompilerPool(unsigned Limit);

  /// Called by the server: reaps children and forks a warm compiler if none is
  /// free, or if too few were free for the last request. Returns true in the
  /// new process, which then calls only work().
  bool refill();
  /// Null \p Map means that there are no compilers.
  [[noreturn]] void work(MapCompilers *Map);

  std::optional<ServedCommand> begin(const Job &Command) const override;

private:
  /// In memory shared by all forks.
  struct Counts {
    std::atomic<int> Free = 0; ///< warm compilers that wait for a command
    std::atomic<bool> HaveBeen = false;
    /// Since the last refill() a command found none free, although there had
    /// been some.
    std::atomic<bool> HaveLacked = false;
  };
  static Counts &share();

  bool takeFree() const;

  const unsigned Limit;
  Counts &Shared;
  UniqueFd Ask, Hear; ///< the two ends of a socket that all warm compilers read
  std::vector<pid_t> Processes;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_COMPILERPOOL_H
