//===- WrapperSites.h - what makes the pointers of wrappers -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a pointer's value stands before the program is loaded: in the bytes
// themselves (a program that is not relocated; RELR, which adds the load
// address to them), or in the addend of a RELA entry. Wrong guesses are
// reference defects D1 and D2. The relocations are Relocations.h's.
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
  /// Where it points to: the address of a bundle.
  uint64_t Pointer = 0;
  /// The RELA entry that makes the pointer; otherwise the bytes in place do.
  std::optional<uint64_t> RelaOffset;
  /// The entry has a symbol and is to become a relative one.
  bool HasSymbol = false;
  bool IsRelocated = false;
  /// The bytes in place, as they are.
  uint64_t InPlace = 0;
};

/// The pointers of all wrappers of a file.
struct PointerFacts {
  std::vector<WrapperSite> Wrappers;
  /// Their indices by the addresses of the pointers.
  std::unordered_map<uint64_t, size_t> ByPointer;
};

/// Errors: relocations of an unknown form, a wrapper that is not loaded or
/// whose pointer nothing makes.
llvm::Expected<PointerFacts>
readPointers(const ElfView &View, llvm::ArrayRef<offload::Wrapper> Wrappers);

/// Whether a relative relocation makes anything but a wrapper point into
/// \p Addresses. Reads all relocations.
llvm::Expected<bool> pointsInto(const ElfView &View,
                                const PointerFacts &Pointers, Range Addresses);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_WRAPPERSITES_H
