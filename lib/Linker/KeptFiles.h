//===- KeptFiles.h - files that lld writes beside its output ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld follows symbolic links at the paths that it writes to, and other users
// can create links in a shared directory: the names of -save-temps and
// --time-trace files derive from the output's, and temporary names are visible
// before they are used. In such cases lld writes to a private temporary
// directory, and the files are moved at the end.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_KEPTFILES_H
#define KPACK_LIB_LINKER_KEPTFILES_H

#include "Outputs/PendingFile.h"

namespace kpack::linker {

/// A directory with the files to keep. The destructor and an interrupt remove
/// it; create it on the thread of the InterruptHandler.
class KeptFiles {
public:
  static llvm::Expected<std::unique_ptr<KeptFiles>> create();
  ~KeptFiles();
  KeptFiles(const KeptFiles &) = delete;
  KeptFiles &operator=(const KeptFiles &) = delete;

  /// The directory, for this process and its children. The name contains no
  /// '%', which LLVM would replace with a random digit.
  std::string folder() const;
  /// The path of the file \p Name in it.
  std::string pathFor(llvm::StringRef Name) const;

  /// Reads the file \p Name. The buffer stays valid when the directory is
  /// removed.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  read(const std::string &Name) const;

  /// Moves the file \p Name to the temporary file of \p Output.
  llvm::Error moveTo(PendingFile &Output, const std::string &Name) const;

  /// Copies all files, sorted by name, to temporary files that get their names
  /// in the directory \p Where when they are committed.
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
