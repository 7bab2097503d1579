//===- CApi.cpp - kpack/kpack_jit.h ---------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What libkpack_jit.so exports. No exception leaves a function: the only ones
// there are come from the standard library, for want of memory. What callers
// give as structures is copied to our own size first: a shorter one is of an
// earlier version, and the rest of it is 0.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Executor/Background.h"
#include "kpack/Jit/Executor/Load.h"
#include "kpack/Jit/Executor/SourceCache.h"
#include "kpack/Jit/Store/Statistics.h"
#include "kpack/Support/InstallLayout.h"
#include "kpack/kpack_jit.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

/// What libckjit.so of this version refers to: with that of another one no
/// program is loaded, for what lies between them is no ABI.
namespace kpack::jit {
extern const char KPACK_JIT_BUILD;
[[gnu::visibility("default")]] const char KPACK_JIT_BUILD = 0;
} // namespace kpack::jit

struct kpack_jit_key {
  KeyBuilder Builder;
};

struct kpack_jit_product {
  std::string Payload, Log, Message;
  bool IsSet = false;
};

struct kpack_jit_entry {
  EntryInfo Info;
  uint64_t PayloadSize = 0;
  StoredEntry Stored; ///< given away when it is loaded
  std::optional<LoadedCode> Code;
};

struct kpack_jit_cache {
  std::unique_ptr<Cache> C;
  std::unique_ptr<SourceCache> Sources;
  Async<StoredEntry> Background; ///< last: uses the others
};

namespace {

std::string &lastError() {
  static thread_local std::string Text;
  return Text;
}

kpack_jit_status fail(kpack_jit_status Code,
                      std::string_view Message) noexcept {
  try {
    lastError() = Message;
  } catch (const std::exception &) {
    lastError().clear();
  }
  return Code;
}
kpack_jit_status fail(const Status &Why) {
  static_assert(int(StatusCode::InvalidArgument) ==
                    KPACK_JIT_ERROR_INVALID_ARGUMENT &&
                int(StatusCode::KernelNotFound) == KPACK_JIT_ERROR_NOT_FOUND &&
                int(StatusCode::OutOfMemory) == KPACK_JIT_ERROR_OUT_OF_MEMORY &&
                int(StatusCode::IoError) == KPACK_JIT_ERROR_IO);
  switch (Why.code()) {
  case StatusCode::InvalidArgument:
  case StatusCode::FileNotFound:
  case StatusCode::InvalidFormat:
  case StatusCode::UnsupportedVersion:
  case StatusCode::KernelNotFound:
  case StatusCode::OutOfMemory:
    return fail(kpack_jit_status(Why.code()), Why.message());
  default:
    return fail(KPACK_JIT_ERROR_IO, Why.message());
  }
}
kpack_jit_status failCompile(const Status &Why) {
  return Why.code() == StatusCode::InvalidArgument
             ? fail(KPACK_JIT_ERROR_COMPILE, Why.message())
             : fail(Why);
}
kpack_jit_status failArgument(const char *What) {
  return fail(KPACK_JIT_ERROR_INVALID_ARGUMENT, What);
}

/// Runs \p Body, whose only exceptions are those for want of memory and those
/// of the caller's functions.
template <typename Function> kpack_jit_status guarded(Function Body) {
  try {
    return Body();
  } catch (const std::bad_alloc &) {
    return fail(KPACK_JIT_ERROR_OUT_OF_MEMORY, "out of memory");
  } catch (...) {
    return fail(KPACK_JIT_ERROR_INVALID_ARGUMENT,
                "a callback has thrown an exception");
  }
}

const char *orEmpty(const char *Text) { return Text ? Text : ""; }

std::vector<std::string> listOf(const char *const *Texts) {
  std::vector<std::string> List;
  for (; Texts && *Texts; ++Texts)
    List.emplace_back(*Texts);
  return List;
}

/// \p From as this version knows it; false when its size makes no sense.
template <typename T> bool take(const T *From, T &To) {
  if (!From || From->size < sizeof(size_t))
    return false;
  To = T();
  std::memcpy(&To, From, std::min(From->size, sizeof(T)));
  return true;
}
/// As much of \p From as the caller's version knows.
template <typename T> bool give(T From, T *To) {
  if (!To || To->size < sizeof(size_t))
    return false;
  From.size = To->size;
  std::memcpy(To, &From, std::min(To->size, sizeof(T)));
  return true;
}

/// Beside this library or where it is installed.
std::string programBesideUs(const std::string &Name) {
  Dl_info Info;
  std::string Folder = ".";
  if (::dladdr(reinterpret_cast<const void *>(&kpack_jit_version), &Info) &&
      Info.dli_fname) {
    char *Real = ::realpath(Info.dli_fname, nullptr);
    Folder = Real ? Real : Info.dli_fname;
    ::free(Real);
    Folder = Folder.substr(0, Folder.rfind('/'));
  }
  std::string Program = "/" + Name;
  std::string Installed = std::string("/") + programsFromLibraries();
  for (const std::string &Place :
       {std::string(), Installed, std::string("/../libexec/kpack")})
    if (::access((Folder + Place + Program).c_str(), X_OK) == 0)
      return Folder + Place + Program;
  return Folder + Installed + Program; // for the message
}

kpack_jit_event_kind kindOf(CacheEvent::Kind What) {
  switch (What) {
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
  default:
    return KPACK_JIT_EVENT_WARNING;
  }
}

CacheCallback eventCallback(kpack_jit_event_callback Callback, void *User) {
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
    } catch (...) { // a C++ function's; there may be nobody to catch it
    }
  };
}

