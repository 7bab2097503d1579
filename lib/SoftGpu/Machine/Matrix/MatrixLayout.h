//===- MatrixLayout.h - matrix elements in registers ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix of a matrix instruction is spread over lanes; each lane has some of
// its elements, packed into registers from the lowest bits up. A Place is a
// lane and an element's number in it. The formulas are those of the ISA
// manuals' chapters on MFMA and WMMA and of AMD's matrix instruction
// calculator. MatrixMfma.cpp, MatrixSparse.cpp and MatrixWmma.cpp use them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MATRIX_MATRIXLAYOUT_H
#define KPACK_LIB_SOFTGPU_MACHINE_MATRIX_MATRIXLAYOUT_H

#include "SoftGpu/Machine/Lanes/Lanes.h"
#include "SoftGpu/Machine/Opcodes.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

struct Place {
  unsigned Lane;
  unsigned Index;
};

/// Returns the element at \p P of registers \p Row and up, \p Bits wide.
template <unsigned Bits> inline uint64_t element(const Lanes32 *Row, Place P) {
  if constexpr (Bits == 64)
    return Row[2 * P.Index].V[P.Lane] | uint64_t(Row[2 * P.Index + 1].V[P.Lane])
                                            << 32;
  else if constexpr (Bits == 32)
    return Row[P.Index].V[P.Lane];
  constexpr unsigned Each = 32 / (Bits < 32 ? Bits : 32);
  return Row[P.Index / Each].V[P.Lane] >> (P.Index % Each * Bits) &
         ((uint64_t(1) << Bits) - 1);
}

/// Sets an element; \p Bits is 16, 32 or 64.
template <unsigned Bits>
inline void setElement(Lanes32 *Row, Place P, uint64_t Value) {
  if constexpr (Bits == 64) {
    Row[2 * P.Index].V[P.Lane] = uint32_t(Value);
    Row[2 * P.Index + 1].V[P.Lane] = uint32_t(Value >> 32);
  } else if constexpr (Bits == 32) {
    Row[P.Index].V[P.Lane] = uint32_t(Value);
  } else {
    uint32_t &Register = Row[P.Index / 2].V[P.Lane];
    unsigned Shift = P.Index % 2 * 16;
    Register = (Register & ~(0xffffu << Shift)) | (Value & 0xffff) << Shift;
  }
}

/// Count matrices A of Rows rows and Depth columns, times B of Depth rows and
/// Columns columns.
template <unsigned Rows, unsigned Columns, unsigned Depth, unsigned Count>
struct Shape {
  static constexpr unsigned M = Rows, N = Columns, K = Depth, Blocks = Count;
  /// Elements of A (and of B) in each of 64 lanes, and of the result.
  static constexpr unsigned InLane = M * K * Blocks / 64;
  static constexpr unsigned OutLane = M * N * Blocks / 64;

  /// Returns the place of element (I, K) of block \p Block of A, or of B with a
  /// column as I.
  static constexpr Place source(unsigned I, unsigned KIndex, unsigned Block) {
    return {I + M * (Block + Blocks * (KIndex / InLane)), KIndex % InLane};
  }

  /// Places of 32-bit results: runs of four rows, distributed over groups of N
  /// lanes.
  static constexpr Place result32(unsigned I, unsigned J, unsigned Block) {
    constexpr unsigned Groups = 64 / N;
    unsigned Run = I / 4 + M / 4 * Block;
    return {J + N * (Run % Groups), 4 * (Run / Groups) + I % 4};
  }

  /// Places of 64-bit results: single rows, distributed likewise.
  static constexpr Place result64(unsigned I, unsigned J, unsigned Block) {
    constexpr unsigned Groups = 64 / N;
    unsigned Run = Block + Blocks * I;
    return {J + N * (Run % Groups), Run / Groups};
  }
};

/// Returns the lane that B's \p Lane is read from with blgp:.
constexpr unsigned permutedLane(unsigned Lane, unsigned Blgp) {
  switch (Blgp) {
  case 0:
    return Lane;
  case 1:
  case 2:
    return (Blgp - 1) * 32 + Lane % 32;
  case 3:
    return (Lane + 16) % 64;
  default:
    return (Blgp - 4) % 4 * 16 + Lane % 16;
  }
}

/// Layouts of gfx11 and gfx12 (16 rows and columns) by wave size.
struct WmmaLayout {
  bool Gfx12;
  bool Wave64;

  /// Returns the place of element (I, K) of A with \p Depth columns. gfx11
  /// repeats it in every 16 lanes.
  Place source(unsigned I, unsigned K, unsigned Depth, unsigned Bits) const {
    if (!Gfx12)
      return {I, K};
    return Bits == 16 ? halves(I, K) : bytes(I, K, Depth, Bits);
  }

  Place result(unsigned I, unsigned J) const {
    if (!Gfx12)
      return Wave64 ? Place{16 * (I % 4) + J, I / 4}
                    : Place{16 * (I % 2) + J, I / 2};
    return Wave64 ? Place{32 * (I / 4 % 2) + 16 * (I / 8) + J, I % 4}
                  : Place{16 * (I / 8) + J, I % 8};
  }

private:
  Place halves(unsigned I, unsigned K) const {
    return Wave64 ? Place{16 * (K / 4) + I, K % 4}
                  : Place{16 * (K / 4 % 2) + I, 4 * (K / 8) + K % 4};
  }
  /// Each 16 lanes have a run of k; wave64 halves runs that are longer than a
  /// register.
  Place bytes(unsigned I, unsigned K, unsigned Depth, unsigned Bits) const {
    unsigned Run = Depth / 2;
    if (!Wave64 || Run * Bits <= 32)
      return {16 * (K / Run) + I, K % Run};
    unsigned Short = Run / 2;
    return {32 * (K / Short % 2) + 16 * (K / Run) + I, K % Short};
  }
};

/// Returns the number of registers of \p Count elements in a wave of \p Lanes.
inline unsigned dwords(unsigned Count, unsigned Bits, unsigned Lanes) {
  return std::max(Count * Bits / 32 / Lanes, 1u);
}

/// Checks that operand \p N is \p Dwords vector registers. Faults and returns
/// false otherwise.
inline bool hasRegisters(Wave &W, const Instruction &I, unsigned N,
                         unsigned Dwords) {
  const Operand &O = I.Operands[N];
  if (N < I.OperandCount && O.What == Operand::Kind::Vgpr &&
      O.Dwords == Dwords && O.Index + Dwords <= VectorRegisterCount)
    return true;
  W.fault(Fault::Kind::UnknownInstruction, I,
          "operand " + llvm::Twine(N) + " is not " + llvm::Twine(Dwords) +
              " vector registers");
  return false;
}

/// Like hasRegisters(), for an addend, which may be an inline constant.
inline bool hasAddend(Wave &W, const Instruction &I, unsigned N,
                      unsigned Dwords) {
  return (N < I.OperandCount &&
          I.Operands[N].What == Operand::Kind::Constant) ||
         hasRegisters(W, I, N, Dwords);
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MATRIX_MATRIXLAYOUT_H
