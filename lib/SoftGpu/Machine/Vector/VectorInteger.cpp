//===- VectorInteger.cpp - arithmetic of 32- and 64-bit integers ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer arithmetic, carries, shifts, bit fields and byte operations of VOP1,
// VOP2 and VOP3. Formulas are those of the ISA manuals' chapters "Vector ALU
// Operations". VectorInteger16.cpp has 16-bit and packed ones, VectorLane.cpp
// moves between lanes and registers.
//
//===----------------------------------------------------------------------===//
#include "IntegerOperations.h"
#include "SoftGpu/Machine/Lanes/FloatLanes.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {
namespace {

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//
// Functions on int64_t are for clampable(), which truncates or clamps.

constexpr int64_t unsigned24(int64_t X) { return X & 0xffffff; }
constexpr int64_t signed24(int64_t X) { return (X << 40) >> 40; }
constexpr auto MulU24 = [](int64_t A, int64_t B) {
  return unsigned24(A) * unsigned24(B);
};
constexpr auto MulI24 = [](int64_t A, int64_t B) {
  return signed24(A) * signed24(B);
};
constexpr auto MadU24 = [](int64_t A, int64_t B, int64_t C) {
  return unsigned24(A) * unsigned24(B) + C;
};
constexpr auto MadI24 = [](int64_t A, int64_t B, int64_t C) {
  return signed24(A) * signed24(B) + C;
};

constexpr auto MulHiU24 = [](uint32_t A, uint32_t B) {
  return uint32_t(uint64_t(MulU24(A, B)) >> 32);
};
constexpr auto MulHiI24 = [](int32_t A, int32_t B) {
  return int32_t(MulI24(A, B) >> 32);
};
constexpr auto MulHiU = [](uint32_t A, uint32_t B) {
  return uint32_t(uint64_t(A) * B >> 32);
};
constexpr auto MulHiI = [](int32_t A, int32_t B) {
  return int32_t(int64_t(A) * B >> 32);
};

constexpr auto Add3 = [](uint32_t A, uint32_t B, uint32_t C) {
  return A + B + C;
};
constexpr auto AddLshl = [](uint32_t A, uint32_t B, uint32_t C) {
  return (A + B) << (C & 31);
};
constexpr auto LshlAdd = [](uint32_t A, uint32_t B, uint32_t C) {
  return (A << (B & 31)) + C;
};
constexpr auto LshlAdd64 = [](uint64_t A, uint32_t B, uint64_t C) {
  return (A << (B & 7)) + C;
};
constexpr auto XorAdd = [](uint32_t A, uint32_t B, uint32_t C) {
  return (A ^ B) + C;
};

constexpr auto MinMax = [](auto A, auto B, auto C) {
  return Max(Min(A, B), C);
};
constexpr auto MaxMin = [](auto A, auto B, auto C) {
  return Min(Max(A, B), C);
};

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

constexpr auto Xnor = [](uint32_t A, uint32_t B) { return ~(A ^ B); };
constexpr auto Or3 = [](uint32_t A, uint32_t B, uint32_t C) {
  return A | B | C;
};
constexpr auto Xor3 = [](uint32_t A, uint32_t B, uint32_t C) {
  return A ^ B ^ C;
};
constexpr auto AndOr = [](uint32_t A, uint32_t B, uint32_t C) {
  return (A & B) | C;
};
constexpr auto LshlOr = [](uint32_t A, uint32_t B, uint32_t C) {
  return (A << (B & 31)) | C;
};

// "rev": the amount comes first.
constexpr auto ShiftLeft = [](uint32_t N, uint32_t X) { return X << (N & 31); };
constexpr auto ShiftRight = [](uint32_t N, auto X) { return X >> (N & 31); };
constexpr auto ShiftLeft64 = [](uint32_t N, uint64_t X) {
  return X << (N & 63);
};
constexpr auto ShiftRight64 = [](uint32_t N, auto X) { return X >> (N & 63); };

constexpr uint32_t lowBits(uint32_t Width) { return (1u << (Width & 31)) - 1; }
constexpr auto FieldU = [](uint32_t X, uint32_t Offset, uint32_t Width) {
  return (X >> (Offset & 31)) & lowBits(Width);
};
constexpr auto FieldI = [](int32_t X, uint32_t Offset, uint32_t Width) {
  uint32_t Mask = lowBits(Width);
  uint32_t Sign = Mask ^ (Mask >> 1); // 0 for an empty field
  return int32_t(((uint32_t(X >> (Offset & 31)) & Mask) ^ Sign) - Sign);
};
constexpr auto FieldInsert = [](uint32_t Mask, uint32_t A, uint32_t B) {
  return (Mask & A) | (~Mask & B);
};
constexpr auto FieldMask = [](uint32_t Width, uint32_t Offset) {
  return lowBits(Width) << (Offset & 31);
};

constexpr auto AlignBit = [](uint32_t High, uint32_t Low, uint16_t N) {
  return uint32_t((uint64_t(High) << 32 | Low) >> (N & 31));
};
constexpr auto AlignByte = [](uint32_t High, uint32_t Low, uint16_t N) {
  return uint32_t((uint64_t(High) << 32 | Low) >> 8 * (N & 3));
};

constexpr auto Reverse = [](uint32_t X) {
  X = (X >> 1 & 0x55555555) | (X & 0x55555555) << 1;
  X = (X >> 2 & 0x33333333) | (X & 0x33333333) << 2;
  X = (X >> 4 & 0x0f0f0f0f) | (X & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(X);
};
constexpr auto CountBits = [](uint32_t X, uint32_t Base) {
  return uint32_t(std::popcount(X)) + Base;
};
/// Counts zeros before the first one; -1 if there is none.
constexpr auto LeadingZeros = [](uint32_t X) {
  return X ? uint32_t(std::countl_zero(X)) : ~0u;
};
constexpr auto TrailingZeros = [](uint32_t X) {
  return X ? uint32_t(std::countr_zero(X)) : ~0u;
};
/// Counts bits equal to the sign, including it; -1 if all are.
constexpr auto SignBits = [](int32_t X) {
  return LeadingZeros(uint32_t(X ^ (X >> 31)));
};

/// One byte of v_perm_b32: of B (0 to 3), of A (4 to 7), copies of the sign of
/// one of their 16-bit halves (8 to 11), 0 or 0xff.
constexpr uint32_t permutedByte(uint32_t A, uint32_t B, uint32_t Select) {
  uint32_t Byte = (Select & 4 ? A : B) >> 8 * (Select & 3) & 0xff;
  uint32_t Half = (Select & 2 ? A : B) >> (Select & 1 ? 16 : 0);
  uint32_t Sign = Half & 0x8000 ? 0xff : 0;
  uint32_t Constant = Select == 12 ? 0 : 0xff;
  return Select < 8 ? Byte : Select < 12 ? Sign : Constant;
}
constexpr auto Permute = [](uint32_t A, uint32_t B, uint32_t Select) {
  return permutedByte(A, B, Select & 0xff) |
         permutedByte(A, B, Select >> 8 & 0xff) << 8 |
         permutedByte(A, B, Select >> 16 & 0xff) << 16 |
         permutedByte(A, B, Select >> 24) << 24;
};

//===----------------------------------------------------------------------===//
// Bytes: averages and sums of absolute differences
//===----------------------------------------------------------------------===//

/// Averages of bytes, rounded up if the lowest bit of C's byte is set.
constexpr auto Lerp = [](uint32_t A, uint32_t B, uint32_t C) {
  uint32_t Result = 0;
  for (unsigned Shift = 0; Shift < 32; Shift += 8) {
    uint32_t Sum = (A >> Shift & 0xff) + (B >> Shift & 0xff) + (C >> Shift & 1);
    Result |= Sum >> 1 << Shift;
  }
  return Result;
};

constexpr int64_t distance(int64_t A, int64_t B) {
  return A < B ? B - A : A - B;
}
/// Masked: a difference with a zero byte of B does not count.
template <bool Masked> constexpr int64_t byteDistances(uint32_t A, uint32_t B) {
  int64_t Sum = 0;
  for (unsigned Shift = 0; Shift < 32; Shift += 8) {
    uint32_t X = A >> Shift & 0xff, Y = B >> Shift & 0xff;
    Sum += Masked && Y == 0 ? 0 : distance(X, Y);
  }
  return Sum;
}
constexpr auto SadU8 = [](int64_t A, int64_t B, int64_t C) {
  return byteDistances<false>(uint32_t(A), uint32_t(B)) + C;
};
constexpr auto MaskedSadU8 = [](int64_t A, int64_t B, int64_t C) {
  return byteDistances<true>(uint32_t(A), uint32_t(B)) + C;
};
constexpr auto SadHiU8 = [](int64_t A, int64_t B, int64_t C) {
  return (byteDistances<false>(uint32_t(A), uint32_t(B)) << 16) + C;
};
constexpr auto SadU16 = [](int64_t A, int64_t B, int64_t C) {
  return distance(A & 0xffff, B & 0xffff) + distance(A >> 16, B >> 16) + C;
};
constexpr auto SadU32 = [](int64_t A, int64_t B, int64_t C) {
  return distance(A, B) + C;
};

/// Four sums at byte offsets 0 to 3 of A, to four 16-bit accumulators.
template <bool Masked>
constexpr auto QuadSad = [](uint64_t A, uint32_t B, uint64_t C) {
  uint64_t Result = 0;
  for (unsigned N = 0; N < 4; ++N) {
    uint64_t Sum = uint64_t(byteDistances<Masked>(uint32_t(A >> 8 * N), B)) +
                   (C >> 16 * N & 0xffff);
    Result |= (Sum & 0xffff) << 16 * N;
  }
  return Result;
};

/// Like QuadSad with four 32-bit accumulators: 128 bits.
void quadSad32(Wave &W, const Instruction &I) {
  Lanes64 A;
  Lanes32 ScratchB, Result[4];
  source64(W, I, 1, A, false, false);
  const Lanes32 &B = source32(W, I, 2, ScratchB);
  const Operand &C = I.Operands[3];
  uint32_t Constant = C.What == Operand::Kind::Vgpr ? 0 : scalarBits32(W, C);
  for (unsigned N = 0; N < 4; ++N) {
    bool HasRow = C.What == Operand::Kind::Vgpr && N < C.Dwords;
    forLanes(W, [&](unsigned Lane) {
      uint32_t Sum = HasRow   ? W.Vectors[C.Index + N].V[Lane]
                     : N == 0 ? Constant
                              : 0;
      Result[N].V[Lane] = Sum + uint32_t(byteDistances<true>(
                                    uint32_t(A.V[Lane] >> 8 * N), B.V[Lane]));
    });
  }
  const Operand &D = I.Operands[0];
  if (D.What == Operand::Kind::Vgpr)
    for (unsigned N = 0; N < 4 && N < D.Dwords; ++N)
      blend(W.Vectors[D.Index + N], Result[N], W.exec());
}

//===----------------------------------------------------------------------===//
// Carries
//===----------------------------------------------------------------------===//
// Operands: result, carry out, two sources, carry in if there is one.

constexpr auto Sum = [](uint64_t A, uint64_t B, uint64_t Carry) {
  return A + B + Carry;
};
constexpr auto Difference = [](uint64_t A, uint64_t B, uint64_t Borrow) {
  return A - B - Borrow;
};
constexpr auto ReversedDifference =
    [](uint64_t A, uint64_t B, uint64_t Borrow) { return B - A - Borrow; };

/// Bit 32 of Op's result is the carry or the borrow. With clamp, a result with
/// one is \p Limit (LLVM's saturating add and subtract rely on it).
template <auto Op, uint32_t Limit>
void withCarry(Wave &W, const Instruction &I) {
  Lanes32 SA, SB, Result, Carry;
  const Lanes32 &A = source32(W, I, 2, SA), &B = source32(W, I, 3, SB);
  uint64_t CarryIn = I.OperandCount > 4 ? readMask(W, I.Operands[4]) : 0;
  forLanes(W, [&](unsigned Lane) {
    uint64_t Wide = Op(A.V[Lane], B.V[Lane], CarryIn >> Lane & 1);
    Result.V[Lane] = uint32_t(Wide);
    Carry.V[Lane] = uint32_t(Wide >> 32) & 1;
  });
  if (I.has(ModClamp))
    forLanes(W, [&](unsigned Lane) {
      Result.V[Lane] = Carry.V[Lane] ? Limit : Result.V[Lane];
    });
  uint64_t Active = writeMask(W, I);
  store32(W, I, Result);
  writeMaskOperand(W, I.Operands[1], Active & laneMask(W, [&](unsigned L) {
                                       return Carry.V[L];
                                     }));
}

/// 64-bit accumulators: the carry is bit 64 of the exact result, for signed
/// numbers bit 64 of the sign-extended one.
template <class Source, class Accumulator>
void multiplyAdd64(Wave &W, const Instruction &I) {
  constexpr bool IsSigned = std::is_signed_v<typename Source::Number>;
  Lanes32 SA, SB, Carry;
  Lanes64 C, Result;
  const Lanes32 &A = Source::read(W, I, 2, SA), &B = Source::read(W, I, 3, SB);
  Accumulator::read(W, I, 4, C);
  forLanes(W, [&](unsigned Lane) {
    using Wide = typename Accumulator::Number;
    uint64_t X = uint64_t(Wide(Source::number(A.V[Lane])) *
                          Wide(Source::number(B.V[Lane])));
    uint64_t Y = C.V[Lane];
    uint64_t Sum = X + Y;
    // The carry out of bit 63 of the sum, and bits 64 of both.
    uint64_t Out = (X & Y) | ((X | Y) & ~Sum);
    Carry.V[Lane] = uint32_t((IsSigned ? Out ^ X ^ Y : Out) >> 63);
    Result.V[Lane] = Sum;
  });
  uint64_t Active = writeMask(W, I);
  store64(W, I, Result);
  writeMaskOperand(W, I.Operands[1], Active & laneMask(W, [&](unsigned L) {
                                       return Carry.V[L];
                                     }));
}

//===----------------------------------------------------------------------===//
// Lane numbers and masks
//===----------------------------------------------------------------------===//

/// Counts the bits of source 0 below the lane's own; First is 0 or 32.
template <unsigned First> void maskedBitCount(Wave &W, const Instruction &I) {
  Lanes32 SA, SB, Result;
  const Lanes32 &A = source32(W, I, 1, SA), &B = source32(W, I, 2, SB);
  forLanes(W, [&](unsigned Lane) {
    uint64_t Below = ((uint64_t(1) << Lane) - 1) >> First;
    Result.V[Lane] =
        uint32_t(std::popcount(A.V[Lane] & uint32_t(Below))) + B.V[Lane];
  });
  store32(W, I, Result);
}

/// The mask is operand 3, or vcc if VOP2 does not print it. neg and abs are
/// those of a float.
void conditionalMask(Wave &W, const Instruction &I) {
  Lanes32 SA, SB;
  Lanes32 Result = floatSource<F32>(W, I, 1, SA);
  const Lanes32 &B = floatSource<F32>(W, I, 2, SB);
  uint64_t Mask = I.OperandCount > 3 ? readMask(W, I.Operands[3]) : W.vcc();
  blend(Result, B, Mask);
  store32(W, I, Result);
}

constexpr uint32_t Sources = ModDpp | ModSdwa | ModSext;
constexpr uint32_t Vop3 = ModDpp;

constexpr OpcodeInfo Table[] = {
    // Sums and products.
    {"v_add_u32 v_add_nc_u32", clampable<Add, U32, U32, U32>,
     Sources | ModClamp},
    {"v_sub_u32 v_sub_nc_u32", clampable<Sub, U32, U32, U32>,
     Sources | ModClamp},
    {"v_subrev_u32 v_subrev_nc_u32", clampable<SubReversed, U32, U32, U32>,
     Sources | ModClamp},
    {"v_add_i32 v_add_nc_i32", clampable<Add, I32, I32, I32>, Vop3 | ModClamp},
    {"v_sub_i32 v_sub_nc_i32", clampable<Sub, I32, I32, I32>, Vop3 | ModClamp},
    {"v_mul_u32_u24", clampable<MulU24, U32, U32, U32>, Sources | ModClamp},
    {"v_mul_i32_i24", clampable<MulI24, I32, I32, I32>, Sources | ModClamp},
    {"v_mad_u32_u24", clampable<MadU24, U32, U32, U32, U32>, Vop3 | ModClamp},
    {"v_mad_i32_i24", clampable<MadI24, I32, I32, I32, I32>, Vop3 | ModClamp},
    {"v_mad_u32_u16", clampable<Mad, U32, U16, U16, U32>,
     Vop3 | ModClamp | ModOpSel},
    {"v_mad_i32_i16", clampable<Mad, I32, I16, I16, I32>,
     Vop3 | ModClamp | ModOpSel},
    {"v_mul_hi_u32_u24", BinaryOf<MulHiU24, U32>, Sources},
    {"v_mul_hi_i32_i24", BinaryOf<MulHiI24, I32>, Sources},
    {"v_mul_lo_u32 v_mul_lo_i32", BinaryOf<Mul, U32>, Vop3},
    {"v_mul_hi_u32", BinaryOf<MulHiU, U32>, Vop3},
    {"v_mul_hi_i32", BinaryOf<MulHiI, I32>, Vop3},
    {"v_add3_u32", TernaryOf<Add3, U32>, Vop3},
    {"v_add_lshl_u32", TernaryOf<AddLshl, U32>, Vop3},
    {"v_lshl_add_u32", TernaryOf<LshlAdd, U32>, Vop3},
    {"v_lshl_add_u64", ternary<LshlAdd64, U64, U64, U32, U64>, 0},
    {"v_xad_u32", TernaryOf<XorAdd, U32>, Vop3},

    // Carries.
    {"v_add_co_u32 v_addc_co_u32 v_add_co_ci_u32", withCarry<Sum, ~0u>,
     Sources | ModClamp},
    {"v_sub_co_u32 v_subb_co_u32 v_sub_co_ci_u32", withCarry<Difference, 0>,
     Sources | ModClamp},
    {"v_subrev_co_u32 v_subbrev_co_u32 v_subrev_co_ci_u32",
     withCarry<ReversedDifference, 0>, Sources | ModClamp},
    {"v_mad_u64_u32 v_mad_co_u64_u32", multiplyAdd64<U32, U64>, 0},
    {"v_mad_i64_i32 v_mad_co_i64_i32", multiplyAdd64<I32, I64>, 0},

    // Minimum and maximum.
    {"v_min_u32", BinaryOf<Min, U32>, Sources},
    {"v_min_i32", BinaryOf<Min, I32>, Sources},
    {"v_max_u32", BinaryOf<Max, U32>, Sources},
    {"v_max_i32", BinaryOf<Max, I32>, Sources},
    {"v_min3_u32", TernaryOf<Min3, U32>, Vop3},
    {"v_min3_i32", TernaryOf<Min3, I32>, Vop3},
    {"v_max3_u32", TernaryOf<Max3, U32>, Vop3},
    {"v_max3_i32", TernaryOf<Max3, I32>, Vop3},
    {"v_med3_u32", TernaryOf<Median, U32>, Vop3},
    {"v_med3_i32", TernaryOf<Median, I32>, Vop3},
    {"v_minmax_u32", TernaryOf<MinMax, U32>, Vop3},
    {"v_minmax_i32", TernaryOf<MinMax, I32>, Vop3},
    {"v_maxmin_u32", TernaryOf<MaxMin, U32>, Vop3},
    {"v_maxmin_i32", TernaryOf<MaxMin, I32>, Vop3},

    // Bits.
    {"v_mov_b32", UnaryOf<Move, U32>, Sources},
    {"v_mov_b64", UnaryOf<Move, U64>, ModDpp},
    {"v_not_b32", UnaryOf<Not, U32>, Sources},
    {"v_and_b32", BinaryOf<And, U32>, Sources},
    {"v_or_b32", BinaryOf<Or, U32>, Sources},
    {"v_xor_b32", BinaryOf<Xor, U32>, Sources},
    {"v_xnor_b32", BinaryOf<Xnor, U32>, Sources},
    {"v_or3_b32", TernaryOf<Or3, U32>, Vop3},
    {"v_xor3_b32", TernaryOf<Xor3, U32>, Vop3},
    {"v_and_or_b32", TernaryOf<AndOr, U32>, Vop3},
    {"v_lshl_or_b32", TernaryOf<LshlOr, U32>, Vop3},
    {"v_lshlrev_b32", BinaryOf<ShiftLeft, U32>, Sources},
    {"v_lshrrev_b32", BinaryOf<ShiftRight, U32>, Sources},
    {"v_ashrrev_i32", binary<ShiftRight, I32, U32, I32>, Sources},
    {"v_lshlrev_b64", binary<ShiftLeft64, U64, U32, U64>, 0},
    {"v_lshrrev_b64", binary<ShiftRight64, U64, U32, U64>, 0},
    {"v_ashrrev_i64", binary<ShiftRight64, I64, U32, I64>, 0},
    {"v_bfe_u32", TernaryOf<FieldU, U32>, Vop3},
    {"v_bfe_i32", ternary<FieldI, I32, I32, U32, U32>, Vop3},
    {"v_bfi_b32", TernaryOf<FieldInsert, U32>, Vop3},
    {"v_bfm_b32", BinaryOf<FieldMask, U32>, Vop3},
    {"v_alignbit_b32", ternary<AlignBit, U32, U32, U32, U16>, Vop3},
    {"v_alignbyte_b32", ternary<AlignByte, U32, U32, U32, U16>, Vop3},
    {"v_perm_b32", TernaryOf<Permute, U32>, Vop3},
    {"v_bfrev_b32", UnaryOf<Reverse, U32>, Sources},
    {"v_bcnt_u32_b32", BinaryOf<CountBits, U32>, Vop3},
    {"v_ffbh_u32 v_clz_i32_u32", UnaryOf<LeadingZeros, U32>, Sources},
    {"v_ffbl_b32 v_ctz_i32_b32", UnaryOf<TrailingZeros, U32>, Sources},
    {"v_ffbh_i32 v_cls_i32", unary<SignBits, U32, I32>, Sources},
    {"v_mbcnt_lo_u32_b32", maskedBitCount<0>, Vop3},
    {"v_mbcnt_hi_u32_b32", maskedBitCount<32>, Vop3},
    {"v_cndmask_b32", conditionalMask, ModDpp | ModSdwa | ModNeg | ModAbs},

    // Bytes.
    {"v_lerp_u8", TernaryOf<Lerp, U32>, Vop3},
    {"v_sad_u8", clampable<SadU8, U32, U32, U32, U32>, Vop3 | ModClamp},
    {"v_msad_u8", clampable<MaskedSadU8, U32, U32, U32, U32>, Vop3 | ModClamp},
    {"v_sad_hi_u8", clampable<SadHiU8, U32, U32, U32, U32>, Vop3 | ModClamp},
    {"v_sad_u16", clampable<SadU16, U32, U32, U32, U32>, Vop3 | ModClamp},
    {"v_sad_u32", clampable<SadU32, U32, U32, U32, U32>, Vop3 | ModClamp},
    {"v_qsad_pk_u16_u8", ternary<QuadSad<false>, U64, U64, U32, U64>, 0},
    {"v_mqsad_pk_u16_u8", ternary<QuadSad<true>, U64, U64, U32, U64>, 0},
    {"v_mqsad_u32_u8", quadSad32, 0},
};

} // namespace

llvm::ArrayRef<OpcodeInfo> vectorIntegerOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
