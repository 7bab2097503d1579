//===- kernels/backward_data.h - view of BACKWARD_DATA ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The view (view.h) whose result is the input.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_BACKWARD_DATA_H
#define KPACK_CONV_KERNELS_BACKWARD_DATA_H

#include "kpack/ConvBuilder/kernels/shares.h"

namespace kpack::conv::device {

struct BackwardData {
  static constexpr bool PositionsInRows = true;
  static constexpr int LeftOuter = 1, LeftInner = 2;
  static constexpr int RightChannel = 2, RightInner = 1;
  static constexpr bool IsInnerFast = true, HasRest = true;
  template <class Config>
  static KPACK_CONV_FUNCTION constexpr auto left(Config C) {
    return C.output;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION constexpr auto right(Config C) {
    return C.weight;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION constexpr auto result(Config C) {
    return C.input;
  }
  static KPACK_CONV_FUNCTION const TensorArgument &leftOf(const Arguments &A) {
    return A.Output;
  }
  static KPACK_CONV_FUNCTION const TensorArgument &rightOf(const Arguments &A) {
    return A.Weight;
  }
  static KPACK_CONV_FUNCTION const TensorArgument &
  resultOf(const Arguments &A) {
    return A.Input;
  }
  static KPACK_CONV_FUNCTION int outer(const Arguments &A) { return A.Batch; }
  static KPACK_CONV_FUNCTION int channels(const Arguments &A) {
    return A.InChannels;
  }
  static KPACK_CONV_FUNCTION int inner(const Arguments &A) {
    return A.OutChannels;
  }
  static KPACK_CONV_FUNCTION int size(const Arguments &A, int Dim) {
    return A.Image[Dim];
  }
  static KPACK_CONV_FUNCTION int taps(const Arguments &A, int Dim) {
    return A.Filter[Dim];
  }
  static KPACK_CONV_FUNCTION Tap tap(const Arguments &A, int Dim,
                                     int Coordinate, int Step) {
    int Shifted = Coordinate + A.Pad[Dim] - Step * A.Dilation[Dim];
    int Left = Shifted / A.Stride[Dim];
    return {Left, Step,
            Shifted >= 0 && Left * A.Stride[Dim] == Shifted &&
                Left < A.Result[Dim]};
  }
  static KPACK_CONV_FUNCTION Share shareOfLine(const Arguments &A, int Dim,
                                               int Coordinate) {
    return dividedShare(Coordinate + A.Pad[Dim], A.Stride[Dim]);
  }
  static KPACK_CONV_FUNCTION Share shareOfStep(const Arguments &A, int Dim,
                                               int Step) {
    Share S = dividedShare(Step * A.Dilation[Dim], A.Stride[Dim]);
    return {-S.At, S.Rest};
  }
  static KPACK_CONV_FUNCTION int end(const Arguments &A, int Dim) {
    return A.Result[Dim];
  }
};

template <> struct ViewNumbered<direction::BACKWARD_DATA> {
  using Type = BackwardData;
};

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_BACKWARD_DATA_H