CacheOptions optionsOf(const kpack_jit_cache_options &O) {
  CacheOptions Options;
  Options.Directory = orEmpty(O.directory);
  Options.SystemDirectories = listOf(O.system_directories);
  switch (O.mode) {
  case KPACK_JIT_READ_ONLY:
    Options.Mode = CacheMode::ReadOnly;
    break;
  case KPACK_JIT_OFF:
    Options.Mode = CacheMode::Off;
    break;
  case KPACK_JIT_STRICT:
    Options.Mode = CacheMode::Strict;
    break;
  default:
    break;
  }
  if (O.max_bytes)
    Options.Limits.Bytes = O.max_bytes;
  Options.Limits.Entries = O.max_entries;
  Options.Limits.AgeSeconds = O.max_age_seconds;
  if (O.max_wait_seconds > 0)
    Options.MaxWait = O.max_wait_seconds;
  Options.PrebuildHint = orEmpty(O.prebuild_hint);
  if (O.on_event) {
    Options.OnEvent = eventCallback(O.on_event, O.user);
    Options.WithTicks = true;
  }
  return Options;
}

Result<std::shared_ptr<RemoteTier>> remoteOf(const kpack_jit_remote_options &R,
                                             const std::string &Directory) {
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
  auto Opened = RemoteTier::open(std::move(Options));
  if (!Opened)
    return Opened.status();
  return std::shared_ptr<RemoteTier>(std::move(*Opened));
}

kpack_jit_entry *entryOf(StoredEntry Stored) {
  auto E = std::make_unique<kpack_jit_entry>();
  E->Info = Stored.Info;
  E->PayloadSize = Stored.PayloadSize;
  E->Stored = std::move(Stored);
  return E.release();
}

/// The entry that \p Make gives, now or later.
kpack_jit_status deliver(kpack_jit_cache &From, unsigned Flags,
                         const std::string &Name,
                         std::function<Result<StoredEntry>()> Make,
                         kpack_jit_entry **Entry) {
  if (!(Flags & KPACK_JIT_NO_WAIT)) {
    Result<StoredEntry> Found = Make();
    if (!Found)
      return failCompile(Found.status());
    *Entry = entryOf(std::move(*Found));
    return KPACK_JIT_SUCCESS;
  }
  Result<std::optional<StoredEntry>> Found =
      From.Background.poll(Name, std::move(Make));
  if (!Found)
    return failCompile(Found.status());
  if (!*Found)
    return KPACK_JIT_PENDING;
  *Entry = entryOf(std::move(**Found));
  return KPACK_JIT_SUCCESS;
}

