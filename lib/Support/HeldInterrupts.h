//===- HeldInterrupts.h - signals deferred during a step --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For steps on files that belong together, such as making a temporary file and
// registering it for removal, or two renames: a signal that ends the program is
// handled before the first or after the last of them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_HELDINTERRUPTS_H
#define KPACK_SUPPORT_HELDINTERRUPTS_H

#include "Support/SignalMask.h"

namespace kpack {

/// The signals by which a user or the system asks a program to end, with
/// SIGPIPE, which a reader of the output such as `head` causes by closing it.
inline constexpr int InterruptSignals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGALRM,
                                           SIGTERM, SIGUSR2, SIGXCPU, SIGPIPE};

/// The set of InterruptSignals.
inline sigset_t interruptSet() { return signalSet(InterruptSignals); }

/// Blocks InterruptSignals for this thread while it lives. Another thread still
/// takes signals sent to the process, so a program with threads needs a handler
/// that leaves them to this one (Outputs/Interrupts.h).
class HeldInterrupts : SignalMask {
public:
  HeldInterrupts() : SignalMask(interruptSet()) {}
};

} // namespace kpack

#endif // KPACK_SUPPORT_HELDINTERRUPTS_H
