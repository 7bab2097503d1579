//===- Commands.cpp - ck-jit index, ck-jit rewrite ------------------------===//
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
#include "ToolSupport/CommandOptions.h"
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

constexpr const char *Operands =
    "--blobs=<path> <dispatcher>... -- <flags of the dispatcher's compile>";

constexpr Verb IndexVerb = {
    .Name = "index",
    .Operands = Operands,
    .Overview = "Which blob has the functions that a dispatcher refers to, as "
                "JSON. A miss is an error.",
    .Known = IndexOption};

constexpr Verb RewriteVerb = {
    .Name = "rewrite",
    .Operands = Operands,
    .Overview = "A dispatcher whose leaves call stubs: kernels are compiled "
                "when they are first called.",
    .Known = RewriteOption};

/// A command line and its session.
class CommandLine {
public:
  CommandLine(const Verb &V, ArrayRef<const char *> Words, raw_ostream &Out,
              raw_ostream &Err)
      : S(Out, Err, "ck-jit", Session::Lines::Several),
        Options(Table, "ck-jit", V, Words), Args(Options.args()),
        Dispatchers(Args.getAllArgValues(OPT_INPUT)) {
    Source.Flags.assign(Options.rest().begin(), Options.rest().end());
    Source.Clang = Args.getLastArgValue(OPT_clang_EQ).str();
    Source.Thorough = Args.hasArg(OPT_thorough);
  }

  int run(Error (*Command)(CommandLine &)) {
    if (Options.begin(S))
      S.error(Command(*this));
    return S.exitCode();
  }
  /// Returns the files that --blobs= names, sorted by name.
  std::vector<std::string> blobs();
  StringRef output() const { return Args.getLastArgValue(OPT_output, "-"); }
  bool failed() const { return S.exitCode() != 0; }

  KpackOptTable Table;
  Session S;
  CommandOptions Options;
  const InputArgList &Args;
  std::vector<std::string> Dispatchers;
  SourceOptions Source;
};

} // namespace

static bool isBlobName(StringRef Path) {
  StringRef Extension = sys::path::extension(Path);
  return (Extension == ".cpp" || Extension == ".cu" || Extension == ".hip") &&
         !sys::path::stem(Path).ends_with("_api");
}

std::vector<std::string> CommandLine::blobs() {
  std::vector<std::string> Found;
  for (const std::string &Path : Args.getAllArgValues(OPT_blobs_EQ)) {
    if (!sys::fs::is_directory(Path)) {
      Found.push_back(Path);
      continue;
    }
    std::error_code Code;
    std::vector<std::string> Here;
    for (sys::fs::recursive_directory_iterator I(Path, Code), End;
         I != End && !Code; I.increment(Code))
      if (isBlobName(I->path()))
        Here.push_back(I->path());
    if (Code)
      S.error(Path + ": " + Code.message() + "; name a readable folder");
    sort(Here);
    append_range(Found, Here);
  }
  if (Found.empty() && !failed())
    S.error("command line: no blobs; name their folder with --blobs=");
  return Found;
}

static Error index(CommandLine &Line) {
  if (Line.Dispatchers.empty())
    Line.S.error("command line: no dispatcher given; " +
                 Line.Options.seeHelp());
  std::vector<std::string> Paths = Line.blobs();
  if (Line.failed())
    return Error::success();
  // A dispatcher's AST is the largest: it is freed before the index is built.
  std::vector<Reference> All;
  for (const std::string &Dispatcher : Line.Dispatchers) {
    Expected<std::vector<Reference>> Some =
        findReferences(Dispatcher, Line.Source);
    if (Some)
      append_range(All, *Some);
    else
      Line.S.error(Some.takeError());
  }
  Expected<BlobIndex> Blobs = BlobIndex::build(Paths, Line.Source);
  if (!Blobs)
    return Blobs.takeError();
  if (Line.failed())
    return Error::success();
  for (const std::string &Miss : describeMisses(All, *Blobs))
    Line.S.error(Miss);
  if (Line.failed())
    return Error::success();
  if (Error E = checkAnyFound(join(Line.Dispatchers, ", "), All, *Blobs))
    return E;
  writeResult(Line.S, Line.output(),
              formatv("{0:2}\n", toJson(Line.Dispatchers, All, *Blobs)).str());
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

static Error rewrite(CommandLine &Line) {
  if (Line.Dispatchers.size() != 1)
    Line.S.error("command line: one dispatcher must be given; " +
                 Line.Options.seeHelp());
  std::vector<std::string> Paths = Line.blobs();
  if (Line.failed())
    return Error::success();
  const std::string &Dispatcher = Line.Dispatchers.front();
  Expected<BlobIndex> Blobs = BlobIndex::build(Paths, Line.Source);
  if (!Blobs)
    return Blobs.takeError();
  RewriteOptions Options;
  Options.Table = Line.Args.hasArg(OPT_table);
  Options.LineDirectives = !Line.Args.hasArg(OPT_no_line);
  if (const Arg *A = Line.Args.getLastArg(OPT_format_EQ))
    Options.FormatStyle =
        StringRef(A->getValue()) == "none" ? "" : A->getValue();
  if (const Arg *A = Line.Args.getLastArg(OPT_header_EQ))
    Options.RuntimeHeader = A->getValue();
  Expected<RewriteResult> Result =
      rewriteDispatcher(Dispatcher, *Blobs, Line.Source, Options);
  if (!Result)
    return Result.takeError();
  writeResult(Line.S, Line.output(), Result->Code);
  if (const Arg *A = Line.Args.getLastArg(OPT_report_EQ))
    writeResult(Line.S, A->getValue(),
                formatv("{0:2}\n", Result->Report.toJson()).str());
  if (Line.failed())
    return Error::success();
  describe(Line.S.err(), Dispatcher, Result->Report);
  for (const std::string &Note : Result->Report.Notes)
    Line.S.note(Note);
  return Error::success();
}

int ckjit::indexMain(ArrayRef<const char *> Words, raw_ostream &Out,
                     raw_ostream &Err) {
  return CommandLine(IndexVerb, Words, Out, Err).run(index);
}

int ckjit::rewriteMain(ArrayRef<const char *> Words, raw_ostream &Out,
                       raw_ostream &Err) {
  return CommandLine(RewriteVerb, Words, Out, Err).run(rewrite);
}
