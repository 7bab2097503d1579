//===- PackTree.cpp - convert a whole tree --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at Packer::run. One file after another is copied or read, in
// the order of their names, while threads write and verify the host parts of
// those before and the writers of the archives compress what has come so far.
// Folders are open to us until the end, when each gets the permissions and
// times that it is to have. Sibling: Convert.cpp.
//
//===----------------------------------------------------------------------===//
#include "kpack/HostRewrite/PackTree.h"

#include "ConversionQueue.h"
#include "CopiedFile.h"
#include "FileAttributes.h"
#include "KernelDatabase.h"
#include "Reference.h"
#include "TreeFolders.h"
#include "kpack/Archive/Marker.h"
#include "kpack/HostRewrite/TreeWalk.h"
#include "kpack/Outputs/PendingArchives.h"
#include "kpack/Support/Files.h"
#include "kpack/ToolSupport/Errors.h"
#include "kpack/ToolSupport/Session.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <map>
#include <unistd.h>

using namespace llvm;

namespace kpack::hostrewrite {

namespace {
/// A file, whatever its names are.
using FileId = std::pair<dev_t, ino_t>;

class Packer : public CodeSink {
public:
  explicit Packer(const PackTreeOptions &Options) : Options(Options) {}
  Expected<PackedTree> run();
  Error withOutputName(Error E) const;

private:
  bool wants(StringRef Target) override;
  Error add(const CodeObject &Object) override;
  Error finish(StringRef Id) override;

  void beginArchives();
  Error checkName(const TreeEntry &Entry) const;
  Error packAll();
  Error pack(const TreeEntry &Entry);
  Error packFile(const TreeEntry &Entry);
  Error convert(const TreeEntry &Entry);
  Error noteConversion(const TreeEntry &Entry, bool HasAdded,
                       Expected<Conversion> Result);
  Error afterThoseBefore(Error E);
  Error refuse(const TreeEntry &Entry, bool HasAdded, Error Why);
  Error linkToFirst(const TreeEntry &Entry, StringRef FirstName);
  Error copy(const TreeEntry &Entry);
  Error packDatabaseFile(const TreeEntry &Entry);
  Error packImages(const TreeEntry &Entry, const DatabaseFile &File);
  void leaveOut(const TreeEntry &Entry);
  std::vector<std::string> namesOf(const TreeEntry &Entry) const;
  Error finishArchives();
  void finishFolders();
  std::string inputOf(const TreeEntry &Entry) const;
  std::string outputOf(StringRef Name) const;

