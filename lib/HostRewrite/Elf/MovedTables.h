//===- MovedTables.h - moved linker-generated tables ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles the parts with addresses that --emit-relocs does not cover: the
// loader's relocations, the table of offsets (.got), the code that uses it
// (.plt), and symbols. These functions check whether relocations and symbols
// can move; PointerPatch.cpp changes their fields, address by address.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_MOVEDTABLES_H
#define KPACK_LIB_HOSTREWRITE_ELF_MOVEDTABLES_H

#include "StaticRelocations.h"

namespace kpack::hostrewrite {

/// Moves relocated words and .got. Also fails on a pointer that \p Static
/// lacks, since the linker's relocations are incomplete then.
llvm::Error moveLoadedPointers(const ElfView &View,
                               const PointerFacts &Pointers,
                               const StaticRelocations &Static,
                               AddressMove &Move);

/// Moves the displacements in .plt and similar sections. Fails on an
/// instruction that linkers do not write there.
llvm::Error movePltCode(const ElfView &View, AddressMove &Move);

/// Check symbols and the dynamic table. Fail if one has no new address, or on a
/// dynamic tag that may or may not be an address.
llvm::Error checkSymbols(const ElfView &View, size_t DeviceSection,
                         const AddressMove &Move);
llvm::Error checkDynamicTable(const ElfView &View, const AddressMove &Move);

/// True if the value of the tag is an address.
bool isAddressTag(int64_t DynamicTag);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_MOVEDTABLES_H
