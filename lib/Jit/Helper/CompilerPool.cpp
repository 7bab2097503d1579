//===- CompilerPool.cpp - compilers that stay warm ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CompilerPool.h. A command is a process as far as its runner can see: one
// that is forked from it, hands its streams, directory and environment over and
// ends as the command does. When the runner kills it, a pipe that only it has
// open closes, which is a signal to the warm compiler and ends that one.
//
//===----------------------------------------------------------------------===//
#include "CompilerPool.h"

#include "kpack/Jit/Store/Message.h"
#include "kpack/Support/DescriptorSocket.h"
#include "kpack/Support/Files.h"
#include "kpack/Support/MemoryFile.h"
#include "kpack/Support/Numbers.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

extern char **environ;

/// What makes a runner try the program: it is no exit code of a compiler.
static constexpr int LostCompiler = 111;
/// Milliseconds in which a free warm compiler begins. None does if it has been
/// killed while it waited, which nobody is told of.
static constexpr int BeginPatience = 1000;
/// Megabytes of memory with which a warm compiler ends.
static constexpr long MaxResident = 1024;

namespace {

/// What is sent to a warm compiler, in this order.
enum Sent { Question, Directory, Input, Output, Error, Reply, LifeLine, Count };

/// Comes back through Reply, after a byte that says that it has begun.
struct Outcome {
  int IsDone; ///< 0: only the program can do it
  int Code;
  double CpuSeconds;
};

} // namespace

CompilerPool::Counts &CompilerPool::share() {
  void *Memory = ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  // Without it no process finds a free one.
  return *new (Memory == MAP_FAILED ? ::operator new(sizeof(Counts)) : Memory)
      Counts;
}

CompilerPool::CompilerPool(unsigned Limit) : Limit(Limit), Shared(share()) {
  makeDescriptorSocket(Ask, Hear);
}

bool CompilerPool::refill() {
  ProcessEnd End;
  for (pid_t Pid; (Pid = takeEnd(-1, End)) > 0;)
    Processes.erase(std::remove(Processes.begin(), Processes.end(), Pid),
                    Processes.end());
  bool AreEnough = Shared.Free > 0 && !Shared.HaveLacked;
  Shared.HaveLacked = false;
  if (!Ask || AreEnough || Processes.size() >= Limit)
    return false;
  pid_t Pid = ::fork();
  if (Pid > 0)
    Processes.push_back(Pid);
  return Pid == 0;
}

//===----------------------------------------------------------------------===//
// In a warm compiler
//===----------------------------------------------------------------------===//

/// What it is here, as the server was started.
static long residentLimit() {
  // For tests.
  const char *Text = ::secure_getenv("KPACK_JIT_SERVE_MEGABYTES");
  std::optional<long> Megabytes = parseNumber<long>(Text ? Text : "");
  return std::clamp(Megabytes.value_or(MaxResident), 1l, MaxResident) << 20;
}

static bool isLarge(long Limit) {
  long Pages = 0;
  if (FILE *File = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(File, "%*d %ld", &Pages) != 1)
      Pages = 0;
    std::fclose(File);
  }
  return Pages > Limit / ::sysconf(_SC_PAGESIZE);
}

static double processorSeconds() {
  struct rusage Used = {};
  ::getrusage(RUSAGE_SELF, &Used);
  auto Seconds = [](const timeval &Time) {
    return double(Time.tv_sec) + double(Time.tv_usec) / 1e6;
  };
  return Seconds(Used.ru_utime) + Seconds(Used.ru_stime);
}

/// The end of whoever has the other end is a signal, which ends us.
static bool tieTo(int LifeLine) {
  if (::fcntl(LifeLine, F_SETOWN, ::getpid()) != 0 ||
      ::fcntl(LifeLine, F_SETFL, O_ASYNC | O_NONBLOCK) != 0)
    return false;
  pollfd Event = {LifeLine, POLLIN, 0};
  return ::poll(&Event, 1, 0) == 0; // it may have ended before
}

static void forgetCommand() {
  ::setpgid(0, 0);
  UniqueFd Null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int Stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::dup2(Null.get(), Stream);
  (void)!::chdir("/");
}

