//===- JobRunner.cpp - run compiler commands side by side -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread, one poll() loop: a signalfd tells of children that ended and of
// signals to us, pipes bring the children's output. No handler, no global.
// A child that is stopped is waited for with its whole process group.
//
//===----------------------------------------------------------------------===//

#include "JobRunner.h"
#include "kpack/ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errno.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <numeric>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using kpack::objectError;

namespace kpack::driver {

//===----------------------------------------------------------------------===//
// SignalWatch
//===----------------------------------------------------------------------===//

SignalWatch::SignalWatch() {
  sigset_t Watched;
  sigemptyset(&Watched);
  sigaddset(&Watched, SIGCHLD);
  for (int Signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction Present;
    // One that our parent has us ignore (nohup) stays ignored.
    if (sigaction(Signal, nullptr, &Present) == 0 &&
        Present.sa_handler != SIG_IGN)
      sigaddset(&Watched, Signal);
  }
  sigprocmask(SIG_BLOCK, &Watched, &OldMask);
  Descriptor = ::signalfd(-1, &Watched, SFD_CLOEXEC | SFD_NONBLOCK);
  // What a child leaves running becomes a child of ours: see awaitGroup().
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

SignalWatch::~SignalWatch() {
  if (Descriptor != -1)
    ::close(Descriptor);
  // A signal that nobody has read ends us here.
  sigprocmask(SIG_SETMASK, &OldMask, nullptr);
}

/// The next pending signal, 0 when there is none.
int SignalWatch::readSignal() {
  signalfd_siginfo Info;
  if (::read(Descriptor, &Info, sizeof(Info)) != ssize_t(sizeof(Info)))
    return 0;
  return int(Info.ssi_signo);
}

int SignalWatch::interrupted() {
  while (int Signal = readSignal())
    if (Signal != SIGCHLD && Caught == 0)
      Caught = Signal;
  return Caught;
}

//===----------------------------------------------------------------------===//
// One child
//===----------------------------------------------------------------------===//

namespace {
struct Child {
  size_t Index; // of the job
  pid_t Pid;
  int Pipes[2] = {-1, -1}; // its stdout and stderr, -1: closed or not captured

  void kill(int Signal) const { ::kill(-Pid, Signal); }
};

/// What posix_spawn needs, freed at the end.
class SpawnSettings {
public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&Actions);
    posix_spawnattr_init(&Attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&Actions);
    posix_spawnattr_destroy(&Attributes);
  }
  SpawnSettings(const SpawnSettings &) = delete;
  SpawnSettings &operator=(const SpawnSettings &) = delete;

  posix_spawn_file_actions_t Actions;
  posix_spawnattr_t Attributes;
};
} // namespace

static Error spawn(const Job &J, ArrayRef<std::string> Environment,
                   const sigset_t &Mask, Child &C) {
  SpawnSettings Settings;
  short Flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setsigmask(&Settings.Attributes, &Mask);
  int WriteEnds[2] = {-1, -1};
  if (!J.Interactive) {
    for (int I : {0, 1}) {
      int Ends[2];
      if (::pipe2(Ends, O_CLOEXEC) != 0)
        return objectError(J.Arguments.front(),
                           "cannot make a pipe: " + sys::StrError() +
                               "; lower --kpack-jobs= or raise the limit "
                               "(ulimit -n)");
      C.Pipes[I] = Ends[0];
      WriteEnds[I] = Ends[1];
      ::fcntl(Ends[0], F_SETFL, O_NONBLOCK);
      posix_spawn_file_actions_adddup2(&Settings.Actions, Ends[1],
                                       I == 0 ? STDOUT_FILENO : STDERR_FILENO);
    }
    const char *Input = J.StdinFile.empty() ? "/dev/null" : J.StdinFile.c_str();
    posix_spawn_file_actions_addopen(&Settings.Actions, STDIN_FILENO, Input,
                                     O_RDONLY, 0);
  }
  posix_spawnattr_setflags(&Settings.Attributes, Flags);

  std::vector<char *> Argv, Envp;
  for (const std::string &Argument : J.Arguments)
    Argv.push_back(const_cast<char *>(Argument.c_str()));
  for (const std::string &Variable : Environment)
    Envp.push_back(const_cast<char *>(Variable.c_str()));
  Argv.push_back(nullptr);
  Envp.push_back(nullptr);
  int Failure = ::posix_spawn(&C.Pid, Argv[0], &Settings.Actions,
                              &Settings.Attributes, Argv.data(), Envp.data());
  for (int I : {0, 1})
    if (WriteEnds[I] != -1)
      ::close(WriteEnds[I]);
  if (Failure == 0)
    return Error::success();
  for (int &Pipe : C.Pipes)
    if (Pipe != -1)
      ::close(std::exchange(Pipe, -1));
  return objectError(J.Arguments.front(),
                     "cannot be run: " + sys::StrError(Failure) +
                         "; install it or name another clang++ with "
                         "--kpack-clang=");
}

