//===- kernels/arguments.h - arguments of kernels ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments that launches fill and kernels read, and the numbers of
// operations, directions and places that both use.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_ARGUMENTS_H
#define KPACK_CONV_KERNELS_ARGUMENTS_H

#include "kpack/ConvBuilder/kernels/types.h"

namespace kpack::conv::device {

/// Numbers of ElementwiseOperation; Lower.cpp asserts that they agree.
namespace op {
enum : int {
  ADD_CLAMP,
  ADD_RELU_ADD,
  ACTIVATION_MUL2_CLAMP,
  ACTIVATION_MUL_CLAMP,
  ADD_ACTIVATION_MUL_CLAMP,
  ADD_ACTIVATION_MUL2_CLAMP,
  ADD_MUL_ACTIVATION_MUL_CLAMP,
  ADD_MUL2_ACTIVATION_MUL_CLAMP,
  BIAS_BNORM_CLAMP,
  BILINEAR,
  SCALE,
  SCALE_ADD,
  CLAMP,
  CONV_INVSCALE,
  CONV_SCALE,
  CONV_SCALE_ADD,
  CONV_SCALE_RELU,
  PASS_THROUGH,
  SCALEADD_SCALEADD_RELU,
  DYNAMIC_UNARY_OP,
  UNARY_COMBINED_OP,
  UNARY_CONVERT,
  LOGISTIC,
  CLIPPED_RELU,
  SWISH,
  ELU,
  POWER,
  LEAKY_RELU,
  UNARY_ABS,
  RELU,
  SOFT_RELU,
  SIGMOID,
  TANH,
  GELU,
  SILU,
};
} // namespace op

/// Parameters of an operation in a call.
struct Parameters {
  float A, B, C;
};

/// Parameters of a tensor's operations in a call.
struct OperationArguments {
  Parameters Own;
  Parameters Activation;
  int Dynamic; ///< the operation of DYNAMIC_UNARY_OP in this call
};

/// True if the operation does nothing.
KPACK_CONV_FUNCTION constexpr bool isIdentity(int Op) {
  return Op == op::PASS_THROUGH || Op == op::UNARY_CONVERT;
}

/// Strides in elements, for group, n or k, channel, and D, H, W or Z, Y, X.
struct Strides {
  long long Of[6];
};

/// Numbers of ConvDirection; Lower.cpp asserts that they agree.
namespace direction {
constexpr int FORWARD = 0, BACKWARD_DATA = 1, BACKWARD_WEIGHT = 2;
} // namespace direction

/// Values of Lowered::split (split.h).
namespace split {
enum : int { NONE, ADDED, WORKSPACE, SHARED };
/// Threads of a work-group in the steps before and after.
constexpr int Threads = 256;
} // namespace split

/// The maximal auxiliary operands of a tensor.
constexpr int MaxAuxiliaryOfTensor = 5;

struct AuxiliaryArgument {
  const void *Data;
  Strides Stride; ///< 0 in dimensions that share one element
  Parameters Own; ///< of the operation on it
};

struct TensorArgument {
  void *Data;
  Strides Stride;
  OperationArguments Operation;
};

/// The common arguments of all kernels. Auxiliary operands follow: those of the
/// input, the weight, the output.
struct Arguments {
  TensorArgument Input, Weight, Output;
  int Groups, Batch, InChannels, OutChannels;
  int Image[3], Filter[3], Result[3]; ///< Result: positions of the output
  int Stride[3], Dilation[3], Pad[3];
  unsigned Grid[3];     ///< work-groups
  unsigned StepGrid[3]; ///< of the steps before and after, if any
  int Pieces;           ///< of the sum; for SHARED (split.h), sharers
  int Whole;            ///< for SHARED: tiles that are not shared
  int Line;             ///< for SHARED: tiles of k of all shared tiles
  void *Workspace;
};

/// The argument of a GPU's kernel, passed by value.
template <int Count> struct AllArguments {
  Arguments All;
  AuxiliaryArgument Auxiliary[Count ? Count : 1];
};

/// The place of a thread: its work-group and its index in it.
struct Place {
  unsigned Group[3];
  unsigned Thread;
};

/// The place of an element: group, n or k, channel, D, H, W.
struct Position {
  int Of[6];
};

KPACK_CONV_FUNCTION long long offsetOf(const Strides &By, const Position &P) {
  long long Offset = 0;
  for (int I = 0; I < 6; ++I)
    Offset += P.Of[I] * By.Of[I];
  return Offset;
}

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_ARGUMENTS_H
