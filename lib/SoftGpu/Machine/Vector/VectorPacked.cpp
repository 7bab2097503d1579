//===- VectorPacked.cpp - packed f32 and dot products ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// v_pk_*_f32 and v_pk_mov_b32 of gfx90a and gfx942: op_sel and op_sel_hi select
// the dword of each source's pair for the low and for the high result. The
// dwords of a constant are not published, so only the low one may be selected,
// or either one of 0, as they are equal however it is widened.
//
// Dot products of integers are exact, then wrap or saturate (clamp). Those of
// floats on gfx11 and gfx12 are as measured (DotArithmetic.h). Before, they are
// the manuals' sequence, one fma per product from the low one on, and gfx90a
// flushes denormals of sources and of the result (ROCm's notes on MI200's
// v_dot2).
//
//===----------------------------------------------------------------------===//
#include "FloatOperations.h"
#include "SoftGpu/Machine/Lanes/DotArithmetic.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {
namespace {

void refuse(Wave &W, const Instruction &I) {
  W.fault(Fault::Kind::UnknownInstruction, I,
          "a modifier without known meaning for this operand");
}

//===----------------------------------------------------------------------===//
// Packed f32
//===----------------------------------------------------------------------===//

/// Returns dword \p High of source \p N's pair: a register, or a constant in
/// \p Scratch. Null after a fault.
const Lanes32 *readDword(Wave &W, const Instruction &I, unsigned N, bool High,
                         Lanes32 &Scratch) {
  const Operand &O = I.Operands[N];
  uint32_t Value = 0;
  if (O.What == Operand::Kind::Vgpr && O.Dwords == 2)
    return &W.Vectors[O.Index + High];
  if (O.What == Operand::Kind::Sgpr && O.Dwords == 2)
    Value = W.Scalars[O.Index + High];
  else if (O.What == Operand::Kind::Constant &&
           (!High || scalarBits32(W, O) == 0))
    Value = scalarBits32(W, O);
  else {
    refuse(W, I);
    return nullptr;
  }
  forLanes(W, [&](unsigned L) { Scratch.V[L] = Value; });
  return &Scratch;
}

/// Computes one of the two results.
template <class Op, unsigned Sources>
bool packedHalf(Wave &W, const Instruction &I, uint8_t Select, uint8_t Negate,
                Lanes32 &Result) {
  Lanes32 Rows[Sources];
  const Lanes32 *Source[Sources];
  for (unsigned N = 0; N < Sources; ++N) {
    Source[N] = readDword(W, I, N + 1, Select >> N & 1, Rows[N]);
    if (!Source[N])
      return false;
    if (Negate >> N & 1) {
      forLanes(W,
               [&](unsigned L) { Rows[N].V[L] = Source[N]->V[L] ^ F32::Sign; });
      Source[N] = &Rows[N];
    }
    if (flushesSources<F32>(W)) {
      flushLanes<F32>(*Source[N], Rows[N], W.Lanes);
      Source[N] = &Rows[N];
    }
  }
  computeRounded<F32, Op, Sources>(W, Source, Result);
  finishResult<F32>(W, I, Result, flushesResults<F32>(W));
  return true;
}

/// \p High is not the register that \p Low is written to.
void writePair(Wave &W, const Instruction &I, const Lanes32 &Low,
               const Lanes32 &High) {
  const Operand &O = I.Operands[0];
  if (isPlain(W, I) && O.What == Operand::Kind::Vgpr && O.Dwords == 2) {
    blend(W.Vectors[O.Index], Low, W.exec());
    blend(W.Vectors[O.Index + 1], High, W.exec());
    return;
  }
  Lanes64 Result;
  forLanes(W, [&](unsigned L) {
    Result.V[L] = Low.V[L] | uint64_t(High.V[L]) << 32;
  });
  writeResult64(W, I, Result);
}

/// A source of one result with neg: a register, or a constant without a row.
struct DwordSource {
  const uint32_t *Row = nullptr; ///< null: use readDword()
  unsigned Step = 1;             ///< 0 if all lanes have the same value
  uint32_t Flip;
  Words Constant;

  DwordSource(const Wave &W, const Operand &O, bool High, bool Negate)
      : Flip(Negate ? F32::Sign : 0) {
    if (O.Dwords == 2 && O.What == Operand::Kind::Vgpr) {
      Row = W.Vectors[O.Index + High].V;
    } else if (O.Dwords == 2 && O.What == Operand::Kind::Sgpr) {
      Constant = Words{} + W.Scalars[O.Index + High];
      Row = reinterpret_cast<const uint32_t *>(&Constant);
      Step = 0;
    }
  }
  DwordSource(const DwordSource &) = delete;

