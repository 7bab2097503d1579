//===- Convert.cpp - kpack convert: fat binary to host-only ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line and the messages of a conversion; HostRewrite/Convert.h does
// the work. The default names of archives are those of kpack-clang++:
// .kpack/<output>_@GFXARCH@.kpack.
//
//===----------------------------------------------------------------------===//
#include "HostRewrite/Convert.h"
#include "Outputs/Compression.h"
#include "Outputs/MadeFolders.h"
#include "Tool/Command.h"
#include "Tool/HostBinary.h"
#include "Tool/WrongFile.h"
#include "ToolSupport/Output.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <sys/stat.h>

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

static Expected<ConvertOptions> makeOptions(const InputArgList &Args,
                                            const std::string &Input) {
  ConvertOptions Options;
  Options.Input = Input;
  Options.Output = Args.getLastArgValue(OPT_output);
  bool IsInPlace = Args.hasArg(OPT_in_place);
  if (IsInPlace && !Options.Output.empty())
    return objectError("command line", "both -o and --in-place; give one");
  if (IsInPlace)
    Options.Output = Input;
  if (Options.Output.empty())
    return objectError("command line", "no -o given; name the file to write, "
                                       "or replace the input by --in-place");
  if (Options.Output == "-")
    return objectError("standard output", "a binary and its archives are "
                                          "files; name one with -o");
  if (!IsInPlace && sys::fs::equivalent(Input, Options.Output))
    return objectError(Options.Output, "is the input; say --in-place to "
                                       "replace it, or name another file");

  StringRef Output = Options.Output;
  Options.KernelName = sys::path::filename(Output);
  Options.Archives.GroupName = Args.getLastArgValue(
      OPT_group_name_EQ, sys::path::stem(Options.KernelName));
  StringRef FileName =
      Args.getLastArgValue(OPT_group_name_EQ, Options.KernelName);
  if (Error E = checkNamePart("--group-name=", FileName))
    return std::move(E);
  if (const Arg *A = Args.getLastArg(OPT_device_debug_EQ)) {
    std::optional<offload::DeviceDebug> Debug =
        offload::parseDeviceDebug(A->getValue());
    if (!Debug)
      return objectError(A->getSpelling().str() + A->getValue(),
                         "is neither keep, strip nor split; give one of them");
    Options.Debug = *Debug;
  }
  if (const Arg *A = Args.getLastArg(OPT_threads))
    if (Error E =
            parseThreads(A->getSpelling(), A->getValue(), Options.Archives))
      return std::move(E);
  if (const Arg *A = Args.getLastArg(OPT_keep_layout, OPT_compact))
    Options.Layout = A->getOption().matches(OPT_compact) ? LayoutKind::Compact
                                                         : LayoutKind::Keep;
  if (const Arg *A = Args.getLastArg(OPT_compression_EQ))
    if (Error E =
            parseCompression(A->getSpelling(), A->getValue(), Options.Archives))
      return std::move(E);
  SmallString<256> Archive;
  if (const Arg *A = Args.getLastArg(OPT_archive_dir_EQ))
    Archive = A->getValue();
  else
    sys::path::append(Archive, sys::path::parent_path(Output), ".kpack");
  sys::path::append(Archive,
                    FileName + "_" + StringRef(ArchPlaceholder) + ".kpack");
  Options.ArchivePath = Archive.str();
  return Options;
}

static StringRef nameOf(InputKind Kind) {
  switch (Kind) {
  case InputKind::Fat:
    return "converted";
  case InputKind::HostOnly:
    return "host-only already";
  case InputKind::NoDeviceCode:
    return "no device code";
  case InputKind::DebugFile:
    return "debug file";
  case InputKind::EmptyBundles:
    return "no code object";
  }
  llvm_unreachable("all kinds have a name");
}

static void printResult(Session &S, const ConvertOptions &Options,
                        const Conversion &Done,
                        const std::vector<std::string> &Notes, bool Json) {
  if (Json)
    return printJson(S.out(), "kpack.convert/1", [&](json::OStream &J) {
      J.attribute("input", jsonText(Options.Input));
      J.attribute("output", jsonText(Options.Output));
      J.attribute("result", nameOf(Done.Kind));
      J.attribute("wrappers", Done.WrapperCount);
      attributeTexts(J, "targets", Done.Targets);
      J.attribute("compact", Done.IsCompact);
      J.attribute("input_size", Done.InputSize);
      J.attribute("output_size", Done.OutputSize);
      J.attribute("device_size", Done.DeviceSize);
      attributeTexts(J, "archives", Done.ArchivePaths);
      attributeTexts(J, "removed", Done.RemovedPaths);
      attributeTexts(J, "notes", Notes);
    });
  S.out() << printable(Options.Output) << ": " << nameOf(Done.Kind);
  if (Done.Kind == InputKind::Fat)
    S.out() << ": " << counted(Done.WrapperCount, "wrapper") << ", "
            << counted(Done.Targets.size(), "architecture") << ", "
            << Done.InputSize << " -> " << Done.OutputSize << " bytes"
            << (Done.IsCompact ? ", compact" : "");
  else
    S.out() << (sys::fs::equivalent(Options.Input, Options.Output)
                    ? ", nothing to do"
                    : ", copied as it is");
  S.out() << '\n';
}

