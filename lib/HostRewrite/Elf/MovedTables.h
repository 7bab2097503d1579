//===- MovedTables.h - what linkers make themselves -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Relocations of loaders, the table of offsets (.got) and the code that goes
// through it (.plt), symbols: all that has addresses and no relocations of
// --emit-relocs. The fields of relocations and symbols are changed by
// PointerPatch.cpp, address by address; here it is asked whether they can be.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_MOVEDTABLES_H
#define KPACK_LIB_HOSTREWRITE_ELF_MOVEDTABLES_H

#include "StaticRelocations.h"

namespace kpack::hostrewrite {

/// What loaders relocate, and .got. Errors: also a pointer that \p Static does
/// not know, so that the linker's relocations are not all there.
llvm::Error moveLoadedPointers(const ElfView &View,
                               const PointerFacts &Pointers,
                               const StaticRelocations &Static,
                               AddressMove &Move);

/// The distances in .plt and its like. Errors: an instruction that no linker
/// writes there.
llvm::Error movePltCode(const ElfView &View, AddressMove &Move);

/// Symbols and the dynamic table. Errors: one that goes nowhere; a dynamic tag
/// that may be an address or not.
llvm::Error checkSymbols(const ElfView &View, size_t DeviceSection,
                         const AddressMove &Move);
llvm::Error checkDynamicTable(const ElfView &View, const AddressMove &Move);

/// Whether the value of a dynamic tag is an address.
bool isAddressTag(int64_t DynamicTag);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_MOVEDTABLES_H
