//===- Shift.h - distance that addresses have moved -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a file whose device code has left the address space, all later addresses
// decrease by one distance, which is computed from the two files. See
// CompareMoved.h for its use.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_SHIFT_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_SHIFT_H

#include <cstdint>

namespace kpack::hostrewrite::verifier {

struct Side;

struct Shift {
  /// The device code in the original's memory.
  uint64_t Begin = 0, End = ~uint64_t(0);
  /// The end of the original's memory.
  uint64_t MemoryEnd = 0;
  uint64_t Less = 0;

  static Shift between(const Side &Old, const Side &New);

  bool isAny() const { return Less != 0; }
  /// Returns the new address; beyond all memory nothing moves.
  uint64_t at(uint64_t Address) const {
    return Address >= End && Address <= MemoryEnd ? Address - Less : Address;
  }
  /// True if \p Address was in the device code, where no pointer may lead. Its
  /// first address is also the end of the part before it.
  bool isGone(uint64_t Address) const {
    return isAny() && Address > Begin && Address < End;
  }
  /// True if a number would have to change if it is an address.
  bool isChanged(uint64_t Value) const { return at(Value) != Value; }
};

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_SHIFT_H
