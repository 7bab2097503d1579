//===- kernels/arguments.h - what a call gives a kernel ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What launches fill and kernels read, and numbers that both know: of
// operations, directions, places.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_ARGUMENTS_H
#define KPACK_CONV_KERNELS_ARGUMENTS_H

#include "kpack/ConvBuilder/kernels/types.h"

namespace kpack::conv::device {

/// Numbers of ElementwiseOperation, which Lower.cpp compares.
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

/// Numbers of an operation, which a call gives.
struct Parameters {
  float A, B, C;
};

/// What a call gives for a tensor's operation.
struct OperationArguments {
  Parameters Own;
  Parameters Activation;
  int Dynamic; ///< what DYNAMIC_UNARY_OP is this time
};

/// Whether nothing is done at all.
KPACK_CONV_FUNCTION constexpr bool isIdentity(int Op) {
  return Op == op::PASS_THROUGH || Op == op::UNARY_CONVERT;
}

/// In elements, for group, n or k, channel, and D, H, W or Z, Y, X.
struct Strides {
  long long Of[6];
};

/// Numbers of ConvDirection, which Lower.cpp compares.
namespace direction {
constexpr int FORWARD = 0, BACKWARD_DATA = 1, BACKWARD_WEIGHT = 2;
} // namespace direction

/// What Lowered::split is (split.h).
namespace split {
enum : int { NONE, ADDED, WORKSPACE, SHARED };
/// Threads of a work-group of the steps before and after.
constexpr int Threads = 256;
} // namespace split

/// Auxiliary operands of a tensor.
constexpr int MaxAuxiliaryOfTensor = 5;

struct AuxiliaryArgument {
  const void *Data;
  Strides Stride; ///< 0 where all elements share one
  Parameters Own; ///< of the operation on it
};

struct TensorArgument {
  void *Data;
  Strides Stride;
  OperationArguments Operation;
};

/// What all kernels take. Auxiliary operands follow: those of the input, of the
/// weight, of the output.
struct Arguments {
  TensorArgument Input, Weight, Output;
  int Groups, Batch, InChannels, OutChannels;
  int Image[3], Filter[3], Result[3]; ///< Result: positions of the output
  int Stride[3], Dilation[3], Pad[3];
  unsigned Grid[3];     ///< work-groups
  unsigned StepGrid[3]; ///< of the steps before and after, if there are any
  int Pieces;           ///< of the sum; of SHARED (split.h), sharers
  int Whole;            ///< of SHARED: tiles that nobody shares
  int Line;             ///< of SHARED: tiles of k of all others
  void *Workspace;
};

/// How a kernel of a GPU takes them, by value.
template <int Count> struct AllArguments {
  Arguments All;
  AuxiliaryArgument Auxiliary[Count ? Count : 1];
};

/// Which work-group this is, and which of its threads.
struct Place {
  unsigned Group[3];
  unsigned Thread;
};

/// Where an element is: group, n or k, channel, D, H, W.
struct Position {
  int Of[6];
};

KPACK_CONV_FUNCTION long long offsetOf(const Strides &By, const Position &P) {
  long long At = 0;
  for (int I = 0; I < 6; ++I)
    At += P.Of[I] * By.Of[I];
  return At;
}

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_ARGUMENTS_H
