//===- Tool.cpp - ck-jit cache: command line and dispatch -----------------===//
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
#include "kpack/CkJit/CacheTool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;
using namespace llvm::opt;

namespace {
#define KPACK_OPTION_TABLE "CkJitCacheOptions.inc"
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

static void printVerbHelp(raw_ostream &OS, const KpackOptTable &Table,
                          const Verb &V) {
  std::string Usage =
      (Twine("ck-jit cache ") + V.Name + " [options] " + V.Operands).str();
  Table.printHelp(OS, Usage.c_str(), V.Overview, /*ShowHidden=*/false,
                  /*ShowAllAliases=*/false, Visibility(V.Visibility));
  OS << "\nEXAMPLES:\n" << V.Examples;
}

/// Reports options that the verb does not know and options without their
/// value. False when there was one.
static bool checkOptions(Session &S, const KpackOptTable &Table, const Verb &V,
                         const InputArgList &Args, unsigned MissingIndex,
                         unsigned MissingCount) {
  std::string Help = (Twine("see 'ck-jit cache ") + V.Name + " --help'").str();
  if (MissingCount)
    S.error(Twine(Args.getArgString(MissingIndex)) +
            ": the option needs a value; " + Help);
  bool Good = !MissingCount;
  for (const Arg *A : Args.filtered(OPT_UNKNOWN)) {
    std::string Spelling = A->getAsString(Args), Nearest;
    bool IsNear =
        Table.findNearest(Spelling, Nearest, Visibility(V.Visibility)) <= 2;
    S.error(Spelling + ": 'ck-jit cache " + V.Name + "' has no such option; " +
            (IsNear ? "did you mean '" + Nearest + "'?" : Help));
    Good = false;
  }
  return Good;
}

static void run(Session &S, const Verb &V, ArrayRef<const char *> Words) {
  KpackOptTable Table;
  const char *const *Dashes =
      find_if(Words, [](const char *W) { return StringRef(W) == "--"; });
  unsigned MissingIndex = 0, MissingCount = 0;
  InputArgList Args =
      Table.ParseArgs(ArrayRef<const char *>(Words.begin(), Dashes),
                      MissingIndex, MissingCount, Visibility(V.Visibility));
  if (!checkOptions(S, Table, V, Args, MissingIndex, MissingCount))
    return;
  if (Args.hasArg(OPT_help))
    return printVerbHelp(S.out(), Table, V);
  Invocation I{S, Args, Settings::fromEnvironment(), {}};
  if (Dashes != Words.end())
    for (const char *Word : make_range(Dashes + 1, Words.end())) {
      if (V.TakesFlags)
        I.Flags.push_back(Word);
      else
        Args.append(new Arg(Table.getOption(OPT_INPUT), Word,
                            Args.MakeIndex(Word), Word));
    }
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
