//===- Commands.cpp - subcommand ck-jit prebuild --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the command line; the options are in Options.td, their meaning in
// docs/reference/ck-jit-prebuild.md.
//
//===----------------------------------------------------------------------===//
#include "Prebuild.h"
#include "TraceFolder.h"

#include "CkJit/Prebuild/Commands.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;
using namespace llvm::opt;

namespace {

enum OptionVisibility {
  ListOption = 1 << 1,
  BuildOption = 1 << 2,
  CleanOption = 1 << 3,
  ReportOption = 1 << 4
};

#define KPACK_OPTION_TABLE "CkJitPrebuildOptions.inc"
#include "ToolSupport/OptionTable.inc"

Error badCommandLine(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(),
                           "command line: " + Message +
                               "; see 'ck-jit prebuild --help'");
}

Error readNames(const InputArgList &Args, Choice &Chosen) {
  StringSet<> Seen;
  auto Add = [&](std::string Stem) {
    if (Seen.insert(Stem).second)
      Chosen.Stems.push_back(std::move(Stem));
  };
  for (const std::string &Name : Args.getAllArgValues(OPT_INPUT)) {
    Expected<std::string> Stem = parseStem(Name);
    if (!Stem)
      return Stem.takeError();
    Add(std::move(*Stem));
  }
  for (const std::string &Path : Args.getAllArgValues(OPT_blob_list_EQ)) {
    Expected<std::vector<std::string>> Stems = readBlobList(Path);
    if (!Stems)
      return Stems.takeError();
    for (std::string &Stem : *Stems)
      Add(std::move(Stem));
  }
  return Error::success();
}

Expected<Choice> readChoice(const InputArgList &Args) {
  Choice Chosen;
  auto Text = [&](OptionId Option) {
    return Args.getLastArgValue(Option).str();
  };
  Chosen.From.Manifest = Text(OPT_manifest_EQ);
  Chosen.From.Library = Text(OPT_library_EQ);
  Chosen.From.CacheDir = Text(OPT_cache_dir_EQ);
  Chosen.From.Root = Text(OPT_root_EQ);
  Chosen.From.Compiler = Text(OPT_compiler_EQ);
  Chosen.From.LinkFlags = Args.getAllArgValues(OPT_link_flag_EQ);
  if (!Chosen.From.Manifest.empty() && !Chosen.From.Library.empty())
    return badCommandLine("--manifest and --library: name one of them");
  if (Error E = readNames(Args, Chosen))
    return std::move(E);
  for (const std::string &Where : Args.getAllArgValues(OPT_where_EQ)) {
    Expected<Predicate> P = parsePredicate(Where);
    if (!P)
      return P.takeError();
    Chosen.Where.push_back(std::move(*P));
  }
  for (const std::string &Target : Args.getAllArgValues(OPT_target_EQ)) {
    if (!isValidTargetId(Target))
      return badCommandLine("--target=" + Target +
                            ": no target id, such as gfx90a:xnack-");
    Chosen.Targets.push_back(Target);
  }
  Chosen.All = Args.hasArg(OPT_all);
  Chosen.Json = Args.hasArg(OPT_json);
  Chosen.DryRun = Args.hasArg(OPT_dry_run);
  Chosen.KeepGoing = Args.hasArg(OPT_keep_going);
  Chosen.Verbose = Args.hasArg(OPT_verbose);
  if (const Arg *A = Args.getLastArg(OPT_jobs_EQ))
    if (StringRef(A->getValue()).getAsInteger(10, Chosen.Jobs) ||
        Chosen.Jobs == 0 || Chosen.Jobs > 1024)
      return badCommandLine("--jobs=" + Twine(A->getValue()) +
                            ": not a number from 1 to 1024");
  if (const Arg *A = Args.getLastArg(OPT_pch_EQ)) {
    std::optional<jit::PchPolicy> Policy = jit::parsePchPolicy(A->getValue());
    if (!Policy)
      return badCommandLine("--pch=" + Twine(A->getValue()) +
                            ": not on, auto or off");
    Chosen.Pch = *Policy;
  }
  Chosen.Mode = Text(OPT_mode_EQ);
  Chosen.Ninja = Text(OPT_ninja_EQ);
  Chosen.Launcher = Text(OPT_launcher_EQ);
  Chosen.Slurm = Text(OPT_slurm_EQ);
  if (!Chosen.Ninja.empty() && !Chosen.Slurm.empty())
    return badCommandLine("--ninja and --slurm: name one of them");
  Chosen.Trace = Text(OPT_trace_EQ);
  Chosen.Stamp = Text(OPT_stamp_EQ);
  Chosen.Depfile = Text(OPT_depfile_EQ);
  return std::move(Chosen);
}