  FloatVec<F32> load(unsigned Lane) const {
    return asFloat<F32>(loadBits<F32>(Row + Lane * Step) ^ Flip);
  }
};

/// The sources of one of the two results.
template <unsigned Sources> struct DwordSources;
template <> struct DwordSources<2> {
  DwordSource A, B;
  DwordSources(const Wave &W, const Instruction &I, uint8_t Select,
               uint8_t Negate)
      : A(W, I.Operands[1], Select & 1, Negate & 1),
        B(W, I.Operands[2], Select & 2, Negate & 2) {}
  bool areKnown() const { return A.Row && B.Row; }
  template <class Op> FloatVec<F32> run(unsigned Lane) const {
    return Op::template run<F32>(A.load(Lane), B.load(Lane));
  }
};
template <> struct DwordSources<3> {
  DwordSource A, B, C;
  DwordSources(const Wave &W, const Instruction &I, uint8_t Select,
               uint8_t Negate)
      : A(W, I.Operands[1], Select & 1, Negate & 1),
        B(W, I.Operands[2], Select & 2, Negate & 2),
        C(W, I.Operands[3], Select & 4, Negate & 4) {}
  bool areKnown() const { return A.Row && B.Row && C.Row; }
  template <class Op> FloatVec<F32> run(unsigned Lane) const {
    return Op::template run<F32>(A.load(Lane), B.load(Lane), C.load(Lane));
  }
};

/// True if the operation needs only its arithmetic on whole registers.
bool isPlainPacked(const Wave &W, const Instruction &I) {
  return TakesShortWays && isPlain(W, I) &&
         !(I.Modifiers & (ModClamp | ModOmod)) && !flushesSources<F32>(W) &&
         !flushesResults<F32>(W) && I.Operands[0].What == Operand::Kind::Vgpr &&
         I.Operands[0].Dwords == 2;
}

/// The fast path for both results at once. Returns false, and stores nothing,
/// if operands or results need the slow path.
template <class Op, unsigned Sources>
bool packedShort(Wave &W, const Instruction &I) {
  if (!isPlainPacked(W, I))
    return false;
  DwordSources<Sources> OfLow(W, I, I.OpSel, I.NegLo),
      OfHigh(W, I, I.OpSelHi, I.NegHi);
  if (!OfLow.areKnown() || !OfHigh.areKnown())
    return false;
  Lanes32 Low, High;
  BitsVec<F32> Nan{};
  {
    RoundingScope Scope(F32::rounding(W.Mode));
    for (unsigned L = 0; L < W.Lanes; L += SimdLanes<F32>) {
      BitsVec<F32> First = asBits<F32>(OfLow.template run<Op>(L));
      BitsVec<F32> Second = asBits<F32>(OfHigh.template run<Op>(L));
      Nan |= isNanBits<F32>(First) | isNanBits<F32>(Second);
      storeBits<F32>(Low.V + L, First);
      storeBits<F32>(High.V + L, Second);
    }
  }
  if (anyLane(Nan))
    return false;
  writePair(W, I, Low, High);
  return true;
}

template <class Op, unsigned Sources>
void packed(Wave &W, const Instruction &I) {
  if (packedShort<Op, Sources>(W, I))
    return;
  Lanes32 Low, High;
  if (packedHalf<Op, Sources>(W, I, I.OpSel, I.NegLo, Low) &&
      packedHalf<Op, Sources>(W, I, I.OpSelHi, I.NegHi, High))
    writePair(W, I, Low, High);
}

/// The fast path from registers to registers, in all lanes. Returns false if it
/// does not apply.
bool packedMoveShort(Wave &W, const Instruction &I) {
  auto IsPair = [&](unsigned N) {
    return I.Operands[N].What == Operand::Kind::Vgpr &&
           I.Operands[N].Dwords == 2;
  };
  if (!isPlain(W, I) || W.exec() != ~uint64_t(0) || !IsPair(0) || !IsPair(1) ||
      !IsPair(2))
    return false;
  const uint32_t *Low = W.Vectors[I.Operands[1].Index + (I.OpSel & 1)].V;
  const uint32_t *High = W.Vectors[I.Operands[2].Index + (I.OpSel >> 1 & 1)].V;
  Lanes32 *Rows = &W.Vectors[I.Operands[0].Index];
  for (unsigned L = 0; L < 64; L += SimdLanes<F32>) {
    BitsVec<F32> First = loadBits<F32>(Low + L), // before To is written
        Second = loadBits<F32>(High + L);
    storeBits<F32>(Rows[0].V + L, First);
    storeBits<F32>(Rows[1].V + L, Second);
  }
  return true;
}

/// The low result comes from source 0, the high one from source 1.
void packedMove(Wave &W, const Instruction &I) {
  if (packedMoveShort(W, I))
    return;
  Lanes32 LowScratch, HighScratch;
  const Lanes32 *Low = readDword(W, I, 1, I.OpSel & 1, LowScratch);
  const Lanes32 *High =
      Low ? readDword(W, I, 2, I.OpSel >> 1 & 1, HighScratch) : nullptr;
  if (!High)
    return;
  if (High == &W.Vectors[I.Operands[0].Index])
    High = &(HighScratch = *High);
  writePair(W, I, *Low, *High);
}

//===----------------------------------------------------------------------===//
// Dot products of integers
//===----------------------------------------------------------------------===//

/// Returns element \p N of \p Bits in a dword.
template <unsigned Bits>
int64_t elementOf(uint32_t Row, unsigned N, bool Signed) {
  uint32_t Value = Row >> N * Bits & ((1u << Bits) - 1);
  return Signed && Value >> (Bits - 1) ? int64_t(Value) - (1 << Bits)
                                       : int64_t(Value);
}

enum class Sign { Signed, Unsigned, ByModifier };

template <unsigned Bits, Sign How, bool Accumulate>
void integerDot(Wave &W, const Instruction &I) {
  bool Mixed = How == Sign::ByModifier;
  bool SignedA = Mixed ? I.NegLo & 1 : How == Sign::Signed;
  bool SignedB = Mixed ? I.NegLo & 2 : How == Sign::Signed;
  // Sums of gfx9 and gfx10 have halves to select; they must have their
  // defaults.
  bool Plain = !I.OpSel && (I.OpSelHi & 7) == 7;
  if (!Plain || (I.NegLo & (Mixed ? 4 : 7)) || I.NegHi)
    return refuse(W, I);
  constexpr int64_t Least = How == Sign::Unsigned ? 0 : INT32_MIN;
  constexpr int64_t Most = How == Sign::Unsigned ? UINT32_MAX : INT32_MAX;
  Lanes32 Scratch[3], Result;
  const Lanes32 &A = sourceBits32(W, I, 1, Scratch[0]);
  const Lanes32 &B = sourceBits32(W, I, 2, Scratch[1]);
  const Lanes32 &C = Accumulate ? W.Vectors[I.Operands[0].Index]
                                : sourceBits32(W, I, 3, Scratch[2]);
  forLanes(W, [&](unsigned L) {
    int64_t Sum =
        How == Sign::Unsigned ? int64_t(C.V[L]) : int64_t(int32_t(C.V[L]));
    for (unsigned N = 0; N < 32 / Bits; ++N)
      Sum += elementOf<Bits>(A.V[L], N, SignedA) *
             elementOf<Bits>(B.V[L], N, SignedB);
    if (I.has(ModClamp))
      Sum = std::clamp(Sum, Least, Most);
    Result.V[L] = uint32_t(uint64_t(Sum));
  });
  writeResult32(W, I, Result);
}

//===----------------------------------------------------------------------===//
// Dot products of halves
//===----------------------------------------------------------------------===//

/// The manuals' sequence of gfx9 and gfx10; \p C is f32.
uint32_t dotBefore11(bool Flush, const float *A, const float *B, uint32_t C) {
  float Sum = std::bit_cast<float>(C);
  auto FlushF16 = [](float V) {
    return __builtin_fabsf(V) < 0x1p-14f ? V * 0.0f : V;
  };
  auto FlushF32 = [](float V) {
    return __builtin_fabsf(V) < 0x1p-126f ? V * 0.0f : V;
  };
  if (Flush)
    Sum = FlushF32(Sum);
  for (unsigned N = 0; N < 2; ++N)
    Sum = __builtin_fmaf(Flush ? FlushF16(A[N]) : A[N],
                         Flush ? FlushF16(B[N]) : B[N], Sum);
  if (Flush)
    Sum = FlushF32(Sum);
  if (Sum == Sum)
    return std::bit_cast<uint32_t>(Sum);
  for (float V : {A[0], B[0], A[1], B[1], std::bit_cast<float>(C)})
    if (V != V)
      return std::bit_cast<uint32_t>(V) | F32::QuietBit;
  return F32::DefaultNan;
}

/// A and B: two halves each, low one first.
template <class Format, DotResult To>
uint32_t dotOfHalves(const Wave &W, const uint32_t *A, const uint32_t *B,
                     uint32_t C) {
  float NumberA[2], NumberB[2];
  for (unsigned N = 0; N < 2; ++N) {
    NumberA[N] = Format::decode(A[N] & 0xffff);
    NumberB[N] = Format::decode(B[N] & 0xffff);
  }
  if (!W.Isa->isGfx11Plus())
    return dotBefore11(W.Isa->Isa == Family::Gfx90a, NumberA, NumberB, C);
  bool Gfx12 = W.Isa->isGfx12Plus();
  bool Flush = !Gfx12 && std::is_same_v<Format, Bf16Format>;
  Factor FA[2], FB[2];
  for (unsigned N = 0; N < 2; ++N) {
    FA[N] = splitFactor<Format>(NumberA[N], Flush);
    FB[N] = splitFactor<Format>(NumberB[N], Flush);
  }
  return Gfx12 ? dotGfx12<To, 2, 2, 0xffc00000>(FA, FB, C)
               : dotGfx11<To>(FA, FB, C);
}

/// v_dot2_f32_*: neg_lo and neg_hi negate the halves of sources 0 and 1.
template <class Format, bool Accumulate>
void dot2(Wave &W, const Instruction &I) {
  if ((I.NegLo | I.NegHi) & 4)
    return refuse(W, I);
  Lanes32 Halves[2][2], Scratch, Result;
  for (unsigned N = 0; N < 2; ++N) {
    constexpr bool IsF16 = std::is_same_v<Format, F16Format>;
    if (!IsF16 && I.Operands[N + 1].What == Operand::Kind::Constant)
      return refuse(W, I); // the format of an inline constant is unknown
    sourcePacked(W, I, N + 1, IsF16, Halves[N][0], Halves[N][1]);
    uint32_t FlipLow = (I.NegLo >> N & 1) ? 0x8000 : 0;
    uint32_t FlipHigh = (I.NegHi >> N & 1) ? 0x8000 : 0;
    forLanes(W, [&](unsigned L) {
      Halves[N][0].V[L] ^= FlipLow;
      Halves[N][1].V[L] ^= FlipHigh;
    });
  }
  const Lanes32 &C = Accumulate ? W.Vectors[I.Operands[0].Index]
                                : sourceBits32(W, I, 3, Scratch);
  for (unsigned L = 0; L < W.Lanes; ++L) {
    uint32_t A[] = {Halves[0][0].V[L], Halves[0][1].V[L]};
    uint32_t B[] = {Halves[1][0].V[L], Halves[1][1].V[L]};
    Result.V[L] = dotOfHalves<Format, DotResult::F32>(W, A, B, C.V[L]);
  }
  finishResult<F32>(W, I, Result, /*Flush=*/false);
  writeResult(W, I, Result);
}

/// v_dot2_f16_f16, v_dot2_bf16_bf16 (gfx11, gfx12): op_sel selects the half of
/// the addend and of the result; neg and abs are the addend's.
template <class Format, DotResult To>
void dot2Narrow(Wave &W, const Instruction &I) {
  const Operand &A = I.Operands[1], &B = I.Operands[2], &C = I.Operands[3];
  bool Constant = A.What == Operand::Kind::Constant ||
                  B.What == Operand::Kind::Constant ||
                  (To == DotResult::Bf16 && C.What == Operand::Kind::Constant);
  if ((I.OpSel & 3) || A.Neg || A.Abs || B.Neg || B.Abs || Constant)
    return refuse(W, I);
  Lanes32 Scratch[3], Result;
  const Lanes32 &RowA = sourceBits32(W, I, 1, Scratch[0]);
  const Lanes32 &RowB = sourceBits32(W, I, 2, Scratch[1]);
  // neg and abs of a bf16 are the same bit.
  const Lanes32 &RowC = floatSource<F16>(W, I, 3, Scratch[2]);
  for (unsigned L = 0; L < W.Lanes; ++L) {
    uint32_t HalvesA[] = {RowA.V[L] & 0xffff, RowA.V[L] >> 16};
    uint32_t HalvesB[] = {RowB.V[L] & 0xffff, RowB.V[L] >> 16};
    uint32_t Addend = std::bit_cast<uint32_t>(Format::decode(RowC.V[L]));
    Result.V[L] = dotOfHalves<Format, To>(W, HalvesA, HalvesB, Addend);
  }
  writeResult16(W, I, Result);
}

/// v_dot4_f32_* (gfx12): the addend's neg is in neg_lo, its abs in neg_hi.
template <class FA, class FB> void dot4(Wave &W, const Instruction &I) {
  if ((I.NegLo | I.NegHi) & 3)
    return refuse(W, I);
  Lanes32 Scratch[3], Result;
  const Lanes32 &A = sourceBits32(W, I, 1, Scratch[0]);
  const Lanes32 &B = sourceBits32(W, I, 2, Scratch[1]);
  const Lanes32 &C = sourceBits32(W, I, 3, Scratch[2]);
  uint32_t Keep = (I.NegHi & 4) ? ~F32::Sign : ~0u;
  uint32_t Flip = (I.NegLo & 4) ? F32::Sign : 0;
  for (unsigned L = 0; L < W.Lanes; ++L) {
    Factor FactorsA[4], FactorsB[4];
    for (unsigned N = 0; N < 4; ++N) {
      FactorsA[N] = splitFactor<FA>(FA::decode(A.V[L] >> 8 * N & 0xff));
      FactorsB[N] = splitFactor<FB>(FB::decode(B.V[L] >> 8 * N & 0xff));
    }
    Result.V[L] = dotGfx12<DotResult::F32, 4, 4, FactorNan>(
        FactorsA, FactorsB, (C.V[L] & Keep) ^ Flip);
  }
  writeResult(W, I, Result);
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

constexpr uint32_t PackedMods =
    ModClamp | ModOpSel | ModOpSelHi | ModNegLo | ModNegHi;
constexpr uint32_t IntegerMods =
    ModClamp | ModOpSel | ModOpSelHi | ModNegLo | ModNegHi | ModDpp;
constexpr uint32_t HalfMods = IntegerMods;

template <unsigned Bits>
constexpr Handler SignedDot = integerDot<Bits, Sign::Signed, false>;
template <unsigned Bits>
constexpr Handler UnsignedDot = integerDot<Bits, Sign::Unsigned, false>;
template <unsigned Bits>
constexpr Handler MixedDot = integerDot<Bits, Sign::ByModifier, false>;
template <unsigned Bits>
constexpr Handler AccumulatedDot = integerDot<Bits, Sign::Signed, true>;

const OpcodeInfo Table[] = {
    {"v_pk_add_f32", packed<Add, 2>, PackedMods},
    {"v_pk_mul_f32", packed<Mul, 2>, PackedMods},
    {"v_pk_fma_f32", packed<Fma, 3>, PackedMods},
    {"v_pk_mov_b32", packedMove, ModOpSel | ModOpSelHi},

    {"v_dot2_i32_i16", SignedDot<16>, IntegerMods},
    {"v_dot2_u32_u16", UnsignedDot<16>, IntegerMods},
    {"v_dot4_i32_i8", SignedDot<8>, IntegerMods},
    {"v_dot4_u32_u8", UnsignedDot<8>, IntegerMods},
    {"v_dot8_i32_i4", SignedDot<4>, IntegerMods},
    {"v_dot8_u32_u4", UnsignedDot<4>, IntegerMods},
    {"v_dot4_i32_iu8", MixedDot<8>, IntegerMods},
    {"v_dot8_i32_iu4", MixedDot<4>, IntegerMods},
    {"v_dot2c_i32_i16", AccumulatedDot<16>, ModDpp},
    {"v_dot4c_i32_i8", AccumulatedDot<8>, ModDpp},
    {"v_dot8c_i32_i4", AccumulatedDot<4>, ModDpp},

    {"v_dot2_f32_f16", dot2<F16Format, false>, HalfMods},
    {"v_dot2_f32_bf16", dot2<Bf16Format, false>, HalfMods},
    {"v_dot2c_f32_f16 v_dot2acc_f32_f16", dot2<F16Format, true>, ModDpp},
    {"v_dot2acc_f32_bf16", dot2<Bf16Format, true>, ModDpp},
    {"v_dot2_f16_f16", dot2Narrow<F16Format, DotResult::F16>,
     ModOpSel | ModNeg | ModAbs | ModDpp},
    {"v_dot2_bf16_bf16", dot2Narrow<Bf16Format, DotResult::Bf16>,
     ModOpSel | ModNeg | ModAbs | ModDpp},
    {"v_dot4_f32_fp8_fp8", dot4<Fp8Format, Fp8Format>,
     ModNegLo | ModNegHi | ModDpp},
    {"v_dot4_f32_fp8_bf8", dot4<Fp8Format, Bf8Format>,
     ModNegLo | ModNegHi | ModDpp},
    {"v_dot4_f32_bf8_fp8", dot4<Bf8Format, Fp8Format>,
     ModNegLo | ModNegHi | ModDpp},
    {"v_dot4_f32_bf8_bf8", dot4<Bf8Format, Bf8Format>,
     ModNegLo | ModNegHi | ModDpp},
};

} // namespace

llvm::ArrayRef<OpcodeInfo> vectorPackedOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
