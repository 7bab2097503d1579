//===- Range.h - a half-open interval ---------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of a file, or of the address space.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_RANGE_H
#define KPACK_LIB_HOSTREWRITE_RANGE_H

#include <cstdint>

namespace kpack::hostrewrite {

/// [Begin, End).
struct Range {
  uint64_t Begin = 0, End = 0;

  uint64_t size() const { return End - Begin; }
  bool empty() const { return Begin == End; }
  bool contains(uint64_t Offset) const {
    return Offset >= Begin && Offset < End;
  }
  bool overlaps(Range Other) const {
    return Begin < Other.End && Other.Begin < End;
  }
};

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_RANGE_H
