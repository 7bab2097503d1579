//===- CommandRunner.h - commands of the compile helper ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The helper's rules for kpack/Support/Jobs.h. Its commands end with us,
// however we end: on a signal and when nobody waits for the outcome their
// process groups are killed, and the kernel kills them when we are.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_COMMANDRUNNER_H
#define KPACK_LIB_JIT_HELPER_COMMANDRUNNER_H

#include "kpack/Support/Jobs.h"
#include "kpack/Support/Status.h"

namespace kpack::jit {

class CommandRunner {
public:
  /// Stops when the other end of \p Outcome, a pipe, is closed, or when the
  /// process ends whose pidfd it is.
  explicit CommandRunner(int Outcome, bool IsProcess = false)
      : Outcome{Outcome, short(IsProcess ? POLLIN : 0), 0} {}

  /// At most \p Parallel at once. Errors: IoError, interrupted or cannot start.
  Result<std::vector<JobResult>> run(std::vector<Job> Commands,
                                     unsigned Parallel);

  /// Whether to give up, after waiting that long for a reason to. Not while
  /// run() is running.
  bool interrupted(int Milliseconds);

private:
  pollfd Outcome;
  SignalWatch Signals{signalSet(EndSignals)};
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_COMMANDRUNNER_H
