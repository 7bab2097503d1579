//===- kernels/shared.h - numbers and arguments -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers and arguments that launches and kernels share: constants and
// plain data, without functions of kernels. Headers of the host include no
// other header of this directory (lib/floors.txt), except InstanceKernel.h,
// which compiles kernels with the program.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_SHARED_H
#define KPACK_CONV_KERNELS_SHARED_H

// For a function that computes constants.
#if defined(__HIP__)
#define KPACK_CONV_CONSTANT constexpr __attribute__((always_inline))
#else
#define KPACK_CONV_CONSTANT constexpr
#endif

namespace kpack::conv::device {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// An integer constant as a type.
template <int Value> struct Number {
  KPACK_CONV_CONSTANT operator int() const { return Value; }
};

/// Numbers of DataType; Lower.cpp asserts that they agree.
namespace type {
constexpr int UNDEFINED_DATA_TYPE = 0;
constexpr int FP32 = 1;
constexpr int FP32_FP32 = 2;
constexpr int FP16 = 3;
constexpr int FP16_FP16 = 4;
constexpr int BF16 = 5;
constexpr int BF16_BF16 = 6;
constexpr int FP8 = 7;
constexpr int BF8 = 8;
constexpr int FP64 = 9;
constexpr int I32 = 10;
constexpr int I8 = 11;
constexpr int I8_I8 = 12;
constexpr int U8 = 13;
} // namespace type

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

/// Values of Lowered::instruction (instr.h).
namespace instruction {
enum : int {
  NONE, ///< VALU: threads multiply separately
  MFMA_F32_32,
  MFMA_F32_16,
  MFMA_F16_32,
  MFMA_F16_16,
  MFMA_WIDE_F16_32, ///< gfx950
  MFMA_WIDE_F16_16,
  MFMA_NARROW_BF16_32, ///< gfx908 and gfx90a
  MFMA_NARROW_BF16_16,
  MFMA_BF16_32,
  MFMA_BF16_16,
  MFMA_WIDE_BF16_32, ///< gfx950
  MFMA_WIDE_BF16_16,
  MFMA_I8_32,
  MFMA_I8_16,
  MFMA_WIDE_I8_32, ///< gfx942 and gfx950
  MFMA_WIDE_I8_16,
  WMMA_F16,
  WMMA_BF16,
  WMMA_I8,
  WMMA12_F16, ///< gfx12, with another mapping to lanes
  WMMA12_BF16,
  WMMA12_I8,
  MFMA_FP8_32,
  MFMA_FP8_16,
  WMMA12_FP8,
  DOT_F16, ///< from here on, products of single lanes for thread_tile.h
  DOT_BF16,
  DOT_I8,
  DOT_ANY8, ///< each operand signed or unsigned
  DOT_U8,
};
} // namespace instruction

/// The maximal auxiliary operands of a tensor.
constexpr int MaxAuxiliaryOfTensor = 5;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

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

/// Strides in elements, for group, n or k, channel, and D, H, W or Z, Y, X.
struct Strides {
  long long Of[6];
};

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

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_SHARED_H
