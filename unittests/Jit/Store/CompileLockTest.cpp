//===- CompileLockTest.cpp - tests of the lock across processes -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Other processes are forked; what they do is ordered by pipes, not by time.
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include "Jit/Store/CompileLock.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

class CompileLockTest : public TestFolder {
protected:
  static bool never() { return false; }

  /// A process that has the lock of \p Name until it is killed.
  pid_t lockInAnotherProcess(const std::string &Name) {
    int Ready[2];
    EXPECT_EQ(::pipe(Ready), 0);
    auto S = open();
    const pid_t Child = ::fork();
    if (Child == 0) {
      CompileLock F;
      const bool Owner = F.acquire(*S, key(Name).Id, 0, never, nullptr) ==
                         CompileLock::Outcome::Owner;
      (void)!::write(Ready[1], Owner ? "y" : "n", 1);
      while (true)
        ::pause();
    }
    ::close(Ready[1]); // a child that fails must not leave us waiting
    char Answer = 0;
    EXPECT_EQ(::read(Ready[0], &Answer, 1), 1);
    EXPECT_EQ(Answer, 'y');
    ::close(Ready[0]);
    return Child;
  }
};

TEST_F(CompileLockTest, OwnerThenOwnerAgain) {
  auto S = open();
  for (int I = 0; I != 3; ++I) {
    CompileLock F;
    EXPECT_EQ(F.acquire(*S, key("a").Id, 10, never, nullptr),
              CompileLock::Outcome::Owner);
  }
  EXPECT_TRUE(std::filesystem::is_empty(Folder + "/cache/locks"));
}

TEST_F(CompileLockTest, FolderOfLocksIsMadeAgain) {
  auto S = open();
  std::filesystem::remove_all(Folder + "/cache/locks");
  CompileLock First, Second;
  EXPECT_EQ(First.acquire(*S, key("a").Id, 0, never, nullptr),
            CompileLock::Outcome::Owner);
  EXPECT_EQ(Second.acquire(*S, key("a").Id, 0, never, nullptr),
            CompileLock::Outcome::Unlocked);
  std::filesystem::remove_all(Folder + "/cache");
  CompileLock Third;
  EXPECT_EQ(Third.acquire(*S, key("a").Id, 0, never, nullptr),
            CompileLock::Outcome::Unlocked);
}

TEST_F(CompileLockTest, WaiterGivesUpAndCompilesItself) {
  const pid_t Child = lockInAnotherProcess("a");
  auto S = open();
  LockOwner Seen;
  CompileLock F;
  EXPECT_EQ(F.acquire(*S, key("a").Id, 0.05, never,
                      [&](const LockOwner &Owner, double) { Seen = Owner; }),
            CompileLock::Outcome::Unlocked);
  EXPECT_EQ(Seen.Pid, Child);
  EXPECT_FALSE(Seen.Host.empty());
  // Another key is free.
  CompileLock Other;
  EXPECT_EQ(Other.acquire(*S, key("b").Id, 0, never, nullptr),
            CompileLock::Outcome::Owner);
  ::kill(Child, SIGKILL);
  ::waitpid(Child, nullptr, 0);
}

TEST_F(CompileLockTest, KilledOwnerFreesTheLock) {
  const pid_t Child = lockInAnotherProcess("a");
  auto S = open();
  CompileLock F;
  bool Killed = false;
  EXPECT_EQ(F.acquire(*S, key("a").Id, 600, never,
                      [&](const LockOwner &, double) {
                        if (!Killed)
                          ::kill(Child, SIGKILL);
                        Killed = true;
                      }),
            CompileLock::Outcome::Owner);
  EXPECT_TRUE(Killed);
  ::waitpid(Child, nullptr, 0);
}

TEST_F(CompileLockTest, WaiterTakesWhatHasAppeared) {
  const pid_t Child = lockInAnotherProcess("a");
  auto S = open();
  CompileLock F;
  EXPECT_EQ(F.acquire(
                *S, key("a").Id, 600,
                [&] { return bool(S->find(key("a").Id)); },
                [&](const LockOwner &, double) {
                  EXPECT_TRUE(S->publish(info("a"), "code").ok());
                }),
            CompileLock::Outcome::Appeared);
  ::kill(Child, SIGKILL);
  ::waitpid(Child, nullptr, 0);
}

} // namespace
