//===- Relocations.h - what a loader relocates ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The relocations of a linked file as a loader reads them: through the dynamic
// table, whatever the section headers say. RELA, that of the PLT, and RELR.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_RELOCATIONS_H
#define KPACK_LIB_HOSTREWRITE_ELF_RELOCATIONS_H

#include "ElfView.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kpack::hostrewrite {

struct Relocation {
  /// Of what is relocated.
  uint64_t Address;
  /// What the load address, or the symbol's, is added to.
  uint64_t Addend;
  uint32_t Symbol = 0;
  /// As the machine numbers them; 0 of RELR.
  uint32_t Type = 0;
  /// The load address is added, and no symbol's.
  bool IsRelative = true;
  /// Where the entry stands; none: RELR, whose addend is in place.
  std::optional<uint64_t> RelaOffset;
};

/// Hands all relocations to \p Visit, until it returns an error. Errors: a
/// table that is not in the file, or one of a form that is not known.
llvm::Error
forEachRelocation(const ElfView &View,
                  llvm::function_ref<llvm::Error(const Relocation &)> Visit);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_RELOCATIONS_H
