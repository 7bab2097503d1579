//===- Outputs.h - everything a link writes, or nothing ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All files of a link are written under temporary names beside their places and
// renamed when each of them is complete, the linked file last: who sees a new
// output sees its archives. Until then, and on any failure or signal, what was
// there before stays as it was and no new file is left behind. Interrupts.h is
// for the signals, Replacements.h for failures between two renames. What a name
// led to and its permissions stay (kpack/Support/OutputPlace.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_OUTPUTS_H
#define KPACK_LIB_LINKER_OUTPUTS_H

#include "Interrupts.h"
#include "Options.h"
#include "Replacements.h"
#include "Resolve.h"
#include "kpack/Archive/ArchiveWriter.h"
#include "kpack/Support/OutputPlace.h"

namespace kpack::linker {

/// Writes \p Contents to the file \p Path, which messages call \p Name; "-" is
/// standard output.
llvm::Error writeFile(llvm::StringRef Path, llvm::StringRef Name,
                      llvm::StringRef Contents);

/// A file that is written under a temporary name in its directory.
class PendingFile {
public:
  /// Chooses the temporary name; creates nothing. \p HasCompanions: lld puts
  /// files named <output>.<something> beside it (--save-temps, --time-trace).
  explicit PendingFile(std::string Path, bool HasCompanions = false);
  ~PendingFile();
  PendingFile(const PendingFile &) = delete;
  PendingFile &operator=(const PendingFile &) = delete;

  const std::string &path() const { return Place.Name; }
  /// path() with the symbolic links at its end followed.
  const std::string &finalPath() const { return Place.Path; }
  const std::string &temporaryPath() const { return Temporary; }

  /// Writes \p Contents to the temporary file.
  llvm::Error write(llvm::StringRef Contents);

  /// Gives it its name; \p Old keeps what had it before.
  llvm::Error commit(Replacements &Old);

private:
  std::vector<std::string> companions() const;

  OutputPlace Place;
  std::string Temporary;
  TemporaryName Name;
  bool HasCompanions;
  bool IsCommitted = false;
};

/// The archives of one link: one, or one for each target.
class PendingArchives {
public:
  explicit PendingArchives(const LinkOptions &Options) : Options(Options) {}
  /// Removes the directories that were made for them unless keep() was called.
  ~PendingArchives();
  PendingArchives(const PendingArchives &) = delete;
  PendingArchives &operator=(const PendingArchives &) = delete;

  /// Writes \p Objects completely, under temporary names. \p Id is the
  /// binary's archive_id.
  llvm::Error write(llvm::ArrayRef<CodeObject> Objects, llvm::StringRef Id);

  llvm::Error commit(Replacements &Old);
  void keep() { IsKept = true; }

  /// Where the archives that were written go.
  std::vector<std::string> paths() const;

private:
  llvm::Expected<ArchiveWriter *> writerFor(llvm::StringRef Target);
  llvm::Error makeDirectory(llvm::StringRef Directory);

  const LinkOptions &Options;
  /// By path.
  std::map<std::string, std::unique_ptr<ArchiveWriter>> Writers;
  std::vector<std::unique_ptr<TemporaryName>> Temporaries;
  std::vector<std::string> MadeDirectories;
  bool IsKept = false;
};

/// Gives the archives their names, then \p Files in their order; null ones are
/// left out. All of them or, on an error or by an interrupt, none, with what
/// was there before put back. After a success the process ignores interrupts
/// and has to end soon: one that ends by an interrupt has left nothing.
llvm::Error commitAll(PendingArchives &Archives,
                      llvm::ArrayRef<PendingFile *> Files);

/// Length of an archive_id.
inline constexpr size_t ArchiveIdSize = 32;

/// Hash of all code objects of a binary, in hex: what the marker and the
/// archives say so that a loader notices when they do not belong together.
std::string computeArchiveId(llvm::ArrayRef<CodeObject> Objects);

/// Writes the marker and each wrapper's index into the linked file \p Path,
/// which messages call \p Name.
llvm::Error patchLinkedFile(llvm::StringRef Path, llvm::StringRef Name,
                            const LinkedCode &Code, llvm::StringRef Marker);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_OUTPUTS_H
