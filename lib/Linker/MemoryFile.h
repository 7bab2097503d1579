//===- MemoryFile.h - a file without a directory entry ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld takes inputs by name only. A MemoryFile (memfd) has one,
// /proc/self/fd/N, which also a child process can open, and is gone with the
// process however that ends: there is no temporary file to clean up.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_MEMORYFILE_H
#define KPACK_LIB_LINKER_MEMORYFILE_H

#include "kpack/Support/UniqueFd.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <string>

namespace kpack::linker {

/// What the names of all memory files begin with; a number follows.
inline constexpr llvm::StringLiteral MemoryFilePrefix = "/proc/self/fd/";

class MemoryFile {
public:
  /// \p Purpose shows in /proc/self/fd and in messages.
  static llvm::Expected<MemoryFile> create(llvm::StringRef Purpose,
                                           llvm::StringRef Contents = "");

  /// MemoryFilePrefix and the descriptor.
  std::string path() const;

  /// What stands in the file now.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> read() const;

private:
  MemoryFile() = default;
  UniqueFd Descriptor;
};

/// Lets this process and its children open as many files as the system
/// permits: each replaced object takes one.
void raiseOpenFileLimit();

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_MEMORYFILE_H
