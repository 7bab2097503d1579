//===- VerifyBinary.cpp - check one binary and its archives ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order is the loader's: wrappers, marker, search paths, archives, entries.
// What there ought to be the marker says, where ld.kpack has written it; of
// other binaries only a wrapper without any code object is a problem. A TU that
// was compiled for fewer architectures than its neighbour is legal and gives a
// note. Sibling: VerifyArchive.cpp.
//
//===----------------------------------------------------------------------===//
#include "HostBinary.h"
#include "Verify.h"
#include "kpack/Archive/ArchiveReader.h"
#include "kpack/HostRewrite/Verifier.h"
#include "kpack/Offload/CodeObject.h"
#include "kpack/Offload/HipSymbols.h"
#include "kpack/Support/TargetId.h"
#include "kpack/ToolSupport/Session.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

namespace {

class BinaryVerifier {
public:
  BinaryVerifier(StringRef Path, const VerifyScope &Scope, StringRef Original)
      : Object(Path.str()), Scope(Scope), Original(Original.str()) {
    Report.Path = Path.str();
    Report.Kind = "binary";
  }

  VerifyReport run();

private:
  void problem(const Twine &What) { Report.problem(Object + ": " + What); }

  void checkLoading();
  bool checkMarker();
  void checkWrappers();
  void findUnits();
  void checkWrapper(size_t Position, const offload::Wrapper &W);
  void openArchives();
  void openArchive(const FoundArchive &File);
  void readCodeObjects();
  void checkCodeObjects();
  void checkBuilt();
  void checkTarget(const std::string &Target);
  void checkGpu(const std::string &Gpu);
  void checkExpected();
  void reportMissing(const std::string &Targets, ArrayRef<size_t> Indices,
                     bool AnyThere);
  std::string keyOf(size_t Index) const { return Binary.keyOf(Index); }
  std::string nameOfUnit(size_t Index) const;
  std::vector<std::string> placesOf(StringRef Target) const;

  std::string Object;
  const VerifyScope &Scope;
  const std::string Original;
  VerifyReport Report;
  HostBinary Binary;
  std::vector<std::unique_ptr<const ArchiveReader>> Archives;
  /// Files that are there and were found wanting, which has been said.
  std::set<std::string> Rejected;
  /// The index that each wrapper ought to have; several may have one.
  std::vector<size_t> UnitOf;
  std::set<size_t> Units;
  /// Those of them that have a code object, by architecture.
  std::map<std::string, std::set<size_t>> Covered;
};

} // namespace

/// What a loader makes of it, by another way than the section headers that all
/// else here goes by.
void BinaryVerifier::checkLoading() {
  hostrewrite::VerifiedHost Host =
      hostrewrite::verifyHost(Binary.File->getBuffer(), Object);
  append_range(Report.Problems, Host.Problems);
  if (!Original.empty())
    append_range(Report.Problems, compareWithOriginal(Binary, Original));
}

/// True when there is a marker to go on with.
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

void BinaryVerifier::checkWrapper(size_t Position, const offload::Wrapper &W) {
  std::string Name = "wrapper " + std::to_string(Position);
  if (W.Magic == offload::WrapperMagicFat)
    return problem(Name + " has magic HIPF: its device code is still inside "
                          "the binary; take it out by 'kpack convert', or "
                          "link with ld.kpack");
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

/// A wrapper's index is its position, or that of one before it whose code
/// objects it shares, as wrappers of -fgpu-rdc do.
void BinaryVerifier::findUnits() {
  for (const auto &[Position, W] : enumerate(Binary.Linked.Wrappers)) {
    // The loader reads 32 bits; converters leave the other 32 as they were.
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
  if (!Binary.Linked.Wrappers.empty())
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
  if (!File.Arch.empty() &&
      !is_contained((*Archive)->architectures(), std::string_view(File.Arch)))
    Report.problem(Name + ": its name says " + File.Arch +
                   ", its gfx_arches does not; give it the name of "
                   "its architecture");
  Archives.push_back(std::move(*Archive));
}

void BinaryVerifier::openArchives() {
  std::string Tried;
  std::set<std::string> Seen;
  for (const SearchPath &Path : Binary.SearchPaths) {
    Tried += (Tried.empty() ? "" : ", ") + Path.Resolved;
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
            "; put the archives there");
  else
    Report.problem(Unreachable->Resolved +
                   ": cannot open: " + Unreachable->Unreachable.message() +
                   "; make it readable for this user");
}

/// Every wrapper's code object in every archive, read and checked.
void BinaryVerifier::readCodeObjects() {
  for (const std::unique_ptr<const ArchiveReader> &Archive : Archives) {
    std::vector<const ArchiveEntry *> Entries;
    for (std::string_view Arch : Archive->architectures()) {
      if (!Scope.wants(Arch))
        continue;
      std::set<size_t> &Indices = Covered[std::string(Arch)];
      for (size_t Index : Units) {
        std::string Key = keyOf(Index);
        const ArchiveEntry *Entry = Archive->find(Key, Arch);
        if (Entry && Indices.insert(Index).second)
          Entries.push_back(Entry);
      }
    }
    verifyEntries(*Archive, Entries, Report.Problems);
  }
}

/// "'app#1' (saxpy.hip)".
std::string BinaryVerifier::nameOfUnit(size_t Index) const {
  std::string Key = keyOf(Index);
  std::string Source(Binary.Ref->Built.nameOf(Index));
  for (const std::unique_ptr<const ArchiveReader> &Archive : Archives)
    for (std::string_view Arch : Archive->architectures())
      if (const ArchiveEntry *Entry =
              Source.empty() ? Archive->find(Key, Arch) : nullptr)
        Source = Entry->Source;
  return "'" + Key + "'" + (Source.empty() ? "" : " (" + Source + ")");
}

/// What other binaries than ld.kpack's can be asked for.
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
              " has no code object: no archive has '" + keyOf(Index) +
              "'; install binary and archives of one build");
    else if (MissingCount)
      Report.Notes.push_back(Object + ": no code object " + nameOfUnit(Index) +
                             " for" + Missing);
  }
}

