//===- kernels/instr.h - matrix and dot instructions ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A type for each instruction that multiplies small matrices: its sizes, the
// mapping of elements to lanes, and the builtin. The mappings are those of the
// ISA documents of CDNA 1 to 4 and of RDNA 3 and 4; igemm.h uses nothing else.
//
//   operandRow(lane)       the row of A, or column of B, of the lane
//   operandK(lane)         the first of its PerLane consecutive k
//   resultRow(lane, i)     the row of its i-th result
//   resultColumn(lane)
//
// Elements have the type in LDS. The numbers of instructions are in shared.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_INSTR_H
#define KPACK_CONV_KERNELS_INSTR_H

#include "kpack/ConvBuilder/kernels/shared.h"
#include "kpack/ConvBuilder/kernels/types.h"

namespace kpack::conv::device {

/// The mapping of CDNA's matrix instructions: Side rows and columns, and as
/// much of k as 64 lanes hold with Each elements in a lane.
template <class ElementType, class SumType, int Side, int Each> struct Cdna {
  using Element = ElementType;
  using Sum = SumType;
  static constexpr int Rows = Side, Columns = Side, Depth = 64 / Side * Each;
  static constexpr int Lanes = 64, PerLane = Each, Results = Side * Side / 64;
  static constexpr bool TakesAnySign = false;
  static KPACK_CONV_FUNCTION int operandRow(int Lane) { return Lane % Side; }
  static KPACK_CONV_FUNCTION int operandK(int Lane) {
    return Lane / Side * Each;
  }
  static KPACK_CONV_FUNCTION int resultRow(int Lane, int I) {
    return I / 4 * (256 / Side) + Lane / Side * 4 + I % 4;
  }
  static KPACK_CONV_FUNCTION int resultColumn(int Lane) { return Lane % Side; }
};

/// RDNA 3: both halves of a wave hold the same rows and all of k.
template <class ElementType, class SumType> struct Rdna3 {
  using Element = ElementType;
  using Sum = SumType;
  static constexpr int Rows = 16, Columns = 16, Depth = 16;
  static constexpr int Lanes = 32, PerLane = 16, Results = 8;
  static constexpr bool TakesAnySign = true;
  static KPACK_CONV_FUNCTION int operandRow(int Lane) { return Lane % 16; }
  static KPACK_CONV_FUNCTION int operandK(int) { return 0; }
  static KPACK_CONV_FUNCTION int resultRow(int Lane, int I) {
    return 2 * I + Lane / 16;
  }
  static KPACK_CONV_FUNCTION int resultColumn(int Lane) { return Lane % 16; }
};

/// RDNA 4: each half of a wave holds half of k, and half of the results.
template <class ElementType, class SumType> struct Rdna4 {
  using Element = ElementType;
  using Sum = SumType;
  static constexpr int Rows = 16, Columns = 16, Depth = 16;
  static constexpr int Lanes = 32, PerLane = 8, Results = 8;
  static constexpr bool TakesAnySign = true;
  static KPACK_CONV_FUNCTION int operandRow(int Lane) { return Lane % 16; }
  static KPACK_CONV_FUNCTION int operandK(int Lane) { return Lane / 16 * 8; }
  static KPACK_CONV_FUNCTION int resultRow(int Lane, int I) {
    return Lane / 16 * 8 + I;
  }
  static KPACK_CONV_FUNCTION int resultColumn(int Lane) { return Lane % 16; }
};

#ifdef __AMDGCN__

/// A vector of registers, with access to its elements.
template <class Element, int Count>
using Vector = Element __attribute__((vector_size(Count * sizeof(Element))));

using HalfBits = _Float16;
using Short = short;
using Byte = signed char;

/// An instruction; multiply(A, B, C) returns C + A B. Left and Right select
/// signed bytes of A and B, if the instruction has the choice. If it only has
/// signed bytes and the operand is unsigned (LacksLeft, LacksRight), the
/// operand must be passed less 128.
template <int Which, bool Left, bool Right> struct Instruction;

#define KPACK_CONV_INSTRUCTION(WHICH, BASE, BUILTIN_CALL)                      \
  template <bool Left, bool Right>                                             \
  struct Instruction<instruction::WHICH, Left, Right> : KPACK_CONV_BASE BASE { \
    using Base = KPACK_CONV_BASE BASE;                                         \
    using Operand = Vector<typename Base::Element, Base::PerLane>;             \
    using Total = Vector<typename Base::Sum, Base::Results>;                   \
    static constexpr bool LacksLeft = !Left && !Base::TakesAnySign;            \
    static constexpr bool LacksRight = !Right && !Base::TakesAnySign;          \
    static KPACK_CONV_FUNCTION Total multiply(Operand A, Operand B, Total C) { \
      return BUILTIN_CALL;                                                     \
    }                                                                          \
  };
#define KPACK_CONV_BASE(...) __VA_ARGS__

#ifdef __GFX9__
KPACK_CONV_INSTRUCTION(MFMA_F32_32, (Cdna<float, float, 32, 1>),
                       __builtin_amdgcn_mfma_f32_32x32x2f32(A[0], B[0], C, 0, 0,
                                                            0))
KPACK_CONV_INSTRUCTION(MFMA_F32_16, (Cdna<float, float, 16, 1>),
                       __builtin_amdgcn_mfma_f32_16x16x4f32(A[0], B[0], C, 0, 0,
                                                            0))
KPACK_CONV_INSTRUCTION(MFMA_F16_32, (Cdna<HalfBits, float, 32, 4>),
                       __builtin_amdgcn_mfma_f32_32x32x8f16(A, B, C, 0, 0, 0))
KPACK_CONV_INSTRUCTION(MFMA_F16_16, (Cdna<HalfBits, float, 16, 4>),
                       __builtin_amdgcn_mfma_f32_16x16x16f16(A, B, C, 0, 0, 0))
KPACK_CONV_INSTRUCTION(MFMA_NARROW_BF16_32, (Cdna<Short, float, 32, 2>),
                       __builtin_amdgcn_mfma_f32_32x32x4bf16(A, B, C, 0, 0, 0))
KPACK_CONV_INSTRUCTION(MFMA_NARROW_BF16_16, (Cdna<Short, float, 16, 2>),
                       __builtin_amdgcn_mfma_f32_16x16x8bf16(A, B, C, 0, 0, 0))
KPACK_CONV_INSTRUCTION(MFMA_BF16_32, (Cdna<Short, float, 32, 4>),
                       __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(A, B, C, 0, 0,
                                                                0))
KPACK_CONV_INSTRUCTION(MFMA_BF16_16, (Cdna<Short, float, 16, 4>),
                       __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(A, B, C, 0, 0,
                                                                 0))
KPACK_CONV_INSTRUCTION(MFMA_I8_32, (Cdna<Byte, int, 32, 4>),
                       __builtin_amdgcn_mfma_i32_32x32x8i8(bitsOf<int>(A),
                                                           bitsOf<int>(B), C, 0,
                                                           0, 0))
KPACK_CONV_INSTRUCTION(MFMA_I8_16, (Cdna<Byte, int, 16, 4>),
                       __builtin_amdgcn_mfma_i32_16x16x16i8(bitsOf<int>(A),
                                                            bitsOf<int>(B), C,
                                                            0, 0, 0))
KPACK_CONV_INSTRUCTION(MFMA_WIDE_I8_32, (Cdna<Byte, int, 32, 8>),
                       __builtin_amdgcn_mfma_i32_32x32x16_i8(bitsOf<long>(A),
                                                             bitsOf<long>(B), C,
                                                             0, 0, 0))
KPACK_CONV_INSTRUCTION(MFMA_WIDE_I8_16, (Cdna<Byte, int, 16, 8>),
                       __builtin_amdgcn_mfma_i32_16x16x32_i8(bitsOf<long>(A),
                                                             bitsOf<long>(B), C,
                                                             0, 0, 0))
KPACK_CONV_INSTRUCTION(MFMA_FP8_32, (Cdna<Byte, float, 32, 8>),
                       __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(
                           bitsOf<long>(A), bitsOf<long>(B), C, 0, 0, 0))
KPACK_CONV_INSTRUCTION(MFMA_FP8_16, (Cdna<Byte, float, 16, 8>),
                       __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(
                           bitsOf<long>(A), bitsOf<long>(B), C, 0, 0, 0))
// gfx950 only, and unknown to clang 19.
#if __has_builtin(__builtin_amdgcn_mfma_f32_32x32x16_f16)
KPACK_CONV_INSTRUCTION(MFMA_WIDE_F16_32, (Cdna<HalfBits, float, 32, 8>),
                       __builtin_amdgcn_mfma_f32_32x32x16_f16(A, B, C, 0, 0, 0))
KPACK_CONV_INSTRUCTION(MFMA_WIDE_F16_16, (Cdna<HalfBits, float, 16, 8>),
                       __builtin_amdgcn_mfma_f32_16x16x32_f16(A, B, C, 0, 0, 0))
KPACK_CONV_INSTRUCTION(MFMA_WIDE_BF16_32, (Cdna<Short, float, 32, 8>),
                       __builtin_amdgcn_mfma_f32_32x32x16_bf16(
                           bitsOf<Vector<__bf16, 8>>(A),
                           bitsOf<Vector<__bf16, 8>>(B), C, 0, 0, 0))
KPACK_CONV_INSTRUCTION(MFMA_WIDE_BF16_16, (Cdna<Short, float, 16, 8>),
                       __builtin_amdgcn_mfma_f32_16x16x32_bf16(
                           bitsOf<Vector<__bf16, 8>>(A),
                           bitsOf<Vector<__bf16, 8>>(B), C, 0, 0, 0))
#endif
#endif
#ifdef __GFX11__
KPACK_CONV_INSTRUCTION(WMMA_F16, (Rdna3<HalfBits, float>),
                       __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(A, B, C))
KPACK_CONV_INSTRUCTION(WMMA_BF16, (Rdna3<Short, float>),
                       __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(A, B, C))
KPACK_CONV_INSTRUCTION(WMMA_I8, (Rdna3<Byte, int>),
                       __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(
                           Left, bitsOf<Vector<int, 4>>(A), Right,
                           bitsOf<Vector<int, 4>>(B), C, false))
#endif
#ifdef __GFX12__
KPACK_CONV_INSTRUCTION(WMMA12_F16, (Rdna4<HalfBits, float>),
                       __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(A, B,
                                                                        C))
KPACK_CONV_INSTRUCTION(WMMA12_BF16, (Rdna4<Short, float>),
                       __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(A, B,
                                                                         C))
KPACK_CONV_INSTRUCTION(WMMA12_I8, (Rdna4<Byte, int>),
                       __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(
                           Left, bitsOf<Vector<int, 2>>(A), Right,
                           bitsOf<Vector<int, 2>>(B), C, false))
KPACK_CONV_INSTRUCTION(WMMA12_FP8, (Rdna4<Byte, float>),
                       __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(
                           bitsOf<Vector<int, 2>>(A), bitsOf<Vector<int, 2>>(B),
                           C))
#endif

#undef KPACK_CONV_INSTRUCTION
#undef KPACK_CONV_BASE

/// Adds the dot product of the operands' four bytes. Left and Right as above.
template <int Which, bool Left, bool Right, class Sum>
KPACK_CONV_FUNCTION Sum addDotProduct(unsigned A, unsigned B, Sum Total) {
  if constexpr (Which == instruction::DOT_F16)
    return __builtin_amdgcn_fdot2(bitsOf<Vector<HalfBits, 2>>(A),
                                  bitsOf<Vector<HalfBits, 2>>(B), Total, false);
  else if constexpr (Which == instruction::DOT_BF16)
    return __builtin_amdgcn_fdot2_f32_bf16(bitsOf<Vector<__bf16, 2>>(A),
                                           bitsOf<Vector<__bf16, 2>>(B), Total,
                                           false);
  else if constexpr (Which == instruction::DOT_I8)
    return __builtin_amdgcn_sdot4(int(A), int(B), Total, false);
  else if constexpr (Which == instruction::DOT_ANY8)
    return __builtin_amdgcn_sudot4(Left, int(A), Right, int(B), Total, false);
  else
    return int(__builtin_amdgcn_udot4(A, B, unsigned(Total), false));
}
#endif // __AMDGCN__

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_INSTR_H
