//===- KeptFiles.cpp - files that lld writes beside its output ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The directory is accessed by its descriptor alone: other users may be able to
// rename it if they can write to TMPDIR.
//
//===----------------------------------------------------------------------===//
#include "KeptFiles.h"

#include "MemoryFile.h"
#include "Support/Files.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/TemporaryFolder.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fcntl.h>
#include <sys/stat.h>

using namespace llvm;

namespace kpack::linker {

static Error cannotMake(StringRef Path, std::error_code Why) {
  return objectError(Path, "cannot make a temporary folder: " + Why.message() +
                               "; set TMPDIR");
}

Expected<std::unique_ptr<KeptFiles>> KeptFiles::create() {
  SmallString<128> Made;
  std::unique_ptr<KeptFiles> Files;
  {
    // An interrupt between these two calls would leave the directory behind.
    HeldInterrupts Held;
    if (std::error_code EC = makeTemporaryFolder("ld.kpack", Made))
      return cannotMake(temporaryParent(), EC);
    Files.reset(new KeptFiles(Made.str().str()));
  }
  std::string Path = Made.str().str();
  Files->Folder =
      UniqueFd(::open(Path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  struct stat Info;
  if (!Files->Folder || ::fstat(Files->Folder.get(), &Info) != 0)
    return cannotMake(Path, errnoAsErrorCode());
  if (Info.st_uid != ::geteuid() || (Info.st_mode & 0077))
    return objectError(Path, "was replaced by somebody else; set TMPDIR to a "
                             "folder where nobody else may write");
  return std::move(Files);
}

KeptFiles::~KeptFiles() { Name.removeFiles(); }

std::string KeptFiles::folder() const {
  return MemoryFilePrefix.str() + std::to_string(Folder.get());
}

std::string KeptFiles::pathFor(StringRef Name) const {
  return (folder() + "/" + Name).str();
}

/// Opens the regular file \p Name of \p Folder; \p Info receives its status.
static Expected<UniqueFd> openKept(int Folder, const std::string &Name,
                                   struct stat &Info) {
  UniqueFd Opened(::openat(Folder, Name.c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!Opened || ::fstat(Opened.get(), &Info) != 0)
    return fileError(Name, "cannot be read back", errnoAsErrorCode());
  if (!S_ISREG(Info.st_mode))
    return objectError(Name, "cannot be read back: not a regular file; drop "
                             "the arguments of the link that make it");
  return Opened;
}

static Expected<std::unique_ptr<MemoryBuffer>>
readKept(int File, const std::string &Name, const struct stat &Info) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Bytes =
      MemoryBuffer::getOpenFile(File, Name, Info.st_size,
                                /*RequiresNullTerminator=*/false);
  if (!Bytes)
    return fileError(Name, "cannot be read back", Bytes.getError());
  return std::move(*Bytes);
}

Expected<std::unique_ptr<MemoryBuffer>>
KeptFiles::read(const std::string &Name) const {
  struct stat Info;
  Expected<UniqueFd> Opened = openKept(Folder.get(), Name, Info);
  if (!Opened)
    return Opened.takeError();
  return readKept(Opened->get(), Name, Info);
}

Error KeptFiles::moveTo(PendingFile &Output, const std::string &Name) const {
  struct stat Info;
  Expected<UniqueFd> Opened = openKept(Folder.get(), Name, Info);
  if (!Opened)
    return Opened.takeError();
  Expected<std::unique_ptr<MemoryBuffer>> Bytes =
      readKept(Opened->get(), Name, Info);
  if (!Bytes)
    return Bytes.takeError();
  if (Error E = Output.create(Info.st_mode & 0777))
    return E;
  if (!writeAll(Output.descriptor(), (*Bytes)->getBuffer()))
    return fileError(Output.path(), "cannot write", errnoAsErrorCode());
  ::unlinkat(Folder.get(), Name.c_str(), 0);
  return Output.close();
}

Expected<std::vector<std::unique_ptr<PendingFile>>>
KeptFiles::copyTo(StringRef Where) const {
  std::vector<std::string> Names;
  std::error_code EC;
  for (sys::fs::directory_iterator It(folder(), EC), End; It != End && !EC;
       It.increment(EC))
    Names.push_back(sys::path::filename(It->path()).str());
  if (EC)
    return fileError(Where, "cannot list the files for this folder", EC);
  sort(Names);

  std::vector<std::unique_ptr<PendingFile>> Files;
  for (const std::string &Name : Names) {
    Expected<std::unique_ptr<MemoryBuffer>> Bytes = read(Name);
    if (!Bytes)
      return Bytes.takeError();
    SmallString<128> Path(Where);
    sys::path::append(Path, Name);
    Files.push_back(std::make_unique<PendingFile>(Path.str().str()));
    if (Error E = Files.back()->write((*Bytes)->getBuffer()))
      return std::move(E);
    if (Error E = Files.back()->close())
      return std::move(E);
  }
  return std::move(Files);
}

} // namespace kpack::linker
