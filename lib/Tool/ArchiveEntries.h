//===- ArchiveEntries.h - ELF headers against archive tables ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code object is an ELF file whose header names the processor and the target
// features for which it was compiled (Offload/CodeObjectHeader.h). The table of
// contents of an archive names them too; these functions compare the two. The
// bytes may be hostile.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_ARCHIVEENTRIES_H
#define KPACK_LIB_TOOL_ARCHIVEENTRIES_H

#include "kpack/Archive/ArchiveReader.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kpack::tool {

/// Returns the problems of \p Bytes as a code object for target id \p Target.
/// Each is "<what>; <how to fix>", without an object.
std::vector<std::string> checkCodeObject(llvm::StringRef Bytes,
                                         llvm::StringRef Target);

/// Returns the mangled names of the kernels in \p Bytes, in the order of the
/// symbol table. Empty if it is no code object.
std::vector<std::string> getKernels(llvm::StringRef Bytes);

/// Returns an entry's name in messages, "x.kpack: entry '<key>' for '<arch>'",
/// as in those of the reader.
std::string entryName(const ArchiveReader &Archive, const ArchiveEntry &Entry);

/// Splits a key "<name>#<index>" into kernel_name and wrapper index. Returns
/// false if there is no such index; then no loader finds the entry.
bool splitBinaryKey(llvm::StringRef Key, llvm::StringRef &Name,
                    uint64_t &Index);

/// Orders entries for users: by name, then by the number of the wrapper
/// ("app#2" before "app#10"), then by architecture.
bool comesBefore(const ArchiveEntry &A, const ArchiveEntry &B);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_ARCHIVEENTRIES_H
