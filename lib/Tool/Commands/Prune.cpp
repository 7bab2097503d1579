//===- Prune.cpp - kpack prune: removal of targets ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the code in archives that some targets or devices need. Writes a new
// archive and replaces the old one atomically. An archive without any remaining
// code is removed, because a loader treats an archive without the target like a
// missing one. An archive that loses no code stays as it is, byte for byte.
// Sibling: Merge.cpp.
//
//===----------------------------------------------------------------------===//
#include "Outputs/MadeFolders.h"
#include "Support/SafePath.h"
#include "Tool/Command.h"
#include "Tool/Commands/ArchiveCopy.h"
#include "Tool/Commands/WholeFile.h"
#include "Tool/FolderWalk.h"
#include "Tool/TargetScope.h"
#include "Tool/WrongFile.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <map>
#include <set>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

namespace {

/// The parameters from the command line.
struct PrunePlan {
  TargetScope Scope;
  /// The path of the new archive; empty: replace the old one.
  std::string Output;
  bool IsDry = false;
  /// Links in the pruned folders by their target.
  std::multimap<std::string, std::string> Links;
};

struct Pruned {
  std::string Path;
  uint64_t Entries = 0;
  uint64_t Kept = 0;
  uint64_t SizeBefore = 0;
  /// In a dry run, the sum of the kept code objects' stored sizes.
  uint64_t SizeAfter = 0;
};

} // namespace

static std::vector<const ArchiveEntry *>
keptEntries(const ArchiveReader &Source, const TargetScope &Scope) {
  std::vector<const ArchiveEntry *> Kept;
  for (const ArchiveEntry &Entry : Source.entries())
    if (Scope.wants(Entry.Arch))
      Kept.push_back(&Entry);
  return Kept;
}

static ArchiveWriterOptions makeOptions(const ArchiveReader &Source) {
  ArchiveWriterOptions Options;
  Options.GroupName = Source.groupName();
  Options.ArchFamily = Source.archFamily();
  Options.Scheme = Source.scheme();
  Options.ReadBy = getReaders(Source);
  // Even if one binary is left, the others search this archive.
  Options.IsShared = Source.hasIdsByName();
  return Options;
}

/// True if the path to debug information in \p Source, which is relative to the
/// archive's folder, is valid for an archive \p Output as well.
static bool leadsToDebug(const ArchiveReader &Source, StringRef Output) {
  return Source.deviceDebug().empty() ||
         Source.deviceDebug() == DebugInItself ||
         sys::path::parent_path(Output) ==
             sys::path::parent_path(Source.path());
}

static Expected<uint64_t>
writePruned(const ArchiveReader &Source,
            const std::vector<const ArchiveEntry *> &Kept,
            const PrunePlan &Plan, const std::string &Output) {
  Expected<std::unique_ptr<ArchiveWriter>> Writer =
      createArchive(Output, makeOptions(Source));
  if (!Writer)
    return Writer.takeError();
  for (std::string_view Arch : Source.architectures())
    if (Plan.Scope.wants(Arch))
      (*Writer)->addArchitecture(Arch);
  if (leadsToDebug(Source, Output))
    (*Writer)->setDeviceDebug(Source.deviceDebug());
  if (Error E = copyEntries(Source, Kept, **Writer))
    return E;
  if (Status S = (*Writer)->commit(); !S.ok())
    return toError(S);
  return (*Writer)->fileSize();
}

/// Copies an archive that loses no code to the output, if there is one.
static Expected<uint64_t> copyWhole(const ArchiveReader &Source,
                                    const PrunePlan &Plan) {
  if (Plan.Output.empty())
    return Source.fileSize();
  Expected<WholeFile> File = readWhole(Source.path());
  if (!File)
    return File.takeError();
  if (Error E = writeOutput(Plan.Output, File->Bytes->getBuffer(), File->Who))
    return E;
  return File->Bytes->getBufferSize();
}

/// Removes an archive and the links to it, which `kpack merge --link` made.
static std::error_code removeWithLinks(const std::string &Path,
                                       const PrunePlan &Plan) {
  SmallString<256> Real;
  if (std::error_code EC = sys::fs::real_path(Path, Real))
    return EC;
  auto [Begin, End] = Plan.Links.equal_range(Real.str().str());
  for (auto It = Begin; It != End; ++It)
    if (!removeFileAt(It->second) && errno != ENOENT)
      return errnoAsErrorCode();
  if (!removeFileAt(Path) && errno != ENOENT)
    return errnoAsErrorCode();
  return {};
}

