//===- DimSum.h - arithmetic of sums of products ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addition, multiplication and division of sums of products (DimNode.h), and
// their bounds. Failures have no object yet: "<what>; <how to fix>"; the caller
// knows the expression.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_SIZES_DIMSUM_H
#define KPACK_LIB_JITGRAPH_SIZES_DIMSUM_H

#include "DimNode.h"

#include <optional>

namespace kpack::jit {

/// Returns the failure of results that exceed 64 bits.
Status tooLarge();

/// Returns A + Factor * B.
Result<DimSum> addScaled(const DimSum &A, const DimSum &B, int64_t Factor);
Result<DimSum> multiply(const DimSum &A, const DimSum &B);

/// Returns the range of \p Sum. Fails if its value, or an intermediate result,
/// may not fit: factor times atoms from left to right, terms in order, the
/// constant last, as in DimProgram and toSource().
Result<DimRange> getRange(const DimSum &Sum);

/// Dividend = Quotient * Divisor + Rest, with as much in Quotient as is
/// visible: terms that are multiples of the divisor, and the multiple in other
/// factors. The divisor has one term; otherwise the quotient is 0.
struct DimDivision {
  DimSum Quotient;
  DimSum Rest;
};
DimDivision divide(const DimSum &Dividend, const DimSum &Divisor);

/// Returns the greatest common divisor of all factors and \p Divisor, which is
/// 1 or more.
int64_t commonDivisor(const DimSum &Sum, int64_t Divisor);

/// Divides all factors by \p Divisor, a divisor of them, and the constant,
/// rounded down.
DimSum dividedBy(const DimSum &Sum, int64_t Divisor);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_SIZES_DIMSUM_H
