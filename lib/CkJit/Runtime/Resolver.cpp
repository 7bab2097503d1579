//===- Resolver.cpp - from a slot to a function ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at resolve(), at the end. There are two kinds of locks. The one
// of the resolver is held for look-ups only, because fork() waits for it. Each
// blob has its own, which is held while that blob is compiled: who wants the
// same blob waits, all others go on.
//
// attempt() asks for the blob's entry, which serves all of its functions, and
// only for a function that is not in it for an entry of its own. A blob that
// fails is not tried again for a second, then for two, and so on up to a
// minute; until then its callers get the same failure. Failures are never
// freed, since callers keep pointers to them. Once the address is in the slot,
// its stub does not come here any more.
//
//===----------------------------------------------------------------------===//
#include "Resolver.h"

#include "StaleNumber.h"

#include "kpack/Jit/Executor/InstalledPrograms.h"
#include "kpack/Support/SecureMode.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;
using kpack::jit::CacheEvent;
using std::chrono::milliseconds;

/// After the first failure, and the longest after many.
static constexpr milliseconds FirstPause{1000}, LongestPause{60000};

Resolver::Resolver(const Choices &Chosen)
    : Config(Settings::fromEnvironment()), Helper(helperOf(Config)),
      Guard([this](ForkMoment When) { aroundFork(When); }),
      Display({"ck-jit", Config.Verbose, /*Failures=*/false, 2}) {
  if (!Chosen.CacheDir.empty())
    Config.CacheDir = Chosen.CacheDir;
  if (!Chosen.Target.empty())
    Config.Target = Chosen.Target;
}

/// What a failed compile or lookup is to the caller.
static int codeOf(const Status &S, jit::CacheMode Mode) {
  switch (S.code()) {
  case StatusCode::InvalidArgument:
    return CK_JIT_COMPILE;
  case StatusCode::KernelNotFound:
    return Mode == jit::CacheMode::Strict ? CK_JIT_NOT_PREBUILT
                                          : CK_JIT_NO_SYMBOL;
  case StatusCode::FileNotFound:
    // Where nothing is compiled, nobody needs a compiler or its helper: what a
    // miss lacks is an entry.
    return Mode == jit::CacheMode::Strict ? CK_JIT_NOT_PREBUILT
                                          : CK_JIT_NO_COMPILER;
  default:
    return CK_JIT_TRANSIENT;
  }
}

static const ck_jit_blob *findBlob(const ck_jit_manifest &Manifest,
                                   const char *Stem) {
  const ck_jit_blob *End = Manifest.blobs + Manifest.blob_count;
  const ck_jit_blob *Found = std::lower_bound(
      Manifest.blobs, End, Stem, [](const ck_jit_blob &B, const char *Name) {
        return std::strcmp(B.stem, Name) < 0;
      });
  return Found != End && std::strcmp(Found->stem, Stem) == 0 ? Found : nullptr;
}

static std::vector<std::string> listOf(const char *const *Texts) {
  std::vector<std::string> List;
  for (; Texts && *Texts; ++Texts)
    List.emplace_back(*Texts);
  return List;
}

static std::string joined(const std::vector<std::string> &Names) {
  std::string Text;
  for (const std::string &Name : Names)
    Text += (Text.empty() ? "" : ", ") + Name;
  return Text;
}

static std::string orEmpty(const char *Text) { return Text ? Text : ""; }