Result<Product> runCallback(kpack_jit_compile_callback Compile, void *User,
                            const std::string &Name) {
  kpack_jit_product P;
  int Code = 0;
  try {
    Code = Compile(&P, User);
  } catch (...) { // a C++ function's; it has no business here
    return Status(StatusCode::InvalidArgument,
                  Name + ": the compile function has thrown an exception");
  }
  if (Code != 0 || !P.IsSet)
    return Status(StatusCode::InvalidArgument,
                  !P.Message.empty() ? P.Message
                  : Code != 0        ? Name + ": does not compile"
                              : Name + ": the compile function has given "
                                       "nothing; call kpack_jit_product_set");
  return Product{std::move(P.Payload), std::move(P.Log)};
}

Result<CompileRequest> requestOf(const kpack_jit_source &S) {
  CompileRequest R;
  R.Source = orEmpty(S.source);
  R.Compiler = orEmpty(S.compiler);
  R.Name = S.name ? S.name : R.Source.substr(R.Source.rfind('/') + 1);
  R.Directory = orEmpty(S.directory);
  R.Target = orEmpty(S.target);
  SplitFlags Split = splitFlags(listOf(S.flags), R.Source, R.Directory);
  R.Lang = S.target ? Language::Hip : Split.Lang;
  R.Flags = std::move(Split.Compile);
  R.LinkFlags = std::move(Split.Link);
  for (std::string &Flag : listOf(S.link_flags))
    R.LinkFlags.push_back(std::move(Flag));
  R.Symbols = listOf(S.symbols);
  if (R.Symbols.empty())
    return Status(StatusCode::InvalidArgument,
                  R.Name + ": no symbol to export; name one at least");
  return R;
}

/// What tells one source request from another while it is in the background.
std::string nameOf(const CompileRequest &R) {
  KeyBuilder Key("kpack-jit request 1");
  for (const std::string *Text :
       {&R.Compiler, &R.Source, &R.Directory, &R.Target})
    Key.add("text", *Text);
  for (const auto *List : {&R.Flags, &R.LinkFlags, &R.Symbols}) {
    for (const std::string &Text : *List)
      Key.add("item", Text);
    Key.add("end", "");
  }
  return Key.finish().hex();
}

kpack_jit_statistics rowOf(const KernelStatistics &Row) {
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

} // namespace

const char *kpack_jit_last_error(void) { return lastError().c_str(); }
const char *kpack_jit_version(void) { return KPACK_VERSION; }

