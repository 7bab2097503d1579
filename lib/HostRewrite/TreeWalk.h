//===- TreeWalk.h - sorted entries of a directory tree ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists files, links and folders with their stat data, ordered by name:
// directory order depends on the file system, and the output must not. Also
// parses the names of kernel libraries' code object files.
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
  /// Relative to the root, such as "lib/libfoo.so"; empty for the root.
  std::string Name;
  /// From lstat().
  struct stat Info;

  bool isFolder() const { return S_ISDIR(Info.st_mode); }
  bool isLink() const { return S_ISLNK(Info.st_mode); }
  bool isFile() const { return S_ISREG(Info.st_mode); }
};

/// An open folder: renaming it has no effect, and no link placed in it leads
/// out of it.
class TreeRoot {
public:
  /// Follows links in \p Path.
  static llvm::Expected<TreeRoot> open(llvm::StringRef Path);

  /// Lists the folder and everything below it, each folder before its content.
  /// Fails if one cannot be read, and on entries that are neither files nor
  /// links nor folders.
  llvm::Expected<std::vector<TreeEntry>> walk() const;

  /// Opens an entry of walk() for reading, a link as a place (O_PATH). Fails if
  /// something else has the name now.
  llvm::Expected<UniqueFd> openEntry(const TreeEntry &Entry) const;

  /// For messages.
  std::string pathOf(llvm::StringRef Name) const;

private:
  llvm::Expected<TreeEntry> lookAt(int In, llvm::StringRef Name,
                                   std::string Whole) const;
  llvm::Error readFolder(const TreeEntry &Folder,
                         std::vector<TreeEntry> &All) const;

  std::string Path;
  UniqueFd Folder;
};

/// True if \p Name is a name of a code object file.
bool isDatabaseCode(llvm::StringRef Name);

/// Returns the target in the name of a kernel library's file, or empty.
std::string targetOfDatabaseFile(llvm::StringRef Name);

} // namespace kpack::hostrewrite

#endif // KPACK_HOSTREWRITE_TREEWALK_H
