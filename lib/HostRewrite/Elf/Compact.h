//===- Compact.h - may it be made compact? ----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When what is after the device code moves, all that leads there, or from
// there to what stays, has to change. Which fields those are is told by the
// linker's relocations, if it has left them (--emit-relocs), by those of the
// loader and by the formats of what linkers make themselves. Where that does
// not explain the whole file it stays at its addresses. What comes out is
// judged by the verifier, which disassembles it and does not know of any of
// this.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_COMPACT_H
#define KPACK_LIB_HOSTREWRITE_ELF_COMPACT_H

#include "AddressMove.h"

namespace kpack::hostrewrite {

/// What is to be written anew for \p Layout, a compact one, besides headers,
/// the dynamic table, symbols and relocations, whose addresses are moved one by
/// one. Errors: why the file cannot be made compact.
llvm::Expected<std::vector<MovedField>>
findMovedFields(const ElfView &View, const PointerFacts &Pointers,
                const ElfLayout &Layout);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_COMPACT_H
