//===- json-fuzzer.cpp - fuzzer of the JSON reader and writer -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input is JSON, and then a text of any bytes. A value that is read is
// written, and what was written is the same value; a value that is skipped is
// one that can be read, and the other way round.
//
//===----------------------------------------------------------------------===//
#include "kpack/Support/Json.h"

#include <cstdint>
#include <cstdlib>

using namespace kpack;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

/// The next value, written anew. Numbers and words are written as they were.
static bool rewrite(JsonReader &R, std::string_view Whole, std::string &To) {
  std::vector<std::string> Items;
  std::string Text;
  switch (R.next()) {
  case '"':
    if (!R.string(Text))
      return false;
    check(isUtf8(Text) && Text.find('\0') == std::string::npos);
    To = jsonString(Text);
    return true;
  case '[':
    if (!R.array([&] { return rewrite(R, Whole, Items.emplace_back()); }))
      return false;
    To = jsonArray(Items);
    return true;
  case '{': {
    // Members point to the names, which therefore must not move.
    std::vector<std::pair<std::string, std::string>> Pairs;
    if (!R.object([&](const std::string &Name) {
          return rewrite(R, Whole, Pairs.emplace_back(Name, "").second);
        }))
      return false;
    JsonMembers Members(Pairs.begin(), Pairs.end());
    To = jsonObject(Members);
    return true;
  }
  default:
    size_t Start = R.offset();
    if (!R.skip())
      return false;
    To = Whole.substr(Start, R.offset() - Start);
    return true;
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  // A copy of exactly this size, so that a read behind its end is seen.
  std::vector<char> Copy(Data, Data + Size);
  std::string_view Bytes(Copy.data(), Copy.size());
  JsonReader Skipped(Bytes), Read(Bytes);
  std::string Written, Again;
  bool IsJson = Skipped.skip();
  check(rewrite(Read, Bytes, Written) == IsJson);
  check(Read.offset() == Skipped.offset() && Read.offset() <= Size);
  if (IsJson) {
    JsonReader Anew(Written);
    check(rewrite(Anew, Written, Again) && Anew.atEnd() && Again == Written);
  }
  JsonReader Any(Bytes);
  size_t Index;
  check(!Any.index(1000, Index) || Index < 1000);
  std::string Quoted = jsonString(Bytes), Unquoted;
  JsonReader Text(Quoted);
  // A zero is written, but never read: it would end a path.
  bool HasZero = Bytes.find('\0') != std::string_view::npos;
  check(Text.string(Unquoted) == !HasZero);
  check(HasZero || !isUtf8(Bytes) || Unquoted == Bytes);
  return 0;
}
