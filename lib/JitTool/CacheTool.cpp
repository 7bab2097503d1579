//===- CacheTool.cpp - ck-jit cache: command line and dispatch ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first argument selects the verb, whose options parse the rest. See also
// Options.td, Command.h, and one file for each verb.
//
//===----------------------------------------------------------------------===//
#include "Command.h"

#include "JitTool/CacheTool.h"
#include "ToolSupport/Output.h"

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;
using namespace llvm::opt;

namespace {
#include "ToolSupport/OptionTable.inc"
} // namespace

static const CacheVerb *const Verbs[] = {
    &StatsVerb, &ListVerb,   &ExplainVerb, &VerifyVerb, &PruneVerb, &PinVerb,
    &UnpinVerb, &ExportVerb, &ImportVerb,  &PushVerb,   &DoctorVerb};

/// Replaces our names in \p Text by those of \p Door.
static std::string inWordsOf(const FrontDoor &Door, std::string Text) {
  for (const auto &[Ours, Its] : {std::pair("libckjit", &Door.Library),
                                  {"ck-jit", &Door.Program},
                                  {"CK_JIT_", &Door.Variables},
                                  {"ck_jit", &Door.DefaultName}})
    for (size_t At = 0; (At = Text.find(Ours, At)) != std::string::npos;
         At += Its->size())
      Text.replace(At, std::strlen(Ours), *Its);
  return Text;
}

CompileWords Invocation::compileWords() const {
  CompileWords W;
  for (auto [Option, To] : {std::pair(OPT_manifest_EQ, &W.Manifest),
                            {OPT_source_EQ, &W.Source},
                            {OPT_root_EQ, &W.Root},
                            {OPT_compiler_EQ, &W.Compiler},
                            {OPT_target_EQ, &W.Target}})
    *To = Args.getLastArgValue(Option).str();
  W.Symbols = Args.getAllArgValues(OPT_symbol_EQ);
  W.Flags = Flags;
  return W;
}

void Invocation::printJson(StringRef Name, const std::string &Directory,
                           function_ref<void(json::OStream &)> Print) const {
  kpack::printJson(S.out(), ("ck-jit.cache." + Name + "/1").str(),
                   [&](json::OStream &J) {
                     J.attribute("directory", jsonText(Directory));
                     Print(J);
                   });
}

static void run(Session &S, const FrontDoor &Door, const CacheVerb &V,
                ArrayRef<const char *> Words) {
  KpackOptTable Table;
  CommandOptions Options(Table, Door.Program + " cache", V, Words);
  if (!Options.check(S))
    return;
  if (Options.asksForHelp()) {
    std::string Help;
    raw_string_ostream OS(Help);
    Options.printHelp(OS);
    S.out() << inWordsOf(Door, Help);
    return;
  }
  std::vector<std::string> Flags;
  if (V.TakesFlags)
    Flags.assign(Options.rest().begin(), Options.rest().end());
  else
    Options.takeRestAsOperands();
  Invocation I{S, Door, Options, Options.args(), std::move(Flags)};
  V.Run(I);
}

int jittool::cacheMain(const FrontDoor &Door, ArrayRef<const char *> Words,
                       raw_ostream &Out, raw_ostream &Err) {
  Session S(Out, Err, Door.Program);
  std::string Program = Door.Program + " cache",
              Head = inWordsOf(
                  Door,
                  "OVERVIEW: ck-jit cache: look into the cache of compiled "
                  "kernels and keep it in order\n\n"
                  "USAGE: ck-jit cache <verb> [options] <operand>...\n\n"
                  "VERBS:\n"),
              Tail = inWordsOf(Door, "\n'ck-jit cache <verb> --help' explains "
                                     "a verb, with examples.\n\n"
                                     "EXIT STATUS: 0, or 1 when anything was "
                                     "wrong\n");
  VerbMenu Menu{Program.c_str(), Head.c_str(), Tail.c_str(), "no verb given",
                "no such verb"};
  if (std::optional<size_t> Chosen = chooseVerb(S, Menu, Verbs, Words))
    run(S, Door, *Verbs[*Chosen], Words.drop_front());
  return S.exitCode();
}
