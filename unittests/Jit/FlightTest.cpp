//===- FlightTest.cpp - one owner among processes -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Other processes are forked; what they do is ordered by pipes, not by time.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Flight.h"
#include "TestFolder.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

class FlightTest : public TestFolder {
protected:
  static bool never() { return false; }

  /// A process that has the lock of \p Name until it is killed.
  pid_t lockInAnotherProcess(const std::string &Name) {
    int Ready[2];
    EXPECT_EQ(::pipe(Ready), 0);
    auto S = open();
    const pid_t Child = ::fork();
    if (Child == 0) {
      Flight F;
      const bool Owner = F.board(*S, key(Name).Id, 0, never, nullptr) ==
                         Flight::Outcome::Owner;
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

TEST_F(FlightTest, OwnerThenOwnerAgain) {
  auto S = open();
  for (int I = 0; I != 3; ++I) {
    Flight F;
    EXPECT_EQ(F.board(*S, key("a").Id, 10, never, nullptr),
              Flight::Outcome::Owner);
  }
  EXPECT_TRUE(std::filesystem::is_empty(Folder + "/cache/locks"));
}

TEST_F(FlightTest, FolderOfLocksIsMadeAgain) {
  auto S = open();
  std::filesystem::remove_all(Folder + "/cache/locks");
  Flight First, Second;
  EXPECT_EQ(First.board(*S, key("a").Id, 0, never, nullptr),
            Flight::Outcome::Owner);
  EXPECT_EQ(Second.board(*S, key("a").Id, 0, never, nullptr),
            Flight::Outcome::Unlocked);
  std::filesystem::remove_all(Folder + "/cache");
  Flight Third;
  EXPECT_EQ(Third.board(*S, key("a").Id, 0, never, nullptr),
            Flight::Outcome::Unlocked);
}

TEST_F(FlightTest, WaiterGivesUpAndCompilesItself) {
  const pid_t Child = lockInAnotherProcess("a");
  auto S = open();
  FlightOwner Seen;
  Flight F;
  EXPECT_EQ(F.board(*S, key("a").Id, 0.05, never,
                    [&](const FlightOwner &Owner, double) { Seen = Owner; }),
            Flight::Outcome::Unlocked);
  EXPECT_EQ(Seen.Pid, Child);
  EXPECT_FALSE(Seen.Host.empty());
  // Another key is free.
  Flight Other;
  EXPECT_EQ(Other.board(*S, key("b").Id, 0, never, nullptr),
            Flight::Outcome::Owner);
  ::kill(Child, SIGKILL);
  ::waitpid(Child, nullptr, 0);
}

TEST_F(FlightTest, KilledOwnerFreesTheLock) {
  const pid_t Child = lockInAnotherProcess("a");
  auto S = open();
  Flight F;
  bool Killed = false;
  EXPECT_EQ(F.board(*S, key("a").Id, 600, never,
                    [&](const FlightOwner &, double) {
                      if (!Killed)
                        ::kill(Child, SIGKILL);
                      Killed = true;
                    }),
            Flight::Outcome::Owner);
  EXPECT_TRUE(Killed);
  ::waitpid(Child, nullptr, 0);
}

TEST_F(FlightTest, WaiterTakesWhatHasLanded) {
  const pid_t Child = lockInAnotherProcess("a");
  auto S = open();
  Flight F;
  EXPECT_EQ(F.board(
                *S, key("a").Id, 600,
                [&] { return bool(S->find(key("a").Id)); },
                [&](const FlightOwner &, double) {
                  EXPECT_TRUE(S->publish(info("a"), "code").ok());
                }),
            Flight::Outcome::Landed);
  ::kill(Child, SIGKILL);
  ::waitpid(Child, nullptr, 0);
}

} // namespace
