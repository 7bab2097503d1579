//===- kpack/Support/LittleEndian.h - numbers in files ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers as archives, cache entries and offload bundles have them, whatever
// the order of the processor's bytes. Compilers make one instruction of each
// loop. Where LLVM is, llvm/Support/Endian.h does the same.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_LITTLEENDIAN_H
#define KPACK_SUPPORT_LITTLEENDIAN_H

#include <cstdint>
#include <string>

namespace kpack {

/// Appends the lowest \p Size bytes of \p Value.
inline void appendLittleEndian(std::string &To, uint64_t Value,
                               unsigned Size = sizeof(uint64_t)) {
  for (unsigned I = 0; I != Size; ++I)
    To += static_cast<char>(Value >> (8 * I));
}

/// The number of \p Size bytes at \p From, which are there.
inline uint64_t readLittleEndian(const char *From,
                                 unsigned Size = sizeof(uint64_t)) {
  uint64_t Value = 0;
  for (unsigned I = 0; I != Size; ++I)
    Value |= uint64_t(static_cast<unsigned char>(From[I])) << (8 * I);
  return Value;
}

} // namespace kpack

#endif // KPACK_SUPPORT_LITTLEENDIAN_H
