//===- Runtime/ArchivePaths.h - candidate paths of archives -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the files that may hold the device code from a marker, the path of
// its binary and the environment, in the order of the shipped loader:
// ROCM_KPACK_PATH alone; or ROCM_KPACK_PATH_PREFIX, then the marker's paths,
// with relative ones based on the binary's directory. The first @GFXARCH@ is
// replaced by each target in turn, in the spelling of file names and then with
// colons. This is text processing: the only files examined are entries of the
// environment that are directories, in which the marker's file names are
// searched.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_ARCHIVEPATHS_H
#define KPACK_RUNTIME_ARCHIVEPATHS_H

#include "Runtime/Environment.h"
#include "kpack/Archive/Marker.h"

#include <string>
#include <string_view>
#include <vector>

namespace kpack::runtime {

/// The limit on paths of one search, duplicates counted. A device has at most
/// eight targets, six of them with a second spelling, so this allows 292 search
/// paths with a placeholder.
inline constexpr size_t MaxArchivePaths = 4096;

/// Returns the paths in order, before @GFXARCH@ is replaced.
std::vector<PathTemplate> archiveTemplates(const Marker &M,
                                           std::string_view BinaryPath,
                                           const Environment &Env);

/// Returns the paths for \p Targets, which are best first, as from targetsOf().
/// \p IsCut, if given, receives whether there are more than MaxArchivePaths.
std::vector<std::string> archivePaths(const Marker &M,
                                      std::string_view BinaryPath,
                                      const Environment &Env,
                                      const std::vector<std::string> &Targets,
                                      bool *IsCut = nullptr);

/// Returns advice for the case that none of \p Files exists: a missing
/// directory whose name begins with a dot was probably left out by a copy.
/// Empty if no such directory is missing.
std::string adviceOnHiddenFolder(const std::vector<std::string> &Files);

/// Removes each "folder/.." from \p Path by name alone, whether or not the
/// directory exists.
std::string withoutParents(std::string_view Path);

/// Returns all target ids whose code may run on a device with these names, best
/// first: each name with all of its features and then with fewer, and after
/// them the generic targets in the same order. Contains no duplicates.
std::vector<std::string>
targetsOf(const std::vector<std::string_view> &DeviceNames);

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_ARCHIVEPATHS_H
