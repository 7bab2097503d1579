//===- CacheTool.cpp - ck-jit cache: command line and dispatch ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first argument selects the verb, whose options parse the rest. See also
// Options.td, CacheVerb.h, and one file for each verb.
//
//===----------------------------------------------------------------------===//
#include "CacheVerb.h"

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

static constexpr VerbMenu Menu = {
    .Program = "ck-jit cache",
    .Head = "OVERVIEW: ck-jit cache: look into the cache of compiled kernels "
            "and keep it in order\n\n"
            "USAGE: ck-jit cache <verb> [options] <operand>...\n\n"
            "VERBS:\n",
    .Tail = "\n'ck-jit cache <verb> --help' explains a verb, with examples.\n\n"
            "EXIT STATUS: 0, or 1 when anything was wrong\n",
    .NoneGiven = "no verb given",
    .NotOne = "no such verb",
    .Options = KpackOptTable::get};

CompileWords CacheInvocation::compileWords() const {
  CompileWords W;
  for (auto [Option, Target] : {std::pair(OPT_manifest_EQ, &W.Manifest),
                                {OPT_source_EQ, &W.Source},
                                {OPT_root_EQ, &W.Root},
                                {OPT_compiler_EQ, &W.Compiler},
                                {OPT_target_EQ, &W.Target}})
    *Target = Args.getLastArgValue(Option).str();
  W.Symbols = Args.getAllArgValues(OPT_symbol_EQ);
  W.Flags.assign(Options.rest().begin(), Options.rest().end());
  return W;
}

void CacheInvocation::printJson(
    StringRef Name, const std::string &Directory,
    function_ref<void(json::OStream &)> Print) const {
  kpack::printJson(S.out(), ("ck-jit.cache." + Name + "/1").str(),
                   [&](json::OStream &J) {
                     J.attribute("directory", jsonText(Directory));
                     Print(J);
                   });
}

int jittool::cacheMain(const FrontDoor &Door, ArrayRef<const char *> Args,
                       raw_ostream &Out, raw_ostream &Err) {
  const std::pair<StringRef, StringRef> Names[] = {
      {"libckjit", Door.Library},
      {"ck-jit", Door.Program},
      {"CK_JIT_", Door.Variables},
      {"ck_jit", Door.DefaultName}};
  VerbMenu OfDoor = Menu;
  OfDoor.Names = Names;
  return runCommands(OfDoor, Verbs, Args, Out, Err,
                     [&](const CacheVerb &V, Invocation &I) {
                       CacheInvocation OfVerb{I, Door};
                       V.Run(OfVerb);
                     });
}
