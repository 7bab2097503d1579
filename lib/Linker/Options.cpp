//===- Options.cpp - the command line of ld.kpack -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options.td has the table. Errors here are about our options only; lld reports
// errors in its own.
//
//===----------------------------------------------------------------------===//
#include "Options.h"

#include "Outputs/Compression.h"
#include "Outputs/SearchPath.h"
#include "ToolSupport/Errors.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::opt;
using kpack::objectError;

namespace {
#define KPACK_OPTION_TABLE "LinkerOptions.inc"
#include "ToolSupport/OptionTable.inc"

/// The flags that --push-state saves.
struct InputState {
  bool StaticOnly = false;
  bool WholeArchive = false;
};
} // namespace

namespace kpack::linker {

/// Returns lld's tokenizer for response files: --rsp-quoting=, or the host's.
static cl::TokenizerCallback
responseFileTokenizer(ArrayRef<const char *> Argv) {
  for (StringRef Argument : Argv)
    if (Argument == "--rsp-quoting=windows")
      return cl::TokenizeWindowsCommandLine;
  return cl::TokenizeGNUCommandLine;
}

static Expected<unsigned> parseNumber(const Arg &A, unsigned Min,
                                      unsigned Max) {
  unsigned Value;
  if (StringRef(A.getValue()).getAsInteger(10, Value) || Value < Min ||
      Value > Max)
    return objectError(A.getSpelling(),
                       "'" + Twine(A.getValue()) + "' is not a number from " +
                           Twine(Min) + " to " + Twine(Max) + "; give one");
  return Value;
}

static Error parseDebug(const Arg &A, LinkOptions &Options) {
  std::optional<offload::DeviceDebug> Debug =
      offload::parseDeviceDebug(A.getValue());
  if (!Debug)
    return objectError(A.getSpelling(), "'" + Twine(A.getValue()) +
                                            "' is neither keep, strip nor "
                                            "split; give one of them");
  Options.Debug = *Debug;
  return Error::success();
}

/// Checks the value of one of our options; applies those that are not strings.
static Error readOwnOption(const Arg &A, LinkOptions &Options) {
  StringRef Value = A.getValue();
  if (Value.empty())
    return objectError(A.getSpelling(), "the value is empty; give one");
  switch (A.getOption().getID()) {
  case OPT_kpack:
    // Loaders replace the first placeholder only. A placeholder in the user's
    // directory names before it does not count.
    if (StringRef(outputTemplate(Value).Text)
            .count(StringRef(ArchPlaceholder)) > 1)
      return objectError(A.getSpelling(), "'" + Value + "' has more than one " +
                                              StringRef(ArchPlaceholder) +
                                              "; loaders replace only one");
    break;
  case OPT_kpack_compression:
    return parseCompression(A.getSpelling(), Value, Options.Archives);
  case OPT_kpack_device_debug:
    return parseDebug(A, Options);
  case OPT_kpack_threads:
    return parseNumber(A, 1, 1024).moveInto(Options.Archives.Threads);
  case OPT_kpack_device_opt_level:
    return parseNumber(A, 0, 3).moveInto(Options.DeviceOptLevel);
  }
  return Error::success();
}

static bool isOwnOption(const Arg &A) {
  return A.getOption().getName().starts_with("kpack");
}

/// Collects the inputs in order, with the option state of each.
static void collectInputs(const InputArgList &Args, LinkOptions &Options) {
  InputState State;
  SmallVector<InputState, 4> Saved;
  bool InLib = false, IsBinary = false;
  for (const Arg *A : Args) {
    switch (A->getOption().getID()) {
    case OPT_INPUT:
    case OPT_library:
      // --format=binary files are data, whatever their content.
      if (!IsBinary)
        Options.Inputs.push_back({A->getValue(),
                                  A->getOption().getID() == OPT_library,
                                  State.StaticOnly, State.WholeArchive, InLib});
      break;
    case OPT_Bstatic:
    case OPT_omagic:
    case OPT_nmagic:
      State.StaticOnly = true;
      break;
    case OPT_Bdynamic:
      State.StaticOnly = false;
      break;
    case OPT_whole_archive:
      State.WholeArchive = true;
      break;
    case OPT_no_whole_archive:
      State.WholeArchive = false;
      break;
    case OPT_push_state:
      Saved.push_back(State);
      break;
    case OPT_pop_state:
      if (!Saved.empty())
        State = Saved.pop_back_val();
      break;
    case OPT_start_lib:
      InLib = true;
      break;
    case OPT_end_lib:
      InLib = false;
      break;
    case OPT_format:
      IsBinary = StringRef(A->getValue()) == "binary";
      break;
    }
  }
}

static void collectRemaps(const InputArgList &Args, LinkOptions &Options) {
  for (const Arg *A : Args.filtered(OPT_remap_inputs, OPT_remap_inputs_file)) {
    if (A->getOption().matches(OPT_remap_inputs)) {
      Options.Remaps.push_back(A->getValue());
      continue;
    }
    // lld reports a file that cannot be read.
    ErrorOr<std::unique_ptr<MemoryBuffer>> File =
        MemoryBuffer::getFile(A->getValue());
    if (!File)
      continue;
    SmallVector<StringRef> Lines;
    (*File)->getBuffer().split(Lines, '\n', -1, false);
    for (StringRef Line : Lines)
      if (!Line.trim().starts_with("#"))
        Options.Remaps.push_back(Line.trim().str());
  }
}

/// Checks that lld writes a linked ELF file with section headers, which are
/// needed to find the wrappers.
static Error checkOutputKind(const InputArgList &Args) {
  auto Refuse = [&Args](const Arg &A, const char *Why) {
    return objectError(Args.getArgString(A.getIndex()),
                       Twine(Why) + "; drop it or link without --kpack=");
  };
  for (const Arg *A : Args) {
    StringRef Value = A->getNumValues() ? A->getValue() : "";
    switch (A->getOption().getID()) {
    case OPT_z:
      if (Value == "nosectionheader")
        return objectError("-z nosectionheader",
                           "the wrappers cannot be found without section "
                           "headers; drop it or link without --kpack=");
      break;
    case OPT_oformat:
      if (Value != "binary")
        break;
      return Refuse(*A, "the output is no ELF file");
    case OPT_plugin_opt:
      if (Value != "emit-asm" && Value != "emit-llvm" &&
          !Value.starts_with("thinlto-index-only"))
        break;
      return Refuse(*A, "lld stops before it links");
    case OPT_lto_emit_asm:
    case OPT_lto_emit_llvm:
    case OPT_thinlto_index_only:
      return Refuse(*A, "lld stops before it links");
    }
  }
  return Error::success();
}

Expected<LinkOptions> parseOptions(ArrayRef<const char *> Argv,
                                   StringSaver &Saver) {
  SmallVector<const char *, 256> Expanded(Argv.begin() + 1, Argv.end());
  cl::ExpandResponseFiles(Saver, responseFileTokenizer(Argv), Expanded);

  KpackOptTable Table;
  unsigned MissingIndex, MissingCount;
  InputArgList Args = Table.ParseArgs(Expanded, MissingIndex, MissingCount);

  LinkOptions Options;
  // Each of our options is one argument; lld gets all others.
  std::vector<bool> IsOurs(Expanded.size());
  for (const Arg *A : Args) {
    StringRef Spelled = Expanded[A->getIndex()];
    if (isOwnOption(*A)) {
      IsOurs[A->getIndex()] = true;
      if (Error E = readOwnOption(*A, Options))
        return std::move(E);
    } else if (A->getOption().getID() == OPT_UNKNOWN &&
               Spelled.starts_with("--kpack")) {
      return objectError(Spelled, "unknown option; see ld.kpack --help");
    }
  }
  Options.ArchivePath = Args.getLastArgValue(OPT_kpack);
  if (is_contained(IsOurs, true) && Options.ArchivePath.empty())
    return objectError("--kpack-*", "these options say how to write an "
                                    "archive; add --kpack=FILE");

  Options.Help = Args.hasArg(OPT_help);
  Options.Version = Args.hasArg(OPT_version);
  StringRef Emulation = Args.getLastArgValue(OPT_m);
  Options.Enabled =
      !Options.ArchivePath.empty() && !Options.Help && MissingCount == 0 &&
      !Args.hasArg(OPT_relocatable, OPT_version) && Emulation != "elf64_amdgpu";
  // lld would print the map past our stream, so it gets a file name instead.
  if (Options.Enabled)
    for (const Arg *A : Args.filtered(OPT_print_map))
      IsOurs[A->getIndex()] = true;
  Options.LldArguments.push_back(Argv[0]);
  for (size_t I = 0; I != Expanded.size(); ++I)
    if (!IsOurs[I])
      Options.LldArguments.push_back(Expanded[I]);
  if (!Options.Enabled)
    return Options;

  if (Error E = checkOutputKind(Args))
    return std::move(E);
  Options.Output = Args.getLastArgValue(OPT_o, "a.out");
  Options.KernelName =
      Args.getLastArgValue(OPT_kpack_name, sys::path::filename(Options.Output));
  Options.Archives.GroupName = Args.getLastArgValue(
      OPT_kpack_group, sys::path::stem(Options.KernelName));
  Options.SearchPaths = Args.getAllArgValues(OPT_kpack_search_path);
  Options.DeviceLinkArgs = Args.getAllArgValues(OPT_kpack_device_link_arg);
  Options.MapFile = Args.hasArg(OPT_print_map) ? StringRef("-")
                                               : Args.getLastArgValue(OPT_Map);
  Options.DependencyFile = Args.getLastArgValue(OPT_dependency_file);
  Options.Sysroot = Args.getLastArgValue(OPT_sysroot);
  Options.LibraryPaths = Args.getAllArgValues(OPT_library_path);
  for (StringRef Argument : Options.LldArguments)
    if (writesBesideOutput(Argument))
      Options.HasCompanionFiles = true;
  collectInputs(Args, Options);
  collectRemaps(Args, Options);
  return Options;
}

bool writesBesideOutput(StringRef Argument) {
  return Argument.contains("save-temps") || Argument == "--time-trace";
}

void printOwnHelp(raw_ostream &OS) {
  KpackOptTable().printHelp(
      OS, "ld.kpack [options of ld.kpack] [options of lld] <file>...",
      "lld with the kpack link step: takes device code out of the inputs and "
      "writes it to archives");
}

} // namespace kpack::linker
