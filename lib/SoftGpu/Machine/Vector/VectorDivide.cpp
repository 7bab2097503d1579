//===- VectorDivide.cpp - division, reciprocals, transcendental functions -===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a division are exact. V_DIV_SCALE and V_DIV_FMAS follow
// measurements of gfx1100 and gfx1201 (AMD's rocjitsu), since the manuals'
// formulae cannot be right: they scale a huge denominator up where only scaling
// down avoids an infinity, and have V_DIV_FMAS undo 2^64 by 2^32.
//
// Reciprocals, roots, exponentials, logarithms and trigonometric functions of
// the hardware are approximations within 1 ulp (f64: 2^29 ulp); here they are
// rounded correctly (f32 reciprocals and roots) or libm's in f64: the functors
// are in FloatOperations.h, which f16 uses, too. Denormals are flushed if the
// manuals require it, rounding is to nearest. v_exp_legacy_f32,
// v_log_legacy_f32 are not here: no manual defines them.
//
//===----------------------------------------------------------------------===//
#include "ExactFma.h"
#include "FloatOperations.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {
namespace {

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

template <class F> struct DivisionLimits;
template <> struct DivisionLimits<F32> {
  static constexpr int Far = 96;   ///< a large difference of exponents
  static constexpr int Scale = 64; ///< log2 of the factor
  static constexpr int Tiny = 24;  ///< exponent field of a small numerator
};
template <> struct DivisionLimits<F64> {
  static constexpr int Far = 768;
  static constexpr int Scale = 128;
  static constexpr int Tiny = 53;
};

template <class F> struct Scaled {
  BitsVec<F> Factor;     ///< for source 0, as bits
  BitsVec<F> PostScale;  ///< all ones if the quotient is to be scaled
  BitsVec<F> NoQuotient; ///< all ones if an operand is zero
};

/// Decides V_DIV_SCALE by the exponents' fields, which are 0 for denormals.
template <class F>
inline Scaled<F> divScale(BitsVec<F> S0, BitsVec<F> Den, BitsVec<F> Num) {
  using V = BitsVec<F>;
  using Limits = DivisionLimits<F>;
  using IntVec = Simd<typename F::Int>;
  IntVec DenField = IntVec((Den & F::Infinity) >> F::MantissaBits);
  IntVec NumField = IntVec((Num & F::Infinity) >> F::MantissaBits);
  IntVec Difference = NumField - DenField;
  auto Power = [](int Exponent) {
    return V{} + (typename F::Bits(F::Bias + Exponent) << F::MantissaBits);
  };
  V One = Power(0), Up = Power(Limits::Scale), Down = Power(-Limits::Scale);
  V IsDen = V(S0 == Den);
  V Huge = V(Difference >= Limits::Far);
  V Small = V(Difference <= -Limits::Far);
  V DenIsHuge = V(DenField >= 2 * F::Bias - 1);
  V DenIsTiny = V(DenField == 0);
  V NumIsTiny = V(NumField <= Limits::Tiny);
  // From the last decision of the manual to the first.
  V Factor = select<V>(NumIsTiny, Up, One);
  Factor = select<V>(Small, select<V>(IsDen, One, Up), Factor);
  Factor = select<V>(DenIsHuge, select<V>(Small & ~IsDen, One, Down), Factor);
  Factor = select<V>(DenIsTiny, Up, Factor);
  Factor = select<V>(Huge, select<V>(IsDen, Up, One), Factor);
  V Zero = V((Den & ~F::Sign) == 0) | V((Num & ~F::Sign) == 0);
  return {Factor, Huge | (Small & ~DenIsTiny), Zero};
}

/// v_div_scale_*: value, mask, numerator or denominator, denominator,
/// numerator.
template <class F> void divScaleOp(Wave &W, const Instruction &I) {
  typename F::Lanes Scratch[3], Result;
  const typename F::Lanes *Source[3];
  for (unsigned N = 0; N < 3; ++N)
    Source[N] = &flushedSource<F>(W, I, N + 2, Scratch[N]);
  uint64_t PostScale = 0;
  {
    RoundingScope Scope(F::rounding(W.Mode), flushesResults<F>(W));
    for (unsigned L = 0; L < W.Lanes; L += SimdLanes<F>) {
      BitsVec<F> S0 = loadBits<F>(Source[0]->V + L);
      Scaled<F> S = divScale<F>(S0, loadBits<F>(Source[1]->V + L),
                                loadBits<F>(Source[2]->V + L));
      BitsVec<F> R = asBits<F>(asFloat<F>(S0) * asFloat<F>(S.Factor));
      R = select<BitsVec<F>>(isNanBits<F>(S0), S0 | F::QuietBit, R);
      R = select<BitsVec<F>>(S.NoQuotient, BitsVec<F>{} + F::DefaultNan, R);
      storeBits<F>(Result.V + L, R);
      for (unsigned N = 0; N < SimdLanes<F>; ++N)
        PostScale |= uint64_t(S.PostScale[N] & 1) << (L + N);
    }
  }
  writeResult(W, I, Result);
  writeMaskOperand(W, I.Operands[1], PostScale & W.exec());
}

/// v_div_fmas_*: an fma that keeps denormal sources, scaled if VCC is set.
template <class F> void divFmas(Wave &W, const Instruction &I) {
  typename F::Lanes Scratch[3], Result;
  const typename F::Lanes *Source[3];
  for (unsigned N = 0; N < 3; ++N)
    Source[N] = &floatSource<F>(W, I, N + 1, Scratch[N]);
  unsigned Rounding = F::rounding(W.Mode);
  bool Flush = flushesResults<F>(W);
  {
    RoundingScope Scope(Rounding, Flush);
    for (unsigned L = 0; L < W.Lanes; L += SimdLanes<F>)
      storeBits<F>(Result.V + L, asBits<F>(__builtin_elementwise_fma(
                                     loadFloat<F>(Source[0]->V + L),
                                     loadFloat<F>(Source[1]->V + L),
                                     loadFloat<F>(Source[2]->V + L))));
  }
  fixNans<F, 3>(Source, Result, W.Lanes, quietsNans(W), /*Product=*/true);
  constexpr int Scale = DivisionLimits<F>::Scale;
  for (uint64_t Lanes = W.vcc() & W.exec(); Lanes; Lanes &= Lanes - 1) {
    unsigned L = unsigned(__builtin_ctzll(Lanes));
    auto C = Source[2]->V[L];
    // The addend is the quotient except for its last bits.
    bool Large = int((C & F::Infinity) >> F::MantissaBits) > F::Bias;
    Result.V[L] = scaledFma<F>(Source[0]->V[L], Source[1]->V[L], C,
                               Large ? Scale : -Scale, Rounding, Flush);
  }
  finishResult<F>(W, I, Result, Flush);
  writeResult(W, I, Result);
}

/// v_div_fixup_*: quotient, denominator, numerator.
template <class F>
inline BitsVec<F> divFixup(BitsVec<F> Quotient, BitsVec<F> Den, BitsVec<F> Num,
                           unsigned Rounding, bool Flush) {
  using V = BitsVec<F>;
  using IntVec = Simd<typename F::Int>;
  V Sign = (Den ^ Num) & F::Sign;
  V Negative = V(Sign != 0);
  V D = Den & ~F::Sign, N = Num & ~F::Sign, Q = Quotient & ~F::Sign;
  V DenZero = V(D == 0), NumZero = V(N == 0);
  V DenInf = V(D == F::Infinity), NumInf = V(N == F::Infinity);
  IntVec Difference =
      IntVec(N >> F::MantissaBits) - IntVec(D >> F::MantissaBits);
  V Underflow = V(Difference < -(F::Bias + int(F::MantissaBits)));
  // Less than half of the smallest number, but not zero.
  auto Smallest = [&](bool Minus) {
    return V{} + (!Flush && Rounding == (Minus ? 2u : 1u) ? 1 : 0);
  };
  V R = select<V>(V(Q >= F::Infinity),
                  select<V>(Negative, V{} + overflowBits<F>(true, Rounding),
                            V{} + overflowBits<F>(false, Rounding)),
                  Q) |
        Sign;
  R = select<V>(Underflow,
                Sign | select<V>(Negative, Smallest(true), Smallest(false)), R);
  R = select<V>(NumZero | DenInf, Sign, R);
  R = select<V>(DenZero | NumInf, Sign | F::Infinity, R);
  R = select<V>((DenZero & NumZero) | (DenInf & NumInf), V{} + F::DefaultNan,
                R);
  R = select<V>(isNanBits<F>(Den), Den | F::QuietBit, R);
  return select<V>(isNanBits<F>(Num), Num | F::QuietBit, R);
}

template <class F> void divFixupOp(Wave &W, const Instruction &I) {
  typename F::Lanes Scratch[3], Result;
  const auto &Quotient = floatSource<F>(W, I, 1, Scratch[0]);
  const auto &Den = flushedSource<F>(W, I, 2, Scratch[1]);
  const auto &Num = flushedSource<F>(W, I, 3, Scratch[2]);
  unsigned Rounding = F::rounding(W.Mode);
  bool Flush = flushesResults<F>(W);
  for (unsigned L = 0; L < W.Lanes; L += SimdLanes<F>)
    storeBits<F>(Result.V + L,
                 divFixup<F>(loadBits<F>(Quotient.V + L),
                             loadBits<F>(Den.V + L), loadBits<F>(Num.V + L),
                             Rounding, Flush));
  finishResult<F>(W, I, Result, /*Flush=*/false);
  writeResult(W, I, Result);
}

//===----------------------------------------------------------------------===//
// Single numbers
//===----------------------------------------------------------------------===//

/// Fraction bits of 2 / pi, the highest first; 1201 bits, then zeros.
constexpr uint64_t TwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b0000};

