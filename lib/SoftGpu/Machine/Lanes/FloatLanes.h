//===- FloatLanes.h - floating-point lanes and modes ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of floating-point operations: sources with neg and abs, the
// MODE register's rounding and denormal fields, NaN results, omod and clamp. An
// operation is a functor over SIMD values; arithmetic() below does the rest.
//
// The SIMD types are explicit, since the vectoriser ignores floating-point
// loops with -frounding-math. The host's rounding mode is switched if the
// wave's is not the default, so one functor serves all modes.
//
// Behaviour that manuals leave out (measurements: AMD's rocjitsu):
// - A NaN result is the first NaN among the sources, in order, made quiet
//   unless IEEE is off; 0 * infinity in an fma wins over the addend's NaN. An
//   invalid operation gives the default NaN, which is negative.
// - A result is flushed if it is tiny after rounding, like x86's FTZ.
// - Output modifiers: results are flushed, zeros become +0, then scaled. They
//   need IEEE off and output denormals off before gfx12 (LLVM D30209).
// - Clamping orders -0 below +0.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_LANES_FLOATLANES_H
#define KPACK_LIB_SOFTGPU_MACHINE_LANES_FLOATLANES_H

#include "FloatFormats.h"
#include "Lanes.h"
#include "SoftGpu/Machine/Opcodes.h"
#include "VectorTemplates.h"
#include <xmmintrin.h>

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

#if defined(__AVX512F__)
constexpr unsigned SimdBytes = 64;
#elif defined(__AVX2__)
constexpr unsigned SimdBytes = 32;
#else
constexpr unsigned SimdBytes = 16;
#endif

template <typename T> using Simd __attribute__((vector_size(SimdBytes))) = T;

/// Formats of registers, with their fields of MODE. source() returns the bits
/// of operand \p N, without its neg and abs; F16 uses the low half.
struct F16 : FloatFormat<uint32_t, 16, 10> {
  using Lanes = Lanes32;
  static unsigned rounding(const FloatMode &M) { return M.Round1664; }
  static unsigned denormals(const FloatMode &M) { return M.Denorm1664; }
  static const Lanes &source(Wave &W, const Instruction &I, unsigned N,
                             Lanes &Scratch) {
    return source16(W, I, N, Scratch);
  }
};
struct F32 : FloatFormat<uint32_t, 32, 23> {
  using Float = float;
  using Lanes = Lanes32;
  static unsigned rounding(const FloatMode &M) { return M.Round32; }
  static unsigned denormals(const FloatMode &M) { return M.Denorm32; }
  static const Lanes &source(Wave &W, const Instruction &I, unsigned N,
                             Lanes &Scratch) {
    return source32(W, I, N, Scratch);
  }
};
struct F64 : FloatFormat<uint64_t, 64, 52> {
  using Float = double;
  using Lanes = Lanes64;
  static unsigned rounding(const FloatMode &M) { return M.Round1664; }
  static unsigned denormals(const FloatMode &M) { return M.Denorm1664; }
  static const Lanes &source(Wave &W, const Instruction &I, unsigned N,
                             Lanes &Scratch) {
    source64(W, I, N, Scratch, /*LiteralIsHigh=*/true, /*SignExtend=*/false);
    return Scratch;
  }
};

/// True if MODE flushes denormal sources, or denormal results.
template <class F> inline bool flushesSources(const Wave &W) {
  return !(F::denormals(W.Mode) & 1);
}
template <class F> inline bool flushesResults(const Wave &W) {
  return !(F::denormals(W.Mode) & 2);
}

template <class F> using FloatVec = Simd<typename F::Float>;
template <class F> using BitsVec = Simd<typename F::Bits>;
template <class F>
constexpr unsigned SimdLanes = SimdBytes / sizeof(typename F::Bits);

