//===- Cache.cpp - look up, or compile once -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at Impl::get(). Of many that miss, Attempts lets one thread of
// a process through, and a CompileLock one process of those that share the
// cache. The remote tier is asked behind both, by the one who would compile, so
// that a hundred ranks fetch a kernel once. What was waited for and was not
// kept (a full disk) is compiled by each who needs it, and used from memory.
//
// The lock is held for the tables alone, never while something is compiled or
// fetched: fork() waits for it. An entry with the right key is still compared
// with the request, for it may be of another kind or made for other machines.
// A failure that lies in the source is final for its key; any other is
// forgotten after a while.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Executor/Cache.h"

#include "NearestEntry.h"
#include "Ticker.h"
#include "Trace.h"

#include "kpack/Jit/Executor/Load.h"
#include "kpack/Jit/Executor/Progress.h"
#include "kpack/Jit/Store/Failures.h"
#include "kpack/Jit/Store/StatisticsRecorder.h"
#include "kpack/Support/ErrorText.h"
#include "kpack/Support/Files.h"
#include "kpack/Support/MemoryFile.h"
#include "kpack/Support/SecureMode.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point Start) {
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

namespace {

/// A key that some thread works on, or that has failed a short while ago.
struct Attempt {
  bool Running = true;
  Status Failure;
  Clock::time_point Ended;
};

/// Why a verified entry is none for \p Request, although its key is the one
/// that is wanted; empty where it fits.
std::string whyNot(const StoredEntry &Entry, const CacheRequest &Request) {
  if (Entry.Info.Kind != Request.Kind)
    return "is a '" + Entry.Info.Kind + "', not a '" + Request.Kind + "'";
  if (Entry.Info.Target != Request.Target)
    return "made for '" + Entry.Info.Target + "', not '" + Request.Target + "'";
  if (Entry.Info.Kind == "shared-object" && isForeignObject(Entry))
    return "made for machines of another kind";
  return {};
}
bool isFinal(const Status &Failure) {
  return Failure.code() == StatusCode::InvalidArgument ||
         Failure.code() == StatusCode::KernelNotFound;
}
bool accepts(const CacheRequest &Request, const StoredEntry &Entry) {
  return !Request.Accept || Request.Accept(Entry);
}

Status notInMemory(const std::string &Name, int Error) {
  return Status(StatusCode::OutOfMemory,
                Name + ": what was compiled cannot be kept in memory: " +
                    errorText(Error));
}

/// The entry in memory only, for a store that cannot be written.
Result<StoredEntry> inMemory(const EntryInfo &Info, std::string_view Payload) {
  UniqueFd File = memoryFile("kpack-jit:" + Info.Name);
  if (!File || !writeAll(File.get(), Payload))
    return notInMemory(Info.Name, errno);
  sealFile(File.get());
  StoredEntry Entry;
  Entry.Info = Info;
  Entry.PayloadSize = Entry.FileSize = Payload.size();
  Entry.File = std::move(File);
  return Entry;
}

} // namespace

/// A count of \p Field.
static KernelStatistics one(uint64_t KernelStatistics::*Field) {
  KernelStatistics Delta;
  Delta.*Field = 1;
  return Delta;
}

class Cache::Impl {
public:
  explicit Impl(CacheOptions O)
      : Options(std::move(O)),
        CompileEnded(std::make_unique<std::condition_variable>()),
        Guard([this](ForkMoment When) { aroundFork(When); }) {
    if (Options.OnEvent)
      return;
    auto Display = std::make_shared<Progress>(ProgressOptions());
    Options.OnEvent = [Display](const CacheEvent &E) { Display->show(E); };
    Options.WithTicks = true;
  }

