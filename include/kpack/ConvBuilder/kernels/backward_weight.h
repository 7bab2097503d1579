//===- kernels/backward_weight.h - view of BACKWARD_WEIGHT ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The view (view.h) whose result is the weight.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_BACKWARD_WEIGHT_H
#define KPACK_CONV_KERNELS_BACKWARD_WEIGHT_H

#include "kpack/ConvBuilder/kernels/shares.h"

namespace kpack::conv::device {

struct BackwardWeight {
  static constexpr bool PositionsInRows = false;
  static constexpr int LeftOuter = 2, LeftInner = 1;
  static constexpr int RightChannel = 2, RightInner = 1;
  static constexpr bool IsInnerFast = false, HasRest = false;
  template <class Config>
  static KPACK_CONV_FUNCTION constexpr auto left(Config C) {
    return C.output;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION constexpr auto right(Config C) {
    return C.input;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION constexpr auto result(Config C) {
    return C.weight;
  }
  static KPACK_CONV_FUNCTION const TensorArgument &leftOf(const Arguments &A) {
    return A.Output;
  }
  static KPACK_CONV_FUNCTION const TensorArgument &rightOf(const Arguments &A) {
    return A.Input;
  }
  static KPACK_CONV_FUNCTION const TensorArgument &
  resultOf(const Arguments &A) {
    return A.Weight;
  }
  static KPACK_CONV_FUNCTION int outer(const Arguments &A) {
    return A.OutChannels;
  }
  static KPACK_CONV_FUNCTION int channels(const Arguments &A) {
    return A.InChannels;
  }
  static KPACK_CONV_FUNCTION int inner(const Arguments &A) { return A.Batch; }
  static KPACK_CONV_FUNCTION int size(const Arguments &A, int Dim) {
    return A.Filter[Dim];
  }
  static KPACK_CONV_FUNCTION int taps(const Arguments &A, int Dim) {
    return A.Result[Dim];
  }
  static KPACK_CONV_FUNCTION Tap tap(const Arguments &A, int Dim,
                                     int Coordinate, int Step) {
    int Right =
        Step * A.Stride[Dim] - A.Pad[Dim] + Coordinate * A.Dilation[Dim];
    return {Step, Right, Right >= 0 && Right < A.Image[Dim]};
  }
  static KPACK_CONV_FUNCTION Share shareOfLine(const Arguments &A, int Dim,
                                               int Coordinate) {
    return {Coordinate * A.Dilation[Dim] - A.Pad[Dim], 0};
  }
  static KPACK_CONV_FUNCTION Share shareOfStep(const Arguments &A, int Dim,
                                               int Step) {
    return {Step * A.Stride[Dim], 0};
  }
  static KPACK_CONV_FUNCTION int end(const Arguments &A, int Dim) {
    return A.Image[Dim];
  }
};

template <> struct ViewNumbered<direction::BACKWARD_WEIGHT> {
  using Type = BackwardWeight;
};

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_BACKWARD_WEIGHT_H
