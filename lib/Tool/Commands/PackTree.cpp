//===- PackTree.cpp - kpack pack-tree: conversion of a tree ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line and messages of HostRewrite/PackTree.h: a line for each
// converted binary, and on a terminal a line with the progress. Interrupts are
// polled between steps, so that the unfinished tree is removed before the
// program ends. Sibling: Convert.cpp.
//
//===----------------------------------------------------------------------===//
#include "HostRewrite/PackTree.h"
#include "Outputs/Compression.h"
#include "Support/HeldInterrupts.h"
#include "Support/SignalWatch.h"
#include "Tool/Command.h"
#include "Tool/FileProgress.h"
#include "Tool/TargetScope.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/Output.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

namespace {
/// A name of --gfx-arches=.
struct WantedTarget {
  std::string Name;
  bool HasCode = false;
};
using WantedTargets = std::vector<WantedTarget>;
} // namespace

/// True for code for one of these, and for code that runs on one of them.
static bool isWanted(StringRef Target, WantedTargets &Wanted) {
  bool IsWanted = false;
  for (WantedTarget &W : Wanted) {
    std::string_view Text = Target;
    // "gfx90a" includes code with and without xnack.
    CodeUse Use = canonicalTarget(Text) == W.Name
                      ? CodeUse::Runs
                      : codeUse(Text, W.Name, UnsaidFeature::MayBeAnything);
    W.HasCode |= Use == CodeUse::Runs;
    IsWanted |= Use != CodeUse::None;
  }
  return IsWanted;
}

/// A name that LLVM does not know is a new GPU's if there is code for it.
static Error checkWanted(const WantedTargets &Wanted) {
  for (const WantedTarget &W : Wanted)
    if (!W.HasCode && !isKnownGpu(W.Name) && W.Name != SpirvTarget)
      return objectError("--gfx-arches=" + W.Name,
                         unknownGpu() + ", and no code is for it; "
                                        "'kpack inspect' names the targets");
  return Error::success();
}

static Error readWanted(ArrayRef<std::string> Lists, PackTreeOptions &Options) {
  auto Wanted = std::make_shared<WantedTargets>();
  for (StringRef List : Lists)
    for (StringRef Name : split(List, ',')) {
      std::string Target = canonicalTarget(std::string_view(Name));
      if (!isCodeTarget(Target))
        return objectError(("--gfx-arches=" + List).str(),
                           "'" + Name +
                               "' is no target id; give names such as "
                               "gfx1100 or gfx90a:xnack+");
      Wanted->push_back({std::move(Target)});
    }
  if (Wanted->empty())
    return Error::success();
  Options.Wants = [Wanted](StringRef Target) {
    return isWanted(Target, *Wanted);
  };
  Options.Check = [Wanted] { return checkWanted(*Wanted); };
  return Error::success();
}

static Error readNames(const InputArgList &Args, PackTreeOptions &Options) {
  SmallString<256> Real;
  StringRef Default = "tree";
  if (!sys::fs::real_path(Options.Input, Real) && Real != "/")
    Default = sys::path::filename(Real);
  Options.GroupName = Args.getLastArgValue(OPT_group_name_EQ, Default).str();
  if (Error E = checkNamePart("--group-name=", Options.GroupName))
    return E;
  const Arg *Family = Args.getLastArg(OPT_gfx_arch_family_EQ);
  if (!Family)
    return Error::success();
  Options.Family = Family->getValue();
  return checkNamePart("--gfx-arch-family=", Options.Family);
}

/// Accepts the names of the RFC and those of the linker.
static Error readCompression(const InputArgList &Args,
                             ArchiveWriterOptions &Options) {
  if (const Arg *A = Args.getLastArg(OPT_compression_EQ)) {
    StringRef Scheme = A->getValue();
    if (Scheme == "zstd-per-kernel")
      Scheme = "zstd";
    if (Error E = parseCompression(A->getSpelling(), Scheme, Options))
      return E;
  }
  if (const Arg *A = Args.getLastArg(OPT_threads))
    if (Error E = parseThreads(A->getSpelling(), A->getValue(), Options))
      return E;
  const Arg *Level = Args.getLastArg(OPT_compression_level_EQ);
  if (!Level)
    return Error::success();
  if (StringRef(Level->getValue()).getAsInteger(10, Options.Level) ||
      Options.Level < 1 || Options.Level > 22)
    return objectError("--compression-level=" + std::string(Level->getValue()),
                       "is no level; use 1 to 22");
  return Error::success();
}

static Error readDebug(const InputArgList &Args, offload::DeviceDebug &Debug) {
  const Arg *A = Args.getLastArg(OPT_device_debug_EQ);
  if (!A)
    return Error::success();
  std::optional<offload::DeviceDebug> Mode =
      offload::parseDeviceDebug(A->getValue());
  if (!Mode)
    return objectError(A->getSpelling().str() + A->getValue(),
                       "is neither keep, strip nor split; give one of them");
  Debug = *Mode;
  return Error::success();
}