/// The one target that serves all GPUs: a slot has one function, and its code
/// object is found whichever GPU is the current one.
Resolver::Outcome<std::string>
Resolver::target(const std::vector<std::string> &BuiltFor) {
  std::vector<std::string> Wanted;
  if (!Config.Target.empty()) {
    Wanted.push_back(Config.Target);
  } else {
    Devices.connect();
    for (const runtime::Device &Kind : Devices.devices())
      if (!Kind.empty())
        Wanted.push_back(Kind.front());
    if (Wanted.empty() && BuiltFor.size() == 1)
      return {BuiltFor[0], {}};
  }
  if (Wanted.empty())
    return {std::nullopt,
            {CK_JIT_NO_TARGET,
             "no GPU was found to compile for (the build names: " +
                 joined(BuiltFor) + "); " +
                 adviceOf("set CK_JIT_TARGET",
                          "call ck_jit_set_target() before the first kernel")}};
  std::string Chosen;
  for (const std::string &Device : Wanted) {
    Result<std::string> Target = chooseTarget(BuiltFor, Device);
    if (!Target)
      return {std::nullopt, {CK_JIT_NO_TARGET, Target.status().message()}};
    if (!Chosen.empty() && *Target != Chosen)
      return {std::nullopt,
              {CK_JIT_NO_TARGET,
               "there are GPUs of several kinds (" + joined(Wanted) +
                   ") that no one target of the build serves; hide all but one "
                   "kind (ROCR_VISIBLE_DEVICES) or " +
                   adviceOf("set CK_JIT_TARGET",
                            "call ck_jit_set_target() before the first "
                            "kernel")}};
    Chosen = std::move(*Target);
  }
  return {std::move(Chosen), {}};
}

Resolver::Outcome<jit::CompileRequest>
Resolver::request(const ck_jit_manifest &Manifest, const FoundBlob &Blob) {
  RequestContext Context;
  Context.Root = rootOf(Config, Manifest);
  Context.LinkFlags = Blob.File && Blob.File->LinkFlags
                          ? *Blob.File->LinkFlags
                          : listOf(Manifest.link_flags);
  std::string Wanted = Config.Compiler;
  if (Wanted.empty() && Blob.File)
    Wanted = Blob.File->Compiler;
  if (Wanted.empty())
    Wanted = orEmpty(Manifest.compiler);
  Result<std::string> Compiler =
      findCompiler(Wanted, Config.RocmPath, Config.SearchPath);
  if (!Compiler)
    return {std::nullopt, {CK_JIT_NO_COMPILER, Compiler.status().message()}};
  Context.Compiler = std::move(*Compiler);
  Result<BlobRequest> R = requestOf(Blob.Record, Context);
  if (!R)
    return {std::nullopt, {CK_JIT_NO_SOURCE, R.status().message()}};
  R->Compile.Pch = Config.Pch;
  if (R->Compile.Lang == jit::Language::Hip) {
    Outcome<std::string> Target = target(R->BuiltFor);
    if (!Target.Value)
      return {std::nullopt, Target.Why};
    R->Compile.Target = std::move(*Target.Value);
  }
  return {std::move(R->Compile), {}};
}

Result<Resolver::OpenCache> Resolver::openCache(const std::string &Directory) {
  jit::CacheOptions Options;
  Options.Directory = Directory;
  Options.SystemDirectories = Config.SystemDirs;
  Options.SystemOwners = Config.SystemOwners;
  Options.Mode = Config.Mode;
  // When to try again is decided here, for each blob.
  Options.FailureLifetime = 0;
  Options.OnEvent = [this](const CacheEvent &E) { Display.show(E); };
  Options.WithTicks = true;
  // A remote tier that cannot be used is no reason to stop.
  if (auto Remote = openRemote(Config.Remote, Directory))
    Options.Remote = std::move(*Remote);
  else
    std::fprintf(stderr, "ck-jit: warning: %s; no remote cache is used\n",
                 Remote.status().message().c_str());
  auto Opened = jit::Cache::open(std::move(Options));
  if (!Opened.ok())
    return Opened.status();
  OpenCache S;
  S.Cache = std::move(*Opened);
  S.Sources =
      std::make_unique<jit::SourceCache>(*S.Cache, jit::CompileService(Helper));
  return S;
}

