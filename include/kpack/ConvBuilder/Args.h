//===- kpack/ConvBuilder/Args.h - tensors and numbers of a call -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What changes from call to call: where the tensors are, and the numbers of
// their operations. Memory is the caller's, on the device that computes. The
// result is the tensor that the signature's direction says; the other two are
// only read.
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

/// a, b and c of an operation.
struct OpNumbers {
  float a = 1;
  float b = 1;
  float c = 1;
};

/// What an operation takes beside tensors. The links of a chain share a, b
/// and c.
struct OpParams : OpNumbers {
  /// Of the activation, in the operations that have one.
  OpNumbers activation{};
  /// What DYNAMIC_UNARY_OP is in this call; one that isUnary().
  ElementwiseOperation dynamic = ElementwiseOperation::PASS_THROUGH;
};

/// A tensor that an operation takes beside the value.
struct AuxiliaryArgs {
  const void *data = nullptr;
  OpNumbers params{}; ///< of the operation on it
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
  /// workspaceBytes() of Kernel.h, aligned to 16; null where those are none.
  /// One that nothing else uses until the call has done; what is in it does not
  /// matter before, and means nothing after.
  void *workspace = nullptr;
};

/// The numbers that \p Op has where nobody says others.
constexpr OpNumbers defaultNumbers(ElementwiseOperation Op) {
  return {defaultParameter(Op, 0), defaultParameter(Op, 1),
          defaultParameter(Op, 2)};
}

namespace detail {

constexpr TensorArgs argsFor(const Tensor &Given) {
  TensorArgs Made;
  const Operation &Op = *Given.operation;
  OpNumbers Own = defaultNumbers(Op.elementwise_operation);
  Made.params.a = Own.a, Made.params.b = Own.b, Made.params.c = Own.c;
  Made.params.activation = defaultNumbers(Op.activation);
  for (unsigned I = 0; I < Op.auxiliary_operand_configs.size(); ++I)
    Made.auxiliary[I].params =
        defaultNumbers(Op.auxiliary_operand_configs[I].elementwise_operation);
  return Made;
}

} // namespace detail

/// Without tensors, and with default numbers, of a signature that
/// resolveSignature() has made.
constexpr Args argsFor(const Signature &Resolved) {
  return {detail::argsFor(Resolved.input), detail::argsFor(Resolved.weight),
          detail::argsFor(Resolved.output)};
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_ARGS_H
