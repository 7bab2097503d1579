//===- PendingFile.cpp - under a temporary name until all is done ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The temporary name is noted for the interrupt handler before the file exists.
// What an old file under the name had besides its bytes stays: its permissions,
// and that the name was a symbolic link (kpack/Support/OutputPlace.h).
//
//===----------------------------------------------------------------------===//
#include "kpack/Outputs/PendingFile.h"

#include "kpack/ToolSupport/Output.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <sys/stat.h>

using namespace llvm;

namespace kpack {

Error fileError(StringRef Path, StringRef Doing, std::error_code EC) {
  return objectError(Path, Doing + ": " + EC.message() +
                               "; check the directory, its permissions and "
                               "free space");
}

Error writeFile(StringRef Path, StringRef Name, StringRef Contents) {
  std::error_code EC = writeInPlace(Path, Contents);
  return EC ? fileError(Name, "cannot write", EC) : Error::success();
}

/// The place of \p Path; where that cannot be replaced, \p Refusal says why.
static OutputPlace placeOf(const std::string &Path, Status &Refusal) {
  Result<OutputPlace> Place = findOutputPlace(Path);
  if (Place)
    return std::move(*Place);
  Refusal = Place.status();
  return OutputPlace{Path, Path, std::nullopt};
}

PendingFile::PendingFile(std::string Path, bool HasCompanions)
    : Place(placeOf(Path, Refusal)), Temporary(temporaryNameFor(Place.Path)),
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
  // A rename would put a file where a device or a pipe was.
  if (Error E = toError(Refusal))
    return E;
  for (const std::string &Companion : companions()) {
    std::string Final = Companion;
    Final.replace(Final.rfind(sys::path::filename(Temporary)),
                  sys::path::filename(Temporary).size(),
                  sys::path::filename(Place.Path));
    if (Error E = rename(Companion, Final, Old))
      return E;
  }
  if (Place.Mode && !HasOwnMode)
    keepMode(Temporary, *Place.Mode);
  if (Error E = rename(Temporary, Place.Path, Old))
    return E;
  IsCommitted = true;
  return Error::success();
}

} // namespace kpack
