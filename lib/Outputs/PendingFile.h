//===- Outputs/PendingFile.h - file under a temporary name ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of a command that writes several, under a temporary name in its
// directory until all are complete. Siblings: PendingArchives.h, which also has
// commitAll(); Interrupts.h for signals and Replacements.h for failures between
// two renames.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_PENDINGFILE_H
#define KPACK_OUTPUTS_PENDINGFILE_H

#include "Outputs/Interrupts.h"
#include "Outputs/Replacements.h"
#include "kpack/Support/OutputPlace.h"
#include "kpack/Support/UniqueFd.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace kpack {

/// Returns the error that \p Doing, "cannot write", failed for a file.
llvm::Error fileError(llvm::StringRef Path, llvm::StringRef Doing,
                      std::error_code EC);

/// A file that is written under a temporary name in its directory.
class PendingFile {
public:
  /// Chooses the temporary name; creates nothing.
  explicit PendingFile(std::string Path);
  ~PendingFile();
  PendingFile(const PendingFile &) = delete;
  PendingFile &operator=(const PendingFile &) = delete;

  const std::string &path() const { return Place.Name; }
  /// path() with the symbolic links of its last component resolved.
  const std::string &finalPath() const { return Place.Path; }
  const std::string &temporaryPath() const { return Temporary; }

  /// Creates the temporary file for reading and writing; removes an existing
  /// one.
  llvm::Error create(mode_t Mode);
  /// The descriptor of create(), until close().
  int descriptor() const { return File.get(); }
  /// Closes the temporary file; commit() does so too.
  llvm::Error close();

  /// Opens the temporary file, which lld has written by name. Fails if it is a
  /// link or has another hard link: the owner of the directory could have put
  /// any file there.
  llvm::Expected<UniqueFd> openWritten(int Flags) const;
  /// Reads the file that openWritten() opens.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readWritten() const;

  /// Writes \p Contents to a new temporary file.
  llvm::Error write(llvm::StringRef Contents);

  /// Keeps the temporary file's permissions instead of copying those of the
  /// replaced file.
  void keepOwnMode() { HasOwnMode = true; }

  /// Renames the file to its path; \p Old keeps the replaced file. Fails if the
  /// path must not be replaced (findOutputPlace()).
  llvm::Error commit(Replacements &Old);

private:
  llvm::Error keepMode() const;

  Status Refusal; // before Place, which sets it
  /// Open if other users control the directory's path; Place.Path then goes
  /// through the descriptor.
  UniqueFd Folder;
  OutputPlace Place;
  std::string Temporary;
  TemporaryName Name;
  UniqueFd File;
  bool HasOwnMode = false;
  bool IsCommitted = false;
};

} // namespace kpack

#endif // KPACK_OUTPUTS_PENDINGFILE_H
