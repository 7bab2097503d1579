//===- Outputs.cpp - everything a link writes, or nothing -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is written and complete before commitAll() does the first rename.
// Each temporary name is noted for the interrupt handler before its file exists
// or, where the name is known only afterwards, with interrupts held in between.
//
// Another link may work on the same names: a directory that it has just made is
// welcome, and whose archive stands at a path is asked when writing begins and
// again right before the rename. The linked file is patched in place, and
// written, not mapped, where a full disk is a SIGBUS; the marker has its final
// size since before the link. The archive_id is a hash of the code
// objects, their targets and their indices and of nothing else, such as the
// time or a path, so that the same code gives the same id.
//
//===----------------------------------------------------------------------===//
#include "Outputs.h"

#include "ArchiveOwner.h"
#include "kpack/Archive/Marker.h"
#include "kpack/Offload/HipSymbols.h"
#include "kpack/Support/LittleEndian.h"
#include "kpack/Support/TargetId.h"
#include "kpack/ToolSupport/Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <sys/stat.h>

using namespace llvm;
using kpack::objectError;
using kpack::toError;

namespace kpack::linker {

/// \p Doing, "cannot write", has failed for a file.
static Error fileError(StringRef Path, StringRef Doing, std::error_code EC) {
  return objectError(Path, Doing + ": " + EC.message() +
                               "; check the directory, its permissions and "
                               "free space");
}

Error writeFile(StringRef Path, StringRef Name, StringRef Contents) {
  std::error_code EC = writeInPlace(Path, Contents);
  return EC ? fileError(Name, "cannot write", EC) : Error::success();
}

//===----------------------------------------------------------------------===//
// PendingFile
//===----------------------------------------------------------------------===//

/// The place of \p Path; where that cannot be replaced commit() will say so.
static OutputPlace placeOf(const std::string &Path) {
  Result<OutputPlace> Place = findOutputPlace(Path);
  return Place ? std::move(*Place) : OutputPlace{Path, Path, std::nullopt};
}

PendingFile::PendingFile(std::string Path, bool HasCompanions)
    : Place(placeOf(Path)), Temporary(temporaryNameFor(Place.Path)),
      Name(Temporary), HasCompanions(HasCompanions) {
  removeLeftovers(Place.Path);
}

/// The files in the same directory that start with the temporary name.
std::vector<std::string> PendingFile::companions() const {
  std::vector<std::string> Names;
  if (!HasCompanions)
    return Names;
  StringRef Directory = sys::path::parent_path(Temporary);
  std::string Prefix = (sys::path::filename(Temporary) + ".").str();
  std::error_code EC;
  for (sys::fs::directory_iterator
           It(Directory.empty() ? StringRef(".") : Directory, EC),
       End;
       It != End && !EC; It.increment(EC))
    if (sys::path::filename(It->path()).starts_with(Prefix))
      Names.push_back(It->path());
  return Names;
}

PendingFile::~PendingFile() {
  if (!IsCommitted)
    Name.removeFiles();
}

Error PendingFile::write(StringRef Contents) {
  return writeFile(Temporary, Place.Name, Contents);
}

/// Gives the file \p Temporary the permissions of the one it replaces. What can
/// be run can be run by all who may read it, as linkers have it.
static void keepMode(const std::string &Temporary, mode_t Mode) {
  struct stat Info;
  if (::stat(Temporary.c_str(), &Info) != 0)
    return;
  constexpr mode_t Read = S_IRUSR | S_IRGRP | S_IROTH;
  constexpr mode_t Run = S_IXUSR | S_IXGRP | S_IXOTH;
  if (Info.st_mode & Run)
    Mode |= (Mode & Read) >> 2;
  // Not every file system has permissions.
  if (::chmod(Temporary.c_str(), Mode) != 0)
    errno = 0;
}

static Error rename(StringRef From, StringRef To, Replacements &Old) {
  std::error_code EC = Old.save(To);
  if (!EC)
    EC = sys::fs::rename(From, To);
  return EC ? fileError(To, "cannot rename to this name", EC)
            : Error::success();
}

Error PendingFile::commit(Replacements &Old) {
  for (const std::string &Companion : companions()) {
    std::string Final = Companion;
    Final.replace(Final.rfind(sys::path::filename(Temporary)),
                  sys::path::filename(Temporary).size(),
                  sys::path::filename(Place.Path));
    if (Error E = rename(Companion, Final, Old))
      return E;
  }
  if (Place.Mode)
    keepMode(Temporary, *Place.Mode);
  if (Error E = rename(Temporary, Place.Path, Old))
    return E;
  IsCommitted = true;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// PendingArchives
//===----------------------------------------------------------------------===//

PendingArchives::~PendingArchives() {
  Writers.clear(); // removes what was not renamed
  if (IsKept)
    return;
  for (const std::string &Directory : reverse(MadeDirectories))
    sys::fs::remove(Directory);
}

Error PendingArchives::makeDirectory(StringRef Directory) {
  if (Directory.empty() || sys::fs::is_directory(Directory))
    return Error::success();
  if (Error E = makeDirectory(sys::path::parent_path(Directory)))
    return E;
  // Another link may make it at the same time.
  std::error_code EC = sys::fs::create_directory(
      Directory, /*IgnoreExisting=*/false, sys::fs::all_all);
  if (!EC)
    MadeDirectories.push_back(Directory.str());
  else if (EC != errc::file_exists)
    return fileError(Directory, "cannot create the archive's directory", EC);
  return Error::success();
}

Expected<ArchiveWriter *> PendingArchives::writerFor(StringRef Target) {
  std::string Path = Options.ArchivePath;
  size_t Placeholder = Path.find(ArchPlaceholder);
  bool IsPerTarget = Placeholder != std::string::npos;
  if (IsPerTarget)
    Path.replace(Placeholder, ArchPlaceholder.size(),
                 targetFileName(std::string_view(Target)));
  if (auto It = Writers.find(Path); It != Writers.end())
    return It->second.get();

  if (sys::fs::is_directory(Path))
    return objectError(Path, "is a directory; --kpack= names a file");
  if (Error E = makeDirectory(sys::path::parent_path(Path)))
    return std::move(E);
  ArchiveWriterOptions WriterOptions = Options.Archives;
  if (IsPerTarget)
    WriterOptions.ArchFamily = Target;
  if (Error E = checkOwner(Path, Options.KernelName))
    return std::move(E);
  removeLeftovers(Path);
  HeldInterrupts Held; // the file is there before its name is noted
  Result<std::unique_ptr<ArchiveWriter>> New =
      ArchiveWriter::create(Path, std::move(WriterOptions));
  if (!New)
    return toError(New.status());
  Temporaries.push_back(
      std::make_unique<TemporaryName>((*New)->temporaryPath()));
  return Writers.emplace(Path, std::move(*New)).first->second.get();
}

Error PendingArchives::write(ArrayRef<CodeObject> Objects, StringRef Id) {
  // A file without placeholder is what a build rule waits for: it is written
  // even when there is nothing to put in.
  if (!StringRef(Options.ArchivePath).contains(ArchPlaceholder)) {
    Expected<ArchiveWriter *> Writer = writerFor("");
    if (!Writer)
      return Writer.takeError();
  }
  for (const CodeObject &Object : Objects) {
    // It comes out of an object file and becomes part of a file name.
    if (!isCodeTarget(Object.Target))
      return objectError("device code for '" + Object.Target + "'",
                         "not the target id of a GPU, no loader asks for it; "
                         "compile with --offload-arch=gfx...");
    Expected<ArchiveWriter *> Writer = writerFor(Object.Target);
    if (!Writer)
      return Writer.takeError();
    std::string Key = Options.KernelName + "#" + utostr(Object.Index);
    if (Error E = toError((*Writer)->add(
            Key, Object.Target,
            std::string_view(Object.Bytes.data(), Object.Bytes.size()))))
      return E;
    if (!Object.Source.empty())
      (*Writer)->setSource(Key, Object.Source);
  }
  for (const auto &[Path, Writer] : Writers) {
    if (!Objects.empty())
      Writer->setArchiveId(Options.KernelName, Id);
    if (Error E = toError(Writer->finish()))
      return E;
  }
  return Error::success();
}

std::vector<std::string> PendingArchives::paths() const {
  std::vector<std::string> Paths;
  for (const auto &[Path, Writer] : Writers)
    Paths.push_back(Path);
  return Paths;
}

Error PendingArchives::commit(Replacements &Old) {
  for (const auto &[Path, Writer] : Writers) {
    // Another link may have put its archive there meanwhile.
    if (Error E = checkOwner(Path, Options.KernelName))
      return E;
    if (std::error_code EC = Old.save(Writer->finalPath()))
      return fileError(Path, "cannot rename to this name", EC);
    if (Error E = toError(Writer->commit()))
      return E;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Commit
//===----------------------------------------------------------------------===//

Error commitAll(PendingArchives &Archives, ArrayRef<PendingFile *> Files) {
  // An interrupt waits until all have their names, when it is too late, or, on
  // a failure, until Old has put everything back.
  HeldInterrupts Held;
  Replacements Old;
  if (Error E = Archives.commit(Old))
    return E;
  for (PendingFile *File : Files)
    if (File)
      if (Error E = File->commit(Old))
        return E;
  Archives.keep();
  Old.forget();
  ignoreInterrupts();
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The linked file
//===----------------------------------------------------------------------===//

std::string computeArchiveId(ArrayRef<CodeObject> Objects) {
  // Over a list of (index, target, hash of the code), unambiguous since a
  // target has no NUL.
  std::string List;
  for (const CodeObject &Object : Objects) {
    appendLittleEndian(List, Object.Index);
    List += Object.Target;
    List += '\0';
    XXH128_hash_t Hash = xxh3_128bits(arrayRefFromStringRef(Object.Bytes));
    appendLittleEndian(List, Hash.low64);
    appendLittleEndian(List, Hash.high64);
  }
  XXH128_hash_t Hash = xxh3_128bits(arrayRefFromStringRef(List));
  return offload::hex16(Hash.high64) + offload::hex16(Hash.low64);
}

Error patchLinkedFile(StringRef Path, StringRef Name, const LinkedCode &Code,
                      StringRef Marker) {
  assert(Marker.size() == Code.MarkerSize && "the marker's place is fixed");
  std::error_code EC;
  raw_fd_ostream OS(Path, EC, sys::fs::CD_OpenExisting, sys::fs::FA_Write,
                    sys::fs::OF_None);
  if (EC)
    return fileError(Name, "cannot open", EC);
  OS.pwrite(Marker.data(), Marker.size(), Code.MarkerOffset);
  for (size_t I = 0; I != Code.Wrappers.size(); ++I) {
    char Index[sizeof(uint64_t)];
    support::endian::write64le(Index, I);
    OS.pwrite(Index, sizeof(Index),
              Code.Wrappers[I].FileOffset + offload::WrapperReservedOffset);
  }
  OS.close();
  EC = OS.error();
  OS.clear_error();
  return EC ? fileError(Name, "cannot write", EC) : Error::success();
}

} // namespace kpack::linker
