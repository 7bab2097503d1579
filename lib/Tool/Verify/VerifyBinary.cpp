//===- VerifyBinary.cpp - checks of a binary and its archives -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order is the loader's: wrappers, marker, search paths, archives, entries.
// The marker lists the required code if ld.kpack has written it; in other
// binaries only a wrapper without any code object is a problem. A TU that was
// compiled for fewer architectures than its neighbours is legal and gives a
// note. Siblings: VerifyTargets.cpp, VerifyArchive.cpp.
//
//===----------------------------------------------------------------------===//
#include "HostRewrite/HostCheck.h"
#include "Offload/CodeObjectHeader.h"
#include "Offload/HipSymbols.h"
#include "Runtime/ArchivePaths.h"
#include "Support/UnpackLimit.h"
#include "Tool/Verify/BinaryVerifier.h"
#include "Tool/Verify/OlderLoaders.h"
#include "ToolSupport/Session.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

/// Checks the file as a loader sees it, without the section headers that all
/// other checks use, and that both views agree.
void BinaryVerifier::checkLoading() {
  StringRef Bytes = Binary.File->getBuffer();
  append_range(Report.Problems,
               hostrewrite::hostProblems(
                   Bytes, Object, hostrewrite::verifyHost(Bytes, Object)));
  if (!Original.empty())
    append_range(Report.Problems, compareWithOriginal(Binary, Original));
}

/// Returns true if there is a valid marker.
bool BinaryVerifier::checkMarker() {
  if (!Binary.MarkerProblem.empty())
    problem(Binary.MarkerProblem);
  bool NeedsMarker =
      any_of(Binary.Linked.Wrappers, [](const offload::Wrapper &W) {
        return W.Magic == offload::WrapperMagicKpack;
      });
  if (Binary.Linked.MarkerBytes.empty() && NeedsMarker)
    problem("no section " + Twine(StringRef(MarkerSectionName)) +
            " although wrappers have magic HIPK; link with ld.kpack");
  return Binary.Ref.has_value();
}

/// True if the bundle of \p W has a code object, or cannot be read.
static bool hasCode(const HostBinary &Binary, const offload::Wrapper &W) {
  bool Has = false;
  // An error ends it at the first image.
  Error E = forEachImageAt(Binary, W.Pointer,
                           [&](const offload::StreamedImage &) -> Error {
                             Has = true;
                             return createStringError("found");
                           });
  return errorToBool(std::move(E)) || Has;
}

/// `kpack convert` keeps bundles without a code object in a binary.
void BinaryVerifier::checkFatWrapper(const std::string &Name,
                                     const offload::Wrapper &W) {
  if (hasCode(Binary, W))
    return problem(Name + " has magic HIPF: its device code is still inside "
                          "the binary; take it out by 'kpack convert', or "
                          "link with ld.kpack");
  std::string None = Name + " has no device code for a GPU";
  if (Scope.isWhole() && Scope.Expected.empty())
    Report.Notes.push_back(Object + ": " + None);
  else
    problem(None + ", and some is asked for; build it for that");
}

void BinaryVerifier::checkWrapper(size_t Position, const offload::Wrapper &W) {
  std::string Name = "wrapper " + std::to_string(Position);
  if (W.Magic == offload::WrapperMagicFat)
    return checkFatWrapper(Name, W);
  if (W.Magic != offload::WrapperMagicKpack)
    return problem(Name + " has unknown magic 0x" + Twine::utohexstr(W.Magic) +
                   "; link the binary again with ld.kpack");
  if (W.Version != offload::WrapperVersion)
    problem(Name + " has version " + Twine(W.Version) + " and not " +
            Twine(offload::WrapperVersion) +
            "; link the binary again with ld.kpack");
  if (W.Pointer != Binary.Linked.MarkerAddress)
    problem(Name + " points to 0x" + Twine::utohexstr(W.Pointer) +
            " and not to the marker at 0x" +
            Twine::utohexstr(Binary.Linked.MarkerAddress) +
            "; link the binary again with ld.kpack");
  if (uint32_t(W.Reserved1) != UnitOf[Position])
    problem(Name + " has index " + Twine(uint32_t(W.Reserved1)) +
            " and not its position; link the binary again with ld.kpack");
}

