//===- kernels/ops.h - element-wise operations ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 35 operations, with the formulas of Enums.def; d0 to d4 are auxiliary
// operands, a, b and c parameters of the call. Functions of a math library are
// computed in double (math.h).
//
// An operation is a Number<Value> if the kernel is compiled for it, and an
// integer if the call chooses it (DYNAMIC_UNARY_OP).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_OPS_H
#define KPACK_CONV_KERNELS_OPS_H

#include "kpack/ConvBuilder/kernels/arguments.h"
#include "kpack/ConvBuilder/kernels/math.h"

namespace kpack::conv::device {

template <class Real>
KPACK_CONV_FUNCTION Real clamped(Real X, Real Low, Real High) {
  return X < Low ? Low : X > High ? High : X;
}
template <class Real> KPACK_CONV_FUNCTION Real rectified(Real X) {
  return X < 0 ? Real(0) : X;
}

/// Applies an operation of the value alone.
template <class Real, class Op>
KPACK_CONV_FUNCTION Real unary(Op Is, Parameters P, Real X) {
  Real A = P.A, B = P.B;
  switch (int(Is)) {
  case op::SCALE:
    return A * X;
  case op::CLAMP:
    return clamped(X, A, B);
  case op::LOGISTIC:
    return Real(P.A / (1 + P.A * exactExp(-double(X))));
  case op::CLIPPED_RELU: {
    Real Raised = X < A ? A : X;
    return Raised > B ? B : Raised;
  }
  case op::SWISH:
    return Real(X / (1 + exactExp(-double(P.B) * X)));
  case op::ELU:
    return X > 0 ? X : Real(P.A * exactExpm1(X));
  case op::POWER:
    return Real(exactPow(P.A + double(P.B) * X, P.C));
  case op::LEAKY_RELU:
    return X < 0 ? A * X : X;
  case op::UNARY_ABS:
    return X < 0 ? -X : X;
  case op::RELU:
    return rectified(X);
  case op::SOFT_RELU: {
    double Y = double(P.A) * X, Size = Y < 0 ? -Y : Y;
    return Real(((Y > 0 ? Y : 0) + exactLog1p(exactExp(-Size))) / P.A);
  }
  case op::SIGMOID:
    return Real(1 / (1 + exactExp(-double(X))));
  case op::TANH:
    return Real(exactTanh(X));
  case op::GELU:
    return Real(X * exactErfc(double(X) * -0x1.6a09e667f3bcdp-1) / 2);
  case op::SILU:
    return Real(X / (1 + exactExp(-double(X))));
  default: // PASS_THROUGH, UNARY_CONVERT
    return X;
  }
}

/// Applies any operation of a tensor. \p Of has the compile-time properties of
/// the tensor; D are its auxiliary operands.
template <class Real, class Tensor>
KPACK_CONV_FUNCTION Real applied(Tensor Traits, const OperationArguments &With,
                                 Real X, const Real *D) {
  Real A = With.Own.A, B = With.Own.B, C = With.Own.C;
  // Sat of the quantised operations: saturates to the tensor's integers.
  auto Sat = [&](Real Value) {
    bool IsUnsigned = int(Traits.type) == type::U8;
    return Real(
        saturated(Value, IsUnsigned ? 0 : -128, IsUnsigned ? 255 : 127));
  };
  auto Act = [&](Real Value) {
    return unary(Traits.activation, With.Activation, Value);
  };
  switch (int(Traits.operation)) {
  case op::ADD_CLAMP:
    return clamped(X + D[0], A, B);
  case op::ADD_RELU_ADD:
    return rectified(X + D[0]) + D[1];
  case op::ACTIVATION_MUL2_CLAMP:
    return Sat(D[0] * Act(X));
  case op::ACTIVATION_MUL_CLAMP:
    return Sat(A * Act(X));
  case op::ADD_ACTIVATION_MUL_CLAMP:
    return Sat(A * Act(X + D[0]));
  case op::ADD_ACTIVATION_MUL2_CLAMP:
    return Sat(D[1] * Act(X + D[0]));
  case op::ADD_MUL_ACTIVATION_MUL_CLAMP:
    return Sat(A * Act(B * (X + D[0])));
  case op::ADD_MUL2_ACTIVATION_MUL_CLAMP:
    return Sat(A * Act(D[1] * (X + D[0])));
  case op::BIAS_BNORM_CLAMP: {
    double Deviation = __builtin_sqrt(double(D[2]) + With.Own.C);
    double Normal = (double(X) + D[0] - D[1]) / Deviation;
    return clamped(Real(Normal * D[3] + D[4]), A, B);
  }
  case op::BILINEAR:
    return A * X + B * D[0];
  case op::SCALE_ADD:
    return A * X + D[0];
  case op::CONV_INVSCALE:
    return X / A / B / C;
  case op::CONV_SCALE:
    return X * A * B * C;
  case op::CONV_SCALE_ADD:
    return (X * A * B + D[0]) * C;
  case op::CONV_SCALE_RELU:
    return rectified(X * A * B) * C;
  case op::SCALEADD_SCALEADD_RELU:
    return rectified(A * X + B * D[0] + D[1]);
  case op::DYNAMIC_UNARY_OP:
    return unary(With.Dynamic, With.Own, X);
  case op::UNARY_COMBINED_OP:
    // Missing links do nothing.
    X = unary(Traits.chain0, With.Own, X);
    X = unary(Traits.chain1, With.Own, X);
    X = unary(Traits.chain2, With.Own, X);
    return unary(Traits.chain3, With.Own, X);
  default:
    return unary(Traits.operation, With.Own, X);
  }
}

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_OPS_H