/// Returns the number of names of the file at \p Path.
static uint64_t countLinks(const std::string &Path) {
  struct stat Info;
  return ::stat(Path.c_str(), &Info) == 0 ? Info.st_nlink : 0;
}

/// Returns the older conversion at the place of the output.
static OlderBuild olderBuild(const ConvertOptions &Options) {
  Expected<HostBinary> Old = readHostBinary(Options.Output);
  if (!Old) // no file, or no binary
    return consumeError(Old.takeError()), OlderBuild();
  if (!Old->Ref || Old->Ref->KernelName != Options.KernelName)
    return {};
  OlderBuild Build;
  Build.Id = Old->Ref->ArchiveId;
  for (const SearchPath &Path : Old->SearchPaths)
    for (const FoundArchive &File : Path.Found)
      Build.Archives.push_back(File.Path);
  return Build;
}

/// True if the binary at \p Path has a marker and a search path that leads to
/// no archive.
static bool lacksArchives(const std::string &Path) {
  Expected<HostBinary> Binary = readHostBinary(Path);
  if (!Binary)
    return consumeError(Binary.takeError()), false;
  return any_of(Binary->SearchPaths,
                [](const SearchPath &Search) { return Search.Found.empty(); });
}

static void runConvert(Invocation &I) {
  std::vector<std::string> Inputs = I.operands();
  if (Inputs.size() != 1)
    return I.S.error(
        "command line: " +
        Twine(Inputs.empty() ? "no binary" : "more than one binary") +
        " given; " + I.Options.seeHelp());
  if (Error E = refuseStdin(I.Args, "a binary is copied with its owner, rights "
                                    "and times; save it to a file first"))
    return I.S.error(std::move(E));
  Expected<ConvertOptions> Options = makeOptions(I.Args, Inputs.front());
  if (!Options)
    return I.S.error(Options.takeError());
  // Code objects are ELF files, too, but have no wrappers.
  if (Error E = refuseNoBinary(Options->Input, BinaryUse::Convert))
    return I.S.error(std::move(E));
  bool IsInPlace = I.Args.hasArg(OPT_in_place);
  uint64_t Links = IsInPlace ? countLinks(Options->Input) : 0;
  Options->Replaced = olderBuild(*Options);
  MadeFolders Folders;
  if (Error E = Folders.makeFor(Options->Output))
    return I.S.error(std::move(E));
  Expected<Conversion> Done = convertFile(*Options);
  if (!Done)
    return I.S.error(Done.takeError());
  std::vector<std::string> Notes = std::move(Done->Losses);
  if (Links > 1 && Done->Kind == InputKind::Fat)
    Notes.push_back(Options->Input +
                    ": the same file has other names (hard links), which lead "
                    "to the fat one still; link them again");
  if (Done->Kind == InputKind::EmptyBundles)
    Notes.push_back(Options->Input + (IsInPlace
                                          ? ": no device code for a GPU; kept"
                                          : ": no device code for a GPU; "
                                            "copied"));
  if (Done->Kind == InputKind::HostOnly && !IsInPlace &&
      lacksArchives(Options->Output))
    Notes.push_back(
        Options->Output +
        ": its archives are not there; copy them from the place of " +
        Options->Input);
  for (const std::string &Path : Done->RemovedPaths)
    Notes.push_back(Path + ": removed with the older build of " +
                    Options->Output + " that it was for");
  for (const std::string &Note : Notes)
    I.S.note(Note);
  printResult(I.S, *Options, *Done, Notes, I.json());
}

const Command tool::ConvertCommand = {
    {"convert", "-o <file> <binary>",
     "take the device code out of a linked program or library",
     "take the device code out of a linked program or library\n\n"
     "The output is host-only and finds its device code in archives, one for "
     "each\narchitecture, as if ld.kpack had linked it. Both appear at once "
     "and as a whole;\nthe input stays as it is. A binary without device code, "
     "or one that is host-only\nalready, is copied.",
     "  $ kpack convert app -o host/app\n"
     "  $ kpack convert lib/libfoo.so.1.2 -o out/lib/libfoo.so.1.2 "
     "--archive-dir=out/.kpack\n"
     "  $ kpack convert --in-place bin/app\n",
     ConvertOption},
    runConvert};
