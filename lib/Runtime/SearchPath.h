//===- Runtime/SearchPath.h - where archives may be -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a marker, the path of its binary and the environment to the list of
// files that may hold the device code, in the order of the shipped loader:
// ROCM_KPACK_PATH alone; or ROCM_KPACK_PATH_PREFIX, then the marker's paths,
// relative ones from the folder of the binary. @GFXARCH@ (its first occurrence)
// becomes each target in turn, spelled as file names have it and with colons.
// Pure text: no file is looked at, except that entries of the environment which
// are folders are searched for the file names that the marker states.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_SEARCHPATH_H
#define KPACK_RUNTIME_SEARCHPATH_H

#include "Runtime/Environment.h"
#include "kpack/Archive/Marker.h"

#include <string>
#include <string_view>
#include <vector>

namespace kpack::runtime {

/// The most paths that one search looks at, repeated ones counted. A device has
/// at most eight targets, six of them with a second spelling, so this is 292
/// search paths with a placeholder.
inline constexpr size_t MaxArchivePaths = 4096;

/// The places in their order, before targets take the place of @GFXARCH@.
std::vector<PathTemplate> archiveTemplates(const Marker &M,
                                           std::string_view BinaryPath,
                                           const Environment &Env);

/// \p Targets: best first, as targetsOf() gives them. \p IsCut, if given,
/// receives whether there are more than MaxArchivePaths.
std::vector<std::string> archivePaths(const Marker &M,
                                      std::string_view BinaryPath,
                                      const Environment &Env,
                                      const std::vector<std::string> &Targets,
                                      bool *IsCut = nullptr);

/// Advice for where none of \p Files is there: a missing folder whose name
/// begins with a dot was probably left out when the files were copied. Empty
/// where no such folder is missing.
std::string adviceOnHiddenFolder(const std::vector<std::string> &Files);

/// \p Path with each "folder/.." taken out by name alone, whether the folder
/// exists or not.
std::string withoutParents(std::string_view Path);

/// Every target id whose code may run on a device that has these names, best
/// first: each name with its features and then fewer, and after all of them
/// the generic targets in the same way. Nothing occurs twice.
std::vector<std::string>
targetsOf(const std::vector<std::string_view> &DeviceNames);

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_SEARCHPATH_H
