//===- PointerPatch.h - updated references to moved parts -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patches wrappers, relocations, symbols and the dynamic table after
// Rewrite.cpp has placed the parts of a file: references to device code lead to
// the marker, and references to moved parts follow them. MovedTables.h has
// checked before that this is possible. Sibling: FilePatch.h.
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_POINTERPATCH_H
#define KPACK_LIB_HOSTREWRITE_ELF_POINTERPATCH_H

#include "AddressMove.h"
#include "FilePatch.h"

namespace kpack::hostrewrite {

/// The sections of the new file.
struct NewSections {
  llvm::ArrayRef<Elf::Shdr> Headers; // in the old order
  llvm::ArrayRef<size_t> Index;      // by old index
};

/// \p Fields are those of a compact layout, \p MarkerSize is in bytes.
void patchPointers(const ElfView &View, const PointerFacts &Pointers,
                   const ElfLayout &Layout, llvm::ArrayRef<MovedField> Fields,
                   uint64_t MarkerSize, NewSections Sections, FilePatch &Patch);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_POINTERPATCH_H
