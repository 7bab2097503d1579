//===- Commands.cpp - subcommands ck-jit seam and embed -------------------===//
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

} // namespace

/// Returns the symbols of --index=. Reports errors, and a missing operand.
static SymbolTable getSymbols(Invocation &I) {
  SymbolTable Symbols;
  for (const std::string &Path : I.Args.getAllArgValues(OPT_index_EQ))
    I.S.error(Symbols.add(Path));
  if (I.operands().empty())
    I.S.error("command line: no operand; " + I.Options.seeHelp());
  return Symbols;
}

static void write(Invocation &I, StringRef Text) {
  writeResult(I.S, I.Args.getLastArgValue(OPT_output, "-"), Text);
}

static Error seam(Invocation &I, const SymbolTable &Symbols) {
  std::vector<std::string> Operands = I.operands();
  if (Symbols.size() == 0)
    return createStringError(
        "command line: no symbols; name an index with --index=");
  std::set<std::string> Undefined;
  for (const std::string &Path : Operands) {
    Expected<ObjectSymbols> Object = symbolsOfObject(Path);
    if (Object)
      Undefined.merge(Object->Undefined);
    else
      I.S.error(Object.takeError());
  }
  if (I.S.exitCode())
    return Error::success();
  if (Error E = checkNoData(Undefined, Symbols))
    return E;
  if (none_of(Undefined, [&](const std::string &Symbol) {
        return !Symbols.getBlob(Symbol).empty();
      }))
    return objectError(
        Operands.back(),
        "nothing in it can come late: none of its " + Twine(Undefined.size()) +
            " undefined symbols is one of the " + Twine(Symbols.size()) +
            " functions that the index names; give the index "
            "of its blobs");
  write(I, seamAssembly(std::move(Undefined), Symbols));
  return Error::success();
}

static Error embed(Invocation &I, const SymbolTable &Symbols) {
  std::vector<BlobRecord> Blobs;
  for (const std::string &Path : I.operands()) {
    Expected<std::vector<BlobRecord>> Some = readManifest(Path);
    if (Some)
      append_range(Blobs, *Some);
    else
      I.S.error(Some.takeError());
  }
  if (I.S.exitCode())
    return Error::success();
  EmbedOptions Options;
  Options.Name = I.Args.getLastArgValue(OPT_name_EQ).str();
  Options.BuildRoot = I.Args.getLastArgValue(OPT_root_EQ).str();
  Options.Root = I.Args.getLastArgValue(OPT_install_root_EQ).str();
  Options.Compiler = I.Args.getLastArgValue(OPT_compiler_EQ).str();
  Options.LinkFlags = I.Args.getAllArgValues(OPT_link_flag_EQ);
  Expected<std::vector<BlobRecord>> Known =
      relocated(std::move(Blobs), Symbols, Options);
  if (!Known)
    return Known.takeError();
  if (StringRef Path = I.Args.getLastArgValue(OPT_json_EQ); !Path.empty()) {
    // The file is in the root, wherever that is; unless the root is fixed.
    EmbedOptions Installed = Options;
    if (!sys::path::is_absolute(Options.Root))
      Installed.Root.clear();
    writeResult(I.S, Path, manifestJson(*Known, Installed));
  }
  if (!I.S.exitCode())
    write(I, manifestSource(*Known, Symbols, Options));
  return Error::success();
}

template <Error (*Write)(Invocation &, const SymbolTable &)>
static void run(Invocation &I) {
  SymbolTable Symbols = getSymbols(I);
  if (!I.S.exitCode())
    I.S.error(Write(I, Symbols));
}

const Command ckjit::SeamVerb = {
    {.Name = "seam",
     .Operands = "--index=<file> <object>...",
     .Summary = "stubs for a dispatcher that stays as it is",
     .Overview = "Assembly with a stub for every symbol that the objects leave "
                 "undefined and a blob defines. Assemble it with cc -c and "
                 "link it beside the objects, with the manifest of 'ck-jit "
                 "embed' and with -lckjit.",
     .Known = SeamOption,
     .Messages = Session::Lines::Several,
     .Options = KpackOptTable::get},
    run<seam>};

const Command ckjit::EmbedVerb = {
    {.Name = "embed",
     .Operands = "<manifest>...",
     .Summary = "the manifest of a build as a source file",
     .Overview = "The manifests of a build as a source file that a library "
                 "with stubs is linked with.",
     .Known = EmbedOption,
     .Messages = Session::Lines::Several,
     .Options = KpackOptTable::get},
    run<embed>};
