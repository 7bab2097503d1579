//===- VectorInteger16.cpp - arithmetic of 16-bit integers ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer operations on one half of a register and, as v_pk_, on both. gfx9
// zeroes the other half of a destination, except after the operations that it
// introduced with op_sel; gfx10 and up keep it (LLVM,
// GCNSubtarget::zeroesHigh16BitsOfDest). VectorInteger.cpp has 32 bits.
//
//===----------------------------------------------------------------------===//
#include "IntegerOperations.h"
#include "SoftGpu/Machine/Lanes/FloatLanes.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {
namespace {

/// Results of gfx9's op_sel operations keep the other half.
using U16Keep = Kind16<uint16_t, true>;
using I16Keep = Kind16<int16_t, true>;

// Exact in 64 bits, see clampable().
constexpr auto ShiftLeft = [](int64_t N, int64_t X) {
  return int64_t(uint64_t(X) << (N & 15));
};
constexpr auto ShiftRight = [](int64_t N, int64_t X) { return X >> (N & 15); };

/// Saturates two signed halves to unsigned bytes.
constexpr auto SaturateToBytes = [](uint32_t X) {
  auto Byte = [](int32_t Half) {
    return uint32_t(Half < 0 ? 0 : Half > 255 ? 255 : Half);
  };
  return uint16_t(Byte(int16_t(X)) | Byte(int32_t(X) >> 16) << 8);
};

/// Two sources and result of one kind, without saturation.
template <auto Op, class K>
constexpr Handler Plain = BinaryOf<Truncated<Op, typename K::Number>, K>;

//===----------------------------------------------------------------------===//
// Selection and exchange
//===----------------------------------------------------------------------===//

/// Like v_cndmask_b32, with the neg and abs of an f16.
void conditionalMask16(Wave &W, const Instruction &I) {
  Lanes32 SA, SB;
  Lanes32 Result = floatSource<F16>(W, I, 1, SA);
  const Lanes32 &B = floatSource<F16>(W, I, 2, SB);
  uint64_t Mask = I.OperandCount > 3 ? readMask(W, I.Operands[3]) : W.vcc();
  blend(Result, B, Mask);
  writeResult16(W, I, Result);
}

void swap16(Wave &W, const Instruction &I) {
  Lanes32 ScratchA, ScratchB;
  Lanes32 A = sourceBits16(W, I, 0, ScratchA);
  Lanes32 B = sourceBits16(W, I, 1, ScratchB);
  writeResult16(W, I, B, 0);
  writeResult16(W, I, A, 1);
}

//===----------------------------------------------------------------------===//
// Packed
//===----------------------------------------------------------------------===//

template <auto Op, class T, unsigned Sources>
void computePacked(Wave &W, const Instruction &I) {
  Lanes32 Low[Sources], High[Sources], Result;
  for (unsigned N = 0; N < Sources; ++N)
    sourcePacked(W, I, N + 1, /*FloatIsHalf=*/false, Low[N], High[N]);
  forLanes(W, [&](unsigned Lane) {
    uint32_t Halves[2];
    for (unsigned Half = 0; Half < 2; ++Half) {
      const Lanes32 *S = Half ? High : Low;
      if constexpr (Sources == 2)
        Halves[Half] = uint16_t(Op(T(S[0].V[Lane]), T(S[1].V[Lane])));
      else
        Halves[Half] =
            uint16_t(Op(T(S[0].V[Lane]), T(S[1].V[Lane]), T(S[2].V[Lane])));
    }
    Result.V[Lane] = Halves[0] | Halves[1] << 16;
  });
  store32(W, I, Result);
}

/// Op is as for clampable().
template <auto Op, class T, unsigned Sources = 2>
void packed(Wave &W, const Instruction &I) {
  if (I.has(ModClamp))
    computePacked<Saturated<Op, T>, T, Sources>(W, I);
  else
    computePacked<Truncated<Op, T>, T, Sources>(W, I);
}

constexpr uint32_t Vop2 = ModDpp | ModSdwa | ModSext | ModOpSel;
constexpr uint32_t Vop3 = ModDpp | ModOpSel;
constexpr uint32_t Halves = ModOpSel | ModOpSelHi;

constexpr OpcodeInfo Table[] = {
    // One half.
    {"v_add_u16", clampable<Add, U16, U16, U16>, Vop2 | ModClamp},
    {"v_add_nc_u16", clampable<Add, U16, U16, U16>, Vop3 | ModClamp},
    {"v_add_i16", clampable<Add, I16Keep, I16, I16>, Vop3 | ModClamp},
    {"v_add_nc_i16", clampable<Add, I16, I16, I16>, Vop3 | ModClamp},
    {"v_sub_u16", clampable<Sub, U16, U16, U16>, Vop2 | ModClamp},
    {"v_sub_nc_u16", clampable<Sub, U16, U16, U16>, Vop3 | ModClamp},
    {"v_sub_i16", clampable<Sub, I16Keep, I16, I16>, Vop3 | ModClamp},
    {"v_sub_nc_i16", clampable<Sub, I16, I16, I16>, Vop3 | ModClamp},
    {"v_subrev_u16", clampable<SubReversed, U16, U16, U16>, Vop2 | ModClamp},
    {"v_mul_lo_u16", Plain<Mul, U16>, Vop2},
    {"v_mad_u16", clampable<Mad, U16Keep, U16, U16, U16>, Vop3 | ModClamp},
    {"v_mad_i16", clampable<Mad, I16Keep, I16, I16, I16>, Vop3 | ModClamp},
    {"v_mad_legacy_u16", clampable<Mad, U16, U16, U16, U16>, ModClamp},
    {"v_mad_legacy_i16", clampable<Mad, I16, I16, I16, I16>, ModClamp},
    {"v_lshlrev_b16", Plain<ShiftLeft, U16>, Vop2},
    {"v_lshrrev_b16", Plain<ShiftRight, U16>, Vop2},
    {"v_ashrrev_i16", Plain<ShiftRight, I16>, Vop2},
    {"v_min_u16", Plain<Min, U16>, Vop2},
    {"v_min_i16", Plain<Min, I16>, Vop2},
    {"v_max_u16", Plain<Max, U16>, Vop2},
    {"v_max_i16", Plain<Max, I16>, Vop2},
    {"v_min3_u16", ternary<Min3, U16Keep, U16, U16, U16>, Vop3},
    {"v_min3_i16", ternary<Min3, I16Keep, I16, I16, I16>, Vop3},
    {"v_max3_u16", ternary<Max3, U16Keep, U16, U16, U16>, Vop3},
    {"v_max3_i16", ternary<Max3, I16Keep, I16, I16, I16>, Vop3},
    {"v_med3_u16", ternary<Median, U16Keep, U16, U16, U16>, Vop3},
    {"v_med3_i16", ternary<Median, I16Keep, I16, I16, I16>, Vop3},
    {"v_mov_b16", UnaryOf<Move, U16>, Vop3},
    {"v_not_b16", UnaryOf<Not, U16>, Vop3},
    {"v_and_b16", BinaryOf<And, U16>, Vop3},
    {"v_or_b16", BinaryOf<Or, U16>, Vop3},
    {"v_xor_b16", BinaryOf<Xor, U16>, Vop3},
    {"v_cndmask_b16", conditionalMask16, Vop3 | ModNeg | ModAbs},
    {"v_swap_b16", swap16, 0},
    {"v_sat_pk_u8_i16", unary<SaturateToBytes, U16Keep, U32>, ModDpp | ModSdwa},

    // Both halves.
    {"v_pk_add_u16", packed<Add, uint16_t>, Halves | ModClamp},
    {"v_pk_add_i16", packed<Add, int16_t>, Halves | ModClamp},
    {"v_pk_sub_u16", packed<Sub, uint16_t>, Halves | ModClamp},
    {"v_pk_sub_i16", packed<Sub, int16_t>, Halves | ModClamp},
    {"v_pk_mad_u16", packed<Mad, uint16_t, 3>, Halves | ModClamp},
    {"v_pk_mad_i16", packed<Mad, int16_t, 3>, Halves | ModClamp},
    {"v_pk_mul_lo_u16", packed<Mul, uint16_t>, Halves},
    {"v_pk_min_u16", packed<Min, uint16_t>, Halves},
    {"v_pk_min_i16", packed<Min, int16_t>, Halves},
    {"v_pk_max_u16", packed<Max, uint16_t>, Halves},
    {"v_pk_max_i16", packed<Max, int16_t>, Halves},
    {"v_pk_lshlrev_b16", packed<ShiftLeft, uint16_t>, Halves},
    {"v_pk_lshrrev_b16", packed<ShiftRight, uint16_t>, Halves},
    {"v_pk_ashrrev_i16", packed<ShiftRight, int16_t>, Halves},
};

} // namespace

llvm::ArrayRef<OpcodeInfo> vectorInteger16Opcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
