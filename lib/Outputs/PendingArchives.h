//===- Outputs/PendingArchives.h - archives, all or none --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All files of a link or a conversion are written under temporary names beside
// their places and renamed when each of them is complete, the binary last: who
// sees a new binary sees its archives. Until then, and on any failure or
// signal, what was there before stays as it was and no new file is left behind.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_PENDINGARCHIVES_H
#define KPACK_OUTPUTS_PENDINGARCHIVES_H

#include "Offload/DeviceDebug.h"
#include "Outputs/CodeObject.h"
#include "Outputs/MadeFolders.h"
#include "Outputs/PendingFile.h"
#include "kpack/Archive/ArchiveWriter.h"
#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <memory>
#include <set>
#include <tuple>

namespace kpack {

/// Where the code objects of one binary go.
struct ArchiveSet {
  /// Of the archive; with @GFXARCH@ in it there is one for each target.
  std::string Path;
  /// Code object I of the binary has the key "<KernelName>#<I>".
  std::string KernelName;
  /// Without the architecture.
  ArchiveWriterOptions Writer;
  /// Split: an archive of DWARF for each that has some, at debugArchivePath()
  /// (SearchPath.h), with the same keys and the same archive_id.
  offload::DeviceDebug Debug = offload::DeviceDebug::Keep;
};

/// The archives of one binary, or of several that share them: one, or one for
/// each target.
class PendingArchives {
public:
  /// All archives share one pool: \p Set's, or one of its number of threads.
  explicit PendingArchives(ArchiveSet Set);
  PendingArchives(const PendingArchives &) = delete;
  PendingArchives &operator=(const PendingArchives &) = delete;

  /// Restricts the readers of the archives to \p Who, the readers of the file
  /// whose code is added next. After several files, those are left who may read
  /// all of them.
  void limitTo(const Readers &Who);

  /// Adds one code object; bytes that nobody keeps are copied before the call
  /// returns. Where debug information goes, it is taken out of equal ones once.
  llvm::Error add(const CodeObject &Object);

  /// What is added from now on is of one more binary, \p Name.
  void beginBinary(std::string Name) {
    KernelName = std::move(Name);
    IsDatabase = false;
  }
  /// The same of a file of a kernel database: its one code object for each
  /// target has the key \p Name.
  void beginDatabaseFile(std::string Name) {
    KernelName = std::move(Name);
    IsDatabase = true;
  }
  /// All code objects of the binary are there; \p Id is its archive_id
  /// (CodeObject.h).
  void endBinary(llvm::StringRef Id);

  /// Writes them completely, under temporary names; to be called where all
  /// binaries have been ended.
  llvm::Error finish();
  /// endBinary() and finish(): the archives of one binary. \p Id is the
  /// binary's archive_id (CodeObject.h).
  llvm::Error finish(llvm::StringRef Id);

  /// These go when the archives get their names. They have code of the binary's
  /// build \p Id and of nothing else, or the commit fails.
  void replaceToo(std::vector<std::string> Paths, std::string Id) {
    Outdated = std::move(Paths);
    OutdatedId = std::move(Id);
  }

  llvm::Error commit(Replacements &Old);

  /// Where the archives that were written go.
  std::vector<std::string> paths() const;

  /// How many code objects debug information was taken out of.
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
  std::string keyOf(uint32_t Index) const;
  void noteSource(ArchiveWriter &Writer, const CodeObject &Object) const;

  const ArchiveSet Set;
  /// Of the files that came so far.
  std::optional<Readers> ReadBy;
  /// Of the binary whose code objects are added.
  std::string KernelName;
  bool IsDatabase = false;
  /// Of this binary alone.
  std::set<ArchiveWriter *> HasBinary;
  /// Before the writers: they empty the folders when they go.
  MadeFolders Folders;
  /// By path.
  std::map<std::string, std::unique_ptr<ArchiveWriter>> Writers;
  /// The key under which each code object without its debug information was
  /// added first, by a cryptographic hash of what it was with it, the target
  /// and the archive: wrappers share images, which may be large.
  std::map<std::tuple<std::string, std::string, std::string>, std::string>
      Stripped;
  std::vector<std::unique_ptr<TemporaryName>> Temporaries;
  std::vector<std::string> Outdated;
  std::string OutdatedId;
  size_t StrippedCount = 0;
};

/// Gives the archives their names, then \p Files in their order; null ones are
/// left out. All of them or, on an error or by an interrupt, none, with what
/// was there before put back. After a success the process ignores interrupts
/// and has to end soon: one that ends by an interrupt has left nothing.
llvm::Error commitAll(PendingArchives &Archives,
                      llvm::ArrayRef<PendingFile *> Files);

} // namespace kpack

#endif // KPACK_OUTPUTS_PENDINGARCHIVES_H