static Expected<PackTreeOptions> makeOptions(const InputArgList &Args) {
  if (Args.hasArg(OPT_INPUT))
    return objectError("command line",
                       "'" + Args.getLastArgValue(OPT_INPUT) +
                           "' is no option; name the folders by --input= and "
                           "--output=");
  PackTreeOptions Options;
  Options.Input = Args.getLastArgValue(OPT_input_EQ).str();
  Options.Output = Args.getLastArgValue(OPT_output).str();
  if (Options.Input.empty() || Options.Output.empty())
    return objectError("command line", "give the tree by --input=<folder> and "
                                       "where it goes by --output=<folder>");
  if (Error E = readNames(Args, Options))
    return std::move(E);
  if (Error E = readCompression(Args, Options.Archives))
    return std::move(E);
  if (Error E = readWanted(Args.getAllArgValues(OPT_gfx_arches_EQ), Options))
    return std::move(E);
  if (Error E = readDebug(Args, Options.Debug))
    return std::move(E);
  Options.KeepFat = Args.hasArg(OPT_keep_fat, OPT_keep_going);
  StringRef Databases = Args.getLastArgValue(OPT_databases_EQ, "keep");
  if (Databases != "keep" && Databases != "pack")
    return objectError("--databases=" + Databases.str(),
                       "is neither keep nor pack; give one of them");
  Options.PackDatabases = Databases == "pack";
  return Options;
}

static void printLine(Session &S, StringRef Name, const Conversion &One) {
  S.out() << printable(Name) << ": " << counted(One.WrapperCount, "wrapper")
          << ", " << counted(One.Targets.size(), "architecture") << ", "
          << One.InputSize << " -> " << One.OutputSize << " bytes\n";
}

static void printResult(Session &S, const PackTreeOptions &Options,
                        const PackedTree &Done, bool Json) {
  if (Json)
    return printJson(S.out(), "kpack.pack-tree/1", [&](json::OStream &J) {
      J.attribute("input", jsonText(Options.Input));
      J.attribute("output", jsonText(Options.Output));
      J.attribute("group", jsonText(Options.GroupName));
      J.attribute("entries", Done.EntryCount);
      J.attribute("converted", Done.ConvertedCount);
      J.attribute("database_files", Done.PackedCount);
      J.attribute("left_out", Done.LeftOutCount);
      J.attribute("fat_size", Done.FatSize);
      J.attribute("host_size", Done.HostSize);
      J.attribute("archive_size", Done.ArchiveSize);
      attributeTexts(J, "archives", Done.ArchivePaths);
      attributeTexts(J, "without_code", Done.WithoutCode);
      J.attributeArray("failures", [&] {
        for (const FatFile &Fat : Done.StayedFat)
          J.object([&] {
            J.attribute("path", jsonText(Fat.Name));
            J.attribute("reason", jsonText(Fat.Why));
          });
      });
    });
  S.out() << printable(Options.Output) << ": " << Done.ConvertedCount << " of "
          << Done.EntryCount << " entries converted, ";
  if (Done.PackedCount)
    S.out() << counted(Done.PackedCount, "database file") << " packed, ";
  if (Done.LeftOutCount)
    S.out() << counted(Done.LeftOutCount, "file")
            << " of other targets left out, ";
  S.out() << Done.FatSize << " -> " << Done.HostSize << " bytes and "
          << Done.ArchiveSize << " in "
          << counted(Done.ArchivePaths.size(), "archive") << '\n';
}

/// Programs that do not load code objects in the ways that the shim supports
/// get an error of the runtime.
static void noteReferences(Session &S, const PackedTree &Done) {
  if (Done.PackedCount)
    S.note(counted(Done.PackedCount, "database file") +
           " packed: libkpack_hip.so, in front of the HIP runtime, loads them "
           "by their names or from mapped files; keep files that programs read "
           "into memory of their own");
}

namespace {
/// Reports unchanged files of databases, and binaries. A tree that is packed
/// already has hundreds with one reason, which become one note unless
/// --verbose asks for all.
class KeptFiles {
public:
  KeptFiles(Session &S, bool TellsAll) : S(S), TellsAll(TellsAll) {}
  void add(StringRef Name, const std::string &Why);
  /// Reports the files that add() has not reported.
  void tell();

private:
  struct Group {
    std::string Reason, FirstName, FirstWhy;
    size_t Count;
  };
  void tellOne(StringRef Name, StringRef Why) {
    S.note(Name + ": stays as it is: " + Why);
  }

  Session &S;
  bool TellsAll;
  /// In the order of the files.
  std::vector<Group> Groups;
};
} // namespace

