//===- Support/Jobs.h - commands side by side -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a list of commands, N at once, for programs of ours that have one thread
// and nothing else to do meanwhile. The list's order is the order in which they
// would run one by one: when one fails, those after it are cancelled and those
// before it go on, so that the outcome never depends on timing. A signal ends
// every child and, since each has its own process group, what it has started.
// The driver (lib/Driver/JobRunner.h), the compile helper
// (lib/Jit/Helper/CommandRunner.h) and builds (lib/CkJit/Build/Processes.h)
// each have rules of their own, and words for what goes wrong.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_JOBS_H
#define KPACK_SUPPORT_JOBS_H

#include "Support/Process.h"
#include "Support/SignalWatch.h"

#include <chrono>
#include <functional>
#include <poll.h>

namespace kpack {

struct Job : ProcessOptions {
  std::string InputFile = "/dev/null"; ///< empty: our own input
  enum class Streams {
    Captured, ///< in the JobResult
    Logged,   ///< both in LogFile
    Ours,
  };
  Streams Where = Streams::Captured;
  std::string LogFile = {};
  /// Started in descending order: the expected cost.
  unsigned Weight = 0;
  /// Indices of jobs in front of it whose end it waits for.
  std::vector<size_t> After = {};

  /// It talks to the user itself.
  void takeOurStreams() {
    InputFile.clear();
    Where = Streams::Ours;
  }
};

struct JobResult {
  enum class State { NotRun, Unstarted, Exited, Signaled, Cancelled };
  State How = State::NotRun;
  int Code = 0; ///< exit code, signal, or errno of one that cannot be started
  pid_t Group = 0;       ///< its process group, where it was started
  double CpuSeconds = 0; ///< of the command and what it waited for
  std::string Out, Err;

  bool succeeded() const { return How == State::Exited && Code == 0; }
  bool failed() const {
    return How == State::Signaled || (How == State::Exited && Code != 0);
  }
};

struct JobRules {
  unsigned Parallel = 1;
  /// What those that are to end get; 0: SIGTERM or, after a signal to us, that.
  int StopSignal = 0;
  /// SIGKILL is what they get when they take longer than that; 0: they may.
  std::chrono::seconds Patience{0};
  /// A failure ends all the others, not only those after it.
  bool FailureEndsAll = false;
  /// All end, as after a signal, when this has anything to tell.
  pollfd Watched = {-1, 0, 0};
  /// Called a few times a second, where there is one.
  std::function<void()> Tick = {};
};

/// Results in the order of \p Jobs. The end of all that were started is waited
/// for. One that cannot be started ends the others. What comes to \p Signals
/// and stays to be asked for there ends all.
std::vector<JobResult> runJobs(SignalWatch &Signals,
                               const std::vector<Job> &Jobs,
                               const JobRules &Rules);

} // namespace kpack

#endif // KPACK_SUPPORT_JOBS_H
