//===- DimSum.h - arithmetic of sums of products ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of products (DimNode.h) added, multiplied, divided, and their bounds.
// Failures have no object yet: "<what>; <how to fix>", the caller knows which
// expression it is.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_SIZES_DIMSUM_H
#define KPACK_LIB_JITGRAPH_SIZES_DIMSUM_H

#include "DimNode.h"

#include <optional>

namespace kpack::jit {

/// Of everything that leaves 64 bits.
Status tooLarge();

/// A + Factor * B.
Result<DimSum> addScaled(const DimSum &A, const DimSum &B, int64_t Factor);
Result<DimSum> multiply(const DimSum &A, const DimSum &B);

/// What \p Sum can be. Fails where its value, or a step on the way to it, may
/// not fit: factor times atoms from left to right, terms in their order, the
/// constant last, as DimProgram and toSource() take them.
Result<DimRange> rangeOf(const DimSum &Sum);

/// Dividend = Quotient * Divisor + Rest, with as much in Quotient as can be
/// seen: terms that the divisor goes into, and of other factors what is more
/// than the divisor. It has one term; of others the quotient is 0.
struct DimDivision {
  DimSum Quotient;
  DimSum Rest;
};
DimDivision divide(const DimSum &Dividend, const DimSum &Divisor);

/// The greatest common divisor of all factors and \p Number, which is 1 or
/// more.
int64_t commonDivisor(const DimSum &Sum, int64_t Number);

/// All factors divided by \p Number, which goes into them, and the constant,
/// rounded down.
DimSum dividedBy(const DimSum &Sum, int64_t Number);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_SIZES_DIMSUM_H
