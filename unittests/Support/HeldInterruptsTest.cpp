//===- HeldInterruptsTest.cpp - tests of deferred signals -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/HeldInterrupts.h"

#include <gtest/gtest.h>
#include <pthread.h>

using namespace kpack;

static volatile std::sig_atomic_t Seen;

TEST(HeldInterrupts, WaitForTheOutermost) {
  // Whatever started the tests may block it.
  sigset_t Set = interruptSet(), Before;
  pthread_sigmask(SIG_UNBLOCK, &Set, &Before);
  auto *Old = std::signal(SIGTERM, [](int) { Seen = Seen + 1; });
  {
    HeldInterrupts Outer;
    {
      HeldInterrupts Inner;
      std::raise(SIGTERM);
    }
    EXPECT_EQ(Seen, 0);
  }
  EXPECT_EQ(Seen, 1);
  std::raise(SIGTERM);
  EXPECT_EQ(Seen, 2);
  std::signal(SIGTERM, Old);
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}
