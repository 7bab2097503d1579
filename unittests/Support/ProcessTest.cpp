//===- ProcessTest.cpp - tests of child processes -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of it by posix_spawn() and, with a death signal, by fork().
//
//===----------------------------------------------------------------------===//
#include "Support/Process.h"
#include "Support/SignalMask.h"
#include "TempDir.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace kpack;
using namespace kpack::test;

namespace {

class ProcessTest : public testing::TestWithParam<int> {
protected:
  ProcessOptions optionsFor(std::vector<std::string> Arguments) {
    ProcessOptions Options;
    Options.Arguments = std::move(Arguments);
    Options.DeathSignal = GetParam();
    return Options;
  }
  ProcessOptions shell(std::string Script) {
    return optionsFor({"/bin/sh", "-c", std::move(Script)});
  }
};

struct Pipe {
  Pipe() {
    int Ends[2];
    EXPECT_EQ(::pipe2(Ends, O_CLOEXEC), 0);
    Read = UniqueFd(Ends[0]);
    Write = UniqueFd(Ends[1]);
  }
  /// All until nobody has the other end. "late" after ten seconds.
  std::string readToEnd() {
    Write = UniqueFd();
    std::string All;
    char Bytes[4096];
    pollfd Event = {Read.get(), POLLIN, 0};
    while (::poll(&Event, 1, 10000) == 1) {
      ssize_t Size = ::read(Read.get(), Bytes, sizeof(Bytes));
      if (Size <= 0)
        return All;
      All.append(Bytes, size_t(Size));
    }
    return "late";
  }
  UniqueFd Read, Write;
};

/// What \p Options write.
std::string outputOf(ProcessOptions Options) {
  Pipe P;
  Options.Output = P.Write.get();
  Process Child = Process::start(Options);
  EXPECT_TRUE(bool(Child));
  std::string Output = P.readToEnd();
  EXPECT_EQ(Child.wait()->Code, 0);
  return Output;
}

int waitForExitCode(pid_t Child) {
  int Status = -1;
  EXPECT_EQ(::waitpid(Child, &Status, 0), Child);
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : -1;
}

TEST_P(ProcessTest, ReportsExitCodeAndSignal) {
  EXPECT_EQ(Process::start(shell("exit 0")).wait()->Code, 0);
  EXPECT_EQ(Process::start(shell("exit 7")).wait()->Code, 7);
  std::optional<ProcessEnd> End = Process::start(shell("kill -USR1 $$")).wait();
  EXPECT_EQ(End->Signal, SIGUSR1);
  EXPECT_EQ(End->Code, 128 + SIGUSR1);
}

TEST_P(ProcessTest, TellsWhyItCannotBeStarted) {
  EXPECT_FALSE(Process::start(optionsFor({"/nowhere/program"})));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(Process::start(optionsFor({"/tmp"})));
  EXPECT_EQ(errno, EACCES);
  EXPECT_FALSE(Process::start(optionsFor({"true"}))); // not searched
  EXPECT_EQ(errno, ENOENT);
  ProcessOptions Options = shell("exit 0");
  Options.Directory = "/nowhere";
  EXPECT_FALSE(Process::start(Options));
  EXPECT_EQ(errno, ENOENT);
  // Nothing is left to wait for.
  ProcessEnd Ignored;
  EXPECT_EQ(takeEnd(-1, Ignored), -1);
}

TEST_P(ProcessTest, ChildGetsArgumentsEnvironmentAndInput) {
  ProcessOptions Options = optionsFor({"sh", "-c", "echo $0 $NAME $HOME; pwd"});
  Options.IsSearched = true;
  Options.Environment = {"NAME=value"};
  Options.Directory = "/";
  EXPECT_EQ(outputOf(Options), "sh value\n/\n");
  Options = optionsFor({"another", "-c", "echo $0"});
  Options.File = "/bin/sh";
  EXPECT_EQ(outputOf(Options), "another\n");
  Pipe Input;
  ASSERT_EQ(::write(Input.Write.get(), "text", 4), 4);
  Input.Write = UniqueFd();
  Options = shell("cat");
  Options.Input = Input.Read.get();
  EXPECT_EQ(outputOf(Options), "text");
}

// As in a program that was started with closed streams: a file that becomes
// one of the child's streams has the number of another.
TEST_P(ProcessTest, StreamNumbersMayBeExchanged) {
  TempDir Dir;
  pid_t Child = ::fork();
  if (Child == 0) {
    for (int I : {1, 2})
      ::dup2(
          ::open(Dir.file(std::to_string(I)).c_str(), O_CREAT | O_RDWR, 0600),
          I);
    ProcessOptions Options = shell("echo out; echo err >&2");
    Options.Output = 2;
    Options.Error = 1;
    ::_exit(Process::start(Options).wait()->Code);
  }
  EXPECT_EQ(waitForExitCode(Child), 0);
  EXPECT_EQ(readFile(Dir.file("2")), "out\n");
  EXPECT_EQ(readFile(Dir.file("1")), "err\n");
}

TEST_P(ProcessTest, ChildInheritsNoOtherDescriptors) {
  UniqueFd File(::memfd_create("kept-file", MFD_CLOEXEC));
  Pipe P;
  struct stat Info;
  ASSERT_EQ(::fstat(P.Write.get(), &Info), 0);
  ProcessOptions Options = optionsFor({"/bin/ls", "-l", "/proc/self/fd"});
  Options.Output = P.Write.get();
  Process Child = Process::start(Options);
  std::string Open = P.readToEnd();
  Child.wait();
  std::string Name = "pipe:[" + std::to_string(Info.st_ino) + "]";
  EXPECT_NE(Open.find(" 1 -> " + Name), std::string::npos) << Open;
  EXPECT_EQ(Open.find(Name), Open.rfind(Name)) << Open;
  EXPECT_EQ(Open.find("kept-file"), std::string::npos) << Open;
  Options.Kept = File.get();
  Open = outputOf(Options);
  EXPECT_NE(
      Open.find(" " + std::to_string(File.get()) + " -> /memfd:kept-file"),
      std::string::npos)
      << Open;
}

TEST_P(ProcessTest, SignalMaskAndDefaultsAreSet) {
  auto SignalsOf = [&](const char *Which, ProcessOptions Options) {
    std::string Line = outputOf(std::move(Options));
    EXPECT_EQ(Line.find(Which), 0u) << Line;
    return std::stoull(Line.substr(Line.find(':') + 1), nullptr, 16);
  };
  unsigned long long User = 1ull << (SIGUSR1 - 1), Pipe = 1ull << (SIGPIPE - 1);
  ProcessOptions Blocked =
      optionsFor({"/bin/grep", "SigBlk", "/proc/self/status"});
  SignalMask Held(signalSet({SIGUSR1}));
  EXPECT_TRUE(SignalsOf("SigBlk", Blocked) & User);
  Blocked.Mask = Held.before();
  EXPECT_FALSE(SignalsOf("SigBlk", Blocked) & User);
  ProcessOptions Ignored =
      optionsFor({"/bin/grep", "SigIgn", "/proc/self/status"});
  auto *Before = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_TRUE(SignalsOf("SigIgn", Ignored) & Pipe);
  Ignored.Defaults = {SIGPIPE};
  EXPECT_FALSE(SignalsOf("SigIgn", Ignored) & Pipe);
  std::signal(SIGPIPE, Before);
}

TEST_P(ProcessTest, ATimeLimitCanEndTheWholeGroup) {
  for (bool HasGroup : {true, false}) {
    Pipe P;
    // Of the group, "sleep" has the pipe; without a group it is the program.
    ProcessOptions Options =
        shell(HasGroup ? "sleep 600 & wait" : "exec sleep 600");
    Options.Output = P.Write.get();
    Options.HasGroup = HasGroup;
    Process Child = Process::start(Options);
    EXPECT_FALSE(Child.wait(30));
    EXPECT_FALSE(Child.wait(0));
    EXPECT_TRUE(bool(Child));
    Child.kill(SIGKILL);
    EXPECT_EQ(Child.wait(10000)->Signal, SIGKILL);
    EXPECT_FALSE(bool(Child));
    EXPECT_EQ(P.readToEnd(), "");
  }
}

TEST_P(ProcessTest, WorksWhereSigchldIsIgnored) {
  auto *Before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(Process::start(shell("exit 0")).wait()->Code, -1);
  EXPECT_EQ(Process::start(shell("exit 0")).wait(10000)->Code, -1);
  Process Child = Process::start(shell("exec sleep 600"));
  EXPECT_FALSE(Child.wait(30));
  Child.kill(SIGKILL);
  EXPECT_TRUE(bool(Child.wait(10000)));
  EXPECT_FALSE(Process::start(optionsFor({"/nowhere/program"})));
  EXPECT_EQ(errno, ENOENT);
  std::signal(SIGCHLD, Before);
}

INSTANTIATE_TEST_SUITE_P(Spawned, ProcessTest, testing::Values(0));
INSTANTIATE_TEST_SUITE_P(Forked, ProcessTest, testing::Values(SIGKILL));

TEST(ProcessDeathTest, DeathSignalComesWithOurEnd) {
  Pipe P;
  pid_t Starter = ::fork();
  if (Starter == 0) {
    ProcessOptions Options;
    Options.Arguments = {"/bin/sleep", "600"};
    Options.Output = P.Write.get();
    Options.DeathSignal = SIGKILL;
    ::_exit(Process::start(Options) ? 0 : 1);
  }
  EXPECT_EQ(waitForExitCode(Starter), 0);
  EXPECT_EQ(P.readToEnd(), ""); // its end, which closes the pipe
}

TEST(OrphanTest, OrphanIsNotAChild) {
  Pipe P;
  sigset_t Ends = signalSet({SIGCHLD});
  SignalMask Held(Ends);
  ProcessOptions Options;
  Options.Arguments = {"/bin/sh", "-c", "echo $PPID; read -r Line"};
  Pipe Input;
  Options.Input = Input.Read.get();
  Options.Output = P.Write.get();
  ASSERT_TRUE(startOrphan(Options));
  P.Write = UniqueFd();
  char Bytes[32] = {};
  ASSERT_GT(::read(P.Read.get(), Bytes, sizeof(Bytes) - 1), 0);
  EXPECT_NE(std::atoi(Bytes), ::getpid());
  // It runs, and no wait knows of it.
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG | __WALL), -1);
  Input.Write = UniqueFd();
  EXPECT_EQ(P.readToEnd(), "");
  timespec Soon = {0, 100000000};
  EXPECT_EQ(::sigtimedwait(&Ends, nullptr, &Soon), -1) << "a signal of its end";
  Options.Arguments = {"/nowhere/program"};
  Options.Output = -1;
  EXPECT_FALSE(startOrphan(Options));
  EXPECT_EQ(errno, ENOENT);
}

} // namespace
