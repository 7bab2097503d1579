//===- VerifyBinary.cpp - check one binary and its archives ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order is the loader's: wrappers, marker, search paths, archives, entries.
// A TU that was compiled for fewer architectures than its neighbour is legal
// and gives a note; a wrapper without any code object is a problem. Sibling:
// VerifyArchive.cpp.
//
//===----------------------------------------------------------------------===//
#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Offload/HipSymbols.h"
#include "kpack/Tool/HostBinary.h"
#include "kpack/Tool/Session.h"
#include "kpack/Tool/Verify.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

namespace {

class BinaryVerifier {
public:
  explicit BinaryVerifier(StringRef Path) : Object(Path.str()) {
    Report.Path = Path.str();
    Report.Kind = "binary";
  }

  VerifyReport run();

private:
  void problem(const Twine &What) { Report.problem(Object + ": " + What); }

  bool checkMarker();
  void checkWrappers();
  void checkWrapper(size_t Position, const offload::Wrapper &W);
  void openArchives();
  void openArchive(const FoundArchive &File);
  void checkCodeObjects();

  std::string Object;
  VerifyReport Report;
  HostBinary Binary;
  std::vector<std::unique_ptr<const ArchiveReader>> Archives;
  size_t ArchCount = 0;
};

} // namespace

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
                          "the binary; link with ld.kpack");
  if (W.Magic != offload::WrapperMagicKpack)
    return problem(Name + " has unknown magic 0x" + Twine::utohexstr(W.Magic) +
                   "; link the binary again");
  if (W.Version != offload::WrapperVersion)
    problem(Name + " has version " + Twine(W.Version) + " and not " +
            Twine(offload::WrapperVersion) + "; link the binary again");
  if (W.Pointer != Binary.Linked.MarkerAddress)
    problem(Name + " points to 0x" + Twine::utohexstr(W.Pointer) +
            " and not to the marker at 0x" +
            Twine::utohexstr(Binary.Linked.MarkerAddress) +
            "; link the binary again");
  // The loader reads 32 bits; converters leave the other 32 as they were.
  if (uint32_t(W.Reserved1) != Position)
    problem(Name + " has index " + Twine(uint32_t(W.Reserved1)) +
            " and not its position; link the binary again");
}

void BinaryVerifier::checkWrappers() {
  for (const auto &[Position, W] : enumerate(Binary.Linked.Wrappers))
    checkWrapper(Position, W);
  if (!Binary.Linked.Wrappers.empty())
    return;
  if (Binary.Linked.MarkerBytes.empty())
    problem("neither wrappers nor a marker: no HIP code in it; give host-only "
            "binaries");
  else
    problem("a marker, but no wrapper that points to it; link the binary "
            "again");
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
    for (const FoundArchive &File : Path.Found)
      if (Seen.insert(File.Path).second)
        openArchive(File);
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
void BinaryVerifier::checkCodeObjects() {
  std::map<std::string, std::set<size_t>> Covered;
  size_t Wrappers = Binary.Linked.Wrappers.size();
  for (const std::unique_ptr<const ArchiveReader> &Archive : Archives) {
    std::vector<const ArchiveEntry *> Entries;
    for (std::string_view Arch : Archive->architectures()) {
      std::set<size_t> &Indices = Covered[std::string(Arch)];
      for (size_t Index = 0; Index != Wrappers; ++Index) {
        std::string Key = Binary.Ref->KernelName + "#" + std::to_string(Index);
        const ArchiveEntry *Entry = Archive->find(Key, Arch);
        if (Entry && Indices.insert(Index).second)
          Entries.push_back(Entry);
      }
    }
    verifyEntries(*Archive, Entries, Report.Problems);
  }
  ArchCount = Covered.size();
  for (size_t Index = 0; Index != Wrappers; ++Index) {
    std::string Missing;
    size_t MissingCount = 0;
    for (const auto &[Arch, Indices] : Covered)
      if (!Indices.count(Index)) {
        Missing += " " + Arch;
        ++MissingCount;
      }
    std::string Key =
        "'" + Binary.Ref->KernelName + "#" + std::to_string(Index) + "'";
    if (MissingCount == Covered.size())
      problem("wrapper " + Twine(Index) +
              " has no code object: no archive has " + Key +
              "; install binary and archives of one build");
    else if (MissingCount)
      Report.Notes.push_back(Object + ": no code object " + Key + " for" +
                             Missing);
  }
}

VerifyReport BinaryVerifier::run() {
  Expected<HostBinary> File = readHostBinary(Report.Path);
  if (!File) {
    Report.problem(toString(File.takeError()));
    return std::move(Report);
  }
  Binary = std::move(*File);
  checkWrappers();
  if (checkMarker()) {
    openArchives();
    if (!Archives.empty())
      checkCodeObjects();
  }
  size_t Wrappers = Binary.Linked.Wrappers.size();
  Report.Summary =
      (Twine(Wrappers) + (Wrappers == 1 ? " wrapper, " : " wrappers, ") +
       Twine(ArchCount) + (ArchCount == 1 ? " architecture" : " architectures"))
          .str();
  return std::move(Report);
}

VerifyReport tool::verifyBinary(StringRef Path) {
  return BinaryVerifier(Path).run();
}
