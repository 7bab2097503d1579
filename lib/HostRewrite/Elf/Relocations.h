//===- Relocations.h - relocations that loaders apply -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the relocations of a linked file as a loader does, through the dynamic
// table and not the section headers: RELA, that of the PLT, and RELR.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_RELOCATIONS_H
#define KPACK_LIB_HOSTREWRITE_ELF_RELOCATIONS_H

#include "ElfView.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kpack::hostrewrite {

struct Relocation {
  /// The relocated address.
  uint64_t Address;
  /// The load address, or the symbol's value, is added to this.
  uint64_t Addend;
  uint32_t Symbol = 0;
  /// The machine's number; 0 for RELR.
  uint32_t Type = 0;
  /// The load address is added, and no symbol.
  bool IsRelative = true;
  /// Offset of the entry in the file; nullopt for RELR, whose addend is in
  /// place.
  std::optional<uint64_t> RelaOffset;
};

/// Passes all relocations to \p Visit until it returns an error. Also fails if
/// a table is not in the file or has an unknown form.
llvm::Error
forEachRelocation(const ElfView &View,
                  llvm::function_ref<llvm::Error(const Relocation &)> Visit);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_RELOCATIONS_H
