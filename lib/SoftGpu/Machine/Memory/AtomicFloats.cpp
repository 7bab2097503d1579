//===- AtomicFloats.cpp - floating-point atomics --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AtomicFloats.h, which handles NaNs and cancelling infinities.
//
//===----------------------------------------------------------------------===//
#define KPACK_SOFTGPU_VARIANT generic
#include "AtomicFloats.h"
#include "SoftGpu/Machine/Lanes/SmallFloats.h"

namespace kpack::softgpu {

static uint32_t sumOfSingles(uint32_t A, uint32_t B) {
  return std::bit_cast<uint32_t>(std::bit_cast<float>(A) +
                                 std::bit_cast<float>(B));
}

uint16_t PackedF16::sum(uint16_t A, uint16_t B) {
  auto Widen = [](uint16_t Half) {
    return generic::singleOfHalf(Half, /*Flush=*/false, /*Quiet=*/false);
  };
  return uint16_t(generic::halfOfSingle(sumOfSingles(Widen(A), Widen(B)),
                                        /*Rounding=*/0, /*Flush=*/false));
}

uint16_t PackedBf16::sum(uint16_t A, uint16_t B) {
  uint32_t Sum = sumOfSingles(uint32_t(A) << 16, uint32_t(B) << 16);
  return uint16_t((Sum + 0x7fff + (Sum >> 16 & 1)) >> 16);
}

} // namespace kpack::softgpu
