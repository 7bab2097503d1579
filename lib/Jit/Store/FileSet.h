//===- Jit/Store/FileSet.h - files by content, at low cost ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The digests of a list of files, with a stamp of each (device, inode, size,
// times) as it was when it was read. A file whose stamp is the same has not
// been written since and need not be read again: four hundred headers are
// looked at in less than a millisecond. A stamp only saves reading; what goes
// into a key is the content.
//
// With them goes what must not be there: a header that appears where a search
// path finds it before the one that was read. A folder's stamp says that no
// name in it has come or gone, so that thousands of names cost a few looks.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_FILESET_H
#define KPACK_JIT_STORE_FILESET_H

#include "Jit/Store/Key.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kpack::jit {

/// Who reads a file: a compiler (or it is run), a link that copies from it, or
/// whoever an option names it to.
enum class FileUse { Compiled, Linked, Named };

struct FileRecord {
  std::string Path; ///< absolute
  FileUse Use = FileUse::Compiled;
  /// Empty when the file was written so shortly before it was read that a later
  /// change might not show in its times.
  std::string Stamp;
  Digest Hash{};
};

/// A folder and what the set depends on in it.
struct FolderRecord {
  std::string Path;  ///< absolute; a folder that was there
  std::string Stamp; ///< as of a file
  /// Names that were not in it, a '/' between two.
  std::string Missing;
  /// Not empty: the names in it that end so belong to the set; "*" is all.
  std::string Ending;
  Digest Names{};
};

/// A program that was found by its name (PATH).
struct ProgramRecord {
  std::string Name, Path;
};

/// As execvp() looks in the compile helper; empty: there is none.
std::string programCalled(const std::string &Name);

/// What a set is made of.
struct FileNames {
  std::vector<std::string> Files, Linked = {}, Named = {};
  std::vector<FolderRecord> Folders = {}; ///< without Stamp and Names
  std::vector<ProgramRecord> Programs = {};
  /// Names and values that are known with the files.
  std::vector<std::pair<std::string, std::string>> Facts = {};
  /// Text that belongs to the files, a compiler's version for example.
  std::string Note = {};
};

class FileSet {
public:
  /// Reads all files. Errors: FileNotFound, IoError.
  static Result<FileSet> of(FileNames Names);

  /// What encode() gave; nothing when \p Bytes are something else.
  static std::optional<FileSet> decode(std::string_view Bytes);
  std::string encode() const;

  /// Whether every file has the content it had, and nothing has appeared that
  /// was missing. Reads those whose stamp says nothing.
  bool unchanged() const;
  /// The same; afterwards stamps are those of now, where they had changed and
  /// the content had not: a file that got another link, owner or time.
  bool refresh();
  /// Whether refresh() has read a file of which the next one reads the stamp
  /// alone.
  bool isRefreshed() const { return IsRefreshed; }

  const std::vector<FileRecord> &files() const { return Files; }
  const std::vector<FolderRecord> &folders() const { return Folders; }
  const std::vector<std::pair<std::string, std::string>> &facts() const {
    return Facts;
  }
  /// The value of the first fact of that name; empty: there is none.
  std::string fact(std::string_view Name) const;
  std::string Note; ///< as in FileNames

private:
  std::vector<FileRecord> Files;
  std::vector<FolderRecord> Folders;
  std::vector<ProgramRecord> Programs;
  std::vector<std::pair<std::string, std::string>> Facts;
  bool IsRefreshed = false;
};

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_FILESET_H
