//===- kpack/ConvBuilder/Operations.h - what operations take ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about element-wise operations: how many tensors and numbers they take,
// on what they may be used. What they compute is in Enums.def as text, in the
// kernels as code, and in the host reference as other code.
//
// Numbers (a, b, c) are arguments of each call, not part of a signature: a new
// alpha must not make a new kernel.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_OPERATIONS_H
#define KPACK_CONVBUILDER_OPERATIONS_H

#include "kpack/ConvBuilder/Enums.h"

namespace kpack::conv {

/// Five, of BIAS_BNORM_CLAMP: bias, mean, variance, gamma, beta.
inline constexpr unsigned MaxAuxiliary = 5;
/// Of all three tensors: the two that are loaded can have SCALE_ADD.
inline constexpr unsigned MaxAuxiliaryOfCall = MaxAuxiliary + 2;
/// As many operations UNARY_COMBINED_OP can have.
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

/// Tensors that \p Op takes beside the value.
constexpr unsigned auxiliaryCount(ElementwiseOperation Op) {
  return detail::OperandsOfOperations[static_cast<unsigned>(Op)].Auxiliary;
}

/// Numbers that are given at each call: the first of a, b and c.
constexpr unsigned parameterCount(ElementwiseOperation Op) {
  return detail::OperandsOfOperations[static_cast<unsigned>(Op)].Parameters;
}

/// Whether its result is an integer with saturation: the six *_MUL*_CLAMP.
constexpr bool isQuantised(ElementwiseOperation Op) {
  return Op >= ElementwiseOperation::ACTIVATION_MUL2_CLAMP &&
         Op <= ElementwiseOperation::ADD_MUL2_ACTIVATION_MUL_CLAMP;
}

/// Whether it is a function of the value alone, without another operation in
/// it. These can be an activation, a link of a chain, or what DYNAMIC_UNARY_OP
/// is told to be, and may stand on an operand that is loaded.
constexpr bool isUnary(ElementwiseOperation Op) {
  return Op == ElementwiseOperation::PASS_THROUGH ||
         Op == ElementwiseOperation::SCALE ||
         Op == ElementwiseOperation::CLAMP ||
         (Op >= ElementwiseOperation::UNARY_CONVERT &&
          Op <= ElementwiseOperation::SILU);
}

/// Whether it has an activation of the signature's choice.
constexpr bool hasActivation(ElementwiseOperation Op) {
  return isQuantised(Op);
}

/// Whether it can be done when an element of an operand is loaded: it takes one
/// value, or one value and one tensor.
constexpr bool isForOperands(ElementwiseOperation Op) {
  return isUnary(Op) || Op == ElementwiseOperation::DYNAMIC_UNARY_OP ||
         Op == ElementwiseOperation::UNARY_COMBINED_OP ||
         Op == ElementwiseOperation::SCALE_ADD;
}

/// Whether op(x + y) is op(x) + op(y), so that it may be done with each part of
/// a sum.
constexpr bool isLinear(ElementwiseOperation Op) {
  return Op == ElementwiseOperation::PASS_THROUGH ||
         Op == ElementwiseOperation::UNARY_CONVERT ||
         Op == ElementwiseOperation::SCALE ||
         Op == ElementwiseOperation::CONV_SCALE ||
         Op == ElementwiseOperation::CONV_INVSCALE;
}

/// Whether its results are fractions, which integers would cut off: it is for
/// floating-point tensors. Chains are what their links are.
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

/// The default of parameter \p Which (0 to 2: a, b, c) of \p Op. Clamps have
/// the ends of float: nothing is cut off.
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
