//===- PackTree.cpp - conversion of a directory tree ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at Packer::run. Files are copied or read one after another, in
// the order of their names, while threads write and verify the host parts of
// earlier files and the archive writers compress their code. Folders stay
// writable until the end, when each gets its final permissions and times.
// Siblings: PackDatabases.cpp, Convert.cpp.
//
//===----------------------------------------------------------------------===//
#include "Packer.h"

#include "CopiedFile.h"
#include "FileAttributes.h"
#include "Support/Files.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/Session.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace kpack::hostrewrite {

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

/// Returns the path of an entry for messages. openEntry() opens it.
std::string Packer::inputOf(const TreeEntry &Entry) const {
  return Input.pathOf(Entry.Name);
}

std::string Packer::outputOf(StringRef Name) const {
  SmallString<256> Path(Tree->place());
  sys::path::append(Path, Name);
  return Path.str().str();
}

/// Refuses another file with the name of an archive.
Error Packer::checkName(const TreeEntry &Entry) const {
  StringRef Name = Entry.Name;
  if (Name == ".kpack" && !Entry.isFolder())
    return objectError(inputOf(Entry), "is where the archives go; rename it");
  if (!Name.consume_front(".kpack/"))
    return Error::success();
  Name.consume_front("debug/");
  if (Name.contains('/'))
    return Error::success();
  bool IsTaken =
      Options.Family.empty()
          ? Name.starts_with(Options.GroupName + "_") &&
                Name.ends_with(".kpack")
          : Name == Options.GroupName + "-" + Options.Family + ".kpack";
  if (IsTaken)
    return objectError(inputOf(Entry), "has the name of an archive that is to "
                                       "be written; give another "
                                       "--group-name=");
  return Error::success();
}

