//===- VectorFloat16.cpp - arithmetic of f16 ------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on one f16, on two of them (v_pk_), and multiply-adds of mixed
// formats. What is around an operation is in HalfLanes.h; conversions are in
// VectorConvert.cpp. Reciprocals, roots and transcendental functions, which the
// hardware has within 0.51 ulp and more, are rounded correctly here.
//
// gfx9 zeroes the other half of a result's register but for v_fma, v_mad,
// v_div_fixup, v_min3, v_max3, v_med3 (LLVM: zeroesHigh16BitsOfDest); later
// targets keep it.
//
//===----------------------------------------------------------------------===//
#include "FloatMinMax.h"
#include "HalfLanes.h"
#include <cmath>

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {
namespace {

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

struct Add : HalfOp<Add> {
  template <class F> static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B) {
    return A + B;
  }
};
struct Sub : HalfOp<Sub> {
  template <class F> static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B) {
    return A - B;
  }
};
struct SubRev : HalfOp<SubRev> {
  template <class F> static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B) {
    return B - A;
  }
};
struct Mul : HalfOp<Mul> {
  template <class F> static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B) {
    return A * B;
  }
};

/// The product of two f16 is exact; what the sum loses is found by undoing it.
struct OddFma : FloatOp {
  template <class F>
  static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B, FloatVec<F> C) {
    using V = BitsVec<F>;
    FloatVec<F> P = A * B;
    FloatVec<F> S = P + C;
    FloatVec<F> FromC = S - P;
    FloatVec<F> Lost = (P - (S - FromC)) + (C - FromC);
    V Bits = asBits<F>(S);
    V LostBits = asBits<F>(Lost);
    V Inexact =
        V((LostBits & ~F::Sign) != 0) & V((Bits & F::Infinity) != F::Infinity);
    // The magnitude without its rounding, then the sticky bit.
    V Outward = Inexact & V(((LostBits ^ Bits) & F::Sign) != 0);
    return asFloat<F>((Bits + Outward) | (Inexact & 1));
  }
};
struct Fma : FloatOp {
  using OddWhenNearest = OddFma;
  static constexpr bool Product = true;
  template <class F>
  static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B, FloatVec<F> C) {
    return A * B + C;
  }
};

/// gfx9's unfused multiply-add: the product is rounded to f16.
template <bool KeepHigh, bool Accumulate>
void mad(Wave &W, const Instruction &I) {
  Lanes32 Scratch[3], Rounded, Result;
  const Lanes32 *Source[3];
  for (unsigned N = 0; N < 3; ++N)
    Source[N] = &halfSource(W, I, Accumulate && N == 2 ? 0 : N + 1, Scratch[N]);
  computeHalves<Mul, 2>(W, Source, Rounded);
  Lanes32 Products;
  for (unsigned L = 0; L < 64; ++L)
    Products.V[L] = singleOfHalf(Rounded.V[L], false, false);
  const Lanes32 *Terms[] = {&Products, Source[2]};
  computeHalves<Add, 2>(W, Terms, Result);
  finishHalves(W, I, Result);
  writeResult16(W, I, Result, 0, KeepHigh);
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

/// The functors of f32 select among widened halves as well.
template <class Base> struct Selecting : Base { using OddWhenNearest = Base; };

template <template <NanRule> class Op, unsigned Sources, bool Packed,
          bool KeepHigh = false>
void select16(Wave &W, const Instruction &I) {
  auto Run = [&]<NanRule Rule>() {
    if constexpr (Packed)
      packedHalfArithmetic<Selecting<Op<Rule>>, Sources>(W, I);
    else
      halfArithmetic<Selecting<Op<Rule>>, Sources, KeepHigh>(W, I);
  };
  if (W.Isa->isGfx11Plus())
    W.Mode.Ieee ? Run.template operator()<NanRule::Gfx11Ieee>()
                : Run.template operator()<NanRule::Gfx11>();
  else
    W.Mode.Ieee ? Run.template operator()<NanRule::Gfx9Ieee>()
                : Run.template operator()<NanRule::Gfx9>();
}

//===----------------------------------------------------------------------===//
// Rounding to integers, exponents
//===----------------------------------------------------------------------===//

struct Trunc : HalfOp<Trunc> {
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    return __builtin_elementwise_trunc(A);
  }
};
struct Ceil : HalfOp<Ceil> {
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    return __builtin_elementwise_ceil(A);
  }
};
struct Floor : HalfOp<Floor> {
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    return __builtin_elementwise_floor(A);
  }
};
struct Rndne : HalfOp<Rndne> {
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    return __builtin_elementwise_roundeven(A);
  }
};
/// Less than 1: at most 0x3bff.
struct Fract : HalfOp<Fract> {
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    using V = BitsVec<F>;
    V R = asBits<F>(A - __builtin_elementwise_floor(A));
    V Largest = V{} + 0x3f7fe000;
    V Above = V(R > Largest) & V(R <= F::One);
    return asFloat<F>(select<V>(Above, Largest, R) & ~V(R == F::Sign));
  }
};

