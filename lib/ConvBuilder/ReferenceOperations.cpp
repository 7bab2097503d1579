//===- ReferenceOperations.cpp - operations of the reference --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each line is the formula of Enums.def. NaN follows the formula: a comparison
// with NaN is false.
//
//===----------------------------------------------------------------------===//
#include "ReferenceOperations.h"

#include <cmath>

using namespace kpack;
using namespace kpack::conv;

static double clamp(double X, double Low, double High) {
  return X < Low ? Low : X > High ? High : X;
}

static double relu(double X) { return X < 0 ? 0 : X; }

/// Computes log(1 + exp(x)) without overflow.
static double softplus(double X) {
  return relu(X) + std::log1p(std::exp(-std::fabs(X)));
}

double conv::applyUnary(ElementwiseOperation Op, const OpNumbers &With,
                        double X) {
  double A = With.a, B = With.b, C = With.c;
  switch (Op) {
  case ElementwiseOperation::SCALE:
    return A * X;
  case ElementwiseOperation::CLAMP:
    return clamp(X, A, B);
  case ElementwiseOperation::LOGISTIC:
    return A / (1 + A * std::exp(-X));
  case ElementwiseOperation::CLIPPED_RELU: {
    double Raised = X < A ? A : X;
    return Raised > B ? B : Raised;
  }
  case ElementwiseOperation::SWISH:
    return X / (1 + std::exp(-B * X));
  case ElementwiseOperation::ELU:
    return X > 0 ? X : A * std::expm1(X);
  case ElementwiseOperation::POWER:
    return std::pow(A + B * X, C);
  case ElementwiseOperation::LEAKY_RELU:
    return X >= 0 ? X : A * X;
  case ElementwiseOperation::UNARY_ABS:
    return std::fabs(X);
  case ElementwiseOperation::RELU:
    return relu(X);
  case ElementwiseOperation::SOFT_RELU:
    return softplus(A * X) / A;
  case ElementwiseOperation::SIGMOID:
    return 1 / (1 + std::exp(-X));
  case ElementwiseOperation::TANH:
    return std::tanh(X);
  case ElementwiseOperation::GELU: // 1 + erf(y) is erfc(-y), without
                                   // cancellation
    return X / 2 * std::erfc(-X / std::sqrt(2.0));
  case ElementwiseOperation::SILU:
    return X / (1 + std::exp(-X));
  default: // PASS_THROUGH, UNARY_CONVERT
    return X;
  }
}

double conv::applyOperation(const Operation &Op, const OpParams &With,
                            DataType Stored, const double *D, double X) {
  double A = With.a, B = With.b, C = With.c;
  auto Sat = [&](double Value) {
    double Low = Stored == DataType::U8 ? 0 : -128;
    return clamp(std::nearbyint(Value), Low, Low + 255);
  };
  auto Act = [&](double Value) {
    return applyUnary(Op.activation, With.activation, Value);
  };
  switch (Op.elementwise_operation) {
  case ElementwiseOperation::ADD_CLAMP:
    return clamp(X + D[0], A, B);
  case ElementwiseOperation::ADD_RELU_ADD:
    return relu(X + D[0]) + D[1];
  case ElementwiseOperation::ACTIVATION_MUL2_CLAMP:
    return Sat(D[0] * Act(X));
  case ElementwiseOperation::ACTIVATION_MUL_CLAMP:
    return Sat(A * Act(X));
  case ElementwiseOperation::ADD_ACTIVATION_MUL_CLAMP:
    return Sat(A * Act(X + D[0]));
  case ElementwiseOperation::ADD_ACTIVATION_MUL2_CLAMP:
    return Sat(D[1] * Act(X + D[0]));
  case ElementwiseOperation::ADD_MUL_ACTIVATION_MUL_CLAMP:
    return Sat(A * Act(B * (X + D[0])));
  case ElementwiseOperation::ADD_MUL2_ACTIVATION_MUL_CLAMP:
    return Sat(A * Act(D[1] * (X + D[0])));
  case ElementwiseOperation::BIAS_BNORM_CLAMP:
    return clamp((X + D[0] - D[1]) / std::sqrt(D[2] + C) * D[3] + D[4], A, B);
  case ElementwiseOperation::BILINEAR:
    return A * X + B * D[0];
  case ElementwiseOperation::SCALE_ADD:
    return A * X + D[0];
  case ElementwiseOperation::CONV_INVSCALE:
    return X / A / B / C;
  case ElementwiseOperation::CONV_SCALE:
    return X * A * B * C;
  case ElementwiseOperation::CONV_SCALE_ADD:
    return (X * A * B + D[0]) * C;
  case ElementwiseOperation::CONV_SCALE_RELU:
    return relu(X * A * B) * C;
  case ElementwiseOperation::SCALEADD_SCALEADD_RELU:
    return relu(A * X + B * D[0] + D[1]);
  case ElementwiseOperation::DYNAMIC_UNARY_OP:
    return applyUnary(With.dynamic, With, X);
  case ElementwiseOperation::UNARY_COMBINED_OP:
    for (ElementwiseOperation Link : Op.chain)
      X = applyUnary(Link, With, X);
    return X;
  default:
    return applyUnary(Op.elementwise_operation, With, X);
  }
}
