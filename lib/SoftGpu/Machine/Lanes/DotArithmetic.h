//===- DotArithmetic.h - sums of products rounded once ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dot-product units do not round after each product: they align all products
// and the addend C to a common unit (a "grid"), drop the bits below it, add
// integers and round once. Architectures differ in the grid and the treatment
// of dropped bits:
//
// - gfx942 (MFMA, from MMA-Sim, arXiv:2511.10909): products are cut to 24
//   fraction bits below the largest; their sum, then C, are rounded down.
// - gfx1100 (dot2, WMMA) and gfx1201 (dot2, dot4, WMMA), from the measurements
//   published with AMD's rocjitsu (rocm-systems issue 12056): see the
//   functions.
//
// Sums of small integers are exact, except on gfx11 if signs differ (there 1 -
// 1 is not 0). VectorPacked.cpp and MatrixArithmetic.h use these functions. All
// arithmetic is in integers, so that host rounding does not matter.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_LANES_DOTARITHMETIC_H
#define KPACK_LIB_SOFTGPU_MACHINE_LANES_DOTARITHMETIC_H

#include "MatrixFormats.h"
#include <algorithm>
#include <cmath>
#include <optional>

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

/// A decomposed number: Significand * 2^(Exponent - 10). Denormals of its
/// format have the exponent of the smallest normal number.
struct Factor {
  enum Class : uint8_t { Finite, Infinite, Nan };
  uint16_t Significand = 0; ///< 11 bits
  bool Negative = false;
  Class What = Finite;
  int Exponent = 0;
};

template <class Format>
inline Factor splitFactor(float Value, bool FlushDenormals = false) {
  uint32_t B = std::bit_cast<uint32_t>(Value);
  Factor F;
  F.Negative = B >> 31;
  int Field = int(B >> 23 & 0xff);
  uint32_t Mantissa = B & 0x7fffff;
  if (Field == 255) {
    F.What = Mantissa ? Factor::Nan : Factor::Infinite;
    F.Significand = 1u << 10;
    return F;
  }
  F.Exponent = std::max(Field - 127, Format::MinExponent);
  uint32_t Whole = Field ? Mantissa | 0x800000 : Mantissa;
  int Shift = 13 + F.Exponent - std::max(Field - 127, -126);
  F.Significand = uint16_t(Shift < 32 ? Whole >> Shift : 0);
  if (FlushDenormals && F.Significand < 1u << 10)
    F.Significand = 0;
  return F;
}

/// Magnitude * 2^Unit with a sign.
struct Term {
  uint64_t Magnitude;
  int Unit;
  bool Negative;

  /// Returns the exponent of the highest bit; for zero, an exponent below those
  /// of all other terms.
  int top() const {
    return Magnitude ? Unit + int(std::bit_width(Magnitude)) - 1 : EmptyTop;
  }
  static constexpr int EmptyTop = -1024;
};

inline Term product(const Factor &A, const Factor &B) {
  return {uint64_t(A.Significand) * B.Significand, A.Exponent + B.Exponent - 20,
          A.Negative != B.Negative};
}

/// Returns the sum of the factors' exponents; EmptyTop if the product is zero.
inline int alignment(const Factor &A, const Factor &B) {
  return A.Significand && B.Significand ? A.Exponent + B.Exponent
                                        : Term::EmptyTop;
}

/// Returns an f32 addend.
inline Term addend(uint32_t C, bool FlushDenormals) {
  uint32_t Field = C >> 23 & 0xff;
  uint32_t Magnitude = C & 0x7fffff;
  if (Field)
    Magnitude |= 0x800000;
  else if (FlushDenormals)
    Magnitude = 0;
  return {Magnitude, int(std::max(Field, 1u)) - 150, bool(C >> 31)};
}

/// Returns the magnitude in units of 2^Grid, truncated.
inline uint64_t cutToGrid(const Term &T, int Grid) {
  int Shift = T.Unit - Grid;
  if (Shift >= 0)
    return T.Magnitude << std::min(Shift, 63);
  return Shift > -64 ? T.Magnitude >> -Shift : 0;
}

