//===- Support/MemoryFile.h - files without a name --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is kept in memory as a file: kernels that cannot be kept on disk or not
// be mapped from there, and questions to helper programs. Once it is sealed
// nobody can change it, not even who has a descriptor of it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_MEMORYFILE_H
#define KPACK_SUPPORT_MEMORYFILE_H

#include "kpack/Support/UniqueFd.h"

#include <string>

namespace kpack {

/// An empty file, closed in programs that are run. \p Name is what lists of
/// mappings show. Without a descriptor, and with errno set, where there is no
/// memory or the system forbids such files.
UniqueFd memoryFile(const std::string &Name);

/// From now on the file is read only. What the system refuses is not needed:
/// old kernels know no seals of it.
void sealFile(int File);

} // namespace kpack

#endif // KPACK_SUPPORT_MEMORYFILE_H
