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
#include "kpack/CkJit/Seam/Seam.h"
#include "kpack/ToolSupport/CommandOptions.h"
#include "kpack/ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
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
  CommandLine(StringRef Command, OptionVisibility Known,
              ArrayRef<const char *> Words, raw_ostream &Out, raw_ostream &Err)
      : S(Out, Err, "ck-jit", Session::Lines::Several),
        Options(Table, ("ck-jit " + Command).str(), Visibility(Known), Words),
        Args(Options.args()) {
    Options.takeRestAsOperands();
    if (!Options.check(S) || Args.hasArg(OPT_help))
      return;
    for (const std::string &Path : Args.getAllArgValues(OPT_index_EQ))
      if (Error E = Symbols.add(Path))
        S.error(std::move(E));
    if (Args.getAllArgValues(OPT_INPUT).empty())
      S.error("command line: no operand; " + Options.seeHelp());
  }

  void printHelp(StringRef Operands, StringRef Overview) {
    Options.printHelp(S.out(), ("[options] " + Operands).str(), Overview);
  }
  bool failed() const { return S.exitCode() != 0; }

  int write(StringRef Text) {
    return write(Args.getLastArgValue(OPT_output, "-"), Text);
  }
  int write(StringRef Path, StringRef Text) {
    if (Path == "-")
      S.out() << Text;
    else if (Error E = writeOutput(Path, Text))
      S.error(std::move(E));
    return S.exitCode();
  }

  KpackOptTable Table;
  Session S;
  CommandOptions Options;
  const InputArgList &Args;
  SymbolTable Symbols;
};

} // namespace

int ckjit::seamMain(ArrayRef<const char *> Words, raw_ostream &Out,
                    raw_ostream &Err) {
  CommandLine Line("seam", SeamOption, Words, Out, Err);
  if (Line.Args.hasArg(OPT_help)) {
    Line.printHelp("--index=<file> <object>...",
                   "Assembly with a stub for every symbol that the objects "
                   "leave undefined and a blob defines. Assemble it with cc -c "
                   "and link it beside the objects, with the manifest of "
                   "'ck-jit embed' and with -lckjit.");
    return 0;
  }
  if (!Line.failed() && Line.Symbols.size() == 0)
    Line.S.error("command line: no symbols; name an index with --index=");
  std::set<std::string> Undefined;
  if (!Line.failed())
    for (const std::string &Path : Line.Args.getAllArgValues(OPT_INPUT)) {
      Expected<std::vector<std::string>> Names = undefinedSymbols(Path);
      if (Names)
        Undefined.insert(Names->begin(), Names->end());
      else
        Line.S.error(Names.takeError());
    }
  auto IsLate = [&](const std::string &Symbol) {
    return !Line.Symbols.blobOf(Symbol).empty();
  };
  if (!Line.failed()) {
    if (Error E = checkNoData(Undefined, Line.Symbols))
      Line.S.error(std::move(E));
    else if (none_of(Undefined, IsLate))
      Line.S.error(
          Twine(Line.Args.getLastArgValue(OPT_INPUT)) +
          ": nothing in it can come late: none of its " +
          Twine(Undefined.size()) + " undefined symbols is one of the " +
          Twine(Line.Symbols.size()) +
          " functions that the index names; give the index of its blobs");
  }
  if (Line.failed())
    return 1;
  return Line.write(seamAssembly(std::move(Undefined), Line.Symbols));
}

int ckjit::embedMain(ArrayRef<const char *> Words, raw_ostream &Out,
                     raw_ostream &Err) {
  CommandLine Line("embed", EmbedOption, Words, Out, Err);
  if (Line.Args.hasArg(OPT_help)) {
    Line.printHelp("<manifest>...",
                   "The manifests of a build as a source file that a library "
                   "with stubs is linked with.");
    return 0;
  }
  std::vector<BlobRecord> Blobs;
  if (!Line.failed())
    for (const std::string &Path : Line.Args.getAllArgValues(OPT_INPUT)) {
      Expected<std::vector<BlobRecord>> Some = readManifest(Path);
      if (Some)
        Blobs.insert(Blobs.end(), Some->begin(), Some->end());
      else
        Line.S.error(Some.takeError());
    }
  if (Line.failed())
    return 1;
  EmbedOptions Options;
  Options.Name = Line.Args.getLastArgValue(OPT_name_EQ).str();
  Options.Root = Line.Args.getLastArgValue(OPT_root_EQ).str();
  Options.RootAtRunTime = Line.Args.getLastArgValue(OPT_install_root_EQ).str();
  Options.Compiler = Line.Args.getLastArgValue(OPT_compiler_EQ).str();
  Options.LinkFlags = Line.Args.getAllArgValues(OPT_link_flag_EQ);
  Expected<std::vector<BlobRecord>> Known =
      relocated(std::move(Blobs), Line.Symbols, Options);
  if (!Known) {
    Line.S.error(Known.takeError());
    return 1;
  }
  if (StringRef Path = Line.Args.getLastArgValue(OPT_json_EQ); !Path.empty()) {
    // It lies in the root, wherever that is; unless the root is fixed.
    EmbedOptions Installed = Options;
    if (!sys::path::is_absolute(Options.RootAtRunTime))
      Installed.RootAtRunTime.clear();
    if (Line.write(Path, manifestJson(*Known, Installed)))
      return 1;
  }
  return Line.write(manifestSource(*Known, Line.Symbols, Options));
}
