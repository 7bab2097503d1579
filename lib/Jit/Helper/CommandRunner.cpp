//===- CommandRunner.cpp - commands of the compile helper -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CommandRunner.h. Children are forked, not spawned: posix_spawn cannot
// tie a child's life to ours, and this process is small and has one thread.
//
//===----------------------------------------------------------------------===//
#include "CommandRunner.h"

#include "kpack/Support/ErrorText.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

using namespace kpack;
using namespace kpack::jit;

struct CommandRunner::Child {
  size_t Index;
  pid_t Pid = -1;
  UniqueFd Out, Err;

  void kill() const { ::kill(-Pid, SIGKILL); }
};

CommandRunner::CommandRunner(int Outcome, bool IsProcess)
    : Outcome(Outcome), Awaited(IsProcess ? POLLIN : 0) {
  sigset_t Watched;
  sigemptyset(&Watched);
  sigaddset(&Watched, SIGCHLD);
  for (int Signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction Present;
    // One that our parent has us ignore (nohup) stays ignored.
    if (::sigaction(Signal, nullptr, &Present) == 0 &&
        Present.sa_handler != SIG_IGN)
      sigaddset(&Watched, Signal);
  }
  ::sigprocmask(SIG_BLOCK, &Watched, &MaskBefore);
  Signals = UniqueFd(::signalfd(-1, &Watched, SFD_CLOEXEC | SFD_NONBLOCK));
}

CommandRunner::~CommandRunner() {
  ::sigprocmask(SIG_SETMASK, &MaskBefore, nullptr);
}

/// Whether to give up: a signal, or nobody there to be told.
bool CommandRunner::interrupted() {
  signalfd_siginfo Info;
  while (::read(Signals.get(), &Info, sizeof(Info)) == ssize_t(sizeof(Info)))
    if (Info.ssi_signo != SIGCHLD)
      return true;
  pollfd Reader{Outcome, Awaited, 0};
  return ::poll(&Reader, 1, 0) > 0 &&
         (Reader.revents & (POLLERR | POLLHUP | Awaited));
}

bool CommandRunner::interrupted(int Milliseconds) {
  pollfd Events[] = {{Signals.get(), POLLIN, 0}, {Outcome, Awaited, 0}};
  ::poll(Events, 2, Milliseconds);
  return interrupted();
}

static std::vector<char *> pointersTo(const std::vector<std::string> &Texts) {
  std::vector<char *> Pointers;
  for (const std::string &Text : Texts)
    Pointers.push_back(const_cast<char *>(Text.c_str()));
  Pointers.push_back(nullptr);
  return Pointers;
}

/// In the child. An errno of exec goes through \p Report; otherwise it closes.
[[noreturn]] static void becomeCommand(const Command &C, const sigset_t &Mask,
                                       pid_t Parent, int Out, int Err,
                                       int Report) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  int Input = ::open(C.Input.c_str(), O_RDONLY);
  bool Ready =
      ::getppid() == Parent && Input >= 0 && ::dup2(Input, STDIN_FILENO) >= 0 &&
      ::dup2(Out, STDOUT_FILENO) >= 0 && ::dup2(Err, STDERR_FILENO) >= 0 &&
      ::chdir(C.Directory.c_str()) == 0;
  if (Ready) {
    std::vector<char *> Argv = pointersTo(C.Arguments),
                        Envp = pointersTo(C.Environment);
    ::sigprocmask(SIG_SETMASK, &Mask, nullptr);
    ::execve(Argv[0], Argv.data(), Envp.data());
  }
  int Error = errno;
  (void)!::write(Report, &Error, sizeof(Error));
  ::_exit(127);
}

static bool makePipe(UniqueFd &Read, UniqueFd &Write) {
  int Ends[2];
  if (::pipe2(Ends, O_CLOEXEC) != 0)
    return false;
  Read = UniqueFd(Ends[0]);
  Write = UniqueFd(Ends[1]);
  return true;
}

static Status cannotRun(const Command &C, int Error) {
  bool Missing = Error == ENOENT || Error == EACCES || Error == ENOTDIR;
  return Status(Missing ? StatusCode::FileNotFound : StatusCode::IoError,
                C.Arguments.front() + ": cannot be run in " + C.Directory +
                    ": " +
                    errorText(Error, Missing ? "install it, or name another "
                                               "compiler"
                                             : ""));
}

