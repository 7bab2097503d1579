//===- Signature.h - descriptor: convolution without sizes ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution without its sizes: dimensions, direction, types, layouts, and
// element-wise operations. All other forms (user types, texts, descriptors of
// CK's builder) are first converted to a Signature (Canonical.h, Text.h), which
// is the only form below that.
//
// The smallest one: Signature{.spatial_dim = 2, .data_type = DataType::FP16}.
//
// resolve() derives absent or UNDEFINED parts from the others; then two
// signatures with the same meaning are equal and have one hash. Members have
// the names in CK's builder. Fields.h describes each member.
//
// Sibling: Algorithm.h, the algorithm that computes it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_SIGNATURE_H
#define KPACK_CONVBUILDER_SIGNATURE_H

#include "kpack/ConvBuilder/Aggregates.h"
#include "kpack/ConvBuilder/Enums.h"
#include "kpack/ConvBuilder/Operations.h"

namespace kpack::conv {

/// The layout of a tensor in memory, and the type of its elements.
struct TensorConfig {
  TensorLayout layout = TensorLayout::UNDEFINED_TENSOR_LAYOUT;
  DataType data_type = DataType::UNDEFINED_DATA_TYPE;
  DataType compute_type = DataType::UNDEFINED_DATA_TYPE;

  friend constexpr bool operator==(const TensorConfig &,
                                   const TensorConfig &) = default;
};

/// A tensor that an operation takes besides the value. Its own operation takes
/// one value, so it has no auxiliary operands itself.
struct AuxiliaryOperand {
  TensorLayout layout = TensorLayout::UNDEFINED_TENSOR_LAYOUT;
  DataType data_type = DataType::UNDEFINED_DATA_TYPE;
  DataType compute_type = DataType::UNDEFINED_DATA_TYPE;
  ElementwiseOperation elementwise_operation =
      ElementwiseOperation::PASS_THROUGH;

  friend constexpr bool operator==(const AuxiliaryOperand &,
                                   const AuxiliaryOperand &) = default;
};

/// An element-wise operation.
struct Operation {
  ElementwiseOperation elementwise_operation =
      ElementwiseOperation::PASS_THROUGH;
  List<AuxiliaryOperand, MaxAuxiliary> auxiliary_operand_configs{};
  ElementwiseOperation activation = ElementwiseOperation::RELU;
  List<ElementwiseOperation, MaxChain> chain{};

  friend constexpr bool operator==(const Operation &,
                                   const Operation &) = default;
};

/// One of the three tensors. Its operation is applied when it is loaded or, for
/// the result, stored.
struct Tensor {
  TensorConfig config{};
  /// If absent, the signature's elementwise_operation.
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
