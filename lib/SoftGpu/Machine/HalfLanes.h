//===- HalfLanes.h - operations on f16 --------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f16 operations are computed in f32 and rounded to f16. f32 has more than
// twice f16's bits and two, so that a sum, product, quotient or root that was
// rounded to f32 first is still right; and a directed rounding done twice is
// that rounding. Not so for an fma to nearest even: its f32 result is rounded
// to odd (the last bit is set where anything was lost). Operations are functors
// of FloatLanes.h; VectorFloat16.cpp has them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_HALFLANES_H
#define KPACK_LIB_SOFTGPU_MACHINE_HALFLANES_H

#include "FloatLanes.h"
#include "SmallFloats.h"
#ifdef __F16C__
#include <immintrin.h>
#endif

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

constexpr uint32_t HalfSign = 0x8000, HalfInfinity = 0x7c00, HalfOne = 0x3c00;

inline bool keepsHalfDenormals(const Wave &W) { return W.Mode.Denorm1664 & 1; }
inline bool flushesHalfResults(const Wave &W) {
  return !(W.Mode.Denorm1664 & 2);
}

/// Halves (\p Keep and \p Flip are their abs and neg) to f32.
inline void widenHalves(const Wave &W, const Lanes32 &From, Lanes32 &To,
                        uint32_t Keep = 0xffff, uint32_t Flip = 0) {
  bool Flush = !keepsHalfDenormals(W);
#ifdef __F16C__
  // The host's conversion flushes nothing, but it makes NaNs quiet.
  uint32_t Nan = 0;
  for (uint32_t V : From.V)
    Nan |= uint32_t((V & 0x7fff) > HalfInfinity);
  if (!Flush && !Nan) {
    for (unsigned L = 0; L < 64; L += 8) {
      __m128i Halves[2];
      for (unsigned N = 0; N < 2; ++N) {
        __m128i V = _mm_load_si128(
            reinterpret_cast<const __m128i *>(From.V + L + 4 * N));
        Halves[N] = _mm_xor_si128(_mm_and_si128(V, _mm_set1_epi32(int(Keep))),
                                  _mm_set1_epi32(int(Flip)));
      }
      _mm256_store_ps(reinterpret_cast<float *>(To.V + L),
                      _mm256_cvtph_ps(_mm_packus_epi32(Halves[0], Halves[1])));
    }
    return;
  }
#endif
  for (unsigned L = 0; L < 64; ++L)
    To.V[L] = singleOfHalf((From.V[L] & Keep) ^ Flip, Flush, /*Quiet=*/false);
}

/// Source \p N, with neg and abs, as f32.
inline const Lanes32 &halfSource(Wave &W, const Instruction &I, unsigned N,
                                 Lanes32 &Scratch) {
  const Operand &O = I.Operands[N];
  Lanes32 Bits;
  widenHalves(W, source16(W, I, N, Bits), Scratch, O.Abs ? 0x7fff : 0xffff,
              O.Neg ? HalfSign : 0);
  return Scratch;
}

/// f32 results, NaNs among them as they shall be, to f16.
inline void narrowInIntegers(Lanes32 &Lanes, unsigned Rounding, bool Flush) {
  for (uint32_t &V : Lanes.V) {
    uint32_t Nan = (V >> 16 & HalfSign) | HalfInfinity | (V >> 13 & 0x3ff);
    bool IsNan = (V & 0x7fffffff) > 0x7f800000;
    V = IsNan ? Nan : halfOfSingle(V, Rounding, Flush);
  }
}

#ifdef __F16C__
/// The host's conversion; it makes NaNs quiet and flushes nothing.
template <int Mode> inline void narrowOnHost(Lanes32 &Lanes) {
  for (unsigned L = 0; L < 64; L += 8) {
    __m256 Singles = _mm256_castsi256_ps(
        _mm256_load_si256(reinterpret_cast<const __m256i *>(Lanes.V + L)));
    __m128i Halves = _mm256_cvtps_ph(Singles, Mode);
    _mm256_store_si256(reinterpret_cast<__m256i *>(Lanes.V + L),
                       _mm256_cvtepu16_epi32(Halves));
  }
}
#endif