/// The files that an archive of \p Target may be.
std::vector<std::string> BinaryVerifier::placesOf(StringRef Target) const {
  std::vector<std::string> Places;
  for (const SearchPath &Path : Binary.SearchPaths) {
    std::string File = Path.Resolved;
    size_t At = File.find(ArchPlaceholder);
    if (At != std::string::npos)
      File.replace(At, ArchPlaceholder.size(),
                   targetFileName(std::string_view(Target)));
    else if (Binary.SearchPaths.size() > 1)
      continue; // of another target
    Places.push_back(std::move(File));
  }
  return Places;
}

/// \p Indices lack the code for \p Target that they were compiled for.
void BinaryVerifier::reportMissing(const std::string &Target,
                                   ArrayRef<size_t> Indices, bool AnyThere) {
  if (!AnyThere) {
    std::vector<std::string> Places = placesOf(Target);
    if (any_of(Places,
               [&](const std::string &File) { return Rejected.count(File); }))
      return;
    return problem(
        "no archive for " + Target + ", for which it was built" +
        (Places.empty() ? "" : ", looked for " + join(Places, ", ")) +
        "; put it there, or say with --arch= or --gpu= which "
        "targets are meant to be there");
  }
  for (size_t Index : Indices)
    problem("no code object " + Twine(nameOfUnit(Index)) + " for " + Target +
            ", for which it was compiled; install binary and archives of one "
            "build");
}

void BinaryVerifier::checkTarget(const std::string &Target) {
  const BuiltCode &Built = Binary.Ref->Built;
  std::vector<size_t> Missing;
  for (size_t Index : Units) {
    const std::vector<std::string> *Targets = Built.targetsOf(Index);
    if (Targets && is_contained(*Targets, Target) &&
        !Covered[Target].count(Index))
      Missing.push_back(Index);
  }
  if (!Missing.empty())
    reportMissing(Target, Missing, !Covered[Target].empty());
}

/// One of the targets that run on a device is enough for each TU.
void BinaryVerifier::checkGpu(const std::string &Gpu) {
  const BuiltCode &Built = Binary.Ref->Built;
  std::map<std::string, std::vector<size_t>> Missing;
  bool AnyBuilt = false, AnyThere = false;
  for (size_t Index : Units) {
    const std::vector<std::string> *Targets = Built.targetsOf(Index);
    std::string Best;
    bool IsThere = false;
    for (const std::string &Target : targetsFor(Gpu)) {
      if (!Targets || !is_contained(*Targets, Target))
        continue;
      Best = Best.empty() ? Target : Best;
      IsThere |= Covered[Target].count(Index) != 0;
    }
    AnyBuilt |= !Best.empty();
    AnyThere |= IsThere;
    if (Best.empty())
      Report.Notes.push_back(Object + ": " + nameOfUnit(Index) +
                             " was not compiled for " + Gpu);
    else if (!IsThere)
      Missing[Best].push_back(Index);
  }
  if (!AnyBuilt)
    return problem("not built for " + Gpu + ", but for " +
                   join(Built.allTargets(), ", ") +
                   "; build it with --offload-arch=" + Gpu);
  for (const auto &[Target, Indices] : Missing)
    reportMissing(Target, Indices, AnyThere);
}

/// What the linker has built must be there.
void BinaryVerifier::checkBuilt() {
  const BuiltCode &Built = Binary.Ref->Built;
  std::vector<std::string> All = Built.allTargets();
  std::vector<std::string> Asked;
  for (const std::string &Target : All)
    if (Scope.isWhole() ||
        (!Scope.Arches.empty() && Scope.Arches.matches(Target)))
      Asked.push_back(Target);
  if (!Scope.Arches.empty() && Asked.empty())
    problem("not built for any of" + Twine(Scope.Arches.describe()) +
            ", but for " + join(All, ", ") + "; ask for one of these");
  for (const std::string &Target : Asked)
    checkTarget(Target);
  for (const std::string &Gpu : Scope.Gpus)
    checkGpu(Gpu);

  for (size_t Index : Units) {
    const std::vector<std::string> *Targets = Built.targetsOf(Index);
    std::string Not;
    for (const std::string &Target : Asked)
      if (!Targets || !is_contained(*Targets, Target))
        Not += " " + Target;
    if (!Not.empty())
      Report.Notes.push_back(Object + ": " + nameOfUnit(Index) +
                             " was not compiled for" + Not +
                             ", for which others were");
  }
}

/// What whoever builds a package knows, and other linkers' binaries do not say.
void BinaryVerifier::checkExpected() {
  std::vector<std::string> Built = Binary.Ref->Built.allTargets();
  for (const std::string &Target : Scope.Expected) {
    bool IsJudged = is_contained(Built, Target) &&
                    (Scope.isWhole() || Scope.Arches.matches(Target));
    if (IsJudged || !Covered[Target].empty())
      continue;
    if (!Built.empty() && !is_contained(Built, Target)) {
      problem("not built for " + Target + ", which is expected, but for " +
              join(Built, ", ") + "; build it with --offload-arch=" + Target);
      continue;
    }
    std::vector<std::string> Places = placesOf(Target);
    problem("no code for " + Target + ", which is expected" +
            (Places.empty() ? "" : ", looked for " + join(Places, ", ")) +
            "; put its archive there");
  }
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
