//===- Support/Jobs.h - parallel child processes ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a list of commands, N at once, for programs that have one thread and no
// other work meanwhile. The list has the order of a serial run: if a command
// fails, later ones are cancelled and earlier ones finish, so the result does
// not depend on timing. A signal ends every child and, since each has its own
// process group, the processes that it started. The driver
// (lib/Driver/JobRunner.h), the compile helper (lib/Jit/Helper/CommandRunner.h)
// and builds (lib/CkJit/Build/Processes.h) add their rules and messages.
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
  std::string InputFile = "/dev/null"; ///< empty: the caller's input
  enum class Streams {
    Captured, ///< in the JobResult
    Logged,   ///< both in LogFile
    Ours,
  };
  Streams Where = Streams::Captured;
  std::string LogFile = {};
  /// Expected cost; jobs are started in descending order.
  unsigned Weight = 0;
  /// Indices of earlier jobs; this one starts after their end.
  std::vector<size_t> After = {};

  /// Gives the job the caller's streams, for a dialog with the user.
  void takeOurStreams() {
    InputFile.clear();
    Where = Streams::Ours;
  }
};

struct JobResult {
  enum class State { NotRun, Unstarted, Exited, Signaled, Cancelled };
  State How = State::NotRun;
  int Code = 0;          ///< exit code or signal; errno if it cannot be started
  pid_t Group = 0;       ///< its process group, if it was started
  double CpuSeconds = 0; ///< of the command and the children it waited for
  std::string Out, Err;

  bool succeeded() const { return How == State::Exited && Code == 0; }
  bool failed() const {
    return How == State::Signaled || (How == State::Exited && Code != 0);
  }
};

struct JobRules {
  unsigned Parallel = 1;
  /// The signal for jobs to end; 0: SIGTERM, or the signal that was received.
  int StopSignal = 0;
  /// Time between that signal and SIGKILL; 0: no limit.
  std::chrono::seconds Patience{0};
  /// A failure cancels all other jobs, not only later ones.
  bool FailureEndsAll = false;
  /// An event on this descriptor ends all jobs, as a signal does.
  pollfd Watched = {-1, 0, 0};
  /// Called a few times a second, if set.
  std::function<void()> Tick = {};
};

/// Returns results in the order of \p Jobs, after all started jobs ended. A job
/// that cannot be started cancels the others. A signal of \p Signals, which the
/// caller can query there, ends all.
std::vector<JobResult> runJobs(SignalWatch &Signals,
                               const std::vector<Job> &Jobs,
                               const JobRules &Rules);

} // namespace kpack

#endif // KPACK_SUPPORT_JOBS_H
