//===- Support/SignalMask.h - signals that have to wait ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signals that a thread does not take for a while. They are blocked and not
// ignored: one that comes meanwhile is pending until the destructor puts the
// mask back. The old mask is restored, rather than these signals unblocked, so
// that objects can be nested and a caller that had blocked some keeps them
// blocked. Who wants to know of them has a SignalWatch.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_SIGNALMASK_H
#define KPACK_SUPPORT_SIGNALMASK_H

#include <csignal>
#include <initializer_list>

namespace kpack {

/// The signals by which somebody asks a program to end. Some programs listen to
/// a few more: HeldInterrupts.h has what ends one that does not listen.
inline constexpr int EndSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

template <typename Range> sigset_t signalSet(const Range &Signals) {
  sigset_t Set;
  ::sigemptyset(&Set);
  for (int Signal : Signals)
    ::sigaddset(&Set, Signal);
  return Set;
}

inline sigset_t signalSet(std::initializer_list<int> Signals) {
  return signalSet<std::initializer_list<int>>(Signals);
}

/// As long as it lives, this thread does not take the signals of a set.
class SignalMask {
public:
  explicit SignalMask(const sigset_t &Set) {
    ::pthread_sigmask(SIG_BLOCK, &Set, &Before);
  }
  ~SignalMask() { ::pthread_sigmask(SIG_SETMASK, &Before, nullptr); }
  SignalMask(const SignalMask &) = delete;
  SignalMask &operator=(const SignalMask &) = delete;

  const sigset_t &before() const { return Before; }

private:
  sigset_t Before;
};

} // namespace kpack

#endif // KPACK_SUPPORT_SIGNALMASK_H
