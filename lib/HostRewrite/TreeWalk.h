//===- HostRewrite/TreeWalk.h - all in a folder -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files, links and folders with what the system says of each, in an order that
// depends on names alone: file systems have orders of their own, and what is
// made of a tree must not depend on them. And what names of files say where
// kernel libraries have code objects in files of their own.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_HOSTREWRITE_TREEWALK_H
#define KPACK_HOSTREWRITE_TREEWALK_H

#include "kpack/Support/UniqueFd.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <sys/stat.h>
#include <vector>

namespace kpack::hostrewrite {

struct TreeEntry {
  /// From the root on, "lib/libfoo.so"; empty for the root.
  std::string Name;
  /// Of a symbolic link, not of what it leads to.
  struct stat Info;

  bool isFolder() const { return S_ISDIR(Info.st_mode); }
  bool isLink() const { return S_ISLNK(Info.st_mode); }
  bool isFile() const { return S_ISREG(Info.st_mode); }
};

/// A folder that stays the same one, whatever becomes of its name, and of which
/// no link that is put into it leads out.
class TreeRoot {
public:
  /// Links on the way to \p Path are followed.
  static llvm::Expected<TreeRoot> open(llvm::StringRef Path);

  /// Lists the folder and everything below it, each folder before its content.
  /// Errors: one that cannot be read; something that is neither a file nor a
  /// link nor a folder.
  llvm::Expected<std::vector<TreeEntry>> walk() const;

  /// Opens what walk() has seen, to read it; a link as a place (O_PATH). An
  /// error where something else has the name now.
  llvm::Expected<UniqueFd> openEntry(const TreeEntry &Entry) const;

  /// For messages.
  std::string pathOf(llvm::StringRef Name) const;

private:
  llvm::Expected<TreeEntry> lookAt(int In, llvm::StringRef Name,
                                   std::string Whole) const;
  llvm::Error readFolder(const TreeEntry &Of,
                         std::vector<TreeEntry> &All) const;

  std::string Path;
  UniqueFd Folder;
};

/// Whether \p Name is one of those that code objects have.
bool isDatabaseCode(llvm::StringRef Name);

/// The target that the name of a file of a kernel library says it is for; empty
/// where none is said.
std::string targetOfDatabaseFile(llvm::StringRef Name);

} // namespace kpack::hostrewrite

#endif // KPACK_HOSTREWRITE_TREEWALK_H