/// Returns 53 bits of 2 / pi from bit \p First on, as a number.
uint64_t twoOverPi(unsigned First) {
  auto Word = [](unsigned N) {
    return N < std::size(TwoOverPi) ? TwoOverPi[N] : 0;
  };
  unsigned N = First / 64, Offset = First % 64;
  uint64_t High = Word(N) << Offset;
  uint64_t Low = Offset ? Word(N + 1) >> (64 - Offset) : 0;
  return (High | Low) >> 11;
}

/// v_trig_preop_f64: the significant part of 2 / pi for the source's size, in
/// pieces of 53 bits that source 1 numbers.
void trigPreop(Wave &W, const Instruction &I) {
  Lanes64 Scratch, Result;
  Lanes32 Pieces;
  const Lanes64 &Source = flushedSource<F64>(W, I, 1, Scratch);
  const Lanes32 &Piece = source32(W, I, 2, Pieces);
  for (unsigned L = 0; L < W.Lanes; ++L) {
    int Exponent = int((Source.V[L] & F64::Infinity) >> F64::MantissaBits);
    int First = int(Piece.V[L] & 31) * 53;
    if (Exponent > 1077)
      First += Exponent - 1077;
    int Scale = -53 - First + (Exponent >= 1968 ? 128 : 0);
    double R = __builtin_ldexp(double(twoOverPi(unsigned(First))), Scale);
    Result.V[L] = __builtin_bit_cast(uint64_t, R);
  }
  finishResult<F64>(W, I, Result, flushesResults<F64>(W));
  writeResult(W, I, Result);
}

