//===- manifest-fuzzer.cpp - fuzzer of the reader of kernel manifests -----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a library or a file beside it says of its blobs. What is taken must be
// the same when it is written again, with shared words and without.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Manifest/Manifest.h"

#include <cstdlib>

using namespace kpack;
using namespace kpack::ckjit;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  // A copy of exactly this size, so that a read behind its end is seen.
  std::vector<char> Copy(Data, Data + Size);
  std::string_view Bytes(Copy.data(), Copy.size());
  Result<Manifest> Read = Manifest::parse(Bytes, "m");
  Result<BlobManifest> Blobs = BlobManifest::parse(Bytes, "m");
  check(Read.ok() == Blobs.ok());
  if (!Read) {
    check(Read.status().message() == Blobs.status().message());
    return 0;
  }
  for (const BlobRecord &Blob : Blobs->blobs())
    check(!Blob.Source.empty() && Blobs->find(Blob.Stem)->Stem == Blob.Stem);
  for (bool SharesWords : {true, false}) {
    std::string Written = Read->toJson(SharesWords);
    Result<Manifest> Again = Manifest::parse(Written, "m");
    check(Again.ok() && Again->toJson(SharesWords) == Written);
    check(Again->Entries.size() == Read->Entries.size());
  }
  return 0;
}