template <class F> inline BitsVec<F> asBits(FloatVec<F> V) {
  return __builtin_bit_cast(BitsVec<F>, V);
}
template <class F> inline FloatVec<F> asFloat(BitsVec<F> V) {
  return __builtin_bit_cast(FloatVec<F>, V);
}
template <class F> inline BitsVec<F> loadBits(const typename F::Bits *P) {
  BitsVec<F> V;
  __builtin_memcpy(&V, P, sizeof V);
  return V;
}
template <class F> inline FloatVec<F> loadFloat(const typename F::Bits *P) {
  return asFloat<F>(loadBits<F>(P));
}
template <class F> inline void storeBits(typename F::Bits *P, BitsVec<F> V) {
  __builtin_memcpy(P, &V, sizeof V);
}
/// Takes lanes of \p Mask (all ones or zero each) from \p A, others from \p B.
template <typename V> inline V select(V Mask, V A, V B) {
  return (Mask & A) | (~Mask & B);
}
template <typename V> inline bool anyLane(V Mask) {
  return __builtin_reduce_or(Mask) != 0;
}
/// These return all ones for a NaN, signalling NaN, denormal or zero.
template <class F> inline BitsVec<F> isNanBits(BitsVec<F> B) {
  return BitsVec<F>((B & ~F::Sign) > F::Infinity);
}
template <class F> inline BitsVec<F> isSignallingBits(BitsVec<F> B) {
  return isNanBits<F>(B) & BitsVec<F>((B & F::QuietBit) == 0);
}
template <class F> inline BitsVec<F> isTinyBits(BitsVec<F> B) {
  return BitsVec<F>((B & F::Infinity) == 0);
}
/// Replaces denormals by zeros of their sign.
template <class F> inline BitsVec<F> flushBits(BitsVec<F> B) {
  return select<BitsVec<F>>(isTinyBits<F>(B), B & F::Sign, B);
}

/// Flushes all lanes of \p From into \p To, which may be the same.
template <class F>
inline void flushLanes(const typename F::Lanes &Source,
                       typename F::Lanes &Target, unsigned Count) {
  for (unsigned L = 0; L < Count; L += SimdLanes<F>)
    storeBits<F>(Target.V + L, flushBits<F>(loadBits<F>(Source.V + L)));
}

/// Returns operand \p N as bits of F with neg and abs applied. Does not flush
/// denormals. Returns the register itself if there is nothing to do.
template <class F>
inline const typename F::Lanes &floatSource(Wave &W, const Instruction &I,
                                            unsigned N,
                                            typename F::Lanes &Scratch) {
  const typename F::Lanes &Row = F::source(W, I, N, Scratch);
  const Operand &O = I.Operands[N];
  if (!O.Neg && !O.Abs)
    return Row;
  typename F::Bits Keep = O.Abs ? ~F::Sign : ~typename F::Bits(0);
  typename F::Bits Flip = O.Neg ? F::Sign : 0;
  for (unsigned L = 0; L < W.Lanes; L += SimdLanes<F>)
    storeBits<F>(Scratch.V + L, (loadBits<F>(Row.V + L) & Keep) ^ Flip);
  return Scratch;
}

/// Like floatSource(), with denormals flushed if MODE or \p Always asks for it.
template <class F>
inline const typename F::Lanes &
flushedSource(Wave &W, const Instruction &I, unsigned N,
              typename F::Lanes &Scratch, bool Always = false) {
  const typename F::Lanes &Row = floatSource<F>(W, I, N, Scratch);
  if (!Always && !flushesSources<F>(W))
    return Row;
  flushLanes<F>(Row, Scratch, W.Lanes);
  return Scratch;
}

/// Switches the host's rounding mode and its flushing of tiny results during
/// its life. The host's default, nearest even without flushing, costs nothing.
/// The memory barriers keep arithmetic inside the scope if its inputs are
/// loaded after the beginning and its results stored before the end.
class RoundingScope {
public:
  explicit RoundingScope(unsigned Rounding, bool FlushResults = false)
      : Active((Rounding & 3) != 0 || FlushResults) {
    static constexpr unsigned Modes[] = {_MM_ROUND_NEAREST, _MM_ROUND_UP,
                                         _MM_ROUND_DOWN, _MM_ROUND_TOWARD_ZERO};
    if (Active) {
      Saved = _mm_getcsr();
      _mm_setcsr((Saved & ~unsigned(_MM_ROUND_MASK | _MM_FLUSH_ZERO_MASK)) |
                 Modes[Rounding & 3] |
                 (FlushResults ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF));
    }
    asm volatile("" ::: "memory");
  }
  ~RoundingScope() {
    asm volatile("" ::: "memory");
    if (Active)
      _mm_setcsr(Saved);
  }
  RoundingScope(const RoundingScope &) = delete;
  RoundingScope &operator=(const RoundingScope &) = delete;

private:
  bool Active;
  unsigned Saved = 0;
};

/// True if signalling NaNs become quiet; always on gfx12, which has no IEEE
/// bit.
inline bool quietsNans(const Wave &W) {
  return W.Mode.Ieee || W.Isa->isGfx12Plus();
}

/// True if omod: has an effect (ISA manuals, "Output Modifiers").
template <class F>
inline bool outputModifierIsActive(const Wave &W, const Instruction &I) {
  return I.Omod &&
         (W.Isa->isGfx12Plus() || (flushesResults<F>(W) && !W.Mode.Ieee));
}

