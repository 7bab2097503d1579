//===- InterruptsTest.cpp - tests of cleanup on interrupts ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test ends a child by a signal and looks at what it has left. A signal
// that a thread sends to itself is there when the call returns, so nothing
// depends on time.
//
//===----------------------------------------------------------------------===//
#include "Outputs/Interrupts.h"
#include "../Support/TempDir.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::test;

namespace {

class InterruptsDeathTest : public testing::Test {
protected:
  /// Whatever started the tests may ignore or block signals, or want cores.
  static void useDefaults() {
    rlimit None = {0, 0};
    setrlimit(RLIMIT_CORE, &None);
    for (int Signal : InterruptSignals)
      signal(Signal, SIG_DFL);
    sigset_t Set = interruptSet();
    pthread_sigmask(SIG_UNBLOCK, &Set, nullptr);
  }
  void make(const char *Name) const { writeFile(Dir.file(Name), "x"); }

  TempDir Dir;
};

/// Sends \p Signal to a new thread and waits until it has been dealt with.
void interruptOtherThread(int Signal) {
  std::thread([Signal] {
    sigset_t Set = interruptSet(); // a thread starts with its maker's mask
    pthread_sigmask(SIG_UNBLOCK, &Set, nullptr);
    pthread_kill(pthread_self(), Signal);
  }).join();
}

TEST_F(InterruptsDeathTest, RemovesFilesWithTheTemporaryName) {
  make("other");
  make("x");
  for (int Signal : InterruptSignals) {
    EXPECT_EXIT(
        {
          useDefaults();
          InterruptHandler Handler;
          TemporaryName A(Dir.file("x.tmp-1"));
          TemporaryName B(Dir.file("y.tmp-2"));
          {
            TemporaryName Done(Dir.file("other"));
          }
          make("x.tmp-1");
          make("x.tmp-1.tmp123");
          make("y.tmp-2.0.bc");
          raise(Signal);
          _exit(0);
        },
        testing::KilledBySignal(Signal), "");
    EXPECT_EQ(Dir.countFiles(), 2u) << Signal;
  }
  EXPECT_EQ(readFile(Dir.file("other")), "x");
}

TEST_F(InterruptsDeathTest, RemovesAllOfALargeDirectory) {
  EXPECT_EXIT(
      {
        useDefaults();
        InterruptHandler Handler;
        TemporaryName Name(Dir.file("x.tmp-1"));
        for (int I = 0; I != 1000; ++I)
          make(("x.tmp-1." + std::to_string(I)).c_str());
        raise(SIGTERM);
        _exit(0);
      },
      testing::KilledBySignal(SIGTERM), "");
  EXPECT_EQ(Dir.countFiles(), 0u);
}

TEST_F(InterruptsDeathTest, NameIsRelativeToTheWorkingDirectory) {
  EXPECT_EXIT(
      {
        useDefaults();
        if (chdir(Dir.file("").c_str()) != 0)
          _exit(0);
        InterruptHandler Handler;
        TemporaryName Name("x.tmp-1");
        make("x.tmp-1.0");
        raise(SIGTERM);
        _exit(0);
      },
      testing::KilledBySignal(SIGTERM), "");
  EXPECT_EQ(Dir.countFiles(), 0u);
}

TEST_F(InterruptsDeathTest, OtherThreadWaitsForHeldInterrupts) {
  EXPECT_EXIT(
      {
        useDefaults();
        InterruptHandler Handler;
        TemporaryName Name(Dir.file("x.tmp-1"));
        {
          HeldInterrupts Held;
          interruptOtherThread(SIGINT);
          // Were it removed already, this would stay.
          make("x.tmp-1");
        }
        _exit(0);
      },
      testing::KilledBySignal(SIGINT), "");
  EXPECT_EQ(Dir.countFiles(), 0u);
}

TEST_F(InterruptsDeathTest, TooLateForThoseThatWaitAndThoseToCome) {
  EXPECT_EXIT(
      {
        useDefaults();
        InterruptHandler Handler;
        TemporaryName Name(Dir.file("x.tmp-1"));
        {
          HeldInterrupts Held;
          interruptOtherThread(SIGINT);
          raise(SIGTERM);
          kill(getpid(), SIGHUP);
          make("x");
          ignoreInterrupts();
        }
        interruptOtherThread(SIGQUIT);
        raise(SIGINT);
        _exit(7);
      },
      testing::ExitedWithCode(7), "");
  EXPECT_EQ(Dir.countFiles(), 1u);
}

TEST_F(InterruptsDeathTest, IgnoredBrokenPipeIsNotAnInterrupt) {
  EXPECT_EXIT(
      {
        useDefaults();
        signal(SIGPIPE, SIG_IGN);
        {
          InterruptHandler Handler;
          raise(SIGPIPE);
        }
        raise(SIGPIPE);
        _exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(InterruptsDeathTest, BrokenPipeIsNeverTooLate) {
  EXPECT_EXIT(
      {
        useDefaults();
        InterruptHandler Handler;
        TemporaryName Name(Dir.file("x.tmp-1"));
        make("x");
        ignoreInterrupts();
        raise(SIGPIPE);
        _exit(7);
      },
      testing::KilledBySignal(SIGPIPE), "");
  EXPECT_EQ(Dir.countFiles(), 1u);
}

TEST_F(InterruptsDeathTest, HandlersComeBack) {
  EXPECT_EXIT(
      {
        useDefaults();
        {
          InterruptHandler Handler;
        } // LLVM has set its own now
        signal(SIGTERM, [](int) { _exit(7); });
        {
          InterruptHandler Handler;
          ignoreInterrupts();
        }
        raise(SIGTERM); // too late for good
        {
          InterruptHandler Handler;
        }
        signal(SIGTERM, [](int) { _exit(7); });
        {
          InterruptHandler Handler;
        }
        raise(SIGTERM);
      },
      testing::ExitedWithCode(7), "");
}

} // namespace
