//===- MatrixArithmetic.h - products of small dense matrices ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B + C on decoded numbers, k ascending, with each architecture's
// rounding. Matrix instructions round to nearest even and ignore MODE.
//
// - f32, f64 (all): one fma per product; denormals are kept.
// - f16, bf16 of gfx90a (MMA-Sim): four products (two of the old bf16) are
//   added in pairs, their sum to C, rounding to f32 each time; denormals of
//   sources and of every sum are flushed. gfx908: the same without flushing.
// - f16, bf16, xf32, fp8 of gfx942, and gfx11, gfx12: DotArithmetic.h. gfx12
//   fp8: dot4 is measured, WMMA is assumed to be steps of it.
// - Sparse matrices: the same steps over the existing products; we know of no
//   measurement.
// - i8, i4: wraps around, or saturates at the end with clamp.
//
// NaN results outside of gfx11 and gfx12: the first NaN of A and B in the order
// of k, then C's, made quiet; the negative default for an invalid operation.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MATRIX_MATRIXARITHMETIC_H
#define KPACK_LIB_SOFTGPU_MACHINE_MATRIX_MATRIXARITHMETIC_H

#include "SoftGpu/Machine/Lanes/DotArithmetic.h"
#include "SoftGpu/Machine/Lanes/FloatLanes.h"
#include <type_traits>

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

/// Rows of A, columns of B (transposed: all of one column together), and the
/// addend that becomes the result.
template <class Number, class Sum, unsigned M, unsigned N, unsigned K>
struct Matrices {
  Number A[M][K];
  Number B[N][K];
  Sum C[M][N];
};

template <class Number> inline bool isNanNumber(Number V) { return V != V; }

/// Returns the NaN result of one element.
template <class Number>
inline Number matrixNan(const Number *A, const Number *B, unsigned K,
                        Number C) {
  using F = std::conditional_t<sizeof(Number) == 8, F64, F32>;
  auto Quiet = [](Number V) {
    return std::bit_cast<Number>(std::bit_cast<typename F::Bits>(V) |
                                 F::QuietBit);
  };
  for (unsigned N = 0; N < K; ++N) {
    if (isNanNumber(A[N]))
      return Quiet(A[N]);
    if (isNanNumber(B[N]))
      return Quiet(B[N]);
  }
  return isNanNumber(C) ? Quiet(C) : std::bit_cast<Number>(F::DefaultNan);
}

/// Sets NaN results by that rule; \p Before is the old C.
template <class T, unsigned M, unsigned N, unsigned K>
inline void fixMatrixNans(Matrices<T, T, M, N, K> &X, const T (&Before)[M][N]) {
  for (unsigned I = 0; I < M; ++I)
    for (unsigned J = 0; J < N; ++J)
      if (isNanNumber(X.C[I][J]))
        X.C[I][J] = matrixNan(X.A[I], X.B[J], K, Before[I][J]);
}

/// Uses one fma per product.
template <class T, unsigned M, unsigned N, unsigned K>
inline void multiplyChain(Matrices<T, T, M, N, K> &X) {
  using Vec __attribute__((vector_size(4 * sizeof(T)))) = T;
  static_assert(N % 4 == 0);
  for (unsigned J = 0; J < N; J += 4) {
    Vec Columns[K];
    for (unsigned L = 0; L < K; ++L)
      Columns[L] = Vec{X.B[J][L], X.B[J + 1][L], X.B[J + 2][L], X.B[J + 3][L]};
    for (unsigned I = 0; I < M; ++I) {
      Vec Sum;
      std::memcpy(&Sum, &X.C[I][J], sizeof Sum);
      for (unsigned L = 0; L < K; ++L) {
        T Row = X.A[I][L];
        Sum =
            __builtin_elementwise_fma(Vec{Row, Row, Row, Row}, Columns[L], Sum);
      }
      std::memcpy(&X.C[I][J], &Sum, sizeof Sum);
    }
  }
}

inline float flushTiny(float V) {
  uint32_t B = std::bit_cast<uint32_t>(V);
  return (B & 0x7f800000) ? V : std::bit_cast<float>(B & 0x80000000);
}