/// Reads what is there; closes the pipe at its end.
static void drain(UniqueFd &Pipe, std::string &Into) {
  char Bytes[16384];
  while (Pipe) {
    ssize_t Size = ::read(Pipe.get(), Bytes, sizeof(Bytes));
    if (Size > 0)
      Into.append(Bytes, static_cast<size_t>(Size));
    else if (Size == 0 || (errno != EAGAIN && errno != EINTR))
      Pipe = UniqueFd();
    else if (errno == EAGAIN)
      return;
  }
}

static Status start(const Command &C, const sigset_t &Mask, pid_t &Pid,
                    UniqueFd &Out, UniqueFd &Err) {
  UniqueFd OutWrite, ErrWrite, Report, ReportWrite;
  if (!makePipe(Out, OutWrite) || !makePipe(Err, ErrWrite) ||
      !makePipe(Report, ReportWrite))
    return cannotRun(C, errno);
  pid_t Parent = ::getpid();
  Pid = ::fork();
  if (Pid < 0)
    return cannotRun(C, errno);
  if (Pid == 0)
    becomeCommand(C, Mask, Parent, OutWrite.get(), ErrWrite.get(),
                  ReportWrite.get());
  ::setpgid(Pid, Pid); // whoever is first
  ReportWrite = UniqueFd();
  int Error = 0;
  ssize_t Size;
  while ((Size = ::read(Report.get(), &Error, sizeof(Error))) < 0 &&
         errno == EINTR)
    ;
  if (Size == ssize_t(sizeof(Error))) {
    ::waitpid(Pid, nullptr, 0);
    return cannotRun(C, Error);
  }
  ::fcntl(Out.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(Err.get(), F_SETFL, O_NONBLOCK);
  return Status::success();
}

static double seconds(const timeval &Time) {
  return double(Time.tv_sec) + double(Time.tv_usec) / 1e6;
}

Result<std::vector<CommandResult>>
CommandRunner::run(const std::vector<Command> &Commands, unsigned Parallel) {
  std::vector<CommandResult> Results(Commands.size());
  std::vector<Child> Running;
  size_t Next = 0, FirstFailed = Commands.size();
  Status Failure;
  auto StopAll = [&] {
    for (const Child &C : Running)
      C.kill();
    Next = FirstFailed = 0;
  };
  while (!Running.empty() || Next < FirstFailed) {
    while (Failure.ok() && Running.size() < Parallel && Next < FirstFailed) {
      Child C{Next++, -1, UniqueFd(), UniqueFd()};
      Failure = start(Commands[C.Index], MaskBefore, C.Pid, C.Out, C.Err);
      if (Failure.ok())
        Running.push_back(std::move(C));
      else
        StopAll();
    }
    if (Running.empty())
      break;
    std::vector<pollfd> Events{{Signals.get(), POLLIN, 0},
                               {Outcome, Awaited, 0}};
    for (const Child &C : Running)
      for (const UniqueFd *Pipe : {&C.Out, &C.Err})
        if (*Pipe)
          Events.push_back({Pipe->get(), POLLIN, 0});
    if (!Failure.ok())
      Events.resize(1); // only the children's ends count now
    ::poll(Events.data(), Events.size(), -1);
    // What tells of a child's end is read here and nowhere else: below, every
    // child is asked.
    if (Failure.ok() && interrupted()) {
      Failure = Status(StatusCode::IoError, "compiling was interrupted");
      StopAll();
    } else if (!Failure.ok()) {
      signalfd_siginfo Info;
      while (::read(Signals.get(), &Info, sizeof(Info)) > 0)
        ;
    }
    for (size_t I = 0; I < Running.size();) {
      Child &C = Running[I];
      CommandResult &R = Results[C.Index];
      drain(C.Out, R.Out);
      drain(C.Err, R.Err);
      int WaitStatus;
      struct rusage Used;
      if (::wait4(C.Pid, &WaitStatus, WNOHANG, &Used) != C.Pid) {
        ++I;
        continue;
      }
      drain(C.Out, R.Out);
      drain(C.Err, R.Err);
      size_t Index = C.Index;
      R.Cancelled = Index > FirstFailed;
      R.WaitStatus = WaitStatus;
      R.CpuSeconds = seconds(Used.ru_utime) + seconds(Used.ru_stime);
      Running.erase(Running.begin() + ptrdiff_t(I));
      if (Failure.ok() && WaitStatus != 0 && Index < FirstFailed) {
        FirstFailed = Index;
        for (const Child &Later : Running)
          if (Later.Index > Index)
            Later.kill();
      }
    }
  }
  if (!Failure.ok())
    return Failure;
  for (size_t I = FirstFailed + 1; I < Results.size(); ++I)
    Results[I].Cancelled = true;
  return Results;
}