/// Sets the attributes of folders after the last write to them, from the
/// leaves to the root.
Error Packer::finishFolders() {
  for (const TreeEntry &Entry : reverse(Entries)) {
    if (!Entry.isFolder())
      continue;
    Expected<UniqueFd> Source = Input.openEntry(Entry);
    if (!Source)
      return Source.takeError();
    UniqueFd Target(::open(outputOf(Entry.Name).c_str(),
                           O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!Target)
      return systemError(inputOf(Entry), "cannot be created in the output");
    copyAttributes(Source->get(), Target.get());
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

void Packer::beginArchives() {
  ArchiveSet Set;
  std::string Name =
      Options.Family.empty()
          ? Options.GroupName + "_" + std::string(ArchPlaceholder)
          : Options.GroupName + "-" + Options.Family;
  Set.Path = ArchivePath = outputOf(".kpack/" + Name + ".kpack");
  Set.Writer = Options.Archives;
  Set.Writer.IsShared = true;
  Set.Writer.GroupName = Options.GroupName;
  Set.Writer.ArchFamily = Options.Family;
  Set.Debug = Options.Debug;
  auto Workers = std::make_shared<WorkerThreads>(Options.Archives.Threads);
  Set.Writer.Pool = makeCompressionPool(Workers);
  Archives.emplace(std::move(Set));
  UnderWay.emplace(std::move(Workers));
}

bool Packer::wants(StringRef Target) {
  bool Stays = !Options.Wants || Options.Wants(Target);
  (Stays ? HasKept : HasLeftOut) = true;
  return Stays;
}

static Error interrupted(StringRef Path) {
  return objectError(Path, "interrupted, and nothing was written; start again");
}

Error Packer::add(const CodeObject &Object) {
  if (Options.IsInterrupted && Options.IsInterrupted())
    return interrupted(Options.Output);
  HasAdded = true;
  applyLimit();
  Error E = Archives->add(Object);
  IsArchiveBroken |= bool(E);
  return E;
}

Error Packer::finish(StringRef Id) {
  Archives->endBinary(Id);
  return Error::success();
}

Error Packer::finishArchives() {
  if (Options.Check)
    if (Error E = Options.Check())
      return E;
  if (HasLeftOut && !HasKept)
    return objectError(Options.Input, "no code for these architectures in any "
                                      "binary; 'kpack inspect' names the "
                                      "targets");
  if (Done.ConvertedCount + Done.PackedCount == 0)
    return Error::success();
  if (Error E = Archives->finish())
    return E;
  // Compression may have taken long.
  if (Options.IsInterrupted && Options.IsInterrupted())
    return interrupted(Options.Output);
  Replacements Old;
  if (Error E = Archives->commit(Old))
    return E;
  Old.forget();
  for (StringRef Path : Archives->paths()) {
    uint64_t Size = 0;
    if (std::error_code EC = sys::fs::file_size(Path, Size))
      return fileError(Path, "cannot be read", EC);
    Done.ArchiveSize += Size;
    Path.consume_front(Tree->place());
    Done.ArchivePaths.push_back(
        Options.Output +
        (StringRef(Options.Output).ends_with("/") ? Path.drop_front() : Path)
            .str());
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Error Packer::copy(const TreeEntry &Entry) {
  Expected<UniqueFd> Source = Input.openEntry(Entry);
  if (!Source)
    return Source.takeError();
  return copyFile(Source->get(), inputOf(Entry), outputOf(Entry.Name));
}

/// Copies a binary that cannot be converted; the work continues.
Error Packer::refuse(const TreeEntry &Entry, bool HasAdded, Error Why) {
  if (IsArchiveBroken || (Options.IsInterrupted && Options.IsInterrupted()))
    return Why;
  Expected<UniqueFd> File = Input.openEntry(Entry);
  if (!File)
    return joinErrors(std::move(Why), File.takeError());
  if (!HasAdded && !mayHaveDeviceCode(File->get(), inputOf(Entry))) {
    consumeError(std::move(Why));
    return copy(Entry);
  }
  std::string Text = toString(withOutputName(std::move(Why)));
  // Code that is in the archives already cannot be removed from them.
  if (HasAdded)
    Late[Entry.Name] = Text;
  if (Options.OnFat)
    Options.OnFat(Entry.Name, Text);
  return copyFat(Entry, std::move(Text));
}

/// Copies a binary that cannot be converted. Other names of it are linked to
/// the copy, even if the output is given up in the end.
Error Packer::copyFat(const TreeEntry &Entry, std::string Why) {
  Done.StayedFat.push_back({Entry.Name, std::move(Why)});
  return copy(Entry);
}

/// Returns the error of an earlier file if there is one, otherwise \p E.
Error Packer::afterThoseBefore(Error E) {
  if (Options.IsInterrupted && Options.IsInterrupted())
    return E; // do not wait for the earlier files
  Error Earlier = UnderWay->finish();
  if (!Earlier)
    return E;
  consumeError(std::move(E));
  return Earlier;
}

Error Packer::convert(const TreeEntry &Entry, UniqueFd File) {
  ConvertOptions One;
  One.Input = inputOf(Entry);
  One.OpenInput = std::make_shared<const UniqueFd>(std::move(File));
  One.Output = outputOf(Entry.Name);
  One.ArchivePath = ArchivePath;
  One.KernelName = Entry.Name;
  One.Debug = Options.Debug;
  // Debug files of an installation are in separate packages.
  One.Layout = LayoutKind::Keep;
  std::vector<std::string> OtherNames = namesOf(Entry);
  OtherNames.erase(OtherNames.begin());
  Archives->beginBinary(Entry.Name);
  HasAdded = false;
  Expected<std::unique_ptr<StartedConversion>> Started =
      startConversion(*this, One, OtherNames);
  bool Added = HasAdded;
  if (!Started) {
    Error Why = Started.takeError();
    if (Error E = UnderWay->finish()) {
      consumeError(std::move(Why));
      return E;
    }
    return refuse(Entry, Added, std::move(Why));
  }
  return UnderWay->add(std::move(*Started),
                       [this, &Entry, Added](Expected<Conversion> Result) {
                         return noteConversion(Entry, Added, std::move(Result));
                       });
}

Error Packer::noteConversion(const TreeEntry &Entry, bool HasAdded,
                             Expected<Conversion> Result) {
  if (!Result)
    return refuse(Entry, HasAdded, Result.takeError());
  if (Result->Kind == InputKind::EmptyBundles) {
    Done.WithoutCode.push_back(Entry.Name);
    if (Options.OnKept)
      Options.OnKept(Entry.Name,
                     createStringError("no device code for a GPU; copied"));
  }
  if (Result->Kind != InputKind::Fat)
    return Error::success();
  ++Done.ConvertedCount;
  Done.FatSize += Result->InputSize;
  Done.HostSize += Result->OutputSize;
  if (Options.OnConverted)
    Options.OnConverted(Entry.Name, *Result);
  return Error::success();
}

/// Links another name of a file to its first name in the output.
Error Packer::linkToFirst(const TreeEntry &Entry, StringRef FirstName) {
  std::string First = outputOf(FirstName);
  std::string Second = outputOf(Entry.Name);
  if (::link(First.c_str(), Second.c_str()) == 0)
    return Error::success();
  // The conversion of the first name may still be running.
  if (Error E = UnderWay->finish())
    return E;
  if (::link(First.c_str(), Second.c_str()) != 0)
    return systemError(inputOf(Entry), "cannot be linked");
  return Error::success();
}

Error Packer::packFile(const TreeEntry &Entry) {
  if (auto It = Names.find(getId(Entry));
      It != Names.end() && It->second.front() != Entry.Name)
    return linkToFirst(Entry, It->second.front());
  if (auto It = Known.find(Entry.Name); It != Known.end())
    return copyFat(Entry, It->second);
  if (isDatabaseCode(Entry.Name) && (Options.PackDatabases || Options.Wants))
    return packDatabaseFile(Entry);
  Expected<UniqueFd> File = Input.openEntry(Entry);
  if (!File)
    return File.takeError();
  return isHostFile(File->get()) ? convert(Entry, std::move(*File))
                                 : copy(Entry);
}

/// Restricts the readers of the archives only once they get code of the file,
/// so that a file without code does not close them.
void Packer::limitTo(const Readers &Who) { PackedBy = Who; }

void Packer::applyLimit() {
  if (!PackedBy)
    return;
  if (PackedBy->areAll())
    HasOpen = true;
  else if (Done.ClosedBy.empty())
    Done.ClosedBy = Packing.str();
  Archives->limitTo(*PackedBy);
  PackedBy.reset();
}

Error Packer::pack(const TreeEntry &Entry) {
  Packing = Entry.Name;
  if (Unused.count(Entry.Name)) {
    leaveOut(Entry);
    return Error::success();
  }
  if (Entry.isLink()) {
    Expected<UniqueFd> Link = Input.openEntry(Entry);
    return Link ? copyLink(Link->get(), inputOf(Entry), outputOf(Entry.Name))
                : Link.takeError();
  }
  if (Entry.isFile())
    return packFile(Entry);
  // The root exists, and .kpack if an earlier name had device code.
  if (!Entry.Name.empty() && ::mkdir(outputOf(Entry.Name).c_str(), 0700) != 0 &&
      errno != EEXIST)
    return systemError(inputOf(Entry), "cannot be created in the output");
  return Error::success();
}

Error Packer::packAll() {
  for (const auto &[I, Entry] : enumerate(Entries)) {
    if (Options.IsInterrupted && Options.IsInterrupted())
      return interrupted(Options.Output);
    if (Options.OnFile)
      Options.OnFile(I, Entries.size(), Entry.Name);
    if (Error E = pack(Entry))
      return afterThoseBefore(std::move(E));
  }
  if (Error E = UnderWay->finish())
    return E;
  if (!HasOpen)
    Done.ClosedBy.clear();
  if (!Done.StayedFat.empty() && !Options.KeepFat)
    return objectError(Options.Input,
                       "nothing was written, since " +
                           counted(Done.StayedFat.size(), "file") +
                           " cannot be converted; say --keep-fat to copy what "
                           "cannot be converted as it is, or --keep-going to "
                           "have that end with exit status 1");
  return Error::success();
}

Expected<PackedTree> Packer::run() {
  if (Error E =
          findTreeFolders(Options.Input, Options.Output).moveInto(Folders))
    return std::move(E);
  if (Error E = TreeRoot::open(Folders.Input).moveInto(Input))
    return std::move(E);
  if (Error E = Input.walk().moveInto(Entries))
    return std::move(E);
  for (const TreeEntry &Entry : Entries) {
    if (Error E = checkName(Entry))
      return std::move(E);
    if (Entry.isFile() && Entry.Info.st_nlink > 1)
      Names[getId(Entry)].push_back(Entry.Name);
  }
  if (Options.Wants)
    if (Error E = unusedIndexes(Input, Entries, Options.Wants).moveInto(Unused))
      return std::move(E);
  Done.EntryCount = Entries.size() - 1;
  if (Error E = Around.makeFor(Folders.Output))
    return std::move(E);
  Tree.emplace(temporaryNameFor(Folders.Output));
  if (Error E = Tree->make(Options.Output))
    return std::move(E);
  beginArchives();
  if (Error E = packAll())
    return std::move(E);
  if (!Late.empty())
    return std::move(Done); // the output is dropped
  if (Error E = finishArchives())
    return std::move(E);
  if (Error E = finishFolders())
    return std::move(E);
  if (Error E = Tree->renameTo(Folders.Output))
    return std::move(E);
  return std::move(Done);
}

/// Temporary names do not help a user.
Error Packer::withOutputName(Error E) const {
  if (!Tree)
    return E;
  std::string Text = toString(std::move(E));
  for (const std::string &Name : {Tree->path(), Tree->place()})
    for (size_t Offset;
         !Name.empty() && (Offset = Text.find(Name)) != std::string::npos;)
      Text.replace(Offset, Name.size(), Folders.Output);
  return createStringError(inconvertibleErrorCode(), Twine(Text));
}

Expected<PackedTree> packTree(const PackTreeOptions &Options) {
  CutOffHandler Handler; // outlives all temporary files
  std::map<std::string, std::string> Known;
  PackTreeOptions Now = Options;
  for (;;) {
    Packer ThePacker(Now, Known);
    Expected<PackedTree> Done = ThePacker.run();
    if (!Done)
      return ThePacker.withOutputName(Done.takeError());
    if (ThePacker.lateFailures().empty())
      return Done;
    // Repeat without these. The callbacks reported everything already.
    for (FatFile &Fat : Done->StayedFat)
      Known.emplace(std::move(Fat.Name), std::move(Fat.Why));
    Now.OnConverted = nullptr;
    Now.OnFat = nullptr;
    Now.OnKept = nullptr;
  }
}

} // namespace kpack::hostrewrite
