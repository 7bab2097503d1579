//===- CommandRunner.h - execution of a compile's commands ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The helper's rules for Support/Jobs.h. Commands never outlive the helper: on
// a signal, and when the program closes the reply, their process groups are
// killed; if the helper is killed, the kernel kills them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_COMMANDRUNNER_H
#define KPACK_LIB_JIT_HELPER_COMMANDRUNNER_H

#include "ServedCommand.h"

#include "Support/Jobs.h"
#include "kpack/Support/Status.h"

namespace kpack::jit {

/// Runs commands in processes that have the compilers mapped (CompilerPool.h),
/// instead of starting their programs. Exists in `kpack-jit-compile --serve`.
class CommandServer {
public:
  virtual ~CommandServer() = default;

  /// Returns nullopt if no compiler is free.
  virtual std::optional<ServedCommand> begin(const Job &Command) const = 0;
};

class CommandRunner {
public:
  /// Stops when the other end of \p Outcome, a pipe, is closed, or, if it is a
  /// pidfd, when that process ends. Commands that fail in \p Server, if any,
  /// are run again as programs, whose error messages count.
  explicit CommandRunner(int Outcome, bool IsProcess = false,
                         const CommandServer *Server = nullptr)
      : Outcome{Outcome, short(IsProcess ? POLLIN : 0), 0}, Server(Server) {}

  /// Runs at most \p Parallel at once. Errors: IoError if interrupted or if a
  /// command cannot start.
  Result<std::vector<JobResult>> run(std::vector<Job> Commands,
                                     unsigned Parallel);

  /// Returns true if the request is to be cancelled; waits up to
  /// \p Milliseconds. Must not be called during run().
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