  Status openLayers();
  Result<StoredEntry> get(const CacheRequest &Request,
                          const std::function<Result<Product>()> &Compile);
  std::optional<StoredEntry> peek(const CacheRequest &Request) {
    auto Entry = find(Request);
    if (Entry)
      count(Request, one(&KernelStatistics::Hits), &*Entry);
    return Entry;
  }
  std::string keepFailure(const Digest &Id,
                          const std::vector<NamedText> &Files) {
    if (!User || !jit::keepFailure(User->descriptor(), Id, Files))
      return "";
    return User->directory() + "/failures/" + toHex(Id);
  }
  std::string writableDirectory() const {
    return User ? User->directory() : std::string();
  }
  CacheStatistics statistics() const {
    std::lock_guard<std::mutex> Guard(Lock);
    return Counts;
  }

private:
  using CompileFunction = std::function<Result<Product>()>;

  void aroundFork(ForkMoment When);
  std::optional<StoredEntry> lookUp(const CacheRequest &Request);
  std::string whyMissing(const CacheRequest &Request);
  CompileLock::Outcome acquire(const CacheRequest &Request, CompileLock &Lock,
                               const std::function<bool()> &IsThere);
  Result<Product> runCompile(const CacheRequest &Request,
                             const CompileFunction &Compile, double &Seconds);
  std::optional<StoredEntry> find(const CacheRequest &Request);
  void tellUnused(const CacheRequest &Request);
  Result<StoredEntry> fill(const CacheRequest &Request,
                           const CompileFunction &Compile);
  Result<StoredEntry> compile(const CacheRequest &Request,
                              const CompileFunction &Compile);
  Result<StoredEntry> keepOrHold(const CacheRequest &Request,
                                 const EntryInfo &Info,
                                 std::string_view Payload);
  Result<StoredEntry> keep(const EntryInfo &Info, std::string_view Payload);
  bool mayAskRemote(const CacheRequest &Request) const;
  std::optional<StoredEntry> fromRemote(const CacheRequest &Request);
  void toRemote(const CacheRequest &Request, const EntryInfo &Info,
                std::string_view Payload);
  void report(CacheEvent::Kind What, const CacheRequest &Request,
              double Seconds = 0, std::string Detail = {},
              LockOwner Owner = {}) {
    if (Request.Auxiliary && What != CacheEvent::Kind::Quarantined &&
        What != CacheEvent::Kind::Layer && What != CacheEvent::Kind::Waiting &&
        What != CacheEvent::Kind::WaitEnded)
      return;
    Options.OnEvent({What, Request.Name, Seconds, std::move(Owner),
                     std::move(Detail), 0, 0});
  }
  void count(const CacheRequest &Request, KernelStatistics Delta,
             const StoredEntry *Entry = nullptr);
  void countCompile(const CacheRequest &Request, double Seconds,
                    const StoredEntry *Entry);
  void countQuarantined(const CacheRequest &Request) {
    std::lock_guard<std::mutex> Held(Lock);
    Counts.Quarantined += !Request.Auxiliary;
  }

  CacheOptions Options;
  std::vector<std::unique_ptr<Store>> Layers; ///< the user's, if any, is last
  Store *User = nullptr;
  std::string WhyNotKept;
  std::vector<std::string> Unused; ///< system layers, until it was told

  mutable std::mutex Lock; ///< of all below; never held while compiling
  std::unique_ptr<std::condition_variable> CompileEnded;
  std::map<Digest, std::shared_ptr<Attempt>> Attempts;
  std::set<CompileLock *> HeldLocks;
  CacheStatistics Counts;
  unsigned Begun = 0; ///< compiles, for displays
  unsigned Known = 0;
  std::chrono::steady_clock::duration Searched{}; ///< for whyMissing()
  ForkGuard Guard;
  /// Null where nothing is written. After Layers, whose descriptor it uses.
  std::unique_ptr<StatisticsRecorder> Recorder;
};

void Cache::Impl::count(const CacheRequest &Request, KernelStatistics Delta,
                        const StoredEntry *Entry) {
  if (Request.Auxiliary)
    return;
  {
    std::lock_guard<std::mutex> Held(Lock);
    Counts.Hits += Delta.Hits;
    Counts.Misses += Delta.Misses;
    Counts.Compiles += Delta.Compiles;
    Counts.Failures += Delta.Failures;
    Counts.Waits += Delta.Waits;
    Counts.RemoteHits += Delta.Fetched;
  }
  if (!Recorder)
    return;
  Delta.Name = Request.Name;
  Delta.Target = Request.Target;
  Delta.Bytes = Entry ? Entry->FileSize : 0;
  Delta.LastUse = static_cast<uint64_t>(::time(nullptr));
  Recorder->record(Delta);
}

