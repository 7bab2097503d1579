//===- SelfBuild.cpp - parallel compiles into the cache -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every worker has a separate cache object for the same directory: so its
// events belong to its request, and the directory's locks coordinate the
// workers.
//
//===----------------------------------------------------------------------===//
#include "SelfBuild.h"

#include "Jit/Executor/Cache/SourceCache.h"
#include "Support/SignalWatch.h"
#include "ToolSupport/Terminal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;
using kpack::jit::CacheEvent;
using Clock = std::chrono::steady_clock;

namespace {

/// Makes signals that end a process readable while it lives.
class Signals {
public:
  /// Waits for a signal and returns it; 0 after stop().
  int wait() {
    pollfd Both[] = {{Watch.descriptor(), POLLIN, 0}, {End.get(), POLLIN, 0}};
    while (!Watch.caught() && !Both[1].revents)
      ::poll(Both, 2, -1);
    return Watch.caught();
  }
  void stop() {
    uint64_t One = 1;
    (void)!::write(End.get(), &One, sizeof(One));
  }

private:
  SignalWatch Watch{signalSet({SIGINT, SIGTERM, SIGHUP}),
                    SignalWatch::Ignored::IsWatched};
  UniqueFd End{::eventfd(0, EFD_CLOEXEC)};
};

/// Signals our children to end. Returns false if the kernel does not list them.
bool endChildren() {
  namespace fs = std::filesystem;
  std::error_code Ignored;
  bool IsKnown = false;
  for (const fs::directory_entry &Thread :
       fs::directory_iterator("/proc/self/task", Ignored)) {
    std::ifstream List(Thread.path() / "children");
    IsKnown |= List.is_open();
    for (pid_t Child; List >> Child;)
      ::kill(Child, SIGTERM);
  }
  return IsKnown;
}

class Builder {
public:
  Builder(ArrayRef<jit::CompileRequest> Requests, const BuildOptions &Options,
          raw_ostream &OS)
      : Requests(Requests), Options(Options), Line(OS) {
    Report.Outcomes.resize(Requests.size());
  }

  BuildReport run();

private:
  void work();
  Outcome build(const jit::CompileRequest &Request, jit::SourceCache &Sources);
  void take(const CacheEvent &Event, Outcome &Result);
  void finished(size_t Which, Outcome Result);
  std::string label(const jit::CompileRequest &Request) const {
    return Request.Name + (Request.Target.empty() ? "" : " " + Request.Target);
  }
  void endAll();

  ArrayRef<jit::CompileRequest> Requests;
  const BuildOptions &Options;
  StatusLine Line;