/// A wrapper's index is its position, or that of an earlier one whose code
/// objects it shares, as wrappers of -fgpu-rdc do.
void BinaryVerifier::findUnits() {
  for (const auto &[Position, W] : enumerate(Binary.Linked.Wrappers)) {
    // The loader reads 32 bits; converters keep the other 32.
    uint32_t Index = uint32_t(W.Reserved1);
    bool IsShared = Index < Position && Units.count(Index) != 0;
    bool IsKpack = W.Magic == offload::WrapperMagicKpack;
    UnitOf.push_back(IsShared && IsKpack ? Index : Position);
    Units.insert(UnitOf.back());
  }
}

void BinaryVerifier::checkWrappers() {
  findUnits();
  for (const auto &[Position, W] : enumerate(Binary.Linked.Wrappers))
    checkWrapper(Position, W);
  std::string Unregistered = unregisteredKernels(Binary);
  if (!Unregistered.empty())
    Report.problem(Unregistered);
  if (!Binary.Linked.Wrappers.empty() || !Unregistered.empty())
    return;
  if (Binary.Linked.MarkerBytes.empty())
    Report.Notes.push_back(Object + ": no HIP code in it, nothing to check");
  else
    problem("a marker, but no wrapper that points to it; link the binary "
            "again with ld.kpack");
}

void BinaryVerifier::openArchive(const FoundArchive &File) {
  Result<std::unique_ptr<const ArchiveReader>> Archive =
      ArchiveReader::open(File.Path);
  if (!Archive) {
    Report.problem(Archive.status().message());
    return;
  }
  std::string Name = File.Path;
  std::string_view Id = (*Archive)->archiveId(Binary.Ref->KernelName);
  if (!Id.empty() && !Binary.Ref->ArchiveId.empty() &&
      Id != Binary.Ref->ArchiveId)
    Report.problem(Twine(Name) + ": archive_id is " + StringRef(Id) + ", but " +
                   Object + " was linked with " + Binary.Ref->ArchiveId +
                   "; install binary and archives of one build");
  // A link has the name that this binary searches for. It may lead to a shared
  // archive, from which prune may have removed this architecture.
  if (!File.Arch.empty() &&
      sys::fs::get_file_type(File.Path, /*Follow=*/false) !=
          sys::fs::file_type::symlink_file &&
      !is_contained((*Archive)->architectures(), std::string_view(File.Arch)))
    Report.problem(Name + ": its name says " + File.Arch +
                   ", its gfx_arches does not; give it the name of "
                   "its architecture");
  Archives.push_back(std::move(*Archive));
}

/// Returns the advice about a hidden folder, if there is any.
static std::string inBrackets(const std::vector<std::string> &Files) {
  std::string Advice = runtime::adviceOnHiddenFolder(Files);
  return Advice.empty() ? Advice : " (" + Advice + ")";
}

void BinaryVerifier::openArchives() {
  std::string Tried;
  std::vector<std::string> Files;
  std::set<std::string> Seen;
  for (const SearchPath &Path : Binary.SearchPaths) {
    Files.push_back(Path.Place.whole());
    Tried += (Tried.empty() ? "" : ", ") + Files.back();
    for (const FoundArchive &File : Path.Found) {
      if (!Seen.insert(File.Path).second)
        continue;
      size_t Before = Report.Problems.size();
      openArchive(File);
      if (Report.Problems.size() != Before)
        Rejected.insert(File.Path);
    }
  }
  if (!Seen.empty())
    return;
  auto Unreachable = find_if(
      Binary.SearchPaths, [](const SearchPath &P) { return !!P.Unreachable; });
  if (Unreachable == Binary.SearchPaths.end())
    problem("no archive found, looked for " + Twine(Tried) +
            "; put the archives there" + inBrackets(Files));
  else
    Report.problem(Unreachable->Place.whole() +
                   ": cannot open: " + Unreachable->Unreachable.message() +
                   "; make it readable for this user");
}

/// Reads and checks every wrapper's code object in every archive.
void BinaryVerifier::readCodeObjects() {
  for (const std::unique_ptr<const ArchiveReader> &Archive : Archives) {
    std::vector<const ArchiveEntry *> Entries;
    for (std::string_view Arch : Archive->architectures()) {
      if (!Scope.wants(Arch))
        continue;
      std::set<size_t> &Indices = Covered[std::string(Arch)];
      for (size_t Index : Units) {
        std::string Key = getKey(Index);
        const ArchiveEntry *Entry = Archive->find(Key, Arch);
        if (Entry && Indices.insert(Index).second)
          Entries.push_back(Entry);
      }
    }
    verifyEntries(*Archive, Entries, UnpackedAlways, Report.Problems);
  }
}

