//===- CacheTool.cpp - ck-jit cache: command line and dispatch ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first argument chooses the verb, the rest is parsed with the options that
// the verb knows. Siblings: Options.td, Command.h, one file for each verb.
//
//===----------------------------------------------------------------------===//
#include "Command.h"

#include "kpack/JitTool/CacheTool.h"
#include "kpack/ToolSupport/CommandOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;
using namespace llvm::opt;

namespace {
#define KPACK_OPTION_TABLE "JitToolOptions.inc"
#include "kpack/ToolSupport/OptionTable.inc"
} // namespace

static const Verb *const Verbs[] = {
    &StatsVerb, &ListVerb,   &ExplainVerb, &VerifyVerb, &PruneVerb, &PinVerb,
    &UnpinVerb, &ExportVerb, &ImportVerb,  &PushVerb,   &DoctorVerb};

static void printGeneralHelp(raw_ostream &OS) {
  OS << "OVERVIEW: ck-jit cache: look into the cache of compiled kernels and "
        "keep it in order\n\n"
        "USAGE: ck-jit cache <verb> [options] <operand>...\n\n"
        "VERBS:\n";
  for (const Verb *V : Verbs)
    OS << "  " << left_justify(V->Name, 9) << V->Summary << '\n';
  OS << "\n'ck-jit cache <verb> --help' explains a verb, with examples.\n\n"
        "EXIT STATUS: 0, or 1 when anything was wrong\n";
}

static void run(Session &S, const Verb &V, ArrayRef<const char *> Words) {
  KpackOptTable Table;
  CommandOptions Options(Table, std::string("ck-jit cache ") + V.Name,
                         Visibility(V.Visibility), Words);
  if (!Options.check(S))
    return;
  if (Options.args().hasArg(OPT_help))
    return Options.printHelp(S.out(), std::string("[options] ") + V.Operands,
                             V.Overview, V.Examples);
  std::vector<std::string> Flags;
  if (V.TakesFlags)
    Flags.assign(Options.rest().begin(), Options.rest().end());
  else
    Options.takeRestAsOperands();
  Invocation I{S, Options.args(), Settings::fromEnvironment(),
               std::move(Flags)};
  V.Run(I);
}

int ckjit::cacheMain(ArrayRef<const char *> Words, raw_ostream &Out,
                     raw_ostream &Err) {
  Session S(Out, Err, "ck-jit");
  StringRef Name = Words.empty() ? "" : Words.front();
  const auto *Found =
      find_if(Verbs, [&](const Verb *V) { return Name == V->Name; });
  if (Found != std::end(Verbs))
    run(S, **Found, Words.drop_front());
  else if (Name == "--help" || Name == "-h")
    printGeneralHelp(Out);
  else if (Words.empty())
    S.error("command line: no verb given; see 'ck-jit cache --help'");
  else {
    const auto *Near = find_if(
        Verbs, [&](const Verb *V) { return Name.edit_distance(V->Name) <= 2; });
    S.error(Name + ": no such verb; " +
            (Near == std::end(Verbs)
                 ? "see 'ck-jit cache --help'"
                 : "did you mean '" + std::string((*Near)->Name) + "'?"));
  }
  return S.exitCode();
}
