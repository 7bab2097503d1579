//===- VerifyTree.cpp - comparison with an original tree ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at TreeVerifier::run. Entries are independent of each other, so
// threads compare them, and the results are added up in the order of the names.
// Permissions, owners and times are not compared, since unpacking a mailed tree
// changes them. Siblings: VerifyBinary.cpp and VerifyArchive.cpp, for the
// contents of files; VerifyCode.cpp.
//
//===----------------------------------------------------------------------===//
#include "Tool/Verify/Verify.h"

#include "HostRewrite/TreeWalk.h"
#include "Support/UnpackLimit.h"
#include "Tool/FolderWalk.h"
#include "Tool/HostBinary.h"
#include "Tool/Verify/VerifyCode.h"
#include "ToolSupport/Session.h"
#include "kpack/Support/WorkerThreads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <filesystem>
#include <future>
#include <map>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using hostrewrite::TreeEntry;

namespace {
/// The result for an entry of the original, or one of the packed tree only.
struct Fate {
  enum Kind { Other, Same, Converted, Packed, LeftOut, Archive, Added };
  Kind Is = Other;
  /// Set for files that are more than a copy, or wrong.
  std::optional<VerifyReport> Report;
  std::set<std::string> TargetsLeftOut;
};

class TreeVerifier {
public:
  TreeVerifier(StringRef PackedRoot, const VerifyScope &Scope)
      : PackedRoot(PackedRoot), Scope(Scope) {}
  Expected<TreeVerdict> run();

private:
  Fate compare(const TreeEntry &Entry) const;
  Fate compareMissing(const TreeEntry &Entry) const;
  Fate compareFile(const TreeEntry &Entry) const;
  Fate lookAtSame(const std::string &Path) const;
  Fate lookAtAdded(const TreeEntry &Entry) const;
  std::string toOriginalName(StringRef Name) const;
  std::string toPackedName(StringRef Name) const;

  const StringRef PackedRoot;
  const VerifyScope &Scope;
  std::map<StringRef, const TreeEntry *> PackedByName;
};
} // namespace

static std::string pathIn(StringRef Root, StringRef Name) {
  SmallString<256> Path(Root);
  sys::path::append(Path, Name);
  return Path.str().str();
}

std::string TreeVerifier::toOriginalName(StringRef Name) const {
  return pathIn(Scope.Original, Name);
}

std::string TreeVerifier::toPackedName(StringRef Name) const {
  return pathIn(PackedRoot, Name);
}

/// Reports the problem \p Message of a file of the packed tree.
static Fate wrong(const std::string &Path, const Twine &Message) {
  Fate Found;
  Found.Report.emplace();
  Found.Report->Path = Path;
  Found.Report->Kind = "file";
  Found.Report->problem(Path + ": " + Message);
  return Found;
}

static Expected<bool> areSame(const std::string &A, const std::string &B) {
  auto Open = [](const std::string &Path) {
    return MemoryBuffer::getFile(Path, /*IsText=*/false,
                                 /*RequiresNullTerminator=*/false);
  };
  ErrorOr<std::unique_ptr<MemoryBuffer>> OfA = Open(A), OfB = Open(B);
  if (!OfA || !OfB)
    return createStringError((OfA ? B : A) + ": " +
                             (OfA ? OfB : OfA).getError().message() +
                             "; make it readable for this user");
  return (*OfA)->getBuffer() == (*OfB)->getBuffer();
}

/// Code objects and indexes for unwanted targets may be missing.
Fate TreeVerifier::compareMissing(const TreeEntry &Entry) const {
  std::string Target =
      Entry.isFile() && (hostrewrite::isDatabaseCode(Entry.Name) ||
                         StringRef(Entry.Name).ends_with(".dat"))
          ? hostrewrite::targetOfDatabaseFile(Entry.Name)
          : "";
  if (!Target.empty() && !Scope.wants(Target)) {
    Fate Found;
    Found.Is = Fate::LeftOut;
    Found.TargetsLeftOut.insert(Target);
    return Found;
  }
  return wrong(toPackedName(Entry.Name),
               "is not there, and " + toOriginalName(Entry.Name) + " is; " +
                   (Target.empty() ? "pack the tree again"
                                   : "pack the tree again, or say with --arch= "
                                     "or --gpu= which targets are meant to be "
                                     "there"));
}

/// Checks an unchanged file. A host-only one has to find its archives.
Fate TreeVerifier::lookAtSame(const std::string &Path) const {
  Fate Found;
  Found.Is = Fate::Same;
  std::error_code EC;
  std::string Magic = readMagic(Path, EC);
  if (looksLikeArchive(Path, Magic)) {
    Found.Report = verifyArchive(Path, UnpackedAlways);
    return Found;
  }
  if ((!looksLinked(Magic) && !mayBeReference(Magic)) || !hasHipCode(Path))
    return Found;
  Expected<HostBinary> Binary = readHostBinary(Path);
  if (!Binary)
    return consumeError(Binary.takeError()), Found;
  if (Binary->Ref || !Binary->MarkerProblem.empty()) {
    Found.Report = verifyBinary(Path, Scope, /*Original=*/"");
    return Found;
  }
  Found.Report.emplace();
  Found.Report->Path = Path;
  Found.Report->Kind = "binary";
  Found.Report->Summary = "fat, as it was";
  return Found;
}

