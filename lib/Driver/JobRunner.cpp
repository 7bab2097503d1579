//===- JobRunner.cpp - parallel compiler processes ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descendants of a stopped child become children of this process, which waits
// for them by process group.
//
//===----------------------------------------------------------------------===//

#include "JobRunner.h"
#include "ToolSupport/Errors.h"
#include "llvm/Support/Errno.h"

#include <cerrno>
#include <sys/prctl.h>
#include <utility>

using namespace llvm;

namespace kpack::driver {

static sigset_t driverSignals() {
  sigset_t Set = signalSet(EndSignals);
  sigaddset(&Set, SIGPIPE);
  return Set;
}

DriverSignals::DriverSignals() : SignalWatch(driverSignals()) {}

JobRunner::JobRunner(SignalWatch &Signals, unsigned MaxParallel,
                     std::vector<std::string> Environment)
    : Signals(Signals), MaxParallel(MaxParallel),
      Environment(std::move(Environment)) {
  // Adopts descendants of children: see awaitGroup().
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/// Waits for the other processes in a stopped child's process group, a linker
/// for example, which may be removing its files or finishing a system call that
/// makes one. Repeats the signal every second: a program that a shell is just
/// starting may have missed it.
static void awaitGroup(pid_t Group) {
  constexpr unsigned PauseMs = 5, AgainMs = 1000;
  ProcessEnd Ignored;
  for (unsigned Ms = PauseMs;; Ms += PauseMs) {
    pid_t Ended = takeEnd(-Group, Ignored);
    if (Ended < 0)
      return;
    if (Ended != 0)
      continue;
    ::poll(nullptr, 0, PauseMs);
    if (Ms % AgainMs == 0)
      ::kill(-Group, SIGTERM);
  }
}

static Error cannotRun(const Job &J, int Error) {
  if (Error == EMFILE || Error == ENFILE)
    return objectError(J.Arguments.front(),
                       "cannot make a pipe: " + sys::StrError(Error) +
                           "; lower --kpack-jobs= or raise the limit "
                           "(ulimit -n)");
  return objectError(J.Arguments.front(),
                     "cannot be run: " + sys::StrError(Error) +
                         "; install it or name another clang++ with "
                         "--kpack-clang=");
}

Expected<std::vector<JobResult>> JobRunner::run(std::vector<Job> Jobs) {
  for (Job &J : Jobs)
    J.Environment = Environment;
  JobRules Rules;
  Rules.Parallel = MaxParallel;
  std::vector<JobResult> Results = runJobs(Signals, Jobs, Rules);
  for (const JobResult &R : Results)
    if (R.How == JobResult::State::Cancelled)
      awaitGroup(R.Group);
  for (size_t I = 0; I != Results.size(); ++I)
    if (Results[I].How == JobResult::State::Unstarted)
      return cannotRun(Jobs[I], Results[I].Code);
  return std::move(Results);
}

Expected<JobResult> JobRunner::runOne(const Job &J) {
  Expected<std::vector<JobResult>> Results = run(std::vector{J});
  if (!Results)
    return Results.takeError();
  return std::move(Results->front());
}

} // namespace kpack::driver