/// Reads what is there; closes the pipe at its end.
static void drain(int &Pipe, std::string &Into) {
  char Buffer[16384];
  for (;;) {
    ssize_t Size = ::read(Pipe, Buffer, sizeof(Buffer));
    if (Size > 0) {
      Into.append(Buffer, size_t(Size));
      continue;
    }
    if (Size < 0 && errno == EINTR)
      continue;
    if (Size == 0 || errno != EAGAIN)
      ::close(std::exchange(Pipe, -1));
    return;
  }
}

/// Waits for what a child that was stopped has left in its process group, a
/// linker for example: it is about to remove its files, or to finish a system
/// call that makes one. Told again every second: a program that a shell is just
/// starting may have missed the signal.
static void awaitGroup(pid_t Group) {
  constexpr unsigned PauseMs = 5, AgainMs = 1000;
  for (unsigned Ms = PauseMs;; Ms += PauseMs) {
    pid_t Ended = ::waitpid(-Group, nullptr, WNOHANG);
    if (Ended < 0 && errno != EINTR)
      return;
    if (Ended != 0)
      continue;
    ::poll(nullptr, 0, PauseMs);
    if (Ms % AgainMs == 0)
      ::kill(-Group, SIGTERM);
  }
}

//===----------------------------------------------------------------------===//
// JobRunner
//===----------------------------------------------------------------------===//

Expected<std::vector<JobResult>> JobRunner::run(ArrayRef<Job> Jobs) {
  std::vector<JobResult> Results(Jobs.size());
  std::vector<size_t> Queue(Jobs.size());
  std::iota(Queue.begin(), Queue.end(), size_t(0));
  std::sort(Queue.begin(), Queue.end(), [&](size_t L, size_t R) {
    return std::pair(Jobs[R].Weight, L) < std::pair(Jobs[L].Weight, R);
  });

  std::vector<Child> Running;
  size_t Next = 0;
  size_t FirstFailed = Jobs.size(); // jobs after it are of no use
  Error SpawnFailure = Error::success();
  bool Stopping = Signals.interrupted() != 0;

  auto CancelAfter = [&](size_t Index) {
    FirstFailed = std::min(FirstFailed, Index);
    for (const Child &C : Running)
      if (C.Index > FirstFailed &&
          Results[C.Index].How != JobResult::State::Cancelled) {
        Results[C.Index].How = JobResult::State::Cancelled;
        C.kill(SIGTERM);
      }
  };
  auto StopAll = [&](int Signal) {
    Stopping = true;
    for (const Child &C : Running) {
      Results[C.Index].How = JobResult::State::Cancelled;
      C.kill(Signal);
    }
  };

  while (!Running.empty() || (Next < Queue.size() && !Stopping)) {
    // Start what may start.
    while (!Stopping && Next < Queue.size() && Running.size() < MaxParallel) {
      size_t Index = Queue[Next++];
      if (Index > FirstFailed)
        continue;
      Child C{Index, -1};
      if (Error E = spawn(Jobs[Index], Environment, Signals.maskBefore(), C)) {
        SpawnFailure = joinErrors(std::move(SpawnFailure), std::move(E));
        StopAll(SIGTERM);
        break;
      }
      Running.push_back(C);
    }
    if (Running.empty())
      continue;

    // Wait for output, the end of a child or a signal.
    SmallVector<pollfd, 16> Events;
    Events.push_back({Signals.descriptor(), POLLIN, 0});
    for (const Child &C : Running)
      for (int Pipe : C.Pipes)
        if (Pipe != -1)
          Events.push_back({Pipe, POLLIN, 0});
    ::poll(Events.data(), Events.size(), -1);
    for (Child &C : Running) {
      if (C.Pipes[0] != -1)
        drain(C.Pipes[0], Results[C.Index].Out);
      if (C.Pipes[1] != -1)
        drain(C.Pipes[1], Results[C.Index].Err);
    }
    if (int Signal = Signals.interrupted(); Signal != 0 && !Stopping)
      StopAll(Signal);

    // Collect children that ended. What a grandchild may still hold open is
    // not waited for, unless it was told to end.
    for (size_t I = 0; I < Running.size();) {
      Child &C = Running[I];
      int Status;
      if (::waitpid(C.Pid, &Status, WNOHANG) != C.Pid) {
        ++I;
        continue;
      }
      JobResult &R = Results[C.Index];
      std::string *Texts[2] = {&R.Out, &R.Err};
      for (int P : {0, 1})
        if (C.Pipes[P] != -1) {
          drain(C.Pipes[P], *Texts[P]);
          if (C.Pipes[P] != -1)
            ::close(C.Pipes[P]);
        }
      if (R.How == JobResult::State::Cancelled) {
        awaitGroup(C.Pid);
      } else {
        R.How = WIFEXITED(Status) ? JobResult::State::Exited
                                  : JobResult::State::Signaled;
        R.Code = WIFEXITED(Status) ? WEXITSTATUS(Status) : WTERMSIG(Status);
      }
      size_t Index = C.Index;
      Running.erase(Running.begin() + ptrdiff_t(I));
      if (R.failed())
        CancelAfter(Index);
    }
  }
  if (SpawnFailure)
    return std::move(SpawnFailure);
  return Results;
}

} // namespace kpack::driver
