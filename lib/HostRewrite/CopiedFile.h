//===- CopiedFile.h - copies of files without device code -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies the other files of a tree. The first bytes, or a search for the marks
// of device code, tell them from those to convert. Used by PackTree.cpp and
// PackDatabases.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_COPIEDFILE_H
#define KPACK_LIB_HOSTREWRITE_COPIEDFILE_H

#include "llvm/Support/Error.h"

#include <string>

namespace kpack::hostrewrite {

/// True for a 64-bit program or library of the host (code objects are libraries
/// of another machine), and for a file that begins as programs of Windows do,
/// though it may be something else.
bool isHostFile(int File);

/// True if a file that cannot be converted may have device code. Messages call
/// it \p Path.
bool mayHaveDeviceCode(int File, const std::string &Path);

/// Copies the file open as \p Source, which messages call \p Name, to the new
/// file \p Target, with its attributes.
llvm::Error copyFile(int Source, llvm::StringRef Name,
                     const std::string &Target);

/// Copies a symbolic link, with owner and times.
llvm::Error copyLink(int Source, llvm::StringRef Name, const std::string &Path);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_COPIEDFILE_H
