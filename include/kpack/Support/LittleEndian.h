//===- kpack/Support/LittleEndian.h - little-endian integers ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of archives, cache entries and offload bundles, on processors of any
// byte order. Compilers make one instruction of each loop.
// llvm/Support/Endian.h does the same in code with LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_LITTLEENDIAN_H
#define KPACK_SUPPORT_LITTLEENDIAN_H

#include <cstdint>
#include <string>

namespace kpack {

/// Appends the lowest \p Size bytes of \p Value.
inline void appendLittleEndian(std::string &Out, uint64_t Value,
                               unsigned Size = sizeof(uint64_t)) {
  for (unsigned I = 0; I != Size; ++I)
    Out += static_cast<char>(Value >> (8 * I));
}

/// Returns the number in the \p Size bytes at \p Bytes, which must be readable.
inline uint64_t readLittleEndian(const char *Bytes,
                                 unsigned Size = sizeof(uint64_t)) {
  uint64_t Value = 0;
  for (unsigned I = 0; I != Size; ++I)
    Value |= uint64_t(static_cast<unsigned char>(Bytes[I])) << (8 * I);
  return Value;
}

} // namespace kpack

#endif // KPACK_SUPPORT_LITTLEENDIAN_H
