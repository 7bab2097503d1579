//===- kernels/view.h - directions as one interface -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A common interface to the three directions.
//
// A convolution is a sum of products of a left and a right operand. There are
// always three spatial dimensions; missing ones have size 1 and come first: the
// first real one is 3 - spatial_dim. Layouts are strides, nothing else.
//
//                      result  outer, channel  left    right   inner sum  taps
//   Forward            output      n, k        input   weight      c filter
//   BackwardData       input       n, c        output  weight      k filter
//   BackwardWeight     weight      k, c        output  input       n output
//
// A tap is a step of the sum in one spatial dimension. Kernels use views, and
// do not know their direction.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_VIEW_H
#define KPACK_CONV_KERNELS_VIEW_H

#include "kpack/ConvBuilder/kernels/shares.h"
#ifndef __AMDGCN__
// A blob for a GPU includes only the views that it needs.
#include "kpack/ConvBuilder/kernels/backward_data.h"
#include "kpack/ConvBuilder/kernels/backward_weight.h"
#include "kpack/ConvBuilder/kernels/forward.h"
#include "kpack/ConvBuilder/kernels/ops.h"
#endif

namespace kpack::conv::device {

/// Map the numbers of a direction and of a type of sums to types, for kernels
/// whose parameters are constants.
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

/// Removes the fastest number from \p Index, and returns it.
KPACK_CONV_FUNCTION int takeNumber(unsigned &Index, int Size) {
  unsigned Rest = Index / unsigned(Size);
  unsigned Digit = Index - Rest * unsigned(Size);
  Index = Rest;
  return int(Digit);
}

/// Returns the number of positions of the result.
template <class View, class Config>
KPACK_CONV_FUNCTION int countPositions(Config C, const Arguments &A) {
  int Count = View::size(A, 2);
  KPACK_CONV_IF (int(C.spatial_dim) > 1)
    Count *= View::size(A, 1);
  KPACK_CONV_IF (int(C.spatial_dim) > 2)
    Count *= View::size(A, 0);
  return Count;
}

/// Sets the position of result \p At among those with the same group and outer
/// number. Neighbours in memory have consecutive numbers.
template <class View, class Config>
KPACK_CONV_FUNCTION void splitResult(Config C, const Arguments &A,
                                     unsigned Index, Position &P) {
  if (int(C.channels_last))
    P.Of[2] = takeNumber(Index, View::channels(A));
  P.Of[5] = takeNumber(Index, View::size(A, 2));
  KPACK_CONV_IF (int(C.spatial_dim) > 1)
    P.Of[4] = takeNumber(Index, View::size(A, 1));
  KPACK_CONV_IF (int(C.spatial_dim) > 2)
    P.Of[3] = takeNumber(Index, View::size(A, 0));
  if (!int(C.channels_last))
    P.Of[2] = int(Index);
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

/// Returns auxiliary operand \p I of a tensor, as compile-time parameters.
template <int I, class Tensor>
KPACK_CONV_FUNCTION auto auxiliaryOf(Tensor Traits) {
  if constexpr (I == 0)
    return Traits.auxiliary0;
  else if constexpr (I == 1)
    return Traits.auxiliary1;
  else if constexpr (I == 2)
    return Traits.auxiliary2;
  else if constexpr (I == 3)
    return Traits.auxiliary3;
  else
    return Traits.auxiliary4;
}

template <int I, class Real, class Tensor, class Form>
KPACK_CONV_FUNCTION void loadAuxiliary(Tensor Traits, Form Fnuz,
                                       const AuxiliaryArgument *Arguments,
                                       const Position &P, Real *Values) {
  KPACK_CONV_IF (int(Traits.auxiliary_count) > I) {
    auto Is = auxiliaryOf<I>(Traits);
    const AuxiliaryArgument &Its = Arguments[I];
    Real X = loadReal<Real>(Is.type, Fnuz, Its.Data, offsetOf(Its.Stride, P));
    X = roundedTo(Is.compute, Fnuz, X);
    Values[I] = unary(Is.operation, Its.Own, X);
  }
}

/// Applies the tensor's operation to a value at \p P, before or after memory.
template <class Real, class Tensor, class Form>
KPACK_CONV_FUNCTION Real operated(Tensor Traits, Form Fnuz,
                                  const TensorArgument &Its,
                                  const AuxiliaryArgument *Auxiliary,
                                  const Position &P, Real X) {
  KPACK_CONV_IF (!isIdentity(Traits.operation)) {
    Real D[MaxAuxiliaryOfTensor] = {};
    loadAuxiliary<0>(Traits, Fnuz, Auxiliary, P, D);
    loadAuxiliary<1>(Traits, Fnuz, Auxiliary, P, D);
    loadAuxiliary<2>(Traits, Fnuz, Auxiliary, P, D);
    loadAuxiliary<3>(Traits, Fnuz, Auxiliary, P, D);
    loadAuxiliary<4>(Traits, Fnuz, Auxiliary, P, D);
    return applied(Traits, Its.Operation, X, D);
  }
  return X;
}

/// The type in which operations compute, for sums of type Sum.
template <class Sum> struct RealBeside {
  using Type = Sum;
  static constexpr bool IsInteger = false;
};
template <> struct RealBeside<int> {
  using Type = float;
  static constexpr bool IsInteger = true;
};

/// Returns an operand's element for the product: loaded, operated on, in the
/// compute type. \p At is its offset in memory.
template <class Sum, class Tensor, class Form>
KPACK_CONV_FUNCTION Sum operandAt(Tensor Traits, Form Fnuz,
                                  const TensorArgument &Its,
                                  const AuxiliaryArgument *Auxiliary,
                                  const Position &P, long long Index) {
  using Real = typename RealBeside<Sum>::Type;
  KPACK_CONV_IF (isIdentity(Traits.operation) &&
                 int(Traits.type) == int(Traits.compute)) {
    if constexpr (RealBeside<Sum>::IsInteger)
      if (isInteger(Traits.type))
        return loadInteger(Traits.type, Its.Data, Index);
    return static_cast<Sum>(loadReal<Real>(Traits.type, Fnuz, Its.Data, Index));
  } else {
    Real X = loadReal<Real>(Traits.type, Fnuz, Its.Data, Index);
    X = operated(Traits, Fnuz, Its, Auxiliary, P, X);
    return static_cast<Sum>(roundedTo(Traits.compute, Fnuz, X));
  }
}

/// Stores the result of a sum at \p P as element \p At of \p To.
template <class Sum, class Tensor, class Form>
KPACK_CONV_FUNCTION void
storeResultAt(Tensor Traits, Form Fnuz, const TensorArgument &Its,
              const AuxiliaryArgument *Auxiliary, const Position &P, Sum Total,
              void *Destination, long long Index) {
  using Real = typename RealBeside<Sum>::Type;
  if constexpr (RealBeside<Sum>::IsInteger)
    if (isIdentity(Traits.operation))
      return storeInteger(Traits.type, Fnuz, Destination, Index, Total);
  Real X = operated(Traits, Fnuz, Its, Auxiliary, P, static_cast<Real>(Total));
  storeReal(Traits.type, Fnuz, Destination, Index, X);
}

/// Stores a sum as the result's element at \p P.
template <class Sum, class Tensor, class Form>
KPACK_CONV_FUNCTION void
storeResult(Tensor Traits, Form Fnuz, const TensorArgument &Its,
            const AuxiliaryArgument *Auxiliary, const Position &P, Sum Total) {
  storeResultAt(Traits, Fnuz, Its, Auxiliary, P, Total, Its.Data,
                offsetOf(Its.Stride, P));
}

/// Returns total + a b; integers modulo 2^32.
template <class Sum>
KPACK_CONV_FUNCTION Sum multiplyAdd(Sum Total, Sum A, Sum B) {
  return Total + A * B;
}
template <> KPACK_CONV_FUNCTION int multiplyAdd(int Total, int A, int B) {
  return int(unsigned(Total) + unsigned(A) * unsigned(B));
}

/// The first auxiliary operand of each tensor.
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
