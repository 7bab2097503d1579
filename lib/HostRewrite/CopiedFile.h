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
#include <sys/stat.h>

namespace kpack::hostrewrite {

/// Whether the file is a 64-bit program or library of the host: code objects
/// are libraries, too, for their own machine. Or one that begins as programs of
/// Windows do, which may be something else.
bool isHostFile(const std::string &Path);

/// Whether there may be device code in a file that cannot be converted.
bool mayHaveDeviceCode(const std::string &Path);

/// With its attributes.
llvm::Error copyFile(const std::string &From, const std::string &To);

/// Of a symbolic link, which \p Info is of, with owner and times.
llvm::Error copyLink(const std::string &From, const std::string &To,
                     const struct stat &Info);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_COPIEDFILE_H
