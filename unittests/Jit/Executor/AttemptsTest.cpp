//===- AttemptsTest.cpp - tests of one compile of a key among threads -----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Cache/Attempts.h"

#include "gtest/gtest.h"
#include <thread>

using namespace kpack;
using namespace kpack::jit;

namespace {

const Digest Id = sha256("a");
const Status Passing(StatusCode::IoError, "disk full");
const Status Final(StatusCode::InvalidArgument, "does not compile");

/// Whether the key is free after \p Outcome.
bool isFreeAfter(Attempts &All, const Status &Outcome, bool Remember = true) {
  All.end(Id, All.take(Id), Outcome, Remember);
  return All.take(Id).Mine != nullptr;
}

TEST(AttemptsTest, KeyIsFreeAfterSuccessAndForgottenFailures) {
  Attempts All(60), Others(60);
  EXPECT_TRUE(isFreeAfter(All, Status::success()));
  EXPECT_TRUE(isFreeAfter(Others, Passing, /*Remember=*/false));
}

TEST(AttemptsTest, FailureLastsForItsLifetime) {
  Attempts Long(60), None(0);
  EXPECT_FALSE(isFreeAfter(Long, Passing));
  EXPECT_EQ(Long.take(Id).Failure.message(), "disk full");
  EXPECT_TRUE(isFreeAfter(None, Passing));
}

TEST(AttemptsTest, RefusalByTheCompilerIsPermanent) {
  Attempts None(0);
  EXPECT_FALSE(isFreeAfter(None, Final));
}

// Also one that is not remembered.
TEST(AttemptsTest, WaitersGetTheOutcome) {
  for (const Status &Outcome : {Status::success(), Passing}) {
    Attempts All(0);
    Attempts::Turn Mine = All.take(Id);
    ASSERT_NE(Mine.Mine, nullptr);
    std::thread Waiter([&] {
      Attempts::Turn Theirs = All.take(Id);
      // Where it came late it is the next.
      if (!Theirs.Mine)
        EXPECT_EQ(Theirs.Failure.message(), Outcome.message());
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    All.end(Id, Mine, Outcome, /*Remember=*/false);
    Waiter.join();
  }
}

TEST(AttemptsTest, CancelledCallerDoesNotAffectOthers) {
  const Status Stopped(StatusCode::IoError, "stopped", Errc::Cancelled);
  Attempts All(60);
  Attempts::Turn Mine = All.take(Id);
  Attempts::Turn Impatient = All.take(Id, [] { return true; });
  EXPECT_EQ(Impatient.Mine, nullptr);
  EXPECT_EQ(Impatient.Failure.detail(), Errc::Cancelled);
  std::thread Waiter([&] {
    Attempts::Turn Theirs = All.take(Id, [] { return false; });
    ASSERT_NE(Theirs.Mine, nullptr);
    All.end(Id, Theirs, Status::success(), /*Remember=*/true);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  All.end(Id, Mine, Stopped, /*Remember=*/true);
  Waiter.join();
  EXPECT_NE(All.take(Id).Mine, nullptr);
}

TEST(RetryPauseTest, DoublesUpToTheLongest) {
  using namespace std::chrono;
  RetryPause Pause(milliseconds(50), milliseconds(120));
  EXPECT_TRUE(Pause.isOver());
  auto Measure = [&] {
    auto Start = steady_clock::now();
    Pause.failed();
    while (!Pause.isOver())
      std::this_thread::sleep_for(milliseconds(1));
    return steady_clock::now() - Start;
  };
  EXPECT_GE(Measure(), milliseconds(50));
  EXPECT_GE(Measure(), milliseconds(100));
  EXPECT_GE(Measure(), milliseconds(120));
  Pause.failedForGood();
  EXPECT_FALSE(Pause.isOver());
}

} // namespace
