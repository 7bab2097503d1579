//===- cache-fill.cpp - test tool: cache entries for ck-jit cache ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test tool, not installed: what programs with stubs do to a cache, without
// such a program, which could not be run under a sanitizer.
//
//   cache-fill DIR entry NAME KIND TARGET CREATED FIELD=VALUE...
//   cache-fill DIR use NAME...                  a hit or a compile, counted
//   cache-fill DIR compile COMPILER TARGET SOURCE FLAG...    as libckjit does
//
//===----------------------------------------------------------------------===//
#include "CkJit/Runtime/BlobRequest.h"
#include "Jit/Executor/Cache/SourceCache.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

static void check(const Status &S) {
  if (S.ok())
    return;
  std::fprintf(stderr, "cache-fill: error: %s\n", S.message().c_str());
  std::exit(1);
}

static void addEntry(const std::string &Directory, char **Words, int Count) {
  EntryInfo Info;
  Info.Name = Words[0];
  Info.Kind = Words[1];
  Info.Target = Words[2];
  Info.Created = std::strtoull(Words[3], nullptr, 10);
  Info.CompileMilliseconds = 1500;
  Info.Producer = "cache-fill";
  KeyBuilder Key("test 1");
  Key.add("name", Info.Name).add("target", Info.Target);
  for (int I = 4; I < Count; ++I) {
    const char *Equals = std::strchr(Words[I], '=');
    Key.add(std::string(Words[I], size_t(Equals - Words[I])), Equals + 1);
  }
  Info.Key = Key.finish();
  StoreOptions Options;
  Options.Directory = Directory;
  auto Opened = Store::open(Options);
  check(Opened.status());
  check((*Opened)->publish(Info, std::string(1000, 'x') + Info.Name));
  std::printf("%s\n", Info.Key.hex().c_str());
}

static std::unique_ptr<Cache> openCache(const std::string &Directory) {
  CacheOptions Options;
  Options.Directory = Directory;
  Options.OnEvent = [](const CacheEvent &) {};
  auto Opened = Cache::open(std::move(Options));
  check(Opened.status());
  return std::move(*Opened);
}

static void use(const std::string &Directory, char **Words, int Count) {
  auto C = openCache(Directory);
  for (int I = 0; I < Count; ++I) {
    CacheRequest Wanted;
    Wanted.Name = Words[I];
    Wanted.Target = "gfx90a";
    Wanted.Key = KeyBuilder("test 1").add("name", Wanted.Name).finish();
    const bool Fails = Wanted.Name == "broken";
    auto Entry = C->get(Wanted, [&]() -> Result<Product> {
      if (Fails)
        return Status(StatusCode::InvalidArgument, "broken: does not compile");
      return Product{"code of " + Wanted.Name, ""};
    });
    if (!Fails)
      check(Entry.status());
  }
}

static void compile(const std::string &Directory, char **Words, int Count) {
  char *Here = ::getcwd(nullptr, 0);
  ckjit::BlobRecord Blob;
  Blob.Source = Words[2];
  Blob.Stem = Blob.Source.substr(0, Blob.Source.rfind('.'));
  Blob.Directory = Here;
  Blob.Flags.assign(Words + 3, Words + Count);
  ckjit::RequestContext Context;
  Context.Root = Here;
  Context.Compiler = Words[0];
  std::free(Here);
  auto Request = ckjit::makeRequest(Blob, Context);
  check(Request.status());
  Request->Compile.Target = Words[1];
  Request->Compile.Pch = PchPolicy::Off;
  auto C = openCache(Directory);
  auto Entry =
      SourceCache(*C, CompileService(KPACK_TEST_HELPER)).get(Request->Compile);
  check(Entry.status());
  std::printf("%s\n", Entry->Info.Key.hex().c_str());
}

int main(int Count, char **Words) {
  const std::string What = Count > 3 ? Words[2] : "";
  if (What == "entry" && Count >= 7)
    addEntry(Words[1], Words + 3, Count - 3);
  else if (What == "use")
    use(Words[1], Words + 3, Count - 3);
  else if (What == "compile" && Count >= 6)
    compile(Words[1], Words + 3, Count - 3);
  else
    return 2;
  return 0;
}
