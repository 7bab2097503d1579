//===- JobsTest.cpp - tests of parallel child processes -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the rules change. The rest is in unittests/Driver/JobRunnerTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "Support/Jobs.h"
#include "TempDir.h"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::test;

namespace {

Job shell(std::string Script) {
  Job J;
  J.Arguments = {"/bin/sh", "-c", std::move(Script)};
  return J;
}

std::vector<JobResult> run(std::vector<Job> Jobs, JobRules Rules) {
  SignalWatch Signals(signalSet(EndSignals));
  return runJobs(Signals, Jobs, Rules);
}

TEST(JobsTest, FailureCancelsEarlierJobs) {
  JobRules Rules;
  Rules.Parallel = 2;
  Rules.FailureEndsAll = true;
  std::vector<JobResult> R =
      run({shell("exec sleep 600"), shell("exit 3"), shell("exit 0")}, Rules);
  EXPECT_EQ(R[0].How, JobResult::State::Cancelled);
  EXPECT_EQ(R[1].Code, 3);
  EXPECT_EQ(R[2].How, JobResult::State::NotRun);
}

TEST(JobsTest, PatienceHasAnEnd) {
  JobRules Rules;
  Rules.Parallel = 2;
  Rules.Patience = std::chrono::seconds(1);
  TempDir Dir;
  std::string Ready = Dir.file("ready");
  ASSERT_EQ(::mkfifo(Ready.c_str(), 0600), 0);
  std::vector<JobResult> R =
      run({shell("read Line < " + Ready + "; exit 1"),
           shell("trap '' TERM; echo x > " + Ready + "; sleep 600")},
          Rules);
  EXPECT_EQ(R[0].Code, 1);
  EXPECT_EQ(R[1].How, JobResult::State::Cancelled);
}

TEST(JobsTest, ClosedOutputCancelsJobs) {
  int Ends[2];
  ASSERT_EQ(::pipe2(Ends, O_CLOEXEC), 0);
  UniqueFd Read(Ends[0]), Write(Ends[1]);
  JobRules Rules;
  Rules.StopSignal = SIGKILL;
  Rules.Watched = {Write.get(), 0, 0};
  EXPECT_TRUE(run({shell("true")}, Rules)[0].succeeded());
  Read = UniqueFd();
  EXPECT_EQ(run({shell("trap '' TERM; sleep 600")}, Rules)[0].How,
            JobResult::State::Cancelled);
}

TEST(JobsTest, DependentJobStartsAfterItsInputs) {
  TempDir Dir;
  std::string Ready = Dir.file("ready"), Lines = Dir.file("lines");
  ASSERT_EQ(::mkfifo(Ready.c_str(), 0600), 0);
  auto Say = [&](std::string Word) { return "echo " + Word + " >> " + Lines; };
  std::vector<Job> Jobs{shell("read Line < " + Ready + "; " + Say("first")),
                        shell(Say("second")),
                        shell("echo x > " + Ready), // beside the first
                        shell(Say("third"))};
  Jobs[1].After = {0};
  Jobs[1].Weight = 9; // would start in front of all
  Jobs[3].After = {0, 1};
  JobRules Rules;
  Rules.Parallel = 4;
  for (const JobResult &R : run(Jobs, Rules))
    EXPECT_TRUE(R.succeeded());
  EXPECT_EQ(run({shell("cat " + Lines)}, Rules)[0].Out,
            "first\nsecond\nthird\n");
}

TEST(JobsTest, JobAfterAFailureIsNotRun) {
  std::vector<Job> Jobs{shell("exit 3"), shell("exit 0")};
  Jobs[1].After = {0};
  JobRules Rules;
  Rules.Parallel = 2;
  EXPECT_EQ(run(Jobs, Rules)[1].How, JobResult::State::NotRun);
}

TEST(JobsTest, UnstartableJobCancelsOthers) {
  Job Missing;
  Missing.Arguments = {"/nowhere/program"};
  JobRules Rules;
  Rules.Parallel = 2;
  std::vector<JobResult> R = run({shell("exec sleep 600"), Missing}, Rules);
  EXPECT_EQ(R[0].How, JobResult::State::Cancelled);
  EXPECT_EQ(R[1].How, JobResult::State::Unstarted);
  EXPECT_EQ(R[1].Code, ENOENT);
}

TEST(JobsTest, WritesALog) {
  TempDir Dir;
  Job J = shell("echo out; echo err >&2; cat");
  J.Where = Job::Streams::Logged;
  J.LogFile = Dir.file("log");
  unsigned Ticks = 0;
  JobRules Rules;
  Rules.Tick = [&] { ++Ticks; };
  std::vector<JobResult> R = run({J}, Rules);
  EXPECT_TRUE(R[0].succeeded());
  EXPECT_EQ(R[0].Out, "");
  EXPECT_EQ(readFile(J.LogFile), "out\nerr\n");
  EXPECT_NE(Ticks, 0u);
}

TEST(JobsTest, CpuTimeIsMeasured) {
  std::vector<JobResult> R =
      run({shell("i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done")}, {});
  EXPECT_GT(R[0].CpuSeconds, 0);
}

// nohup: what a parent has us ignore stays ignored, but the status of children
// is not lost.
TEST(SignalWatchTest, IgnoredSignalsStayIgnored) {
  auto *Before = std::signal(SIGHUP, SIG_IGN);
  auto *Children = std::signal(SIGCHLD, SIG_IGN);
  {
    SignalWatch Signals(signalSet(EndSignals));
    std::raise(SIGHUP);
    EXPECT_EQ(Signals.caught(), 0);
    EXPECT_EQ(runJobs(Signals, {shell("exit 3")}, {})[0].Code, 3);
    SignalWatch All(signalSet(EndSignals), SignalWatch::Ignored::IsWatched);
    std::raise(SIGHUP);
    std::raise(SIGTERM);
    EXPECT_EQ(All.caught(), SIGHUP);
    EXPECT_EQ(All.caught(), SIGHUP);
  }
  std::signal(SIGCHLD, Children);
  std::signal(SIGHUP, Before);
}

} // namespace