void KeptFiles::add(StringRef Name, const std::string &Why) {
  if (TellsAll)
    return tellOne(Name, Why);
  // The reason follows the path, which ends in the name.
  StringRef Reason = Why;
  std::string Head = (Name + ": ").str();
  if (size_t Offset = Reason.find(Head); Offset != StringRef::npos)
    Reason = Reason.drop_front(Offset + Head.size());
  auto Same =
      llvm::find_if(Groups, [&](const Group &G) { return G.Reason == Reason; });
  if (Same != Groups.end())
    ++Same->Count;
  else
    Groups.push_back({Reason.str(), Name.str(), Why, 1});
}

void KeptFiles::tell() {
  for (const Group &G : Groups)
    if (G.Count == 1)
      tellOne(G.FirstName, G.FirstWhy);
    else
      S.note(Twine(G.Count) + " files stay as they are, " + G.FirstName +
             " first: " + G.Reason + " (-v names all)");
}

/// Packs the tree and reports to \p S.
static Expected<PackedTree> pack(Session &S, PackTreeOptions &Options,
                                 const InputArgList &Args) {
  bool Json = Args.hasArg(OPT_json);
  bool TellsAll = Args.hasArg(OPT_verbose);
  bool KeepsGoing = Args.hasArg(OPT_keep_going);
  FileProgress Progress(S.err());
  Options.OnFile = [&](size_t Index, size_t Count, StringRef Name) {
    Progress.show(Index, Count, Name);
  };
  Options.OnConverted = [&](StringRef Name, const Conversion &One) {
    Progress.clear();
    if (!Json)
      printLine(S, Name, One);
    for (const std::string &Loss : One.Losses)
      S.note(Loss);
  };
  Options.OnFat = [&](StringRef Name, StringRef Why) {
    Progress.clear();
    if (Options.KeepFat && !KeepsGoing)
      S.note(Name + ": stays fat: " + Why);
    else
      S.error(Why);
  };
  KeptFiles Kept(S, TellsAll);
  Options.OnKept = [&](StringRef Name, Error Why) {
    Progress.clear();
    Kept.add(Name, toString(std::move(Why)));
  };
  Expected<PackedTree> Done = packTree(Options);
  Progress.clear();
  Kept.tell();
  return Done;
}

static void report(Session &S, const PackTreeOptions &Options,
                   const PackedTree &Done, bool Json) {
  printResult(S, Options, Done, Json);
  noteReferences(S, Done);
  if (!Done.ClosedBy.empty())
    S.note(Done.ClosedBy +
           ": not all users may read it, so they cannot read the archives "
           "either, which have the code of other files, too; 'chmod a+r' it "
           "and pack the tree again where they are to");
}

/// Returns the final message after failures with --keep-going, with all names.
static std::string toList(const PackTreeOptions &Options,
                          const PackedTree &Done) {
  std::string Text = Options.Output + ": written, but with " +
                     counted(Done.StayedFat.size(), "file") +
                     " as in the input, since they cannot be converted: ";
  ListSeparator Comma;
  for (const FatFile &Fat : Done.StayedFat) {
    Text += Comma;
    Text += Fat.Name;
  }
  return Text;
}

static void runPackTree(Invocation &I) {
  Expected<PackTreeOptions> Options = makeOptions(I.Args);
  if (!Options)
    return I.S.error(Options.takeError());
  bool Json = I.json();
  int Signal = 0;
  {
    SignalWatch Signals(interruptSet());
    Options->IsInterrupted = [&] { return Signals.caught() != 0; };
    Expected<PackedTree> Done = pack(I.S, *Options, I.Args);
    Signal = Signals.caught();
    if (!Done)
      I.S.error(Done.takeError());
    else
      report(I.S, *Options, *Done, Json);
    if (Done && !Done->StayedFat.empty() && I.Args.hasArg(OPT_keep_going))
      I.S.error(toList(*Options, *Done));
    // The output is complete, so a signal comes too late; but SIGPIPE means
    // that the output was not read.
    if (Done && Signal != SIGPIPE)
      Signal = 0;
  }
  if (Signal != 0)
    ::raise(Signal);
}

const Command tool::PackTreeCommand = {
    {"pack-tree", "--input=<folder> --output=<folder>",
     "take the device code out of all binaries of a tree",
     "copy a tree, with the device code of all its binaries in shared "
     "archives\n\n"
     "Fat programs and libraries become host-only ones, as by 'kpack convert'; "
     "everything\nelse is copied. The archives are .kpack/<group>_<target>"
     ".kpack in the output, or one,\n.kpack/<group>-<family>.kpack, with "
     "--gfx-arch-family=. The output appears as a whole\nor not at all; the "
     "input stays as it is.",
     "  $ kpack pack-tree --input=build/dist/rocm --output=packed/rocm "
     "--group-name=rocm\n"
     "  $ kpack pack-tree --input=dist --output=packed "
     "--gfx-arch-family=gfx110X "
     "\\\n      --gfx-arches=gfx1100,gfx1101,gfx1102 --compression-level=19\n",
     PackTreeOption},
    runPackTree};
