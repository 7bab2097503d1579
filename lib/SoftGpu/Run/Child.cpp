//===- Child.cpp - child process of the user's program --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signal of the terminal (Ctrl-C) reaches the program as well as us, and we
// only have to outlive it; we forward a signal that was sent to our process id.
// If we are killed, so is the program.
//
//===----------------------------------------------------------------------===//
#include "Child.h"
#include "Support/SignalWatch.h"
#include "ToolSupport/Errors.h"
#include <cerrno>

using namespace kpack;
using namespace llvm;

static sigset_t passedOn() {
  sigset_t Set = signalSet(EndSignals);
  sigaddset(&Set, SIGUSR1);
  sigaddset(&Set, SIGUSR2);
  return Set;
}

static Error systemError(const char *Action, std::error_code Problem) {
  return objectError("system", Twine(Action) + ": " + Problem.message() +
                                   "; try again with fewer processes");
}

/// Waits for \p Child and forwards signals meanwhile.
static ProcessEnd waitFor(Process &Child, SignalWatch &Signals) {
  for (;;) {
    Signals.wait(-1);
    while (std::optional<signalfd_siginfo> Info = Signals.next())
      if (Info->ssi_signo != SIGCHLD && Info->ssi_code != SI_KERNEL)
        Child.kill(int(Info->ssi_signo));
    if (std::optional<ProcessEnd> End = Child.wait(0))
      return *End;
  }
}

Expected<ProcessEnd> run::runProgram(ArrayRef<std::string> Arguments,
                                     std::error_code &ExecError) {
  // The program may handle a signal that we were started to ignore.
  SignalWatch Signals(passedOn(), SignalWatch::Ignored::IsWatched);
  ProcessOptions Options;
  Options.Arguments.assign(Arguments.begin(), Arguments.end());
  Options.IsSearched = true;
  Options.DeathSignal = SIGKILL;
  Options.Mask = Signals.maskBefore();
  Process Child = Process::start(Options);
  if (Child)
    return waitFor(Child, Signals);
  std::error_code Problem(errno, std::generic_category());
  if (Problem == std::errc::too_many_files_open ||
      Problem == std::errc::too_many_files_open_in_system)
    return systemError("pipe", Problem);
  if (Problem == std::errc::resource_unavailable_try_again ||
      Problem == std::errc::not_enough_memory)
    return systemError("fork", Problem);
  ExecError = Problem;
  return ProcessEnd();
}
