//===- TreeWalk.cpp - sorted entries of a directory tree ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folders to visit are in a list, since a deep tree would exhaust the stack.
// '/' sorts before all characters, so that a folder and its contents are
// adjacent.
//
// Each step down is an openat() that follows no link, and the opened file must
// be the one that the walk saw: the owner of a tree that root reads could
// replace a folder or a file by a link to anything.
//
//===----------------------------------------------------------------------===//
#include "HostRewrite/TreeWalk.h"

#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Path.h"

#include <dirent.h>
#include <fcntl.h>
#include <memory>

using namespace llvm;

namespace kpack::hostrewrite {

static bool standsBefore(const TreeEntry &A, const TreeEntry &B) {
  return std::lexicographical_compare(
      A.Name.begin(), A.Name.end(), B.Name.begin(), B.Name.end(),
      [](char X, char Y) {
        auto Rank = [](char C) { return C == '/' ? 0 : 1 + uint8_t(C); };
        return Rank(X) < Rank(Y);
      });
}

static Error cannotRead(StringRef Path, StringRef Kind = "folder") {
  return objectError(Path, sys::StrError(errno) + "; give a " + Kind +
                               " that can be read");
}

std::string TreeRoot::pathOf(StringRef Name) const {
  SmallString<256> Whole(Path);
  sys::path::append(Whole, Name);
  return Whole.str().str();
}

Expected<TreeRoot> TreeRoot::open(StringRef Path) {
  TreeRoot Root;
  Root.Path = Path.str();
  Root.Folder =
      UniqueFd(::open(Root.Path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!Root.Folder)
    return cannotRead(Path);
  return std::move(Root);
}

/// Opens \p Name below \p Folder, component by component.
static UniqueFd openBelow(int Folder, StringRef Name, int Flags) {
  UniqueFd Here;
  int In = Folder;
  for (StringRef Rest = Name;;) {
    auto [Step, Next] = Rest.split('/');
    bool IsLast = Next.empty();
    std::string Text = Step.empty() ? "." : Step.str();
    Here = UniqueFd(::openat(In, Text.c_str(),
                             O_NOFOLLOW | O_CLOEXEC |
                                 (IsLast ? Flags : O_PATH | O_DIRECTORY)));
    if (!Here || IsLast)
      return Here;
    In = Here.get();
    Rest = Next;
  }
}

static int openFlagsFor(const TreeEntry &Entry) {
  if (Entry.isLink())
    return O_PATH;
  // Do not block on a pipe that has replaced the file.
  return O_RDONLY | (Entry.isFolder() ? O_DIRECTORY : O_NONBLOCK);
}

static bool isSameTime(const struct timespec &A, const struct timespec &B) {
  return A.tv_sec == B.tv_sec && A.tv_nsec == B.tv_nsec;
}

/// True if \p Now and \p Before describe one file. Network file systems (sshfs,
/// CIFS) may give a file another number at each lookup, but renaming
/// or changing a file changes its ctime.
static bool isSame(const struct stat &Now, const struct stat &Before) {
  if (Now.st_dev != Before.st_dev ||
      (Now.st_mode & S_IFMT) != (Before.st_mode & S_IFMT))
    return false;
  return Now.st_ino == Before.st_ino ||
         (Now.st_mode == Before.st_mode && Now.st_uid == Before.st_uid &&
          Now.st_gid == Before.st_gid && Now.st_size == Before.st_size &&
          isSameTime(Now.st_mtim, Before.st_mtim) &&
          isSameTime(Now.st_ctim, Before.st_ctim));
}

Expected<UniqueFd> TreeRoot::openEntry(const TreeEntry &Entry) const {
  UniqueFd File = openBelow(Folder.get(), Entry.Name, openFlagsFor(Entry));
  struct stat Info;
  bool IsThere = File && ::fstat(File.get(), &Info) == 0;
  // openat() fails with these for links and for folders that were replaced.
  if (!IsThere && errno != ELOOP && errno != ENOTDIR && errno != ENOENT)
    return cannotRead(pathOf(Entry.Name), Entry.isFolder() ? "folder" : "file");
  if (!IsThere || !isSame(Info, Entry.Info))
    return objectError(pathOf(Entry.Name),
                       "was replaced by something else since the tree was "
                       "listed; try again when nobody changes the tree");
  return File;
}

Expected<TreeEntry> TreeRoot::lookAt(int In, StringRef Name,
                                     std::string Whole) const {
  TreeEntry Found{std::move(Whole), {}};
  if (::fstatat(In, Name.str().c_str(), &Found.Info, AT_SYMLINK_NOFOLLOW) != 0)
    return cannotRead(pathOf(Found.Name));
  if (!Found.isFolder() && !Found.isLink() && !Found.isFile())
    return objectError(pathOf(Found.Name),
                       "neither a file nor a folder nor a link, and "
                       "cannot be copied; remove it");
  return Found;
}

Error TreeRoot::readFolder(const TreeEntry &Folder,
                           std::vector<TreeEntry> &All) const {
  Expected<UniqueFd> File = openEntry(Folder);
  if (!File)
    return File.takeError();
  std::unique_ptr<DIR, int (*)(DIR *)> List(::fdopendir(File->get()),
                                            ::closedir);
  if (!List)
    return cannotRead(pathOf(Folder.Name));
  int In = File->release(); // the list's
  for (;;) {
    errno = 0;
    const dirent *Entry = ::readdir(List.get());
    if (!Entry && errno != 0)
      return cannotRead(pathOf(Folder.Name));
    if (!Entry)
      return Error::success();
    StringRef Name = Entry->d_name;
    if (Name == "." || Name == "..")
      continue;
    SmallString<256> Whole(Folder.Name);
    sys::path::append(Whole, Name);
    Expected<TreeEntry> Found = lookAt(In, Name, Whole.str().str());
    if (!Found)
      return Found.takeError();
    All.push_back(std::move(*Found));
  }
}

Expected<std::vector<TreeEntry>> TreeRoot::walk() const {
  std::vector<TreeEntry> All;
  Expected<TreeEntry> First = lookAt(Folder.get(), ".", "");
  if (!First)
    return First.takeError();
  All.push_back(std::move(*First));
  for (size_t I = 0; I != All.size(); ++I)
    if (All[I].isFolder())
      if (Error E = readFolder(TreeEntry(All[I]), All))
        return std::move(E);
  llvm::sort(All, standsBefore);
  return All;
}

} // namespace kpack::hostrewrite
