//===- CommandOptions.cpp - parsed options of a command -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm::opt::OptTable does not support "--" before LLVM 21, so this file finds
// it for all versions.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/CommandOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/FileSystem.h"

using namespace kpack;
using namespace llvm;
using namespace llvm::opt;

CommandOptions::CommandOptions(const OptTable &Table, StringRef Program,
                               const Verb &Chosen,
                               ArrayRef<const char *> CommandLine)
    : Table(Table),
      Command((Program + (Program.empty() ? "" : " ") + Chosen.Name).str()),
      Of(Chosen) {
  size_t Dashes =
      find_if(CommandLine, [](StringRef Word) { return Word == "--"; }) -
      CommandLine.begin();
  Args = Table.ParseArgs(CommandLine.take_front(Dashes), MissingIndex,
                         MissingCount, Visibility(Chosen.Known));
  Rest = CommandLine.drop_front(std::min(Dashes + 1, CommandLine.size()));
}

/// Returns the option of every table that stands for operands.
static Option inputOption(const OptTable &Table) {
  for (unsigned Id = 1;; ++Id)
    if (Option O = Table.getOption(Id); O.getKind() == Option::InputClass)
      return O;
}

void CommandOptions::takeRestAsOperands() {
  for (const char *Word : Rest)
    Args.append(new Arg(inputOption(Table), Word, Args.MakeIndex(Word), Word));
  Rest = {};
}

std::vector<std::string> CommandOptions::operands() const {
  return Args.getAllArgValues(inputOption(Table).getID());
}

bool CommandOptions::check(Session &S) const {
  if (MissingCount)
    S.error(Twine(Args.getArgString(MissingIndex)) +
            ": the option needs a value; " + seeHelp());
  bool Good = !MissingCount;
  for (const Arg *A : Args) {
    if (A->getOption().getKind() != Option::UnknownClass)
      continue;
    std::string Spelling = A->getAsString(Args), Nearest;
    bool IsNear =
        Table.findNearest(Spelling, Nearest, Visibility(Of.Known)) <= 2;
    S.error(Spelling + ": '" + Command + "' has no such option; " +
            (IsNear ? "did you mean '" + Nearest + "'?" : seeHelp()));
    Good = false;
  }
  return Good;
}

bool CommandOptions::has(StringRef Name) const {
  return any_of(Args, [&](const Arg *A) {
    return A->getOption().getUnaliasedOption().getName() == Name;
  });
}

void CommandOptions::printHelp(raw_ostream &OS) const {
  Table.printHelp(OS, (Command + " [options] " + Of.Operands).c_str(),
                  *Of.Overview ? Of.Overview : Of.Summary, /*ShowHidden=*/false,
                  /*ShowAllAliases=*/false, Visibility(Of.Known));
  if (*Of.Examples)
    OS << "\nEXAMPLES:\n" << Of.Examples;
}

std::string kpack::absolutePath(StringRef Path) {
  SmallString<256> Whole(Path);
  if (!Path.empty())
    sys::fs::make_absolute(Whole);
  return std::string(Whole);
}
