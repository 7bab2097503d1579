//===- Runtime/ArchiveSearch.h - search for a binary's archives -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps from a marker to an entry. The loader returns the first code object
// that it can read (lib/Runtime/Loader.h); the shim first collects all entries
// that would serve (lib/HipShim/CodeFinder.h). Both use
//
//   places()     the candidate paths, and the files there    ArchivePaths.h
//   open()       checks that an archive may serve a binary   ArchiveCache.h
//   hasTarget()  checks that it has an entry for a target
//
// An archive of another build is refused even if it has the key: the same index
// may stand for another TU's code there.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_ARCHIVESEARCH_H
#define KPACK_RUNTIME_ARCHIVESEARCH_H

#include "Runtime/ArchiveCache.h"
#include "Runtime/Environment.h"
#include "Runtime/LoaderReport.h"
#include "kpack/Archive/Marker.h"

#include <string>
#include <string_view>
#include <vector>

namespace kpack::runtime {

/// A path of a search.
struct ArchivePlace {
  std::string Path;
  CachedArchive *Archive; ///< null: no archive is there
  int Error;              ///< errno of the failed stat(), or 0
};

/// An archive after open().
struct OpenArchive {
  const ArchiveReader *Reader; ///< null: see CachedArchive::failure()
  /// "belongs to another build ..." if the archive may not serve, or empty.
  std::string Refusal;
};

bool hasTarget(const ArchiveReader &Reader, std::string_view Target);

/// All members may be called from any number of threads at once.
class ArchiveSearch {
public:
  explicit ArchiveSearch(Environment E)
      : Env(std::move(E)), Messages(Env.Debug) {}

  /// Returns the paths in the order of archivePaths(); opens no archive.
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
