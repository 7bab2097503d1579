//===- Jit/Store/FileSet.h - content digests of a list of files -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The digests of a list of files, each with a stamp (device, inode, size,
// times) from the time it was read. A file with an unchanged stamp has not been
// written since and is not read again: checking four hundred headers takes less
// than a millisecond. Stamps only save reads; keys are made from the content.
//
// A set also records names that must stay absent: a header that appears earlier
// in a search path than the one that was read. An unchanged directory stamp
// means that no name in it has come or gone, so that a few stat() calls cover
// thousands of names.
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

/// The reader of a file: a compiler (or the file is a program that ran), a link
/// that copies from it, or the consumer of an option that names it.
enum class FileUse { Compiled, Linked, Named };

struct FileRecord {
  std::string Path; ///< absolute
  FileUse Use = FileUse::Compiled;
  /// Empty if the file was written so shortly before it was read that a later
  /// write might leave the same times.
  std::string Stamp;
  Digest Hash{};
};

/// A directory, and the names in it that the set depends on.
struct FolderRecord {
  std::string Path;  ///< absolute; the directory existed
  std::string Stamp; ///< as that of a file
  /// Names that were absent, separated by '/'.
  std::string Missing;
  /// If not empty, the names with this suffix belong to the set; "*" is all.
  std::string Ending;
  Digest Names{};
};

/// A program that was found by its name in PATH.
struct ProgramRecord {
  std::string Name, Path;
};

/// Returns the path that execvp() finds in the compile helper, or empty.
std::string programCalled(const std::string &Name);

/// The inputs of FileSet::of().
struct FileNames {
  std::vector<std::string> Files, Linked = {}, Named = {};
  std::vector<FolderRecord> Folders = {}; ///< without Stamp and Names
  std::vector<ProgramRecord> Programs = {};
  /// Names and values that are stored with the files.
  std::vector<std::pair<std::string, std::string>> Facts = {};
  /// Text that is stored with the files, for example a compiler's version.
  std::string Note = {};
};

class FileSet {
public:
  /// Reads all files. Errors: FileNotFound, IoError.
  static Result<FileSet> of(FileNames Names);

  /// Decodes the result of encode(); nullopt for other bytes.
  static std::optional<FileSet> decode(std::string_view Bytes);
  std::string encode() const;

  /// Returns true if every file has its old content and no missing name has
  /// appeared. Reads only files whose stamp is empty or differs.
  bool unchanged() const;
  /// Like unchanged(), and replaces each stamp that changed without the
  /// content: a new hard link, owner or time.
  bool refresh();
  /// True if refresh() read a file of which the next call needs only the stamp.
  bool isRefreshed() const { return IsRefreshed; }

  const std::vector<FileRecord> &files() const { return Files; }
  const std::vector<FolderRecord> &folders() const { return Folders; }
  const std::vector<std::pair<std::string, std::string>> &facts() const {
    return Facts;
  }
  /// Returns the value of the first fact named \p Name, or empty.
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