/// Notes archives at which older loaders stop.
void BinaryVerifier::noteOlderLoaders() {
  std::vector<const ArchiveReader *> All;
  std::set<std::string> Targets, Said;
  for (const std::unique_ptr<const ArchiveReader> &Archive : Archives) {
    All.push_back(Archive.get());
    Targets.insert(Archive->architectures().begin(),
                   Archive->architectures().end());
  }
  for (const std::string &Target : Targets) {
    if (!Scope.wants(Target))
      continue;
    std::vector<std::string> Candidates = runtime::targetsOf({Target});
    for (size_t Index : Units)
      if (std::optional<std::string> Stop =
              olderLoadersStop(All, Candidates, getKey(Index));
          Stop && Said.insert(*Stop).second)
        Report.Notes.push_back(Object + ": " + *Stop);
  }
}

/// Returns "'app#1' (saxpy.hip)".
std::string BinaryVerifier::nameOfUnit(size_t Index) const {
  std::string Key = getKey(Index);
  std::string Source(Binary.Ref->Built.nameOf(Index));
  for (const std::unique_ptr<const ArchiveReader> &Archive : Archives)
    for (std::string_view Arch : Archive->architectures())
      if (const ArchiveEntry *Entry =
              Source.empty() ? Archive->find(Key, Arch) : nullptr)
        Source = Entry->Source;
  return "'" + Key + "'" + (Source.empty() ? "" : " (" + Source + ")");
}

/// The checks for binaries that ld.kpack did not write.
void BinaryVerifier::checkCodeObjects() {
  if (Covered.empty() && !Scope.isWhole())
    problem("no archive for any of the targets that are asked for; install "
            "them, or ask for others");
  for (size_t Index : Units) {
    std::string Missing;
    size_t MissingCount = 0;
    for (const auto &[Arch, Indices] : Covered)
      if (!Indices.count(Index)) {
        Missing += " " + Arch;
        ++MissingCount;
      }
    if (MissingCount == Covered.size())
      problem("wrapper " + Twine(Index) +
              " has no code object: no archive has '" + getKey(Index) +
              "'; install binary and archives of one build");
    else if (MissingCount)
      Report.Notes.push_back(Object + ": no code object " + nameOfUnit(Index) +
                             " for" + Missing);
  }
  for (const std::string &Gpu : Scope.Gpus)
    checkTranslated(Gpu);
}

VerifyReport BinaryVerifier::run() {
  Expected<HostBinary> File = readHostBinary(Report.Path);
  if (!File) {
    Report.problem(toString(File.takeError()));
    return std::move(Report);
  }
  Binary = std::move(*File);
  if (offload::isCodeObject(Binary.File->getBuffer())) {
    problem("a code object, and no program or library; 'kpack inspect' "
            "reads it");
    return std::move(Report);
  }
  if (Binary.IsReference) {
    Units.insert(0);
  } else {
    checkLoading();
    checkWrappers();
  }
  if (checkMarker()) {
    if (!Binary.Ref->BuiltProblem.empty())
      problem("marker: " + Binary.Ref->BuiltProblem +
              "; link the binary again with ld.kpack");
    openArchives();
    readCodeObjects();
    noteOlderLoaders();
    if (!Archives.empty() && !Binary.Ref->Built.empty())
      checkBuilt();
    else if (!Archives.empty())
      checkCodeObjects();
    if (!Archives.empty())
      checkExpected();
  }
  size_t ArchCount =
      count_if(Covered, [](const auto &Arch) { return !Arch.second.empty(); });
  if (Binary.IsReference) {
    Report.Kind = "reference";
    Report.Summary = "reference, " + counted(ArchCount, "architecture");
  } else {
    Report.Summary = counted(Binary.Linked.Wrappers.size(), "wrapper") + ", " +
                     counted(ArchCount, "architecture");
  }
  return std::move(Report);
}

VerifyReport tool::verifyBinary(StringRef Path, const VerifyScope &Scope,
                                StringRef Original) {
  return BinaryVerifier(Path, Scope, Original).run();
}
