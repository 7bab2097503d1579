//===- Shift.h - how far addresses have moved -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a file whose device code has left the address space, too: all that was
// after it is nearer by one distance. It is found in the two files, nobody
// says it. What is compared with it: CompareMoved.h.
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
  /// The original's memory ends here.
  uint64_t MemoryEnd = 0;
  uint64_t Less = 0;

  static Shift between(const Side &Old, const Side &New);

  bool isAny() const { return Less != 0; }
  /// Where what was at \p Address is now; beyond all memory nothing moves.
  uint64_t at(uint64_t Address) const {
    return Address >= End && Address <= MemoryEnd ? Address - Less : Address;
  }
  /// Whether \p Address was in the device code, where nothing may lead any
  /// more. Its first byte is also the end of what is in front of it.
  bool isGone(uint64_t Address) const {
    return isAny() && Address > Begin && Address < End;
  }
  /// Whether a number would have to be another one if it is an address.
  bool isChanged(uint64_t Number) const { return at(Number) != Number; }
};

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_SHIFT_H
