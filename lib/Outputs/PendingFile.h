//===- Outputs/PendingFile.h - written, not yet named -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of a command that writes several: under a temporary name beside its
// place until each of them is complete. Siblings: PendingArchives.h, which also
// has commitAll(); Interrupts.h for signals and Replacements.h for failures
// between two renames.
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

/// \p Doing, "cannot write", has failed for a file.
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
  /// path() with the symbolic links at its end followed.
  const std::string &finalPath() const { return Place.Path; }
  const std::string &temporaryPath() const { return Temporary; }

  /// Creates the temporary file, to be read and written; one that is there is
  /// removed.
  llvm::Error create(mode_t Mode);
  /// Of what create() has made, until close().
  int descriptor() const { return File.get(); }
  /// Closes the temporary file; commit() does so, too.
  llvm::Error close();

  /// Opens the temporary file, which lld has written by its name. Errors: it is
  /// a link, or has another name as well, so that the owner of the folder could
  /// have put any file there.
  llvm::Expected<UniqueFd> openWritten(int Flags) const;
  /// The bytes of that.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readWritten() const;

  /// Writes \p Contents to a new temporary file.
  llvm::Error write(llvm::StringRef Contents);

  /// The temporary file has the permissions that it is to have, whatever those
  /// of the file that it replaces are.
  void keepOwnMode() { HasOwnMode = true; }

  /// Gives it its name; \p Old keeps what had it before. Fails where that is
  /// nothing that may be replaced (findOutputPlace()).
  llvm::Error commit(Replacements &Old);

private:
  llvm::Error keepMode() const;

  Status Refusal; // before Place, which sets it
  /// Open where others decide what its name leads to; Place.Path goes through
  /// it then.
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