/// Returns the sum of Count products, added in pairs.
template <unsigned Count, bool Flush>
inline float pairwiseSum(const float *A, const float *B) {
  float Sum;
  if constexpr (Count == 1)
    Sum = A[0] * B[0] + 0.0f; // a product of -0 is +0
  else
    Sum = pairwiseSum<Count / 2, Flush>(A, B) +
          pairwiseSum<Count / 2, Flush>(A + Count / 2, B + Count / 2);
  return Flush ? flushTiny(Sum) : Sum;
}

/// gfx90a, gfx908: f16 and bf16.
template <class Format, unsigned Group, bool Flush, unsigned M, unsigned N,
          unsigned K>
inline void multiplyPairwise(Matrices<float, float, M, N, K> &X) {
  auto FlushSource = [](float &V) {
    int Field = int(std::bit_cast<uint32_t>(V) >> 23 & 0xff) - 127;
    if (Flush && Field < Format::MinExponent)
      V = 0;
  };
  for (auto &Row : X.A)
    for (float &V : Row)
      FlushSource(V);
  for (auto &Column : X.B)
    for (float &V : Column)
      FlushSource(V);
  for (unsigned I = 0; I < M; ++I)
    for (unsigned J = 0; J < N; ++J) {
      float Sum = X.C[I][J];
      if (Flush && !(std::bit_cast<uint32_t>(Sum) & 0x7f800000))
        Sum = 0;
      for (unsigned L = 0; L < K; L += Group) {
        Sum += pairwiseSum<Group, Flush>(&X.A[I][L], &X.B[J][L]);
        if (Flush)
          Sum = flushTiny(Sum);
      }
      X.C[I][J] = Sum;
    }
}

/// A and B as factors.
template <unsigned M, unsigned N, unsigned K> struct FactorMatrices {
  Factor A[M][K];
  Factor B[N][K];

  template <class FormatA, class FormatB, class Number, class Sum>
  static FactorMatrices split(const Matrices<Number, Sum, M, N, K> &X,
                              bool FlushDenormals = false) {
    FactorMatrices F;
    for (unsigned I = 0; I < M; ++I)
      for (unsigned L = 0; L < K; ++L)
        F.A[I][L] = splitFactor<FormatA>(X.A[I][L], FlushDenormals);
    for (unsigned J = 0; J < N; ++J)
      for (unsigned L = 0; L < K; ++L)
        F.B[J][L] = splitFactor<FormatB>(X.B[J][L], FlushDenormals);
    return F;
  }
};

/// Returns the result of gfx942 if a source is not finite or a product
/// overflows, or nothing.
template <unsigned Count>
inline std::optional<float> specialGfx940(const Factor *A, const Factor *B,
                                          float C) {
  bool Plus = false, Minus = false, Bad = isNanNumber(C);
  bool PlusOverflow = false, MinusOverflow = false;
  if (std::isinf(C))
    (C < 0 ? Minus : Plus) = true;
  for (unsigned N = 0; N < Count; ++N) {
    bool Negative = A[N].Negative != B[N].Negative;
    if (A[N].What == Factor::Finite && B[N].What == Factor::Finite) {
      if (product(A[N], B[N]).top() >= 128)
        (Negative ? MinusOverflow : PlusOverflow) = true;
      continue;
    }
    Bad |= A[N].What == Factor::Nan || B[N].What == Factor::Nan ||
           !A[N].Significand || !B[N].Significand;
    (Negative ? Minus : Plus) = true;
  }
  // Infinite sources take precedence over products that overflow.
  if (!Bad && !Plus && !Minus) {
    Plus = PlusOverflow;
    Minus = MinusOverflow;
  }
  if (Bad || (Plus && Minus))
    return std::bit_cast<float>(F32::DefaultNan);
  if (!Plus && !Minus)
    return std::nullopt;
  float Infinity = std::bit_cast<float>(0x7f800000);
  return Minus ? -Infinity : Infinity;
}

/// gfx942: f16, bf16, xf32, fp8.
template <class FormatA, class FormatB, unsigned Group, unsigned M, unsigned N,
          unsigned K>
