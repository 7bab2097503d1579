//===- kernels/direct.h - a thread for each element -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The general kernel: every type, layout, operation and direction. A thread
// computes one element of the result, or several if the grid is too small. Grid
// dimensions are positions with channels, the outer number, and groups. The
// innermost loop runs along the inner sum and needs two additions for
// addresses.
//
// Sibling: reference.h, simple loops to compare with.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_DIRECT_H
#define KPACK_CONV_KERNELS_DIRECT_H

#include "kpack/ConvBuilder/kernels/view.h"

namespace kpack::conv::device {

/// Adds the products of one tap, over the inner sum.
template <class Sum, class View, class Config>
KPACK_CONV_FUNCTION Sum innerSum(Config C, const Arguments &A,
                                 const AuxiliaryPlaces &Auxiliary, Position L,
                                 Position R, Sum Total) {
  const TensorArgument &Left = View::leftOf(A), &Right = View::rightOf(A);
  long long LeftAt = offsetOf(Left.Stride, L);
  long long RightAt = offsetOf(Right.Stride, R);
  int Count = View::inner(A);
#ifdef __clang__
#pragma clang loop unroll(disable) vectorize(disable)
#endif
  for (int I = 0; I < Count; ++I) {
    L.Of[View::LeftInner] = I;
    R.Of[View::RightInner] = I;
    Total = multiplyAdd(
        Total,
        operandAt<Sum>(View::left(C), C.fnuz, Left, Auxiliary.Left, L, LeftAt),
        operandAt<Sum>(View::right(C), C.fnuz, Right, Auxiliary.Right, R,
                       RightAt));
    LeftAt += Left.Stride.Of[View::LeftInner];
    RightAt += Right.Stride.Of[View::RightInner];
  }
  return Total;
}

/// Computes the element of the result at \p P.
template <class Sum, class View, class Config>
KPACK_CONV_FUNCTION void directResult(Config C, const Arguments &A,
                                      const AuxiliaryPlaces &Auxiliary,
                                      const Position &P) {
  Position L = {{P.Of[0]}}, R = {{P.Of[0]}};
  L.Of[View::LeftOuter] = P.Of[1];
  R.Of[View::RightChannel] = P.Of[2];
  Sum Total = 0;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (int Z = 0; Z < View::taps(A, 0); ++Z) {
    Tap AtZ = View::tap(A, 0, P.Of[3], Z);
    if (!AtZ.Reads)
      continue;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (int Y = 0; Y < View::taps(A, 1); ++Y) {
      Tap AtY = View::tap(A, 1, P.Of[4], Y);
      if (!AtY.Reads)
        continue;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
      for (int X = 0; X < View::taps(A, 2); ++X) {
        Tap AtX = View::tap(A, 2, P.Of[5], X);
        if (!AtX.Reads)
          continue;
        L.Of[3] = AtZ.Left, L.Of[4] = AtY.Left, L.Of[5] = AtX.Left;
        R.Of[3] = AtZ.Right, R.Of[4] = AtY.Right, R.Of[5] = AtX.Right;
        Total = innerSum<Sum, View>(C, A, Auxiliary, L, R, Total);
      }
    }
  }
  storeResult(View::result(C), C.fnuz, View::resultOf(A), Auxiliary.Result, P,
              Total);
}

template <class Sum, class View, class Config>
KPACK_CONV_FUNCTION void directIn(Config C, const Arguments &A,
                                  const AuxiliaryArgument *Auxiliary,
                                  const Place &Here) {
  AuxiliaryPlaces Places = auxiliaryPlaces(C, Auxiliary);
  unsigned Count = unsigned(View::channels(A)) * unsigned(View::size(A, 0)) *
                   unsigned(View::size(A, 1)) * unsigned(View::size(A, 2));
  for (int G = int(Here.Group[2]); G < A.Groups; G += int(A.Grid[2]))
    for (int O = int(Here.Group[1]); O < View::outer(A); O += int(A.Grid[1]))
      for (unsigned Index =
               Here.Group[0] * unsigned(int(C.block_size)) + Here.Thread;
           Index < Count; Index += A.Grid[0] * unsigned(int(C.block_size))) {
        Position P = {{G, O}};
        splitResult<View>(C, A, Index, P);
        directResult<Sum, View>(C, A, Places, P);
      }
}

template <class View, class Config>
KPACK_CONV_FUNCTION void runDirect(Config C, const Arguments &A,
                                   const AuxiliaryArgument *Auxiliary,
                                   const Place &Here) {
  switch (int(C.accumulation)) {
  case type::I32:
    return directIn<int, View>(C, A, Auxiliary, Here);
  case type::FP64:
    return directIn<double, View>(C, A, Auxiliary, Here);
  default:
    return directIn<float, View>(C, A, Auxiliary, Here);
  }
}

/// The body of a thread.
template <class Config>
KPACK_CONV_FUNCTION void direct(Config C, const Arguments &A,
                                const AuxiliaryArgument *Auxiliary,
                                const Place &Here) {
#ifdef __AMDGCN__
  directIn<SumOf<Config>, ViewOf<Config>>(C, A, Auxiliary, Here);
#else
  switch (int(C.direction)) {
  case direction::FORWARD:
    return runDirect<Forward>(C, A, Auxiliary, Here);
  case direction::BACKWARD_DATA:
    return runDirect<BackwardData>(C, A, Auxiliary, Here);
  default:
    return runDirect<BackwardWeight>(C, A, Auxiliary, Here);
  }
#endif
}

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_DIRECT_H