  const PackTreeOptions &Options;
  TreeFolders Folders;
  std::vector<TreeEntry> Entries;
  /// The names of each file that has several, in the order of the entries.
  std::map<FileId, std::vector<std::string>> Names;
  /// Of indexes that are left out.
  std::set<std::string> Unused;
  std::optional<TemporaryTree> Tree;
  std::string ArchivePath;
  std::optional<PendingArchives> Archives;
  /// Of the binary that is converted, whether any code went to an archive.
  bool HasAdded = false;
  /// Of the whole tree.
  bool HasKept = false, HasLeftOut = false;
  /// Binaries that cannot be converted.
  size_t RefusedCount = 0;
  PackedTree Done;
  /// Last, as what is in it uses the others.
  std::optional<ConversionQueue> UnderWay;
};
} // namespace

static FileId idOf(const TreeEntry &Entry) {
  return {Entry.Info.st_dev, Entry.Info.st_ino};
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

std::string Packer::inputOf(const TreeEntry &Entry) const {
  SmallString<256> Path(Folders.Input);
  sys::path::append(Path, Entry.Name);
  return Path.str().str();
}

std::string Packer::outputOf(StringRef Name) const {
  SmallString<256> Path(Tree->path());
  sys::path::append(Path, Name);
  return Path.str().str();
}

/// What gets the name of an archive cannot be another file.
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

/// Outputs get what they are to have besides their bytes when nothing is put
/// into them any more: what is in a folder before the folder.
void Packer::finishFolders() {
  for (const TreeEntry &Entry : reverse(Entries))
    if (Entry.isFolder())
      copyAttributes(inputOf(Entry), outputOf(Entry.Name));
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
  return Archives->add(Object);
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
    Path.consume_front(Tree->path());
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
  return copyFile(inputOf(Entry), outputOf(Entry.Name));
}

/// A binary that cannot be converted: the others are looked at all the same.
Error Packer::refuse(const TreeEntry &Entry, bool HasAdded, Error Why) {
  // What is in the archives already cannot be taken back.
  if (HasAdded)
    return Why;
  if (!mayHaveDeviceCode(inputOf(Entry))) {
    consumeError(std::move(Why));
    return copy(Entry);
  }
  if (Options.OnFat)
    Options.OnFat(Entry.Name, std::move(Why));
  else
    consumeError(std::move(Why));
  // The copy is of no use then, but for other names of the file.
  ++RefusedCount;
  return copy(Entry);
}

/// \p E, unless there is an error of a file that came before.
Error Packer::afterThoseBefore(Error E) {
  if (Options.IsInterrupted && Options.IsInterrupted())
    return E; // nobody waits for those
  Error Earlier = UnderWay->finish();
  if (!Earlier)
    return E;
  consumeError(std::move(E));
  return Earlier;
}

Error Packer::convert(const TreeEntry &Entry) {
  ConvertOptions One;
  One.Input = inputOf(Entry);
  One.Output = outputOf(Entry.Name);
  One.ArchivePath = ArchivePath;
  One.KernelName = Entry.Name;
  One.Debug = Options.Debug;
  // Debug files of an installation are in packages of their own.
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
  if (Result->Kind != InputKind::Fat)
    return Error::success();
  ++Done.ConvertedCount;
  Done.FatSize += Result->InputSize;
  Done.HostSize += Result->OutputSize;
  if (Options.OnConverted)
    Options.OnConverted(Entry.Name, *Result);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Kernel databases
//===----------------------------------------------------------------------===//

/// All names in the output of the file that has \p Entry's.
std::vector<std::string> Packer::namesOf(const TreeEntry &Entry) const {
  auto It = Names.find(idOf(Entry));
  if (It == Names.end())
    return {outputOf(Entry.Name)};
  std::vector<std::string> All;
  for (const std::string &Name : It->second)
    All.push_back(outputOf(Name));
  return All;
}

/// Another name of the file is its first one then.
void Packer::leaveOut(const TreeEntry &Entry) {
  HasLeftOut = true;
  ++Done.LeftOutCount;
  if (auto It = Names.find(idOf(Entry)); It != Names.end())
    llvm::erase(It->second, Entry.Name);
}

/// A code object that is loaded by its name.
Error Packer::packDatabaseFile(const TreeEntry &Entry) {
  Expected<DatabaseFile> File = readDatabaseFile(inputOf(Entry));
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
  // Whoever opens a file without a target in its name does so on every GPU.
  std::string Named = targetOfDatabaseFile(Entry.Name);
  if (!AnyWanted && !Named.empty() && !Options.Wants(Named)) {
    leaveOut(Entry);
    return Error::success();
  }
  HasKept |= AnyWanted;
  if (!AnyWanted || !Options.PackDatabases)
    return copy(Entry);
  return packImages(Entry, *File);
}

Error Packer::packImages(const TreeEntry &Entry, const DatabaseFile &File) {
  MarkerFacts Facts;
  Facts.KernelName = Entry.Name;
  Facts.ArchivePath = ArchivePath;
  Facts.Debug = Options.Debug;
  ArchiveIdHash Id;
  Archives->beginDatabaseFile(Entry.Name);
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
      writeReference(inputOf(Entry), outputOf(Entry.Name), *Marker);
  if (!Size)
    return Size.takeError();
  ++Done.PackedCount;
  Done.FatSize += Entry.Info.st_size;
  Done.HostSize += *Size;
  return Error::success();
}

/// Another name of a file that has got its first one in the output.
Error Packer::linkToFirst(const TreeEntry &Entry, StringRef FirstName) {
  std::string First = outputOf(FirstName);
  std::string Second = outputOf(Entry.Name);
  if (::link(First.c_str(), Second.c_str()) == 0)
    return Error::success();
  // It may be under way still.
  if (Error E = UnderWay->finish())
    return E;
  if (::link(First.c_str(), Second.c_str()) != 0)
    return systemError(inputOf(Entry), "cannot be linked");
  return Error::success();
}

Error Packer::packFile(const TreeEntry &Entry) {
  if (auto It = Names.find(idOf(Entry));
      It != Names.end() && It->second.front() != Entry.Name)
    return linkToFirst(Entry, It->second.front());
  if (isDatabaseCode(Entry.Name) && (Options.PackDatabases || Options.Wants))
    return packDatabaseFile(Entry);
  return isHostFile(inputOf(Entry)) ? convert(Entry) : copy(Entry);
}

Error Packer::pack(const TreeEntry &Entry) {
  if (Unused.count(Entry.Name)) {
    leaveOut(Entry);
    return Error::success();
  }
  if (Entry.isLink())
    return copyLink(inputOf(Entry), outputOf(Entry.Name), Entry.Info);
  if (Entry.isFile())
    return packFile(Entry);
  // The root is there, and .kpack if a name before it had device code.
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
  if (RefusedCount != 0 && !Options.KeepFat)
    return objectError(Options.Input,
                       "nothing was written, since " +
                           counted(RefusedCount, "file") +
                           " cannot be converted; say --keep-fat to copy what "
                           "cannot be converted as it is");
  return Error::success();
}

Expected<PackedTree> Packer::run() {
  if (Error E =
          findTreeFolders(Options.Input, Options.Output).moveInto(Folders))
    return std::move(E);
  if (Error E = walkTree(Folders.Input).moveInto(Entries))
    return std::move(E);
  for (const TreeEntry &Entry : Entries) {
    if (Error E = checkName(Entry))
      return std::move(E);
    if (Entry.isFile() && Entry.Info.st_nlink > 1)
      Names[idOf(Entry)].push_back(Entry.Name);
  }
  if (Options.Wants)
    Unused = unusedIndexes(Folders.Input, Entries, Options.Wants);
  Done.EntryCount = Entries.size() - 1;
  Tree.emplace(temporaryNameFor(Folders.Output));
  if (::mkdir(Tree->path().c_str(), 0700) != 0)
    return systemError(Options.Output, "cannot be created");
  beginArchives();
  if (Error E = packAll())
    return std::move(E);
  if (Error E = finishArchives())
    return std::move(E);
  finishFolders();
  if (Error E = Tree->renameTo(Folders.Output))
    return std::move(E);
  return std::move(Done);
}

/// The temporary name is nothing to a user.
Error Packer::withOutputName(Error E) const {
  if (!Tree)
    return E;
  std::string Text = toString(std::move(E));
  for (size_t At; (At = Text.find(Tree->path())) != std::string::npos;)
    Text.replace(At, Tree->path().size(), Folders.Output);
  return createStringError(inconvertibleErrorCode(), Twine(Text));
}

Expected<PackedTree> packTree(const PackTreeOptions &Options) {
  CutOffHandler Handler; // outlives all temporary files
  Packer ThePacker(Options);
  Expected<PackedTree> Done = ThePacker.run();
  if (!Done)
    return ThePacker.withOutputName(Done.takeError());
  return Done;
}

} // namespace kpack::hostrewrite
