//===- Outputs/PendingArchives.h - archives, all or none --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All files of a link or a conversion are written under temporary names in
// their directories and renamed when all of them are complete, the binary last:
// a process that sees a new binary sees its archives. Until then, and on any
// failure or signal, the old files stay unchanged and no new file is left.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_PENDINGARCHIVES_H
#define KPACK_OUTPUTS_PENDINGARCHIVES_H

#include "Offload/DeviceDebug.h"
#include "Outputs/ArchiveId.h"
#include "Outputs/MadeFolders.h"
#include "Outputs/PendingFile.h"
#include "kpack/Archive/ArchiveWriter.h"
#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <memory>
#include <set>
#include <tuple>

namespace kpack {

/// Parameters of the archives of a binary.
struct ArchiveSet {
  /// Path of the archive; with @GFXARCH@, of one archive for each target.
  std::string Path;
  /// Code object I of the binary has the key "<KernelName>#<I>".
  std::string KernelName;
  /// Without the architecture.
  ArchiveWriterOptions Writer;
  /// Split writes an archive of DWARF beside each that has some, at
  /// debugArchivePath() (SearchPath.h), with the same keys and archive_id.
  offload::DeviceDebug Debug = offload::DeviceDebug::Keep;
};

/// The archives of one binary, or of several that share them: a single one, or
/// one for each target.
class PendingArchives {
public:
  /// All archives share a thread pool, from \p Set or with its thread count.
  explicit PendingArchives(ArchiveSet Set);
  PendingArchives(const PendingArchives &) = delete;
  PendingArchives &operator=(const PendingArchives &) = delete;

  /// Restricts the readers of the archives to \p Who, the readers of the file
  /// whose code is added next. After several files, only their common readers
  /// remain.
  void limitTo(const Readers &Who);

  /// Adds a code object; copies its bytes unless it has an Owner. Debug
  /// information that is to be removed is removed from equal code objects once.
  llvm::Error add(const CodeObject &Object);

  /// Starts the code objects of another binary, \p Name.
  void beginBinary(std::string Name) {
    KernelName = std::move(Name);
    IsDatabase = false;
  }
  /// Starts a file of a kernel database: its single code object for each target
  /// has the key \p Name.
  void beginDatabaseFile(std::string Name) {
    KernelName = std::move(Name);
    IsDatabase = true;
  }
  /// Ends the code objects of the binary; \p Id is its archive_id
  /// (ArchiveId.h).
  void endBinary(llvm::StringRef Id);

  /// Writes the archives under temporary names; call after all binaries have
  /// ended.
  llvm::Error finish();
  /// Calls endBinary() and finish(), for the archives of one binary.
  llvm::Error finish(llvm::StringRef Id);

  /// Removes \p Paths when the archives are renamed. The commit fails unless
  /// they have code of the binary's build \p Id only.
  void replaceToo(std::vector<std::string> Paths, std::string Id) {
    Outdated = std::move(Paths);
    OutdatedId = std::move(Id);
  }

  llvm::Error commit(Replacements &Old);

  /// Returns the final paths of the written archives.
  std::vector<std::string> paths() const;

  /// The number of code objects whose debug information was removed.
  size_t strippedCount() const { return StrippedCount; }

private:
  std::string pathFor(llvm::StringRef Target) const;
  llvm::Error removeOutdated(Replacements &Old) const;
  llvm::Expected<ArchiveWriter *> writerFor(const std::string &Path,
                                            llvm::StringRef Target);
  llvm::Error addTo(const std::string &Path, const CodeObject &Object);
  llvm::Error addStripped(const std::string &Path, const CodeObject &Object);
  llvm::Error addLike(const std::string &Path, const CodeObject &Object,
                      const std::string &First);
  std::string getKey(uint32_t Index) const;
  void noteSource(ArchiveWriter &Writer, const CodeObject &Object) const;

  const ArchiveSet Set;
  /// Common readers of the files so far.
  std::optional<Readers> ReadBy;
  /// The binary whose code objects are added.
  std::string KernelName;
  bool IsDatabase = false;
  /// Archives that have code of this binary.
  std::set<ArchiveWriter *> HasBinary;
  /// Before the writers, since its destructor removes empty directories.
  MadeFolders Folders;
  /// By path.
  std::map<std::string, std::unique_ptr<ArchiveWriter>> Writers;
  /// The key under which each stripped code object was added first. Indexed by
  /// a cryptographic hash of the original, the target and the archive: wrappers
  /// share images, which may be large.
  std::map<std::tuple<std::string, std::string, std::string>, std::string>
      Stripped;
  std::vector<std::unique_ptr<TemporaryName>> Temporaries;
  std::vector<std::string> Outdated;
  std::string OutdatedId;
  size_t StrippedCount = 0;
};

/// Renames the archives and then \p Files in order; skips null ones. On an
/// error or an interrupt renames none, and restores the old files. After a
/// success the process ignores interrupts and must end soon, so that a process
/// that ends by an interrupt has left no files.
llvm::Error commitAll(PendingArchives &Archives,
                      llvm::ArrayRef<PendingFile *> Files);

} // namespace kpack

#endif // KPACK_OUTPUTS_PENDINGARCHIVES_H
