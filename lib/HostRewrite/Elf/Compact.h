//===- Compact.h - fields that a compact layout changes ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the part after the device code moves, all references into it, and those
// from it to other parts, have to change. They are found through the linker's
// relocations, if it kept them (--emit-relocs), those of the loader, and the
// formats of linker-generated tables. If these do not explain the whole file,
// it keeps its addresses. The verifier checks the result; it disassembles the
// code and is independent of this analysis.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_COMPACT_H
#define KPACK_LIB_HOSTREWRITE_ELF_COMPACT_H

#include "AddressMove.h"

namespace kpack::hostrewrite {

/// Returns the fields to rewrite for the compact layout \p Layout, except for
/// headers, the dynamic table, symbols and relocations, whose addresses are
/// moved one by one. Fails if the file cannot be made compact.
llvm::Expected<std::vector<MovedField>>
findMovedFields(const ElfView &View, const PointerFacts &Pointers,
                const ElfLayout &Layout);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_COMPACT_H
