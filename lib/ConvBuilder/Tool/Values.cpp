//===- Values.cpp - signatures and algorithms of a command line -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Values.h. A text that is wrong is read as both; the one that was read
// farther, or that knows what was meant, is what it should have been.
//
//===----------------------------------------------------------------------===//
#include "Values.h"

#include "kpack/Support/Files.h"
#include "kpack/Support/UniqueFd.h"
#include "kpack/ToolSupport/Errors.h"

#include <cstring>
#include <fcntl.h>

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

Expected<std::optional<Object>> conv::objectOf(const Invocation &I) {
  const opt::Arg *A = I.Args.getLastArg(OPT_as_EQ);
  if (!A)
    return std::nullopt;
  StringRef Name = A->getValue();
  if (Name == "signature")
    return Object::Signature;
  if (Name == "algorithm")
    return Object::Algorithm;
  return objectError(A->getAsString(I.Args),
                     "no such object; give signature or algorithm");
}

Expected<ValueText> ValueText::read(StringRef Word) {
  bool IsStdin = Word == "-";
  if (!IsStdin && !Word.consume_front("@"))
    return ValueText{"", Word.str()};
  ValueText Read{IsStdin ? "standard input" : Word.str(), ""};
  UniqueFd File;
  if (!IsStdin)
    File = UniqueFd(::open(Read.Source.c_str(), O_RDONLY | O_CLOEXEC));
  // Longer ones are none, and that is said.
  std::optional<std::string> Text;
  if (IsStdin || File)
    Text = readToEnd(IsStdin ? STDIN_FILENO : File.get(), MaxJson + 1);
  if (!Text)
    return objectError(Read.Source,
                       Twine("cannot read: ") + std::strerror(errno) +
                           "; give a file with a signature or an algorithm");
  Read.Text = std::move(*Text);
  return Read;
}

/// Whether the first name stands in quotes.
static bool isJson(StringRef Text) {
  return Text.ltrim().consume_front("{") &&
         Text.ltrim().drop_front().ltrim().starts_with("\"");
}

template <Described T> static TextError errorOf(StringRef Text) {
  T Ignored;
  return isJson(Text) ? parseJson(Text, Ignored) : parseText(Text, Ignored);
}

std::optional<Object> ValueText::object() const {
  TextError First = errorOf<Signature>(Text), Second = errorOf<Algorithm>(Text);
  if (!First.failed() || !Second.failed()) {
    if (First.failed() == Second.failed())
      return std::nullopt;
    return First.failed() ? Object::Algorithm : Object::Signature;
  }
  auto KnowsBetter = [](const TextError &Error) {
    return StringRef(Error.Message.view()).contains("did you mean");
  };
  bool IsAlgorithm = First.Offset == Second.Offset
                         ? KnowsBetter(Second) && !KnowsBetter(First)
                         : Second.Offset > First.Offset;
  return IsAlgorithm ? Object::Algorithm : Object::Signature;
}

template <Described T> static Expected<Value> parseAs(const ValueText &From) {
  Result<T> Read =
      isJson(From.Text) ? fromJson<T>(From.Text) : parse<T>(From.Text);
  if (Read)
    return *Read;
  std::string Message = Read.status().message();
  if (StringRef(Message).contains(" is no ") &&
      !StringRef(Message).contains("; "))
    Message += "; see 'conv-builder fields', and ops, layouts and types";
  if (From.Source.empty())
    return createStringError(inconvertibleErrorCode(), Message);
  return objectError(From.Source, Message);
}

Expected<Value> conv::parseValue(const ValueText &From, Object Kind) {
  return Kind == Object::Signature ? parseAs<Signature>(From)
                                   : parseAs<Algorithm>(From);
}
