//===- kernels/shares.h - taps and stride quotients -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Common parts of the three views: a tap, and the shares of a position.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_SHARES_H
#define KPACK_CONV_KERNELS_SHARES_H

#include "kpack/ConvBuilder/kernels/arguments.h"

namespace kpack::conv::device {

/// The elements of one tap: positions in the left and the right operand. Reads
/// is false if one of them is outside of its tensor.
struct Tap {
  int Left, Right;
  bool Reads;
};

/// A position of the operand that is read through the filter is the sum of two
/// shares: one of the position of the result, and one of the step of the sum.
/// It is valid if both have the same Rest and the sum is inside of the tensor.
/// This needs one division by the stride for each position instead of one for
/// each pair.
struct Share {
  int At;
  int Rest;
};
KPACK_CONV_FUNCTION Share dividedShare(int Value, int By) {
  int Quotient = int(unsigned(Value) / unsigned(By));
  return {Quotient, Value - Quotient * By};
}

/// A view describes one direction as a matrix product: whether positions of the
/// result are rows (and channels columns) or are in columns beside channels;
/// the indices in Position of the result's outer number in the left operand and
/// of its channel in the right one; those of the inner sum, and whether it is
/// faster than the taps; and tap(), also split into its two shares.
template <int Direction> struct ViewNumbered;

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_SHARES_H
