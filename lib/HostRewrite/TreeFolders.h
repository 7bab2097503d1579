//===- TreeFolders.h - input and output folders of a tree copy --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input and output folders of a tree copy, and the temporary folder of the
// output. Used by PackTree.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_TREEFOLDERS_H
#define KPACK_LIB_HOSTREWRITE_TREEFOLDERS_H

#include "Outputs/Interrupts.h"
#include "kpack/Support/UniqueFd.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace kpack::hostrewrite {

/// Absolute paths without symbolic links.
struct TreeFolders {
  std::string Input, Output;
};

/// Fails if the input is no folder, the output exists and is not empty, or one
/// is in the other.
llvm::Expected<TreeFolders> findTreeFolders(llvm::StringRef Input,
                                            llvm::StringRef Output);

/// Returns an error for \p Path with errno's text.
llvm::Error systemError(llvm::StringRef Path, llvm::StringRef Doing);

/// A folder that is removed with its contents unless it is renamed, also by
/// CutOffHandler; create the object before the folder.
///
/// A user who may write to the parent can rename the folder and put a link in
/// its place. So the contents are reached through place(), which leads to the
/// folder regardless; other users have no access until the end.
class TemporaryTree {
public:
  explicit TemporaryTree(std::string ThePath)
      : Path(std::move(ThePath)), Name(Path, TemporaryName::Holds::Trees) {}
  ~TemporaryTree();
  TemporaryTree(const TemporaryTree &) = delete;
  TemporaryTree &operator=(const TemporaryTree &) = delete;

  /// Creates the folder; messages call it \p Output.
  llvm::Error make(llvm::StringRef Output);
  /// The temporary name.
  const std::string &path() const { return Path; }
  const std::string &place() const { return Place; }
  llvm::Error renameTo(const std::string &Output);

private:
  std::string Path, Place;
  TemporaryName Name;
  UniqueFd Folder;
  bool IsRenamed = false;
};

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_TREEFOLDERS_H
