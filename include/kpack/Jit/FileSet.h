//===- kpack/Jit/FileSet.h - files by content, looked at cheaply -*- C++
//-*-===//
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
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_FILESET_H
#define KPACK_JIT_FILESET_H

#include "kpack/Jit/Key.h"

#include <optional>

namespace kpack::jit {

struct FileRecord {
  std::string Path; ///< absolute
  /// Whether a link copies from it; else a compiler reads or runs it.
  bool Linked = false;
  /// Empty when the file was written so shortly before it was read that a later
  /// change might not show in its times.
  std::string Stamp;
  Digest Hash{};
};

class FileSet {
public:
  /// Reads all files. Errors: FileNotFound, IoError.
  static Result<FileSet> of(const std::vector<std::string> &Paths,
                            const std::vector<std::string> &Linked = {});

  /// What encode() gave; nothing when \p Bytes are something else.
  static std::optional<FileSet> decode(std::string_view Bytes);
  std::string encode() const;

  /// Whether every file has the content it had. Reads those whose stamp says
  /// nothing.
  bool unchanged() const;

  const std::vector<FileRecord> &files() const { return Files; }
  /// Text that belongs to the files, a compiler's version for example.
  std::string Note;

private:
  std::vector<FileRecord> Files;
};

} // namespace kpack::jit

#endif // KPACK_JIT_FILESET_H
