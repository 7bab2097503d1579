//===- CommandRunner.h - commands of the compile helper ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The helper's rules for Support/Jobs.h. Its commands end with us,
// however we end: on a signal and when nobody waits for the outcome their
// process groups are killed, and the kernel kills them when we are.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_COMMANDRUNNER_H
#define KPACK_LIB_JIT_HELPER_COMMANDRUNNER_H

#include "ServedCommand.h"

#include "Support/Jobs.h"
#include "kpack/Support/Status.h"

namespace kpack::jit {

/// Does commands without their programs; of `kpack-jit-compile --serve`.
class CommandServer {
public:
  virtual ~CommandServer() = default;

  /// Nothing where nobody is free for it.
  virtual std::optional<ServedCommand> begin(const Job &Command) const = 0;
};

class CommandRunner {
public:
  /// Stops when the other end of \p Outcome, a pipe, is closed, or when the
  /// process ends whose pidfd it is. Commands that \p Server, if any, does not
  /// do well are run again as programs: what is wrong is said by these.
  explicit CommandRunner(int Outcome, bool IsProcess = false,
                         const CommandServer *Server = nullptr)
      : Outcome{Outcome, short(IsProcess ? POLLIN : 0), 0}, Server(Server) {}

  /// At most \p Parallel at once. Errors: IoError, interrupted or cannot start.
  Result<std::vector<JobResult>> run(std::vector<Job> Commands,
                                     unsigned Parallel);

  /// Whether to give up, after waiting that long for a reason to. Not while
  /// run() is running.
  bool interrupted(int Milliseconds);

private:
  std::vector<JobResult> serve(const std::vector<Job> &Commands,
                               const JobRules &Rules);
  bool wait(std::vector<std::optional<ServedCommand>> &Commands);

  pollfd Outcome;
  const CommandServer *Server;
  SignalWatch Signals{signalSet(EndSignals)};
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_COMMANDRUNNER_H
