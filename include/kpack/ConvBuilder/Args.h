//===- ConvBuilder/Args.h - arguments of a convolution call -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values that change from call to call: the addresses of tensors, and the
// numbers of their operations. The caller owns the memory, which must be
// accessible to the computing device. The signature's direction selects the
// tensor that is the result; the kernel only reads the other two.
//
//   Args A = argsFor(Sig);               // numbers as Operations.h has them
//   A.input.data = X, A.weight.data = W, A.output.data = Y;
//   A.output.params.a = 0.5f;
//
// Sibling: Problem.h, the sizes.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_ARGS_H
#define KPACK_CONVBUILDER_ARGS_H

#include "kpack/ConvBuilder/Signature.h"

namespace kpack::conv {

/// The parameters a, b and c of an operation.
struct OpNumbers {
  float a = 1;
  float b = 1;
  float c = 1;
};

/// The parameters of a tensor's operations. The links of a chain share a, b and
/// c.
struct OpParams : OpNumbers {
  /// Parameters of the activation, for operations with one.
  OpNumbers activation{};
  /// The operation that DYNAMIC_UNARY_OP does in this call; isUnary().
  ElementwiseOperation dynamic = ElementwiseOperation::PASS_THROUGH;
};

/// An auxiliary operand of an operation.
struct AuxiliaryArgs {
  const void *data = nullptr;
  OpNumbers params{}; ///< of the operation on this operand
};

struct TensorArgs {
  void *data = nullptr;
  OpParams params{};
  AuxiliaryArgs auxiliary[MaxAuxiliary]{};
};

struct Args {
  TensorArgs input{};
  TensorArgs weight{};
  TensorArgs output{};
  /// workspaceBytes() of Kernel.h, aligned to 16; null if that is 0. No other
  /// call may use it until this call has finished. Its contents need no
  /// initialization, and mean nothing afterwards.
  void *workspace = nullptr;
};

/// The default parameters of \p Op.
constexpr OpNumbers defaultNumbers(ElementwiseOperation Op) {
  return {defaultParameter(Op, 0), defaultParameter(Op, 1),
          defaultParameter(Op, 2)};
}

namespace detail {

constexpr TensorArgs argsFor(const Tensor &Given) {
  TensorArgs Defaults;
  const Operation &Op = *Given.operation;
  OpNumbers Own = defaultNumbers(Op.elementwise_operation);
  Defaults.params.a = Own.a, Defaults.params.b = Own.b,
  Defaults.params.c = Own.c;
  Defaults.params.activation = defaultNumbers(Op.activation);
  for (unsigned I = 0; I < Op.auxiliary_operand_configs.size(); ++I)
    Defaults.auxiliary[I].params =
        defaultNumbers(Op.auxiliary_operand_configs[I].elementwise_operation);
  return Defaults;
}

} // namespace detail

/// Returns arguments with null tensors and default parameters. \p Resolved
/// comes from resolveSignature().
constexpr Args argsFor(const Signature &Resolved) {
  return {detail::argsFor(Resolved.input), detail::argsFor(Resolved.weight),
          detail::argsFor(Resolved.output)};
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_ARGS_H
