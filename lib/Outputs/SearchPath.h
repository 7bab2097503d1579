//===- Outputs/SearchPath.h - from a binary to its archive *- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A marker names its archives relative to the binary's directory, so that the
// two can be moved together. Loaders start from the real path of the binary:
// symbolic links on the way are resolved here as well.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_SEARCHPATH_H
#define KPACK_OUTPUTS_SEARCHPATH_H

#include "kpack/Archive/Marker.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack {

/// The path of \p Archive seen from the directory of \p Output. Neither needs
/// to exist yet.
llvm::Expected<std::string> relativeSearchPath(llvm::StringRef Archive,
                                               llvm::StringRef Output);

/// Where the debug information of the code objects in archive \p Path is, when
/// it stands alone: "lib/.kpack/debug/x.kpack" for "lib/.kpack/x.kpack". From
/// the directory of the archive, it is "debug/x.kpack".
std::string debugArchivePath(llvm::StringRef Path);

/// \p Paths, and before each with @GFXARCH@ the file of each of \p Targets that
/// has features: the name of its archive has no colon, which is what loaders
/// that ROCm ships would put there. Before, because such a loader would also
/// take an archive with a colon that an older link has left.
std::vector<std::string>
expandFeatureTargets(llvm::ArrayRef<std::string> Paths,
                     llvm::ArrayRef<std::string> Targets);

/// A file that a search path leads to.
struct FoundArchive {
  /// What stands for @GFXARCH@; empty when the path has no placeholder.
  std::string Arch;
  std::string Path;
};

/// The place \p Path of archives that are written, where the last @GFXARCH@
/// stands for a target: one before it is part of the name of a folder.
PathTemplate outputTemplate(llvm::StringRef Path);

/// The files that \p Path, with @GFXARCH@ in it, leads to for any target,
/// sorted by target. \p EC says why the folder cannot be read.
std::vector<FoundArchive> findForEveryTarget(const PathTemplate &Path,
                                             std::error_code &EC);

} // namespace kpack

#endif // KPACK_OUTPUTS_SEARCHPATH_H
