//===- DimRange.h - checked interval arithmetic -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the range of a sum, product or quotient from the ranges of two
// values. Returns nothing if it is not within 64 bits. -2^63 counts as outside:
// its negation alone does not fit, and without it signs may be changed freely.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_SIZES_DIMRANGE_H
#define KPACK_LIB_JITGRAPH_SIZES_DIMRANGE_H

#include "kpack/JitGraph/Dim.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace kpack::jit {

inline bool isRepresentable(int64_t Value) {
  return Value != std::numeric_limits<int64_t>::min();
}

inline std::optional<int64_t> checkedAdd(int64_t A, int64_t B) {
  int64_t Sum = 0;
  if (__builtin_add_overflow(A, B, &Sum) || !isRepresentable(Sum))
    return std::nullopt;
  return Sum;
}

inline std::optional<int64_t> checkedMul(int64_t A, int64_t B) {
  int64_t Product = 0;
  if (__builtin_mul_overflow(A, B, &Product) || !isRepresentable(Product))
    return std::nullopt;
  return Product;
}

/// Returns A / B, rounded down; \p B is 1 or more.
inline int64_t floorQuotient(int64_t A, int64_t B) {
  return A / B - (A % B < 0 ? 1 : 0);
}

/// Returns its remainder: 0 to B - 1.
inline int64_t floorRemainder(int64_t A, int64_t B) {
  return A % B < 0 ? A % B + B : A % B;
}

inline std::optional<DimRange> addRanges(DimRange A, DimRange B) {
  std::optional<int64_t> Lo = checkedAdd(A.Lo, B.Lo);
  std::optional<int64_t> Hi = checkedAdd(A.Hi, B.Hi);
  if (!Lo || !Hi)
    return std::nullopt;
  return DimRange{*Lo, *Hi};
}

/// The extremes of a product are at corners.
inline std::optional<DimRange> mulRanges(DimRange A, DimRange B) {
  std::optional<int64_t> Corners[] = {
      checkedMul(A.Lo, B.Lo), checkedMul(A.Lo, B.Hi), checkedMul(A.Hi, B.Lo),
      checkedMul(A.Hi, B.Hi)};
  DimRange Product{std::numeric_limits<int64_t>::max(),
                   std::numeric_limits<int64_t>::min()};
  for (std::optional<int64_t> Corner : Corners) {
    if (!Corner)
      return std::nullopt;
    Product.Lo = std::min(Product.Lo, *Corner);
    Product.Hi = std::max(Product.Hi, *Corner);
  }
  return Product;
}

/// \p B.Lo is 1 or more. The quotient of a negative number is least for the
/// smallest divisor, that of any other number for the greatest.
inline DimRange floorDivRanges(DimRange A, DimRange B) {
  return {floorQuotient(A.Lo, A.Lo < 0 ? B.Lo : B.Hi),
          floorQuotient(A.Hi, A.Hi < 0 ? B.Hi : B.Lo)};
}

/// \p B.Lo is 1 or more.
inline DimRange modRanges(DimRange A, DimRange B) {
  return {0, A.Lo < 0 ? B.Hi - 1 : std::min(A.Hi, B.Hi - 1)};
}

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_SIZES_DIMRANGE_H
