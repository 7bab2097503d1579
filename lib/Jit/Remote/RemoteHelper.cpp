//===- RemoteHelper.cpp - the program kpack-jit-remote --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel timer ends this process after its time limit, in case a library
// waits without regard to it.
//
//===----------------------------------------------------------------------===//
#include "Jit/Remote/RemoteHelper.h"

#include "BundleCall.h"
#include "RemoteServer.h"

#include "Jit/Service/RemotePause.h"
#include "Jit/Store/Store.h"
#include "Support/Files.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <curl/curl.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;
using Outcome = RemoteAnswer::Outcome;

/// Milliseconds after the limit in which a library notices the timeout itself,
/// even on a busy machine. The caller does not wait for that.
static constexpr uint64_t GraceMs = 5000;
/// Milliseconds to wait for other uploads of this cache.
static constexpr uint64_t QueueMs = 60000;

static void endAfter(uint64_t Milliseconds) {
  ::signal(SIGALRM, SIG_DFL);
  itimerval Time = {};
  Time.it_value = getTime(Milliseconds);
  ::setitimer(ITIMER_REAL, &Time, nullptr);
}

static RemoteAnswer answer(const RemoteCall &Call,
                           std::function<void()> OnAnswer) {
  std::unique_ptr<RemoteServer> Server =
      Call.Url.compare(0, 4, "http") == 0
          ? makeHttpServer(Call, std::move(OnAnswer))
          : makeRedisServer(Call, std::move(OnAnswer));
  if (Call.What == "get")
    return Server->get();
  if (Call.What == "has")
    return Server->has();
  if (Call.What == "put")
    return Server->put(Call.Value);
  // Check: if writing is allowed, the stored value must come back.
  if (Call.Value.empty())
    return Server->get();
  RemoteAnswer Answer = Server->put(Call.Value);
  if (Answer.What == Outcome::Failed)
    return Answer;
  Answer = Server->get();
  if (Answer.What == Outcome::Failed)
    return Answer;
  if (Answer.What == Outcome::Missing)
    return remoteFailure("takes a value and does not have it then");
  if (Answer.Value != Call.Value)
    return remoteFailure("gives another value back than it was given");
  return Answer;
}

/// Continues in a process without a waiting parent. Returns false in the
/// parent.
static bool detach() {
  pid_t Child = ::fork();
  if (Child != 0)
    return false;
  ::setsid();
  (void)!::chdir("/");
  return true;
}

/// Uploads run one after the other: the program's work goes first.
static int uploadDetached(const RemoteCall &Call) {
  if (!detach())
    return 0;
  endAfter(QueueMs);
  UniqueFd Turn;
  if (!Call.LockFile.empty())
    Turn = UniqueFd(::open(Call.LockFile.c_str(),
                           O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  while (Turn && ::flock(Turn.get(), LOCK_EX) != 0 && errno == EINTR)
    ;
  endAfter(Call.TotalMs + GraceMs);
  RemotePause Pause(Call.PauseFile, double(Call.PauseMs) / 1000);
  if (Pause.reason())
    return 0; // the upload before us failed
  RemoteAnswer Answer = answer(Call, [] {});
  if (Answer.What == Outcome::Stored)
    Pause.end();
  else
    Pause.begin(Answer.Detail);
  return Answer.What == Outcome::Stored ? 0 : 1;
}

int jit::remoteHelperMain() {
  // Close the files that we inherited from the program.
  ::syscall(SYS_close_range, 3u, ~0u, 0u);
  ::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_NAME, "kpack-jit-remot");
  std::optional<Message> Question =
      Message::decode(readToEnd(STDIN_FILENO).value_or(""));
  if (!Question) {
    std::fputs("kpack-jit-remote: error: standard input is no request; this "
               "program is run by kpack's libraries, not by people\n",
               stderr);
    return 2;
  }
  if (!Question->get("bundle").empty())
    return writeAll(STDOUT_FILENO, answerBundle(*Question).encode()) ? 0 : 1;
  RemoteCall Call = decodeCall(*Question);
  bool IsOurs = Question->get("protocol") == RemoteProtocol;
  // Free the copy of the entry: an upload may wait long.
  Question.reset();
  if (int Null = ::open("/dev/null", O_RDONLY); Null >= 0)
    ::dup2(Null, STDIN_FILENO);
  if (IsOurs && Call.Detached)
    return uploadDetached(Call);
  endAfter(Call.TotalMs + GraceMs);
  bool Told = false;
  auto Tell = [&Told] {
    if (!Told)
      Told = writeAll(STDOUT_FILENO, std::string(1, RemoteAnswerBegins));
  };
  RemoteAnswer Answer =
      IsOurs ? answer(Call, Tell)
             : remoteFailure("kpack-jit-remote is of another version than the "
                             "library that runs it; install both from one "
                             "package");
  return writeAll(STDOUT_FILENO, encodeAnswer(std::move(Answer)).encode()) ? 0
                                                                           : 1;
}