Status Cache::Impl::openLayers() {
  if (Options.Mode == CacheMode::Off)
    return Status::success();
  for (const std::string &Directory : Options.SystemDirectories) {
    StoreOptions Layer;
    Layer.Directory = Directory;
    Layer.ReadOnly = true;
    Layer.Owners = Options.SystemOwners;
    auto Opened = Store::open(Layer);
    if (Opened.ok())
      Layers.push_back(std::move(*Opened));
    else if (::access(Directory.c_str(), F_OK) == 0 || errno == EACCES)
      // One that is not installed is not an error.
      Unused.push_back(Opened.status().message());
  }
  StoreOptions Layer;
  Layer.Directory = Options.Directory;
  Layer.ReadOnly = Options.Mode != CacheMode::ReadWrite || isSecureMode();
  Layer.Owners = Options.SystemOwners;
  Layer.Limits = Options.Limits;
  auto Opened = Store::open(Layer);
  if (!Opened.ok()) {
    WhyNotKept = Opened.status().message();
    // One that is not there yet is empty, which every miss will say.
    bool IsThere = ::access(Options.Directory.c_str(), F_OK) == 0;
    return Options.Mode == CacheMode::Strict && Layers.empty() && IsThere
               ? Opened.status()
               : Status::success();
  }
  Layers.push_back(std::move(*Opened));
  if (!Layer.ReadOnly) {
    User = Layers.back().get();
    Recorder = std::make_unique<StatisticsRecorder>(User->descriptor());
  }
  return Status::success();
}

/// Told with the first kernel that might have been there.
void Cache::Impl::tellUnused(const CacheRequest &Request) {
  std::vector<std::string> Told;
  {
    std::lock_guard<std::mutex> Held(Lock);
    Told.swap(Unused);
  }
  for (const std::string &Why : Told)
    report(CacheEvent::Kind::Layer, Request, 0, Why + "; it is not used");
}

std::optional<StoredEntry> Cache::Impl::find(const CacheRequest &Request) {
  tellUnused(Request);
  for (const std::unique_ptr<Store> &Layer : Layers) {
    std::string Defect;
    bool WasUnreadable = Layer->hasUnreadable();
    if (auto Entry = Layer->find(Request.Key.Id, &Defect)) {
      Defect = whyNot(*Entry, Request);
      if (Defect.empty()) {
        if (accepts(Request, *Entry))
          return Entry;
        continue;
      }
      Layer->reject(*Entry, Defect);
      Defect = Entry->Path + ": " + Defect;
    }
    if (!Defect.empty() && !WasUnreadable && Layer->hasUnreadable()) {
      report(CacheEvent::Kind::Layer, Request, 0, Defect + "; it is not used");
    } else if (!Defect.empty()) {
      countQuarantined(Request);
      report(CacheEvent::Kind::Quarantined, Request, 0,
             Defect + "; it is not used and compiled again");
    }
  }
  return std::nullopt;
}

/// What other threads were doing ends here for a forked child; the locks they
/// had in the file system stay those of the parent.
void Cache::Impl::aroundFork(ForkMoment When) {
  if (When == ForkMoment::Before)
    return Lock.lock();
  if (When == ForkMoment::Child) {
    for (CompileLock *F : HeldLocks)
      F->abandon();
    HeldLocks.clear();
    for (auto It = Attempts.begin(); It != Attempts.end();)
      It = It->second->Running ? Attempts.erase(It) : std::next(It);
    (void)CompileEnded.release(); // its waiters have not left it
    CompileEnded = std::make_unique<std::condition_variable>();
  }
  Lock.unlock();
}

