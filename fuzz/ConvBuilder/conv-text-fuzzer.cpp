//===- conv-text-fuzzer.cpp - fuzzer of the parsers of descriptors --------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any bytes as the text and as the JSON of a signature and of an algorithm, and
// as CK's name of a kernel.
// What is taken must come back from each of its own forms, short and full, and
// what is not must be told where it is wrong.
//
//===----------------------------------------------------------------------===//
#include "ConvBuilder/CkInstance.h"
#include "kpack/ConvBuilder/Describe.h"
#include "kpack/ConvBuilder/Hash.h"

#include <cstdint>
#include <cstdlib>

using namespace kpack;
using namespace kpack::conv;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

template <Described T> static void checkValue(const T &Value) {
  for (TextForm Form : {TextForm::Short, TextForm::Full}) {
    Result<T> Read = parse<T>(text(Value, Form));
    check(Read.ok() && *Read == Value && hashOf(*Read) == hashOf(Value));
    check(text(*Read, Form) == text(Value, Form));
    Result<T> OfJson = fromJson<T>(toJson(Value, Form));
    check(OfJson.ok() && *OfJson == Value);
    check(!describeTree(Value, Form).empty());
  }
  check(!describe(Value).empty() && !cxxText(Value).empty());
  check(diff(Value, Value).empty());
  check(diff(T{}, Value).empty() == (T{} == Value));
}

template <Described T>
static void checkRead(const Result<T> &Read, size_t Size) {
  if (Read)
    return checkValue(*Read);
  std::string Start = std::string(ObjectName<T>) + ": at ";
  const std::string &Message = Read.status().message();
  check(Message.starts_with(Start));
  check(std::strtoull(Message.c_str() + Start.size(), nullptr, 10) <= Size);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string_view Text(reinterpret_cast<const char *>(Data), Size);
  checkRead(parse<Signature>(Text), Size);
  checkRead(parse<Algorithm>(Text), Size);
  checkRead(parse<Problem>(Text), Size);
  checkRead(fromJson<Signature>(Text), Size);
  checkRead(fromJson<Algorithm>(Text), Size);
  checkRead(fromJson<Problem>(Text), Size);
  if (Result<CkInstance> Read = parseCkInstance(Text); Read) {
    checkValue(Read->Sig);
    checkValue(Read->How);
  } else {
    check(Read.status().message().starts_with("instance: at "));
  }
  return 0;
}