inline void narrowToHalves(Lanes32 &Lanes, unsigned Rounding, bool Flush) {
#ifdef __F16C__
  uint32_t Nan = 0;
  for (uint32_t V : Lanes.V)
    Nan |= uint32_t((V & 0x7fffffff) > 0x7f800000);
  if (!Flush && !Nan && Rounding == 0) {
    narrowOnHost<_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC>(Lanes);
    return;
  }
#endif
  narrowInIntegers(Lanes, Rounding, Flush);
}

/// omod and clamp, on halves.
inline void finishHalves(const Wave &W, const Instruction &I, Lanes32 &Lanes) {
  bool Scale = I.Omod && (W.Isa->isGfx12Plus() ||
                          (flushesHalfResults(W) && !W.Mode.Ieee));
  if (!Scale && !I.has(ModClamp))
    return;
  static constexpr uint32_t Steps[] = {0, 1u << 23, 2u << 23, 0u - (1u << 23)};
  bool NanIsZero = W.Mode.Dx10Clamp || W.Isa->isGfx12Plus();
  for (uint32_t &V : Lanes.V) {
    uint32_t Magnitude = V & 0x7fff;
    if (Scale && Magnitude < HalfInfinity) {
      // Denormals are zeros here, and all zeros are +0.
      uint32_t Single = singleOfHalf(V, false, false) + Steps[I.Omod & 3];
      V = Magnitude < 0x400 ? 0 : halfOfSingle(Single, W.Mode.Round1664, true);
    }
    if (I.has(ModClamp)) {
      bool Nan = (V & 0x7fff) > HalfInfinity;
      uint32_t Limited = V & HalfSign ? 0 : V > HalfOne ? HalfOne : V;
      V = Nan ? (NanIsZero ? 0 : V) : Limited;
    }
  }
}

/// Op over sources that are f32, to f16. Op::OddWhenNearest is the functor to
/// take instead where results are rounded to nearest even.
template <class Op, unsigned Sources>
inline void computeHalves(const Wave &W, const Lanes32 *const *Source,
                          Lanes32 &Result) {
  unsigned Rounding = Op::IgnoresRounding ? 0 : W.Mode.Round1664;
  bool AnyNan;
  if (Rounding == 0) {
    AnyNan = computeLanes<F32, typename Op::OddWhenNearest, Sources>(
        Source, Result, 64);
  } else {
    RoundingScope Scope(Rounding);
    AnyNan = computeLanes<F32, Op, Sources>(Source, Result, 64);
  }
  if (AnyNan)
    fixNans<F32, Sources>(Source, Result, 64, quietsNans(W), Op::Product);
  narrowToHalves(Result, Rounding, !Op::Selects && flushesHalfResults(W));
}

template <class Op> struct HalfOp : FloatOp { using OddWhenNearest = Op; };

/// Handler: sources are operands 1, 2...; with Accumulate the destination is
/// the last. \p KeepHigh: gfx9 leaves the other half of the result's register.
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
      for (unsigned Lane = 0; Lane < 64; ++Lane) {
        L.V[Lane] = Row.V[Lane] & 0xffff;
        H.V[Lane] = Row.V[Lane] >> 16;
      }
    } else {
      sourcePacked(W, I, Operand, /*FloatIsHalf=*/true, L, H);
    }
    unsigned Bit = Operand ? Operand - 1 : 2;
    widenHalves(W, L, Low[N], 0xffff, (I.NegLo >> Bit & 1) ? HalfSign : 0);
    widenHalves(W, H, High[N], 0xffff, (I.NegHi >> Bit & 1) ? HalfSign : 0);
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
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    Results[0].V[Lane] |= Results[1].V[Lane] << 16;
  writeResult32(W, I, Results[0]);
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_HALFLANES_H