kpack_jit_status kpack_jit_key_create(const char *Schema, kpack_jit_key **Key) {
  if (!Schema || !*Schema || !Key)
    return failArgument("kpack_jit_key_create: a schema and a place for the "
                        "key are needed");
  return guarded([&] {
    *Key = new kpack_jit_key{KeyBuilder(Schema)};
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status kpack_jit_key_add(kpack_jit_key *Key, const char *Name,
                                   const void *Value, size_t Size) {
  if (!Key || !Name || (!Value && Size))
    return failArgument("kpack_jit_key_add: a key, a name and a value are "
                        "needed");
  return guarded([&] {
    Key->Builder.add(
        Name, Size ? std::string_view(static_cast<const char *>(Value), Size)
                   : std::string_view());
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status kpack_jit_key_add_file(kpack_jit_key *Key, const char *Name,
                                        const char *Path) {
  if (!Key || !Name || !Path)
    return failArgument("kpack_jit_key_add_file: a key, a name and a path are "
                        "needed");
  return guarded([&] {
    Status Added = Key->Builder.addFile(Name, Path);
    return Added.ok() ? KPACK_JIT_SUCCESS : fail(Added);
  });
}

kpack_jit_status kpack_jit_key_hex(const kpack_jit_key *Key, char Digits[65]) {
  if (!Key || !Digits)
    return failArgument("kpack_jit_key_hex: a key and a place for 65 bytes "
                        "are needed");
  return guarded([&] {
    std::string Hex = Key->Builder.finish().hex();
    std::memcpy(Digits, Hex.c_str(), Hex.size() + 1);
    return KPACK_JIT_SUCCESS;
  });
}

void kpack_jit_key_destroy(kpack_jit_key *Key) { delete Key; }

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
    auto C = std::make_unique<kpack_jit_cache>();
    CacheOptions All = optionsOf(O);
    for (const std::string &Name : listOf(O.system_owners)) {
      std::optional<uid_t> User = userNamed(Name);
      if (!User)
        return fail(KPACK_JIT_ERROR_INVALID_ARGUMENT,
                    "'" + Name + "': no such user; give a name or a number");
      All.SystemOwners.push_back(*User);
    }
    if (O.remote) {
      auto Remote = remoteOf(R, All.Directory);
      if (!Remote)
        return fail(Remote.status());
      All.Remote = std::move(*Remote);
    }
    auto Made = Cache::open(std::move(All));
    if (!Made)
      return fail(Made.status());
    C->C = std::move(*Made);
    C->Sources = std::make_unique<SourceCache>(
        *C->C, CompileService(O.compile_helper
                                  ? O.compile_helper
                                  : programBesideUs("kpack-jit-compile")));
    *Opened = C.release();
    return KPACK_JIT_SUCCESS;
  });
}

void kpack_jit_cache_close(kpack_jit_cache *C) { delete C; }

void kpack_jit_product_set(kpack_jit_product *P, const void *Bytes, size_t Size,
                           const char *Log) {
  if (!P || (!Bytes && Size))
    return;
  (void)guarded([&] {
    P->Payload.assign(static_cast<const char *>(Bytes), Size);
    P->Log = orEmpty(Log);
    P->IsSet = true;
    return KPACK_JIT_SUCCESS;
  });
}

void kpack_jit_product_fail(kpack_jit_product *P, const char *Message) {
  if (P && Message)
    (void)guarded([&] {
      P->Message = Message;
      return KPACK_JIT_SUCCESS;
    });
}

kpack_jit_status kpack_jit_get(kpack_jit_cache *From,
                               const kpack_jit_request *Request,
                               kpack_jit_compile_callback Compile, void *User,
                               unsigned Flags, kpack_jit_entry **Entry) {
  kpack_jit_request R;
  if (!From || !take(Request, R) || !R.key || !R.name || !Compile || !Entry ||
      (Flags & ~KPACK_JIT_NO_WAIT))
    return failArgument("kpack_jit_get: a cache, a request with its size, key "
                        "and name, a compile function and a place for the "
                        "entry are needed");
  return guarded([&] {
    CacheRequest Wanted;
    Wanted.Key = R.key->Builder.finish();
    Wanted.Name = R.name;
    Wanted.Kind = R.kind ? R.kind : "shared-object";
    Wanted.Target = orEmpty(R.target);
    Wanted.Symbol = orEmpty(R.symbol);
    // A result that is waiting goes first, or it would lie there for ever.
    std::string Id = Wanted.Key.hex();
    if ((Flags & KPACK_JIT_NO_WAIT) && !From->Background.isUnderWay(Id))
      if (auto Found = From->C->peek(Wanted)) {
        *Entry = entryOf(std::move(*Found));
        return KPACK_JIT_SUCCESS;
      }
    auto Make = [=] {
      return From->C->get(
          Wanted, [&] { return runCallback(Compile, User, Wanted.Name); });
    };
    return deliver(*From, Flags, Id, Make, Entry);
  });
}

kpack_jit_status kpack_jit_get_source(kpack_jit_cache *From,
                                      const kpack_jit_source *Source,
                                      unsigned Flags, kpack_jit_entry **Entry) {
  kpack_jit_source S;
  if (!From || !take(Source, S) || !S.compiler || !S.source || !Entry ||
      (Flags & ~KPACK_JIT_NO_WAIT))
    return failArgument("kpack_jit_get_source: a cache, a source with its "
                        "size, path and compiler, and a place for the entry "
                        "are needed");
  return guarded([&] {
    Result<CompileRequest> Wanted = requestOf(S);
    if (!Wanted)
      return fail(Wanted.status());
    auto Make = [From, R = *Wanted] { return From->Sources->get(R); };
    return deliver(*From, Flags, nameOf(*Wanted), Make, Entry);
  });
}

kpack_jit_status kpack_jit_entry_get_info(const kpack_jit_entry *Entry,
                                          kpack_jit_entry_info *Info) {
  if (!Entry)
    return failArgument("kpack_jit_entry_get_info: an entry is needed");
  kpack_jit_entry_info I{};
  I.payload_size = Entry->PayloadSize;
  I.name = Entry->Info.Name.c_str();
  I.kind = Entry->Info.Kind.c_str();
  I.target = Entry->Info.Target.c_str();
  I.symbol = Entry->Info.Symbol.c_str();
  I.producer = Entry->Info.Producer.c_str();
  I.log = Entry->Info.Log.c_str();
  I.created = Entry->Info.Created;
  I.compile_milliseconds = Entry->Info.CompileMilliseconds;
  return give(I, Info) ? KPACK_JIT_SUCCESS
                       : failArgument("kpack_jit_entry_get_info: a structure "
                                      "with its size is needed");
}

int kpack_jit_entry_fd(const kpack_jit_entry *Entry) {
  return Entry ? Entry->Stored.File.get() : -1;
}

kpack_jit_status kpack_jit_entry_read(const kpack_jit_entry *Entry,
                                      uint64_t Offset, void *Bytes,
                                      size_t Size) {
  if (!Entry || (!Bytes && Size) || Offset > Entry->PayloadSize ||
      Size > Entry->PayloadSize - Offset || !Entry->Stored.File)
    return failArgument("kpack_jit_entry_read: an entry that is not loaded and "
                        "a range within its payload are needed");
  for (size_t Have = 0; Have != Size;) {
    ssize_t Done =
        ::pread(Entry->Stored.File.get(), static_cast<char *>(Bytes) + Have,
                Size - Have, static_cast<off_t>(Offset + Have));
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done <= 0)
      return guarded([&] {
        return fail(KPACK_JIT_ERROR_IO,
                    Entry->Info.Name + ": the entry cannot be read; try again");
      });
    Have += static_cast<size_t>(Done);
  }
  return KPACK_JIT_SUCCESS;
}

void kpack_jit_entry_destroy(kpack_jit_entry *Entry) { delete Entry; }

kpack_jit_status kpack_jit_entry_symbol(kpack_jit_entry *Entry,
                                        const char *Symbol, void **Address) {
  if (!Entry || !Symbol || !Address)
    return failArgument("kpack_jit_entry_symbol: an entry, a symbol and a "
                        "place for the address are needed");
  return guarded([&] {
    if (!Entry->Code) {
      if (!Entry->Stored.File)
        return failArgument("kpack_jit_entry_symbol: the entry could not be "
                            "loaded before; get it again");
      Result<LoadedCode> Code = LoadedCode::load(std::move(Entry->Stored));
      Entry->Stored = StoredEntry();
      if (!Code)
        return fail(Code.status());
      Entry->Code = std::move(*Code);
    }
    Result<void *> Found = Entry->Code->symbol(Symbol);
    if (!Found)
      return fail(Found.status());
    *Address = *Found;
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status
kpack_jit_cache_get_statistics(const kpack_jit_cache *From,
                               kpack_jit_statistics *Statistics) {
  if (!From)
    return failArgument("kpack_jit_cache_get_statistics: a cache is needed");
  return guarded([&] {
    CacheStatistics Counts = From->C->statistics();
    kpack_jit_statistics S{};
    S.name = S.target = "";
    S.hits = Counts.Hits;
    S.misses = Counts.Misses;
    S.compiles = Counts.Compiles;
    S.failures = Counts.Failures;
    S.waits = Counts.Waits;
    S.fetched = Counts.Fetched;
    S.compile_milliseconds =
        static_cast<uint64_t>(Counts.CompileSeconds * 1000);
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
      kpack_jit_statistics S = rowOf(Row);
      if (Callback(&S, User) != 0)
        break;
    }
    return KPACK_JIT_SUCCESS;
  });
}