/// find(), counted as a hit or a miss.
std::optional<StoredEntry> Cache::Impl::lookUp(const CacheRequest &Request) {
  TraceSlice Slice("lookup", Request.Name);
  auto Entry = find(Request);
  Slice.note("result", Entry ? "hit" : "miss");
  Slice.note("kind", Request.Kind);
  Slice.note("key", Request.Key.hex());
  count(Request,
        one(Entry ? &KernelStatistics::Hits : &KernelStatistics::Misses),
        Entry ? &*Entry : nullptr);
  return Entry;
}

/// A line on the nearest entry. All misses of this cache together search for
/// so long only: a large cache is read in seconds, and thousands may miss.
std::string Cache::Impl::whyMissing(const CacheRequest &Request) {
  constexpr std::chrono::milliseconds Most(1000);
  std::chrono::steady_clock::duration Spent;
  {
    std::lock_guard<std::mutex> Held(Lock);
    Spent = Searched;
  }
  if (Spent >= Most)
    return "";
  auto Start = std::chrono::steady_clock::now();
  std::string Difference =
      differenceFromNearest(Layers, Request, Start + (Most - Spent));
  {
    std::lock_guard<std::mutex> Held(Lock);
    Searched += std::chrono::steady_clock::now() - Start;
  }
  return Difference.empty() ? ""
                            : "\n  the nearest entry differs in: " + Difference;
}

Result<StoredEntry> Cache::Impl::get(const CacheRequest &Request,
                                     const CompileFunction &Compile) {
  if (auto Entry = lookUp(Request))
    return std::move(*Entry);
  if (Options.Mode == CacheMode::Strict && !Request.Auxiliary) {
    if (auto Entry = fromRemote(Request))
      return std::move(*Entry);
    return Status(StatusCode::KernelNotFound,
                  Request.Name + ": not in the cache, and compiling is off; " +
                      (Options.PrebuildHint.empty() ? "compile it beforehand"
                                                    : Options.PrebuildHint) +
                      whyMissing(Request));
  }
  std::unique_lock<std::mutex> Held(Lock);
  while (true) {
    std::shared_ptr<Attempt> &Slot = Attempts[Request.Key.Id];
    if (!Slot) {
      Slot = std::make_shared<Attempt>();
      break;
    }
    std::shared_ptr<Attempt> Other = Slot;
    bool Waited = Other->Running;
    CompileEnded->wait(Held, [&] { return !Other->Running; });
    // What the compiler refuses it refuses until the key is another one.
    bool Fresh = isFinal(Other->Failure) ||
                 secondsSince(Other->Ended) < Options.FailureLifetime;
    if (!Other->Failure.ok() && (Waited || Fresh))
      return Other->Failure;
    if (Attempts[Request.Key.Id] == Other)
      Attempts.erase(Request.Key.Id);
    if (Waited && Other->Failure.ok()) {
      Held.unlock();
      if (auto Entry = find(Request))
        return std::move(*Entry);
      Held.lock(); // not kept: this thread needs one of its own
    }
  }
  std::shared_ptr<Attempt> Mine = Attempts[Request.Key.Id];
  Known += !Request.Auxiliary;
  Held.unlock();
  Result<StoredEntry> Filled = fill(Request, Compile);
  Held.lock();
  Mine->Running = false;
  Mine->Ended = Clock::now();
  if (!Filled.ok())
    Mine->Failure = Filled.status(); // for those who wait, and for a while
  if (Filled.ok() || Request.Auxiliary)
    Attempts.erase(Request.Key.Id);
  CompileEnded->notify_all();
  return Filled;
}

Result<StoredEntry> Cache::Impl::fill(const CacheRequest &Request,
                                      const CompileFunction &Compile) {
  if (!User)
    return compile(Request, Compile);
  std::optional<StoredEntry> Found;
  auto IsThere = [&] {
    Found = User->find(Request.Key.Id);
    return Found && whyNot(*Found, Request).empty() && accepts(Request, *Found);
  };
  // Known to who forks, from before it is locked until it is let go.
  struct Listed {
    explicit Listed(Impl &I) : I(I) {
      std::lock_guard<std::mutex> Held(I.Lock);
      I.HeldLocks.insert(&F);
    }
    ~Listed() {
      std::lock_guard<std::mutex> Held(I.Lock);
      I.HeldLocks.erase(&F);
    }
    Impl &I;
    CompileLock F;
  } Mine(*this);
  if (acquire(Request, Mine.F, IsThere) == CompileLock::Outcome::Appeared) {
    count(Request, one(&KernelStatistics::Waits), &*Found);
    return std::move(*Found);
  }
  return compile(Request, Compile);
}

