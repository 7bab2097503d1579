//===- JobRunner.h - commands side by side ----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a list of commands, N at once, with their output captured. The list's
// order is the order in which a serial driver would have run them: when one
// fails, those after it are cancelled and those before it go on, so that the
// outcome never depends on timing. SIGINT, SIGQUIT, SIGTERM, SIGHUP and SIGPIPE
// end every child and what it has started (each has its own process group)
// before run() returns.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_JOBRUNNER_H
#define KPACK_LIB_DRIVER_JOBRUNNER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

namespace kpack::driver {

struct Job {
  std::vector<std::string> Arguments; // [0] is the program
  /// Started in descending order: the expected cost.
  unsigned Weight = 0;
  /// Read as standard input; empty: nothing to read.
  std::string StdinFile;
  /// The job has our own standard streams; nothing is captured.
  bool Interactive = false;
};

struct JobResult {
  enum class State { NotRun, Exited, Signaled, Cancelled };
  State How = State::NotRun;
  int Code = 0; // exit code or signal
  std::string Out;
  std::string Err;

  bool succeeded() const { return How == State::Exited && Code == 0; }
  bool failed() const {
    return How == State::Signaled || (How == State::Exited && Code != 0);
  }
};

/// Blocks the signals that end a program, and SIGCHLD, for as long as it lives:
/// who makes files that an interrupt has to remove makes this first and ends it
/// last. The program has one thread.
class SignalWatch {
public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch &) = delete;
  SignalWatch &operator=(const SignalWatch &) = delete;

  /// The signal that interrupted us, or 0. Looks without waiting.
  int interrupted();

  /// Can be read when interrupted() is worth a look or a child has ended.
  int descriptor() const { return Descriptor; }
  /// What was blocked before, as children have it.
  const sigset_t &maskBefore() const { return OldMask; }

private:
  int readSignal();

  sigset_t OldMask;
  int Descriptor = -1;
  int Caught = 0;
};

/// Receives signals in run(); everything between runs is safe from being cut in
/// half.
class JobRunner {
public:
  /// \p Environment is what the children get, "NAME=value".
  JobRunner(SignalWatch &Signals, unsigned MaxParallel,
            std::vector<std::string> Environment)
      : Signals(Signals), MaxParallel(std::max(1u, MaxParallel)),
        Environment(std::move(Environment)) {}

  /// Results in the order of \p Jobs. Errors: a program that cannot start.
  llvm::Expected<std::vector<JobResult>> run(llvm::ArrayRef<Job> Jobs);

private:
  SignalWatch &Signals;
  unsigned MaxParallel;
  std::vector<std::string> Environment;
};

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_JOBRUNNER_H
