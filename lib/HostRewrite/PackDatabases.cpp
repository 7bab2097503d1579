//===- PackDatabases.cpp - packing of kernel files into archives ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries of kernels load these files by name. A packed file becomes a
// reference to its code in the archives. Siblings: PackTree.cpp,
// KernelDatabase.cpp.
//
//===----------------------------------------------------------------------===//
#include "Packer.h"

#include "CopiedFile.h"
#include "MarkerReference.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kpack::hostrewrite {

/// Returns all output names of the file of \p Entry.
std::vector<std::string> Packer::namesOf(const TreeEntry &Entry) const {
  auto It = Names.find(getId(Entry));
  if (It == Names.end())
    return {outputOf(Entry.Name)};
  std::vector<std::string> All;
  for (const std::string &Name : It->second)
    All.push_back(outputOf(Name));
  return All;
}

/// Drops \p Entry; the next name of its file becomes the first.
void Packer::leaveOut(const TreeEntry &Entry) {
  HasLeftOut = true;
  ++Done.LeftOutCount;
  if (auto It = Names.find(getId(Entry)); It != Names.end())
    llvm::erase(It->second, Entry.Name);
}

/// Packs a code object that is loaded by its name.
Error Packer::packDatabaseFile(const TreeEntry &Entry) {
  Expected<UniqueFd> Opened = Input.openEntry(Entry);
  if (!Opened)
    return Opened.takeError();
  Expected<DatabaseFile> File = readDatabaseFile(Opened->get(), inputOf(Entry));
  if (!File && Options.PackDatabases && Options.OnKept) {
    if (Error E = UnderWay->finish()) {
      consumeError(File.takeError());
      return E;
    }
    Options.OnKept(Entry.Name, File.takeError());
    return copy(Entry);
  }
  if (!File) {
    consumeError(File.takeError());
    return copy(Entry);
  }
  bool AnyWanted = any_of(File->Code.Images, [&](const auto &Image) {
    return !Options.Wants || Options.Wants(Image.Target);
  });
  // A file without a target in its name is opened on every GPU.
  std::string Named = targetOfDatabaseFile(Entry.Name);
  if (!AnyWanted && !Named.empty() && !Options.Wants(Named)) {
    leaveOut(Entry);
    return Error::success();
  }
  HasKept |= AnyWanted;
  if (!AnyWanted || !Options.PackDatabases)
    return copy(Entry);
  return packImages(Entry, Opened->get(), *File);
}

Error Packer::packImages(const TreeEntry &Entry, int Source,
                         const DatabaseFile &File) {
  MarkerFacts Facts;
  Facts.KernelName = Entry.Name;
  Facts.ArchivePath = ArchivePath;
  Facts.Debug = Options.Debug;
  ArchiveIdHash Id;
  Archives->beginDatabaseFile(Entry.Name);
  limitTo(Readers::of(Source).value_or(Readers::ownerOnly()));
  for (const offload::DeviceImage &Image : File.Code.Images) {
    CodeObject Object{/*Index=*/0, Image.Target, Image.Bytes};
    Id.add(Object);
    if (!wants(Image.Target))
      continue;
    if (Error E = add(Object))
      return objectError(inputOf(Entry), std::move(E));
    Facts.Targets.push_back(Image.Target);
  }
  llvm::sort(Facts.Targets);
  Facts.Built.add(Facts.Targets, /*Name=*/"");
  Facts.ArchiveId = Id.get();
  Archives->endBinary(Facts.ArchiveId);
  Expected<std::string> Marker = makeMarkerFor(namesOf(Entry), Facts);
  if (!Marker)
    return Marker.takeError();
  Expected<uint64_t> Size =
      writeReference(Source, outputOf(Entry.Name), *Marker);
  if (!Size)
    return Size.takeError();
  ++Done.PackedCount;
  Done.FatSize += Entry.Info.st_size;
  Done.HostSize += *Size;
  return Error::success();
}

} // namespace kpack::hostrewrite