Result<Resolver::OpenCache *>
Resolver::cacheOf(const ck_jit_manifest &Manifest) {
  std::string Directory = cacheDirOf(Config, Manifest);
  {
    std::lock_guard<std::mutex> Guard(Lock);
    if (auto Found = Caches.find(Directory); Found != Caches.end())
      return &Found->second;
  }
  // Without the lock: caches have a list of their statistics, one a process,
  // whose fork guard is older than that of a second resolver.
  Result<OpenCache> Opened = openCache(Directory);
  if (!Opened.ok())
    return Opened.status();
  // Another thread may have been faster: ours goes away, after the lock.
  std::lock_guard<std::mutex> Guard(Lock);
  return &Caches.try_emplace(Directory, std::move(*Opened)).first->second;
}

/// In the embedded manifest, else in the file that the environment names, else
/// in the installed one.
Resolver::Outcome<Resolver::FoundBlob> Resolver::find(const ck_jit_slot &Slot) {
  if (!Slot.manifest || Slot.manifest->abi < 1)
    return {std::nullopt,
            {CK_JIT_NO_BLOB, "the library was built for another version of "
                             "libckjit; build it again"}};
  if (Slot.manifest->abi > CK_JIT_ABI)
    return {std::nullopt,
            {CK_JIT_NO_BLOB, "the library was built for a newer libckjit; "
                             "install a newer libckjit"}};
  if (const ck_jit_blob *Found = findBlob(*Slot.manifest, Slot.blob))
    return {FoundBlob{{Found->stem,
                       Found->source,
                       orEmpty(Found->directory),
                       listOf(Found->flags),
                       {}},
                      nullptr},
            {}};
  std::string Path = manifestFileOf(*Slot.manifest);
  std::lock_guard<std::mutex> Guard(Lock);
  std::unique_ptr<BlobManifest> &File = Files[Path];
  if (!File) {
    Result<BlobManifest> Read = BlobManifest::read(Path);
    if (!Read)
      return {std::nullopt,
              {CK_JIT_NO_BLOB, "no such blob in the library's manifest, and " +
                                   Read.status().message()}};
    File = std::make_unique<BlobManifest>(std::move(*Read));
  }
  if (const BlobRecord *Found = File->find(Slot.blob))
    return {FoundBlob{*Found, File.get()}, {}};
  return {std::nullopt,
          {CK_JIT_NO_BLOB, "no such blob in the library's manifest, nor in " +
                               Path + "; build the library again"}};
}

std::string Resolver::manifestFileOf(const ck_jit_manifest &Manifest) const {
  return !Config.Manifest.empty()
             ? Config.Manifest
             : rootOf(Config, Manifest) + "/ck_jit_manifest.json";
}

Resolver::Outcome<jit::LoadedCode> Resolver::load(const ck_jit_slot &Slot,
                                                  const std::string &Symbol) {
  Outcome<FoundBlob> Found = find(Slot);
  if (!Found.Value)
    return {std::nullopt, Found.Why};
  Outcome<jit::CompileRequest> Wanted = request(*Slot.manifest, *Found.Value);
  if (!Wanted.Value)
    return {std::nullopt, Wanted.Why};
  if (!Symbol.empty())
    Wanted.Value->Symbols = {Symbol};
  Result<OpenCache *> Where = cacheOf(*Slot.manifest);
  if (!Where)
    return {std::nullopt, {CK_JIT_TRANSIENT, Where.status().message()}};
  Result<jit::StoredEntry> Entry = (*Where)->Sources->get(*Wanted.Value);
  if (!Entry) {
    int Code = codeOf(Entry.status(), Config.Mode);
    if (Code == CK_JIT_NOT_PREBUILT)
      return {std::nullopt,
              {Code,
               "not in the cache, and " +
                   std::string(isSecureMode()
                                   ? "this program has more rights than its "
                                     "user; prebuild the kernel, into a cache "
                                     "that belongs to root or to the program's "
                                     "owner:\n  "
                                   : "compiling is off; compile it "
                                     "beforehand:\n  ") +
                   prebuildCommand(Slot, *Found.Value, *Wanted.Value)}};
    return {std::nullopt, {Code, Entry.status().message()}};
  }
  if (!Entry->Info.Log.empty() && Config.Verbose)
    std::fputs(Entry->Info.Log.c_str(), stderr);
  Result<jit::LoadedCode> Code = jit::LoadedCode::load(std::move(*Entry));
  if (!Code)
    return {std::nullopt, {CK_JIT_LOAD, Code.status().message()}};
  if (Config.Verbose)
    std::fprintf(stderr, "ck-jit: loaded %s\n", Slot.blob);
  record(Slot.blob);
  return {std::move(*Code), {}};
}

