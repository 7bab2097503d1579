//===- CommandRunner.h - commands of the compile helper ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs commands side by side with their output captured, in a process that has
// one thread and nothing else to do. They end with us, however we end: on a
// signal and when nobody waits for the outcome their process groups are killed,
// and the kernel kills them when we are. The driver has a runner of its own
// (lib/Driver/JobRunner.h), made of LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_COMMANDRUNNER_H
#define KPACK_LIB_JIT_HELPER_COMMANDRUNNER_H

#include "kpack/Jit/Store/Store.h"

#include <csignal>

namespace kpack::jit {

struct Command {
  std::vector<std::string> Arguments; ///< [0] is the program's path
  std::string Directory;
  std::vector<std::string> Environment; ///< "NAME=value"
  std::string Input = "/dev/null";
};

struct CommandResult {
  bool Cancelled = false; ///< or never started
  int WaitStatus = -1;
  double CpuSeconds = 0; ///< of the command and what it waited for
  std::string Out;
  std::string Err;

  bool succeeded() const { return !Cancelled && WaitStatus == 0; }
};

class CommandRunner {
public:
  /// Stops when the other end of \p Outcome, a pipe, is closed, or when the
  /// process ends whose pidfd it is.
  explicit CommandRunner(int Outcome, bool IsProcess = false);
  ~CommandRunner();
  CommandRunner(const CommandRunner &) = delete;
  CommandRunner &operator=(const CommandRunner &) = delete;

  /// At most \p Parallel at once. When one fails, those after it in the list
  /// are cancelled and those before it go on: the outcome does not depend on
  /// which is faster. Errors: IoError, interrupted or cannot start.
  Result<std::vector<CommandResult>> run(const std::vector<Command> &Commands,
                                         unsigned Parallel);

  /// Whether to give up, after waiting that long for a reason to. Not while
  /// run() is running.
  bool interrupted(int Milliseconds);

private:
  struct Child;
  bool interrupted();

  int Outcome;
  short Awaited; ///< what may happen to it besides an end of the pipe
  UniqueFd Signals;
  sigset_t MaskBefore;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_COMMANDRUNNER_H
