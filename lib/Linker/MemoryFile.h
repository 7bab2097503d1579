//===- MemoryFile.h - in-memory file that lld opens by name -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld takes inputs by name only. A MemoryFile (memfd) has the name
// /proc/self/fd/N, which child processes can open too. It vanishes with the
// process, however that ends, so there is no temporary file to clean up.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_MEMORYFILE_H
#define KPACK_LIB_LINKER_MEMORYFILE_H

#include "kpack/Support/UniqueFd.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <string>

namespace kpack::linker {

/// The prefix of all names of memory files; a number follows.
inline constexpr llvm::StringLiteral MemoryFilePrefix = "/proc/self/fd/";

class MemoryFile {
public:
  /// \p Purpose appears in /proc/self/fd and in messages.
  static llvm::Expected<MemoryFile> create(llvm::StringRef Purpose,
                                           llvm::StringRef Contents = "");

  /// Returns MemoryFilePrefix and the descriptor.
  std::string path() const;

  /// Returns the current content.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> read() const;

private:
  MemoryFile() = default;
  UniqueFd Descriptor;
};

/// Raises the limit on open files as far as the system permits, for this
/// process and its children: each replaced object needs one.
void raiseOpenFileLimit();

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_MEMORYFILE_H