static Expected<uint64_t> removeArchive(const ArchiveReader &Source,
                                        const PrunePlan &Plan) {
  if (!Plan.Output.empty())
    return objectError(Source.path(),
                       "nothing in it is for these targets; 'kpack show' "
                       "names its architectures");
  if (std::error_code EC = removeWithLinks(Source.path(), Plan))
    return objectError(Source.path(), "cannot be removed: " + EC.message() +
                                          "; check the directory");
  return 0;
}

/// Returns the stored size of \p Kept, with equal code objects counted once.
static Expected<uint64_t>
getStoredSize(const ArchiveReader &Source,
              const std::vector<const ArchiveEntry *> &Kept) {
  std::map<uint64_t, uint64_t> ByOrdinal;
  for (const ArchiveEntry *Entry : Kept) {
    Result<uint64_t> Size = Source.storedSize(*Entry);
    if (!Size)
      return toError(Size.status());
    ByOrdinal[Entry->Ordinal] = *Size;
  }
  uint64_t Sum = 0;
  for (const auto &[Ordinal, Size] : ByOrdinal)
    Sum += Size;
  return Sum;
}

static Expected<Pruned> prune(const std::string &Path, const PrunePlan &Plan) {
  if (Error E = refuseNoArchive(Path))
    return std::move(E);
  Result<std::unique_ptr<const ArchiveReader>> Archive =
      ArchiveReader::open(Path);
  if (!Archive)
    return toError(Archive.status());
  const ArchiveReader &Reader = **Archive;
  std::vector<const ArchiveEntry *> Kept = keptEntries(Reader, Plan.Scope);
  Pruned Done{Path, Reader.entries().size(), Kept.size(), Reader.fileSize(), 0};
  const std::string &Output = Plan.Output.empty() ? Path : Plan.Output;
  bool IsWhole =
      Kept.size() == Reader.entries().size() && leadsToDebug(Reader, Output) &&
      all_of(Reader.architectures(),
             [&](std::string_view Arch) { return Plan.Scope.wants(Arch); });
  Expected<uint64_t> Size = 0;
  if (Plan.IsDry)
    Size = IsWhole ? Expected<uint64_t>(Reader.fileSize())
                   : getStoredSize(Reader, Kept);
  else if (IsWhole)
    Size = copyWhole(Reader, Plan);
  else if (Kept.empty())
    Size = removeArchive(Reader, Plan);
  else
    Size = writePruned(Reader, Kept, Plan,
                       Plan.Output.empty() ? Path : Plan.Output);
  if (!Size)
    return Size.takeError();
  Done.SizeAfter = *Size;
  return Done;
}

static void print(Session &S, const Pruned &Done, const PrunePlan &Plan) {
  StringRef Verb = Plan.IsDry ? "would be kept" : "kept";
  S.out() << printable(Done.Path) << ": " << Done.Kept << " of "
          << counted(Done.Entries, "code object") << ' ' << Verb << ", "
          << Done.SizeBefore << " bytes before, "
          << (Plan.IsDry ? "about " : "") << Done.SizeAfter << " now";
  if (!Done.Kept && !Plan.IsDry)
    S.out() << ", removed";
  S.out() << '\n';
}

static void printJson(json::OStream &J, const Pruned &Done,
                      const PrunePlan &Plan) {
  J.object([&] {
    J.attribute("path", jsonText(Done.Path));
    J.attribute("code_objects", Done.Entries);
    J.attribute("kept", Done.Kept);
    J.attribute("size_before", Done.SizeBefore);
    J.attribute("size_after", Done.SizeAfter);
    J.attribute("removed", !Done.Kept && !Plan.IsDry);
  });
}

/// Returns the named archives, and those below named folders.
static std::vector<std::string> findArchives(Session &S,
                                             ArrayRef<std::string> Paths) {
  std::vector<std::string> Archives;
  for (const std::string &Path : Paths) {
    if (!sys::fs::is_directory(Path)) {
      Archives.push_back(Path);
      continue;
    }
    std::vector<std::string> Found;
    std::vector<std::string> Problems =
        forEachFile(Path, [&](const std::string &File, StringRef Magic) {
          if (looksLikeArchive(File, Magic))
            Found.push_back(File);
        });
    for (const std::string &Problem : Problems)
      S.error(Problem);
    if (Problems.empty() && Found.empty())
      S.error(Path + ": no archive in this folder; give one that has some");
    sort(Found);
    append_range(Archives, Found);
  }
  return Archives;
}

