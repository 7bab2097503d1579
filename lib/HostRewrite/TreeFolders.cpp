//===- TreeFolders.cpp - from where to where ------------------------------===//
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

#include "kpack/Archive/Marker.h"
#include "kpack/Outputs/PendingFile.h"
#include "kpack/ToolSupport/Errors.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <filesystem>
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

TemporaryTree::~TemporaryTree() {
  if (IsRenamed)
    return;
  // A folder without write permission keeps what is in it.
  std::error_code EC;
  ::chmod(Path.c_str(), 0700);
  for (std::filesystem::recursive_directory_iterator I(Path, EC), End;
       !EC && I != End; I.increment(EC))
    if (I->symlink_status(EC).type() == std::filesystem::file_type::directory)
      ::chmod(I->path().c_str(), 0700);
  std::filesystem::remove_all(Path, EC);
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

/// \p Path without links, as far as it exists: folders around it are made
/// later.
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

Expected<TreeFolders> findTreeFolders(StringRef From, StringRef To) {
  TreeFolders Found;
  SmallString<256> Real;
  if (std::error_code EC = sys::fs::real_path(From, Real))
    return objectError(From, EC.message() + "; give a folder that can be read");
  Found.Input = Real.str().str();
  if (!sys::fs::is_directory(Found.Input))
    return objectError(From, "is no folder; 'kpack convert' converts "
                             "one binary");
  if (Error E = realOutput(To).moveInto(Found.Output))
    return std::move(E);
  if (isInside(Found.Output, Found.Input) ||
      isInside(Found.Input, Found.Output))
    return objectError(To,
                       "the input and the output are one in the other; give a "
                       "folder beside the input");
  if (Error E = checkOutput(To, Found.Output))
    return std::move(E);
  return Found;
}

} // namespace kpack::hostrewrite
