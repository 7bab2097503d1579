//===- Child.cpp - the program that is run --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the terminal sends (Ctrl-C) goes to the program as well as to us, and we
// only have to outlive it; what somebody sends to our process id is passed on.
// If we are killed, so is the program.
//
//===----------------------------------------------------------------------===//
#include "Child.h"
#include "kpack/ToolSupport/Errors.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kpack;
using namespace llvm;

static constexpr int PassedOn[] = {SIGHUP,  SIGINT,  SIGQUIT,
                                   SIGTERM, SIGUSR1, SIGUSR2};

static sigset_t watchedSignals() {
  sigset_t Set;
  ::sigemptyset(&Set);
  for (int Signal : PassedOn)
    ::sigaddset(&Set, Signal);
  ::sigaddset(&Set, SIGCHLD);
  return Set;
}

static Error systemError(const char *What) {
  return objectError(
      "system", Twine(What) + ": " +
                    std::error_code(errno, std::generic_category()).message() +
                    "; try again with fewer processes");
}

/// In the child. \p Report gets errno if there is no such program.
[[noreturn]] static void becomeProgram(char **Arguments, pid_t Parent,
                                       const sigset_t &Mask, int Report) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != Parent) // it died before that
    ::_exit(125);
  ::sigprocmask(SIG_SETMASK, &Mask, nullptr);
  ::execvp(Arguments[0], Arguments);
  int Problem = errno;
  ssize_t Written = ::write(Report, &Problem, sizeof(Problem));
  ::_exit(Written == sizeof(Problem) ? 127 : 126);
}

/// What becomes of \p Child, with its signals watched.
static run::Ending waitFor(pid_t Child) {
  sigset_t Watched = watchedSignals();
  for (;;) {
    siginfo_t Info;
    int Signal = ::sigwaitinfo(&Watched, &Info);
    if (Signal < 0)
      continue; // stopped and continued
    if (Signal != SIGCHLD) {
      if (Info.si_code != SI_KERNEL)
        ::kill(Child, Signal);
      continue;
    }
    int Status = 0;
    if (::waitpid(Child, &Status, WNOHANG) != Child)
      continue;
    if (WIFSIGNALED(Status))
      return {128 + WTERMSIG(Status), WTERMSIG(Status)};
    return {WEXITSTATUS(Status), 0};
  }
}

Expected<run::Ending> run::runProgram(char **Arguments,
                                      std::error_code &ExecError) {
  int Pipe[2];
  if (::pipe2(Pipe, O_CLOEXEC) != 0)
    return systemError("pipe");
  sigset_t Watched = watchedSignals();
  sigset_t Before;
  ::sigprocmask(SIG_BLOCK, &Watched, &Before);
  // An ignored SIGCHLD, which is inherited, would lose the exit status.
  ::signal(SIGCHLD, SIG_DFL);
  pid_t Parent = ::getpid();
  pid_t Child = ::fork();
  if (Child == 0)
    becomeProgram(Arguments, Parent, Before, Pipe[1]);
  ::close(Pipe[1]);
  if (Child < 0) {
    ::close(Pipe[0]);
    return systemError("fork");
  }
  int Problem = 0;
  ssize_t Size;
  do
    Size = ::read(Pipe[0], &Problem, sizeof(Problem));
  while (Size < 0 && errno == EINTR);
  ::close(Pipe[0]);
  if (Size == sizeof(Problem))
    ExecError = std::error_code(Problem, std::generic_category());
  return waitFor(Child);
}