/// All bits but those of the exponent; zeros, infinities and NaNs as they are.
struct FrexpMant : HalfOp<FrexpMant> {
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    using V = BitsVec<F>;
    V B = asBits<F>(A), Magnitude = B & ~F::Sign;
    V Itself = V(Magnitude == 0) | V(Magnitude >= F::Infinity);
    V Half = V{} + (F::One - F::MinNormal);
    return asFloat<F>(select<V>(Itself, B, (B & ~F::Infinity) | Half));
  }
};

void frexpExp(Wave &W, const Instruction &I) {
  Lanes32 Scratch, Result;
  const Lanes32 &Source = halfSource(W, I, 1, Scratch);
  for (unsigned L = 0; L < 64; ++L) {
    uint32_t Magnitude = Source.V[L] & 0x7fffffff;
    uint32_t Exponent = (Magnitude >> 23) - 126;
    Result.V[L] =
        Magnitude == 0 || Magnitude >= 0x7f800000 ? 0 : Exponent & 0xffff;
  }
  writeResult16(W, I, Result);
}

void ldexp16(Wave &W, const Instruction &I) {
  Lanes32 Scratch, Exponents, Result;
  const Lanes32 *Source = &halfSource(W, I, 1, Scratch);
  const Lanes32 &Exponent = source16(W, I, 2, Exponents);
  for (unsigned L = 0; L < 64; ++L) {
    // Beyond 60 all is zero or infinity; below it f32 has the product exactly.
    int E = std::clamp<int>(int16_t(Exponent.V[L]), -60, 60);
    float Power = std::bit_cast<float>(uint32_t(127 + E) << 23);
    Result.V[L] =
        std::bit_cast<uint32_t>(std::bit_cast<float>(Source->V[L]) * Power);
  }
  fixNans<F32, 1>(&Source, Result, 64, quietsNans(W));
  narrowToHalves(Result, W.Mode.Round1664, flushesHalfResults(W));
  finishHalves(W, I, Result);
  writeResult16(W, I, Result);
}

//===----------------------------------------------------------------------===//
// Division and approximations
//===----------------------------------------------------------------------===//

/// Quotient, denominator, numerator: the quotient's magnitude with the sign it
/// should have, and the special cases. All in halves.
inline uint32_t fixedQuotient(uint32_t Quotient, uint32_t Den, uint32_t Num) {
  uint32_t Sign = (Den ^ Num) & HalfSign;
  uint32_t D = Den & 0x7fff, N = Num & 0x7fff;
  uint32_t R = Sign | (Quotient & 0x7fff);
  R = N == 0 || D == HalfInfinity ? Sign : R;
  R = D == 0 || N == HalfInfinity ? Sign | HalfInfinity : R;
  bool Invalid = (D | N) == 0 || (D == HalfInfinity && N == D);
  R = Invalid ? 0xfe00 : R;
  R = D > HalfInfinity ? Den | 0x200 : R;
  return N > HalfInfinity ? Num | 0x200 : R;
}

template <bool KeepHigh> void divFixup(Wave &W, const Instruction &I) {
  Lanes32 Sources[3], Result;
  for (unsigned N = 0; N < 3; ++N) {
    const Operand &O = I.Operands[N + 1];
    Lanes32 Scratch;
    const Lanes32 &From = source16(W, I, N + 1, Scratch);
    bool Flush = N != 0 && !keepsHalfDenormals(W);
    for (unsigned L = 0; L < 64; ++L) {
      uint32_t V =
          (From.V[L] & (O.Abs ? 0x7fff : 0xffff)) ^ (O.Neg ? HalfSign : 0);
      Sources[N].V[L] = Flush && !(V & HalfInfinity) ? V & HalfSign : V;
    }
  }
  for (unsigned L = 0; L < 64; ++L)
    Result.V[L] =
        fixedQuotient(Sources[0].V[L], Sources[1].V[L], Sources[2].V[L]);
  finishHalves(W, I, Result);
  writeResult16(W, I, Result, 0, KeepHigh);
}