CompileLock::Outcome
Cache::Impl::acquire(const CacheRequest &Request, CompileLock &Mine,
                     const std::function<bool()> &IsThere) {
  TraceSlice Slice("wait", Request.Name);
  Slice.onlyIfLong();
  auto OnWait = [&](const LockOwner &Owner, double Seconds) {
    report(CacheEvent::Kind::Waiting, Request, Seconds, {}, Owner);
  };
  Clock::time_point Start = Clock::now();
  CompileLock::Outcome Outcome =
      Mine.acquire(*User, Request.Key.Id, Options.MaxWait, IsThere, OnWait);
  if (Outcome == CompileLock::Outcome::Appeared)
    report(CacheEvent::Kind::WaitEnded, Request, secondsSince(Start));
  return Outcome;
}

/// Runs \p Compile, with signs of life.
Result<Product> Cache::Impl::runCompile(const CacheRequest &Request,
                                        const CompileFunction &Compile,
                                        double &Seconds) {
  CacheEvent Event{CacheEvent::Kind::Compiling, Request.Name, 0, {}, {}, 0, 0};
  auto Tell = [&] {
    {
      std::lock_guard<std::mutex> Held(Lock);
      Event.Known = Known;
    }
    Options.OnEvent(Event);
  };
  Clock::time_point Start = Clock::now();
  std::optional<Ticker> Ticks;
  if (!Request.Auxiliary) {
    {
      std::lock_guard<std::mutex> Held(Lock);
      Event.Number = ++Begun;
    }
    Tell();
    Event.What = CacheEvent::Kind::StillCompiling;
    if (Options.WithTicks)
      Ticks.emplace([&] {
        Event.Seconds = secondsSince(Start);
        Tell();
      });
  }
  TraceSlice Slice(Request.Auxiliary ? "recipe" : "compile", Request.Name);
  Slice.note("target", Request.Target);
  Result<Product> Made = Compile();
  Seconds = secondsSince(Start);
  return Made;
}

Result<StoredEntry> Cache::Impl::compile(const CacheRequest &Request,
                                         const CompileFunction &Compile) {
  if (auto Entry = fromRemote(Request))
    return std::move(*Entry);
  double Seconds = 0;
  Result<Product> Made = runCompile(Request, Compile, Seconds);
  if (!Made.ok()) {
    countCompile(Request, Seconds, nullptr);
    report(CacheEvent::Kind::Failed, Request, Seconds, Made.status().message());
    return Made.status();
  }
  report(CacheEvent::Kind::Compiled, Request, Seconds);
  EntryInfo Info;
  Info.Key = Request.Key;
  Info.Name = Request.Name;
  Info.Kind = Request.Kind;
  Info.Target = Request.Target;
  Info.Symbol = Request.Symbol;
  Info.Producer = "kpack " KPACK_VERSION;
  Info.Log = Made->Log.substr(0, MaxEntryInfoSize / 2);
  Info.Created = static_cast<uint64_t>(::time(nullptr));
  Info.CompileMilliseconds = static_cast<uint64_t>(Seconds * 1000);
  Result<StoredEntry> Entry = keepOrHold(Request, Info, Made->Payload);
  if (Entry)
    countCompile(Request, Seconds, &*Entry);
  toRemote(Request, Info, Made->Payload);
  return Entry;
}

/// Written at once: who has waited for a compiler does not notice.
void Cache::Impl::countCompile(const CacheRequest &Request, double Seconds,
                               const StoredEntry *Entry) {
  KernelStatistics Delta = one(&KernelStatistics::Compiles);
  Delta.CompileMilliseconds = static_cast<uint64_t>(Seconds * 1000);
  Delta.Failures = !Entry;
  count(Request, Delta, Entry);
  if (Request.Auxiliary)
    return;
  {
    std::lock_guard<std::mutex> Held(Lock);
    Counts.CompileSeconds += Seconds;
  }
  if (Recorder)
    Recorder->flush();
}

