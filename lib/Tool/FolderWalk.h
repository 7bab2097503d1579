//===- FolderWalk.h - walk over the files below a folder --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Visits every regular file with its first bytes, which are more reliable than
// its name. Links are separate: their target is in the tree, or not meant. Used
// by commands that take folders.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_FOLDERWALK_H
#define KPACK_LIB_TOOL_FOLDERWALK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <vector>

namespace kpack::tool {

/// Calls \p Visit with the path and the first four bytes of every file below
/// \p Root, in the order of the file system; the bytes are empty if the file
/// cannot be read. Returns messages about folders that cannot be read.
std::vector<std::string> forEachFile(
    llvm::StringRef Root,
    llvm::function_ref<void(const std::string &Path, llvm::StringRef Magic)>
        Visit);

/// Returns the symbolic links below \p Root by their target, both as absolute
/// paths without links in between; omits dangling links.
std::multimap<std::string, std::string> linksBelow(llvm::StringRef Root);

/// True if a file with this name that begins with \p Magic is an archive. A
/// file with the name of an archive counts, damaged or not, unless it is a
/// program or library.
bool looksLikeArchive(llvm::StringRef Path, llvm::StringRef Magic);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_FOLDERWALK_H
