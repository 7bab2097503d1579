//===- CommandRunner.cpp - execution of a compile's commands --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// poll() reports POLLERR, even unrequested, for a pipe whose reader is gone:
// the program does not want the reply any more.
//
//===----------------------------------------------------------------------===//
#include "CommandRunner.h"

#include "Support/ErrorText.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

bool CommandRunner::interrupted(int Milliseconds) {
  pollfd Events[] = {{Signals.descriptor(), POLLIN, 0}, Outcome};
  ::poll(Events, 2, Milliseconds);
  return Signals.caught() != 0 ||
         (Events[1].revents & (POLLERR | POLLHUP | Outcome.events));
}

static Status cannotRun(const Job &C, int Error) {
  bool Missing = Error == ENOENT || Error == EACCES || Error == ENOTDIR;
  return Status(Missing ? StatusCode::FileNotFound : StatusCode::IoError,
                C.Arguments.front() + ": cannot be run in " + C.Directory +
                    ": " +
                    errorText(Error, Missing ? "install it, or name another "
                                               "compiler"
                                             : ""));
}

/// Waits until all have ended. Returns false if interrupted.
bool CommandRunner::wait(std::vector<std::optional<ServedCommand>> &Commands) {
  while (true) {
    std::vector<pollfd> Events{{Signals.descriptor(), POLLIN, 0}, Outcome};
    int Patience = -1;
    for (std::optional<ServedCommand> &C : Commands)
      if (C && C->goesOn()) {
        C->addTo(Events);
        int Own = C->patience();
        Patience =
            Patience < 0 || (Own >= 0 && Own < Patience) ? Own : Patience;
      }
    if (Events.size() == 2)
      return true;
    ::poll(Events.data(), Events.size(), Patience);
    if (interrupted(0))
      return false;
  }
}

/// Returns an empty list unless all commands succeed. Runs those as programs
/// for which no compiler is free or that need their program.
std::vector<JobResult> CommandRunner::serve(const std::vector<Job> &Commands,
                                            const JobRules &Rules) {
  std::vector<std::optional<ServedCommand>> Served;
  for (const Job &C : Commands)
    Served.push_back(Server->begin(C));
  std::vector<JobResult> Results(Commands.size());
  auto RunPrograms = [&](const std::vector<size_t> &Which) {
    std::vector<Job> Programs;
    for (size_t I : Which)
      Programs.push_back(Commands[I]);
    std::vector<JobResult> Ended = runJobs(Signals, Programs, Rules);
    for (size_t I = 0; I < Which.size(); ++I)
      Results[Which[I]] = std::move(Ended[I]);
  };
  std::vector<size_t> Others;
  for (size_t I = 0; I < Commands.size(); ++I)
    if (!Served[I])
      Others.push_back(I);
  RunPrograms(Others);
  if (!wait(Served))
    return {};
  Others.clear();
  for (size_t I = 0; I < Commands.size(); ++I)
    if (Served[I] && Served[I]->result())
      Results[I] = *Served[I]->result();
    else if (Served[I])
      Others.push_back(I);
  RunPrograms(Others);
  bool Good = std::all_of(Results.begin(), Results.end(),
                          [](const JobResult &R) { return R.succeeded(); });
  return Good ? std::move(Results) : std::vector<JobResult>();
}

Result<std::vector<JobResult>> CommandRunner::run(std::vector<Job> Commands,
                                                  unsigned Parallel) {
  for (Job &C : Commands)
    C.DeathSignal = SIGKILL;
  JobRules Rules;
  Rules.Parallel = Parallel;
  Rules.StopSignal = SIGKILL;
  Rules.Watched = Outcome;
  std::vector<JobResult> Results;
  if (Server)
    Results = serve(Commands, Rules);
  if (Results.empty() && !interrupted(0))
    Results = runJobs(Signals, Commands, Rules);
  for (size_t I = 0; I < Results.size(); ++I)
    if (Results[I].How == JobResult::State::Unstarted)
      return cannotRun(Commands[I], Results[I].Code);
  if (interrupted(0))
    return Status(StatusCode::IoError, "compiling was interrupted");
  return Results;
}