/// A line for a shell that makes the request of this process.
std::string Resolver::prebuildCommand(const ck_jit_slot &Slot,
                                      const FoundBlob &Blob,
                                      const jit::CompileRequest &Wanted) const {
  std::vector<std::string> Words{toolOf(), "prebuild", "build"};
  if (isSecureMode()) // where this process looks for what a compiler calls
    Words.insert(Words.begin(), {"env", "PATH=" KPACK_SECURE_PATH});
  if (Blob.File) {
    Words.push_back("--manifest=" + manifestFileOf(*Slot.manifest));
    if (!Blob.File->LinkFlags)
      for (const std::string &Flag : listOf(Slot.manifest->link_flags))
        Words.push_back("--link-flag=" + Flag);
  } else {
    Words.push_back("--library=" + jit::fileOf(Slot.manifest));
  }
  Words.push_back("--root=" + rootOf(Config, *Slot.manifest));
  Words.push_back("--cache-dir=" + cacheDirOf(Config, *Slot.manifest));
  Words.push_back("--compiler=" + Wanted.Compiler);
  if (!Wanted.Target.empty())
    Words.push_back("--target=" + Wanted.Target);
  if (isSecureMode()) // others than its owner read it
    Words.push_back("--mode=0755");
  Words.push_back(Slot.blob);
  std::string Line;
  for (const std::string &Word : Words)
    Line += (Line.empty() ? "" : " ") + shellQuoted(Word);
  return Line;
}

