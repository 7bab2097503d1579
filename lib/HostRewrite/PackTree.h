//===- HostRewrite/PackTree.h - conversion of a directory tree --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies an installation. Its fat programs and libraries become host-only and
// share one set of archives; other files do not change. The archives name a
// binary by its path in the tree, so equal file names in different folders do
// not collide. Sibling: Convert.h, for one binary.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_HOSTREWRITE_PACKTREE_H
#define KPACK_HOSTREWRITE_PACKTREE_H

#include "HostRewrite/Convert.h"

#include <functional>

namespace kpack::hostrewrite {

struct PackTreeOptions {
  std::string Input;
  /// A new or empty folder outside of the input.
  std::string Output;
  /// Archives are .kpack/<GroupName>_<target>.kpack in the output. Not empty,
  /// without slashes.
  std::string GroupName;
  /// If not empty, all code goes to .kpack/<GroupName>-<Family>.kpack.
  std::string Family;
  /// True if code for a target is kept; null keeps all.
  std::function<bool(llvm::StringRef Target)> Wants;
  /// Called after all code was offered to Wants; an error ends the work.
  std::function<llvm::Error()> Check;
  /// Copies binaries that cannot be converted; otherwise they are an error and
  /// the output is not made.
  bool KeepFat = false;
  /// Moves code objects of kernel databases (.co, .hsaco) into the archives and
  /// leaves references in their places; otherwise they are copied.
  bool PackDatabases = false;
  offload::DeviceDebug Debug = offload::DeviceDebug::Keep;
  /// Its group and family are ignored; those above count.
  ArchiveWriterOptions Archives;

  /// Called before each file, with its number, the number of files and its
  /// path.
  std::function<void(size_t Index, size_t Count, llvm::StringRef Name)> OnFile;
  /// Called for each converted file.
  std::function<void(llvm::StringRef Name, const Conversion &)> OnConverted;
  /// Called for each file that cannot be converted, with the reason.
  std::function<void(llvm::StringRef Name, llvm::StringRef Why)> OnFat;
  /// Called with the reason for each code object of a database that has to be
  /// copied nevertheless, and for each binary without a code object in its
  /// bundles.
  std::function<void(llvm::StringRef Name, llvm::Error Why)> OnKept;
  /// Polled; the work ends with an error if it returns true.
  std::function<bool()> IsInterrupted;
};

/// A binary that cannot be converted.
struct FatFile {
  std::string Name, Why;
};

struct PackedTree {
  /// The number of files, links and folders, and of converted files.
  size_t EntryCount = 0, ConvertedCount = 0;
  /// The numbers of kernel database files that were packed, and that were left
  /// out as they are for other targets.
  size_t PackedCount = 0, LeftOutCount = 0;
  /// Bytes of the converted files before and after, and of the archives.
  uint64_t FatSize = 0, HostSize = 0, ArchiveSize = 0;
  std::vector<std::string> ArchivePaths;
  /// The first file with device code that not all users may read, if they may
  /// read other such files: the archives are closed to them. Empty if none.
  std::string ClosedBy;
  /// Binaries copied unconverted, in the order of the walk.
  std::vector<FatFile> StayedFat;
  /// Binaries without a code object in their bundles, which were copied.
  std::vector<std::string> WithoutCode;
};

/// Builds the output under a temporary name in the same folder and renames it
/// at the end. Equal trees give equal outputs, byte for byte. Permissions,
/// owners, times, extended attributes, symbolic and hard links and empty
/// folders are kept. The input is not written to. Not thread-safe; the caller
/// holds interrupts meanwhile (Support/SignalWatch.h).
///
/// Fails if a folder cannot be read or written, or one contains the other; on
/// devices, pipes and sockets; if files are replaced meanwhile; for fat
/// binaries that cannot be converted, after all files were tried; and if there
/// is no code for any wanted target.
llvm::Expected<PackedTree> packTree(const PackTreeOptions &Options);

} // namespace kpack::hostrewrite

#endif // KPACK_HOSTREWRITE_PACKTREE_H
