//===- Packer.h - a tree that is packed -------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of a tree on the way through it. Parts: PackTree.cpp (the way,
// folders, archives, binaries), PackDatabases.cpp (code objects that are
// files).
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

/// A file, whatever its names are.
using FileId = std::pair<dev_t, ino_t>;

class Packer : public CodeSink {
public:
  /// \p Known are binaries that cannot be converted, by name, as an earlier
  /// packer has found out, with the reasons.
  Packer(const PackTreeOptions &Options,
         const std::map<std::string, std::string> &Known)
      : Options(Options), Known(Known) {}
  llvm::Expected<PackedTree> run();
  /// Binaries that cannot be converted although code of theirs is in the
  /// archives. Not empty: the output was not made, and has to be without them.
  const std::map<std::string, std::string> &lateFailures() const {
    return Late;
  }
  /// \p E, where what has a temporary name is called by its final one.
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
  llvm::Error packImages(const TreeEntry &Entry, int From,
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
  /// Of indexes that are left out.
  std::set<std::string> Unused;
  /// That the output is in; before the tree, which is in them until then.
  MadeFolders Around;
  std::optional<TemporaryTree> Tree;
  std::string ArchivePath;
  std::optional<PendingArchives> Archives;
  /// Of the binary that is converted, whether any code went to an archive.
  bool HasAdded = false;
  /// Of the whole tree.
  bool HasKept = false, HasLeftOut = false;
  /// The file that is packed, and whether one before it can be read by all.
  llvm::StringRef Packing;
  /// The readers of that file, until code of it is added.
  std::optional<Readers> PackedBy;
  bool HasOpen = false;
  /// The archives cannot be written.
  bool IsArchiveBroken = false;
  PackedTree Done;
  /// Last, as what is in it uses the others.
  std::optional<ConversionQueue> UnderWay;
};

inline FileId idOf(const TreeEntry &Entry) {
  return {Entry.Info.st_dev, Entry.Info.st_ino};
}

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_PACKER_H
