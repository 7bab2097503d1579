//===- KernelDatabase.cpp - files of kernels beside a library -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program finds an index in one of two ways. It may build the name from the
// target of its GPU, and then never asks for an index of another target. Or it
// has read the name in another index. So the indexes that stay are searched for
// the names of those that are to go; each that is found stays too, and is
// searched in turn. An index of code that is left out, such as X_gfx90a.dat of
// X_gfx90a.co, goes even if a table of all GPUs' indexes names it: a program
// that follows the name would not find the code.
//
//===----------------------------------------------------------------------===//
#include "KernelDatabase.h"
#include "WrapperBundle.h"

#include "Offload/CodeObjectHeader.h"
#include "ToolSupport/Errors.h"
#include "kpack/Archive/Marker.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace llvm;

namespace kpack::hostrewrite {

bool isDatabaseCode(StringRef Name) {
  return Name.ends_with(".co") || Name.ends_with(".hsaco");
}

static bool isIndex(const TreeEntry &Entry) {
  return Entry.isFile() && StringRef(Entry.Name).ends_with(".dat");
}

/// Returns the position of the target in a name without its ending, or npos.
static size_t targetAt(StringRef Stem) {
  size_t Offset = Stem.rfind("gfx");
  bool IsPart = Offset != StringRef::npos && Offset != 0 &&
                (Stem[Offset - 1] == '_' || Stem[Offset - 1] == '-');
  return IsPart ? Offset : StringRef::npos;
}

std::string targetOfDatabaseFile(StringRef Name) {
  StringRef Stem = sys::path::stem(Name);
  if (size_t Offset = targetAt(Stem); Offset != StringRef::npos)
    return targetOfFileName(std::string_view(Stem.drop_front(Offset)));
  StringRef Folder = sys::path::filename(sys::path::parent_path(Name));
  return Folder.starts_with("gfx") ? targetOfFileName(std::string_view(Folder))
                                   : "";
}

Expected<DatabaseFile> readDatabaseFile(int File, const std::string &Path) {
  Result<MappedFile> Mapped = MappedFile::of(File, Path);
  if (!Mapped)
    return toError(Mapped.status());
  DatabaseFile Found{std::move(*Mapped), {}};
  StringRef Bytes = Found.File.bytes();
  if (isReference(Bytes))
    return objectError(Path, "its code is in an archive already; keep both");
  Expected<std::vector<offload::Container>> All =
      offload::readContainers(Bytes, Path);
  if (!All)
    return All.takeError();
  if (All->size() != 1)
    return objectError(Path, Twine(All->size()) + " containers of device code "
                                                  "in one file; keep it");
  if (Error E = offload::openContainer(All->front(), Path).moveInto(Found.Code))
    return std::move(E);
  llvm::erase_if(Found.Code.Images, [](const offload::DeviceImage &Image) {
    return Image.Bytes.empty();
  });
  std::set<StringRef> Targets;
  for (const offload::DeviceImage &Image : Found.Code.Images)
    if (!isCodeTarget(Image.Target) || !Targets.insert(Image.Target).second)
      return objectError(Path, "has code for '" + Image.Target +
                                   "', which is unknown, or there twice; keep "
                                   "it");
  if (Targets.empty())
    return objectError(Path, "has no device code in it; keep it");
  for (const offload::DeviceImage &Image : Found.Code.Images)
    if (std::string Damage = findDamage(Image); !Damage.empty())
      return objectError(Path, "its code for " + Image.Target + ": " + Damage +
                                   "; keep it");
  return std::move(Found);
}

namespace {
/// The indexes of one folder. Names are relative to the tree.
struct Folder {
  std::map<std::string, const TreeEntry *> Staying;
  /// Names without endings, by their last part, such as "_gfx90a".
  std::map<std::string, std::map<std::string, const TreeEntry *>> Going;

