//===- HostRewrite/PackTree.h - convert a whole tree ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies an installation: its fat programs and libraries become host-only ones
// that share one set of archives, everything else is what it was. A binary is
// called in the archives by its path in the tree, so that two of one name in
// two folders do not meet. Sibling: Convert.h, for one binary.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_HOSTREWRITE_PACKTREE_H
#define KPACK_HOSTREWRITE_PACKTREE_H

#include "HostRewrite/Convert.h"

#include <functional>

namespace kpack::hostrewrite {

struct PackTreeOptions {
  std::string Input;
  /// A folder that is not there yet, or an empty one; not in the input.
  std::string Output;
  /// Archives are .kpack/<GroupName>_<target>.kpack in the output. Not empty,
  /// without slashes.
  std::string GroupName;
  /// Not empty: one archive, .kpack/<GroupName>-<Family>.kpack.
  std::string Family;
  /// Whether code for a target is to stay; not set: all is.
  std::function<bool(llvm::StringRef Target)> Wants;
  /// Asked when all code was asked for: an error ends the work.
  std::function<llvm::Error()> Check;
  /// Binaries that cannot be converted are copied, where otherwise nothing is
  /// written at all.
  bool KeepFat = false;
  /// Code objects of kernel databases (.co, .hsaco) go into the archives, too,
  /// and references take their places; otherwise they are copied.
  bool PackDatabases = false;
  offload::DeviceDebug Debug = offload::DeviceDebug::Keep;
  /// Group and family are those above.
  ArchiveWriterOptions Archives;

  /// Called before a file is worked on: its number, of how many, its path.
  std::function<void(size_t Index, size_t Count, llvm::StringRef Name)> OnFile;
  /// Called for each that was converted.
  std::function<void(llvm::StringRef Name, const Conversion &)> OnConverted;
  /// Called for each that cannot be converted, with the reason.
  std::function<void(llvm::StringRef Name, llvm::StringRef Why)> OnFat;
  /// Called for each code object of a database that has to be copied all the
  /// same, and for each binary without a code object in its bundles, with the
  /// reason.
  std::function<void(llvm::StringRef Name, llvm::Error Why)> OnKept;
  /// Asked now and then; the work ends with an error when it says true.
  std::function<bool()> IsInterrupted;
};

/// A binary that cannot be converted.
struct FatFile {
  std::string Name, Why;
};

struct PackedTree {
  /// Names of files, links and folders; and how many of them were converted.
  size_t EntryCount = 0, ConvertedCount = 0;
  /// Of files of kernel databases: how many were packed, and how many left out
  /// since they are for other targets.
  size_t PackedCount = 0, LeftOutCount = 0;
  /// Of the converted files, and of the archives.
  uint64_t FatSize = 0, HostSize = 0, ArchiveSize = 0;
  std::vector<std::string> ArchivePaths;
  /// The first file with device code that not all users may read, where they
  /// may read others: they can read none of the archives. Empty: none.
  std::string ClosedBy;
  /// Those that were copied as they are, sorted as the tree is walked.
  std::vector<FatFile> StayedFat;
  /// Binaries without a code object in their bundles, which were copied.
  std::vector<std::string> WithoutCode;
};

/// The output is built under a temporary name beside its place and appears as a
/// whole or not at all; of equal trees it is equal, byte for byte. Permissions,
/// owners, times, extended attributes, symbolic and hard links and empty
/// folders are kept. Nothing is written to the input. Not thread-safe;
/// interrupts are to be held meanwhile (Support/SignalWatch.h).
///
/// Errors: folders that cannot be read or written, or that are one in the
/// other; devices, pipes and sockets; files that are replaced while they are
/// packed; fat binaries that cannot be converted, after all were looked at; no
/// code for any target that is wanted.
llvm::Expected<PackedTree> packTree(const PackTreeOptions &Options);

} // namespace kpack::hostrewrite

#endif // KPACK_HOSTREWRITE_PACKTREE_H
