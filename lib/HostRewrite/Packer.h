//===- Packer.h - state of packing a directory tree -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implemented in PackTree.cpp (the loop, folders, archives, binaries) and
// PackDatabases.cpp (code objects in separate files).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_PACKER_H
#define KPACK_LIB_HOSTREWRITE_PACKER_H

#include "ConversionQueue.h"
#include "HostRewrite/PackTree.h"
#include "HostRewrite/TreeWalk.h"
#include "KernelDatabase.h"
#include "Outputs/MadeFolders.h"
#include "Outputs/PendingArchives.h"
#include "TreeFolders.h"

#include <map>
#include <set>

namespace kpack::hostrewrite {

/// Identifies a file with any number of names.
using FileId = std::pair<dev_t, ino_t>;

class Packer : public CodeSink {
public:
  /// \p Known has the reasons, by name, why an earlier packer could not convert
  /// binaries.
  Packer(const PackTreeOptions &Options,
         const std::map<std::string, std::string> &Known)
      : Options(Options), Known(Known) {}
  llvm::Expected<PackedTree> run();
  /// Returns binaries that failed to convert after some of their code went into
  /// the archives. If there are any, run() made no output; pack again with them
  /// as known failures.
  const std::map<std::string, std::string> &lateFailures() const {
    return Late;
  }
  /// Returns \p E with temporary names replaced by the final ones.
  llvm::Error withOutputName(llvm::Error E) const;

private:
  void limitTo(const Readers &Who) override;
  void applyLimit();
  bool wants(llvm::StringRef Target) override;
  llvm::Error add(const CodeObject &Object) override;
  llvm::Error finish(llvm::StringRef Id) override;

  void beginArchives();
  llvm::Error checkName(const TreeEntry &Entry) const;
  llvm::Error packAll();
  llvm::Error pack(const TreeEntry &Entry);
  llvm::Error packFile(const TreeEntry &Entry);
  llvm::Error convert(const TreeEntry &Entry, UniqueFd File);
  llvm::Error noteConversion(const TreeEntry &Entry, bool HasAdded,
                             llvm::Expected<Conversion> Result);
  llvm::Error afterThoseBefore(llvm::Error E);
  llvm::Error refuse(const TreeEntry &Entry, bool HasAdded, llvm::Error Why);
  llvm::Error copyFat(const TreeEntry &Entry, std::string Why);
  llvm::Error linkToFirst(const TreeEntry &Entry, llvm::StringRef FirstName);
  llvm::Error copy(const TreeEntry &Entry);
  llvm::Error packDatabaseFile(const TreeEntry &Entry);
  llvm::Error packImages(const TreeEntry &Entry, int Source,
                         const DatabaseFile &File);
  void leaveOut(const TreeEntry &Entry);
  std::vector<std::string> namesOf(const TreeEntry &Entry) const;
  llvm::Error finishArchives();
  llvm::Error finishFolders();
  std::string inputOf(const TreeEntry &Entry) const;
  std::string outputOf(llvm::StringRef Name) const;

  const PackTreeOptions &Options;
  const std::map<std::string, std::string> &Known;
  std::map<std::string, std::string> Late;
  TreeFolders Folders;
  TreeRoot Input;
  std::vector<TreeEntry> Entries;
  /// The names of each file that has several, in the order of the entries.
  std::map<FileId, std::vector<std::string>> Names;
  /// Indexes that are left out.
  std::set<std::string> Unused;
  /// Created folders around the output. Before Tree, which is in them until it
  /// is renamed.
  MadeFolders Around;
  std::optional<TemporaryTree> Tree;
  std::string ArchivePath;
  std::optional<PendingArchives> Archives;
  /// True if code of the current binary went to an archive.
  bool HasAdded = false;
  /// For the whole tree.
  bool HasKept = false, HasLeftOut = false;
  /// The current file.
  llvm::StringRef Packing;
  /// The readers of that file, until code of it is added.
  std::optional<Readers> PackedBy;
  /// All users can read an earlier file with code.
  bool HasOpen = false;
  /// The archives cannot be written.
  bool IsArchiveBroken = false;
  PackedTree Done;
  /// Last, as its jobs use the other members.
  std::optional<ConversionQueue> UnderWay;
};

inline FileId getId(const TreeEntry &Entry) {
  return {Entry.Info.st_dev, Entry.Info.st_ino};
}

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_PACKER_H
