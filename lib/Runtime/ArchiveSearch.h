//===- Runtime/ArchiveSearch.h - which archives serve -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps from a marker to an entry, for both who search: the loader, which
// returns the first code object that can be read (lib/Runtime/Loader.h), and
// the shim, which first needs all that would serve (lib/HipShim/CodeFinder.h).
//
//   places()     which files may be archives, and what is there  SearchPath.h
//   open()       whether one may serve this binary               ArchiveCache.h
//   hasTarget()  whether it has anything for a target
//
// An archive of another build is refused even though it has the key that is
// looked for: the same index may stand for another TU's code there.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_ARCHIVESEARCH_H
#define KPACK_RUNTIME_ARCHIVESEARCH_H

#include "Runtime/ArchiveCache.h"
#include "Runtime/Environment.h"
#include "Runtime/Report.h"
#include "kpack/Archive/Marker.h"

#include <string>
#include <string_view>
#include <vector>

namespace kpack::runtime {

/// A file that a search names.
struct ArchivePlace {
  std::string Path;
  CachedArchive *Archive; ///< null: no archive is there
  int Error;              ///< why the place cannot be looked at, or 0
};

/// An archive that was looked into.
struct OpenArchive {
  const ArchiveReader *Reader; ///< null: see CachedArchive::failure()
  /// "belongs to another build ...", if it may not serve.
  std::string Refusal;
};

bool hasTarget(const ArchiveReader &Reader, std::string_view Target);

/// All members may be called from any number of threads at once.
class ArchiveSearch {
public:
  explicit ArchiveSearch(Environment E)
      : Env(std::move(E)), Messages(Env.Debug) {}

  /// In the order of archivePaths(), nothing opened yet.
  std::vector<ArchivePlace> places(const Marker &M, std::string_view BinaryPath,
                                   const std::vector<std::string> &Targets,
                                   bool *IsCut = nullptr);
  ArchivePlace place(std::string Path);

  /// Warns of an archive that cannot be read.
  OpenArchive open(CachedArchive &A, const std::string &KernelName,
                   const std::string &ArchiveId);

  const Environment Env;
  Report Messages;

private:
  ArchiveCache Archives;
};

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_ARCHIVESEARCH_H
