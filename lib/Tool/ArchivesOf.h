//===- ArchivesOf.h - the archives that a name stands for -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An archive stands for itself, a program for the archives that its marker
// leads to. Users: List.cpp, Diff.cpp and InspectFile.cpp.
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

/// An archive, and the program whose entries are meant.
struct ArchivePlace {
  std::string Path;
  /// Of the program's marker; "" when all entries are meant.
  std::string KernelName;

  /// Whether \p Entry is one of the program's.
  bool isOfBinary(const ArchiveEntry &Entry) const;
};

/// Never empty: a program without archives is an error that says why.
llvm::Expected<std::vector<ArchivePlace>> archivesOf(const std::string &Path);

/// The same of a program that was read before.
llvm::Expected<std::vector<ArchivePlace>> archivesOf(const HostBinary &Binary);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_ARCHIVESOF_H
