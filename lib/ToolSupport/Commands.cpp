//===- Commands.cpp - commands and how they are run -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A menu and the command that is chosen have a session each: the command
// decides whether its messages have several lines, and the status of its
// errors.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Commands.h"

using namespace kpack;
using namespace llvm;

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
    S.out() << inWordsOf(Menu, Help);
    return;
  }
  Invocation I{S, Options, Options.args()};
  Run(I);
}

int kpack::runVerbs(const VerbMenu &Menu, ArrayRef<const Verb *> Verbs,
                    ArrayRef<const char *> Words, raw_ostream &Out,
                    raw_ostream &Err,
                    function_ref<void(size_t, Invocation &)> Run) {
  std::string Program = inWordsOf(Menu, Menu.Program);
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
