//===- kernels/view.h - who reads what --------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three directions as one thing.
//
// A convolution is a sum of products of a left and a right operand. There are
// always three spatial dimensions; those that a signature has not are of size
// 1, and come first: the first of the others is 3 - spatial_dim. Layouts are
// strides, nothing else.
//
//                      result  outer, channel  left    right   inner sum  taps
//   Forward            output      n, k        input   weight      c filter
//   BackwardData       input       n, c        output  weight      k filter
//   BackwardWeight     weight      k, c        output  input       n output
//
// A tap is a step of the sum in one spatial dimension. Kernels are written
// over views, and do not know which direction they are.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_VIEW_H
#define KPACK_CONV_KERNELS_VIEW_H

#include "kpack/ConvBuilder/kernels/shares.h"
#ifndef __AMDGCN__
// A blob for a GPU says which ones it needs.
#include "kpack/ConvBuilder/kernels/backward_data.h"
#include "kpack/ConvBuilder/kernels/backward_weight.h"
#include "kpack/ConvBuilder/kernels/forward.h"
#include "kpack/ConvBuilder/kernels/ops.h"
#endif

namespace kpack::conv::device {

/// For kernels in which all is known: what the numbers of a direction and of a
/// type of sums stand for.
template <int Type> struct SumNumbered {
  using Sum = float;
};
template <> struct SumNumbered<type::I32> {
  using Sum = int;
};
template <> struct SumNumbered<type::FP64> {
  using Sum = double;
};
template <class Config>
using ViewOf = typename ViewNumbered<int(Config::direction)>::Type;
template <class Config>
using SumOf = typename SumNumbered<int(Config::accumulation)>::Sum;

/// The fastest number of \p At, which loses it.
KPACK_CONV_FUNCTION int takeNumber(unsigned &At, int Size) {
  unsigned Rest = At / unsigned(Size);
  unsigned Number = At - Rest * unsigned(Size);
  At = Rest;
  return int(Number);
}

/// Positions of the result.
template <class View, class Config>
KPACK_CONV_FUNCTION int positionsOf(Config C, const Arguments &A) {
  int Count = View::size(A, 2);
  KPACK_CONV_IF (int(C.spatial_dim) > 1)
    Count *= View::size(A, 1);
  KPACK_CONV_IF (int(C.spatial_dim) > 2)
    Count *= View::size(A, 0);
  return Count;
}

/// Result \p At of those with the same group and outer number. Neighbours in
/// memory are neighbours here.
template <class View, class Config>
KPACK_CONV_FUNCTION void splitResult(Config C, const Arguments &A, unsigned At,
                                     Position &P) {
  if (int(C.channels_last))
    P.Of[2] = takeNumber(At, View::channels(A));
  P.Of[5] = takeNumber(At, View::size(A, 2));
  KPACK_CONV_IF (int(C.spatial_dim) > 1)
    P.Of[4] = takeNumber(At, View::size(A, 1));
  KPACK_CONV_IF (int(C.spatial_dim) > 2)
    P.Of[3] = takeNumber(At, View::size(A, 0));
  if (!int(C.channels_last))
    P.Of[2] = int(At);
}

/// Calls \p Do with the view of the direction.
template <class Config, class Function>
KPACK_CONV_FUNCTION void withView([[maybe_unused]] Config C, Function &&Do) {
#ifdef __AMDGCN__
  Do(ViewOf<Config>());
#else
  switch (int(C.direction)) {
  case direction::FORWARD:
    return Do(Forward());
  case direction::BACKWARD_DATA:
    return Do(BackwardData());
  default:
    return Do(BackwardWeight());
  }
#endif
}

/// Auxiliary operand \p I of a tensor, as the kernel knows it.
template <int I, class Tensor> KPACK_CONV_FUNCTION auto auxiliaryOf(Tensor Of) {
  if constexpr (I == 0)
    return Of.auxiliary0;
  else if constexpr (I == 1)
    return Of.auxiliary1;
  else if constexpr (I == 2)
    return Of.auxiliary2;
  else if constexpr (I == 3)
    return Of.auxiliary3;
  else
    return Of.auxiliary4;
}

template <int I, class Real, class Tensor, class Form>
KPACK_CONV_FUNCTION void loadAuxiliary(Tensor Of, Form Fnuz,
                                       const AuxiliaryArgument *From,
                                       const Position &P, Real *To) {
  KPACK_CONV_IF (int(Of.auxiliary_count) > I) {
    auto Is = auxiliaryOf<I>(Of);
    const AuxiliaryArgument &Its = From[I];
    Real X = loadReal<Real>(Is.type, Fnuz, Its.Data, offsetOf(Its.Stride, P));
    X = roundedTo(Is.compute, Fnuz, X);
    To[I] = unary(Is.operation, Its.Own, X);
  }
}

/// The tensor's operation on a value that is, or is going to be, at \p P.
template <class Real, class Tensor, class Form>
KPACK_CONV_FUNCTION Real operated(Tensor Of, Form Fnuz,
                                  const TensorArgument &Its,
                                  const AuxiliaryArgument *Auxiliary,
                                  const Position &P, Real X) {
  KPACK_CONV_IF (!isIdentity(Of.operation)) {
    Real D[MaxAuxiliaryOfTensor] = {};
    loadAuxiliary<0>(Of, Fnuz, Auxiliary, P, D);
    loadAuxiliary<1>(Of, Fnuz, Auxiliary, P, D);
    loadAuxiliary<2>(Of, Fnuz, Auxiliary, P, D);
    loadAuxiliary<3>(Of, Fnuz, Auxiliary, P, D);
    loadAuxiliary<4>(Of, Fnuz, Auxiliary, P, D);
    return applied(Of, Its.Operation, X, D);
  }
  return X;
}

/// Type of the numbers that operations compute with, beside sums of Sum.
template <class Sum> struct RealBeside {
  using Type = Sum;
  static constexpr bool IsInteger = false;
};
template <> struct RealBeside<int> {
  using Type = float;
  static constexpr bool IsInteger = true;
};

/// An operand's element as it is multiplied: loaded, operated on, in the type
/// that it is computed in. \p At is where it is in memory.
template <class Sum, class Tensor, class Form>
KPACK_CONV_FUNCTION Sum operandAt(Tensor Of, Form Fnuz,
                                  const TensorArgument &Its,
                                  const AuxiliaryArgument *Auxiliary,
                                  const Position &P, long long At) {
  using Real = typename RealBeside<Sum>::Type;
  KPACK_CONV_IF (isIdentity(Of.operation) && int(Of.type) == int(Of.compute)) {
    if constexpr (RealBeside<Sum>::IsInteger)
      if (isInteger(Of.type))
        return loadInteger(Of.type, Its.Data, At);
    return static_cast<Sum>(loadReal<Real>(Of.type, Fnuz, Its.Data, At));
  } else {
    Real X = loadReal<Real>(Of.type, Fnuz, Its.Data, At);
    X = operated(Of, Fnuz, Its, Auxiliary, P, X);
    return static_cast<Sum>(roundedTo(Of.compute, Fnuz, X));
  }
}

/// Stores what a sum at \p P makes as element \p At of \p To.
template <class Sum, class Tensor, class Form>
KPACK_CONV_FUNCTION void
storeResultAt(Tensor Of, Form Fnuz, const TensorArgument &Its,
              const AuxiliaryArgument *Auxiliary, const Position &P, Sum Total,
              void *To, long long At) {
  using Real = typename RealBeside<Sum>::Type;
  if constexpr (RealBeside<Sum>::IsInteger)
    if (isIdentity(Of.operation))
      return storeInteger(Of.type, Fnuz, To, At, Total);
  Real X = operated(Of, Fnuz, Its, Auxiliary, P, static_cast<Real>(Total));
  storeReal(Of.type, Fnuz, To, At, X);
}

/// Stores a sum as the result's element at \p P.
template <class Sum, class Tensor, class Form>
KPACK_CONV_FUNCTION void
storeResult(Tensor Of, Form Fnuz, const TensorArgument &Its,
            const AuxiliaryArgument *Auxiliary, const Position &P, Sum Total) {
  storeResultAt(Of, Fnuz, Its, Auxiliary, P, Total, Its.Data,
                offsetOf(Its.Stride, P));
}

/// total + a b; integers modulo 2^32.
template <class Sum>
KPACK_CONV_FUNCTION Sum multiplyAdd(Sum Total, Sum A, Sum B) {
  return Total + A * B;
}
template <> KPACK_CONV_FUNCTION int multiplyAdd(int Total, int A, int B) {
  return int(unsigned(Total) + unsigned(A) * unsigned(B));
}

/// Where the auxiliary operands of each tensor begin.
struct AuxiliaryPlaces {
  const AuxiliaryArgument *Left, *Right, *Result;
};

template <class Config>
KPACK_CONV_FUNCTION AuxiliaryPlaces
auxiliaryPlaces(Config C, const AuxiliaryArgument *Input) {
  const AuxiliaryArgument *Weight = Input + int(C.input.auxiliary_count);
  const AuxiliaryArgument *Output = Weight + int(C.weight.auxiliary_count);
  switch (int(C.direction)) {
  case direction::FORWARD:
    return {Input, Weight, Output};
  case direction::BACKWARD_DATA:
    return {Output, Weight, Input};
  default:
    return {Output, Input, Weight};
  }
}

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_VIEW_H
