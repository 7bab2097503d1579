//===- CompilerPool.h - compilers that stay warm ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a small kernel's compile most is the start of the programs; and in a fork
// of a process that has their libraries mapped, faults on thousands of pages.
// So the server has a few processes that have mapped the libraries and compiled
// before, the warm compilers. Each does one command at a time. A command for
// which none is free, or whose compiler ends, is run as a program. A warm
// compiler that has done something which may show in its next command has no
// next one.
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
  /// Has no warm compilers yet; never more than \p Limit.
  explicit CompilerPool(unsigned Limit);

  /// By the server: takes the ends of children, and makes a warm compiler if
  /// none is free, or if there were too few for the request before. True in a
  /// new one, which then has work() called and nothing else.
  bool refill();
  /// Null: there are no compilers.
  [[noreturn]] void work(MapCompilers *Map);

  std::optional<ServedCommand> begin(const Job &Command) const override;

private:
  /// Shared with all forks.
  struct Counts {
    std::atomic<int> Free = 0; ///< warm compilers that wait for a command
    std::atomic<bool> HaveBeen = false;
    /// Since the last refill(), of a command that came when there had been
    /// some.
    std::atomic<bool> HaveLacked = false;
  };
  static Counts &share();

  bool takeFree() const;

  const unsigned Limit;
  Counts &Shared;
  UniqueFd Ask, Hear; ///< of one socket that all warm compilers hear
  std::vector<pid_t> Processes;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_COMPILERPOOL_H
