//===- Cache.cpp - look-up, and one compile on a miss ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at LayeredCache::get(). Of several misses, Attempts lets one
// thread of a process through, and a CompileLock one process of those that
// share the cache. Only that thread asks the remote tier, so that a hundred
// ranks fetch a kernel once. If an entry could not be stored (a full disk),
// each caller that waited for it compiles and uses it from memory.
//
// Parts: CacheLayers.h (local layers), Attempts.h (single flight),
// CacheCounts.h (statistics), CacheDisplay.h (events), NearestEntry.h (reason
// of a miss).
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Cache/Cache.h"

#include "Jit/Executor/Cache/Attempts.h"
#include "Jit/Executor/Cache/CacheCounts.h"
#include "Jit/Executor/Cache/CacheDisplay.h"
#include "Jit/Executor/Cache/CacheLayers.h"
#include "Jit/Executor/TraceEvents.h"

#include "Jit/Store/Failures.h"
#include "Support/SecureMode.h"

using namespace kpack;
using namespace kpack::jit;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point Start) {
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

namespace {

class LayeredCache : public Cache {
public:
  explicit LayeredCache(CacheOptions O)
      : Options(std::move(O)), Display(Options),
        UnderWay(Options.FailureLifetime) {}
  /// Errors: as Cache::open().
  Status open();

  using CompileFunction = std::function<Result<Product>()>;

  Result<StoredEntry> get(const CacheRequest &Request,
                          const CompileFunction &Compile) override;
  Result<StoredEntry> make(const CacheRequest &Request,
                           const CompileFunction &Compile) override;
  std::optional<NearestEntry>
  nearest(const CacheRequest &Request) const override;
  void eachProduct(const std::function<bool(StoredEntry &&)> &Take) override;
  Status prune() override;
  Status clear() override;
  std::optional<StoredEntry> peek(const CacheRequest &Request) override;
  std::string keepFailure(const Digest &Id,
                          const std::vector<NamedText> &Files) override;
  KernelStatistics statistics() const override { return Counts.sum(); }
  std::string writableDirectory() const override {
    return Layers.user() ? Layers.user()->directory() : std::string();
  }
  std::string directory() const override {
    return Layers.own() ? Layers.own()->directory() : std::string();
  }

private:
  std::optional<StoredEntry> find(const CacheRequest &Request) {
    return Layers.find(Request, reporter(Request));
  }
  std::optional<StoredEntry> lookUp(const CacheRequest &Request);
  Status missing(const CacheRequest &Request);
  void giveReason(const CacheRequest &Request);
  Status withoutFiles() const;
  Result<StoredEntry> fill(const CacheRequest &Request,
                           const CompileFunction &Compile);
  CompileLock::Outcome acquire(const CacheRequest &Request, CompileLock &Lock,
                               const std::function<bool()> &IsThere);
  Result<StoredEntry> compile(const CacheRequest &Request,
                              const CompileFunction &Compile);
  bool mayAskRemote(const CacheRequest &Request) const;
  std::optional<StoredEntry> fromRemote(const CacheRequest &Request);
  void toRemote(const CacheRequest &Request, const EntryInfo &Info,
                std::string_view Payload);
  CacheLayers::Report reporter(const CacheRequest &Request) {
    return [&](CacheEvent::Kind Kind, std::string Detail) {
      Display.tell(Kind, Request, 0, std::move(Detail));
    };
  }

  CacheOptions Options;
  CacheLayers Layers;
  CacheCounts Counts; ///< after Layers, whose descriptor it uses
  CacheDisplay Display;
  Attempts UnderWay;
  NearestEntryFinder Nearest;
};

} // namespace

Status LayeredCache::open() {
  if (Status Opened = Layers.open(Options); !Opened.ok())
    return Opened;
  if (Layers.user())
    Counts.recordIn(Layers.user()->descriptor());
  return Status::success();
}

/// Calls find() and counts a hit or a miss.
std::optional<StoredEntry> LayeredCache::lookUp(const CacheRequest &Request) {
  TraceSlice Slice("lookup", Request.Name);
  auto Entry = find(Request);
  Slice.note("result", Entry ? "hit" : "miss");
  Slice.note("kind", Request.Kind);
  Slice.note("key", Request.Key.hex());
  Counts.count(Request,
               Entry ? &KernelStatistics::Hits : &KernelStatistics::Misses,
               Entry ? &*Entry : nullptr);
  return Entry;
}

Status LayeredCache::missing(const CacheRequest &Request) {
  std::optional<NearestEntry> Near =
      Nearest.find(Layers.all(), Request.Name, Request.Kind, Request.Key);
  return Status(StatusCode::KernelNotFound,
                Request.Name + ": not in the cache, and compiling is off; " +
                    (Options.PrebuildHint.empty() ? "compile it beforehand"
                                                  : Options.PrebuildHint) +
                    (Near ? "\n  the nearest entry differs in: " +
                                getShortText(Near->Differences)
                          : ""),
                Errc::MissingKernel);
}

Result<StoredEntry> LayeredCache::get(const CacheRequest &Request,
                                      const CompileFunction &Compile) {
  bool Replaces = Request.Replaces && Options.Mode != CacheMode::Strict;
  if (!Replaces)
    if (auto Entry = lookUp(Request))
      return std::move(*Entry);
  if (Options.Mode == CacheMode::Strict && !Request.Auxiliary) {
    if (auto Entry = fromRemote(Request))
      return std::move(*Entry);
    return missing(Request);
  }
  Attempts::Turn Turn = UnderWay.take(Request.Key.Id, Request.Stop);
  while (!Turn.Mine) {
    if (Turn.Failure.detail() == Errc::Cancelled)
      return stoppedStatus(Request.Name);
    if (!Turn.Failure.ok())
      return Turn.Failure;
    if (auto Entry = find(Request))
      return std::move(*Entry);
    // Not stored: this thread must compile it itself.
    Turn = UnderWay.take(Request.Key.Id, Request.Stop);
  }
  Display.expect(Request);
  Result<StoredEntry> Filled = fill(Request, Compile);
  UnderWay.end(Request.Key.Id, Turn, Filled.status(), !Request.Auxiliary);
  return Filled;
}

Result<StoredEntry> LayeredCache::fill(const CacheRequest &Request,
                                       const CompileFunction &Compile) {
  if (!Layers.user())
    return compile(Request, Compile);
  std::optional<StoredEntry> Found;
  auto IsThere = [&] {
    if (!Request.Replaces)
      Found = Layers.findNew(Request);
    return Found.has_value();
  };
  CompileLock Mine;
  // In a child of fork() the lock stays the parent's. Abandon it only once: in
  // the child's children this stack may hold other data.
  ForkGuard Forks([&Mine, IsGone = false](ForkMoment When) mutable {
    if (When == ForkMoment::Child && !std::exchange(IsGone, true))
      Mine.abandon();
  });
  CompileLock::Outcome Outcome = acquire(Request, Mine, IsThere);
  if (Outcome == CompileLock::Outcome::Stopped)
    return stoppedStatus(Request.Name);
  if (Outcome == CompileLock::Outcome::Appeared) {
    Counts.count(Request, &KernelStatistics::Waits, &*Found);
    return std::move(*Found);
  }
  return compile(Request, Compile);
}

CompileLock::Outcome
LayeredCache::acquire(const CacheRequest &Request, CompileLock &Mine,
                      const std::function<bool()> &IsThere) {
  TraceSlice Slice("wait", Request.Name);
  Slice.onlyIfLong();
  auto OnWait = [&](const LockOwner &Owner, double Seconds) {
    Display.tell(CacheEvent::Kind::Waiting, Request, Seconds, {}, Owner);
  };
  Clock::time_point Start = Clock::now();
  CompileLock::Outcome Outcome =
      Mine.acquire(*Layers.user(), Request.Key.Id, Options.MaxWait, IsThere,
                   OnWait, Request.Stop);
  if (Outcome == CompileLock::Outcome::Appeared)
    Display.tell(CacheEvent::Kind::WaitEnded, Request, secondsSince(Start));
  return Outcome;
}

static EntryInfo getInfo(const CacheRequest &Request, const Product &Compiled,
                         double Seconds) {
  EntryInfo Info;
  Info.Key = Request.Key;
  Info.Name = Request.Name;
  Info.Kind = Request.Kind;
  Info.Target = Request.Target;
  Info.Symbol = Request.Symbol;
  Info.Producer = "kpack " KPACK_VERSION;
  Info.Log = Compiled.Log.substr(0, MaxEntryInfoSize / 2);
  Info.Functions = Compiled.Functions;
  Info.Machine = Request.Machine;
  Info.Created = static_cast<uint64_t>(::time(nullptr));
  Info.CompileMilliseconds = static_cast<uint64_t>(Seconds * 1000);
  return Info;
}

Result<StoredEntry> LayeredCache::compile(const CacheRequest &Request,
                                          const CompileFunction &Compile) {
  if (!Request.Replaces)
    if (auto Entry = fromRemote(Request))
      return std::move(*Entry);
  giveReason(Request);
  double Seconds = 0;
  Result<Product> Compiled = Display.run(Request, Compile, Seconds);
  if (!Compiled.ok()) {
    if (Compiled.status().detail() != Errc::Cancelled)
      Counts.countCompile(Request, Seconds, nullptr);
    Display.tell(CacheEvent::Kind::Failed, Request, Seconds,
                 Compiled.status().message());
    return Compiled.status();
  }
  Display.tell(CacheEvent::Kind::Compiled, Request, Seconds);
  EntryInfo Info = getInfo(Request, *Compiled, Seconds);
  Result<StoredEntry> Entry =
      Layers.keep(Info, Compiled->Payload, reporter(Request));
  if (Entry) {
    Entry->IsCompiled = true;
    Counts.countCompile(Request, Seconds, &*Entry);
  }
  toRemote(Request, Info, Compiled->Payload);
  return Entry;
}

/// Reports the line for KPACK_JIT_EXPLAIN.
void LayeredCache::giveReason(const CacheRequest &Request) {
  if (!Options.Explains || Request.Auxiliary)
    return;
  std::string Why = "nothing of that name is in the cache";
  if (Request.Replaces) {
    Why = "a refresh was asked for";
  } else if (Layers.all().empty()) {
    Why = "no files are read";
  } else if (std::optional<NearestEntry> Near = Nearest.find(
                 Layers.all(), Request.Name, Request.Kind, Request.Key)) {
    Why = "the nearest entry " + toHex(Near->Id).substr(0, 12) +
          " differs in: " + getShortText(Near->Differences);
  }
  Display.tell(CacheEvent::Kind::Reason, Request, 0,
               Request.Name + ": is compiled, " + Why);
}

Result<StoredEntry> LayeredCache::make(const CacheRequest &Request,
                                       const CompileFunction &Compile) {
  if (Options.Mode == CacheMode::Strict)
    return missing(Request);
  if (Options.Explains)
    Display.tell(CacheEvent::Kind::Reason, Request, 0,
                 Request.Name + ": is compiled, the caller wants no cache");
  Display.expect(Request);
  double Seconds = 0;
  Result<Product> Compiled = Display.run(Request, Compile, Seconds);
  Display.tell(Compiled ? CacheEvent::Kind::Compiled : CacheEvent::Kind::Failed,
               Request, Seconds, Compiled.status().message());
  Result<StoredEntry> Entry =
      Compiled ? entryInMemory(getInfo(Request, *Compiled, Seconds),
                               Compiled->Payload)
               : Result<StoredEntry>(Compiled.status());
  Counts.countCompile(Request, Seconds, Entry ? &*Entry : nullptr);
  if (Entry)
    Entry->IsCompiled = true;
  return Entry;
}

std::optional<NearestEntry>
LayeredCache::nearest(const CacheRequest &Request) const {
  return findNearest(Layers.all(), Request.Name, Request.Kind, Request.Key);
}

void LayeredCache::eachProduct(
    const std::function<bool(StoredEntry &&)> &Take) {
  for (const Store *Layer : Layers.all())
    for (const StoreItem &Item : Layer->list()) {
      Result<StoredEntry> Described = Layer->describe(Item.Id);
      if (!Described || isAuxiliaryKind(Described->Info.Kind))
        continue;
      std::optional<StoredEntry> Entry = Layer->find(Item.Id);
      if (Entry && !Take(std::move(*Entry)))
        return;
    }
}

Status LayeredCache::withoutFiles() const {
  return Status(StatusCode::InvalidArgument,
                (Options.Directory.empty() ? "cache" : Options.Directory) +
                    ": nothing is kept there; name a folder that can be "
                    "written, and mode rw",
                Errc::CacheUnusable);
}

Status LayeredCache::prune() {
  return Layers.user() ? Layers.user()->prune(Options.Limits) : withoutFiles();
}

Status LayeredCache::clear() {
  if (!Layers.user())
    return withoutFiles();
  for (const StoreItem &Item : Layers.user()->list())
    if (!Item.Pinned)
      if (Status Gone = Layers.user()->remove(Item.Id); !Gone.ok())
        return Gone;
  return Layers.user()->prune({0, 0, 0}); // removes leftovers
}

bool LayeredCache::mayAskRemote(const CacheRequest &Request) const {
  return Options.Remote && Options.Mode != CacheMode::Off && !isSecureMode() &&
         !Request.Auxiliary && RemoteTier::takes(Request.Kind);
}

/// Called by the thread that would compile; all others wait for it, too.
std::optional<StoredEntry>
LayeredCache::fromRemote(const CacheRequest &Request) {
  if (!mayAskRemote(Request))
    return std::nullopt;
  Clock::time_point Start = Clock::now();
  std::string Problem;
  std::optional<RemoteEntry> Found = Options.Remote->fetch(
      {Request.Key.Id, Request.Kind, Request.Target, Request.Symbol}, Problem);
  if (!Problem.empty())
    Display.tell(CacheEvent::Kind::Remote, Request, 0, std::move(Problem));
  if (!Found)
    return std::nullopt;
  Result<StoredEntry> Entry =
      Layers.keep(Found->Info, Found->Payload, reporter(Request));
  if (!Entry || !accepts(Request, *Entry))
    return std::nullopt;
  Counts.count(Request, &KernelStatistics::Fetched, &*Entry);
  Display.tell(CacheEvent::Kind::Fetched, Request, secondsSince(Start),
               Options.Remote->name());
  return std::move(*Entry);
}

void LayeredCache::toRemote(const CacheRequest &Request, const EntryInfo &Info,
                            std::string_view Payload) {
  if (!mayAskRemote(Request) || Options.Mode != CacheMode::ReadWrite)
    return;
  std::string Problem;
  Options.Remote->store(Info, Payload, Problem);
  if (!Problem.empty())
    Display.tell(CacheEvent::Kind::Remote, Request, 0, std::move(Problem));
}

std::optional<StoredEntry> LayeredCache::peek(const CacheRequest &Request) {
  auto Entry = find(Request);
  if (Entry)
    Counts.count(Request, &KernelStatistics::Hits, &*Entry);
  return Entry;
}

std::string LayeredCache::keepFailure(const Digest &Id,
                                      const std::vector<NamedText> &Files) {
  Store *User = Layers.user();
  return User && jit::keepFailure(User->descriptor(), Id, Files)
             ? User->directory() + "/failures/" + toHex(Id)
             : std::string();
}

Result<std::unique_ptr<Cache>> Cache::open(CacheOptions Options) {
  auto Opened = std::make_unique<LayeredCache>(std::move(Options));
  if (Status Good = Opened->open(); !Good.ok())
    return Good;
  return std::unique_ptr<Cache>(std::move(Opened));
}
