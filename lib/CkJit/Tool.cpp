//===- Tool.cpp - ck-jit index, ck-jit rewrite ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Command lines of the two subcommands; the options are in Options.td.
//
//===----------------------------------------------------------------------===//
#include "kpack/CkJit/Tool.h"
#include "kpack/CkJit/Rewriter.h"
#include "kpack/ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
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
#include "CkJitOptions.inc"
#undef OPTION
};

#define KPACK_OPTION_TABLE "CkJitOptions.inc"
#include "kpack/ToolSupport/OptionTable.inc"

/// One command line, and where its messages go.
class CommandLine {
public:
  CommandLine(StringRef Command, unsigned Bits, ArrayRef<const char *> Words,
              raw_ostream &Err)
      : Err(Err), Command(Command), Known(Bits) {
    const char *const *Dashes =
        find_if(Words, [](const char *W) { return StringRef(W) == "--"; });
    unsigned MissingIndex = 0, MissingCount = 0;
    Args = Table.ParseArgs(ArrayRef(Words.begin(), Dashes), MissingIndex,
                           MissingCount, Known);
    if (Dashes != Words.end())
      Source.Flags.assign(Dashes + 1, Words.end());
    Source.Clang = Args.getLastArgValue(OPT_clang_EQ).str();
    Source.Thorough = Args.hasArg(OPT_thorough);
    if (MissingCount)
      error(Twine(Args.getArgString(MissingIndex)) +
            ": the option needs a value; see 'ck-jit " + Command + " --help'");
    for (const Arg *A : Args.filtered(OPT_UNKNOWN))
      error(A->getAsString(Args) + ": 'ck-jit " + Command +
            "' has no such option; see 'ck-jit " + Command + " --help'");
  }

  void error(const Twine &Message) {
    Err << "ck-jit: error: " << Message << '\n';
    Failed = true;
  }
  void error(Error E) {
    handleAllErrors(std::move(E),
                    [&](const ErrorInfoBase &Info) { error(Info.message()); });
  }

  void printHelp(raw_ostream &Out, StringRef Overview) {
    std::string Usage = (Twine("ck-jit ") + Command +
                         " [options] --blobs=<path> <dispatcher>... -- "
                         "<flags of the dispatcher's compile>")
                            .str();
    Table.printHelp(Out, Usage.c_str(), Overview.str().c_str(),
                    /*ShowHidden=*/false, /*ShowAllAliases=*/false, Known);
  }

  /// Files that --blobs= names, in the order of their names.
  std::vector<std::string> blobs();
  /// Writes with a temporary file that is renamed.
  void write(StringRef Path, function_ref<void(raw_ostream &)> Print,
             raw_ostream &Out);
  StringRef output() const { return Args.getLastArgValue(OPT_output, "-"); }

  KpackOptTable Table;
  raw_ostream &Err;
  StringRef Command;
  Visibility Known;
  InputArgList Args;
  SourceOptions Source;
  bool Failed = false;
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
      error(Path + ": " + Code.message() + "; name a readable folder");
    sort(Here);
    append_range(Found, Here);
  }
  if (Found.empty() && !Failed)
    error("command line: no blobs; name their folder with --blobs=");
  return Found;
}

void CommandLine::write(StringRef Path, function_ref<void(raw_ostream &)> Print,
                        raw_ostream &Out) {
  if (Path == "-")
    return Print(Out);
  std::string Text;
  raw_string_ostream OS(Text);
  Print(OS);
  if (Error E = writeOutput(Path, Text))
    error(std::move(E));
}

int ckjit::indexMain(ArrayRef<const char *> Words, raw_ostream &Out,
                     raw_ostream &Err) {
  CommandLine Line("index", IndexOption, Words, Err);
  if (Line.Args.hasArg(OPT_help)) {
    Line.printHelp(Out, "Which blob has the functions that a dispatcher refers "
                        "to, as JSON. A miss is an error.");
    return 0;
  }
  std::vector<std::string> Dispatchers = Line.Args.getAllArgValues(OPT_INPUT);
  if (Dispatchers.empty())
    Line.error("command line: no dispatcher given; see 'ck-jit index --help'");
  std::vector<std::string> Paths = Line.blobs();
  if (Line.Failed)
    return 1;
  // A dispatcher's tree is the largest: it goes before the index comes.
  std::vector<Reference> All;
  for (const std::string &Dispatcher : Dispatchers) {
    Expected<std::vector<Reference>> Some =
        findReferences(Dispatcher, Line.Source);
    if (Some)
      append_range(All, *Some);
    else
      Line.error(Some.takeError());
  }
  Expected<BlobIndex> Blobs = BlobIndex::build(Paths, Line.Source);
  if (!Blobs)
    Line.error(Blobs.takeError());
  if (Line.Failed)
    return 1;
  for (const std::string &Miss : describeMisses(All, *Blobs))
    Line.error(Miss);
  if (Line.Failed)
    return 1;
  if (Error E = checkAnyFound(join(Dispatchers, ", "), All, *Blobs)) {
    Line.error(std::move(E));
    return 1;
  }
  Line.write(
      Line.output(),
      [&](raw_ostream &OS) {
        OS << formatv("{0:2}\n", toJson(Dispatchers, All, *Blobs));
      },
      Out);
  return Line.Failed;
}

/// One line for people, and what stayed as it was.
static void describe(raw_ostream &OS, StringRef Path, const RewriteReport &R) {
  OS << Path << ": " << R.References << " kernels: " << R.Leaves
     << " calls in place, " << R.Helpers << " through helpers, "
     << R.Specialized << " by specialisation";
  if (R.Tables)
    OS << "; " << R.Tables << " tables with " << R.TableRows << " rows";
  OS << "; " << R.Dropped << " unused declarations dropped\n";
  for (const std::string &Note : R.Notes)
    OS << "ck-jit: note: " << Note << '\n';
}

int ckjit::rewriteMain(ArrayRef<const char *> Words, raw_ostream &Out,
                       raw_ostream &Err) {
  CommandLine Line("rewrite", RewriteOption, Words, Err);
  if (Line.Args.hasArg(OPT_help)) {
    Line.printHelp(Out, "A dispatcher whose leaves call stubs: kernels are "
                        "compiled when they are first called.");
    return 0;
  }
  std::vector<std::string> Dispatchers = Line.Args.getAllArgValues(OPT_INPUT);
  if (Dispatchers.size() != 1)
    Line.error("command line: one dispatcher must be given; see 'ck-jit "
               "rewrite --help'");
  std::vector<std::string> Paths = Line.blobs();
  if (Line.Failed)
    return 1;
  Expected<BlobIndex> Blobs = BlobIndex::build(Paths, Line.Source);
  if (!Blobs) {
    Line.error(Blobs.takeError());
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
    Line.error(Result.takeError());
    return 1;
  }
  Line.write(
      Line.output(), [&](raw_ostream &OS) { OS << Result->Code; }, Out);
  if (const Arg *A = Line.Args.getLastArg(OPT_report_EQ))
    Line.write(
        A->getValue(),
        [&](raw_ostream &OS) {
          OS << formatv("{0:2}\n", Result->Report.toJson());
        },
        Out);
  if (!Line.Failed)
    describe(Err, Dispatchers[0], Result->Report);
  return Line.Failed;
}
