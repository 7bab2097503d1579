//===- VectorFloat16.cpp - arithmetic of f16 ------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on one f16, on two (v_pk_), and multiply-adds of mixed formats.
// HalfLanes.h has modifiers and modes; VectorConvert.cpp has conversions.
// Reciprocals, roots and transcendental functions, which the hardware computes
// within 0.51 ulp and more, are rounded correctly here.
//
// gfx9 zeroes the other half of a result's register except for v_fma, v_mad,
// v_div_fixup, v_min3, v_max3, v_med3 (LLVM: zeroesHigh16BitsOfDest); later
// targets keep it.
//
//===----------------------------------------------------------------------===//
#include "FloatMinMax.h"
#include "HalfLanes.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {
namespace {

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// gfx9's unfused multiply-add: the product is rounded to f16.
template <bool KeepHigh, bool Accumulate>
void mad(Wave &W, const Instruction &I) {
  Lanes32 Scratch[3], Rounded, Result;
  const Lanes32 *Source[3];
  for (unsigned N = 0; N < 3; ++N)
    Source[N] = &halfSource(W, I, Accumulate && N == 2 ? 0 : N + 1, Scratch[N]);
  computeHalves<Mul, 2>(W, Source, Rounded);
  Lanes32 Products;
  forLanes(W, [&](unsigned L) {
    Products.V[L] = singleOfHalf(Rounded.V[L], false, false);
  });
  const Lanes32 *Terms[] = {&Products, Source[2]};
  computeHalves<Add, 2>(W, Terms, Result);
  finishHalves(W, I, Result);
  writeResult16(W, I, Result, 0, KeepHigh);
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

/// The functors of f32 also select among widened halves.
template <template <NanRule> class Op, unsigned Sources, bool KeepHigh = false>
constexpr Handler Choose = byNanRule<[]<NanRule Rule>() {
  return halfArithmetic<Op<Rule>, Sources, KeepHigh>;
}>;
template <template <NanRule> class Op>
constexpr Handler ChoosePacked =
    byNanRule<[]<NanRule Rule>() { return packedHalfArithmetic<Op<Rule>, 2>; }>;

//===----------------------------------------------------------------------===//
// Rounding to integers, exponents
//===----------------------------------------------------------------------===//

/// Less than 1: at most 0x3bff.
struct Fract : FloatOp {
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    using V = BitsVec<F>;
    V R = asBits<F>(A - __builtin_elementwise_floor(A));
    V Largest = V{} + 0x3f7fe000;
    V Above = V(R > Largest) & V(R <= F::One);
    return asFloat<F>(select<V>(Above, Largest, R) & ~V(R == F::Sign));
  }
};

void frexpExp(Wave &W, const Instruction &I) {
  Lanes32 Scratch, Result;
  const Lanes32 &Source = halfSource(W, I, 1, Scratch);
  forLanes(W, [&](unsigned L) {
    uint32_t Magnitude = Source.V[L] & 0x7fffffff;
    uint32_t Exponent = (Magnitude >> 23) - 126;
    Result.V[L] =
        Magnitude == 0 || Magnitude >= 0x7f800000 ? 0 : Exponent & 0xffff;
  });
  writeResult16(W, I, Result);
}

void ldexp16(Wave &W, const Instruction &I) {
  Lanes32 Scratch, Exponents, Result;
  const Lanes32 *Source = &halfSource(W, I, 1, Scratch);
  const Lanes32 &Exponent = source16(W, I, 2, Exponents);
  forLanes(W, [&](unsigned L) {
    // Beyond 60 the result is zero or infinity; below it f32 has the product
    // exactly.
    int E = std::clamp<int>(int16_t(Exponent.V[L]), -60, 60);
    float Power = std::bit_cast<float>(uint32_t(127 + E) << 23);
    Result.V[L] =
        std::bit_cast<uint32_t>(std::bit_cast<float>(Source->V[L]) * Power);
  });
  fixNans<F32, 1>(&Source, Result, W.Lanes, quietsNans(W));
  narrowToHalves(W, Result, Result, W.Mode.Round1664, flushesResults<F16>(W));
  finishHalves(W, I, Result);
  writeResult16(W, I, Result);
}

//===----------------------------------------------------------------------===//
// Division and approximations
//===----------------------------------------------------------------------===//

/// Quotient, denominator, numerator: the quotient's magnitude with the correct
/// sign, and the special cases. All in halves.
inline uint32_t fixedQuotient(uint32_t Quotient, uint32_t Den, uint32_t Num) {
  uint32_t Sign = (Den ^ Num) & F16::Sign;
  uint32_t D = Den & 0x7fff, N = Num & 0x7fff;
  uint32_t R = Sign | (Quotient & 0x7fff);
  R = N == 0 || D == F16::Infinity ? Sign : R;
  R = D == 0 || N == F16::Infinity ? Sign | F16::Infinity : R;
  bool Invalid = (D | N) == 0 || (D == F16::Infinity && N == D);
  R = Invalid ? 0xfe00 : R;
  R = D > F16::Infinity ? Den | 0x200 : R;
  return N > F16::Infinity ? Num | 0x200 : R;
}

template <bool KeepHigh> void divFixup(Wave &W, const Instruction &I) {
  Lanes32 Scratch[3], Result;
  const Lanes32 &Quotient = floatSource<F16>(W, I, 1, Scratch[0]);
  const Lanes32 &Den = flushedSource<F16>(W, I, 2, Scratch[1]);
  const Lanes32 &Num = flushedSource<F16>(W, I, 3, Scratch[2]);
  for (unsigned L = 0; L < W.Lanes; ++L)
    Result.V[L] = fixedQuotient(Quotient.V[L], Den.V[L], Num.V[L]);
  finishHalves(W, I, Result);
  writeResult16(W, I, Result, 0, KeepHigh);
}

/// v_s_*_f16 of gfx12: one number in scalar registers, regardless of exec.
template <class Op> void pseudoScalar(Wave &W, const Instruction &I) {
  Lanes32 Scratch, Result;
  const Lanes32 *Source = &halfSource(W, I, 1, Scratch);
  computeHalves<Op, 1>(W, &Source, Result);
  finishHalves(W, I, Result);
  writeScalar32(W, I.Operands[0], Result.V[0]);
}

//===----------------------------------------------------------------------===//
// Both formats
//===----------------------------------------------------------------------===//

void pack(Wave &W, const Instruction &I) {
  Lanes32 Scratch[2], Result;
  const Lanes32 &Low = floatSource<F16>(W, I, 1, Scratch[0]);
  const Lanes32 &High = floatSource<F16>(W, I, 2, Scratch[1]);
  for (unsigned L = 0; L < W.Lanes; ++L)
    Result.V[L] = Low.V[L] | High.V[L] << 16;
  writeResult32(W, I, Result);
}

/// The f32 fma of v_fma_mix: a source is an f16 if its op_sel_hi is set.
void computeMix(Wave &W, const Instruction &I, Lanes32 &Result) {
  Lanes32 Scratch[3];
  const Lanes32 *Source[3];
  for (unsigned N = 0; N < 3; ++N) {
    const Operand &O = I.Operands[N + 1];
    Source[N] = &Scratch[N];
    if (!(I.OpSelHi >> N & 1)) {
      Source[N] = &flushedSource<F32>(W, I, N + 1, Scratch[N]);
      continue;
    }
    Lanes32 Bits;
    widenHalves(W, sourceBits16(W, I, N + 1, Bits), Scratch[N],
                O.Abs ? 0x7fff : 0xffff, O.Neg ? F16::Sign : 0);
  }
  computeRounded<F32, Fma, 3>(W, Source, Result);
}

void fmaMix(Wave &W, const Instruction &I) {
  Lanes32 Result;
  computeMix(W, I, Result);
  finishResult<F32>(W, I, Result, flushesResults<F32>(W));
  writeResult(W, I, Result);
}

/// Rounds the f32 result to f16; keeps the other half of the register.
template <bool High> void fmaMixHalf(Wave &W, const Instruction &I) {
  Lanes32 Result;
  computeMix(W, I, Result);
  if (flushesResults<F32>(W))
    flushLanes<F32>(Result, Result, W.Lanes);
  narrowToHalves(W, Result, Result, W.Mode.Round1664, flushesResults<F16>(W));
  finishHalves(W, I, Result);
  const Lanes32 &Old = W.Vectors[I.Operands[0].Index];
  forLanes(W, [&](unsigned L) {
    Result.V[L] = High ? Result.V[L] << 16 | (Old.V[L] & 0xffff)
                       : (Old.V[L] & 0xffff0000) | Result.V[L];
  });
  writeResult32(W, I, Result);
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

template <class Op> constexpr Handler Unary16 = halfArithmetic<Op, 1>;
template <class Op> constexpr Handler Binary16 = halfArithmetic<Op, 2>;
template <class Op> constexpr Handler Ternary16 = halfArithmetic<Op, 3, true>;
template <class Op> constexpr Handler Packed2 = packedHalfArithmetic<Op, 2>;
template <class Op> constexpr Handler Packed3 = packedHalfArithmetic<Op, 3>;

constexpr NanRule Number = NanRule::Number;
constexpr NanRule Propagate = NanRule::Propagate;
constexpr uint32_t Mods = FloatModifiers | ModOpSel;
constexpr uint32_t ExponentMods = Mods & ~(ModClamp | ModOmod);
constexpr uint32_t ScalarMods = ModClamp | ModOmod | ModNeg | ModAbs;
constexpr uint32_t PackedMods =
    ModClamp | ModOpSel | ModOpSelHi | ModNegLo | ModNegHi | ModDpp;
constexpr uint32_t MixMods =
    ModClamp | ModOpSel | ModOpSelHi | ModNeg | ModAbs | ModDpp;
constexpr uint32_t NoModifiers = 0;

const OpcodeInfo Table[] = {
    {"v_add_f16", Binary16<Add>, Mods},
    {"v_sub_f16", Binary16<Sub>, Mods},
    {"v_subrev_f16", Binary16<SubRev>, Mods},
    {"v_mul_f16", Binary16<Mul>, Mods},
    {"v_fma_f16", Ternary16<Fma>, Mods},
    {"v_fma_legacy_f16", halfArithmetic<Fma, 3>, Mods},
    {"v_fmac_f16", halfArithmetic<Fma, 3, true, true>, Mods},
    {"v_fmaak_f16 v_fmamk_f16", Ternary16<Fma>, NoModifiers},
    {"v_mad_f16", mad<true, false>, Mods},
    {"v_mad_legacy_f16", mad<false, false>, Mods},
    {"v_mac_f16", mad<false, true>, Mods},
    {"v_madak_f16 v_madmk_f16", mad<false, false>, NoModifiers},

    {"v_min_f16", Choose<Min, 2>, Mods},
    {"v_max_f16", Choose<Max, 2>, Mods},
    {"v_min3_f16", Choose<Min3, 3, true>, Mods},
    {"v_max3_f16", Choose<Max3, 3, true>, Mods},
    {"v_med3_f16", Choose<Med3, 3, true>, Mods},
    {"v_minmax_f16", Choose<MinThenMax, 3, true>, Mods},
    {"v_maxmin_f16", Choose<MaxThenMin, 3, true>, Mods},
    {"v_min_num_f16", Binary16<Min<Number>>, Mods},
    {"v_max_num_f16", Binary16<Max<Number>>, Mods},
    {"v_min3_num_f16", Ternary16<Min3<Number>>, Mods},
    {"v_max3_num_f16", Ternary16<Max3<Number>>, Mods},
    {"v_med3_num_f16", Ternary16<Med3<Number>>, Mods},
    {"v_minmax_num_f16", Ternary16<MinThenMax<Number>>, Mods},
    {"v_maxmin_num_f16", Ternary16<MaxThenMin<Number>>, Mods},
    {"v_minimum_f16", Binary16<Min<Propagate>>, Mods},
    {"v_maximum_f16", Binary16<Max<Propagate>>, Mods},
    {"v_minimum3_f16", Ternary16<Min3<Propagate>>, Mods},
    {"v_maximum3_f16", Ternary16<Max3<Propagate>>, Mods},
    {"v_minimummaximum_f16", Ternary16<MinThenMax<Propagate>>, Mods},
    {"v_maximumminimum_f16", Ternary16<MaxThenMin<Propagate>>, Mods},

    {"v_trunc_f16", Unary16<Trunc>, Mods},
    {"v_ceil_f16", Unary16<Ceil>, Mods},
    {"v_floor_f16", Unary16<Floor>, Mods},
    {"v_rndne_f16", Unary16<Rndne>, Mods},
    {"v_fract_f16", Unary16<Fract>, Mods},
    {"v_frexp_mant_f16", Unary16<FrexpMant>, Mods},
    {"v_frexp_exp_i16_f16", frexpExp, ExponentMods},
    {"v_ldexp_f16", ldexp16, Mods},

    {"v_div_fixup_f16", divFixup<true>, Mods},
    {"v_div_fixup_legacy_f16", divFixup<false>, Mods},
    {"v_rcp_f16", Unary16<Rcp<false>>, Mods},
    {"v_sqrt_f16", Unary16<Sqrt<false>>, Mods},
    {"v_rsq_f16", Unary16<Rsq<false>>, Mods},
    {"v_exp_f16", Unary16<Exp<false>>, Mods},
    {"v_log_f16", Unary16<Log<false>>, Mods},
    {"v_sin_f16", Unary16<Sin>, Mods},
    {"v_cos_f16", Unary16<Cos>, Mods},

    {"v_s_rcp_f16", pseudoScalar<Rcp<false>>, ScalarMods},
    {"v_s_sqrt_f16", pseudoScalar<Sqrt<false>>, ScalarMods},
    {"v_s_rsq_f16", pseudoScalar<Rsq<false>>, ScalarMods},
    {"v_s_exp_f16", pseudoScalar<Exp<false>>, ScalarMods},
    {"v_s_log_f16", pseudoScalar<Log<false>>, ScalarMods},

    {"v_pack_b32_f16", pack, ModNeg | ModAbs | ModOpSel | ModDpp},
    {"v_fma_mix_f32", fmaMix, MixMods},
    {"v_fma_mixlo_f16", fmaMixHalf<false>, MixMods},
    {"v_fma_mixhi_f16", fmaMixHalf<true>, MixMods},

    {"v_pk_add_f16", Packed2<Add>, PackedMods},
    {"v_pk_mul_f16", Packed2<Mul>, PackedMods},
    {"v_pk_fma_f16", Packed3<Fma>, PackedMods},
    {"v_pk_fmac_f16", packedHalfArithmetic<Fma, 3, true>, ModDpp},
    {"v_pk_min_f16", ChoosePacked<Min>, PackedMods},
    {"v_pk_max_f16", ChoosePacked<Max>, PackedMods},
    {"v_pk_min_num_f16", Packed2<Min<Number>>, PackedMods},
    {"v_pk_max_num_f16", Packed2<Max<Number>>, PackedMods},
    {"v_pk_minimum_f16", Packed2<Min<Propagate>>, PackedMods},
    {"v_pk_maximum_f16", Packed2<Max<Propagate>>, PackedMods},
};

} // namespace

llvm::ArrayRef<OpcodeInfo> vectorFloat16Opcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
