//===- KeptFiles.h - files that lld writes beside its output ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld follows symbolic links in the places of files that it writes, and other
// users can put some into a folder that they may write to: it makes the names
// of its -save-temps and --time-trace files of the output's, and temporary
// names show before they are written. There it writes to a temporary folder
// that nobody else can write to, and the files get their names at the end.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_KEPTFILES_H
#define KPACK_LIB_LINKER_KEPTFILES_H

#include "Outputs/PendingFile.h"

namespace kpack::linker {

/// A folder with the files that are to be kept. It goes with the object, and
/// with an interrupt: to be made by the thread of the InterruptHandler.
class KeptFiles {
public:
  static llvm::Expected<std::unique_ptr<KeptFiles>> create();
  ~KeptFiles();
  KeptFiles(const KeptFiles &) = delete;
  KeptFiles &operator=(const KeptFiles &) = delete;

  /// The folder, for this process and its children. There is no '%' in it,
  /// which LLVM would replace by a random digit.
  std::string folder() const;
  /// The file \p Name in it.
  std::string pathFor(llvm::StringRef Name) const;

  /// The bytes of the file \p Name, which stay when the folder goes.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  read(const std::string &Name) const;

  /// Moves the file \p Name to the temporary file of \p Output.
  llvm::Error moveTo(PendingFile &Output, const std::string &Name) const;

  /// All files, sorted by name, each written to a temporary file that gets its
  /// name in the folder \p Where when it is committed.
  llvm::Expected<std::vector<std::unique_ptr<PendingFile>>>
  copyTo(llvm::StringRef Where) const;

private:
  explicit KeptFiles(llvm::StringRef Path)
      : Name(Path, TemporaryName::Holds::Trees) {}

  TemporaryName Name;
  /// Not close-on-exec: the device links are child processes.
  UniqueFd Folder;
};

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_KEPTFILES_H
