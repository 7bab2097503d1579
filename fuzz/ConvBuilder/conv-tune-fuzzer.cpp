//===- conv-tune-fuzzer.cpp - fuzzer of the reader of tuning results ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any bytes as a conv-tune.txt; behind an 'R', as the records of one whose
// first line is right. What is taken is written as a file that is read as the
// same, merging it with itself changes nothing, and each of its records is
// found; what is not is told in which line it is wrong.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Tuning.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

using namespace kpack;
using namespace kpack::conv;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

static bool isPlain(char C) {
  return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
         (C >= '0' && C <= '9') ||
         std::string_view("._/+-").find(C) != std::string_view::npos;
}

/// The records of \p Line of a table's text: one, as find() gives it.
static void checkRecord(const TuningTable &Table, const std::string &Line) {
  Result<TuningTable> Alone =
      TuningTable::parse("kpack-conv-tune 1\n" + Line + "\n");
  check(Alone.ok() && Alone->size() == 1);
  std::string Producer = Line.substr(Line.rfind(' ') + 1);
  check(std::all_of(Producer.begin(), Producer.end(), isPlain));
  std::string Processor = Line.substr(0, Line.find(' '));
  size_t SigAt = Processor.size() + 1, SigEnd = Line.find(' ', SigAt);
  size_t SizesEnd = Line.find(' ', SigEnd + 1);
  Result<Signature> Sig = parse<Signature>(Line.substr(SigAt, SigEnd - SigAt));
  Result<Problem> Sizes =
      parse<Problem>(Line.substr(SigEnd + 1, SizesEnd - SigEnd - 1));
  check(Sig.ok() && Sizes.ok());
  std::vector<TuningRecord> Found =
      Table.find(Processor, *Sig, *Sizes, Producer);
  check(std::any_of(Found.begin(), Found.end(),
                    [&](const TuningRecord &R) { return R.text() == Line; }));
  // Those of the producer that is asked for come first.
  check(Found.front().Producer == Producer);
}

static void read(std::string_view Bytes) {
  // A copy of exactly this size, so that a read behind its end is seen.
  std::vector<char> Copy(Bytes.begin(), Bytes.end());
  Result<TuningTable> Read =
      TuningTable::parse({Copy.data(), Copy.size()}, "file");
  if (!Read) {
    const std::string &Message = Read.status().message();
    check(Read.status().code() == StatusCode::InvalidFormat &&
          Message.starts_with("file:"));
    auto Lines = static_cast<unsigned long>(
        std::count(Bytes.begin(), Bytes.end(), '\n'));
    unsigned long Line = std::strtoul(Message.c_str() + 5, nullptr, 10);
    check(Line >= 1 && Line <= Lines + 1);
    return;
  }
  std::string Text = Read->text();
  Result<TuningTable> Again = TuningTable::parse(Text);
  check(Again.ok() && Again->text() == Text && Again->size() == Read->size());
  Again->merge(*Read);
  check(Again->text() == Text);
  // Of a long file, the first ones.
  size_t At = Text.find('\n') + 1;
  for (int I = 0; I < 16 && At < Text.size(); ++I) {
    size_t End = Text.find('\n', At);
    checkRecord(*Read, Text.substr(At, End - At));
    At = End + 1;
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string_view Bytes(reinterpret_cast<const char *>(Data), Size);
  if (Bytes.starts_with('R'))
    read("kpack-conv-tune 1\n" + std::string(Bytes.substr(1)));
  else
    read(Bytes);
  return 0;
}
