//===- Processes.cpp - child processes of a build -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A build script often ends before its children. This process is therefore a
// subreaper meanwhile: orphans become its children, and stopping waits for them
// too. They get SIGTERM by process group, and SIGKILL after five seconds. After
// ten seconds the wait ends, because a server that the build started (such as a
// compiler cache's) may have left its group and may stay.
//
//===----------------------------------------------------------------------===//
#include "Processes.h"
#include "Support/HeldInterrupts.h"
#include "Support/Jobs.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <sys/prctl.h>

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

char CommandError::ID = 0;
char InterruptError::ID = 0;

/// Time for programs to end after SIGTERM.
static constexpr std::chrono::seconds Patience{5};

HeldSignals::HeldSignals() : SignalWatch(interruptSet(), Ignored::IsWatched) {
  prctl(PR_SET_CHILD_SUBREAPER, 1L);
}

HeldSignals::~HeldSignals() { prctl(PR_SET_CHILD_SUBREAPER, 0L); }

Error HeldSignals::check() {
  if (int Signal = caught())
    return make_error<InterruptError>(Signal);
  return Error::success();
}

/// Returns our environment with \p Added, which override.
static std::vector<std::string> environmentWith(ArrayRef<std::string> Added) {
  std::vector<std::string> All = Added.vec();
  for (char **Own = environ; *Own; ++Own)
    if (none_of(Added, [&](StringRef Variable) {
          return StringRef(*Own).starts_with(
              Variable.take_front(Variable.find('=') + 1));
        }))
      All.push_back(*Own);
  return All;
}

static Job makeJob(const BuildCommand &C) {
  Job J;
  J.Arguments = C.Words;
  J.IsSearched = true;
  J.Environment = environmentWith(C.Variables);
  J.Directory = C.Directory;
  J.LogFile = C.LogFile;
  J.Where = C.LogFile.empty() ? Job::Streams::Ours : Job::Streams::Logged;
  return J;
}

/// Waits for orphans: a script ends at once, its children take time to clean
/// up.
static void endOrphans(HeldSignals &Signals, ArrayRef<JobResult> Jobs) {
  for (const JobResult &J : Jobs)
    if (J.Group && J.How != JobResult::State::Cancelled) // was signalled
      ::kill(-J.Group, SIGTERM);
  auto Start = std::chrono::steady_clock::now();
  ProcessEnd Ignored;
  bool Killed = false;
  for (pid_t Ended; (Ended = takeEnd(-1, Ignored)) >= 0;) {
    if (Ended > 0)
      continue;
    auto Waited = std::chrono::steady_clock::now() - Start;
    if (Waited > 2 * Patience)
      return; // servers that a build has started may stay
    if (Waited > Patience && !std::exchange(Killed, true))
      for (const JobResult &J : Jobs)
        if (J.Group)
          ::kill(-J.Group, SIGKILL);
    Signals.wait(100);
    Signals.caught(); // discards signals
  }
}

static Error cannotRun(const BuildCommand &C, int Code) {
  return objectError(C.Words[0], Twine("cannot be run: ") + strerror(Code) +
                                     "; check that it is there, and the folder "
                                     "that it is run in");
}

Error ckjit::runCommands(HeldSignals &Signals, ArrayRef<BuildCommand> Commands,
                         unsigned Parallel, function_ref<void()> Tick) {
  std::vector<Job> Jobs;
  for (const BuildCommand &C : Commands)
    Jobs.push_back(makeJob(C));
  JobRules Rules;
  Rules.Parallel = Parallel;
  Rules.StopSignal = SIGTERM;
  Rules.Patience = Patience;
  Rules.FailureEndsAll = true;
  Rules.Tick = Tick;
  std::vector<JobResult> Results = runJobs(Signals, Jobs, Rules);
  if (!all_of(Results, [](const JobResult &R) { return R.succeeded(); }))
    endOrphans(Signals, Results);
  for (size_t I = 0; I != Results.size(); ++I)
    if (Results[I].How == JobResult::State::Unstarted)
      return cannotRun(Commands[I], Results[I].Code);
  if (Error E = Signals.check())
    return E;
  // A program that was stopped because of another failure has no code.
  for (auto [Command, R] : zip(Commands, Results)) {
    int Code = R.How == JobResult::State::Exited     ? R.Code
               : R.How == JobResult::State::Signaled ? 128 + R.Code
                                                     : 0;
    if (Code > 0)
      return make_error<CommandError>(Command, Code);
  }
  return Error::success();
}
