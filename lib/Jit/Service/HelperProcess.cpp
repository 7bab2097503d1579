//===- HelperProcess.cpp - child process of a helper program --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program may ignore SIGCHLD or wait for children of others, so a process
// is only signalled while it still is our child.
//
//===----------------------------------------------------------------------===//
#include "HelperProcess.h"

#include "HelperProgram.h"

#include "Support/ErrorText.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// Milliseconds to wait for a killed process.
constexpr int KillPatience = 1000;

int millisecondsUntil(HelperProcess::Clock::time_point Deadline) {
  auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(
      Deadline - HelperProcess::Clock::now());
  return static_cast<int>(std::clamp<int64_t>(Left.count() + 1, 0, 1 << 30));
}

} // namespace

Result<HelperProcess> HelperProcess::start(const std::string &Program,
                                           const Message &Question,
                                           Output Where) {
  if (Status Refused = checkForHelpers(Program); !Refused.ok())
    return Refused;
  UniqueFd Asked = getFile(Question);
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
  ProcessOptions Options = optionsFor(*Helper, Program);
  Options.Input = Asked.get();
  Options.Output = Write ? Write.get() : Null.get();
  Options.Error = Null.get();
  Process Started = Process::start(Options);
  if (!Started)
    return cannotRun(Program, errno);
  return HelperProcess(std::move(Started), std::move(Read));
}

std::string HelperProcess::readToEnd() {
  std::string Bytes;
  // A child that another thread forked meanwhile may keep the pipe open and
  // wait for us, so do not wait for the pipe's end.
  while (hear(Bytes, Clock::time_point::max()) != Heard::End)
    ;
  // The program may have taken or ignored the status, so ignore errors.
  Running.wait();
  return Bytes;
}

HelperProcess::Heard HelperProcess::hear(std::string &Into,
                                         Clock::time_point Deadline) {
  char Piece[65536];
  while (true) {
    // poll() checks the entries in order: if the process had ended at its
    // check, the pipe has all its output at the second. It skips a descriptor
    // of -1.
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
    // Output that it wrote before its end comes first.
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

void HelperProcess::giveUp() {
  Read = UniqueFd(); // the helper notices the closed pipe
  constexpr int CleanUpPatience = 5000;
  if (hasEnded() || Running.wait(CleanUpPatience))
    return;
  Running.kill(SIGKILL);
  Running.wait(KillPatience);
}

HelperProcess::~HelperProcess() {
  if (hasEnded() || !Read)
    return;
  Running.kill(SIGKILL);
  // Give up if the kernel cannot end it now (a dead disk).
  Running.wait(KillPatience);
}
