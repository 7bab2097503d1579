//===- Outputs/SearchPath.h - path from a binary to its archive -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A marker names its archives relative to the binary's directory, so that the
// two can be moved together. Loaders start from the real path of the binary, so
// symbolic links are resolved here as well.
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

/// Returns the path of \p Archive relative to the directory of \p Output.
/// Neither needs to exist yet.
llvm::Expected<std::string> relativeSearchPath(llvm::StringRef Archive,
                                               llvm::StringRef Output);

/// Returns the path of the separate debug information for archive \p Path:
/// "lib/.kpack/debug/x.kpack" for "lib/.kpack/x.kpack", which is
/// "debug/x.kpack" from the archive's directory.
std::string debugArchivePath(llvm::StringRef Path);

/// Returns \p Paths, and before each with @GFXARCH@ the file of each of \p
/// Targets with features, whose name has no colon; ROCm's loaders would
/// substitute one with colons. It comes first because such a loader would also
/// take an archive with a colon that an earlier link has left.
std::vector<std::string>
expandFeatureTargets(llvm::ArrayRef<std::string> Paths,
                     llvm::ArrayRef<std::string> Targets);

/// A file on a search path.
struct FoundArchive {
  /// The replacement of @GFXARCH@; empty if the path has no placeholder.
  std::string Arch;
  std::string Path;
};

/// Returns the template of output archives, where only the last @GFXARCH@ is a
/// placeholder: one before it is part of a directory's name.
PathTemplate outputTemplate(llvm::StringRef Path);

/// Returns the files that match \p Path for any target, sorted by target. \p EC
/// receives the error of reading the directory.
std::vector<FoundArchive> findForEveryTarget(const PathTemplate &Path,
                                             std::error_code &EC);

} // namespace kpack

#endif // KPACK_OUTPUTS_SEARCHPATH_H
