//===- FloatMinMax.h - minima, maxima and medians ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functors of FloatLanes.h for selections. All order -0 below +0 and return a
// source unchanged. They differ in their treatment of NaNs, which depends on
// the architecture and the IEEE bit of MODE (ISA manuals, V_MIN_F32; gfx12:
// V_MIN_NUM_F32 and V_MINIMUM_F32, with NaN order and median as AMD's rocjitsu
// measured them).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_VECTOR_FLOATMINMAX_H
#define KPACK_LIB_SOFTGPU_MACHINE_VECTOR_FLOATMINMAX_H

#include "SoftGpu/Machine/Lanes/FloatLanes.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

enum class NanRule {
  Gfx9,      ///< to gfx10: the other source; of two, the second
  Gfx9Ieee,  ///< the same, but a signalling NaN is quieted and returned
  Gfx11,     ///< like Gfx9, but of two the first
  Gfx11Ieee, ///< like Gfx9Ieee, but of two quiet ones the first
  Number,    ///< gfx12 _num: the other source; of two, the first, quieted
  Propagate  ///< gfx12 minimum, maximum: the first NaN, quieted
};

/// Returns unsigned keys in the order of the numbers, -0 before +0.
template <class F> inline BitsVec<F> orderKey(BitsVec<F> B) {
  BitsVec<F> Negative = BitsVec<F>((B & F::Sign) != 0);
  return B ^ (Negative | F::Sign);
}

template <class F, bool Max, NanRule Rule>
inline BitsVec<F> minMaxBits(BitsVec<F> A, BitsVec<F> B) {
  using V = BitsVec<F>;
  V KeyA = orderKey<F>(A), KeyB = orderKey<F>(B);
  V R = select<V>(V(Max ? KeyA > KeyB : KeyA < KeyB), A, B);
  V NanA = isNanBits<F>(A), NanB = isNanBits<F>(B);
  if constexpr (Rule == NanRule::Propagate)
    return select<V>(NanA, A | F::QuietBit,
                     select<V>(NanB, B | F::QuietBit, R));
  constexpr bool FirstOfTwo =
      Rule != NanRule::Gfx9 && Rule != NanRule::Gfx9Ieee;
  R = FirstOfTwo ? select<V>(NanB, A, select<V>(NanA, B, R))
                 : select<V>(NanA, B, select<V>(NanB, A, R));
  if constexpr (Rule == NanRule::Number)
    R = select<V>(NanA & NanB, A | F::QuietBit, R);
  if constexpr (Rule == NanRule::Gfx9Ieee || Rule == NanRule::Gfx11Ieee)
    R = select<V>(isSignallingBits<F>(A), A | F::QuietBit,
                  select<V>(isSignallingBits<F>(B), B | F::QuietBit, R));
  return R;
}

struct SelectingOp : FloatOp {
  static constexpr bool OwnNans = true;
  static constexpr bool Selects = true;
};

template <bool Max, NanRule Rule> struct MinMax : SelectingOp {
  template <class F> static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B) {
    return asFloat<F>(minMaxBits<F, Max, Rule>(asBits<F>(A), asBits<F>(B)));
  }
};

/// Outer(Inner(A, B), C): min3, max3, minmax, maxmin.
template <bool Inner, bool Outer, NanRule Rule> struct MinMax3 : SelectingOp {
  template <class F>
  static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B, FloatVec<F> C) {
    BitsVec<F> First = minMaxBits<F, Inner, Rule>(asBits<F>(A), asBits<F>(B));
    return asFloat<F>(minMaxBits<F, Outer, Rule>(First, asBits<F>(C)));
  }
};

/// The median; with a NaN among the sources, min3.
template <NanRule Rule> struct Med3 : SelectingOp {
  template <class F>
  static FloatVec<F> run(FloatVec<F> X, FloatVec<F> Y, FloatVec<F> Z) {
    using V = BitsVec<F>;
    V A = asBits<F>(X), B = asBits<F>(Y), C = asBits<F>(Z);
    V Low = minMaxBits<F, false, Rule>(A, B);
    V High = minMaxBits<F, true, Rule>(A, B);
    V Median =
        minMaxBits<F, true, Rule>(Low, minMaxBits<F, false, Rule>(High, C));
    V Nan = isNanBits<F>(A) | isNanBits<F>(B) | isNanBits<F>(C);
    return asFloat<F>(
        select<V>(Nan, minMaxBits<F, false, Rule>(Low, C), Median));
  }
};

/// Runs HandlerOf<Rule>() with the NaN rule of architecture and MODE.
template <auto HandlerOf> void byNanRule(Wave &W, const Instruction &I) {
  if (W.Isa->isGfx11Plus())
    (W.Mode.Ieee ? HandlerOf.template operator()<NanRule::Gfx11Ieee>()
                 : HandlerOf.template operator()<NanRule::Gfx11>())(W, I);
  else
    (W.Mode.Ieee ? HandlerOf.template operator()<NanRule::Gfx9Ieee>()
                 : HandlerOf.template operator()<NanRule::Gfx9>())(W, I);
}

template <NanRule Rule> using Min = MinMax<false, Rule>;
template <NanRule Rule> using Max = MinMax<true, Rule>;
template <NanRule Rule> using Min3 = MinMax3<false, false, Rule>;
template <NanRule Rule> using Max3 = MinMax3<true, true, Rule>;
template <NanRule Rule> using MinThenMax = MinMax3<false, true, Rule>;
template <NanRule Rule> using MaxThenMin = MinMax3<true, false, Rule>;

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_VECTOR_FLOATMINMAX_H