inline void multiplyGfx940(Matrices<float, float, M, N, K> &X) {
  constexpr bool Bytes = FormatA::Bits == 8;
  auto F = FactorMatrices<M, N, K>::template split<FormatA, FormatB>(X);
  for (unsigned I = 0; I < M; ++I)
    for (unsigned J = 0; J < N; ++J) {
      float Sum = X.C[I][J];
      for (unsigned L = 0; L < K; L += Group) {
        const Factor *A = &F.A[I][L], *B = &F.B[J][L];
        if (auto Special = specialGfx940<Group>(A, B, Sum))
          Sum = *Special;
        else
          Sum = std::bit_cast<float>(
              dotGfx940<Group, Bytes>(A, B, std::bit_cast<uint32_t>(Sum)));
      }
      X.C[I][J] = Sum;
    }
}

/// MFMA and SMFMAC of float formats up to 32 bits.
template <class FormatA, class FormatB, unsigned OldGroup, unsigned M,
          unsigned N, unsigned K>
inline void multiplyMfma(Family Isa, Matrices<float, float, M, N, K> &X) {
  float Before[M][N];
  std::memcpy(Before, X.C, sizeof Before);
  constexpr unsigned Step = FormatA::Bits == 32  ? 4u
                            : FormatA::Bits == 8 ? 16u
                                                 : 8u;
  constexpr unsigned Group = K < Step ? K : Step;
  if constexpr (std::is_same_v<FormatA, F32Format>)
    multiplyChain(X);
  else if (Isa == Family::Gfx940 || OldGroup == 0)
    multiplyGfx940<FormatA, FormatB, Group>(X);
  else if constexpr (OldGroup != 0) {
    if (Isa == Family::Gfx90a)
      multiplyPairwise<FormatA, OldGroup, true>(X);
    else
      multiplyPairwise<FormatA, OldGroup, false>(X);
  }
  fixMatrixNans(X, Before);
}

/// WMMA and SWMMAC: \p C holds f32 bits, or the 16 bits of an f16 or bf16.
template <class FormatA, class FormatB, DotResult To, unsigned M, unsigned N,
          unsigned K>
inline void multiplyWmma(bool Gfx12, Matrices<float, uint32_t, M, N, K> &X) {
  constexpr bool Bytes = FormatA::Bits == 8;
  constexpr bool Brain = std::is_same_v<FormatA, Bf16Format>;
  auto Widen = [](uint32_t C) -> uint32_t {
    if constexpr (To == DotResult::F16)
      return std::bit_cast<uint32_t>(F16Format::decode(C));
    return To == DotResult::Bf16 ? C << 16 : C;
  };
  auto F = FactorMatrices<M, N, K>::template split<FormatA, FormatB>(
      X, /*FlushDenormals=*/Brain && !Gfx12);
  for (unsigned I = 0; I < M; ++I)
    for (unsigned J = 0; J < N; ++J) {
      uint32_t Sum = X.C[I][J];
      if (Gfx12)
        for (unsigned L = 0; L < K; L += 4)
          Sum = dotGfx12<To, 4, Bytes ? 4 : 2, Bytes ? FactorNan : 0xffc00000>(
              &F.A[I][L], &F.B[J][L], Widen(Sum));
      else
        for (unsigned L = 0; L < K; L += 2)
          Sum = dotGfx11<To>(&F.A[I][L], &F.B[J][L], Widen(Sum));
      X.C[I][J] = Sum;
    }
}

/// Integers; exact in 64 bits. \p Clamp: saturate at the end, else wrap to 32.
template <unsigned M, unsigned N, unsigned K>
inline void multiplyIntegers(Matrices<int32_t, int32_t, M, N, K> &X,
                             bool Clamp) {
  for (unsigned I = 0; I < M; ++I)
    for (unsigned J = 0; J < N; ++J) {
      int32_t Dot = 0; // K products of at most 16 bits
      for (unsigned L = 0; L < K; ++L)
        Dot += X.A[I][L] * X.B[J][L];
      int64_t Sum = int64_t(X.C[I][J]) + Dot;
      if (Clamp)
        Sum = std::clamp<int64_t>(Sum, INT32_MIN, INT32_MAX);
      X.C[I][J] = int32_t(uint32_t(Sum));
    }
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MATRIX_MATRIXARITHMETIC_H