/// Returns the term in units of 2^Grid, rounded down. \p DropTiny: a term
/// without a kept bit is zero even if negative.
inline int64_t floorToGrid(const Term &T, int Grid, bool DropTiny = false) {
  uint64_t Kept = cutToGrid(T, Grid);
  if (!T.Negative)
    return int64_t(Kept);
  int Shift = T.Unit - Grid;
  bool Lost = T.Magnitude && Shift < 0 &&
              (Shift <= -64 || Kept << -Shift != T.Magnitude);
  return -int64_t(Kept) - (Lost && !(DropTiny && !Kept));
}

/// Returns \p Value >> \p Shift (left if negative), rounded to nearest even.
inline uint64_t shiftToEven(uint64_t Value, int Shift) {
  if (Shift <= 0)
    return Value << std::min(-Shift, 63);
  if (Shift >= 64)
    return 0;
  uint64_t Kept = Value >> Shift;
  uint64_t Rest = Value - (Kept << Shift);
  uint64_t Half = uint64_t(1) << (Shift - 1);
  return Kept + (Rest > Half || (Rest == Half && (Kept & 1)));
}

/// Rounds Sum * 2^Grid to a format of \p MantissaBits, to nearest even. Zeros,
/// also those of underflow, are +0. \p Flush: a result below the smallest
/// normal number, after rounding with an unbounded exponent, is zero.
template <unsigned MantissaBits, int Bias>
inline uint32_t roundSum(int64_t Sum, int Grid, bool Negate, bool Flush) {
  if (!Sum)
    return 0;
  constexpr int MaxField = 2 * Bias + 1;
  constexpr unsigned SignBit =
      MantissaBits + unsigned(std::bit_width(unsigned(MaxField)));
  uint32_t Sign = uint32_t((Sum < 0) != Negate) << SignBit;
  uint64_t Magnitude = Sum < 0 ? uint64_t(-Sum) : uint64_t(Sum);
  int Top = int(std::bit_width(Magnitude)) - 1;
  bool Tiny = Top + Grid < 1 - Bias;
  if (Tiny && !Flush) {
    uint64_t Rounded =
        shiftToEven(Magnitude, 1 - Bias - int(MantissaBits) - Grid);
    return Rounded ? Sign | uint32_t(Rounded) : 0;
  }
  uint64_t Rounded = shiftToEven(Magnitude, Top - int(MantissaBits));
  int Field = Top + Grid + Bias + int(Rounded >> (MantissaBits + 1));
  if (Field < 1)
    return 0;
  if (Field >= MaxField)
    return Sign | uint32_t(MaxField) << MantissaBits;
  return Sign | uint32_t(Field) << MantissaBits |
         (uint32_t(Rounded >> (Rounded >> (MantissaBits + 1))) &
          ((1u << MantissaBits) - 1));
}

inline uint32_t roundSumToF32(int64_t Sum, int Grid, bool Negate = false,
                              bool Flush = false) {
  return roundSum<23, 127>(Sum, Grid, Negate, Flush);
}
inline uint32_t roundSumToF16(int64_t Sum, int Grid, bool Negate = false) {
  return roundSum<10, 15>(Sum, Grid, Negate, false);
}

//===----------------------------------------------------------------------===//
// gfx11, gfx12
//===----------------------------------------------------------------------===//

/// Format of a dot product: 16-bit results are rounded once, from the sum; bf16
/// results are the upper half of the f32 result.
enum class DotResult { F32, F16, Bf16 };

/// The result of gfx11 and gfx12 if a factor is a NaN.
constexpr uint32_t FactorNan = 0xffc00a3d;

template <DotResult To> inline uint32_t narrowSpecial(uint32_t Bits) {
  if constexpr (To == DotResult::F32)
    return Bits;
  if (Bits == FactorNan)
    return To == DotResult::Bf16 ? 0xfffd : 0xfe3d;
  if constexpr (To == DotResult::Bf16)
    return Bits >> 16;
  return (Bits >> 16 & 0x8000) | 0x7c00 | (Bits >> 13 & 0x3ff);
}

