//===- Commands.cpp - ck-jit seam, ck-jit embed ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Command lines of the two subcommands; the options are in Options.td.
//
//===----------------------------------------------------------------------===//
#include "kpack/CkJit/Seam.h"
#include "kpack/ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;
using namespace llvm::opt;

namespace {

enum OptionVisibility { SeamOption = 1 << 1, EmbedOption = 1 << 2 };

enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "CkJitSeamOptions.inc"
#undef OPTION
};

#define KPACK_OPTION_TABLE "CkJitSeamOptions.inc"
#include "kpack/ToolSupport/OptionTable.inc"

/// One command line, and where its messages go.
class CommandLine {
public:
  CommandLine(StringRef Command, unsigned Bits, ArrayRef<const char *> Words,
              raw_ostream &Err)
      : Err(Err), Command(Command), Known(Bits) {
    unsigned MissingIndex = 0, MissingCount = 0;
    Args = Table.ParseArgs(Words, MissingIndex, MissingCount, Known);
    if (MissingCount)
      error(Twine(Args.getArgString(MissingIndex)) +
            ": the option needs a value; see 'ck-jit " + Command + " --help'");
    for (const Arg *A : Args.filtered(OPT_UNKNOWN))
      error(A->getAsString(Args) + ": 'ck-jit " + Command +
            "' has no such option; see 'ck-jit " + Command + " --help'");
    if (Failed || Args.hasArg(OPT_help))
      return;
    for (const std::string &Path : Args.getAllArgValues(OPT_index_EQ))
      if (Error E = Symbols.add(Path))
        error(toString(std::move(E)));
    if (Args.getAllArgValues(OPT_INPUT).empty())
      error("command line: no operand; see 'ck-jit " + Command + " --help'");
  }

  void error(const Twine &Message) {
    Err << "ck-jit: error: " << Message << '\n';
    Failed = true;
  }

  void printHelp(raw_ostream &Out, StringRef Operands, StringRef Overview) {
    std::string Usage =
        (Twine("ck-jit ") + Command + " [options] " + Operands).str();
    Table.printHelp(Out, Usage.c_str(), Overview.str().c_str(),
                    /*ShowHidden=*/false, /*ShowAllAliases=*/false, Known);
  }

  int write(StringRef Text, raw_ostream &Out) {
    return write(Args.getLastArgValue(OPT_output, "-"), Text, Out);
  }
  int write(StringRef Path, StringRef Text, raw_ostream &Out) {
    if (Path == "-") {
      Out << Text;
      return 0;
    }
    if (Error E = writeOutput(Path, Text))
      error(toString(std::move(E)));
    return Failed;
  }

  KpackOptTable Table;
  raw_ostream &Err;
  StringRef Command;
  Visibility Known;
  InputArgList Args;
  SymbolTable Symbols;
  bool Failed = false;
};

} // namespace

int ckjit::seamMain(ArrayRef<const char *> Words, raw_ostream &Out,
                    raw_ostream &Err) {
  CommandLine Line("seam", SeamOption, Words, Err);
  if (Line.Args.hasArg(OPT_help)) {
    Line.printHelp(Out, "--index=<file> <object>...",
                   "Assembly with a stub for every symbol that the objects "
                   "leave undefined and a blob defines. Assemble it with cc -c "
                   "and link it beside the objects, with the manifest of "
                   "'ck-jit embed' and with -lckjit.");
    return 0;
  }
  if (!Line.Failed && Line.Symbols.size() == 0)
    Line.error("command line: no symbols; name an index with --index=");
  std::set<std::string> Undefined;
  if (!Line.Failed)
    for (const std::string &Path : Line.Args.getAllArgValues(OPT_INPUT)) {
      Expected<std::vector<std::string>> Names = undefinedSymbols(Path);
      if (Names)
        Undefined.insert(Names->begin(), Names->end());
      else
        Line.error(toString(Names.takeError()));
    }
  auto IsLate = [&](const std::string &Symbol) {
    return !Line.Symbols.blobOf(Symbol).empty();
  };
  if (!Line.Failed) {
    if (Error E = checkNoData(Undefined, Line.Symbols))
      Line.error(toString(std::move(E)));
    else if (none_of(Undefined, IsLate))
      Line.error(
          Twine(Line.Args.getLastArgValue(OPT_INPUT)) +
          ": nothing in it can come late: none of its " +
          Twine(Undefined.size()) + " undefined symbols is one of the " +
          Twine(Line.Symbols.size()) +
          " functions that the index names; give the index of its blobs");
  }
  if (Line.Failed)
    return 1;
  return Line.write(seamAssembly(std::move(Undefined), Line.Symbols), Out);
}

int ckjit::embedMain(ArrayRef<const char *> Words, raw_ostream &Out,
                     raw_ostream &Err) {
  CommandLine Line("embed", EmbedOption, Words, Err);
  if (Line.Args.hasArg(OPT_help)) {
    Line.printHelp(Out, "<manifest>...",
                   "The manifests of a build as a source file that a library "
                   "with stubs is linked with.");
    return 0;
  }
  std::vector<ManifestBlob> Blobs;
  if (!Line.Failed)
    for (const std::string &Path : Line.Args.getAllArgValues(OPT_INPUT)) {
      Expected<std::vector<ManifestBlob>> Some = readManifest(Path);
      if (Some)
        Blobs.insert(Blobs.end(), Some->begin(), Some->end());
      else
        Line.error(toString(Some.takeError()));
    }
  if (Line.Failed)
    return 1;
  EmbedOptions Options;
  Options.Name = Line.Args.getLastArgValue(OPT_name_EQ).str();
  Options.Root = Line.Args.getLastArgValue(OPT_root_EQ).str();
  Options.RootAtRunTime = Line.Args.getLastArgValue(OPT_install_root_EQ).str();
  Options.Compiler = Line.Args.getLastArgValue(OPT_compiler_EQ).str();
  Options.LinkFlags = Line.Args.getAllArgValues(OPT_link_flag_EQ);
  Expected<std::vector<ManifestBlob>> Known =
      relocated(std::move(Blobs), Line.Symbols, Options);
  if (!Known) {
    Line.error(toString(Known.takeError()));
    return 1;
  }
  if (StringRef Path = Line.Args.getLastArgValue(OPT_json_EQ); !Path.empty()) {
    // It lies in the root, wherever that is; unless the root is fixed.
    EmbedOptions Installed = Options;
    if (!sys::path::is_absolute(Options.RootAtRunTime))
      Installed.RootAtRunTime.clear();
    if (Line.write(Path, manifestJson(*Known, Installed), Out))
      return 1;
  }
  return Line.write(manifestSource(*Known, Options), Out);
}