Fate TreeVerifier::compareFile(const TreeEntry &Entry) const {
  std::string Old = toOriginalName(Entry.Name), New = toPackedName(Entry.Name);
  Expected<bool> Same = areSame(Old, New);
  if (!Same)
    return wrong(New, "cannot be compared: " + toString(Same.takeError()));
  if (*Same)
    return lookAtSame(New);
  std::error_code EC;
  std::string Magic = readMagic(New, EC);
  bool MayBeOurs = looksLinked(Magic) || mayBeReference(Magic);
  Expected<HostBinary> Binary = MayBeOurs && hasHipCode(New)
                                    ? readHostBinary(New)
                                    : createStringError("no HIP code");
  if (!Binary) {
    consumeError(Binary.takeError());
    return wrong(New, "neither the same as " + Old +
                          " nor what kpack makes of it; pack the tree again");
  }
  Fate Found;
  Found.Is = Binary->IsReference ? Fate::Packed : Fate::Converted;
  // A reference has no host part, only code to compare.
  Found.Report = verifyBinary(New, Scope, Binary->IsReference ? "" : Old);
  compareCode(*Binary, Old, Scope, *Found.Report, Found.TargetsLeftOut);
  return Found;
}

static std::string targetOfLink(const std::string &Path) {
  std::error_code EC;
  return std::filesystem::read_symlink(Path, EC).string();
}

Fate TreeVerifier::compare(const TreeEntry &Entry) const {
  auto It = PackedByName.find(Entry.Name);
  if (It == PackedByName.end())
    return compareMissing(Entry);
  std::string Old = toOriginalName(Entry.Name), New = toPackedName(Entry.Name);
  if ((Entry.Info.st_mode & S_IFMT) != (It->second->Info.st_mode & S_IFMT))
    return wrong(New, "is of another kind (file, folder, link) than " + Old +
                          "; pack the tree again");
  if (Entry.isLink() && targetOfLink(Old) != targetOfLink(New))
    return wrong(New, "leads to " + targetOfLink(New) + ", and " + Old +
                          " to " + targetOfLink(Old) + "; pack the tree again");
  return Entry.isFile() ? compareFile(Entry) : Fate();
}

Fate TreeVerifier::lookAtAdded(const TreeEntry &Entry) const {
  Fate Found;
  std::string Path = toPackedName(Entry.Name);
  std::error_code EC;
  if (Entry.isFile() && looksLikeArchive(Path, readMagic(Path, EC))) {
    Found.Is = Fate::Archive;
    Found.Report = verifyArchive(Path, UnpackedAlways);
  } else if (!Entry.isFolder()) {
    Found.Is = Fate::Added;
  }
  return Found;
}

static void addUp(TreeVerdict &Sum, Fate &&One) {
  Sum.Same += One.Is == Fate::Same;
  Sum.Converted += One.Is == Fate::Converted;
  Sum.Packed += One.Is == Fate::Packed;
  Sum.LeftOut += One.Is == Fate::LeftOut;
  Sum.Archives += One.Is == Fate::Archive;
  Sum.Added += One.Is == Fate::Added;
  Sum.TargetsLeftOut.merge(One.TargetsLeftOut);
  if (One.Report)
    Sum.Files.push_back(std::move(*One.Report));
}

static Expected<std::vector<TreeEntry>> readEntries(StringRef Root) {
  Expected<hostrewrite::TreeRoot> Opened = hostrewrite::TreeRoot::open(Root);
  return Opened ? Opened->walk() : Opened.takeError();
}

Expected<TreeVerdict> TreeVerifier::run() {
  Expected<std::vector<TreeEntry>> Before = readEntries(Scope.Original);
  if (!Before)
    return Before.takeError();
  Expected<std::vector<TreeEntry>> After = readEntries(PackedRoot);
  if (!After)
    return After.takeError();
  for (const TreeEntry &Entry : *After)
    PackedByName.emplace(Entry.Name, &Entry);
  std::set<StringRef> Known;
  std::vector<std::future<Fate>> Fates;
  WorkerThreads Workers;
  auto Begin = [&](auto Look) {
    auto Task = std::make_shared<std::packaged_task<Fate()>>(std::move(Look));
    Fates.push_back(Task->get_future());
    Workers.run([Task] { (*Task)(); });
  };
  for (const TreeEntry &Entry : *Before) {
    Known.insert(Entry.Name);
    Begin([&] { return compare(Entry); });
  }
  for (const TreeEntry &Entry : *After)
    if (!Known.count(Entry.Name))
      Begin([&] { return lookAtAdded(Entry); });
  TreeVerdict Sum;
  Sum.Entries = Before->size() - 1;
  for (std::future<Fate> &One : Fates)
    addUp(Sum, One.get());
  return std::move(Sum);
}

size_t TreeVerdict::problemCount() const {
  size_t Count = 0;
  for (const VerifyReport &File : Files)
    Count += File.Problems.size();
  return Count;
}

std::string TreeVerdict::describe() const {
  std::string Text =
      Entries == 1 ? "1 entry" : std::to_string(Entries) + " entries";
  auto Add = [&](size_t Count, StringRef Before, StringRef After) {
    if (Count != 0)
      Text += ", " + Before.str() + std::to_string(Count) + After.str();
  };
  Add(Same, "", Same == 1 ? " file the same" : " files the same");
  Add(Converted, "", " converted");
  Add(Packed, "", " packed");
  Add(LeftOut, "", " left out");
  Add(Archives, "", Archives == 1 ? " archive" : " archives");
  Add(Added, "and ", " that the original has not");
  if (!TargetsLeftOut.empty())
    Text += "; without code for " + join(TargetsLeftOut, ", ");
  return Text;
}

Expected<TreeVerdict> tool::verifyTree(StringRef Packed,
                                       const VerifyScope &Scope) {
  return TreeVerifier(Packed, Scope).run();
}