/// v_s_*_f32 of gfx12: one number in scalar registers, regardless of exec.
template <class Op> void pseudoScalar(Wave &W, const Instruction &I) {
  Lanes32 Scratch, Result;
  const Lanes32 *Source[] = {
      &flushedSource<F32>(W, I, 1, Scratch, Op::AlwaysFlush)};
  computeRounded<F32, Op, 1>(W, Source, Result);
  finishResult<F32>(W, I, Result, Op::AlwaysFlush || flushesResults<F32>(W));
  writeScalar32(W, I.Operands[0], Result.V[0]);
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

template <class Op> constexpr Handler Unary32 = arithmetic<F32, Op, 1>;
template <class Op> constexpr Handler Unary64 = arithmetic<F64, Op, 1>;

constexpr uint32_t ScaleModifiers = ModDpp | ModNeg | ModAbs;
constexpr uint32_t PreopModifiers =
    ModDpp | ModClamp | ModOmod | ModNeg | ModAbs;
/// omod would have to scale before rounding.
constexpr uint32_t PseudoScalarModifiers = ModClamp | ModNeg | ModAbs;

const OpcodeInfo Table[] = {
    {"v_div_scale_f32", divScaleOp<F32>, ScaleModifiers},
    {"v_div_scale_f64", divScaleOp<F64>, ScaleModifiers},
    {"v_div_fmas_f32", divFmas<F32>, FloatModifiers},
    {"v_div_fmas_f64", divFmas<F64>, FloatModifiers},
    {"v_div_fixup_f32", divFixupOp<F32>, FloatModifiers},
    {"v_div_fixup_f64", divFixupOp<F64>, FloatModifiers},

    {"v_rcp_f32 v_rcp_iflag_f32", Unary32<Rcp<true>>, FloatModifiers},
    {"v_rcp_f64", Unary64<Rcp<false>>, FloatModifiers},
    {"v_rsq_f32", Unary32<Rsq<true>>, FloatModifiers},
    {"v_rsq_f64", Unary64<Rsq<false>>, FloatModifiers},
    {"v_sqrt_f32", Unary32<Sqrt<true>>, FloatModifiers},
    {"v_sqrt_f64", Unary64<Sqrt<false>>, FloatModifiers},

    {"v_exp_f32", Unary32<Exp<true>>, FloatModifiers},
    {"v_log_f32", Unary32<Log<true>>, FloatModifiers},
    {"v_sin_f32", Unary32<Sin>, FloatModifiers},
    {"v_cos_f32", Unary32<Cos>, FloatModifiers},
    {"v_trig_preop_f64", trigPreop, PreopModifiers},

    {"v_s_exp_f32", pseudoScalar<Exp<true>>, PseudoScalarModifiers},
    {"v_s_log_f32", pseudoScalar<Log<true>>, PseudoScalarModifiers},
    {"v_s_rcp_f32", pseudoScalar<Rcp<true>>, PseudoScalarModifiers},
    {"v_s_rsq_f32", pseudoScalar<Rsq<true>>, PseudoScalarModifiers},
    {"v_s_sqrt_f32", pseudoScalar<Sqrt<true>>, PseudoScalarModifiers},
};

} // namespace

llvm::ArrayRef<OpcodeInfo> vectorDivideOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
