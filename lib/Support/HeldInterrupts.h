//===- Support/HeldInterrupts.h - not in the middle -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps on files that belong together, such as making a temporary file and
// noting that it has to be removed, or two renames: a signal that ends the
// program comes before the first or after the last of them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_HELDINTERRUPTS_H
#define KPACK_SUPPORT_HELDINTERRUPTS_H

#include "Support/SignalMask.h"

namespace kpack {

/// The signals by which a user or the system asks a program to end: SIGPIPE by
/// no longer reading what it prints, as `head` does.
inline constexpr int InterruptSignals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGALRM,
                                           SIGTERM, SIGUSR2, SIGXCPU, SIGPIPE};

/// The set of InterruptSignals.
inline sigset_t interruptSet() { return signalSet(InterruptSignals); }

/// InterruptSignals wait, for this thread, as long as it lives. Another thread
/// still takes those that are sent to the process: a program with threads has
/// to have a handler that leaves them to this one (Outputs/Interrupts.h).
class HeldInterrupts : SignalMask {
public:
  HeldInterrupts() : SignalMask(interruptSet()) {}
};

} // namespace kpack

#endif // KPACK_SUPPORT_HELDINTERRUPTS_H
