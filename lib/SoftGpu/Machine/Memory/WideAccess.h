//===- WideAccess.h - single-copy atomic loads and stores -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU transfers the 12 or 16 bytes of a lane in one transaction if they are
// in one cache line, and programs rely on it: a decoupled look-back keeps a
// value and its flag in 16 bytes. On processors with AVX an aligned vector
// access of 16 bytes is single-copy atomic (AMD64 manual volume 2, 7.3.2; Intel
// SDM volume 3, 9.1.1, which lists MOVAPS but not MOVUPS, though its processors
// treat them alike). An unaligned one is in practice, too, if it does not leave
// its cache line. See docs/explanation/softgpu-memory.md.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MEMORY_WIDEACCESS_H
#define KPACK_LIB_SOFTGPU_MACHINE_MEMORY_WIDEACCESS_H

#include "SoftGpu/Machine/Lanes/Lanes.h"
#include "llvm/Support/Compiler.h"
#include <array>
#include <cstdint>
#include <cstring>

namespace kpack::softgpu {

/// Four dwords, at any address, in one vector register.
typedef uint32_t FourDwords
    __attribute__((vector_size(16), aligned(1), may_alias));

/// Writes the 12 bytes at \p Target, which are in an aligned block of 16 and
/// aligned to 4, by a compare-and-swap of the block.
void storeThreeDwords(uint8_t *Target, std::array<uint32_t, 3> Value);

namespace KPACK_SOFTGPU_VARIANT {

inline bool isInOneLine(const uint8_t *Address, unsigned Bytes) {
  constexpr unsigned LineBytes = 64;
  return reinterpret_cast<uintptr_t>(Address) % LineBytes + Bytes <= LineBytes;
}

/// Reads 16 bytes by one instruction, as compilers do not split a volatile
/// access. The sanitizers see neither the race, which is the guest's, nor the
/// bytes beside an access of 12.
LLVM_NO_SANITIZE("address")
LLVM_NO_SANITIZE("thread")
inline FourDwords loadFourDwords(const uint8_t *Source) {
  return *reinterpret_cast<const volatile FourDwords *>(Source);
}

LLVM_NO_SANITIZE("address")
LLVM_NO_SANITIZE("thread")
inline void storeFourDwords(uint8_t *Target, FourDwords Value) {
  *reinterpret_cast<volatile FourDwords *>(Target) = Value;
}

/// Dwords of neighbouring lanes, at any address: as many as a vector register
/// of this variant has. Each dword is single-copy atomic, the block need not
/// be.
#if defined(__AVX512F__)
constexpr unsigned BlockLanes = 16;
#elif defined(__AVX2__)
constexpr unsigned BlockLanes = 8;
#else
constexpr unsigned BlockLanes = 4;
#endif
typedef uint32_t LaneBlock
    __attribute__((vector_size(4 * BlockLanes), aligned(1), may_alias));

/// Copies a block between a row and memory, each byte once: memcpy() may write
/// some twice.
LLVM_NO_SANITIZE("address")
LLVM_NO_SANITIZE("thread")
inline void copyBlock(void *Target, const void *Source) {
  *static_cast<volatile LaneBlock *>(Target) =
      *static_cast<const volatile LaneBlock *>(Source);
}

/// Reads the 12 bytes at \p Source, which are in one cache line, with 4 others
/// of that line.
inline std::array<uint32_t, 3> loadThreeDwords(const uint8_t *Source) {
  if (isInOneLine(Source, 16)) {
    FourDwords All = loadFourDwords(Source);
    return {All[0], All[1], All[2]};
  }
  FourDwords All = loadFourDwords(Source - 4);
  return {All[1], All[2], All[3]};
}

/// True if storeThreeDwords() may be used.
inline bool isInOneBlock(const uint8_t *Address) {
  uintptr_t Offset = reinterpret_cast<uintptr_t>(Address) % 16;
  return Offset == 0 || Offset == 4;
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MEMORY_WIDEACCESS_H