struct Rcp : HalfOp<Rcp> {
  static constexpr bool IgnoresRounding = true;
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    return (FloatVec<F>{} + 1) / A;
  }
};
struct Sqrt : HalfOp<Sqrt> {
  static constexpr bool IgnoresRounding = true;
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    return __builtin_elementwise_sqrt(A);
  }
};

/// A function of f64, lane by lane.
template <auto Function> struct Each : HalfOp<Each<Function>> {
  static constexpr bool IgnoresRounding = true;
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    FloatVec<F> R;
    for (unsigned N = 0; N < SimdLanes<F>; ++N)
      R[N] = float(Function(double(A[N])));
    return R;
  }
};
double reciprocalRoot(double X) { return 1 / __builtin_sqrt(X); }
double power2(double X) { return ::exp2(X); }
double logarithm2(double X) { return ::log2(X); }

/// sin of \p Turns of a circle and \p Quarters more; zeros are +0.
double sineOfTurns(double Turns, unsigned Quarters) {
  if (!(__builtin_fabs(Turns) < __builtin_inf()))
    return Turns - Turns;
  double Rest = Turns - __builtin_roundeven(Turns);
  double Whole = __builtin_roundeven(Rest * 4);
  double Radians = (Rest - Whole / 4) * 6.283185307179586476925286766559;
  unsigned Quarter = (unsigned(int(Whole)) + Quarters) & 3;
  double R = Quarter & 1 ? ::cos(Radians) : ::sin(Radians);
  return (Quarter & 2 ? -R : R) + 0.0;
}
double sine(double Turns) { return Turns == 0 ? Turns : sineOfTurns(Turns, 0); }
double cosine(double Turns) { return sineOfTurns(Turns, 1); }

/// v_s_*_f16 of gfx12: one number in scalar registers, whatever exec is.
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
  const Lanes32 *Source[2];
  uint32_t Keep[2], Flip[2];
  for (unsigned N = 0; N < 2; ++N) {
    Source[N] = &source16(W, I, N + 1, Scratch[N]);
    Keep[N] = I.Operands[N + 1].Abs ? 0x7fff : 0xffff;
    Flip[N] = I.Operands[N + 1].Neg ? HalfSign : 0;
  }
  for (unsigned L = 0; L < 64; ++L)
    Result.V[L] = ((Source[0]->V[L] & Keep[0]) ^ Flip[0]) |
                  ((Source[1]->V[L] & Keep[1]) ^ Flip[1]) << 16;
  writeResult32(W, I, Result);
}

struct WideFma : FloatOp {
  static constexpr bool Product = true;
  template <class F>
  static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B, FloatVec<F> C) {
    return __builtin_elementwise_fma(A, B, C);
  }
};

/// The f32 fma of v_fma_mix: each source is an f16 where op_sel_hi is set.
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
                O.Abs ? 0x7fff : 0xffff, O.Neg ? HalfSign : 0);
  }
  computeRounded<F32, WideFma, 3>(W, Source, Result);
}

void fmaMix(Wave &W, const Instruction &I) {
  Lanes32 Result;
  computeMix(W, I, Result);
  finishResult<F32>(W, I, Result, !(W.Mode.Denorm32 & 2));
  writeResult(W, I, Result);
}

