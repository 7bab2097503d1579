//===- ServerProcess.cpp - client of the resident compile server ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// We create, send and close our side of the reply's pipe with the lock held, so
// that no fork() can come between. Thus only the server has its writing end,
// which closes when the process that should reply ends.
//
//===----------------------------------------------------------------------===//
#include "ServerProcess.h"

#include "HelperProgram.h"

#include "Support/DescriptorSocket.h"
#include "Support/Files.h"
#include "Support/SecureMode.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

static constexpr unsigned MaxFailures = 3;

ServerProcess::Owner ServerProcess::Owner::current() {
  struct stat Info = {};
  (void)::stat("/", &Info);
  return {::geteuid(), ::getegid(), Info.st_dev, Info.st_ino};
}

bool ServerProcess::Owner::operator==(const Owner &Other) const {
  return User == Other.User && Group == Other.Group &&
         RootDevice == Other.RootDevice && Root == Other.Root;
}

/// Needs the lock.
bool ServerProcess::start() {
  UniqueFd Ours, Theirs;
  UniqueFd Null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  Result<OpenHelper> Helper = openHelper(Program);
  if (!Helper || !Null || !makeDescriptorSocket(Ours, Theirs))
    return false;
  ProcessOptions Options = optionsFor(*Helper, Program);
  Options.Arguments.push_back("--serve");
  Options.Input = Theirs.get();
  Options.Output = Options.Error = Null.get();
  StartedBy = Owner::current();
  if (!startOrphan(Options))
    return false;
  Socket = aboveStandard(std::move(Ours));
  return true;
}

/// Sends a request and returns the reading end of the reply's pipe.
UniqueFd ServerProcess::send(int Question, int Directory) {
  std::lock_guard<std::mutex> Guarded(Lock);
  if (Failures >= MaxFailures)
    return UniqueFd();
  int Ends[2];
  if (::pipe2(Ends, O_CLOEXEC) != 0)
    return UniqueFd();
  UniqueFd Read(Ends[0]), Write(Ends[1]);
  auto Send = [&] {
    return sendDescriptors(Socket.get(), {Question, Write.get(), Directory});
  };
  // A program that has dropped rights or changed its root must not use a server
  // that has not.
  if (Socket && Owner::current() == StartedBy && Send())
    return Read;
  Socket = UniqueFd();
  return start() && Send() ? std::move(Read) : UniqueFd();
}

/// Reads \p Fd to its end, which is the end of the compile. Returns nullopt and
/// sets \p IsStopped if \p Stop cancels; the process that compiles notices the
/// closed pipe and ends.
static std::optional<std::string> replyFrom(int Fd, const StopCallback &Stop,
                                            bool &IsStopped) {
  if (!Stop)
    return readToEnd(Fd);
  std::string Bytes;
  char Piece[65536];
  while (true) {
    pollfd Event{Fd, POLLIN, 0};
    int Ready = ::poll(&Event, 1, int(StopInterval.count()));
    if (Ready < 0 && errno != EINTR)
      return std::nullopt;
    if (Ready <= 0) {
      if ((IsStopped = Stop()))
        return std::nullopt;
      continue;
    }
    ssize_t Size = ::read(Fd, Piece, sizeof(Piece));
    if (Size < 0 && errno == EINTR)
      continue;
    if (Size <= 0)
      return Size == 0 ? std::optional<std::string>(Bytes) : std::nullopt;
    Bytes.append(Piece, static_cast<size_t>(Size));
  }
}

std::optional<Message> ServerProcess::ask(const Message &Question,
                                          const StopCallback &Stop) {
  if (isSecureMode())
    return std::nullopt;
  Message Complete = Question;
  Complete.addAll("environment", environmentOfHelper());
  UniqueFd Asked = getFile(Complete);
  UniqueFd Here(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!Asked || !Here)
    return std::nullopt;
  UniqueFd Answer = send(Asked.get(), Here.get());
  std::optional<std::string> Bytes;
  bool IsStopped = false;
  if (Answer)
    Bytes = replyFrom(Answer.get(), Stop, IsStopped);
  if (IsStopped)
    return std::nullopt;
  std::optional<Message> Reply = Message::decode(Bytes.value_or(""));
  std::lock_guard<std::mutex> Guarded(Lock);
  Failures = Reply ? 0 : Failures + 1;
  return Reply;
}
