//===- CApiCache.cpp - C API: caches --------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the C structures of kpack_jit.h to CacheOptions, in which 0 and null
// mean the defaults. Events become structures that are valid during the
// callback.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/CApi/Handles.h"

#include "Jit/Executor/CApi/ProcessSettings.h"
#include "Jit/Executor/CApi/Recording.h"

#include "Jit/Executor/Cache/Progress.h"
#include "Jit/Executor/InstalledPrograms.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::capi;
using namespace kpack::jit;

static std::string programBesideUs(const char *Name) {
  return programBeside(reinterpret_cast<const void *>(&kpack_jit_version),
                       Name);
}

static kpack_jit_event_kind kindOf(CacheEvent::Kind Kind) {
  switch (Kind) {
  case CacheEvent::Kind::Compiling:
    return KPACK_JIT_EVENT_COMPILING;
  case CacheEvent::Kind::StillCompiling:
    return KPACK_JIT_EVENT_STILL_COMPILING;
  case CacheEvent::Kind::Waiting:
    return KPACK_JIT_EVENT_WAITING;
  case CacheEvent::Kind::WaitEnded:
  case CacheEvent::Kind::Fetched:
    return KPACK_JIT_EVENT_LANDED;
  case CacheEvent::Kind::Compiled:
    return KPACK_JIT_EVENT_COMPILED;
  case CacheEvent::Kind::Failed:
    return KPACK_JIT_EVENT_FAILED;
  case CacheEvent::Kind::Reason:
    return KPACK_JIT_EVENT_REASON;
  default:
    return KPACK_JIT_EVENT_WARNING;
  }
}

static CacheCallback eventCallback(kpack_jit_event_callback Callback,
                                   void *User) {
  return [Callback, User](const CacheEvent &Event) {
    kpack_jit_event E{};
    E.size = sizeof(E);
    E.kind = kindOf(Event.What);
    E.name = Event.Name.c_str();
    E.seconds = Event.Seconds;
    E.pid = Event.Owner.Pid;
    E.host = Event.Owner.Host.c_str();
    E.detail = Event.Detail.c_str();
    E.number = Event.Number;
    E.known = Event.Known;
    try {
      Callback(&E, User);
    } catch (...) { // from a C++ function; there may be no handler above us
    }
  };
}

static Result<std::shared_ptr<RemoteTier>>
makeRemote(const kpack_jit_remote_options &R, const std::string &Directory) {
  RemoteOptions Options;
  Options.Url = orEmpty(R.url);
  Options.Mode = R.mode == KPACK_JIT_REMOTE_READ   ? RemoteMode::Read
                 : R.mode == KPACK_JIT_REMOTE_SYNC ? RemoteMode::Sync
                                                   : RemoteMode::ReadWrite;
  if (R.timeout_seconds != 0)
    Options.Timeout = R.timeout_seconds;
  Options.Total = R.total_seconds;
  if (R.pause_seconds != 0)
    Options.Pause = R.pause_seconds;
  Options.KeyFile = orEmpty(R.key_file);
  Options.AuthFile = orEmpty(R.auth_file);
  Options.CaFile = orEmpty(R.ca_file);
  Options.Insecure = R.insecure != 0;
  Options.Helper = R.helper ? R.helper : programBesideUs("kpack-jit-remote");
  Options.Directory = Directory;
  return RemoteTier::open(std::move(Options));
}

static_assert(int(CacheMode::ReadWrite) == KPACK_JIT_READ_WRITE &&
              int(CacheMode::ReadOnly) == KPACK_JIT_READ_ONLY &&
              int(CacheMode::Off) == KPACK_JIT_OFF &&
              int(CacheMode::Strict) == KPACK_JIT_STRICT);

