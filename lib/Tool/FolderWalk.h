//===- FolderWalk.h - the files below a folder ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every regular file, with its first bytes, which say better than its name what
// it is. Links are told apart: what they lead to is in the tree or is not
// meant. Users: Verify.cpp and Prune.cpp.
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
/// \p Root, in the order of the file system; the bytes are empty where the file
/// cannot be read. Returns messages on folders that cannot be read.
std::vector<std::string> forEachFile(
    llvm::StringRef Root,
    llvm::function_ref<void(const std::string &Path, llvm::StringRef Magic)>
        Visit);

/// The symbolic links below \p Root by what they lead to, both as absolute
/// paths without links in between; links to nothing are left out.
std::multimap<std::string, std::string> linksBelow(llvm::StringRef Root);

/// Whether a file of this name that begins with \p Magic is an archive: one by
/// the name of an archive is, damaged or not, unless it is a program or
/// library.
bool looksLikeArchive(llvm::StringRef Path, llvm::StringRef Magic);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_FOLDERWALK_H