/// Returns the result if a source is infinite or a NaN: NaNs of factors first,
/// then invalid products, then the addend's NaN. \p C is f32.
template <unsigned Count, uint32_t Invalid>
inline std::optional<uint32_t> specialSum(const Factor *A, const Factor *B,
                                          uint32_t C) {
  unsigned Classes = 0;
  for (unsigned N = 0; N < Count; ++N)
    Classes |= A[N].What | B[N].What;
  bool FiniteAddend = (C & 0x7f800000) != 0x7f800000;
  if (!Classes && FiniteAddend)
    return std::nullopt;
  bool Bad = false, Plus = false, Minus = false;
  for (unsigned N = 0; N < Count; ++N) {
    if (A[N].What == Factor::Nan || B[N].What == Factor::Nan)
      return FactorNan;
    if (A[N].What == Factor::Finite && B[N].What == Factor::Finite)
      continue;
    Bad |= !A[N].Significand || !B[N].Significand;
    (A[N].Negative != B[N].Negative ? Minus : Plus) = true;
  }
  if (Bad || (Plus && Minus))
    return Invalid;
  if ((C & 0x7fffffff) > 0x7f800000)
    return C | 0x00400000;
  if (!FiniteAddend)
    (C >> 31 ? Minus : Plus) = true;
  if (Plus && Minus)
    return Invalid;
  return Minus ? 0xff800000 : 0x7f800000;
}

/// gfx11: sums two products and C (as f32). Terms with another sign than C's
/// count one unit more, even if they are zero: the adder's complement lacks its
/// carry.
template <DotResult To>
inline uint32_t dotGfx11(const Factor *A, const Factor *B, uint32_t C) {
  if (auto Special = specialSum<2, 0xffc00000>(A, B, C))
    return narrowSpecial<To>(*Special);
  Term Terms[3] = {addend(C, /*FlushDenormals=*/true), product(A[0], B[0]),
                   product(A[1], B[1])};
  if (!(Terms[0].Magnitude | Terms[1].Magnitude | Terms[2].Magnitude))
    return 0;
  int Top = Terms[0].top();
  if (To == DotResult::F16)
    Top = std::max(Top, -14);
  Top = std::max({Top, Terms[1].top(), Terms[2].top()});
  int Products = std::max(alignment(A[0], B[0]), alignment(A[1], B[1]));
  int Grid = std::max(Products - 24, Top - 26);
  int64_t Sum = 0;
  for (const Term &T : Terms) {
    int64_t Kept = int64_t(cutToGrid(T, Grid));
    Sum += T.Negative == Terms[0].Negative ? Kept : ~Kept;
  }
  if constexpr (To == DotResult::F16)
    return roundSumToF16(Sum, Grid, Terms[0].Negative);
  uint32_t R = roundSumToF32(Sum, Grid, Terms[0].Negative, /*Flush=*/true);
  return To == DotResult::Bf16 ? R >> 16 : R;
}

/// gfx12: sums Count products in groups of Group, each on a separate grid, and
/// C. The last step rounds to nearest, all others down.
template <DotResult To, unsigned Count, unsigned Group, uint32_t Invalid>
inline uint32_t dotGfx12(const Factor *A, const Factor *B, uint32_t C) {
  if (auto Special = specialSum<Count, Invalid>(A, B, C))
    return narrowSpecial<To>(*Special);
  int Products = Term::EmptyTop;
  for (unsigned N = 0; N < Count; ++N)
    Products = std::max(Products, alignment(A[N], B[N]));
  Term Addend = addend(C, /*FlushDenormals=*/false);
  constexpr int Lowest = To == DotResult::F16 ? -14 : -126;
  int Grid = std::max(Products - 24, std::max(Lowest, Addend.top()) - 26);
  int64_t Sum = floorToGrid(Addend, Grid, /*DropTiny=*/Grid > Lowest);
  for (unsigned First = 0; First < Count; First += Group) {
    int Own = Term::EmptyTop;
    for (unsigned N = First; N < First + Group; ++N)
      Own = std::max(Own, alignment(A[N], B[N]));
    int64_t Part = 0;
    for (unsigned N = First; N < First + Group; ++N)
      Part += floorToGrid(product(A[N], B[N]), Own - 24);
    Sum += floorToGrid({uint64_t(Part < 0 ? -Part : Part), Own - 24, Part < 0},
                       Grid);
  }
  if constexpr (To == DotResult::F16)
    return roundSumToF16(Sum, Grid);
  uint32_t R = roundSumToF32(Sum, Grid);
  return To == DotResult::Bf16 ? R >> 16 : R;
}

