//===- ConvBuilder/Product.h - convolution as a matrix product --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The convolution as a matrix product: the tensors that are the operands A and
// B and the result C in each direction, and the side on which their channels
// are.
//
//                     A       B       C       rows m     columns n  sums k
//   FORWARD           input   weight  output  positions  K          C, filter
//   BACKWARD_DATA     output  weight  input   positions  C          K, filter
//   BACKWARD_WEIGHT   output  input   weight  K          C, filter  positions
//
// Requirements, resolve() and resource models share this.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_PRODUCT_H
#define KPACK_CONVBUILDER_PRODUCT_H

#include "kpack/ConvBuilder/Algorithm.h"
#include "kpack/ConvBuilder/ResolveSignature.h"

namespace kpack::conv {

/// Returns the bytes of an element. For tuple types, those of the first type.
constexpr int bytesOf(DataType Type) {
  switch (Type) {
  case DataType::FP64:
    return 8;
  case DataType::FP32:
  case DataType::FP32_FP32:
  case DataType::I32:
    return 4;
  case DataType::FP16:
  case DataType::FP16_FP16:
  case DataType::BF16:
  case DataType::BF16_BF16:
    return 2;
  default:
    return 1;
  }
}

constexpr const Tensor &tensorOf(const Signature &Sig, Role TensorRole) {
  return TensorRole == Role::Input    ? Sig.input
         : TensorRole == Role::Weight ? Sig.weight
                                      : Sig.output;
}

constexpr Role roleOfA(ConvDirection Direction) {
  return Direction == ConvDirection::FORWARD ? Role::Input : Role::Output;
}
constexpr Role roleOfB(ConvDirection Direction) {
  return Direction == ConvDirection::BACKWARD_WEIGHT ? Role::Input
                                                     : Role::Weight;
}
constexpr Role roleOfResult(ConvDirection Direction) {
  return Direction == ConvDirection::FORWARD         ? Role::Output
         : Direction == ConvDirection::BACKWARD_DATA ? Role::Input
                                                     : Role::Weight;
}

/// Return the two operands and the result, resolved or not.
constexpr const Tensor &tensorOfA(const Signature &Sig) {
  return Sig.direction == ConvDirection::FORWARD ? Sig.input : Sig.output;
}
constexpr const Tensor &tensorOfB(const Signature &Sig) {
  return Sig.direction == ConvDirection::BACKWARD_WEIGHT ? Sig.input
                                                         : Sig.weight;
}
constexpr const Tensor &tensorOfResult(const Signature &Sig) {
  return Sig.direction == ConvDirection::FORWARD         ? Sig.output
         : Sig.direction == ConvDirection::BACKWARD_DATA ? Sig.input
                                                         : Sig.weight;
}

/// A side of the product. Mn is m of A, and n of B and C.
enum class Side : unsigned char { None, Mn, Depth };

/// Returns the side along which neighbours in memory are neighbours in the
/// product. Channels are; positions only if no filter shifts them, which a
/// specialization can promise. None: elements must be loaded one by one.
constexpr Side sideOfNeighbours(const Signature &Sig, Role TensorRole,
                                const Algorithm &Algo) {
  const Tensor &Given = TensorRole == Role::Input    ? Sig.input
                        : TensorRole == Role::Weight ? Sig.weight
                                                     : Sig.output;
  const LayoutFacts &Facts = factsOf(Given.config.layout);
  if (Facts.Count == 0)
    return Side::None;
  char Last = Facts.Letters[Facts.Count - 1];
  bool IsPointwise =
      Algo.specialization == ConvSpecialization::FILTER_1X1_STRIDE1_PAD0;
  bool IsOne =
      IsPointwise || Algo.specialization == ConvSpecialization::FILTER_1X1_PAD0;
  bool IsResult = TensorRole == roleOfResult(Sig.direction);
  bool IsWeightGradient = Sig.direction == ConvDirection::BACKWARD_WEIGHT;
  // A filter of one element has channels last in each layout.
  if (Last == 'C' || Last == 'K' || (TensorRole == Role::Weight && IsOne))
    return IsResult || IsWeightGradient ||
                   (TensorRole == Role::Weight &&
                    Sig.direction == ConvDirection::BACKWARD_DATA)
               ? Side::Mn
               : Side::Depth;
  if (TensorRole == Role::Weight || IsResult || !IsPointwise)
    return Side::None;
  return IsWeightGradient ? Side::Depth : Side::Mn;
}

constexpr bool isEightBit(DataType Type) {
  return Type == DataType::I8 || Type == DataType::U8;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_PRODUCT_H
