//===- CodeObject.h - what an AMDGPU code object says -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code object is an ELF file whose header names the processor and the target
// features it was compiled for (Offload/CodeObject.h). An archive also
// names them, in its table of contents; these functions compare the two. The
// bytes are hostile.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_CODEOBJECT_H
#define KPACK_LIB_TOOL_CODEOBJECT_H

#include "kpack/Archive/ArchiveReader.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kpack::tool {

/// What is wrong with \p Bytes as a code object for target id \p Target: each
/// item is "<what>; <how to fix>" without an object. Empty: nothing found.
std::vector<std::string> checkCodeObject(llvm::StringRef Bytes,
                                         llvm::StringRef Target);

/// Names of the kernels in \p Bytes, as the compiler mangled them, in the order
/// of the symbol table. Empty for what is no code object.
std::vector<std::string> kernelsOf(llvm::StringRef Bytes);

/// How messages name an entry, "x.kpack: entry '<key>' for '<arch>'", as the
/// reader's own do.
std::string entryName(const ArchiveReader &Archive, const ArchiveEntry &Entry);

/// kernel_name and wrapper index of a key "<name>#<index>". False when the key
/// has no such index: no loader finds it then.
bool splitBinaryKey(llvm::StringRef Key, llvm::StringRef &Name,
                    uint64_t &Index);

/// The order in which people look for entries: by name, then by the number of
/// the wrapper ("app#2" before "app#10"), then by architecture.
bool comesBefore(const ArchiveEntry &A, const ArchiveEntry &B);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_CODEOBJECT_H
