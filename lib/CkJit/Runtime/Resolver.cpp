//===- Resolver.cpp - compile and load of a called kernel -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at resolve(), at the end. There are two kinds of locks. The
// resolver's lock is held for look-ups only, because fork() waits for it. Each
// blob's lock is held while that blob is compiled: callers for the same blob
// wait, others do not.
//
// attempt() requests the blob's entry, which serves all of its functions, and a
// separate entry only for a function that it lacks. A failed blob is not tried
// again for a second, then for two, and so on up to a minute; until then its
// callers get the same failure. Failures are never freed, since callers keep
// pointers to them. Once the address is in the slot, its stub does not call
// this any more.
//
//===----------------------------------------------------------------------===//
#include "Resolver.h"

#include "StaleNumber.h"

#include "Support/Files.h"
#include "Support/Printable.h"
#include "Support/SafePath.h"
#include "Support/SecureMode.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;

Resolver::Resolver(const Choices &Chosen)
    : Config(Settings::fromEnvironment()), Helper(findHelper(Config)),
      Guard(Lock, [this] { forgetThreads(); }),
      Display({"ck-jit", Config.Verbose, /*Failures=*/false, 2}),
      Finder(Config) {
  if (!Chosen.CacheDir.empty())
    Config.CacheDir = Chosen.CacheDir;
  if (!Chosen.Target.empty())
    Config.Target = Chosen.Target;
}

/// Returns the caller's error code; each step has a distinct status code.
static int getCode(const Status &Why) {
  static constexpr std::pair<StatusCode, int> Codes[] = {
      {StatusCode::InvalidMetadata, CK_JIT_NO_BLOB},
      {StatusCode::PathDiscoveryFailed, CK_JIT_NO_SOURCE},
      {StatusCode::FileNotFound, CK_JIT_NO_COMPILER},
      {StatusCode::InvalidArgument, CK_JIT_COMPILE},
      {StatusCode::InvalidFormat, CK_JIT_LOAD},
      {StatusCode::KernelNotFound, CK_JIT_NO_SYMBOL},
      {StatusCode::ArchiveNotFound, CK_JIT_NOT_PREBUILT},
      {StatusCode::ArchNotFound, CK_JIT_NO_TARGET},
      {StatusCode::UnsupportedVersion, CK_JIT_STALE}};
  for (const auto &[Code, Shown] : Codes)
    if (Code == Why.code())
      return Shown;
  return CK_JIT_TRANSIENT;
}

Result<std::unique_ptr<jit::SourceCache>>
Resolver::openCache(const std::string &Directory) {
  jit::CacheOptions Options;
  Options.Directory = Directory;
  Options.SystemDirectories = Config.SystemDirs;
  Options.SystemOwners = Config.SystemOwners;
  Options.Mode = Config.Mode;
  // This class schedules retries, for each blob.
  Options.FailureLifetime = 0;
  Options.OnEvent = [this](const jit::CacheEvent &E) { Display.show(E); };
  Options.WithTicks = true;
  // An unusable remote tier is only a warning.
  if (auto Remote = openRemote(Config.Remote, Directory))
    Options.Remote = std::move(*Remote);
  else
    std::fprintf(stderr, "ck-jit: warning: %s; no remote cache is used\n",
                 Remote.status().message().c_str());
  return jit::SourceCache::open(std::move(Options),
                                jit::CompileService(Helper, Config.Route));
}

Result<jit::SourceCache *> Resolver::getCache(const ck_jit_manifest &Manifest) {
  std::string Directory = getCacheDir(Config, Manifest);
  {
    std::lock_guard<std::mutex> Guard(Lock);
    if (auto Found = Caches.find(Directory); Found != Caches.end())
      return Found->second.get();
  }
  // Without the lock: caches share a list of statistics in the process, whose
  // fork guard is older than that of a second resolver.
  auto Opened = openCache(Directory);
  if (!Opened)
    return Status(StatusCode::IoError, Opened.status().message());
  // Another thread may have been first: then ours is destroyed, after the lock.
  std::lock_guard<std::mutex> Guard(Lock);
  return Caches.try_emplace(Directory, std::move(*Opened)).first->second.get();
}

Result<jit::LoadedCode> Resolver::load(const ck_jit_slot &Slot,
                                       const std::string &Symbol) {
  Result<FoundBlob> Found = Finder.find(Slot);
  if (!Found)
    return Found.status();
  Result<jit::CompileRequest> Wanted = Finder.request(*Slot.manifest, *Found);
  if (!Wanted)
    return Wanted.status();
  if (!Symbol.empty())
    Wanted->Symbols = {Symbol};
  Result<jit::SourceCache *> Where = getCache(*Slot.manifest);
  if (!Where)
    return Where.status();
  Result<jit::StoredEntry> Entry = (*Where)->get(*Wanted);
  if (!Entry)
    return noEntry(Entry.status(), Slot, *Found, *Wanted);
  if (!Entry->Info.Log.empty() && Config.Verbose)
    std::fputs(Entry->Info.Log.c_str(), stderr);
  Result<jit::LoadedCode> Code = jit::LoadedCode::load(std::move(*Entry));
  if (!Code)
    return Status(StatusCode::InvalidFormat, Code.status().message());
  if (Config.Verbose)
    std::fprintf(stderr, "ck-jit: loaded %s\n", printable(Slot.blob).c_str());
  record(Slot.blob);
  return Code;
}

