//===- CommandRunner.cpp - commands of the compile helper -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CommandRunner.h. Whoever does not read our reply has no use for it: a
// pipe that nobody reads has an error, which poll() tells of without being
// asked for it.
//
//===----------------------------------------------------------------------===//
#include "CommandRunner.h"

#include "kpack/Support/ErrorText.h"

#include <algorithm>
#include <sys/mman.h>

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

/// None, where not all of them are done well.
std::vector<JobResult> CommandRunner::serve(std::vector<Job> Commands,
                                            const JobRules &Rules) {
  // What a warm compiler takes is not a command's own, so it is noted here.
  size_t Size = Commands.size() * sizeof(double);
  void *Shared = ::mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (Shared == MAP_FAILED)
    return {};
  auto *Seconds = static_cast<double *>(Shared);
  for (size_t I = 0; I < Commands.size(); ++I) {
    Job &C = Commands[I];
    C.Kept = Server->descriptor();
    C.Body = [this, &C, To = &Seconds[I]] {
      return Server->run(C.Arguments, *To);
    };
  }
  std::vector<JobResult> Results = runJobs(Signals, Commands, Rules);
  for (size_t I = 0; I < Results.size(); ++I)
    Results[I].CpuSeconds += Seconds[I];
  ::munmap(Shared, Size);
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
