//===- CApiRequests.cpp - C API: compile requests -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request is for an entry by the caller's key and function, or for the shared
// object of a source. The caller waits for it, or it runs in the background
// under a unique name: the key's digits, or a digest of the source's request.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/CApi/Handles.h"

using namespace kpack;
using namespace kpack::capi;
using namespace kpack::jit;

struct kpack_jit_product {
  std::string Payload, Log, Message;
  bool IsSet = false;
};

static kpack_jit_entry *makeEntry(StoredEntry Stored) {
  return new kpack_jit_entry{std::move(Stored), {}};
}

/// Delivers the entry that \p Make returns, now or later.
static kpack_jit_status deliver(kpack_jit_cache &Cache, unsigned Flags,
                                const std::string &Name,
                                std::function<Result<StoredEntry>()> Make,
                                kpack_jit_entry **Entry) {
  if (!(Flags & KPACK_JIT_NO_WAIT)) {
    Result<StoredEntry> Found = Make();
    if (!Found)
      return failCompile(Found.status());
    *Entry = makeEntry(std::move(*Found));
    return KPACK_JIT_SUCCESS;
  }
  Result<std::optional<StoredEntry>> Found =
      Cache.Background.poll(Name, std::move(Make));
  if (!Found)
    return failCompile(Found.status());
  if (!*Found)
    return KPACK_JIT_PENDING;
  *Entry = makeEntry(std::move(**Found));
  return KPACK_JIT_SUCCESS;
}

static Result<Product> runCallback(kpack_jit_compile_callback Compile,
                                   void *User, const std::string &Name) {
  kpack_jit_product P;
  int Code = 0;
  try {
    Code = Compile(&P, User);
  } catch (...) { // from a C++ function; must not pass through C
    return Status(StatusCode::InvalidArgument,
                  Name + ": the compile function has thrown an exception");
  }
  if (Code != 0 || !P.IsSet)
    return Status(StatusCode::InvalidArgument,
                  !P.Message.empty() ? P.Message
                  : Code != 0 ? Name + ": does not compile"
                              : Name + ": the compile function has given "
                                       "nothing; call kpack_jit_product_set");
  return Product{std::move(P.Payload), std::move(P.Log)};
}

static Result<CompileRequest> makeRequest(const kpack_jit_source &S) {
  CompileRequest R;
  R.Source = orEmpty(S.source);
  R.Compiler = orEmpty(S.compiler);
  R.Name = S.name ? S.name : R.Source.substr(R.Source.rfind('/') + 1);
  R.Directory = orEmpty(S.directory);
  R.Target = orEmpty(S.target);
  SplitFlags Split = splitFlags(toList(S.flags), R.Source, R.Directory);
  R.Lang = S.target ? Language::Hip : Split.Lang;
  R.Flags = std::move(Split.Compile);
  R.LinkFlags = std::move(Split.Link);
  for (std::string &Flag : toList(S.link_flags))
    R.LinkFlags.push_back(std::move(Flag));
  R.Symbols = toList(S.symbols);
  if (R.Symbols.empty())
    return Status(StatusCode::InvalidArgument,
                  R.Name + ": no symbol to export; name one at least");
  return R;
}

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

kpack_jit_status kpack_jit_get(kpack_jit_cache *Cache,
                               const kpack_jit_request *Request,
                               kpack_jit_compile_callback Compile, void *User,
                               unsigned Flags, kpack_jit_entry **Entry) {
  kpack_jit_request R;
  if (!Cache || !take(Request, R) || !R.key || !R.name || !Compile || !Entry ||
      (Flags & ~(KPACK_JIT_NO_WAIT | KPACK_JIT_AUXILIARY)))
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
    Wanted.Auxiliary = Flags & KPACK_JIT_AUXILIARY;
    // Deliver a waiting result first, or it would never be taken.
    std::string Id = Wanted.Key.hex();
    if ((Flags & KPACK_JIT_NO_WAIT) && !Cache->Background.isUnderWay(Id))
      if (auto Found = Cache->Sources->cache().peek(Wanted)) {
        *Entry = makeEntry(std::move(*Found));
        return KPACK_JIT_SUCCESS;
      }
    auto Make = [=] {
      return Cache->Sources->cache().get(
          Wanted, [&] { return runCallback(Compile, User, Wanted.Name); });
    };
    return deliver(*Cache, Flags, Id, Make, Entry);
  });
}

kpack_jit_status kpack_jit_get_source(kpack_jit_cache *Cache,
                                      const kpack_jit_source *Source,
                                      unsigned Flags, kpack_jit_entry **Entry) {
  kpack_jit_source S;
  if (!Cache || !take(Source, S) || !S.compiler || !S.source || !Entry ||
      (Flags & ~KPACK_JIT_NO_WAIT))
    return failArgument("kpack_jit_get_source: a cache, a source with its "
                        "size, path and compiler, and a place for the entry "
                        "are needed");
  return guarded([&] {
    Result<CompileRequest> Wanted = makeRequest(S);
    if (!Wanted)
      return fail(Wanted.status());
    auto Make = [Cache, R = *Wanted] { return Cache->Sources->get(R); };
    return deliver(*Cache, Flags, toHex(getDigest(*Wanted)), Make, Entry);
  });
}
