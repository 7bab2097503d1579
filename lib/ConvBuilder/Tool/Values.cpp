//===- Values.cpp - signatures and algorithms of a command line -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Values.h. A wrong text is parsed as each kind; the kind that parsed
// farthest, or that suggests a name, is reported.
//
//===----------------------------------------------------------------------===//
#include "Values.h"

#include "Support/Files.h"
#include "ToolSupport/Errors.h"
#include "kpack/Support/UniqueFd.h"

#include <cstring>
#include <fcntl.h>

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

Expected<std::optional<Object>> conv::findObject(const Invocation &I) {
  const opt::Arg *A = I.Args.getLastArg(OPT_as_EQ);
  if (!A)
    return std::nullopt;
  StringRef Name = A->getValue();
  if (Name == "signature")
    return Object::Signature;
  if (Name == "algorithm")
    return Object::Algorithm;
  if (Name == "problem")
    return Object::Problem;
  return objectError(A->getAsString(I.Args),
                     "no such object; give signature, algorithm or problem");
}

Expected<ValueText> ValueText::read(StringRef Word, std::uint64_t Most) {
  bool IsStdin = Word == "-";
  if (!IsStdin && !Word.consume_front("@"))
    return ValueText{"", Word.str()};
  ValueText Read{IsStdin ? "standard input" : Word.str(), ""};
  UniqueFd File;
  if (!IsStdin)
    File = UniqueFd(::open(Read.Source.c_str(), O_RDONLY | O_CLOEXEC));
  std::optional<std::string> Text;
  if (IsStdin || File)
    Text = readToEnd(IsStdin ? STDIN_FILENO : File.get(), Most + 1);
  if (!Text)
    return objectError(Read.Source, Twine("cannot read: ") +
                                        std::strerror(errno) +
                                        "; give a file with a value");
  if (Text->size() > Most)
    return objectError(Read.Source, "has more than " + Twine(Most) +
                                        " bytes; give a shorter one");
  Read.Text = std::move(*Text);
  return Read;
}

/// True if the first name is in quotes.
static bool isJson(StringRef Text) {
  return Text.ltrim().consume_front("{") &&
         Text.ltrim().drop_front().ltrim().starts_with("\"");
}

template <Described T> static TextError getError(StringRef Text) {
  T Ignored;
  return isJson(Text) ? parseJson(Text, Ignored) : parseText(Text, Ignored);
}

std::optional<Object> ValueText::object() const {
  // If no kind can be read, take the one that was read farthest, or whose names
  // are the most similar.
  auto Rank = [](const TextError &Error) {
    return std::pair(Error.failed() ? Error.Offset : SIZE_MAX,
                     StringRef(Error.Message.view()).contains("did you mean"));
  };
  std::pair<std::pair<size_t, bool>, Object> All[] = {
      {Rank(getError<Signature>(Text)), Object::Signature},
      {Rank(getError<Algorithm>(Text)), Object::Algorithm},
      {Rank(getError<Problem>(Text)), Object::Problem}};
  if (count_if(All,
               [](const auto &One) { return One.first.first == SIZE_MAX; }) > 1)
    return std::nullopt;
  return std::max_element(
             std::begin(All), std::end(All),
             [](const auto &A, const auto &B) { return A.first < B.first; })
      ->second;
}

template <Described T> static Expected<Value> parseAs(const ValueText &Input) {
  Result<T> Read =
      isJson(Input.Text) ? fromJson<T>(Input.Text) : parse<T>(Input.Text);
  if (Read)
    return *Read;
  std::string Message = Read.status().message();
  if (StringRef(Message).contains(" is no ") &&
      !StringRef(Message).contains("; "))
    Message += "; see 'conv-builder fields', and ops, layouts and types";
  if (Input.Source.empty())
    return createStringError(inconvertibleErrorCode(), Message);
  return objectError(Input.Source, Message);
}

Expected<Value> conv::parseValue(const ValueText &Input, Object Kind) {
  switch (Kind) {
  case Object::Signature:
    return parseAs<Signature>(Input);
  case Object::Algorithm:
    return parseAs<Algorithm>(Input);
  case Object::Problem:
    return parseAs<Problem>(Input);
  }
  llvm_unreachable("no other object");
}
