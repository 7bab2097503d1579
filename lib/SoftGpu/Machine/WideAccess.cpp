//===- WideAccess.cpp - single-copy atomic stores of 12 bytes -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WideAccess.h"

using namespace kpack::softgpu;

#ifdef __x86_64__
__attribute__((target("cx16")))
#endif
LLVM_NO_SANITIZE("address")
    LLVM_NO_SANITIZE("thread") void kpack::softgpu::storeThreeDwords(
        uint8_t *To, std::array<uint32_t, 3> Value) {
  using Block = unsigned __int128;
  uintptr_t Offset = reinterpret_cast<uintptr_t>(To) % sizeof(Block);
  auto *At = reinterpret_cast<volatile Block *>(To - Offset);
  FourDwords Dwords = loadFourDwords(To - Offset);
  while (true) {
    Block Expected, Desired;
    std::memcpy(&Expected, &Dwords, sizeof(Expected));
    std::memcpy(reinterpret_cast<char *>(&Dwords) + Offset, Value.data(),
                sizeof(Value));
    std::memcpy(&Desired, &Dwords, sizeof(Desired));
    Block Found = __sync_val_compare_and_swap(At, Expected, Desired);
    if (Found == Expected)
      return;
    std::memcpy(&Dwords, &Found, sizeof(Dwords));
  }
}
