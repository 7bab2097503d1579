//===- TreeFolders.cpp - input and output folders of a tree copy ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TreeFolders.h.
//
//===----------------------------------------------------------------------===//
#include "TreeFolders.h"

#include "Outputs/PendingFile.h"
#include "Support/SafePath.h"
#include "ToolSupport/Errors.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>

using namespace llvm;

namespace kpack::hostrewrite {

Error systemError(StringRef Path, StringRef Doing) {
  std::error_code EC = errnoAsErrorCode();
  return fileError(Path, Doing, EC);
}

//===----------------------------------------------------------------------===//
// TemporaryTree
//===----------------------------------------------------------------------===//

static bool removeEntry(int In, const char *Name);

/// Removes the contents of \p Folder, by descriptors only: a path through these
/// folders may lead elsewhere, since they belong to other users if the work
/// failed at the last rename.
static void removeContent(UniqueFd Folder) {
  // A folder without write permission keeps its contents.
  ::fchmod(Folder.get(), 0700);
  std::unique_ptr<DIR, int (*)(DIR *)> List(::fdopendir(Folder.get()),
                                            ::closedir);
  if (!List)
    return;
  int In = Folder.release(); // the list's
  // Some file systems skip entries when others are removed.
  for (bool IsChanged = true; IsChanged; ::rewinddir(List.get())) {
    IsChanged = false;
    while (const dirent *Entry = ::readdir(List.get())) {
      StringRef Name = Entry->d_name;
      if (Name != "." && Name != "..")
        IsChanged |= removeEntry(In, Entry->d_name);
    }
  }
}

/// Returns true if the entry is gone.
static bool removeEntry(int In, const char *Name) {
  if (::unlinkat(In, Name, 0) == 0)
    return true;
  constexpr int Flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd Inner(::openat(In, Name, Flags));
  if (!Inner && errno == EACCES &&
      ::fchmodat(In, Name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
    Inner = UniqueFd(::openat(In, Name, Flags));
  if (Inner)
    removeContent(std::move(Inner));
  return ::unlinkat(In, Name, AT_REMOVEDIR) == 0;
}

TemporaryTree::~TemporaryTree() {
  if (IsRenamed)
    return;
  if (Folder)
    removeContent(std::move(Folder));
  ::rmdir(Path.c_str());
}

/// True if the folder has the owner and permissions that mkdir() gave it: this
/// owner, and no access for others, where the file system has these. Another
/// user may have replaced it.
static bool isAsMade(int Folder) {
  struct stat Info, Inner;
  if (::fstat(Folder, &Info) != 0)
    return false;
  if (Info.st_uid == ::geteuid() && (Info.st_mode & 077) == 0)
    return true;
  if (::mkdirat(Folder, ".made", 0700) != 0)
    return false;
  bool IsKnown = ::fstatat(Folder, ".made", &Inner, AT_SYMLINK_NOFOLLOW) == 0;
  ::unlinkat(Folder, ".made", AT_REMOVEDIR);
  return IsKnown && Inner.st_uid == Info.st_uid &&
         Inner.st_mode == Info.st_mode;
}

Error TemporaryTree::make(StringRef Output) {
  if (::mkdir(Path.c_str(), 0700) != 0)
    return systemError(Output, "cannot be created");
  UniqueFd Opened(
      ::open(Path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat Info, Again;
  if (!Opened || ::fstat(Opened.get(), &Info) != 0)
    return systemError(Output, "cannot be created");
  if (!isAsMade(Opened.get()))
    return objectError(Output, "its temporary folder was replaced by somebody "
                               "else; give a folder in one where nobody else "
                               "may write");
  Place = makeSafePath(Opened.get(), Path);
  if (Place.empty())
    Place = "/proc/self/fd/" + std::to_string(Opened.get());
  if (::stat(Place.c_str(), &Again) != 0 || Info.st_dev != Again.st_dev ||
      Info.st_ino != Again.st_ino)
    return objectError(Output, "others may write to the folder around it, and "
                               "/proc is not mounted; mount it, or give a "
                               "folder in one where nobody else may write");
  Folder = std::move(Opened);
  return Error::success();
}

Error TemporaryTree::renameTo(const std::string &Output) {
  if (::rename(Path.c_str(), Output.c_str()) != 0)
    return systemError(Output, "cannot rename to this name");
  IsRenamed = true;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

static bool isInside(StringRef Path, StringRef Folder) {
  return Path == Folder || Folder == "/" ||
         (Path.consume_front(Folder) && Path.starts_with("/"));
}

/// Resolves links in the part of \p Path that exists; missing folders are
/// created later.
static Expected<std::string> realOutput(StringRef Path) {
  SmallString<256> Real, Whole(Path);
  if (!sys::fs::real_path(Path, Real))
    return Real.str().str();
  if (std::error_code EC = sys::fs::make_absolute(Whole))
    return fileError(Path, "cannot be reached", EC);
  StringRef Rest = StringRef(Whole).rtrim('/');
  StringRef Last = sys::path::filename(Rest);
  if (Last == "." || Last == "..")
    return objectError(Path, "is no name for a folder; give another one");
  StringRef Around = sys::path::parent_path(Rest), Existing = Around;
  std::error_code EC = sys::fs::real_path(Existing, Real);
  while (EC == std::errc::no_such_file_or_directory && Existing != "/") {
    Existing = sys::path::parent_path(Existing);
    EC = sys::fs::real_path(Existing, Real);
  }
  if (EC)
    return fileError(Path, "cannot be created", EC);
  sys::path::append(Real, Around.drop_front(Existing.size()), Last);
  sys::path::remove_dots(Real, /*remove_dot_dot=*/true);
  return Real.str().str();
}

static Error checkOutput(StringRef Path, const std::string &Real) {
  if (StringRef(Real).contains(StringRef(ArchPlaceholder)))
    return objectError(Path, "has " + StringRef(ArchPlaceholder) +
                                 " in it, which stands for a target; give "
                                 "another name");
  struct stat Info;
  if (::lstat(Real.c_str(), &Info) != 0)
    return Error::success();
  std::error_code EC;
  if (S_ISDIR(Info.st_mode) && std::filesystem::is_empty(Real, EC) && !EC)
    return Error::success();
  return objectError(Path, "is there already; give a folder that is not, or an "
                           "empty one");
}

Expected<TreeFolders> findTreeFolders(StringRef Source, StringRef Target) {
  TreeFolders Found;
  SmallString<256> Real;
  if (std::error_code EC = sys::fs::real_path(Source, Real))
    return objectError(Source,
                       EC.message() + "; give a folder that can be read");
  Found.Input = Real.str().str();
  if (!sys::fs::is_directory(Found.Input))
    return objectError(Source, "is no folder; 'kpack convert' converts "
                               "one binary");
  if (Error E = realOutput(Target).moveInto(Found.Output))
    return std::move(E);
  if (isInside(Found.Output, Found.Input) ||
      isInside(Found.Input, Found.Output))
    return objectError(Target,
                       "the input and the output are one in the other; give a "
                       "folder beside the input");
  if (Error E = checkOutput(Target, Found.Output))
    return std::move(E);
  return Found;
}

} // namespace kpack::hostrewrite