/// Flushes denormal results (\p Flush), scales by omod: and clamps, in place.
template <class F>
inline void finishResult(const Wave &W, const Instruction &I,
                         typename F::Lanes &Result, bool Flush) {
  bool Scale = outputModifierIsActive<F>(W, I);
  bool Clamp = I.has(ModClamp);
  if (!Flush && !Scale && !Clamp)
    return;
  using Float = typename F::Float;
  Float Factors[] = {1, 2, 4, Float(0.5)};
  // gfx12 has no DX10_CLAMP bit and always behaves as if it were set.
  bool NanIsZero = W.Mode.Dx10Clamp || W.Isa->isGfx12Plus();
  // Scaling is exact except for overflow, which is rounded.
  RoundingScope Scope(Scale ? F::rounding(W.Mode) : 0);
  for (unsigned L = 0; L < W.Lanes; L += SimdLanes<F>) {
    BitsVec<F> B = loadBits<F>(Result.V + L);
    if (Flush || Scale)
      B = flushBits<F>(B);
    if (Scale) {
      B &= ~BitsVec<F>(B == F::Sign);
      BitsVec<F> Scaled = asBits<F>(asFloat<F>(B) * Factors[I.Omod & 3]);
      B = flushBits<F>(select<BitsVec<F>>(isNanBits<F>(B), B, Scaled));
    }
    if (Clamp) {
      BitsVec<F> Nan = isNanBits<F>(B);
      BitsVec<F> One = BitsVec<F>{} + F::One;
      BitsVec<F> Limited = B & BitsVec<F>((B & F::Sign) == 0);
      Limited = select<BitsVec<F>>(BitsVec<F>(Limited > One), One, Limited);
      BitsVec<F> OfNan = NanIsZero ? BitsVec<F>{} : B;
      B = select<BitsVec<F>>(Nan, OfNan, Limited);
    }
    storeBits<F>(Result.V + L, B);
  }
}

inline void writeResult(Wave &W, const Instruction &I, const Lanes32 &Value) {
  store32(W, I, Value);
}
inline void writeResult(Wave &W, const Instruction &I, const Lanes64 &Value) {
  store64(W, I, Value);
}

/// Replaces NaN results by the first NaN source, made quiet if \p Quiet, or
/// else by the default. \p Product: sources 0 and 1 are multiplied before the
/// third.
template <class F, unsigned Sources>
inline void fixNans(const typename F::Lanes *const *Source,
                    typename F::Lanes &Result, unsigned Count,
                    bool Quiet = true, bool Product = false) {
  typename F::Bits QuietBit = Quiet ? F::QuietBit : 0;
  BitsVec<F> Default = BitsVec<F>{} + F::DefaultNan;
  for (unsigned L = 0; L < Count; L += SimdLanes<F>) {
    BitsVec<F> R = loadBits<F>(Result.V + L);
    BitsVec<F> Nan = Default;
    for (unsigned N = Sources; N-- > 0;) {
      BitsVec<F> S = loadBits<F>(Source[N]->V + L);
      Nan = select<BitsVec<F>>(isNanBits<F>(S), S | QuietBit, Nan);
      if (N == 2 && Product) {
        BitsVec<F> A = loadBits<F>(Source[0]->V + L) & ~F::Sign;
        BitsVec<F> B = loadBits<F>(Source[1]->V + L) & ~F::Sign;
        BitsVec<F> Invalid = BitsVec<F>((A == 0) & (B == F::Infinity)) |
                             BitsVec<F>((B == 0) & (A == F::Infinity));
        Nan = select<BitsVec<F>>(Invalid, Default, Nan);
      }
    }
    storeBits<F>(Result.V + L, select<BitsVec<F>>(isNanBits<F>(R), Nan, R));
  }
}

/// Base of operations, which are functors
///   template <class F> static FloatVec<F> run(FloatVec<F> A, ...)
/// Its constants tell arithmetic() how to treat them.
struct FloatOp {
  /// The functor computes its NaN results.
  static constexpr bool OwnNans = false;
  /// Sources 0 and 1 are multiplied, the third is added.
  static constexpr bool Product = false;
  /// Denormals are flushed regardless of MODE (V_MAD_F32, V_RCP_F32...).
  static constexpr bool AlwaysFlush = false;
  /// The result is one of the sources and is not flushed (V_MIN_F32...).
  static constexpr bool Selects = false;
  /// Rounds to nearest even regardless of MODE (transcendental operations).
  static constexpr bool IgnoresRounding = false;
};