/// The f32 result is rounded to f16; the other half of the register stays.
template <bool High> void fmaMixHalf(Wave &W, const Instruction &I) {
  Lanes32 Result;
  computeMix(W, I, Result);
  if (!(W.Mode.Denorm32 & 2))
    flushLanes<F32>(Result, Result, 64);
  narrowToHalves(Result, W.Mode.Round1664, flushesHalfResults(W));
  finishHalves(W, I, Result);
  const Lanes32 &Old = W.Vectors[I.Operands[0].Index];
  for (unsigned L = 0; L < 64; ++L)
    Result.V[L] = High ? Result.V[L] << 16 | (Old.V[L] & 0xffff)
                       : (Old.V[L] & 0xffff0000) | Result.V[L];
  writeResult32(W, I, Result);
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

template <class Op> constexpr Handler Unary16 = halfArithmetic<Op, 1>;
template <class Op> constexpr Handler Binary16 = halfArithmetic<Op, 2>;
template <class Op> constexpr Handler Ternary16 = halfArithmetic<Op, 3, true>;
template <template <NanRule> class Op>
constexpr Handler Choose2 = select16<Op, 2, false>;
template <template <NanRule> class Op>
constexpr Handler Choose3 = select16<Op, 3, false, true>;
template <class Op> constexpr Handler Packed2 = packedHalfArithmetic<Op, 2>;
template <class Op> constexpr Handler Packed3 = packedHalfArithmetic<Op, 3>;

template <template <NanRule> class Op>
using Number = Selecting<Op<NanRule::Number>>;
template <template <NanRule> class Op>
using Propagate = Selecting<Op<NanRule::Propagate>>;

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

    {"v_min_f16", Choose2<Min>, Mods},
    {"v_max_f16", Choose2<Max>, Mods},
    {"v_min3_f16", Choose3<Min3>, Mods},
    {"v_max3_f16", Choose3<Max3>, Mods},
    {"v_med3_f16", Choose3<Med3>, Mods},
    {"v_minmax_f16", Choose3<MinThenMax>, Mods},
    {"v_maxmin_f16", Choose3<MaxThenMin>, Mods},
    {"v_min_num_f16", Binary16<Number<Min>>, Mods},
    {"v_max_num_f16", Binary16<Number<Max>>, Mods},
    {"v_min3_num_f16", Ternary16<Number<Min3>>, Mods},
    {"v_max3_num_f16", Ternary16<Number<Max3>>, Mods},
    {"v_med3_num_f16", Ternary16<Number<Med3>>, Mods},
    {"v_minmax_num_f16", Ternary16<Number<MinThenMax>>, Mods},
    {"v_maxmin_num_f16", Ternary16<Number<MaxThenMin>>, Mods},
    {"v_minimum_f16", Binary16<Propagate<Min>>, Mods},
    {"v_maximum_f16", Binary16<Propagate<Max>>, Mods},
    {"v_minimum3_f16", Ternary16<Propagate<Min3>>, Mods},
    {"v_maximum3_f16", Ternary16<Propagate<Max3>>, Mods},
    {"v_minimummaximum_f16", Ternary16<Propagate<MinThenMax>>, Mods},
    {"v_maximumminimum_f16", Ternary16<Propagate<MaxThenMin>>, Mods},

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
    {"v_rcp_f16", Unary16<Rcp>, Mods},
    {"v_sqrt_f16", Unary16<Sqrt>, Mods},
    {"v_rsq_f16", Unary16<Each<reciprocalRoot>>, Mods},
    {"v_exp_f16", Unary16<Each<power2>>, Mods},
    {"v_log_f16", Unary16<Each<logarithm2>>, Mods},
    {"v_sin_f16", Unary16<Each<sine>>, Mods},
    {"v_cos_f16", Unary16<Each<cosine>>, Mods},

    {"v_s_rcp_f16", pseudoScalar<Rcp>, ScalarMods},
    {"v_s_sqrt_f16", pseudoScalar<Sqrt>, ScalarMods},
    {"v_s_rsq_f16", pseudoScalar<Each<reciprocalRoot>>, ScalarMods},
    {"v_s_exp_f16", pseudoScalar<Each<power2>>, ScalarMods},
    {"v_s_log_f16", pseudoScalar<Each<logarithm2>>, ScalarMods},

    {"v_pack_b32_f16", pack, ModNeg | ModAbs | ModOpSel | ModDpp},
    {"v_fma_mix_f32", fmaMix, MixMods},
    {"v_fma_mixlo_f16", fmaMixHalf<false>, MixMods},
    {"v_fma_mixhi_f16", fmaMixHalf<true>, MixMods},

    {"v_pk_add_f16", Packed2<Add>, PackedMods},
    {"v_pk_mul_f16", Packed2<Mul>, PackedMods},
    {"v_pk_fma_f16", Packed3<Fma>, PackedMods},
    {"v_pk_fmac_f16", packedHalfArithmetic<Fma, 3, true>, ModDpp},
    {"v_pk_min_f16", select16<Min, 2, true>, PackedMods},
    {"v_pk_max_f16", select16<Max, 2, true>, PackedMods},
    {"v_pk_min_num_f16", Packed2<Number<Min>>, PackedMods},
    {"v_pk_max_num_f16", Packed2<Number<Max>>, PackedMods},
    {"v_pk_minimum_f16", Packed2<Propagate<Min>>, PackedMods},
    {"v_pk_maximum_f16", Packed2<Propagate<Max>>, PackedMods},
};

} // namespace

llvm::ArrayRef<OpcodeInfo> vectorFloat16Opcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
