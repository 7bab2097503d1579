//===- Outputs/MadeFolders.h - directories created for outputs --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An output may name a directory that does not exist; the command creates it,
// but if it fails it must leave no empty directories. All writers of outputs
// create directories with this class, the linker those of archives.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_MADEFOLDERS_H
#define KPACK_OUTPUTS_MADEFOLDERS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack {

/// Construct it before, and destroy it after, the writers of files in the
/// directories.
class MadeFolders {
public:
  MadeFolders() = default;
  /// Removes the directories that are still empty.
  ~MadeFolders();
  MadeFolders(const MadeFolders &) = delete;
  MadeFolders &operator=(const MadeFolders &) = delete;

  /// Creates \p Folder and its missing parents; "" is the current directory.
  llvm::Error make(llvm::StringRef Folder);
  /// Creates the directory of the file \p Output. "-" is standard output.
  llvm::Error makeFor(llvm::StringRef Output);

  /// True if make() created \p Folder.
  bool has(llvm::StringRef Folder) const;

private:
  /// Parents come first.
  std::vector<std::string> Made;
};

} // namespace kpack

#endif // KPACK_OUTPUTS_MADEFOLDERS_H
