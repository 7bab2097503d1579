//===- HalfLanes.h - operations on f16 --------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f16 operations are computed in f32 and rounded to f16. f32 has twice f16's
// bits and two (24 = 2 * 11 + 2), so a sum, product, quotient or root that was
// rounded to f32 first is still right; and a directed rounding done twice is
// that rounding. This fails for an fma to nearest even: its f32 result is
// rounded to odd (the last bit is set if anything was lost). Operations are
// functors of FloatOperations.h; VectorFloat16.cpp has the instructions.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_VECTOR_HALFLANES_H
#define KPACK_LIB_SOFTGPU_MACHINE_VECTOR_HALFLANES_H

#include "FloatOperations.h"
#include "SoftGpu/Machine/Lanes/SmallFloats.h"
#ifdef __F16C__
#include <immintrin.h>
#endif

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

#ifdef __F16C__
template <class F> inline bool hasNans(const Wave &W, const Lanes32 &Row) {
  uint32_t Any = 0;
  forLanes(W, [&](unsigned L) { Any |= uint32_t(F::isNan(Row.V[L])); });
  return Any;
}
#endif

/// Converts halves (\p Keep and \p Flip are their abs and neg) to f32.
inline void widenHalves(const Wave &W, const Lanes32 &Source, Lanes32 &Target,
                        uint32_t Keep = 0xffff, uint32_t Flip = 0,
                        bool Quiet = false) {
  bool Flush = flushesSources<F16>(W);
#ifdef __F16C__
  // The host's conversion flushes nothing, but quiets NaNs.
  if (!Flush && (Quiet || !hasNans<F16>(W, Source))) {
    for (unsigned L = 0; L < W.Lanes; L += 8) {
      __m128i Halves[2];
      for (unsigned N = 0; N < 2; ++N) {
        __m128i V = _mm_load_si128(
            reinterpret_cast<const __m128i *>(Source.V + L + 4 * N));
        Halves[N] = _mm_xor_si128(_mm_and_si128(V, _mm_set1_epi32(int(Keep))),
                                  _mm_set1_epi32(int(Flip)));
      }
      _mm256_store_ps(reinterpret_cast<float *>(Target.V + L),
                      _mm256_cvtph_ps(_mm_packus_epi32(Halves[0], Halves[1])));
    }
    return;
  }
#endif
  forLanes(W, [&](unsigned L) {
    Target.V[L] = singleOfHalf((Source.V[L] & Keep) ^ Flip, Flush, Quiet);
  });
}

/// Returns source \p N as f32, with neg and abs.
inline const Lanes32 &halfSource(Wave &W, const Instruction &I, unsigned N,
                                 Lanes32 &Scratch, bool Quiet = false) {
  const Operand &O = I.Operands[N];
  Lanes32 Bits;
  widenHalves(W, source16(W, I, N, Bits), Scratch, O.Abs ? 0x7fff : 0xffff,
              O.Neg ? F16::Sign : 0, Quiet);
  return Scratch;
}

#ifdef __F16C__
/// Converts on the host, which quiets NaNs and flushes nothing.
template <int Mode>
inline void narrowOnHost(const Wave &W, const Lanes32 &Source,
                         Lanes32 &Target) {
  for (unsigned L = 0; L < W.Lanes; L += 8) {
    __m256 Singles = _mm256_castsi256_ps(
        _mm256_load_si256(reinterpret_cast<const __m256i *>(Source.V + L)));
    __m128i Halves = _mm256_cvtps_ph(Singles, Mode | _MM_FROUND_NO_EXC);
    _mm256_store_si256(reinterpret_cast<__m256i *>(Target.V + L),
                       _mm256_cvtepu16_epi32(Halves));
  }
}
#endif

/// Converts f32 to f16; \p Target may be \p Source. NaNs are unchanged, or
/// quieted if
/// \p Quiet.
inline void narrowToHalves(const Wave &W, const Lanes32 &Source,
                           Lanes32 &Target, unsigned Rounding, bool Flush,
                           bool Quiet = false) {
#ifdef __F16C__
  if (!Flush && (Quiet || !hasNans<F32>(W, Source)))
    switch (Rounding & 3) {
    case 0:
      return narrowOnHost<_MM_FROUND_TO_NEAREST_INT>(W, Source, Target);
    case 1:
      return narrowOnHost<_MM_FROUND_TO_POS_INF>(W, Source, Target);
    case 2:
      return narrowOnHost<_MM_FROUND_TO_NEG_INF>(W, Source, Target);
    case 3:
      return narrowOnHost<_MM_FROUND_TO_ZERO>(W, Source, Target);
    }
#endif
  forLanes(W, [&](unsigned L) {
    uint32_t V = Source.V[L];
    uint32_t Nan = (V >> 16 & F16::Sign) | F16::Infinity | (V >> 13 & 0x3ff);
    bool IsKept = F32::isNan(V) && !Quiet;
    Target.V[L] = IsKept ? Nan : halfOfSingle(V, Rounding, Flush);
  });
}