  Error search(const TreeRoot &Root);
  void findNamed(StringRef Content, std::vector<const TreeEntry *> &Named);
};
} // namespace

/// Moves the indexes that \p Content names from Going to \p Named.
void Folder::findNamed(StringRef Content,
                       std::vector<const TreeEntry *> &Named) {
  for (size_t Offset = Content.find("gfx"); Offset != StringRef::npos;
       Offset = Content.find("gfx", Offset + 1))
    for (auto &[Ending, Stems] : Going) {
      if (Offset == 0 || !Content.substr(Offset - 1).starts_with(Ending))
        continue;
      StringRef Before = Content.take_front(Offset - 1 + Ending.size());
      for (auto I = Stems.begin(); I != Stems.end();) {
        auto Stem = I++;
        if (!Before.ends_with(Stem->first))
          continue;
        Named.push_back(Stem->second);
        Stems.erase(Stem);
      }
    }
}

/// Leaves only those indexes in Going that no staying index leads to.
Error Folder::search(const TreeRoot &Root) {
  std::vector<const TreeEntry *> ToRead;
  for (const auto &[Name, Entry] : Staying)
    ToRead.push_back(Entry);
  while (!ToRead.empty() && !Going.empty()) {
    const TreeEntry &Entry = *ToRead.back();
    ToRead.pop_back();
    Expected<UniqueFd> File = Root.openEntry(Entry);
    if (!File)
      return File.takeError();
    Result<MappedFile> Mapped =
        MappedFile::of(File->get(), Root.pathOf(Entry.Name));
    if (Mapped)
      findNamed(Mapped->bytes(), ToRead);
    else
      Going.clear(); // it may name any of them
  }
  return Error::success();
}

/// Returns the names, without endings, of code objects for unwanted targets.
static std::set<StringRef> codeLeftOut(ArrayRef<TreeEntry> Entries,
                                       function_ref<bool(StringRef)> Wants) {
  std::set<StringRef> Stems;
  for (const TreeEntry &Entry : Entries) {
    if (!Entry.isFile() || !isDatabaseCode(Entry.Name))
      continue;
    std::string Target = targetOfDatabaseFile(Entry.Name);
    if (!Target.empty() && !Wants(Target))
      Stems.insert(StringRef(Entry.Name).rsplit('.').first);
  }
  return Stems;
}

Expected<std::set<std::string>>
unusedIndexes(const TreeRoot &Root, ArrayRef<TreeEntry> Entries,
              function_ref<bool(StringRef)> Wants) {
  // Only folders with code objects: other .dat files are not indexes.
  std::set<StringRef> WithCode;
  for (const TreeEntry &Entry : Entries)
    if (Entry.isFile() && isDatabaseCode(Entry.Name))
      WithCode.insert(sys::path::parent_path(Entry.Name));
  std::set<StringRef> LeftOut = codeLeftOut(Entries, Wants);
  std::set<std::string> Unused;
  std::map<StringRef, Folder> Folders;
  for (const TreeEntry &Entry : Entries) {
    StringRef Parent = sys::path::parent_path(Entry.Name);
    if (!isIndex(Entry) || !WithCode.count(Parent))
      continue;
    std::string Target = targetOfDatabaseFile(Entry.Name);
    StringRef Stem = sys::path::stem(Entry.Name);
    size_t Offset = targetAt(Stem);
    if (Entry.Info.st_size == 0)
      continue;
    if (Target.empty() || Wants(Target) || Offset == StringRef::npos)
      Folders[Parent].Staying.emplace(Entry.Name, &Entry);
    else if (LeftOut.count(StringRef(Entry.Name).rsplit('.').first))
      Unused.insert(Entry.Name);
    else
      Folders[Parent].Going[Stem.drop_front(Offset - 1).str()][Stem.str()] =
          &Entry;
  }
  for (auto &[Parent, Content] : Folders) {
    if (Error E = Content.search(Root))
      return std::move(E);
    for (const auto &[Ending, Stems] : Content.Going)
      for (const auto &[Stem, Entry] : Stems)
        Unused.insert(Entry->Name);
  }
  return std::move(Unused);
}

} // namespace kpack::hostrewrite
