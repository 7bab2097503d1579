//===- CompilerPool.cpp - processes with preloaded compilers --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A helper passes the streams, directory and environment of a command. If it
// gives up the command, or ends, a pipe that only it has open closes; that
// sends the warm compiler a signal, which ends it and the programs that it has
// started.
//
//===----------------------------------------------------------------------===//
#include "CompilerPool.h"

#include "Jit/Store/Message.h"
#include "Support/DescriptorSocket.h"
#include "Support/Files.h"
#include "Support/Numbers.h"
#include "Support/Pipe.h"
#include "Support/SealedFile.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
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

/// Resident megabytes at which a warm compiler ends.
static constexpr long MaxResident = 1024;

namespace {

/// The descriptors for a warm compiler, in this order.
enum Sent { Question, Directory, Input, Output, Error, Reply, LifeLine, Count };

} // namespace

CompilerPool::Counts &CompilerPool::share() {
  void *Memory = ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  // Without shared memory no process finds a free compiler.
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

/// Returns the limit from the server's environment.
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

/// Kills us and the command's programs, which are in our process group.
static void endCommand(int) { ::kill(0, SIGKILL); }

/// Requests a signal when the other end closes; that ends us.
static bool tieTo(int LifeLine) {
  if (::fcntl(LifeLine, F_SETOWN, ::getpid()) != 0 ||
      ::fcntl(LifeLine, F_SETFL, O_ASYNC | O_NONBLOCK) != 0)
    return false;
  pollfd Event = {LifeLine, POLLIN, 0};
  return ::poll(&Event, 1, 0) == 0; // the other end may have closed before
}

static void forgetCommand() {
  UniqueFd Null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int Stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::dup2(Null.get(), Stream);
  (void)!::chdir("/");
}

/// Runs one command. Returns false if it was the last one.
static bool obey(MappedCompilers &Compilers, std::vector<UniqueFd> Files,
                 long Limit) {
  if (Files.size() != Sent::Count)
    return false;
  std::optional<Message> Command =
      Message::decode(readToEnd(Files[Question].get()).value_or(""));
  // The helper has already given up on this command.
  if (!tieTo(Files[LifeLine].get()))
    return true;
  if (!Command || !writeAll(Files[Reply].get(), "b") ||
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
  CommandOutcome Out{Code.has_value(), Code.value_or(0),
                     processorSeconds() - Start};
  environ = Before;
  forgetCommand();
  Files[LifeLine] = UniqueFd();
  // Exit code 1 is an error in the source.
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
  ::setpgid(0, 0);
  ::signal(SIGIO, endCommand);
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

static UniqueFd questionFor(const Job &Command) {
  Message Asked;
  Asked.addAll("argument", Command.Arguments)
      .addAll("environment", *Command.Environment);
  UniqueFd File = memoryFile("kpack-jit-command");
  if (File && (!writeAll(File.get(), Asked.encode()) ||
               ::lseek(File.get(), 0, SEEK_SET) != 0))
    return UniqueFd();
  return File;
}

std::optional<ServedCommand> CompilerPool::begin(const Job &Command) const {
  if (!takeFree())
    return std::nullopt;
  UniqueFd Asked = questionFor(Command);
  const std::string &Directory = Command.Directory;
  UniqueFd Place(::open(Directory.empty() ? "." : Directory.c_str(),
                        O_PATH | O_DIRECTORY | O_CLOEXEC));
  UniqueFd In(::open(Command.InputFile.c_str(), O_RDONLY | O_CLOEXEC));
  ServedCommand::Ends Ours, Theirs;
  if (Asked && Place && In && makePipe(Ours.Output, Theirs.Output) &&
      makePipe(Ours.Error, Theirs.Error) &&
      makePipe(Ours.Reply, Theirs.Reply) &&
      makePipe(Theirs.LifeLine, Ours.LifeLine) &&
      sendDescriptors(Ask.get(), {Asked.get(), Place.get(), In.get(),
                                  Theirs.Output.get(), Theirs.Error.get(),
                                  Theirs.Reply.get(), Theirs.LifeLine.get()}))
    return ServedCommand(std::move(Ours));
  ++Shared.Free; // no request was sent
  return std::nullopt;
}
