//===- kernels/arguments.h - use of arguments -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of kernels on their arguments (shared.h), and the places of threads
// and elements.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_ARGUMENTS_H
#define KPACK_CONV_KERNELS_ARGUMENTS_H

#include "kpack/ConvBuilder/kernels/shared.h"
#include "kpack/ConvBuilder/kernels/types.h"

namespace kpack::conv::device {

/// True if the operation does nothing.
KPACK_CONV_FUNCTION constexpr bool isIdentity(int Op) {
  return Op == op::PASS_THROUGH || Op == op::UNARY_CONVERT;
}

/// The place of a thread: its work-group and its index in it.
struct Place {
  unsigned Group[3];
  unsigned Thread;
};

/// The place of an element: group, n or k, channel, D, H, W.
struct Position {
  int Of[6];
};

KPACK_CONV_FUNCTION long long offsetOf(const Strides &By, const Position &P) {
  long long Offset = 0;
  for (int I = 0; I < 6; ++I)
    Offset += P.Of[I] * By.Of[I];
  return Offset;
}

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_ARGUMENTS_H
