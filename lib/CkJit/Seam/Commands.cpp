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
#include "CkJit/Seam/Seam.h"
#include "ToolSupport/CommandOptions.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;
using namespace llvm::opt;

namespace {

enum OptionVisibility { SeamOption = 1 << 1, EmbedOption = 1 << 2 };

#define KPACK_OPTION_TABLE "CkJitSeamOptions.inc"
#include "ToolSupport/OptionTable.inc"

constexpr Verb SeamVerb = {
    .Name = "seam",
    .Operands = "--index=<file> <object>...",
    .Overview = "Assembly with a stub for every symbol that the objects leave "
                "undefined and a blob defines. Assemble it with cc -c and link "
                "it beside the objects, with the manifest of 'ck-jit embed' "
                "and with -lckjit.",
    .Known = SeamOption};

constexpr Verb EmbedVerb = {
    .Name = "embed",
    .Operands = "<manifest>...",
    .Overview = "The manifests of a build as a source file that a library with "
                "stubs is linked with.",
    .Known = EmbedOption};

/// A command line and its session.
class CommandLine {
public:
  CommandLine(const Verb &V, ArrayRef<const char *> Words, raw_ostream &Out,
              raw_ostream &Err)
      : S(Out, Err, "ck-jit", Session::Lines::Several),
        Options(Table, "ck-jit", V, Words), Args(Options.args()) {
    Options.takeRestAsOperands();
    Operands = Args.getAllArgValues(OPT_INPUT);
  }

  int run(Error (*Command)(CommandLine &)) {
    if (!Options.begin(S))
      return S.exitCode();
    for (const std::string &Path : Args.getAllArgValues(OPT_index_EQ))
      S.error(Symbols.add(Path));
    if (Operands.empty())
      S.error("command line: no operand; " + Options.seeHelp());
    if (!failed())
      S.error(Command(*this));
    return S.exitCode();
  }
  bool failed() const { return S.exitCode() != 0; }
  void write(StringRef Text) {
    writeResult(S, Args.getLastArgValue(OPT_output, "-"), Text);
  }

  KpackOptTable Table;
  Session S;
  CommandOptions Options;
  const InputArgList &Args;
  std::vector<std::string> Operands;
  SymbolTable Symbols;
};

} // namespace

static Error seam(CommandLine &Line) {
  const SymbolTable &Symbols = Line.Symbols;
  if (Symbols.size() == 0)
    return createStringError(
        "command line: no symbols; name an index with --index=");
  std::set<std::string> Undefined;
  for (const std::string &Path : Line.Operands) {
    Expected<ObjectSymbols> Object = symbolsOfObject(Path);
    if (Object)
      Undefined.merge(Object->Undefined);
    else
      Line.S.error(Object.takeError());
  }
  if (Line.failed())
    return Error::success();
  if (Error E = checkNoData(Undefined, Symbols))
    return E;
  if (none_of(Undefined, [&](const std::string &Symbol) {
        return !Symbols.blobOf(Symbol).empty();
      }))
    return objectError(
        Line.Operands.back(),
        "nothing in it can come late: none of its " + Twine(Undefined.size()) +
            " undefined symbols is one of the " + Twine(Symbols.size()) +
            " functions that the index names; give the index "
            "of its blobs");
  Line.write(seamAssembly(std::move(Undefined), Symbols));
  return Error::success();
}

static Error embed(CommandLine &Line) {
  std::vector<BlobRecord> Blobs;
  for (const std::string &Path : Line.Operands) {
    Expected<std::vector<BlobRecord>> Some = readManifest(Path);
    if (Some)
      append_range(Blobs, *Some);
    else
      Line.S.error(Some.takeError());
  }
  if (Line.failed())
    return Error::success();
  EmbedOptions Options;
  Options.Name = Line.Args.getLastArgValue(OPT_name_EQ).str();
  Options.BuildRoot = Line.Args.getLastArgValue(OPT_root_EQ).str();
  Options.Root = Line.Args.getLastArgValue(OPT_install_root_EQ).str();
  Options.Compiler = Line.Args.getLastArgValue(OPT_compiler_EQ).str();
  Options.LinkFlags = Line.Args.getAllArgValues(OPT_link_flag_EQ);
  Expected<std::vector<BlobRecord>> Known =
      relocated(std::move(Blobs), Line.Symbols, Options);
  if (!Known)
    return Known.takeError();
  if (StringRef Path = Line.Args.getLastArgValue(OPT_json_EQ); !Path.empty()) {
    // The file is in the root, wherever that is; unless the root is fixed.
    EmbedOptions Installed = Options;
    if (!sys::path::is_absolute(Options.Root))
      Installed.Root.clear();
    writeResult(Line.S, Path, manifestJson(*Known, Installed));
  }
  if (!Line.failed())
    Line.write(manifestSource(*Known, Line.Symbols, Options));
  return Error::success();
}

int ckjit::seamMain(ArrayRef<const char *> Words, raw_ostream &Out,
                    raw_ostream &Err) {
  return CommandLine(SeamVerb, Words, Out, Err).run(seam);
}

int ckjit::embedMain(ArrayRef<const char *> Words, raw_ostream &Out,
                     raw_ostream &Err) {
  return CommandLine(EmbedVerb, Words, Out, Err).run(embed);
}
