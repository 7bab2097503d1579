//===- Unpack.cpp - kpack unpack: host-only binary to fat -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the archives of a host-only binary as other commands do, and in them
// the code objects of each wrapper; HostRewrite/Unpack.h does the work. The
// inverse is Convert.cpp.
//
//===----------------------------------------------------------------------===//
#include "HostRewrite/Unpack.h"
#include "Outputs/MadeFolders.h"
#include "Tool/ArchiveEntries.h"
#include "Tool/ArchivesOf.h"
#include "Tool/Command.h"
#include "Tool/WrongFile.h"
#include "ToolSupport/Output.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <map>
#include <set>

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

namespace {
/// The code objects of one binary, by the indices of its wrappers.
class BinaryObjects {
public:
  BinaryObjects(const HostBinary &Binary, const EntryFilter &Filter)
      : Binary(Binary), Filter(Filter) {}

  /// Opens all archives.
  Error open();
  Expected<std::vector<PackedObject>> of(uint32_t Index) const;

private:
  Error open(const ArchivePlace &Place);
  bool isWanted(StringRef Target) const;
  Error missing(uint32_t Index, StringRef Target) const;

  const HostBinary &Binary;
  const EntryFilter &Filter;
  std::vector<std::unique_ptr<const ArchiveReader>> Archives;
  std::map<uint64_t, std::map<std::string_view, PackedObject>> ByIndex;
};
} // namespace

Error BinaryObjects::open(const ArchivePlace &Place) {
  Result<std::unique_ptr<const ArchiveReader>> Opened =
      ArchiveReader::open(Place.Path);
  if (!Opened)
    return toError(Opened.status());
  const ArchiveReader &Archive = **Opened;
  std::string_view Id = Archive.archiveId(Place.KernelName);
  const std::string &Wanted = Binary.Ref->ArchiveId;
  bool HasOne = false;
  for (const ArchiveEntry &Entry : Archive.entries()) {
    StringRef Name = Entry.Binary;
    uint64_t Index = 0;
    if (!Binary.IsReference && !splitBinaryKey(Entry.Binary, Name, Index))
      continue;
    if (Name != Place.KernelName || !Filter.matches(Entry))
      continue;
    HasOne = true;
    ByIndex[Index].try_emplace(Entry.Arch, PackedObject{&Archive, &Entry});
  }
  if (HasOne && !Id.empty() && !Wanted.empty() && Id != Wanted)
    return objectError(Place.Path, "of another build than " + Binary.Path +
                                       "; put the archive that was written "
                                       "with it there");
  Archives.push_back(std::move(*Opened));
  return Error::success();
}

Error BinaryObjects::open() {
  Expected<std::vector<ArchivePlace>> Places = findArchives(Binary);
  if (!Places)
    return Places.takeError();
  for (const ArchivePlace &Place : *Places)
    if (Error E = open(Place))
      return E;
  if (ByIndex.empty())
    return objectError(Binary.Path,
                       "none of its archives has code for it" +
                           (Filter.chooses()
                                ? " that matches " + Filter.describe()
                                : std::string()) +
                           "; 'kpack ref' says where they are to be");
  return Error::success();
}

bool BinaryObjects::isWanted(StringRef Target) const {
  ArchiveEntry Entry;
  Entry.Arch = std::string_view(Target);
  return Filter.matches(Entry);
}

/// Returns an error that names the missing files, as far as the binary has
/// their names.
Error BinaryObjects::missing(uint32_t Index, StringRef Target) const {
  std::set<std::string> Places;
  for (const SearchPath &Path : Binary.SearchPaths)
    Places.insert(Path.Place.pathFor(targetFileName(std::string_view(Target))));
  return objectError(Binary.Path, "no archive has the code of wrapper " +
                                      Twine(Index) + " for " + Target +
                                      " (looked for " + join(Places, ", ") +
                                      "); put it there, or choose with "
                                      "--arch= what is to be in the binary");
}

Expected<std::vector<PackedObject>> BinaryObjects::of(uint32_t Index) const {
  std::vector<PackedObject> Objects;
  auto Found = ByIndex.find(Index);
  std::set<std::string_view> Targets;
  if (Found != ByIndex.end())
    for (const auto &[Target, Object] : Found->second) {
      Objects.push_back(Object);
      Targets.insert(Target);
    }
  const std::vector<std::string> *Built = Binary.Ref->Built.targetsOf(Index);
  if (Built) {
    for (const std::string &Target : *Built)
      if (isWanted(Target) && !Targets.count(Target))
        return missing(Index, Target);
  } else if (Objects.empty() && !Filter.chooses()) {
    return missing(Index, "any target");
  }
  return Objects;
}

