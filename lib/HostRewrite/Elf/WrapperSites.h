//===- WrapperSites.h - locations of wrapper pointers -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the value of a wrapper's pointer before the program is loaded: in the
// bytes themselves (in a program that is not relocated, or with RELR, which
// adds the load address to them), or in the addend of a RELA entry. Wrong
// guesses are reference defects D1 and D2. Relocations.h reads the relocations.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_WRAPPERSITES_H
#define KPACK_LIB_HOSTREWRITE_ELF_WRAPPERSITES_H

#include "ElfView.h"
#include "Offload/Wrappers.h"

#include <unordered_map>

namespace kpack::hostrewrite {

struct WrapperSite {
  /// Of the wrapper, in the file and in memory.
  uint64_t FileOffset, Address;
  /// The address of a bundle.
  uint64_t Pointer = 0;
  /// Offset of the RELA entry for the pointer; nullopt: the bytes in place
  /// count.
  std::optional<uint64_t> RelaOffset;
  /// The entry has a symbol and has to become a relative one.
  bool HasSymbol = false;
  bool IsRelocated = false;
  /// The bytes in place.
  uint64_t InPlace = 0;
};

/// The pointers of all wrappers of a file.
struct PointerFacts {
  std::vector<WrapperSite> Wrappers;
  /// Indices of the wrappers by the addresses of their pointers.
  std::unordered_map<uint64_t, size_t> ByPointer;
};

/// Errors: relocations of an unknown form; a wrapper that is not loaded; in a
/// position-independent file, a wrapper whose pointer has no relocation.
llvm::Expected<PointerFacts>
readPointers(const ElfView &View, llvm::ArrayRef<offload::Wrapper> Wrappers);

/// True if a relative relocation makes anything but a wrapper point into
/// \p Addresses. Reads all relocations.
llvm::Expected<bool> pointsInto(const ElfView &View,
                                const PointerFacts &Pointers, Range Addresses);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_WRAPPERSITES_H
