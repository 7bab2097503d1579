//===- kernels/shares.h - which elements meet -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the three views have in common: a tap, and the shares of a position.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_SHARES_H
#define KPACK_CONV_KERNELS_SHARES_H

#include "kpack/ConvBuilder/kernels/arguments.h"

namespace kpack::conv::device {

/// What one tap reads: positions of the left and of the right operand. Nothing
/// where Left or Right is outside of the tensor.
struct Tap {
  int Left, Right;
  bool Reads;
};

/// A position of the operand that is read through the filter is the sum of two
/// of these: what a position of the result gives to it, and what a step of the
/// sum does. It is one where the Rest of both is the same, and if it is inside
/// of the tensor. So a position that is divided by a stride is divided once.
struct Share {
  int At;
  int Rest;
};
KPACK_CONV_FUNCTION Share dividedShare(int Value, int By) {
  int At = int(unsigned(Value) / unsigned(By));
  return {At, Value - At * By};
}

/// Of each view: whether positions of the result are rows, of a matrix whose
/// columns are channels, or columns, beside them; the number in the position of
/// the left and of the right operand that is the result's outer number, or its
/// channel; the one that the inner sum goes along, and whether that is faster
/// than the taps; and the same as tap() says, by its two shares.
template <int Direction> struct ViewNumbered;

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_SHARES_H