static void printResult(Session &S, const UnpackOptions &Options,
                        const Unpacking &Done, bool Json) {
  if (Json)
    return printJson(S.out(), "kpack.unpack/1", [&](json::OStream &J) {
      J.attribute("input", jsonText(Options.Input));
      J.attribute("output", jsonText(Options.Output));
      J.attribute("wrappers", Done.WrapperCount);
      J.attribute("input_size", Done.InputSize);
      J.attribute("output_size", Done.OutputSize);
      J.attribute("device_size", Done.DeviceSize);
      attributeTexts(J, "notes", Done.Losses);
    });
  S.out() << printable(Options.Output) << ": unpacked: "
          << (Done.WrapperCount ? counted(Done.WrapperCount, "wrapper")
                                : "code object")
          << ", " << Done.InputSize << " -> " << Done.OutputSize << " bytes\n";
}

static Expected<UnpackOptions> makeOptions(const InputArgList &Args) {
  std::vector<std::string> Inputs = Args.getAllArgValues(OPT_INPUT);
  if (Inputs.size() != 1)
    return objectError(
        "command line",
        Twine(Inputs.empty() ? "no binary" : "more than one binary") +
            " given; see 'kpack unpack --help'");
  UnpackOptions Options{Inputs.front(), Args.getLastArgValue(OPT_output).str()};
  if (Options.Output.empty())
    return objectError("command line", "no -o given; name the file to write");
  if (Options.Output == "-")
    return objectError("standard output",
                       "a binary is a file; name one with -o");
  if (sys::fs::equivalent(Options.Input, Options.Output))
    return objectError(Options.Output, "is the input; name another file");
  return Options;
}

static Expected<Unpacking> unpackWith(const UnpackOptions &Options,
                                      const HostBinary &Binary,
                                      const BinaryObjects &Objects) {
  if (!Binary.IsReference)
    return unpackFile(Options,
                      [&](uint32_t Index) { return Objects.of(Index); });
  Expected<std::vector<PackedObject>> All = Objects.of(0);
  if (!All)
    return All.takeError();
  return unpackReference(Options, *All);
}

static void runUnpack(Invocation &I) {
  if (Error E = refuseStdin(I.Args, "the archives of a binary are found from "
                                    "where it lies; give the file there"))
    return I.S.error(std::move(E));
  Expected<UnpackOptions> Options = makeOptions(I.Args);
  if (!Options)
    return I.S.error(Options.takeError());
  Expected<EntryFilter> Filter = parseFilter(I.Args);
  if (!Filter)
    return I.S.error(Filter.takeError());
  if (Error E = refuseNoBinary(Options->Input, BinaryUse::Unpack))
    return I.S.error(std::move(E));
  Expected<HostBinary> Binary = readHostBinary(Options->Input);
  if (!Binary)
    return I.S.error(Binary.takeError());
  BinaryObjects Objects(*Binary, *Filter);
  if (Error E = Objects.open())
    return I.S.error(std::move(E));
  MadeFolders Folders;
  if (Error E = Folders.makeFor(Options->Output))
    return I.S.error(std::move(E));
  Expected<Unpacking> Done = unpackWith(*Options, *Binary, Objects);
  if (!Done)
    return I.S.error(Done.takeError());
  for (const std::string &Loss : Done->Losses)
    I.S.note(Loss);
  printResult(I.S, *Options, *Done, I.json());
}

const Command tool::UnpackCommand = {
    {"unpack", "-o <file> <binary>",
     "put the device code of archives into a host-only binary",
     "put the device code of archives into a host-only binary\n\n"
     "The output is fat, as a stock compiler would have linked it, and needs "
     "neither\narchives nor kpack. Each code object is byte for byte that of "
     "the archive. The\ninput and its archives stay as they are. Of what "
     "pack-tree --databases=pack has left\nof a code object, that comes back.",
     "  $ kpack unpack app -o fat/app\n"
     "  $ kpack unpack lib/libfoo.so.1 -o libfoo.so.1 --arch='gfx11*'\n",
     UnpackOption},
    runUnpack};
