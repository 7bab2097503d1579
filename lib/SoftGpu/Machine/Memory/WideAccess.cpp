//===- WideAccess.cpp - single-copy atomic stores of 12 bytes -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WideAccess.h"

using namespace kpack::softgpu;

/// Compares the block at \p Target with \p Expected, and writes \p Desired if
/// they are equal. Returns true if they were, else sets \p Expected to the
/// block. Inline assembly, since ThreadSanitizer's runtime library lacks the
/// function for 16 bytes.
static bool compareAndSwap(uint8_t *Target, FourDwords &Expected,
                           FourDwords Desired) {
  uint64_t Was[2], New[2];
  std::memcpy(Was, &Expected, sizeof(Was));
  std::memcpy(New, &Desired, sizeof(New));
  bool IsSame;
  asm volatile("lock cmpxchg16b (%[At])"
               : "=@ccz"(IsSame), "+a"(Was[0]), "+d"(Was[1])
               : [At] "r"(Target), "b"(New[0]), "c"(New[1])
               : "memory");
  std::memcpy(&Expected, Was, sizeof(Was));
  return IsSame;
}

void kpack::softgpu::storeThreeDwords(uint8_t *Target,
                                      std::array<uint32_t, 3> Value) {
  unsigned First = reinterpret_cast<uintptr_t>(Target) % 16 / 4; // 0 or 1
  uint8_t *Block = Target - 4 * First;
  FourDwords Expected = loadFourDwords(Block), Desired;
  do {
    Desired = Expected;
    for (unsigned K = 0; K != 3; ++K)
      Desired[First + K] = Value[K];
  } while (!compareAndSwap(Block, Expected, Desired));
}