/// \p R is the copy of *O.remote, if that is not null.
static Result<CacheOptions> makeOptions(const kpack_jit_cache_options &O,
                                        const kpack_jit_remote_options &R) {
  CacheOptions Options;
  Options.Directory = orEmpty(O.directory);
  Options.SystemDirectories = toList(O.system_directories);
  Options.Mode = CacheMode(O.mode);
  if (O.max_bytes)
    Options.Limits.Bytes = O.max_bytes;
  Options.Limits.Entries = O.max_entries;
  Options.Limits.AgeSeconds = O.max_age_seconds;
  if (O.max_wait_seconds > 0)
    Options.MaxWait = O.max_wait_seconds;
  else if (O.compile_seconds > 0)
    Options.MaxWait = std::min(Options.MaxWait, O.compile_seconds);
  Options.PrebuildHint = orEmpty(O.prebuild_hint);
  Options.Explains = O.explains != 0;
  if (O.on_event) {
    Options.OnEvent = eventCallback(O.on_event, O.user);
    Options.WithTicks = true;
  }
  for (const std::string &Name : toList(O.system_owners)) {
    std::optional<uid_t> User = userNamed(Name);
    if (!User)
      return Status(StatusCode::InvalidArgument,
                    "'" + Name + "': no such user; give a name or a number");
    Options.SystemOwners.push_back(*User);
  }
  if (O.remote) {
    auto Remote = makeRemote(R, Options.Directory);
    if (!Remote)
      return Remote.status();
    Options.Remote = std::move(*Remote);
  }
  return Options;
}

static kpack_jit_statistics makeRow(const KernelStatistics &Row) {
  kpack_jit_statistics S{};
  S.size = sizeof(S);
  S.name = Row.Name.c_str();
  S.target = Row.Target.c_str();
  S.hits = Row.Hits;
  S.misses = Row.Misses;
  S.compiles = Row.Compiles;
  S.failures = Row.Failures;
  S.waits = Row.Waits;
  S.compile_milliseconds = Row.CompileMilliseconds;
  S.bytes = Row.Bytes;
  S.last_use = Row.LastUse;
  S.fetched = Row.Fetched;
  return S;
}

static Result<std::unique_ptr<kpack_jit_cache>>
openCache(CacheOptions Options, CompileService Service, CompileLimits Limits,
          size_t MaxPrograms) {
  Service.setLimits(Limits);
  auto Sources = SourceCache::open(std::move(Options), std::move(Service));
  if (!Sources)
    return Sources.status();
  auto Programs = std::make_unique<ProgramCache>(**Sources, MaxPrograms);
  auto Opened = std::make_unique<kpack_jit_cache>();
  Opened->Sources = std::move(*Sources);
  Opened->Programs = std::move(Programs);
  Opened->RemoteHelper = programBesideUs("kpack-jit-remote");
  return Opened;
}

/// Sets up the user's tools for watching compiles: dry run, dumps, recording.
static void watch(kpack_jit_cache &Opened, const ProcessSettings &Settings) {
  SourceCache &Sources = *Opened.Sources;
  Sources.setDryRun(Settings.DryRun);
  if (!Settings.Dumps.isOn() && Settings.Recording.empty())
    return;
  Opened.Programs->setObserver(
      [&Sources, Dumps = Settings.Dumps, Recording = Settings.Recording](
          const CompileRequest &Request, const StoredEntry &Entry) {
        if (!Recording.empty())
          if (Status Done = record(Recording, Request); !Done.ok())
            return Done;
        return Dumps.isOn() ? dump(Dumps, Sources.service(), Request, Entry)
                            : Status::success();
      });
}

static Result<std::unique_ptr<kpack_jit_cache>> openProcessCache() {
  Result<ProcessSettings> Settings = ProcessSettings::fromEnvironment();
  if (!Settings)
    return Settings.status();
  Result<CompileRoute> Route = routeFromEnvironment(CompileRoute::Serve);
  if (!Route)
    return Route.status();
  // Callers receive the failure itself; only long compiles are reported.
  auto Lines = std::make_shared<Progress>(
      ProgressOptions{"kpack-jit", Settings->Verbose, /*Failures=*/false, 2});
  Settings->Cache.OnEvent = [Lines](const CacheEvent &E) { Lines->show(E); };
  Settings->Cache.WithTicks = true;
  auto Opened =
      openCache(std::move(Settings->Cache),
                CompileService(programBesideUs("kpack-jit-compile"), *Route),
                Settings->Limits, Settings->Programs);
  if (Opened)
    watch(**Opened, *Settings);
  return Opened;
}