template <class F, class Op, unsigned Sources>
inline bool computeLanes(const typename F::Lanes *const *Source,
                         typename F::Lanes &Result, unsigned Count) {
  BitsVec<F> Nan{};
  for (unsigned L = 0; L < Count; L += SimdLanes<F>) {
    FloatVec<F> A = loadFloat<F>(Source[0]->V + L);
    FloatVec<F> R;
    if constexpr (Sources == 1) {
      R = Op::template run<F>(A);
    } else {
      FloatVec<F> B = loadFloat<F>(Source[1]->V + L);
      if constexpr (Sources == 2)
        R = Op::template run<F>(A, B);
      else
        R = Op::template run<F>(A, B, loadFloat<F>(Source[2]->V + L));
    }
    BitsVec<F> Bits = asBits<F>(R);
    storeBits<F>(Result.V + L, Bits);
    if constexpr (!Op::OwnNans)
      Nan |= isNanBits<F>(Bits);
  }
  return anyLane(Nan);
}

/// Computes Op over prepared sources in the wave's mode. May leave results that
/// are denormal without any rounding.
template <class F, class Op, unsigned Sources>
inline void computeRounded(const Wave &W,
                           const typename F::Lanes *const *Source,
                           typename F::Lanes &Result) {
  bool AnyNan;
  {
    RoundingScope Scope(Op::IgnoresRounding ? 0 : F::rounding(W.Mode),
                        Op::AlwaysFlush || flushesResults<F>(W));
    AnyNan = computeLanes<F, Op, Sources>(Source, Result, W.Lanes);
  }
  if (AnyNan)
    fixNans<F, Sources>(Source, Result, W.Lanes, quietsNans(W), Op::Product);
}

// f64 in pairs of registers. Joining and splitting the halves of 64 numbers
// costs more than the arithmetic. Operations on single lanes can use any order
// of lanes, so the fast path interleaves registers within 128 bits, which is
// one host instruction.

using Words = Simd<uint32_t>;

/// Joins halves of \p Low and \p High to numbers, and splits them.
template <bool Second> inline FloatVec<F64> interleave(Words Low, Words High) {
#if defined(__AVX512F__)
  constexpr int N = Second ? 2 : 0;
  Words R = __builtin_shufflevector(Low, High, N, N + 16, N + 1, N + 17, N + 4,
                                    N + 20, N + 5, N + 21, N + 8, N + 24, N + 9,
                                    N + 25, N + 12, N + 28, N + 13, N + 29);
#elif defined(__AVX2__)
  constexpr int N = Second ? 2 : 0;
  Words R = __builtin_shufflevector(Low, High, N, N + 8, N + 1, N + 9, N + 4,
                                    N + 12, N + 5, N + 13);
#else
  constexpr int N = Second ? 2 : 0;
  Words R = __builtin_shufflevector(Low, High, N, N + 4, N + 1, N + 5);
#endif
  return __builtin_bit_cast(FloatVec<F64>, R);
}
template <bool High>
inline Words separate(FloatVec<F64> First, FloatVec<F64> Second) {
  Words A = __builtin_bit_cast(Words, First);
  Words B = __builtin_bit_cast(Words, Second);
#if defined(__AVX512F__)
  constexpr int N = High;
  return __builtin_shufflevector(A, B, N, N + 2, N + 16, N + 18, N + 4, N + 6,
                                 N + 20, N + 22, N + 8, N + 10, N + 24, N + 26,
                                 N + 12, N + 14, N + 28, N + 30);
#elif defined(__AVX2__)
  constexpr int N = High;
  return __builtin_shufflevector(A, B, N, N + 2, N + 8, N + 10, N + 4, N + 6,
                                 N + 12, N + 14);
#else
  constexpr int N = High;
  return __builtin_shufflevector(A, B, N, N + 2, N + 4, N + 6);
#endif
}

/// An f64 source as the words of its registers, with neg and abs.
struct PairSource {
  const uint32_t *Low, *High;
  unsigned Step = 1; ///< 0 if all lanes have the same value
  uint32_t Keep = ~0u, Flip = 0;
  Words Constant[2];

  PairSource(const Lanes32 &Low, const Lanes32 &High)
      : Low(Low.V), High(High.V) {}
  PairSource(const Wave &W, const Operand &O)
      : Keep(O.Abs ? ~F32::Sign : ~0u), Flip(O.Neg ? F32::Sign : 0) {
    if (O.What == Operand::Kind::Vgpr) {
      Low = W.Vectors[O.Index].V;
      High = W.Vectors[O.Index + 1].V;
      return;
    }
    uint64_t Bits = scalarBits64(W, O, /*LiteralIsHigh=*/true);
    Constant[0] = Words{} + uint32_t(Bits);
    Constant[1] = Words{} + uint32_t(Bits >> 32);
    Low = reinterpret_cast<const uint32_t *>(&Constant[0]);
    High = reinterpret_cast<const uint32_t *>(&Constant[1]);
    Step = 0;
  }
  PairSource(const PairSource &) = delete;

