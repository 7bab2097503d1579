//===- Commands.cpp - subcommands with options and a function -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A word within two letters of a verb is treated as a typing error, and the
// message names that verb. A menu and the command that is chosen have a session
// each: the command decides whether its messages have several lines, and the
// status of its errors.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Commands.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

using namespace kpack;
using namespace llvm;

/// Returns \p Text with the replacements of \p Menu.
static std::string inWordsFor(const VerbMenu &Menu, std::string Text) {
  for (auto [Name, Replacement] : Menu.Names)
    for (size_t Offset = 0;
         (Offset = Text.find(Name, Offset)) != std::string::npos;
         Offset += Replacement.size())
      Text.replace(Offset, Name.size(), Replacement);
  return Text;
}

static std::string menuText(const VerbMenu &Menu,
                            ArrayRef<const Verb *> Verbs) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << Menu.Head;
  for (const Verb *V : Verbs)
    if (V->Summary)
      OS << "  " << left_justify(V->Name, 11) << V->Summary << '\n';
  OS << Menu.Tail;
  return inWordsFor(Menu, std::move(Text));
}

static std::string adviceFor(const VerbMenu &Menu, ArrayRef<const Verb *> Verbs,
                             StringRef Wrong) {
  if (*Menu.Advice)
    return Menu.Advice;
  for (const Verb *V : Verbs)
    if (!Wrong.empty() && Wrong.edit_distance(V->Name) <= 2)
      return std::string("did you mean '") + V->Name + "'?";
  return "see '" + inWordsFor(Menu, Menu.Program) + " --help'";
}

/// Returns the index of the first word's verb. Returns nullopt after printing
/// the help, the version or an error.
static std::optional<size_t> chooseVerb(Session &S, const VerbMenu &Menu,
                                        ArrayRef<const Verb *> Verbs,
                                        ArrayRef<const char *> Words) {
  StringRef Name = Words.empty() ? "" : Words.front();
  const auto *Found =
      find_if(Verbs, [&](const Verb *V) { return Name == V->Name; });
  if (Found != Verbs.end())
    return Found - Verbs.begin();
  if (Name == "--help" || Name == "-h")
    S.out() << menuText(Menu, Verbs);
  else if (Name == "--version" && *Menu.Version)
    S.out() << Menu.Version;
  else
    S.error((Words.empty() ? Twine("command line: ") + Menu.NoneGiven
                           : Name + ": " + Menu.NotOne) +
            "; " + adviceFor(Menu, Verbs, Name));
  return std::nullopt;
}

/// Parses \p Words with the options of \p V, and calls \p Run if they have no
/// error and do not ask for help.
static void parseAndRun(Session &S, const VerbMenu &Menu, StringRef Program,
                        const Verb &V, ArrayRef<const char *> Words,
                        function_ref<void(Invocation &)> Run) {
  S.setErrorStatus(V.ErrorStatus ? V.ErrorStatus : Menu.ErrorStatus);
  CommandOptions Options(V.Options ? V.Options() : Menu.Options(), Program, V,
                         Words);
  if (!V.KeepsRest)
    Options.takeRestAsOperands();
  if (!Options.check(S))
    return;
  if (Options.asksForHelp()) {
    std::string Help;
    raw_string_ostream OS(Help);
    Options.printHelp(OS);
    S.out() << inWordsFor(Menu, Help);
    return;
  }
  Invocation I{S, Options, Options.args()};
  Run(I);
}

int kpack::runVerbs(const VerbMenu &Menu, ArrayRef<const Verb *> Verbs,
                    ArrayRef<const char *> Words, raw_ostream &Out,
                    raw_ostream &Err,
                    function_ref<void(size_t, Invocation &)> Run) {
  std::string Program = inWordsFor(Menu, Menu.Program);
  StringRef Name = StringRef(Program).split(' ').first;
  Session OfMenu(Out, Err, Name, Menu.Messages);
  OfMenu.setErrorStatus(Menu.ErrorStatus);
  std::optional<size_t> Chosen = chooseVerb(OfMenu, Menu, Verbs, Words);
  if (!Chosen)
    return OfMenu.exitCode();
  const Verb &V = *Verbs[*Chosen];
  if (V.Main)
    return V.Main(Words.drop_front(), Out, Err);
  Session S(Out, Err, Name, V.Messages);
  parseAndRun(S, Menu, Program, V, Words.drop_front(),
              [&](Invocation &I) { Run(*Chosen, I); });
  return S.exitCode();
}

int kpack::runCommand(const Command &Program, ArrayRef<const char *> Words,
                      raw_ostream &Out, raw_ostream &Err) {
  Session S(Out, Err, Program.Name, Program.Messages);
  parseAndRun(S, VerbMenu(), "", Program, Words, Program.Run);
  return S.exitCode();
}
