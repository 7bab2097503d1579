//===- JobRunnerTest.cpp - tests of parallel compiler processes -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Driver/JobRunner.h"
#include "../Support/TempDir.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::driver;
using namespace kpack::test;

static Job shell(const char *Script, unsigned Weight = 0) {
  Job J;
  J.Arguments = {"/bin/sh", "-c", Script};
  J.Weight = Weight;
  return J;
}

static std::vector<JobResult> run(std::vector<Job> Jobs, unsigned Parallel) {
  DriverSignals Signals;
  JobRunner Runner(Signals, Parallel, {"PATH=/usr/bin:/bin", "NAME=value"});
  return llvm::cantFail(Runner.run(Jobs));
}

TEST(JobRunner, CapturesBothStreams) {
  std::vector<JobResult> R =
      run({shell("echo out; echo err >&2; exit 3"), shell("echo $NAME")}, 2);
  EXPECT_EQ(R[0].How, JobResult::State::Exited);
  EXPECT_EQ(R[0].Code, 3);
  EXPECT_TRUE(R[0].failed());
  EXPECT_EQ(R[0].Out, "out\n");
  EXPECT_EQ(R[0].Err, "err\n");
}

TEST(JobRunner, TakesMoreThanAPipeHolds) {
  std::vector<JobResult> R =
      run({shell("i=0; while [ $i -lt 4000 ]; do echo "
                 "0123456789012345678901234567890123456789; i=$((i+1)); done")},
          1);
  EXPECT_TRUE(R[0].succeeded());
  EXPECT_EQ(R[0].Out.size(), 4000u * 41);
}

TEST(JobRunner, GivesNoStandardInputUnlessAsked) {
  Job Reads = shell("cat");
  Reads.InputFile = "/proc/self/comm"; // of the child before exec: not empty
  std::vector<JobResult> R = run({shell("cat"), Reads}, 2);
  EXPECT_EQ(R[0].Out, "");
  EXPECT_NE(R[1].Out, "");
}

TEST(JobRunner, CancelsWhatComesAfterAFailure) {
  // The one that fails does so when those beside it run, and the first goes on
  // until the third has been cancelled. It does not sleep: a program that a
  // shell is about to run may miss a signal that the shell has a trap for.
  TempDir Dir;
  std::string Pipe = Dir.file("pipe"), Cancelled = Dir.file("cancelled");
  ASSERT_EQ(mkfifo(Pipe.c_str(), 0600), 0);
  ASSERT_EQ(mkfifo(Cancelled.c_str(), 0600), 0);
  std::string First = "read Line < " + Cancelled + "; echo before";
  std::string Second = "read Line < " + Pipe + "; exit 1";
  std::string Third = "trap 'echo x > " + Cancelled +
                      "; exit 0' TERM; echo x > " + Pipe +
                      "; while :; do :; done";
  std::vector<JobResult> R = run({shell(First.c_str()), shell(Second.c_str()),
                                  shell(Third.c_str()), shell("echo later")},
                                 3);
  EXPECT_TRUE(R[0].succeeded());
  EXPECT_EQ(R[0].Out, "before\n");
  EXPECT_EQ(R[1].Code, 1);
  EXPECT_EQ(R[2].How, JobResult::State::Cancelled);
  EXPECT_FALSE(R[2].failed());
  EXPECT_NE(R[3].How, JobResult::State::Exited);
}

TEST(JobRunner, StartsTheCostliestFirst) {
  TempDir Dir;
  auto Note = [&Dir](const char *Name) {
    return std::string("echo ") + Name + " >> " + Dir.file("order");
  };
  run({shell(Note("1").c_str(), 1), shell(Note("3").c_str(), 3),
       shell(Note("2").c_str(), 2)},
      1);
  EXPECT_EQ(readFile(Dir.file("order")), "3\n2\n1\n");
}

TEST(JobRunner, ReportsSignals) {
  std::vector<JobResult> R = run({shell("kill -SEGV $$")}, 1);
  EXPECT_EQ(R[0].How, JobResult::State::Signaled);
  EXPECT_EQ(R[0].Code, SIGSEGV);
  EXPECT_TRUE(R[0].failed());
}

TEST(JobRunner, NamesAMissingProgram) {
  Job J;
  J.Arguments = {"/nowhere/clang++"};
  DriverSignals Signals;
  JobRunner Runner(Signals, 1, {});
  llvm::Expected<JobResult> R = Runner.runOne(J);
  ASSERT_FALSE(bool(R));
  EXPECT_EQ(
      llvm::toString(R.takeError()),
      "/nowhere/clang++: cannot be run: No such file or directory; install it "
      "or name another clang++ with --kpack-clang=");
}

TEST(JobRunner, AnInterruptEndsEverything) {
  DriverSignals Signals;
  JobRunner Runner(Signals, 2, {"PATH=/usr/bin:/bin"});
  std::string Script =
      "kill -TERM " + std::to_string(getpid()) + "; exec sleep 600";
  std::vector<JobResult> R = llvm::cantFail(Runner.run(
      {shell(Script.c_str()), shell("exec sleep 600"), shell("true")}));
  EXPECT_EQ(Signals.caught(), SIGTERM);
  EXPECT_EQ(R[0].How, JobResult::State::Cancelled);
  EXPECT_EQ(R[1].How, JobResult::State::Cancelled);
  EXPECT_EQ(R[2].How, JobResult::State::NotRun);
}

// A linker that a compiler has started removes its files after the compiler's
// death.
TEST(JobRunner, AnInterruptWaitsForGrandchildren) {
  TempDir Dir;
  std::string Pipe = Dir.file("pipe"), Cleaned = Dir.file("cleaned");
  ASSERT_EQ(mkfifo(Pipe.c_str(), 0600), 0);
  // The trap is there before the interrupt; the sleep in it only makes sure
  // that the test fails when nobody waits.
  std::string Script =
      "(trap 'sleep 1; echo x > " + Cleaned + "; exit 0' TERM; echo x > " +
      Pipe + "; while :; do :; done) & read Line < " + Pipe + "; kill -TERM " +
      std::to_string(getpid()) + "; exec sleep 600";
  DriverSignals Signals;
  JobRunner Runner(Signals, 1, {"PATH=/usr/bin:/bin"});
  std::vector<JobResult> R =
      llvm::cantFail(Runner.run({shell(Script.c_str())}));
  EXPECT_EQ(R[0].How, JobResult::State::Cancelled);
  EXPECT_EQ(readFile(Cleaned), "x\n");
}
