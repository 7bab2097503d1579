//===- ArchivesOf.h - archives that an operand stands for -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An archive stands for itself, a program for the archives of its marker. Used
// by list, diff, unpack, inspect and report.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_ARCHIVESOF_H
#define KPACK_LIB_TOOL_ARCHIVESOF_H

#include "Tool/HostBinary.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack::tool {

/// An archive, and the program whose entries to use.
struct ArchivePlace {
  std::string Path;
  /// The kernel name in the program's marker; "" to use all entries.
  std::string KernelName;

  /// True if \p Entry belongs to the program.
  bool isOfBinary(const ArchiveEntry &Entry) const;
};

/// Never returns an empty list; fails for a program without archives.
llvm::Expected<std::vector<ArchivePlace>> findArchives(const std::string &Path);

/// Does the same for a program that was read before.
llvm::Expected<std::vector<ArchivePlace>>
findArchives(const HostBinary &Binary);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_ARCHIVESOF_H
