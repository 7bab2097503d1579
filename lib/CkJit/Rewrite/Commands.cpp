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
#include "kpack/CkJit/Rewrite/Commands.h"

#include "kpack/CkJit/Rewrite/Rewriter.h"
#include "kpack/ToolSupport/CommandOptions.h"
#include "kpack/ToolSupport/Output.h"
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

enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "CkJitRewriteOptions.inc"
#undef OPTION
};

#define KPACK_OPTION_TABLE "CkJitRewriteOptions.inc"
#include "kpack/ToolSupport/OptionTable.inc"

/// One command line, and where its messages go.
class CommandLine {
public:
  CommandLine(StringRef Command, OptionVisibility Known,
              ArrayRef<const char *> Words, raw_ostream &Out, raw_ostream &Err)
      : S(Out, Err, "ck-jit", Session::Lines::Several),
        Options(Table, ("ck-jit " + Command).str(), Visibility(Known), Words),
        Args(Options.args()) {
    Source.Flags.assign(Options.rest().begin(), Options.rest().end());
    Source.Clang = Args.getLastArgValue(OPT_clang_EQ).str();
    Source.Thorough = Args.hasArg(OPT_thorough);
    Options.check(S);
  }

  void printHelp(StringRef Overview) {
    Options.printHelp(S.out(),
                      "[options] --blobs=<path> <dispatcher>... -- <flags of "
                      "the dispatcher's compile>",
                      Overview);
  }

  /// Files that --blobs= names, in the order of their names.
  std::vector<std::string> blobs();
  /// Writes with a temporary file that is renamed.
  void write(StringRef Path, function_ref<void(raw_ostream &)> Print);
  StringRef output() const { return Args.getLastArgValue(OPT_output, "-"); }
  bool failed() const { return S.exitCode() != 0; }

  KpackOptTable Table;
  Session S;
  CommandOptions Options;
  const InputArgList &Args;
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

void CommandLine::write(StringRef Path,
                        function_ref<void(raw_ostream &)> Print) {
  if (Path == "-")
    return Print(S.out());
  std::string Text;
  raw_string_ostream OS(Text);
  Print(OS);
  if (Error E = writeOutput(Path, Text))
    S.error(std::move(E));
}

int ckjit::indexMain(ArrayRef<const char *> Words, raw_ostream &Out,
                     raw_ostream &Err) {
  CommandLine Line("index", IndexOption, Words, Out, Err);
  if (Line.Args.hasArg(OPT_help)) {
    Line.printHelp("Which blob has the functions that a dispatcher refers "
                   "to, as JSON. A miss is an error.");
    return 0;
  }
  std::vector<std::string> Dispatchers = Line.Args.getAllArgValues(OPT_INPUT);
  if (Dispatchers.empty())
    Line.S.error(
        "command line: no dispatcher given; see 'ck-jit index --help'");
  std::vector<std::string> Paths = Line.blobs();
  if (Line.failed())
    return 1;
  // A dispatcher's tree is the largest: it goes before the index comes.
  std::vector<Reference> All;
  for (const std::string &Dispatcher : Dispatchers) {
    Expected<std::vector<Reference>> Some =
        findReferences(Dispatcher, Line.Source);
    if (Some)
      append_range(All, *Some);
    else
      Line.S.error(Some.takeError());
  }
  Expected<BlobIndex> Blobs = BlobIndex::build(Paths, Line.Source);
  if (!Blobs)
    Line.S.error(Blobs.takeError());
  if (Line.failed())
    return 1;
  for (const std::string &Miss : describeMisses(All, *Blobs))
    Line.S.error(Miss);
  if (Line.failed())
    return 1;
  if (Error E = checkAnyFound(join(Dispatchers, ", "), All, *Blobs)) {
    Line.S.error(std::move(E));
    return 1;
  }
  Line.write(Line.output(), [&](raw_ostream &OS) {
    OS << formatv("{0:2}\n", toJson(Dispatchers, All, *Blobs));
  });
  return Line.S.exitCode();
}

/// One line for people.
static void describe(raw_ostream &OS, StringRef Path, const RewriteReport &R) {
  OS << Path << ": " << R.References << " kernels: " << R.Leaves
     << " calls in place, " << R.Helpers << " through helpers, "
     << R.Specialized << " by specialisation";
  if (R.Tables)
    OS << "; " << R.Tables << " tables with " << R.TableRows << " rows";
  OS << "; " << R.Dropped << " unused declarations dropped\n";
}

int ckjit::rewriteMain(ArrayRef<const char *> Words, raw_ostream &Out,
                       raw_ostream &Err) {
  CommandLine Line("rewrite", RewriteOption, Words, Out, Err);
  if (Line.Args.hasArg(OPT_help)) {
    Line.printHelp("A dispatcher whose leaves call stubs: kernels are "
                   "compiled when they are first called.");
    return 0;
  }
  std::vector<std::string> Dispatchers = Line.Args.getAllArgValues(OPT_INPUT);
  if (Dispatchers.size() != 1)
    Line.S.error("command line: one dispatcher must be given; see 'ck-jit "
                 "rewrite --help'");
  std::vector<std::string> Paths = Line.blobs();
  if (Line.failed())
    return 1;
  Expected<BlobIndex> Blobs = BlobIndex::build(Paths, Line.Source);
  if (!Blobs) {
    Line.S.error(Blobs.takeError());
    return 1;
  }
  RewriteOptions Options;
  Options.Table = Line.Args.hasArg(OPT_table);
  Options.LineDirectives = !Line.Args.hasArg(OPT_no_line);
  if (const Arg *A = Line.Args.getLastArg(OPT_format_EQ))
    Options.FormatStyle =
        StringRef(A->getValue()) == "none" ? "" : A->getValue();
  if (const Arg *A = Line.Args.getLastArg(OPT_header_EQ))
    Options.RuntimeHeader = A->getValue();
  Expected<RewriteResult> Result =
      rewriteDispatcher(Dispatchers[0], *Blobs, Line.Source, Options);
  if (!Result) {
    Line.S.error(Result.takeError());
    return 1;
  }
  Line.write(Line.output(), [&](raw_ostream &OS) { OS << Result->Code; });
  if (const Arg *A = Line.Args.getLastArg(OPT_report_EQ))
    Line.write(A->getValue(), [&](raw_ostream &OS) {
      OS << formatv("{0:2}\n", Result->Report.toJson());
    });
  if (!Line.failed()) {
    describe(Err, Dispatchers[0], Result->Report);
    for (const std::string &Note : Result->Report.Notes)
      Line.S.note(Note);
  }
  return Line.S.exitCode();
}
