//===- ForkGuardTest.cpp - tests of locks across fork() -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/ForkGuard.h"
#include "gtest/gtest.h"

#include <atomic>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kpack;

namespace {

int waitForExitCode(pid_t Child) {
  int Status = -1;
  EXPECT_EQ(::waitpid(Child, &Status, 0), Child);
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : -1;
}

TEST(ForkGuardTest, HooksRunFromOutsideToInsideAndBack) {
  std::string Calls;
  auto hook = [&](char Name) {
    return [&Calls, Name](ForkMoment M) {
      Calls += Name;
      Calls += M == ForkMoment::Before  ? 'b'
               : M == ForkMoment::Child ? 'c'
                                        : 'p';
    };
  };
  ForkGuard Outer(hook('O'));
  auto Gone = std::make_unique<ForkGuard>(hook('G'));
  ForkGuard Inner(hook('I'));
  Gone.reset();
  const pid_t Child = ::fork();
  if (Child == 0)
    ::_exit(Calls == "ObIbIcOc" ? 0 : 1);
  EXPECT_EQ(waitForExitCode(Child), 0);
  EXPECT_EQ(Calls, "ObIbIpOp");
}

// Threads lock all the time; every child must be able to lock.
TEST(ForkGuardTest, ChildrenNeverFindALockTaken) {
  std::mutex Outer, Inner;
  ForkGuard OuterGuard(Outer), InnerGuard(Inner);
  std::atomic<bool> Stop{false};
  std::atomic<int> Running{0};
  std::thread Locking([&] {
    ++Running;
    while (!Stop) {
      std::lock_guard<std::mutex> First(Outer);
      std::lock_guard<std::mutex> Second(Inner);
    }
  });
  std::thread Making([&] {
    ++Running;
    while (!Stop) { // a guard is made by who holds a guarded lock
      std::mutex Own;
      std::unique_lock<std::mutex> First(Outer);
      ForkGuard Made(Own);
      First.unlock();
      std::lock_guard<std::mutex> Second(Own);
    }
  });
  while (Running != 2)
    std::this_thread::yield();
  for (int I = 0; I != 100; ++I) {
    const pid_t Child = ::fork();
    if (Child == 0)
      ::_exit(Outer.try_lock() && Inner.try_lock() ? 0 : 1);
    ASSERT_EQ(waitForExitCode(Child), 0);
  }
  Stop = true;
  Locking.join();
  Making.join();
}

} // namespace