  std::mutex Lock; ///< guards all below
  std::condition_variable Changed;
  BuildReport Report;
  size_t Next = 0, Done = 0;
  unsigned Working = 0; ///< workers that may still start a compile
  bool Stop = false;
};

void Builder::take(const CacheEvent &Event, Outcome &Result) {
  std::unique_lock<std::mutex> Guard(Lock);
  if (Stop) {
    // Start and await nothing: the process ends soon.
    --Working;
    Changed.notify_all();
    Changed.wait(Guard, [] { return false; });
  }
  switch (Event.What) {
  case CacheEvent::Kind::Compiling:
    Line.show("[" + Twine(Done) + "/" + Twine(Requests.size()) + "] " +
              Event.Name);
    break;
  case CacheEvent::Kind::Compiled:
    Result.What = Outcome::Kind::Compiled;
    Result.Seconds = Event.Seconds;
    break;
  case CacheEvent::Kind::Waiting:
    if (Event.Owner.Pid)
      Line.show("waiting for process " + Twine(Event.Owner.Pid) + " on " +
                Event.Owner.Host + ": " + Event.Name);
    break;
  case CacheEvent::Kind::NotKept:
    Result.What = Outcome::Kind::Failed; // caching it is the whole purpose
    Result.Message = Event.Detail;
    break;
  case CacheEvent::Kind::Remote:
  case CacheEvent::Kind::Quarantined:
    Line.keep("warning: " + Event.Detail);
    break;
  default:
    break;
  }
}

void Builder::finished(size_t Which, Outcome Result) {
  std::lock_guard<std::mutex> Guard(Lock);
  ++Done;
  std::string Text = ("[" + Twine(Done) + "/" + Twine(Requests.size()) + "] " +
                      label(Requests[Which]))
                         .str();
  raw_string_ostream OS(Text);
  if (Result.What == Outcome::Kind::Failed)
    OS << ": failed\n" << StringRef(Result.Message).rtrim();
  else if (Result.What == Outcome::Kind::Cached)
    OS << " cached";
  else
    OS << format(" %.1f s", Result.Seconds);
  if (Result.What != Outcome::Kind::Failed && Options.Verbose &&
      !Result.Message.empty())
    OS << '\n' << StringRef(Result.Message).rtrim();
  // As in ninja, a success needs no permanent line on a terminal.
  bool Stays = Result.What == Outcome::Kind::Failed || Options.Verbose ||
               !Line.isShown() || Done == Requests.size();
  if (!Stop && Stays)
    Line.keep(Text);
  else if (!Stop)
    Line.show(Text);
  if (Result.What == Outcome::Kind::Failed && !Options.KeepGoing)
    Next = Requests.size();
  if (Options.Trace && !Stop)
    Options.Trace->add({.Blob = Requests[Which].Name,
                        .Target = Requests[Which].Target,
                        .State = nameOf(Result.What),
                        .Seconds = Result.Seconds});
  Report.Outcomes[Which] = std::move(Result);
}

Outcome Builder::build(const jit::CompileRequest &Request,
                       jit::SourceCache &Sources) {
  Outcome Built;
  Result<jit::StoredEntry> Entry = Sources.get(Request);
  if (!Entry) {
    Built.What = Outcome::Kind::Failed;
    Built.Message = Entry.status().message();
    return Built;
  }
  Built.What = Outcome::Kind::Cached;
  Built.Key = Entry->Info.Key.hex();
  Built.Message = Entry->Info.Log;
  if (Options.WantFiles)
    if (Result<std::vector<std::string>> Files = Sources.files(Request))
      Built.Files = std::move(*Files);
  return Built;
}

void Builder::work() {
  Outcome Told;
  jit::CacheOptions Where;
  Where.Directory = Options.CacheDir;
  Where.FailureLifetime = 0;
  Where.Remote = Options.Remote;
  Where.OnEvent = [&](const CacheEvent &Event) { take(Event, Told); };
  auto Sources = jit::SourceCache::open(std::move(Where),
                                        jit::CompileService(Options.Helper));
  std::unique_lock<std::mutex> Guard(Lock);
  while (Next < Requests.size() && !Stop) {
    size_t Which = Next++;
    Guard.unlock();
    Told = Outcome();
    Outcome Result;
    if (Sources) {
      Result = build(Requests[Which], **Sources);
    } else {
      Result.What = Outcome::Kind::Failed;
      Result.Message = Sources.status().message();
    }
    if (Result.What == Outcome::Kind::Cached &&
        Told.What != Outcome::Kind::NotRun) {
      Result.What = Told.What;
      Result.Seconds = Told.Seconds;
      if (Told.What == Outcome::Kind::Failed)
        Result.Message = Told.Message;
    }
    finished(Which, std::move(Result));
    Guard.lock();
  }
  --Working;
  Changed.notify_all();
}

/// Waits until no worker can have a running compile.
void Builder::endAll() {
  std::unique_lock<std::mutex> Guard(Lock);
  Stop = true;
  while (Working != 0) {
    if (!endChildren())
      return; // children notice our end
    // A child that was just starting is not listed yet: repeat.
    Changed.wait_for(Guard, std::chrono::milliseconds(20));
  }
}

BuildReport Builder::run() {
  Signals Ending;
  size_t Count = std::min<size_t>(std::max(Options.Jobs, 1u), Requests.size());
  Working = unsigned(Count);
  std::vector<std::thread> Workers;
  for (size_t I = 0; I != Count; ++I)
    Workers.emplace_back([this] { work(); });
  std::thread AllDone([&] {
    std::unique_lock<std::mutex> Guard(Lock);
    Changed.wait(Guard, [&] { return Working == 0; });
    Ending.stop();
  });
  if (int Signal = Ending.wait()) {
    endAll();
    AllDone.detach();
    for (std::thread &W : Workers)
      W.detach();
    std::lock_guard<std::mutex> Guard(Lock);
    Line.show("");
    Report.Signal = Signal;
    return Report;
  }
  for (std::thread &W : Workers)
    W.join();
  AllDone.join();
  return std::move(Report);
}

} // namespace

const char *ckjit::nameOf(Outcome::Kind Kind) {
  static constexpr const char *Names[] = {"not run", "cached", "compiled",
                                          "failed"};
  return Names[int(Kind)];
}

BuildReport ckjit::buildAll(ArrayRef<jit::CompileRequest> Requests,
                            const BuildOptions &Options,
                            raw_ostream &Progress) {
  if (Requests.empty())
    return {};
  // Not destroyed if threads are left that use it.
  auto *B = new Builder(Requests, Options, Progress);
  BuildReport Report = B->run();
  if (!Report.Signal)
    delete B;
  return Report;
}

void ckjit::finishAfterSignal(int Signal, raw_ostream &Out, raw_ostream &Err) {
  Out.flush();
  Err.flush();
  ::_exit(128 + Signal);
}
