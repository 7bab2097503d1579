//===- Progress.cpp - progress of compiles on a terminal ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// describe() turns an event into bytes under the lock, and one thread writes
// the bytes without the lock (writePending()). It also writes bytes that others
// add meanwhile, so that lines are in the order of events and no thread waits.
// Bytes that cannot be written are kept for a later event, up to a limit.
//
// The descriptor belongs to the program and must stay blocking. So we poll it
// before each write and write at most PIPE_BUF bytes, which a writable pipe
// takes at once. A pipe without a reader is not written to: that would raise
// SIGPIPE. A forked child leaves the line on the terminal and unwritten bytes
// to the parent.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Cache/Progress.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

/// Seconds between two plain lines about the same compile.
static constexpr uint64_t PlainInterval = 10;

static bool canRewriteLines(int File) {
  const char *Terminal = std::getenv("TERM");
  return ::isatty(File) && Terminal && *Terminal &&
         std::strcmp(Terminal, "dumb") != 0;
}

static size_t getWidth(int File) {
  winsize Size{};
  return ::ioctl(File, TIOCGWINSZ, &Size) == 0 && Size.ws_col > 1 ? Size.ws_col
                                                                  : 80;
}

/// Limit in bytes for text without a reader; more is lost.
static constexpr size_t MaxPending = 64 << 10;

/// Writes as much to \p File as it takes at once, and removes that from
/// \p Text. Short lines stay whole: other processes write to the same place.
static void put(int File, std::string &Text) {
  while (!Text.empty()) {
    pollfd Wanted{File, POLLOUT, 0};
    int Ready = ::poll(&Wanted, 1, 0);
    if (Ready == 0)
      return;
    if (Ready < 0 && errno == EINTR)
      continue;
    // A writable pipe takes this much without blocking. A write to one without
    // a reader would end the program.
    bool IsGone =
        Ready < 0 || (Wanted.revents & (POLLERR | POLLHUP | POLLNVAL));
    ssize_t Done = IsGone ? 0
                          : ::write(File, Text.data(),
                                    std::min<size_t>(Text.size(), PIPE_BUF));
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done < 0 && errno == EAGAIN)
      return;
    if (Done <= 0)
      return Text.clear();
    Text.erase(0, static_cast<size_t>(Done));
  }
}

static std::string measureSeconds(const CacheEvent &Event, const char *Format) {
  char Text[32];
  std::snprintf(Text, sizeof(Text), Format, Event.Seconds);
  return Text;
}

/// Returns "3/17 " if more compiles are known than this one, else empty.
static std::string placeOf(const CacheEvent &Event) {
  if (Event.Known <= Event.Number)
    return "";
  return std::to_string(Event.Number) + "/" + std::to_string(Event.Known) + " ";
}

Progress::Progress(ProgressOptions O)
    : Options(std::move(O)), IsTerminal(canRewriteLines(Options.File)),
      Guard(Lock, [this] {
        HasStatus = false; // the line is the parent's
        Running = 0;
        Pending.clear();
        Writing = false;
      }) {}

void Progress::add(const std::string &Bytes) {
  if (Pending.size() < MaxPending)
    Pending += Bytes;
}

void Progress::line(const std::string &Text) {
  std::string Bytes = HasStatus ? "\r\033[K" : "";
  HasStatus = false;
  add(Bytes + Options.Prefix + ": " + Text + "\n");
}

void Progress::status(const std::string &Text) {
  if (Text.empty() && !HasStatus)
    return;
  std::string Bytes = "\r\033[K";
  if (!Text.empty())
    Bytes +=
        (Options.Prefix + ": " + Text).substr(0, getWidth(Options.File) - 1);
  HasStatus = !Text.empty();
  add(Bytes);
}

/// Plain lines are for logs: at the start, and then every ten seconds.
bool Progress::isDue(const CacheEvent &Event) const {
  return IsTerminal || uint64_t(Event.Seconds + 0.5) % PlainInterval == 0;
}

/// One thread writes in the order of events; the others do not wait.
void Progress::writePending(std::unique_lock<std::mutex> &Held) {
  if (Writing)
    return;
  Writing = true;
  for (bool IsFull = false; !Pending.empty() && !IsFull;) {
    std::string Text;
    Text.swap(Pending);
    Held.unlock();
    put(Options.File, Text);
    Held.lock();
    IsFull = !Text.empty();
    Pending.insert(0, Text);
  }
  Writing = false;
}

void Progress::show(const CacheEvent &Event) {
  std::unique_lock<std::mutex> Held(Lock);
  describe(Event);
  writePending(Held);
}

void Progress::describe(const CacheEvent &Event) {
  auto Tell = [&](const std::string &Text) {
    IsTerminal ? status(Text) : line(Text);
  };
  std::string Seconds = measureSeconds(Event, "%.0f s");
  switch (Event.What) {
  case CacheEvent::Kind::Compiling:
    ++Running;
    Tell("compiling " + placeOf(Event) + Event.Name);
    break;
  case CacheEvent::Kind::StillCompiling:
    if (isDue(Event))
      Tell((IsTerminal ? "compiling " : "still compiling ") + placeOf(Event) +
           Event.Name + ", " + Seconds);
    break;
  case CacheEvent::Kind::Waiting:
    if (Event.Owner.Pid && isDue(Event))
      Tell(Event.Name + ": waiting for process " +
           std::to_string(Event.Owner.Pid) + " on " + Event.Owner.Host + ", " +
           Seconds);
    break;
  case CacheEvent::Kind::Compiled:
    Running -= Running != 0;
    if (Options.Verbose || Event.Seconds >= 1)
      line("compiled " + Event.Name + " in " + measureSeconds(Event, "%.1f s"));
    else if (!Running)
      status("");
    break;
  case CacheEvent::Kind::Fetched:
    if (Options.Verbose)
      line("fetched " + Event.Name + " from " + Event.Detail);
    break;
  case CacheEvent::Kind::WaitEnded:
    if (!Running)
      status("");
    break;
  case CacheEvent::Kind::Failed:
    Running -= Running != 0;
    status("");
    if (Options.Failures)
      line("error: " + Event.Detail);
    break;
  case CacheEvent::Kind::Reason:
    line(Event.Detail);
    break;
  case CacheEvent::Kind::Layer:
  case CacheEvent::Kind::Quarantined:
  case CacheEvent::Kind::NotKept:
  case CacheEvent::Kind::Remote:
    line("warning: " + Event.Detail);
    break;
  }
}
