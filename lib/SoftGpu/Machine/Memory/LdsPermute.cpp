//===- LdsPermute.cpp - lane permutations of LDS hardware -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ds_swizzle, ds_permute and ds_bpermute access no memory, and a value of an
// inactive lane is zero. The halves of wave64 are separate on gfx10 and gfx11
// (LLVM's GCNSubtarget::supportsWaveWideBPermute), and always for ds_swizzle.
// ISA manuals, "DS_SWIZZLE_B32" and "DS_PERMUTE_B32".
//
//===----------------------------------------------------------------------===//
#include "MemorySpaces.h"
#include "SoftGpu/Machine/Opcodes.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

/// Returns the lane that \p Lane reads; \p Pattern is the offset field.
static unsigned swizzleSource(unsigned Lane, unsigned Pattern) {
  unsigned Half = Lane & 0x20, Low = Lane & 0x1f;
  if (Pattern >= 0xe000) { // the butterflies of an FFT
    unsigned Mask = Pattern & 0x1f;
    if (Mask == 0x1f)
      return Lane;
    unsigned Reversed = 0;
    for (unsigned Bit = 0; Bit < 5; ++Bit)
      Reversed |= (Low >> Bit & 1) << (4 - Bit);
    return Half | Reversed >> std::popcount(Mask) | (Low & Mask);
  }
  if (Pattern >= 0xc000) { // a rotation of the bits outside of the mask
    unsigned Mask = Pattern & 0x1f, Amount = Pattern >> 5 & 0x1f;
    unsigned Moved = (Pattern >> 10 & 1) ? Low - Amount : Low + Amount;
    return Half | (Low & Mask) | (Moved & ~Mask & 0x1f);
  }
  if (Pattern >= 0x8000) // four lanes
    return (Lane & ~3u) | (Pattern >> 2 * (Lane & 3) & 3);
  unsigned And = Pattern & 0x1f, Or = Pattern >> 5 & 0x1f,
           Xor = Pattern >> 10 & 0x1f;
  return Half | (((Low & And) | Or) ^ Xor);
}

/// Writes Source(From(lane)) to all active lanes, and zero for lanes not in
/// \p Valid.
template <typename Function>
static void gather(Wave &W, const Instruction &I, const Lanes32 &Source,
                   uint64_t Valid, Function &&SourceLane) {
  Lanes32 Result{};
  for (unsigned Lane = 0; Lane < W.Lanes; ++Lane) {
    unsigned Other = SourceLane(Lane);
    Result.V[Lane] = (Valid >> Other & 1) ? Source.V[Other] : 0;
  }
  writeResult32(W, I, Result);
}

static void swizzle(Wave &W, const Instruction &I) {
  unsigned Pattern = uint16_t(I.Offset);
  gather(W, I, addressRow(W, I.Operands[1]), W.exec(),
         [&](unsigned Lane) { return swizzleSource(Lane, Pattern); });
}

/// Returns the number of lanes that can reach each other, minus one.
static unsigned reach(const Wave &W) {
  bool Halves = W.Isa->isGfx10Plus() && !W.Isa->isGfx12Plus();
  return Halves ? 31 : W.Lanes - 1;
}

/// Returns the lane that the address of \p Lane selects.
static unsigned namedLane(unsigned Lane, uint32_t Address, unsigned Reach) {
  return (Lane & ~Reach) | (Address >> 2 & Reach);
}

/// Backward: the address selects the lane to read from. \p FetchInactive: also
/// an inactive one.
template <bool FetchInactive>
static void permuteBackward(Wave &W, const Instruction &I) {
  const Lanes32 &Addresses = addressRow(W, I.Operands[1]);
  unsigned Reach = reach(W);
  gather(W, I, addressRow(W, I.Operands[2]),
         FetchInactive ? W.allLanes() : W.exec(), [&](unsigned Lane) {
           return namedLane(Lane, Addresses.V[Lane] + uint32_t(I.Offset),
                            Reach);
         });
}

/// Forward: the address selects the lane to write to; the highest lane wins.
static void permuteForward(Wave &W, const Instruction &I) {
  const Lanes32 &Addresses = addressRow(W, I.Operands[1]);
  const Lanes32 &Source = addressRow(W, I.Operands[2]);
  unsigned Reach = reach(W);
  Lanes32 Result{};
  forActiveLanes(W, [&](unsigned Lane) {
    uint32_t Address = Addresses.V[Lane] + uint32_t(I.Offset);
    Result.V[namedLane(Lane, Address, Reach)] = Source.V[Lane];
    return true;
  });
  writeResult32(W, I, Result);
}

static constexpr OpcodeInfo Table[] = {
    {"ds_swizzle_b32", swizzle, ModOffset},
    {"ds_permute_b32", permuteForward, ModOffset},
    {"ds_bpermute_b32", permuteBackward<false>, ModOffset},
    {"ds_bpermute_fi_b32", permuteBackward<true>, ModOffset},
};

llvm::ArrayRef<OpcodeInfo> ldsPermuteOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
