//===- FloatOperations.h - operations of all float formats ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functors of FloatLanes.h that several of VectorFloat.cpp, VectorFloat16.cpp,
// VectorPacked.cpp and VectorDivide.cpp use: f32 and f64 directly, f16 as f32
// (HalfLanes.h). Minima are in FloatMinMax.h.
//
// Transcendental functions are libm's in f64, so that an f32 is rounded once.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_VECTOR_FLOATOPERATIONS_H
#define KPACK_LIB_SOFTGPU_MACHINE_VECTOR_FLOATOPERATIONS_H

#include "SoftGpu/Machine/Lanes/FloatLanes.h"
#include <cmath>

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

//===----------------------------------------------------------------------===//
// Sums, products and rounding to integers
//===----------------------------------------------------------------------===//

/// An operation from a lambda on SIMD values of any format.
template <auto Expression> struct Computed : FloatOp {
  template <class F> static FloatVec<F> run(auto... X) {
    return Expression(X...);
  }
};

using Add = Computed<[](auto A, auto B) { return A + B; }>;
using Sub = Computed<[](auto A, auto B) { return A - B; }>;
using SubRev = Computed<[](auto A, auto B) { return B - A; }>;
using Mul = Computed<[](auto A, auto B) { return A * B; }>;
struct Fma : FloatOp {
  static constexpr bool Product = true;
  template <class F>
  static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B, FloatVec<F> C) {
    return __builtin_elementwise_fma(A, B, C);
  }
};

using Trunc = Computed<[](auto A) { return __builtin_elementwise_trunc(A); }>;
using Ceil = Computed<[](auto A) { return __builtin_elementwise_ceil(A); }>;
using Floor = Computed<[](auto A) { return __builtin_elementwise_floor(A); }>;
using Rndne =
    Computed<[](auto A) { return __builtin_elementwise_roundeven(A); }>;

//===----------------------------------------------------------------------===//
// Exponents
//===----------------------------------------------------------------------===//

template <class F> struct Normalised {
  BitsVec<F> Bits;     ///< a denormal scaled to a normal number
  BitsVec<F> Exponent; ///< biased, of the source itself; may wrap below zero
};

template <class F> inline Normalised<F> normalise(BitsVec<F> B) {
  using V = BitsVec<F>;
  using Float = typename F::Float;
  V Tiny = isTinyBits<F>(B);
  Float Factor = Float(uint64_t(1) << (F::MantissaBits + 1));
  V Scaled = select<V>(Tiny, asBits<F>(asFloat<F>(B) * Factor), B);
  V Field = (Scaled & F::Infinity) >> F::MantissaBits;
  return {Scaled, Field - (Tiny & (V{} + (F::MantissaBits + 1)))};
}

/// Returns all ones for numbers that frexp returns unchanged: zeros,
/// infinities, NaNs.
template <class F> inline BitsVec<F> hasNoExponent(BitsVec<F> B) {
  BitsVec<F> Magnitude = B & ~F::Sign;
  return BitsVec<F>(Magnitude == 0) | BitsVec<F>(Magnitude >= F::Infinity);
}

struct FrexpMant : FloatOp {
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    using V = BitsVec<F>;
    V B = asBits<F>(A);
    V Half = V{} + (F::One - F::MinNormal);
    V R = (normalise<F>(B).Bits & ~F::Infinity) | Half;
    return asFloat<F>(select<V>(hasNoExponent<F>(B), B, R));
  }
};

//===----------------------------------------------------------------------===//
// Approximations of the hardware
//===----------------------------------------------------------------------===//

/// Base of approximations; those of f32 flush.
template <bool Flushes> struct Approximation : FloatOp {
  static constexpr bool AlwaysFlush = Flushes;
  static constexpr bool IgnoresRounding = true;
};

template <bool Flushes> struct Rcp : Approximation<Flushes> {
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    return (FloatVec<F>{} + 1) / A;
  }
};
template <bool Flushes> struct Sqrt : Approximation<Flushes> {
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    return __builtin_elementwise_sqrt(A);
  }
};

/// Function takes one f64.
template <auto Function, bool Flushes>
struct Transcendental : Approximation<Flushes> {
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    FloatVec<F> R;
    for (unsigned N = 0; N < SimdLanes<F>; ++N)
      R[N] = typename F::Float(Function(double(A[N])));
    return R;
  }
};

inline double reciprocalRoot(double X) { return 1 / __builtin_sqrt(X); }
inline double power2(double X) { return ::exp2(X); }
inline double logarithm2(double X) { return ::log2(X); }

/// Returns the sine of \p Turns of a circle and \p Quarters more; zeros are +0.
/// The angle without quarter turns is exact and at most 1/8 of a turn.
inline double sineOfTurns(double Turns, unsigned Quarters) {
  if (!(__builtin_fabs(Turns) < __builtin_inf()))
    return Turns - Turns;
  double Rest = Turns - __builtin_roundeven(Turns);
  double Whole = __builtin_roundeven(Rest * 4);
  double Radians = (Rest - Whole / 4) * 6.283185307179586476925286766559;
  unsigned Quarter = (unsigned(int(Whole)) + Quarters) & 3;
  double R = Quarter & 1 ? ::cos(Radians) : ::sin(Radians);
  return (Quarter & 2 ? -R : R) + 0.0;
}
/// The sine of -0 is -0.
inline double sine(double Turns) {
  return Turns == 0 ? Turns : sineOfTurns(Turns, 0);
}
inline double cosine(double Turns) { return sineOfTurns(Turns, 1); }

template <bool Flushes> using Rsq = Transcendental<reciprocalRoot, Flushes>;
template <bool Flushes> using Exp = Transcendental<power2, Flushes>;
template <bool Flushes> using Log = Transcendental<logarithm2, Flushes>;
using Sin = Transcendental<sine, false>;
using Cos = Transcendental<cosine, false>;

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_VECTOR_FLOATOPERATIONS_H