/// \p Why is the cache's status.
Status Resolver::noEntry(const Status &Why, const ck_jit_slot &Slot,
                         const FoundBlob &Blob,
                         const jit::CompileRequest &Wanted) {
  if (Why.code() == StatusCode::InvalidArgument)
    return Why;
  if (Why.code() != StatusCode::KernelNotFound &&
      Why.code() != StatusCode::FileNotFound)
    return Status(StatusCode::IoError, Why.message());
  // In strict mode nothing is compiled, so a missing compiler or helper is not
  // the problem: a miss lacks an entry.
  if (Config.Mode != jit::CacheMode::Strict)
    return Why;
  return Status(
      StatusCode::ArchiveNotFound,
      "not in the cache, and " +
          std::string(isSecureMode()
                          ? "this program has more rights than its user; "
                            "prebuild the kernel, into a cache that belongs to "
                            "root or to the program's owner:\n  "
                          : "compiling is off; compile it beforehand:\n  ") +
          Finder.prebuildCommand(Slot, Blob, Wanted));
}

/// Writes lines for `ck-jit prebuild --blob-list`: one write() each, so that
/// lines of several processes do not mix.
void Resolver::record(const std::string &Stem) const {
  if (Config.Record.empty())
    return;
  std::string Line = Stem + "\n";
  UniqueFd File =
      openFileToWrite(Config.Record, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (!File ||
      ::write(File.get(), Line.data(), Line.size()) != ssize_t(Line.size()))
    std::fprintf(stderr,
                 "ck-jit: warning: CK_JIT_RECORD=%s: %s is not recorded: %s\n",
                 Config.Record.c_str(), Stem.c_str(), std::strerror(errno));
}

/// The blob's entry exports all of its functions. A function that it lacks may
/// look like one of the standard library: it is requested by name, in a
/// separate entry.
Result<void *> Resolver::attempt(Blob &B, const ck_jit_slot &Slot) {
  if (!B.Code) {
    Result<jit::LoadedCode> Loaded = load(Slot, {});
    if (Loaded) {
      if (std::string Why = staleNumber(*Slot.manifest, Slot.blob, *Loaded);
          !Why.empty())
        return Status(StatusCode::UnsupportedVersion, std::move(Why));
      B.Code = std::move(*Loaded);
    } else if (Loaded.status().code() != StatusCode::KernelNotFound)
      return Loaded.status();
  }
  if (B.Code)
    if (Result<void *> Address = B.Code->symbol(Slot.symbol))
      return Address;
  Result<jit::LoadedCode> Named = load(Slot, Slot.symbol);
  if (Named)
    return Named->symbol(Slot.symbol);
  // Prebuilding only makes the blob's entry.
  if (B.Code && Named.status().code() == StatusCode::ArchiveNotFound)
    return B.Code->symbol(Slot.symbol);
  return Named.status();
}

/// Returns the same object for an equal failure, and does not report it again.
const ck_jit_failure *Resolver::keep(const ck_jit_slot &Slot,
                                     const Status &Why) {
  std::unique_lock<std::mutex> Guard(Lock);
  for (const KeptFailure &Known : Failures)
    if (Known.Shown.code == getCode(Why) && Known.Blob == Slot.blob &&
        Known.Message == Why.message())
      return &Known.Shown;
  KeptFailure &New = Failures.emplace_back(
      KeptFailure{Slot.blob, Slot.symbol, Why.message(), {}});
  New.Shown = {getCode(Why), New.Blob.c_str(), New.Symbol.c_str(),
               New.Message.c_str()};
  // A stopped terminal blocks us here, but not a fork().
  Guard.unlock();
  std::fprintf(stderr, "ck-jit: error: %s: %s\n", printable(Slot.blob).c_str(),
               printableLines(Why.message()).c_str());
  return &New.Shown;
}

/// In a forked child, replaces blobs that another thread was compiling; the old
/// ones, whose locks stay taken, are leaked.
void Resolver::forgetThreads() {
  for (auto &[Name, B] : Blobs) {
    if (B->Lock.try_lock()) {
      B->Lock.unlock();
      continue;
    }
    (void)B.release();
    B = std::make_unique<Blob>();
  }
}

void *Resolver::resolve(ck_jit_slot &Slot, const ck_jit_failure *&Why) {
  std::unique_lock<std::mutex> Guard(Lock);
  std::unique_ptr<Blob> &Place = Blobs[{Slot.manifest, Slot.blob}];
  if (!Place)
    Place = std::make_unique<Blob>();
  Blob &B = *Place;
  Guard.unlock();

  std::lock_guard<std::mutex> One(B.Lock);
  if (B.Failed && !B.Pause.isOver()) {
    Why = B.Failed;
    return nullptr;
  }
  Result<void *> Found = attempt(B, Slot);
  if (!Found) {
    Why = keep(Slot, Found.status());
    // A loaded blob will not define more later.
    if (!B.Code) {
      B.Failed = Why;
      B.Pause.failed();
    }
    return nullptr;
  }
  B.Failed = nullptr;
  B.Pause.succeeded();
  Slot.address.store(*Found, std::memory_order_release);
  Guard.lock();
  ++Resolved;
  return *Found;
}

ck_jit_statistics Resolver::statistics() {
  std::lock_guard<std::mutex> Guard(Lock);
  ck_jit_statistics Sum{};
  Sum.resolved = Resolved;
  for (const auto &[Directory, S] : Caches) {
    jit::KernelStatistics Counts = S->cache().statistics();
    Sum.hits += Counts.Hits + Counts.Waits + Counts.Fetched;
    Sum.compiles += Counts.Compiles;
    Sum.failures += Counts.Failures;
    Sum.compile_seconds += double(Counts.CompileMilliseconds) / 1000;
  }
  return Sum;
}
