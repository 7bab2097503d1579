//===- PendingFile.cpp - file under a temporary name ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The temporary name is registered with the interrupt handler before the file
// exists. A replaced file's permissions are kept, and so is a symbolic link at
// its path (kpack/Support/OutputPlace.h). The owner of the directory can
// replace the temporary file by a link, so all accesses to it use its
// descriptor.
//
//===----------------------------------------------------------------------===//
#include "Outputs/PendingFile.h"

#include "Support/Files.h"
#include "ToolSupport/Output.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"

#include <fcntl.h>
#include <sys/stat.h>

using namespace llvm;

namespace kpack {

Error fileError(StringRef Path, StringRef Doing, std::error_code EC) {
  return objectError(Path, Doing + ": " + EC.message() +
                               "; check the directory, its permissions and "
                               "free space");
}

/// Returns the output place of \p Path and may open its directory in \p Folder;
/// \p Refusal receives the reason if it cannot be replaced.
static OutputPlace placeOf(const std::string &Path, Status &Refusal,
                           UniqueFd &Folder) {
  Result<OutputPlace> Place = findOutputPlace(Path);
  if (!Place) {
    Refusal = Place.status();
    return OutputPlace{Path, Path, std::nullopt};
  }
  Result<HeldPlace> Held = holdPlace(*Place);
  if (!Held) {
    Refusal = Held.status();
    return OutputPlace{Path, Path, std::nullopt};
  }
  Place->Path = std::move(Held->Path);
  Folder = std::move(Held->Folder);
  return std::move(*Place);
}

PendingFile::PendingFile(std::string Path)
    : Place(placeOf(Path, Refusal, Folder)),
      Temporary(temporaryNameFor(Place.Path)), Name(Temporary) {
  removeLeftovers(Place.Path);
}

PendingFile::~PendingFile() {
  if (!IsCommitted)
    Name.removeFiles();
}

Error PendingFile::create(mode_t Mode) {
  if (Error E = toError(Refusal))
    return E;
  File = UniqueFd();
  ::unlink(Temporary.c_str());
  File = UniqueFd(
      ::open(Temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, Mode));
  return File ? Error::success()
              : fileError(Place.Name, "cannot create", errnoAsErrorCode());
}

Error PendingFile::close() {
  // Some file systems report a full disk only here.
  bool Failed = File && ::close(File.release()) != 0;
  return Failed ? fileError(Place.Name, "cannot write", errnoAsErrorCode())
                : Error::success();
}

Expected<UniqueFd> PendingFile::openWritten(int Flags) const {
  UniqueFd Opened(
      ::open(Temporary.c_str(), Flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat Info;
  if (!Opened && errno != ELOOP)
    return fileError(Place.Name, "cannot open", errnoAsErrorCode());
  if (!Opened || ::fstat(Opened.get(), &Info) != 0 || !S_ISREG(Info.st_mode) ||
      Info.st_nlink > 1)
    return objectError(Place.Name,
                       "its temporary file was replaced by somebody else; "
                       "choose a folder where nobody else may write");
  return Opened;
}

Expected<std::unique_ptr<MemoryBuffer>> PendingFile::readWritten() const {
  Expected<UniqueFd> Opened = openWritten(O_RDONLY);
  if (!Opened)
    return Opened.takeError();
  ErrorOr<std::unique_ptr<MemoryBuffer>> Bytes =
      MemoryBuffer::getOpenFile(Opened->get(), Temporary, /*FileSize=*/-1,
                                /*RequiresNullTerminator=*/false);
  if (!Bytes)
    return objectError(Place.Name,
                       "cannot be read back: " + Bytes.getError().message() +
                           "; let nobody change it while it is linked");
  return std::move(*Bytes);
}

Error PendingFile::write(StringRef Contents) {
  // Keep the content of a private file private meanwhile.
  if (Error E = create(Place.Mode ? 0600 : 0666))
    return E;
  return writeAll(File.get(), {Contents.data(), Contents.size()})
             ? Error::success()
             : fileError(Place.Name, "cannot write", errnoAsErrorCode());
}

/// Copies the permissions of the replaced file. As with linkers, readers of an
/// executable may execute it.
Error PendingFile::keepMode() const {
  UniqueFd Opened;
  if (!File)
    if (Error E = openWritten(O_RDONLY).moveInto(Opened))
      return E;
  int Written = File ? File.get() : Opened.get();
  struct stat Info;
  mode_t Mode = *Place.Mode;
  constexpr mode_t Read = S_IRUSR | S_IRGRP | S_IROTH;
  constexpr mode_t Run = S_IXUSR | S_IXGRP | S_IXOTH;
  if (::fstat(Written, &Info) == 0 && (Info.st_mode & Run))
    Mode |= (Mode & Read) >> 2;
  // Some file systems have no permissions.
  if (::fchmod(Written, Mode) != 0)
    errno = 0;
  return Error::success();
}

/// Renames \p From to \p To, which messages call \p Name.
static Error rename(StringRef From, StringRef To, StringRef Name,
                    Replacements &Old) {
  std::error_code EC = Old.save(To);
  if (!EC)
    EC = sys::fs::rename(From, To);
  return EC ? fileError(Name, "cannot rename to this name", EC)
            : Error::success();
}

Error PendingFile::commit(Replacements &Old) {
  // A rename would replace a device or a pipe by a file.
  if (Error E = toError(Refusal))
    return E;
  if (Place.Mode && !HasOwnMode)
    if (Error E = keepMode())
      return E;
  if (Error E = close())
    return E;
  if (Error E =
          rename(Temporary, Place.Path, Folder ? Place.Name : Place.Path, Old))
    return E;
  IsCommitted = true;
  return Error::success();
}

} // namespace kpack
