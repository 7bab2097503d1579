//===- TreeFolders.h - from where to where ----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two folders of a tree that is copied, and the one that the copy is built
// in until it gets its name. Users: PackTree.cpp.
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

/// Without links on the way.
struct TreeFolders {
  std::string Input, Output;
};

/// Errors: an input that is no folder, an output that is there and not empty,
/// one of them in the other.
llvm::Expected<TreeFolders> findTreeFolders(llvm::StringRef Input,
                                            llvm::StringRef Output);

/// What the system says in errno of \p Path.
llvm::Error systemError(llvm::StringRef Path, llvm::StringRef Doing);

/// A folder that is removed with all that is in it unless it is renamed; by the
/// CutOffHandler, too. To be made before the folder.
///
/// Who may write to the folder around it can rename it and put a link in its
/// place. So it is used by place(), which leads to it all the same; what is in
/// it nobody else reaches until the end.
class TemporaryTree {
public:
  explicit TemporaryTree(std::string ThePath)
      : Path(std::move(ThePath)), Name(Path, TemporaryName::Holds::Trees) {}
  ~TemporaryTree();
  TemporaryTree(const TemporaryTree &) = delete;
  TemporaryTree &operator=(const TemporaryTree &) = delete;

  /// Makes the folder; messages call it \p Output.
  llvm::Error make(llvm::StringRef Output);
  /// The name that it is made with.
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
