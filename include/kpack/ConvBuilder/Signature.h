//===- kpack/ConvBuilder/Signature.h - what is computed ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution without its sizes: dimensions, direction, types, layouts, and
// what is done with each element. Every other way to say that, a type of a
// user's, a text, a descriptor of CK's builder, becomes a Signature first
// (Canonical.h, Text.h), and nothing below knows the others.
//
// The smallest: Signature{.spatial_dim = 2, .data_type = DataType::FP16}.
//
// What is absent or UNDEFINED is filled in by resolve(), from what is there;
// two signatures that mean the same are the same value then, with one hash.
// Members are spelled as in CK's builder. Fields.h says what each one means.
//
// Sibling: Algorithm.h, how it is computed.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_SIGNATURE_H
#define KPACK_CONVBUILDER_SIGNATURE_H

#include "kpack/ConvBuilder/Aggregates.h"
#include "kpack/ConvBuilder/Enums.h"
#include "kpack/ConvBuilder/Operations.h"

namespace kpack::conv {

/// How a tensor is in memory, and the type of its elements.
struct TensorConfig {
  TensorLayout layout = TensorLayout::UNDEFINED_TENSOR_LAYOUT;
  DataType data_type = DataType::UNDEFINED_DATA_TYPE;
  DataType compute_type = DataType::UNDEFINED_DATA_TYPE;

  friend constexpr bool operator==(const TensorConfig &,
                                   const TensorConfig &) = default;
};

/// A tensor that an operation takes beside the value. It has no such tensors
/// itself, so what may be done with its elements is an operation of one value.
struct AuxiliaryOperand {
  TensorLayout layout = TensorLayout::UNDEFINED_TENSOR_LAYOUT;
  DataType data_type = DataType::UNDEFINED_DATA_TYPE;
  DataType compute_type = DataType::UNDEFINED_DATA_TYPE;
  ElementwiseOperation elementwise_operation =
      ElementwiseOperation::PASS_THROUGH;

  friend constexpr bool operator==(const AuxiliaryOperand &,
                                   const AuxiliaryOperand &) = default;
};

/// What is done with each element.
struct Operation {
  ElementwiseOperation elementwise_operation =
      ElementwiseOperation::PASS_THROUGH;
  List<AuxiliaryOperand, MaxAuxiliary> auxiliary_operand_configs{};
  ElementwiseOperation activation = ElementwiseOperation::RELU;
  List<ElementwiseOperation, MaxChain> chain{};

  friend constexpr bool operator==(const Operation &,
                                   const Operation &) = default;
};

/// One of the three tensors. Its operation is done when it is loaded, or stored
/// where it is the result.
struct Tensor {
  TensorConfig config{};
  /// Absent: the signature's elementwise_operation.
  Optional<Operation> operation{};

  friend constexpr bool operator==(const Tensor &, const Tensor &) = default;
};

struct Signature {
  int spatial_dim = 0;
  ConvDirection direction = ConvDirection::FORWARD;
  DataType data_type = DataType::UNDEFINED_DATA_TYPE;
  DataType accumulation_data_type = DataType::UNDEFINED_DATA_TYPE;
  ElementwiseOperation elementwise_operation =
      ElementwiseOperation::PASS_THROUGH;
  Tensor input{};
  Tensor weight{};
  Tensor output{};

  friend constexpr bool operator==(const Signature &,
                                   const Signature &) = default;
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_SIGNATURE_H
