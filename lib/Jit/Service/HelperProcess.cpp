//===- HelperProcess.cpp - a program that works for a library -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See HelperProcess.h. The program may ignore SIGCHLD or wait for children that
// are not its own: a number is never signalled unless it still is our child.
// The helper is opened once: what is checked is what is run.
//
//===----------------------------------------------------------------------===//
#include "HelperProcess.h"

#include "kpack/Support/ErrorText.h"
#include "kpack/Support/Files.h"
#include "kpack/Support/MemoryFile.h"
#include "kpack/Support/SafePath.h"
#include "kpack/Support/SecureMode.h"
#include "kpack/Support/SignalMask.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// Milliseconds in which a killed process is waited for.
constexpr int KillPatience = 1000;

/// A file without a name that holds \p Bytes, at its start.
UniqueFd fileOf(std::string_view Bytes) {
  UniqueFd File = memoryFile("kpack-jit-request");
  if (File && !writeAll(File.get(), Bytes))
    return UniqueFd();
  if (File)
    ::lseek(File.get(), 0, SEEK_SET);
  return File;
}

/// Our environment without what is meant for us alone.
std::vector<std::string> environmentOfHelper() {
  std::vector<std::string> Variables;
  for (char **Variable = environ; *Variable; ++Variable)
    if (std::strncmp(*Variable, "LD_PRELOAD=", 11) != 0)
      Variables.push_back(*Variable);
  return Variables;
}

/// A helper that is open, and by what name it is run.
struct OpenHelper {
  UniqueFd File;
  std::string Path;
  /// The program that a script is for opens it again.
  bool IsInherited = false;
};

Status cannotRun(const std::string &Program, int Error) {
  return Status(Error == ENOENT || Error == EACCES ? StatusCode::FileNotFound
                                                   : StatusCode::IoError,
                Program + ": cannot be run: " +
                    errorText(Error, "it is installed with kpack's tools"));
}

/// A helper is as good as the library beside it.
Result<OpenHelper> openHelper(const std::string &Program) {
  OpenHelper Helper;
  Helper.File =
      aboveStandard(UniqueFd(::open(Program.c_str(), O_PATH | O_CLOEXEC)));
  struct stat Info;
  if (!Helper.File || ::fstat(Helper.File.get(), &Info) != 0)
    return cannotRun(Program, errno);
  if (!S_ISREG(Info.st_mode))
    return cannotRun(Program, EACCES);
  if (Info.st_mode & S_IWOTH)
    return Status(StatusCode::InvalidArgument,
                  Program + ": others may write to it, and so choose what is "
                            "run; chmod go-w it");
  Helper.Path = safePathOf(Helper.File.get(), Program);
  if (!Helper.Path.empty())
    return Helper;
  Helper.Path = "/proc/self/fd/" + std::to_string(Helper.File.get());
  char Magic[2] = {};
  UniqueFd Content(::open(Helper.Path.c_str(), O_RDONLY | O_CLOEXEC));
  Helper.IsInherited = Content && ::pread(Content.get(), Magic, 2, 0) == 2 &&
                       Magic[0] == '#' && Magic[1] == '!';
  return Helper;
}

int millisecondsUntil(HelperProcess::Clock::time_point Deadline) {
  auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(
      Deadline - HelperProcess::Clock::now());
  return static_cast<int>(std::clamp<int64_t>(Left.count() + 1, 0, 1 << 30));
}

} // namespace

Result<HelperProcess> HelperProcess::start(const std::string &Program,
                                           const Message &Question,
                                           Output Where) {
  // A compiler reads and writes in far too many places to be run with rights
  // that its user does not have.
  if (isSecureMode())
    return Status(StatusCode::KernelNotFound,
                  Program +
                      ": is not run, because this program has more rights "
                      "than its user; prebuild the kernel ('ck-jit "
                      "prebuild build') into a cache that belongs to "
                      "root or to the program's owner");
  UniqueFd Asked = fileOf(Question.encode());
  int Ends[2] = {-1, -1};
  if (!Asked || (Where == Output::Pipe && ::pipe2(Ends, O_CLOEXEC) != 0))
    return Status(StatusCode::IoError,
                  Program + ": cannot be talked to: " + errorText(errno));
  UniqueFd Read(Ends[0]), Write(Ends[1]);
  UniqueFd Null;
  if (!Write)
    Null = UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC));
  Result<OpenHelper> Helper = openHelper(Program);
  if (!Helper)
    return Helper.status();
  ProcessOptions Options;
  Options.Arguments = {Program};
  Options.File = Helper->Path;
  Options.Environment = environmentOfHelper();
  Options.Input = Asked.get();
  Options.Output = Write ? Write.get() : Null.get();
  Options.Error = Null.get();
  if (Helper->IsInherited)
    Options.Kept = Helper->File.get();
  Options.Mask = signalSet({});
  Options.Defaults = {SIGCHLD, SIGPIPE};
  Process Started = Process::start(Options);
  if (!Started)
    return cannotRun(Program, errno);
  return HelperProcess(std::move(Started), std::move(Read));
}

std::string HelperProcess::readToEnd() {
  std::string Bytes;
  // A child that another thread forked meanwhile may keep the pipe open, and
  // wait for us.
  while (hear(Bytes, Clock::time_point::max()) != Heard::End)
    ;
  // Its status may have been taken by the program, or be ignored: no matter.
  Running.wait();
  return Bytes;
}

HelperProcess::Heard HelperProcess::hear(std::string &Into,
                                         Clock::time_point Deadline) {
  char Piece[65536];
  while (true) {
    // The kernel looks at one after the other: what had ended when it looked
    // has written everything when it looks at the pipe. -1 is passed over.
    pollfd Events[] = {{Running.descriptor(), POLLIN, 0},
                       {Read.get(), POLLIN, 0}};
    int Ready = ::poll(Events, 2, millisecondsUntil(Deadline));
    if (Ready == 0)
      return Heard::Late;
    if (Ready < 0) {
      if (errno == EINTR)
        continue;
      return Heard::End;
    }
    // What it wrote before it ended is there first.
    if (!Events[1].revents)
      return Heard::End;
    ssize_t Size = ::read(Read.get(), Piece, sizeof(Piece));
    if (Size < 0 && errno == EINTR)
      continue;
    if (Size <= 0)
      return Heard::End;
    Into.append(Piece, static_cast<size_t>(Size));
    return Heard::Something;
  }
}

HelperProcess::~HelperProcess() {
  if (hasEnded() || !Read)
    return;
  Running.kill(SIGKILL);
  // One that the kernel cannot end now (a dead disk) is not waited for.
  Running.wait(KillPatience);
}
