//===- Operations.h - properties of element-wise operations -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about element-wise operations: the number of their tensors and
// parameters, and where they may be used. Enums.def describes their values as
// text, the kernels implement them, and the host reference implements them
// independently.
//
// Parameters (a, b, c) are arguments of each call and not part of a signature,
// so that a new alpha needs no new kernel.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_OPERATIONS_H
#define KPACK_CONVBUILDER_OPERATIONS_H

#include "kpack/ConvBuilder/Enums.h"

namespace kpack::conv {

/// Five for BIAS_BNORM_CLAMP: bias, mean, variance, gamma, beta.
inline constexpr unsigned MaxAuxiliary = 5;
/// Of all three tensors: the two loaded ones can have SCALE_ADD.
inline constexpr unsigned MaxAuxiliaryOfCall = MaxAuxiliary + 2;
/// The maximal number of operations in UNARY_COMBINED_OP.
inline constexpr unsigned MaxChain = 4;

namespace detail {

struct OperandCounts {
  unsigned char Auxiliary;
  unsigned char Parameters;
};

inline constexpr OperandCounts OperandsOfOperations[] = {
#define KPACK_CONV_OPERATION(NAME, AUXILIARY, PARAMETERS, TEXT)                \
  OperandCounts{AUXILIARY, PARAMETERS},
#include "kpack/ConvBuilder/Enums.def"
};

} // namespace detail

/// Returns the number of tensors that \p Op takes besides the value.
constexpr unsigned auxiliaryCount(ElementwiseOperation Op) {
  return detail::OperandsOfOperations[static_cast<unsigned>(Op)].Auxiliary;
}

/// Returns the number of parameters of each call: the first of a, b and c.
constexpr unsigned parameterCount(ElementwiseOperation Op) {
  return detail::OperandsOfOperations[static_cast<unsigned>(Op)].Parameters;
}

/// True if the result is a saturated integer: the six *_MUL*_CLAMP.
constexpr bool isQuantised(ElementwiseOperation Op) {
  return Op >= ElementwiseOperation::ACTIVATION_MUL2_CLAMP &&
         Op <= ElementwiseOperation::ADD_MUL2_ACTIVATION_MUL_CLAMP;
}

/// True if it is a function of the value alone and contains no other operation.
/// Such an operation can be an activation, a link of a chain, the choice for
/// DYNAMIC_UNARY_OP, or the operation of a loaded operand.
constexpr bool isUnary(ElementwiseOperation Op) {
  return Op == ElementwiseOperation::PASS_THROUGH ||
         Op == ElementwiseOperation::SCALE ||
         Op == ElementwiseOperation::CLAMP ||
         (Op >= ElementwiseOperation::UNARY_CONVERT &&
          Op <= ElementwiseOperation::SILU);
}

/// True if the signature chooses an activation for it.
constexpr bool hasActivation(ElementwiseOperation Op) {
  return isQuantised(Op);
}

/// True if it can be applied when an operand's element is loaded: it takes one
/// value, or one value and one tensor.
constexpr bool isForOperands(ElementwiseOperation Op) {
  return isUnary(Op) || Op == ElementwiseOperation::DYNAMIC_UNARY_OP ||
         Op == ElementwiseOperation::UNARY_COMBINED_OP ||
         Op == ElementwiseOperation::SCALE_ADD;
}

/// True if op(x + y) is op(x) + op(y), so that it can be applied to each part
/// of a sum.
constexpr bool isLinear(ElementwiseOperation Op) {
  return Op == ElementwiseOperation::PASS_THROUGH ||
         Op == ElementwiseOperation::UNARY_CONVERT ||
         Op == ElementwiseOperation::SCALE ||
         Op == ElementwiseOperation::CONV_SCALE ||
         Op == ElementwiseOperation::CONV_INVSCALE;
}

/// True if its results are fractions, which integers would truncate; such
/// operations are for floating-point tensors. A chain depends on its links.
constexpr bool isForFloatsOnly(ElementwiseOperation Op) {
  switch (Op) {
  case ElementwiseOperation::BIAS_BNORM_CLAMP:
  case ElementwiseOperation::DYNAMIC_UNARY_OP:
  case ElementwiseOperation::LOGISTIC:
  case ElementwiseOperation::SWISH:
  case ElementwiseOperation::ELU:
  case ElementwiseOperation::POWER:
  case ElementwiseOperation::SOFT_RELU:
  case ElementwiseOperation::SIGMOID:
  case ElementwiseOperation::TANH:
  case ElementwiseOperation::GELU:
  case ElementwiseOperation::SILU:
    return true;
  default:
    return false;
  }
}

/// Returns the default of parameter \p Which (0 to 2: a, b, c) of \p Op. Clamps
/// default to the range of float, which clamps nothing.
constexpr float defaultParameter(ElementwiseOperation Op, unsigned Which) {
  constexpr float Lowest = -0x1.fffffep127f, Highest = 0x1.fffffep127f;
  switch (Op) {
  case ElementwiseOperation::ADD_CLAMP:
  case ElementwiseOperation::CLAMP:
    return Which == 0 ? Lowest : Highest;
  case ElementwiseOperation::BIAS_BNORM_CLAMP:
    return Which == 0 ? Lowest : Which == 1 ? Highest : 1e-4f;
  case ElementwiseOperation::CLIPPED_RELU:
  case ElementwiseOperation::POWER:
    return static_cast<float>(Which);
  case ElementwiseOperation::LEAKY_RELU:
    return 0.01f;
  default:
    return 1;
  }
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_OPERATIONS_H
