//===- Jobs.cpp - parallel child processes --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread with a poll() loop: a SignalWatch reports signals and the ends of
// children, pipes have the children's output. There are no handlers and no
// globals. The loop reaps all children, including orphans of a subreaper.
//
//===----------------------------------------------------------------------===//
#include "Support/Jobs.h"

#include "Support/Pipe.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <numeric>

using namespace kpack;

namespace {

struct Child {
  size_t Index; ///< of the job
  Process Running;
  UniqueFd Out, Err; ///< empty if closed or not captured
};

class Runner {
public:
  Runner(SignalWatch &Signals, const std::vector<Job> &Jobs,
         const JobRules &Rules)
      : Signals(Signals), Jobs(Jobs), Rules(Rules), Results(Jobs.size()),
        Queue(Jobs.size()), End(Jobs.size()) {}
  std::vector<JobResult> run();

private:
  Process start(const Job &J, Child &C);
  bool mayStart(size_t Index) const;
  void startAll();
  void wait();
  void drainAll();
  void collect();
  void endFrom(size_t First, int Signal);
  void endLate();

  SignalWatch &Signals;
  const std::vector<Job> &Jobs;
  const JobRules &Rules;
  std::vector<JobResult> Results;
  std::vector<size_t> Queue; ///< indices of jobs to start
  std::vector<Child> Children;
  size_t End; ///< results from here on are not needed
  std::chrono::steady_clock::time_point EndTime;
};

} // namespace

Process Runner::start(const Job &J, Child &C) {
  ProcessOptions Options = J;
  Options.HasGroup = true;
  Options.Mask = Signals.maskBefore();
  UniqueFd Input, Output, Error;
  if (!J.InputFile.empty()) {
    Input = UniqueFd(::open(J.InputFile.c_str(), O_RDONLY | O_CLOEXEC));
    Options.Input = Input.get();
    if (!Input)
      return Process();
  }
  if (J.Where == Job::Streams::Captured) {
    if (!makePipe(C.Out, Output) || !makePipe(C.Err, Error))
      return Process();
    Options.Output = Output.get();
    Options.Error = Error.get();
  } else if (J.Where == Job::Streams::Logged) {
    Output = UniqueFd(::open(J.LogFile.c_str(),
                             O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    Options.Output = Options.Error = Output.get();
    if (!Output)
      return Process();
  }
  return Process::start(Options);
}

/// True if all jobs that this one waits for have ended. A cancelled job counts
/// as ended: the jobs that wait for it come after it and are not started.
bool Runner::mayStart(size_t Index) const {
  return std::all_of(
      Jobs[Index].After.begin(), Jobs[Index].After.end(),
      [&](size_t I) { return Results[I].How != JobResult::State::NotRun; });
}

void Runner::startAll() {
  while (Children.size() < std::max(1u, Rules.Parallel)) {
    auto Next = std::find_if(Queue.begin(), Queue.end(), [&](size_t Index) {
      return Index >= End || mayStart(Index);
    });
    if (Next == Queue.end())
      return;
    size_t Index = *Next;
    Queue.erase(Next);
    if (Index >= End)
      continue;
    Child C{Index, Process(), UniqueFd(), UniqueFd()};
    C.Running = start(Jobs[Index], C);
    if (!C.Running) {
      Results[Index].How = JobResult::State::Unstarted;
      Results[Index].Code = errno;
      endFrom(0, SIGTERM);
      continue;
    }
    Results[Index].Group = C.Running.id();
    Children.push_back(std::move(C));
  }
}

/// Cancels the jobs from \p First on.
void Runner::endFrom(size_t First, int Signal) {
  if (First >= End)
    return;
  End = First;
  EndTime = std::chrono::steady_clock::now();
  for (Child &C : Children)
    if (C.Index >= First &&
        Results[C.Index].How != JobResult::State::Cancelled) {
      Results[C.Index].How = JobResult::State::Cancelled;
      C.Running.kill(Rules.StopSignal ? Rules.StopSignal : Signal);
    }
}

void Runner::endLate() {
  if (Rules.Patience.count() == 0 ||
      std::chrono::steady_clock::now() - EndTime < Rules.Patience)
    return;
  for (Child &C : Children)
    if (Results[C.Index].How == JobResult::State::Cancelled)
      C.Running.kill(SIGKILL);
}

/// Waits for output, the end of a child, or a reason to end all.
void Runner::wait() {
  constexpr int TickMs = 200;
  std::vector<pollfd> Events{{Signals.descriptor(), POLLIN, 0}, Rules.Watched};
  if (End == 0)
    Events[1].fd = -1; // already handled
  for (Child &C : Children)
    for (UniqueFd *Pipe : {&C.Out, &C.Err})
      Events.push_back({Pipe->get(), POLLIN, 0}); // poll() ignores -1
  ::poll(Events.data(), Events.size(),
         Rules.Tick || Rules.Patience.count() ? TickMs : -1);
  int Signal = Signals.caught();
  if (Signal ||
      (Events[1].revents & (Rules.Watched.events | POLLERR | POLLHUP)))
    endFrom(0, Signal ? Signal : SIGTERM);
}

void Runner::drainAll() {
  for (Child &C : Children) {
    drain(C.Out, Results[C.Index].Out);
    drain(C.Err, Results[C.Index].Err);
  }
}

/// Reaps children. Does not wait for grandchildren that keep a pipe open.
void Runner::collect() {
  ProcessEnd End;
  while (pid_t Pid = takeEnd(-1, End)) {
    if (Pid < 0)
      return;
    auto C = std::find_if(Children.begin(), Children.end(),
                          [&](Child &C) { return C.Running.id() == Pid; });
    if (C == Children.end())
      continue; // an orphan
    size_t Index = C->Index;
    JobResult &R = Results[Index];
    drain(C->Out, R.Out);
    drain(C->Err, R.Err);
    Children.erase(C);
    R.CpuSeconds = End.CpuSeconds;
    if (R.How == JobResult::State::Cancelled)
      continue;
    R.How = End.Signal ? JobResult::State::Signaled : JobResult::State::Exited;
    R.Code = End.Signal ? End.Signal : End.Code;
    if (R.failed())
      endFrom(Rules.FailureEndsAll ? 0 : Index + 1, SIGTERM);
  }
}

std::vector<JobResult> Runner::run() {
  std::iota(Queue.begin(), Queue.end(), size_t(0));
  std::sort(Queue.begin(), Queue.end(), [&](size_t L, size_t R) {
    return std::pair(Jobs[R].Weight, L) < std::pair(Jobs[L].Weight, R);
  });
  if (Signals.caught())
    End = 0;
  for (startAll(); !Children.empty(); startAll()) {
    if (Rules.Tick)
      Rules.Tick();
    wait();
    drainAll();
    collect();
    endLate();
  }
  return std::move(Results);
}

std::vector<JobResult> kpack::runJobs(SignalWatch &Signals,
                                      const std::vector<Job> &Jobs,
                                      const JobRules &Rules) {
  return Runner(Signals, Jobs, Rules).run();
}
