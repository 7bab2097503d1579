//===- CopiedFile.h - what stays what it is ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files of a tree that are not converted: which these are is seen by their
// first bytes, or by a look for what device code is marked by. User:
// PackTree.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_COPIEDFILE_H
#define KPACK_LIB_HOSTREWRITE_COPIEDFILE_H

#include "llvm/Support/Error.h"

#include <string>

namespace kpack::hostrewrite {

/// Whether the file is a 64-bit program or library of the host: code objects
/// are libraries, too, for their own machine. Or one that begins as programs of
/// Windows do, which may be something else.
bool isHostFile(int File);

/// Whether there may be device code in a file that cannot be converted. \p Path
/// is its name in messages.
bool mayHaveDeviceCode(int File, const std::string &Path);

/// Copies the file open as \p From, which messages call \p Name, to the new
/// file \p To, with its attributes.
llvm::Error copyFile(int From, llvm::StringRef Name, const std::string &To);

/// The same for a symbolic link, with owner and times.
llvm::Error copyLink(int From, llvm::StringRef Name, const std::string &To);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_COPIEDFILE_H