//===----------------------------------------------------------------------===//
// gfx942
//===----------------------------------------------------------------------===//

/// Fraction bits of a product's significand in a sum of products.
constexpr int Gfx940Fraction = 24;

/// Sum of products as an integer, in units of 2^(Exponent - 24).
struct Gfx940Sum {
  int64_t Value = 0;
  int Exponent = 0;
};

/// Sums every \p Step th of \p Count products, each cut to the grid of the
/// largest. A factor of zero counts as 2^-126 in the choice of the grid.
template <unsigned Count, unsigned Step>
inline Gfx940Sum sumGfx940(const Factor *A, const Factor *B) {
  auto ExponentOf = [](const Factor &F) {
    return F.Significand ? F.Exponent : -126;
  };
  Gfx940Sum S;
  S.Exponent = -1024;
  for (unsigned N = 0; N < Count; N += Step)
    S.Exponent = std::max(S.Exponent, ExponentOf(A[N]) + ExponentOf(B[N]));
  for (unsigned N = 0; N < Count; N += Step) {
    Term P = product(A[N], B[N]);
    int64_t Kept = int64_t(cutToGrid(P, S.Exponent - Gfx940Fraction));
    S.Value += P.Negative ? -Kept : Kept;
  }
  return S;
}

/// Returns \p S on a grid that is \p Below bits under 2^Exponent, rounded down.
inline int64_t regrid(const Gfx940Sum &S, int Exponent, int Below) {
  int Shift = S.Exponent - Exponent + Below - Gfx940Fraction;
  if (Shift >= 0)
    return S.Value * (int64_t(1) << Shift);
  return S.Value >> std::min(-Shift, 63);
}

/// One step of gfx942: sums Count products and C in one rounding. With Bytes
/// (fp8), even and odd products are summed separately.
template <unsigned Count, bool Bytes>
inline uint32_t dotGfx940(const Factor *A, const Factor *B, uint32_t C) {
  Gfx940Sum S;
  if constexpr (Bytes) {
    Gfx940Sum Even = sumGfx940<Count, 2>(A, B);
    Gfx940Sum Odd = sumGfx940<Count, 2>(A + 1, B + 1);
    S.Exponent = std::max(Even.Exponent, Odd.Exponent);
    S.Value = regrid(Even, S.Exponent, Gfx940Fraction) +
              regrid(Odd, S.Exponent, Gfx940Fraction);
  } else {
    S = sumGfx940<Count, 1>(A, B);
  }
  uint32_t Field = C >> 23 & 0xff;
  int64_t Mantissa = (C & 0x7fffff) | (Field ? 0x800000 : 0);
  int ExponentC = Field ? int(Field) - 127 : -126;
  int Exponent = std::max(S.Exponent, ExponentC);
  constexpr int Below = 31;
  int64_t Sum = regrid(S, Exponent, Below);
  // C has 23 fraction bits and is aligned to 24.
  int Lost = Exponent - ExponentC - 1;
  if (!Bytes || Lost <= 24) {
    int64_t Signed = C >> 31 ? -Mantissa : Mantissa;
    int64_t Aligned = Lost >= 0 ? Signed >> std::min(Lost, 63) : Signed * 2;
    Sum += Aligned * (1 << (Below - 24));
  }
  return roundSumToF32(Sum, Exponent - Below);
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_LANES_DOTARITHMETIC_H