/// For `ck-jit prebuild --blob-list`: one write() a line, so that lines of
/// several processes do not mix.
void Resolver::record(const std::string &Stem) const {
  if (Config.Record.empty())
    return;
  std::string Line = Stem + "\n";
  UniqueFd File(::open(Config.Record.c_str(),
                       O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!File ||
      ::write(File.get(), Line.data(), Line.size()) != ssize_t(Line.size()))
    std::fprintf(stderr,
                 "ck-jit: warning: CK_JIT_RECORD=%s: %s is not recorded: %s\n",
                 Config.Record.c_str(), Stem.c_str(), std::strerror(errno));
}

/// The blob's entry exports all of its functions. One that is not among them
/// may look like one of the standard library: it is asked for by its name, in
/// an entry of its own.
Resolver::Outcome<void *> Resolver::attempt(Blob &B, const ck_jit_slot &Slot) {
  if (!B.Code) {
    Outcome<jit::LoadedCode> Loaded = load(Slot, {});
    if (Loaded.Value) {
      if (std::string Why =
              staleNumber(*Slot.manifest, Slot.blob, *Loaded.Value);
          !Why.empty())
        return {std::nullopt, {CK_JIT_STALE, std::move(Why)}};
      B.Code = std::move(*Loaded.Value);
    } else if (Loaded.Why.Code != CK_JIT_NO_SYMBOL)
      return {std::nullopt, Loaded.Why};
  }
  if (B.Code)
    if (Result<void *> Address = B.Code->symbol(Slot.symbol))
      return {*Address, {}};
  Outcome<jit::LoadedCode> Named = load(Slot, Slot.symbol);
  if (!Named.Value) {
    // What was compiled beforehand is the blob's entry.
    if (B.Code && Named.Why.Code == CK_JIT_NOT_PREBUILT)
      return {
          std::nullopt,
          {CK_JIT_NO_SYMBOL, B.Code->symbol(Slot.symbol).status().message()}};
    return {std::nullopt, Named.Why};
  }
  Result<void *> Address = Named.Value->symbol(Slot.symbol);
  if (!Address)
    return {std::nullopt, {CK_JIT_NO_SYMBOL, Address.status().message()}};
  return {*Address, {}};
}

/// The same failure again is the same object, and is not reported again.
const ck_jit_failure *Resolver::keep(const ck_jit_slot &Slot,
                                     const Failure &Why) {
  std::unique_lock<std::mutex> Guard(Lock);
  for (const ck_jit_failure &Known : Failures)
    if (Known.code == Why.Code && std::strcmp(Known.blob, Slot.blob) == 0 &&
        Why.Message == Known.message)
      return &Known;
  const char *Kept[3];
  size_t Next = 0;
  for (const std::string &Text :
       {std::string(Slot.blob), std::string(Slot.symbol), Why.Message}) {
    Texts.push_back(Text);
    Kept[Next++] = Texts.back().c_str();
  }
  Failures.push_back({Why.Code, Kept[0], Kept[1], Kept[2]});
  const ck_jit_failure *New = &Failures.back();
  // A stopped terminal makes us wait, but nobody who forks.
  Guard.unlock();
  std::fprintf(stderr, "ck-jit: error: %s: %s\n", Slot.blob,
               Why.Message.c_str());
  return New;
}

/// A blob that another thread was working on is begun anew in a forked child;
/// the old one, whose lock nobody will give back, is left alone.
void Resolver::aroundFork(ForkMoment When) {
  if (When == ForkMoment::Before)
    return Lock.lock();
  if (When == ForkMoment::Child)
    for (auto &[Name, B] : Blobs) {
      if (B->Lock.try_lock()) {
        B->Lock.unlock();
        continue;
      }
      (void)B.release();
      B = std::make_unique<Blob>();
    }
  Lock.unlock();
}

void *Resolver::resolve(ck_jit_slot &Slot, const ck_jit_failure *&Why) {
  std::unique_lock<std::mutex> Guard(Lock);
  std::unique_ptr<Blob> &Place = Blobs[{Slot.manifest, Slot.blob}];
  if (!Place)
    Place = std::make_unique<Blob>();
  Blob &B = *Place;
  Guard.unlock();

  std::lock_guard<std::mutex> One(B.Lock);
  if (B.Failed && Clock::now() < B.TryAgain) {
    Why = B.Failed;
    return nullptr;
  }
  const Outcome<void *> Found = attempt(B, Slot);
  if (!Found.Value) {
    Why = keep(Slot, Found.Why);
    // A blob that is loaded will not define more by waiting for it.
    if (!B.Code) {
      B.Failed = Why;
      B.Pause = std::min(std::max(B.Pause * 2, FirstPause), LongestPause);
      B.TryAgain = Clock::now() + B.Pause;
    }
    return nullptr;
  }
  B.Failed = nullptr;
  B.Pause = milliseconds(0);
  Slot.address.store(*Found.Value, std::memory_order_release);
  Guard.lock();
  ++Resolved;
  return *Found.Value;
}

ck_jit_statistics Resolver::statistics() {
  std::lock_guard<std::mutex> Guard(Lock);
  ck_jit_statistics Sum{};
  Sum.resolved = Resolved;
  for (const auto &[Directory, S] : Caches) {
    jit::CacheStatistics Counts = S.Cache->statistics();
    Sum.hits += Counts.Hits + Counts.Waits + Counts.Fetched;
    Sum.compiles += Counts.Compiles;
    Sum.failures += Counts.Failures;
    Sum.compile_seconds += Counts.CompileSeconds;
  }
  return Sum;
}