Error reportTrace(Invocation &I) {
  std::vector<std::string> Folders = I.operands();
  if (Folders.size() != 1)
    return badCommandLine("report takes one folder");
  Expected<std::vector<TraceRecord>> Records = readTrace(Folders.front());
  if (!Records)
    return Records.takeError();
  (I.json() ? printTraceJson : printTrace)(*Records, I.S.out());
  return Error::success();
}

using BlobCommand = Error(const Choice &, Source &, Session &);

Error runOnBlobs(Invocation &I, BlobCommand *Of) {
  Expected<Choice> Chosen = readChoice(I.Args);
  if (!Chosen)
    return Chosen.takeError();
  bool HasManifest =
      !Chosen->From.Manifest.empty() || !Chosen->From.Library.empty();
  if (!HasManifest && Of != cleanBlobs) {
    // As in libckjit, the environment may name it.
    const char *Named = ::secure_getenv("CK_JIT_MANIFEST");
    if (!Named || !*Named)
      return badCommandLine("no blobs; name a --manifest or a --library");
    Chosen->From.Manifest = Named;
  }
  if (Of != listBlobs && !Chosen->namesBlobs())
    return badCommandLine(
        "no blob is named; name some, or all of them with --all");
  Expected<Source> Input = openSource(Chosen->From);
  if (!Input)
    return Input.takeError();
  return Of(*Chosen, *Input, I.S);
}

template <BlobCommand *Of> void run(Invocation &I) {
  I.S.error(runOnBlobs(I, Of));
}

constexpr Command ListCommand = {
    {.Name = "list",
     .Operands = "<blob>...",
     .Summary = "which blobs there are, and which are in the cache",
     .Known = ListOption,
     .Messages = Session::Lines::Several},
    run<listBlobs>};

constexpr Command BuildCommand = {{.Name = "build",
                                   .Operands = "<blob>...",
                                   .Summary = "compile blobs into the cache",
                                   .Known = BuildOption,
                                   .Messages = Session::Lines::Several},
                                  run<buildBlobs>};

constexpr Command CleanCommand = {{.Name = "clean",
                                   .Operands = "<blob>...",
                                   .Summary = "remove blobs from the cache",
                                   .Known = CleanOption,
                                   .Messages = Session::Lines::Several},
                                  run<cleanBlobs>};

constexpr Command ReportCommand = {
    {.Name = "report",
     .Operands = "<folder>",
     .Summary = "who compiled what, of builds with --trace",
     .Known = ReportOption,
     .Messages = Session::Lines::Several},
    [](Invocation &I) { I.S.error(reportTrace(I)); }};

constexpr const Command *Commands[] = {&ListCommand, &BuildCommand,
                                       &CleanCommand, &ReportCommand};

constexpr VerbMenu Menu = {
    .Program = "ck-jit prebuild",
    .Head = "OVERVIEW: ck-jit prebuild: kernels compiled before they are "
            "called\n\n"
            "USAGE: ck-jit prebuild <command> [options] "
            "<blob>...\n\nCOMMANDS:\n",
    .Tail = "\nA <blob> is a name, with or without the source's extension, a "
            "path of a source or of a\ncached entry. 'ck-jit prebuild "
            "<command> --help' explains a command.\n",
    .NoneGiven = "list, build, clean or report is missing",
    .NotOne = "no command of 'ck-jit prebuild'",
    .Options = KpackOptTable::get,
    .Messages = Session::Lines::Several};

} // namespace

const Command ckjit::PrebuildVerb = {
    {.Name = "prebuild",
     .Summary = "blobs compiled before they are called",
     .Main = [](ArrayRef<const char *> Words, raw_ostream &Out,
                raw_ostream &Err) {
       return runCommands(Menu, Commands, Words, Out, Err);
     }}};
