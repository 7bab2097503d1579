//===- Diff.cpp - conv-builder diff: differing fields ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the fields in which two values differ. The exit status is that of
// diff(1), for scripts: 0 equal, 1 different, 2 trouble.
//
//===----------------------------------------------------------------------===//
#include "Values.h"

#include "ToolSupport/Output.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

static void print(Session &S, ArrayRef<Difference> Found, bool Json) {
  if (!Json) {
    for (const Difference &One : Found)
      S.out() << One.text() << '\n';
    return;
  }
  printJson(S.out(), "conv-builder.diff/1", [&](json::OStream &J) {
    J.attribute("equal", Found.empty());
    J.attributeArray("differences", [&] {
      for (const Difference &One : Found)
        J.object([&] {
          J.attribute("path", One.Path);
          J.attribute("old", One.Old);
          J.attribute("new", One.New);
        });
    });
  });
}

static Error differentObjects() {
  return createStringError(
      inconvertibleErrorCode(),
      "command line: values of two kinds cannot be compared; give two "
      "signatures, algorithms or problems");
}

/// Reads both values; fails if they are of different kinds.
static Expected<std::vector<Value>> readBoth(const Invocation &I) {
  std::vector<std::string> Operands = I.operands();
  Expected<std::optional<Object>> Kind = findObject(I);
  if (!Kind)
    return Kind.takeError();
  std::vector<ValueText> Texts;
  for (const std::string &Word : Operands) {
    Expected<ValueText> Input = ValueText::read(Word);
    if (!Input)
      return Input.takeError();
    Texts.push_back(std::move(*Input));
  }
  // The kind of an empty value is that of the other one.
  std::optional<Object> First = Texts[0].object(), Second = Texts[1].object();
  if (!*Kind && First && Second && *First != *Second)
    return differentObjects();
  Object ObjectKind = *Kind    ? **Kind
                      : First  ? *First
                      : Second ? *Second
                               : Object::Signature;
  std::vector<Value> Both;
  for (const ValueText &Input : Texts) {
    Expected<Value> Read = parseValue(Input, ObjectKind);
    if (!Read)
      return Read.takeError();
    Both.push_back(std::move(*Read));
  }
  return Both;
}

static void run(Invocation &I) {
  std::vector<std::string> Operands = I.operands();
  if (Operands.size() != 2)
    return I.S.error("command line: " + counted(Operands.size(), "value") +
                     " given; give two, " + I.Options.seeHelp());
  if (Operands[0] == "-" && Operands[1] == "-")
    return I.S.error("standard input: cannot be read twice; give '-' once");
  Expected<std::vector<Value>> Both = readBoth(I);
  if (!Both)
    return I.S.error(Both.takeError());
  std::vector<Difference> Found = std::visit(
      [&](const auto &Old) {
        return diff(Old, std::get<std::decay_t<decltype(Old)>>((*Both)[1]));
      },
      (*Both)[0]);
  print(I.S, Found, I.json());
  if (!Found.empty())
    I.S.setFailed();
}

const Command conv::DiffVerb = {
    {.Name = "diff",
     .Operands = "<old> <new>",
     .Summary = "which fields of two values differ",
     .Overview = "A line for each field that differs: its path, the old value, "
                 "the new one. A part or\nan element that only one of the "
                 "values has is one line, and 'absent' in the other.\n\nEXIT "
                 "STATUS: 0 equal, 1 different, 2 trouble, as diff(1) has it",
     .Examples = "  $ conv-builder diff '{isa=MFMA,tile={m=128,n=128,k=32}}' "
                 "'{isa=MFMA,tile={m=128,n=128,k=64}}'\n"
                 "  algorithm.tile.k: 32 -> 64\n"
                 "  $ conv-builder diff @old.txt @new.txt || echo changed\n",
     .Known = DiffOption,
     .ErrorStatus = 2}, // 1: a difference
    run};