/// Fails if the command line is incomplete.
static Error checkPlan(const PrunePlan &Plan, ArrayRef<std::string> Paths,
                       bool InPlace) {
  if (Plan.Scope.isWhole())
    return objectError("command line", "nothing says what is to stay; give "
                                       "--arch=<target> or --gpu=<device>");
  if (Plan.IsDry)
    return Error::success();
  if (InPlace == !Plan.Output.empty())
    return objectError("command line", "give either -o <file> or --in-place");
  if (!InPlace && (Paths.size() > 1 || sys::fs::is_directory(Paths.front())))
    return objectError(Plan.Output, "one file for several archives; give one "
                                    "archive, or --in-place");
  return Error::success();
}

/// A mistyped device would remove the code for the intended one, or all code.
static Error checkKeepsAny(Session &S, ArrayRef<std::string> Paths,
                           const PrunePlan &Plan) {
  std::set<std::string> Targets;
  for (const std::string &Path : Paths) {
    Result<std::unique_ptr<const ArchiveReader>> Archive =
        ArchiveReader::open(Path);
    if (!Archive)
      return Error::success(); // reported later
    for (const ArchiveEntry &Entry : (*Archive)->entries())
      Targets.emplace(Entry.Arch);
  }
  if (Error E = checkDevices(Plan.Scope, Targets))
    return E;
  for (const std::string &Note : translationNotes(Plan.Scope, Targets))
    S.note(Note);
  if (!Plan.Output.empty() || Targets.empty() ||
      any_of(Targets, [&](const std::string &Target) {
        return Plan.Scope.wants(Target);
      }))
    return Error::success();
  return objectError(Paths.size() == 1 ? Paths.front()
                                       : counted(Paths.size(), "archive"),
                     "no code for these targets, so nothing would be left; "
                     "there is code for " +
                         join(Targets, ", "));
}

static void runPrune(Invocation &I) {
  std::vector<std::string> Paths = getInputs(I, "archive or folder");
  if (Paths.empty())
    return;
  PrunePlan Plan;
  if (Error E = parseTargetScope(I.Args).moveInto(Plan.Scope))
    return I.S.error(std::move(E));
  if (I.Args.hasArg(OPT_in_place))
    if (Error E = refuseStdin(I.Args, "cannot be replaced; name the result "
                                      "with -o"))
      return I.S.error(std::move(E));
  Plan.Output = I.Args.getLastArgValue(OPT_output).str();
  Plan.IsDry = I.Args.hasArg(OPT_dry_run);
  if (Error E = checkPlan(Plan, Paths, I.Args.hasArg(OPT_in_place)))
    return I.S.error(std::move(E));
  if (!Plan.IsDry && Plan.Output.empty())
    for (const std::string &Path : Paths)
      if (sys::fs::is_directory(Path))
        Plan.Links.merge(linksBelow(Path));
  std::vector<std::string> Archives = findArchives(I.S, Paths);
  if (Error E = checkKeepsAny(I.S, Archives, Plan))
    return I.S.error(std::move(E));
  MadeFolders Folders;
  if (!Plan.IsDry)
    if (Error E = Folders.makeFor(Plan.Output))
      return I.S.error(std::move(E));
  std::vector<Pruned> All;
  for (const std::string &Path : Archives) {
    Expected<Pruned> Done = prune(Path, Plan);
    if (!Done) {
      I.S.error(Done.takeError());
      continue;
    }
    if (!I.json())
      print(I.S, *Done, Plan);
    All.push_back(std::move(*Done));
  }
  if (I.json())
    kpack::printJson(I.S.out(), "kpack.prune/1", [&](json::OStream &J) {
      J.attribute("dry_run", Plan.IsDry);
      J.attributeArray("files", [&] {
        for (const Pruned &Done : All)
          printJson(J, Done, Plan);
      });
    });
}

const Command tool::PruneCommand = {
    {"prune", "<archive or folder>...",
     "leave in archives what some targets need",
     "leave in archives what some targets or devices need\n\n"
     "With -o the new archive goes to a file of its own; with --in-place it "
     "takes the\nplace of the old one, and an archive in which nothing is left "
     "is removed. Of a\nfolder, all archives are pruned. A code object that "
     "runs on a device of --gpu=\nstays, whatever its target is called "
     "(gfx11-generic for a gfx1100).",
     "  $ kpack prune --gpu=gfx1100 -o small.kpack app.kpack\n"
     "  $ kpack prune --dry-run --arch=gfx90a,'gfx11*' /opt/app\n"
     "  $ kpack prune --in-place --gpu=gfx90a:sramecc+:xnack- /opt/app\n"
     "  $ kpack prune --dry-run --json --gpu=gfx1100 /opt/app | "
     "jq '.files[].size_after'\n",
     PruneOption},
    runPrune};