/// In the user's layer, or in memory where there is none.
Result<StoredEntry> Cache::Impl::keepOrHold(const CacheRequest &Request,
                                            const EntryInfo &Info,
                                            std::string_view Payload) {
  if (User) {
    Result<StoredEntry> Kept = keep(Info, Payload);
    if (Kept.ok())
      return Kept;
    report(CacheEvent::Kind::NotKept, Request, 0, Kept.status().message());
  } else if (!WhyNotKept.empty()) {
    report(CacheEvent::Kind::NotKept, Request, 0, WhyNotKept);
  }
  return inMemory(Info, Payload);
}

bool Cache::Impl::mayAskRemote(const CacheRequest &Request) const {
  return Options.Remote && Options.Mode != CacheMode::Off && !isSecureMode() &&
         !Request.Auxiliary && RemoteTier::takes(Request.Kind);
}

/// Called by the one who would compile: the others wait for this too.
std::optional<StoredEntry>
Cache::Impl::fromRemote(const CacheRequest &Request) {
  if (!mayAskRemote(Request))
    return std::nullopt;
  Clock::time_point Start = Clock::now();
  std::string Problem;
  std::optional<RemoteEntry> Found = Options.Remote->fetch(
      {Request.Key.Id, Request.Kind, Request.Target, Request.Symbol}, Problem);
  if (!Problem.empty())
    report(CacheEvent::Kind::Remote, Request, 0, std::move(Problem));
  if (!Found)
    return std::nullopt;
  Result<StoredEntry> Entry = keepOrHold(Request, Found->Info, Found->Payload);
  if (!Entry || !accepts(Request, *Entry))
    return std::nullopt;
  count(Request, one(&KernelStatistics::Fetched), &*Entry);
  if (Recorder)
    Recorder->flush(); // as after a compile
  report(CacheEvent::Kind::Fetched, Request, secondsSince(Start),
         Options.Remote->name());
  return std::move(*Entry);
}

void Cache::Impl::toRemote(const CacheRequest &Request, const EntryInfo &Info,
                           std::string_view Payload) {
  if (!mayAskRemote(Request) || Options.Mode != CacheMode::ReadWrite)
    return;
  std::string Problem;
  Options.Remote->store(Info, Payload, Problem);
  if (!Problem.empty())
    report(CacheEvent::Kind::Remote, Request, 0, std::move(Problem));
}

Result<StoredEntry> Cache::Impl::keep(const EntryInfo &Info,
                                      std::string_view Payload) {
  if (Status Published = User->publish(Info, Payload); !Published.ok())
    return Published;
  User->pruneSometimes();
  std::string Defect;
  if (auto Entry = User->find(Info.Key.Id, &Defect))
    return std::move(*Entry);
  return Status(StatusCode::IoError,
                Info.Name + ": was written and cannot be read back: " + Defect);
}

Cache::Cache(std::unique_ptr<Impl> I) : I(std::move(I)) {}
Cache::~Cache() = default;

Result<std::unique_ptr<Cache>> Cache::open(CacheOptions Options) {
  auto I = std::make_unique<Impl>(std::move(Options));
  if (Status Opened = I->openLayers(); !Opened.ok())
    return Opened;
  return std::unique_ptr<Cache>(new Cache(std::move(I)));
}

Result<StoredEntry>
Cache::get(const CacheRequest &Request,
           const std::function<Result<Product>()> &Compile) {
  return I->get(Request, Compile);
}

std::optional<StoredEntry> Cache::peek(const CacheRequest &Request) {
  return I->peek(Request);
}

std::string Cache::keepFailure(const Digest &Id,
                               const std::vector<NamedText> &Files) {
  return I->keepFailure(Id, Files);
}

CacheStatistics Cache::statistics() const { return I->statistics(); }

std::string Cache::writableDirectory() const { return I->writableDirectory(); }
