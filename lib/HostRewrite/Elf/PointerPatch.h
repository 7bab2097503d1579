//===- PointerPatch.h - what names moved things -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wrappers, relocations, symbols and the dynamic table of a file whose pieces
// Rewrite.cpp has put where they go: what led to device code leads to the
// marker, and what led to something that has moved leads to it again.
// MovedTables.h asked before whether that can be. Sibling: FilePatch.h.
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
