//===- Commands.cpp - subcommands ck-jit index and rewrite ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Command lines of the two subcommands; the options are in Options.td.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Rewrite/Commands.h"

#include "CkJit/Rewrite/Rewriter.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;
using namespace llvm::opt;

namespace {

enum OptionVisibility { IndexOption = 1 << 1, RewriteOption = 1 << 2 };

#define KPACK_OPTION_TABLE "CkJitRewriteOptions.inc"
#include "ToolSupport/OptionTable.inc"

} // namespace

static bool isBlobName(StringRef Path) {
  StringRef Extension = sys::path::extension(Path);
  return (Extension == ".cpp" || Extension == ".cu" || Extension == ".hip") &&
         !sys::path::stem(Path).ends_with("_api");
}

/// Returns the files that --blobs= names, sorted by name.
static std::vector<std::string> readBlobs(Invocation &I) {
  std::vector<std::string> Found;
  for (const std::string &Path : I.Args.getAllArgValues(OPT_blobs_EQ)) {
    if (!sys::fs::is_directory(Path)) {
      Found.push_back(Path);
      continue;
    }
    std::error_code Code;
    std::vector<std::string> Here;
    for (sys::fs::recursive_directory_iterator File(Path, Code), End;
         File != End && !Code; File.increment(Code))
      if (isBlobName(File->path()))
        Here.push_back(File->path());
    if (Code)
      I.S.error(Path + ": " + Code.message() + "; name a readable folder");
    sort(Here);
    append_range(Found, Here);
  }
  if (Found.empty() && !I.S.exitCode())
    I.S.error("command line: no blobs; name their folder with --blobs=");
  return Found;
}

static SourceOptions readSourceOptions(const Invocation &I) {
  SourceOptions Source;
  Source.Flags.assign(I.Options.rest().begin(), I.Options.rest().end());
  Source.Clang = I.Args.getLastArgValue(OPT_clang_EQ).str();
  Source.Thorough = I.Args.hasArg(OPT_thorough);
  return Source;
}

static StringRef outputOf(const Invocation &I) {
  return I.Args.getLastArgValue(OPT_output, "-");
}

static Error index(Invocation &I) {
  std::vector<std::string> Dispatchers = I.operands();
  if (Dispatchers.empty())
    I.S.error("command line: no dispatcher given; " + I.Options.seeHelp());
  std::vector<std::string> Paths = readBlobs(I);
  if (I.S.exitCode())
    return Error::success();
  SourceOptions Source = readSourceOptions(I);
  // A dispatcher's AST is the largest: it is freed before the index is built.
  std::vector<Reference> All;
  for (const std::string &Dispatcher : Dispatchers) {
    Expected<std::vector<Reference>> Some = findReferences(Dispatcher, Source);
    if (Some)
      append_range(All, *Some);
    else
      I.S.error(Some.takeError());
  }
  Expected<BlobIndex> Blobs = BlobIndex::build(Paths, Source);
  if (!Blobs)
    return Blobs.takeError();
  if (I.S.exitCode())
    return Error::success();
  for (const std::string &Miss : describeMisses(All, *Blobs))
    I.S.error(Miss);
  if (I.S.exitCode())
    return Error::success();
  if (Error E = checkAnyFound(join(Dispatchers, ", "), All, *Blobs))
    return E;
  writeResult(I.S, outputOf(I),
              formatv("{0:2}\n", toJson(Dispatchers, All, *Blobs)).str());
  return Error::success();
}

/// Prints one line for people.
static void describe(raw_ostream &OS, StringRef Path, const RewriteReport &R) {
  OS << Path << ": " << R.References << " kernels: " << R.Leaves
     << " calls in place, " << R.Helpers << " through helpers, "
     << R.Specialized << " by specialisation";
  if (R.Tables)
    OS << "; " << R.Tables << " tables with " << R.TableRows << " rows";
  OS << "; " << R.Dropped << " unused declarations dropped\n";
}

static Error rewrite(Invocation &I) {
  std::vector<std::string> Dispatchers = I.operands();
  if (Dispatchers.size() != 1)
    I.S.error("command line: one dispatcher must be given; " +
              I.Options.seeHelp());
  std::vector<std::string> Paths = readBlobs(I);
  if (I.S.exitCode())
    return Error::success();
  const std::string &Dispatcher = Dispatchers.front();
  SourceOptions Source = readSourceOptions(I);
  Expected<BlobIndex> Blobs = BlobIndex::build(Paths, Source);
  if (!Blobs)
    return Blobs.takeError();
  RewriteOptions Options;
  Options.Table = I.Args.hasArg(OPT_table);
  Options.LineDirectives = !I.Args.hasArg(OPT_no_line);
  if (const Arg *A = I.Args.getLastArg(OPT_format_EQ))
    Options.FormatStyle =
        StringRef(A->getValue()) == "none" ? "" : A->getValue();
  if (const Arg *A = I.Args.getLastArg(OPT_header_EQ))
    Options.RuntimeHeader = A->getValue();
  Expected<RewriteResult> Result =
      rewriteDispatcher(Dispatcher, *Blobs, Source, Options);
  if (!Result)
    return Result.takeError();
  writeResult(I.S, outputOf(I), Result->Code);
  if (const Arg *A = I.Args.getLastArg(OPT_report_EQ))
    writeResult(I.S, A->getValue(),
                formatv("{0:2}\n", Result->Report.toJson()).str());
  if (I.S.exitCode())
    return Error::success();
  describe(I.S.err(), Dispatcher, Result->Report);
  for (const std::string &Note : Result->Report.Notes)
    I.S.note(Note);
  return Error::success();
}

static constexpr const char *Operands =
    "--blobs=<path> <dispatcher>... -- <flags of the dispatcher's compile>";

const Command ckjit::IndexVerb = {
    {.Name = "index",
     .Operands = Operands,
     .Summary = "which blob has what a dispatcher needs",
     .Overview = "Which blob has the functions that a dispatcher refers to, as "
                 "JSON. A miss is an error.",
     .Known = IndexOption,
     .KeepsRest = true,
     .Messages = Session::Lines::Several,
     .Options = KpackOptTable::get},
    [](Invocation &I) { I.S.error(index(I)); }};

const Command ckjit::RewriteVerb = {
    {.Name = "rewrite",
     .Operands = Operands,
     .Summary = "a dispatcher with stubs",
     .Overview = "A dispatcher whose leaves call stubs: kernels are compiled "
                 "when they are first called.",
     .Known = RewriteOption,
     .KeepsRest = true,
     .Messages = Session::Lines::Several,
     .Options = KpackOptTable::get},
    [](Invocation &I) { I.S.error(rewrite(I)); }};