  /// Loads lanes from \p Lane on: the first or the second half of them.
  template <bool Second> FloatVec<F64> load(unsigned Lane) const {
    Words L = loadBits<F32>(Low + Lane * Step);
    Words H = (loadBits<F32>(High + Lane * Step) & Keep) ^ Flip;
    return interleave<Second>(L, H);
  }
};

/// True if an f64 operation needs only its arithmetic on whole registers.
inline bool isPlainPair(const Wave &W, const Instruction &I) {
  return isPlain(W, I) && !(I.Modifiers & (ModClamp | ModOmod)) &&
         !flushesSources<F64>(W) && !flushesResults<F64>(W) &&
         I.Operands[0].What == Operand::Kind::Vgpr && I.Operands[0].Dwords == 2;
}

/// Stores the result of Op. Returns false, and stores nothing, if a result is a
/// NaN.
template <class Op, class... Source>
inline bool storePairs(Wave &W, const Instruction &I,
                       const Source &...Sources) {
  Lanes32 Low, High;
  BitsVec<F64> Nan{};
  {
    RoundingScope Scope(Op::IgnoresRounding ? 0 : F64::rounding(W.Mode));
    for (unsigned L = 0; L < W.Lanes; L += sizeof(Words) / sizeof(uint32_t)) {
      FloatVec<F64> First =
          Op::template run<F64>(Sources.template load<false>(L)...);
      FloatVec<F64> Second =
          Op::template run<F64>(Sources.template load<true>(L)...);
      if constexpr (!Op::OwnNans)
        Nan |= isNanBits<F64>(asBits<F64>(First)) |
               isNanBits<F64>(asBits<F64>(Second));
      storeBits<F32>(Low.V + L, separate<false>(First, Second));
      storeBits<F32>(High.V + L, separate<true>(First, Second));
    }
  }
  if (anyLane(Nan))
    return false;
  unsigned Index = I.Operands[0].Index;
  blend(W.Vectors[Index], Low, W.exec());
  blend(W.Vectors[Index + 1], High, W.exec());
  return true;
}

/// The fast path of arithmetic<F64>. Returns false if operands or results need
/// the slow path.
template <class Op, unsigned Sources, bool Accumulate>
inline bool pairArithmetic(Wave &W, const Instruction &I) {
  if (!isPlainPair(W, I))
    return false;
  for (unsigned N = 1; N <= Sources - Accumulate; ++N)
    if (I.Operands[N].What == Operand::Kind::Vgpr && I.Operands[N].Dwords != 2)
      return false;
  PairSource A(W, I.Operands[1]);
  if constexpr (Sources == 1) {
    return storePairs<Op>(W, I, A);
  } else {
    PairSource B(W, I.Operands[2]);
    if constexpr (Sources == 2)
      return storePairs<Op>(W, I, A, B);
    else
      return storePairs<Op>(W, I, A, B,
                            PairSource(W, I.Operands[Accumulate ? 0 : 3]));
  }
}

/// Handler of an operation with operands 1, 2... as sources; with Accumulate
/// the destination is the last source.
template <class F, class Op, unsigned Sources, bool Accumulate = false>
void arithmetic(Wave &W, const Instruction &I) {
  if constexpr (std::is_same_v<F, F64> && !Op::AlwaysFlush)
    if (pairArithmetic<Op, Sources, Accumulate>(W, I))
      return;
  typename F::Lanes Scratch[Sources], Result;
  const typename F::Lanes *Source[Sources];
  for (unsigned N = 0; N < Sources; ++N) {
    unsigned Operand = Accumulate && N + 1 == Sources ? 0 : N + 1;
    Source[N] = &flushedSource<F>(W, I, Operand, Scratch[N], Op::AlwaysFlush);
  }
  computeRounded<F, Op, Sources>(W, Source, Result);
  finishResult<F>(W, I, Result,
                  !Op::Selects && (Op::AlwaysFlush || flushesResults<F>(W)));
  writeResult(W, I, Result);
}

/// Modifiers of every VALU floating-point operation.
constexpr uint32_t FloatModifiers =
    ModDpp | ModSdwa | ModClamp | ModOmod | ModNeg | ModAbs;

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_LANES_FLOATLANES_H
