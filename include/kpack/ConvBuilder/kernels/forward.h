//===- kernels/forward.h - view of FORWARD ----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The view (view.h) whose result is the output.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_FORWARD_H
#define KPACK_CONV_KERNELS_FORWARD_H

#include "kpack/ConvBuilder/kernels/shares.h"

namespace kpack::conv::device {

struct Forward {
  static constexpr bool PositionsInRows = true;
  static constexpr int LeftOuter = 1, LeftInner = 2;
  static constexpr int RightChannel = 1, RightInner = 2;
  static constexpr bool IsInnerFast = true, HasRest = false;
  template <class Config>
  static KPACK_CONV_FUNCTION constexpr auto left(Config C) {
    return C.input;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION constexpr auto right(Config C) {
    return C.weight;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION constexpr auto result(Config C) {
    return C.output;
  }
  static KPACK_CONV_FUNCTION const TensorArgument &leftOf(const Arguments &A) {
    return A.Input;
  }
  static KPACK_CONV_FUNCTION const TensorArgument &rightOf(const Arguments &A) {
    return A.Weight;
  }
  static KPACK_CONV_FUNCTION const TensorArgument &
  resultOf(const Arguments &A) {
    return A.Output;
  }
  static KPACK_CONV_FUNCTION int outer(const Arguments &A) { return A.Batch; }
  static KPACK_CONV_FUNCTION int channels(const Arguments &A) {
    return A.OutChannels;
  }
  static KPACK_CONV_FUNCTION int inner(const Arguments &A) {
    return A.InChannels;
  }
  static KPACK_CONV_FUNCTION int size(const Arguments &A, int Dim) {
    return A.Result[Dim];
  }
  static KPACK_CONV_FUNCTION int taps(const Arguments &A, int Dim) {
    return A.Filter[Dim];
  }
  static KPACK_CONV_FUNCTION Tap tap(const Arguments &A, int Dim,
                                     int Coordinate, int Step) {
    int Left = Coordinate * A.Stride[Dim] - A.Pad[Dim] + Step * A.Dilation[Dim];
    return {Left, Step, Left >= 0 && Left < A.Image[Dim]};
  }
  static KPACK_CONV_FUNCTION Share shareOfLine(const Arguments &A, int Dim,
                                               int Coordinate) {
    return {Coordinate * A.Stride[Dim] - A.Pad[Dim], 0};
  }
  static KPACK_CONV_FUNCTION Share shareOfStep(const Arguments &A, int Dim,
                                               int Step) {
    return {Step * A.Dilation[Dim], 0};
  }
  static KPACK_CONV_FUNCTION int end(const Arguments &A, int Dim) {
    return A.Image[Dim];
  }
};

template <> struct ViewNumbered<direction::FORWARD> {
  using Type = Forward;
};

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_FORWARD_H