kpack_jit_status kpack_jit_process_cache(kpack_jit_cache **Cache) {
  if (!Cache)
    return failArgument("kpack_jit_process_cache: a place for the cache is "
                        "needed");
  return guarded([&] {
    // Never destroyed: programs call the code that it loaded until they end.
    static const auto &Opened =
        *new Result<std::unique_ptr<kpack_jit_cache>>(openProcessCache());
    if (!Opened)
      return fail(Opened.status());
    *Cache = (*Opened).get();
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status kpack_jit_cache_open(const kpack_jit_cache_options *Options,
                                      kpack_jit_cache **Opened) {
  kpack_jit_cache_options O;
  if (!take(Options, O) || !Opened)
    return failArgument("kpack_jit_cache_open: options with their size and a "
                        "place for the cache are needed");
  if (O.mode < KPACK_JIT_READ_WRITE || O.mode > KPACK_JIT_STRICT)
    return failArgument("kpack_jit_cache_open: there is no such mode");
  kpack_jit_remote_options R{};
  if (O.remote && !take(O.remote, R))
    return failArgument("kpack_jit_cache_open: the remote cache's options need "
                        "their size");
  if (R.mode < KPACK_JIT_REMOTE_READ_WRITE || R.mode > KPACK_JIT_REMOTE_SYNC)
    return failArgument("kpack_jit_cache_open: there is no such mode of a "
                        "remote cache");
  return guarded([&] {
    Result<CacheOptions> All = makeOptions(O, R);
    if (!All)
      return fail(All.status());
    std::string Helper = O.compile_helper
                             ? O.compile_helper
                             : programBesideUs("kpack-jit-compile");
    Result<CompileRoute> Route = routeFromEnvironment(CompileRoute::Fork);
    if (!Route)
      return fail(Route.status());
    constexpr size_t DefaultPrograms = 4096;
    auto Created =
        openCache(std::move(*All), CompileService(std::move(Helper), *Route),
                  {O.compile_seconds, O.max_compiles},
                  O.max_programs ? O.max_programs : DefaultPrograms);
    if (!Created)
      return fail(Created.status());
    *Opened = Created->release();
    return KPACK_JIT_SUCCESS;
  });
}

void kpack_jit_cache_close(kpack_jit_cache *C) { delete C; }

kpack_jit_status
kpack_jit_cache_get_statistics(const kpack_jit_cache *Cache,
                               kpack_jit_statistics *Statistics) {
  if (!Cache)
    return failArgument("kpack_jit_cache_get_statistics: a cache is needed");
  return guarded([&] {
    KernelStatistics Counts = Cache->Sources->cache().statistics();
    kpack_jit_statistics S = makeRow(Counts);
    S.name = S.target = "";
    return give(S, Statistics)
               ? KPACK_JIT_SUCCESS
               : failArgument("kpack_jit_cache_get_statistics: a structure "
                              "with its size is needed");
  });
}

kpack_jit_status
kpack_jit_read_statistics(const char *Directory,
                          kpack_jit_statistics_callback Callback, void *User) {
  if (!Directory || !Callback)
    return failArgument("kpack_jit_read_statistics: a directory and a callback "
                        "are needed");
  return guarded([&] {
    auto Rows = readStatistics(Directory);
    if (!Rows)
      return fail(Rows.status());
    for (const KernelStatistics &Row : *Rows) {
      kpack_jit_statistics S = makeRow(Row);
      if (Callback(&S, User) != 0)
        break;
    }
    return KPACK_JIT_SUCCESS;
  });
}