/// Applies omod and clamp to halves.
inline void finishHalves(const Wave &W, const Instruction &I, Lanes32 &Row) {
  bool Scale = outputModifierIsActive<F16>(W, I);
  if (!Scale && !I.has(ModClamp))
    return;
  static constexpr uint32_t Steps[] = {0, 1u << 23, 2u << 23, 0u - (1u << 23)};
  bool NanIsZero = W.Mode.Dx10Clamp || W.Isa->isGfx12Plus();
  forLanes(W, [&](unsigned L) {
    uint32_t &V = Row.V[L];
    uint32_t Magnitude = V & 0x7fff;
    if (Scale && Magnitude < F16::Infinity) {
      // Denormals become zeros here, and all zeros +0.
      uint32_t Single = singleOfHalf(V, false, false) + Steps[I.Omod & 3];
      V = Magnitude < F16::MinNormal
              ? 0
              : halfOfSingle(Single, W.Mode.Round1664, true);
    }
    if (I.has(ModClamp)) {
      uint32_t Limited = V & F16::Sign ? 0 : V > F16::One ? F16::One : V;
      V = F16::isNan(V) ? (NanIsZero ? 0 : V) : Limited;
    }
  });
}

/// An fma that is rounded to odd. The product of two f16 is exact; undoing the
/// sum reveals its lost bits.
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

/// Computes Op over f32 sources and converts to f16.
template <class Op, unsigned Sources>
inline void computeHalves(const Wave &W, const Lanes32 *const *Source,
                          Lanes32 &Result) {
  unsigned Rounding = Op::IgnoresRounding ? 0 : W.Mode.Round1664;
  bool AnyNan;
  if (Rounding == 0) {
    using Nearest = std::conditional_t<std::is_same_v<Op, Fma>, OddFma, Op>;
    AnyNan = computeLanes<F32, Nearest, Sources>(Source, Result, W.Lanes);
  } else {
    RoundingScope Scope(Rounding);
    AnyNan = computeLanes<F32, Op, Sources>(Source, Result, W.Lanes);
  }
  if (AnyNan)
    fixNans<F32, Sources>(Source, Result, W.Lanes, quietsNans(W), Op::Product);
  narrowToHalves(W, Result, Result, Rounding,
                 !Op::Selects && flushesResults<F16>(W));
}

/// Handler with operands 1, 2... as sources; with Accumulate the destination is
/// the last source. \p KeepHigh: gfx9 keeps the other half of the result's
/// register.
template <class Op, unsigned Sources, bool KeepHigh = false,
          bool Accumulate = false>
void halfArithmetic(Wave &W, const Instruction &I) {
  Lanes32 Scratch[Sources], Result;
  const Lanes32 *Source[Sources];
  for (unsigned N = 0; N < Sources; ++N)
    Source[N] = &halfSource(W, I, Accumulate && N + 1 == Sources ? 0 : N + 1,
                            Scratch[N]);
  computeHalves<Op, Sources>(W, Source, Result);
  finishHalves(W, I, Result);
  writeResult16(W, I, Result, 0, KeepHigh);
}

/// Handler of two operations at a time.
template <class Op, unsigned Sources, bool Accumulate = false>
void packedHalfArithmetic(Wave &W, const Instruction &I) {
  Lanes32 Low[Sources], High[Sources], Results[2];
  for (unsigned N = 0; N < Sources; ++N) {
    unsigned Operand = Accumulate && N + 1 == Sources ? 0 : N + 1;
    Lanes32 L, H;
    if (Operand == 0) {
      const Lanes32 &Row = W.Vectors[I.Operands[0].Index];
      forLanes(W, [&](unsigned Lane) {
        L.V[Lane] = Row.V[Lane] & 0xffff;
        H.V[Lane] = Row.V[Lane] >> 16;
      });
    } else {
      sourcePacked(W, I, Operand, /*FloatIsHalf=*/true, L, H);
    }
    unsigned Bit = Operand ? Operand - 1 : 2;
    widenHalves(W, L, Low[N], 0xffff, (I.NegLo >> Bit & 1) ? F16::Sign : 0);
    widenHalves(W, H, High[N], 0xffff, (I.NegHi >> Bit & 1) ? F16::Sign : 0);
  }
  const Lanes32 *Lows[Sources], *Highs[Sources];
  for (unsigned N = 0; N < Sources; ++N) {
    Lows[N] = &Low[N];
    Highs[N] = &High[N];
  }
  computeHalves<Op, Sources>(W, Lows, Results[0]);
  computeHalves<Op, Sources>(W, Highs, Results[1]);
  finishHalves(W, I, Results[0]);
  finishHalves(W, I, Results[1]);
  forLanes(W, [&](unsigned Lane) {
    Results[0].V[Lane] |= Results[1].V[Lane] << 16;
  });
  writeResult32(W, I, Results[0]);
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_VECTOR_HALFLANES_H