/// False: this was the last command.
static bool obey(MappedCompilers &Compilers, std::vector<UniqueFd> Files,
                 long Limit) {
  if (Files.size() != Sent::Count)
    return false;
  std::optional<Message> Command =
      Message::decode(readToEnd(Files[Question].get()).value_or(""));
  // Who is in a hurry has given up meanwhile.
  if (!tieTo(Files[LifeLine].get()))
    return true;
  // What kills the command's group is meant for us and all that we start.
  if (!Command ||
      ::setpgid(0, std::atoi(std::string(Command->get("group")).c_str())) ||
      !writeAll(Files[Reply].get(), "b") ||
      ::fchdir(Files[Directory].get()) != 0)
    return false;
  for (int Stream : {0, 1, 2})
    ::dup2(Files[Input + Stream].get(), Stream);
  std::vector<std::string> Variables = Command->all("environment");
  std::vector<char *> Pointers;
  for (std::string &Variable : Variables)
    Pointers.push_back(Variable.data());
  Pointers.push_back(nullptr);
  char **Before = environ;
  environ = Pointers.data();
  double Start = processorSeconds();
  std::optional<int> Code = Compilers.run(Command->all("argument"));
  Outcome Out{Code.has_value(), Code.value_or(0), processorSeconds() - Start};
  environ = Before;
  forgetCommand();
  Files[LifeLine] = UniqueFd();
  // 1 is an error in what is compiled.
  bool GoesOn =
      Code.value_or(0) <= 1 && !Compilers.isSpent() && !isLarge(Limit);
  return writeAll(Files[Reply].get(),
                  {reinterpret_cast<const char *>(&Out), sizeof(Out)}) &&
         GoesOn;
}

void CompilerPool::work(MapCompilers *Map) {
  constexpr int Kept = 3;
  ::dup2(Hear.get(), Kept);
  ::syscall(SYS_close_range, unsigned(Kept + 1), ~0u, 0u);
  forgetCommand();
  ::prctl(PR_SET_NAME, "kpack-jit-warm");
  MappedCompilers *Compilers = Map ? Map() : nullptr;
  if (!Compilers)
    ::_exit(1);
  Compilers->warmUp();
  Shared.HaveBeen = true;
  long Limit = residentLimit();
  do
    ++Shared.Free;
  while (obey(*Compilers, receiveDescriptors(Kept), Limit));
  ::_exit(0);
}

//===----------------------------------------------------------------------===//
// In a command's process
//===----------------------------------------------------------------------===//

bool CompilerPool::takeFree() const {
  int Seen = Shared.Free;
  while (Seen > 0 && !Shared.Free.compare_exchange_weak(Seen, Seen - 1))
    ;
  if (Seen <= 0 && Shared.HaveBeen)
    Shared.HaveLacked = true;
  return Seen > 0;
}

static UniqueFd questionFor(const std::vector<std::string> &Arguments) {
  Message Command;
  Command.add("group", std::to_string(::getpgrp()))
      .addAll("argument", Arguments);
  for (char **Variable = environ; *Variable; ++Variable)
    Command.add("environment", *Variable);
  UniqueFd Asked = memoryFile("kpack-jit-command");
  if (Asked && (!writeAll(Asked.get(), Command.encode()) ||
                ::lseek(Asked.get(), 0, SEEK_SET) != 0))
    return UniqueFd();
  return Asked;
}

static ssize_t readFrom(int Pipe, void *To, size_t Size) {
  ssize_t Got;
  while ((Got = ::read(Pipe, To, Size)) < 0 && errno == EINTR)
    ;
  return Got;
}

std::optional<int> CompilerPool::ask(const std::vector<std::string> &Arguments,
                                     double &CpuSeconds) const {
  UniqueFd Asked = questionFor(Arguments);
  UniqueFd Here(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  int Answer[2], Life[2];
  if (!Asked || !Here || ::pipe2(Answer, O_CLOEXEC) ||
      ::pipe2(Life, O_CLOEXEC) ||
      !sendDescriptors(Ask.get(),
                       {Asked.get(), Here.get(), STDIN_FILENO, STDOUT_FILENO,
                        STDERR_FILENO, Answer[1], Life[0]}))
    return LostCompiler;
  ::close(Answer[1]);
  ::close(Life[0]);
  // This process has nothing else to do, and ends with what it has open.
  pollfd Event = {Answer[0], POLLIN, 0};
  char Begun;
  Outcome Out{};
  if (::poll(&Event, 1, BeginPatience) != 1 ||
      readFrom(Answer[0], &Begun, 1) != 1 ||
      readFrom(Answer[0], &Out, sizeof(Out)) != ssize_t(sizeof(Out)))
    return LostCompiler;
  CpuSeconds = Out.CpuSeconds;
  return Out.IsDone ? std::optional<int>(Out.Code) : std::nullopt;
}

std::optional<int> CompilerPool::run(const std::vector<std::string> &Arguments,
                                     double &CpuSeconds) const {
  return takeFree() ? ask(Arguments, CpuSeconds) : std::nullopt;
}
