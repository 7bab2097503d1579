//===- Support/SignalMask.h - scope with blocked signals --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks signals in a thread for a while. They are not ignored: a signal stays
// pending until the destructor restores the mask. It restores the old mask
// rather than unblocking these signals, so objects can be nested and signals
// that the caller has blocked stay blocked. SignalWatch reads such signals.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_SIGNALMASK_H
#define KPACK_SUPPORT_SIGNALMASK_H

#include <csignal>
#include <initializer_list>

namespace kpack {

/// The signals that ask a program to end. HeldInterrupts.h has all that end a
/// program without a handler.
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

/// Blocks the signals of a set in this thread while it lives.
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
