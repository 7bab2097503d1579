//===- HeldInterrupts.cpp - not in the middle -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The signals are blocked and not ignored: one that comes meanwhile is pending
// until the destructor puts the mask back. The old mask is restored, rather
// than these signals unblocked, so that objects can be nested and a caller that
// had blocked some keeps them blocked.
//
//===----------------------------------------------------------------------===//

#include "kpack/Support/HeldInterrupts.h"

#include <pthread.h>

using namespace kpack;

sigset_t kpack::interruptSet() {
  sigset_t Set;
  sigemptyset(&Set);
  for (int Signal : InterruptSignals)
    sigaddset(&Set, Signal);
  return Set;
}

HeldInterrupts::HeldInterrupts() {
  sigset_t Set = interruptSet();
  pthread_sigmask(SIG_BLOCK, &Set, &Before);
}

HeldInterrupts::~HeldInterrupts() {
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}
