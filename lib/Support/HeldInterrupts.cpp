//===- HeldInterrupts.cpp - not in the middle -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
