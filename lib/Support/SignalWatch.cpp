//===- SignalWatch.cpp - signals as readable events -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signalfd of blocked signals. The kernel also queues a blocked signal that
// is ignored, so signals that have to stay ignored are left out.
//
//===----------------------------------------------------------------------===//
#include "Support/SignalWatch.h"

#include <poll.h>

using namespace kpack;

static sigset_t withoutIgnored(sigset_t Set, SignalWatch::Ignored Rule) {
  for (int Signal = 1; Signal < SIGRTMIN; ++Signal) {
    struct sigaction Present;
    if (Rule == SignalWatch::Ignored::StaysIgnored &&
        ::sigismember(&Set, Signal) &&
        ::sigaction(Signal, nullptr, &Present) == 0 &&
        Present.sa_handler == SIG_IGN)
      ::sigdelset(&Set, Signal);
  }
  ::sigaddset(&Set, SIGCHLD);
  return Set;
}

SignalWatch::SignalWatch(sigset_t Set, Ignored Rule)
    : Watched(withoutIgnored(Set, Rule)), Mask(Watched),
      Descriptor(::signalfd(-1, &Watched, SFD_CLOEXEC | SFD_NONBLOCK)) {
  ::signal(SIGCHLD, SIG_DFL);
}

std::optional<signalfd_siginfo> SignalWatch::next() {
  signalfd_siginfo Info;
  if (::read(Descriptor.get(), &Info, sizeof(Info)) != ssize_t(sizeof(Info)))
    return std::nullopt;
  return Info;
}

int SignalWatch::caught() {
  while (std::optional<signalfd_siginfo> Info = next())
    if (Info->ssi_signo != SIGCHLD && Caught == 0)
      Caught = int(Info->ssi_signo);
  return Caught;
}

void SignalWatch::wait(int Milliseconds) const {
  pollfd Event = {Descriptor.get(), POLLIN, 0};
  ::poll(&Event, 1, Milliseconds);
}
