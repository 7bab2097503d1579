//===- jit-message-fuzzer.cpp - fuzzer of readers of messages, file lists -===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What helpers answer, and the lists of files that a cache keeps: what is taken
// must be the same when it is written again.
//
//===----------------------------------------------------------------------===//
#include "Jit/Store/FileSet.h"
#include "Jit/Store/Message.h"

#include <cstdlib>

using namespace kpack::jit;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  // A copy of exactly this size, so that a read behind its end is seen.
  const std::vector<char> Copy(Data, Data + Size);
  const std::string_view Bytes(Copy.data(), Copy.size());
  const std::optional<Message> M = Message::decode(Bytes);
  if (M) {
    check(M->encode() == Bytes);
    for (const auto &[Name, Value] : M->fields())
      check(!M->all(Name).empty() && M->get(Name) == M->all(Name).front());
  }
  const std::optional<FileSet> Set = FileSet::decode(Bytes);
  check(!Set || M);
  if (!Set)
    return 0;
  const std::optional<FileSet> Again = FileSet::decode(Set->encode());
  check(Again && Again->Note == Set->Note &&
        Again->files().size() == Set->files().size());
  for (size_t I = 0; I != Set->files().size(); ++I) {
    const FileRecord &A = Set->files()[I], &B = Again->files()[I];
    check(A.Path == B.Path && A.Stamp == B.Stamp && A.Hash == B.Hash);
  }
  return 0;
}
