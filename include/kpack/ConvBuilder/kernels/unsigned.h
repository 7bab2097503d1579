//===- kernels/unsigned.h - bytes without a sign, by MFMA -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MFMA multiplies bytes with a sign. One without, a, is given as a - 128, which
// is its bits with the highest one turned over, and what that takes off the sum
// is added at the end:
//
//   sum of a b = sum of (a - 128) b + 128 times the sum of b
//
// The sum of b is that of a column, and is made of operands that lanes have in
// their registers anyway, by dot products with ones; where b has no sign, the
// sum of a row of A comes to it in the same way. What is beside the image or
// the matrix is 0 in LDS as everything else there, and so it is in the result:
// it is -128 in one sum and 128 in the other.
//
// Sibling: matrix_tile.h, which tells of each operand that it has loaded.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_UNSIGNED_H
#define KPACK_CONV_KERNELS_UNSIGNED_H

#include "kpack/ConvBuilder/kernels/instr.h"
#include "kpack/ConvBuilder/kernels/load.h"

#ifdef __AMDGCN__

namespace kpack::conv::device {

/// What the sums of a wave lack, for Rows x Columns repeats of an instruction.
/// Most lack nothing.
template <class Instr, int Rows, int Columns,
          bool = Instr::LacksLeft || Instr::LacksRight>
struct Lacking {
  using Operand = typename Instr::Operand;
  KPACK_CONV_FUNCTION void clear() {}
  KPACK_CONV_FUNCTION void takeLeft(int, Operand &) {}
  KPACK_CONV_FUNCTION void takeRight(int, Operand &) {}
  template <class Sums> KPACK_CONV_FUNCTION void addTo(Sums &, int) const {}
};

template <class Instr, int Rows, int Columns>
struct Lacking<Instr, Rows, Columns, true> {
  using Operand = typename Instr::Operand;
  static constexpr int Words = int(sizeof(Operand)) / 4;
  using OperandWords = typename WordsOf<sizeof(Operand)>::Type;
  using Shift = Vector<unsigned, Instr::Results>;

  /// Of what this lane has loaded.
  int OfRows[Rows], OfColumns[Columns];

  KPACK_CONV_FUNCTION void clear() {
    KPACK_CONV_UNROLL
    for (int AtRow = 0; AtRow < Rows; ++AtRow)
      OfRows[AtRow] = 0;
    KPACK_CONV_UNROLL
    for (int AtColumn = 0; AtColumn < Columns; ++AtColumn)
      OfColumns[AtColumn] = 0;
  }

  /// Makes an operand of A what the instruction takes.
  KPACK_CONV_FUNCTION void takeLeft(int AtRow, Operand &Of) {
    if constexpr (Instr::LacksLeft)
      Of = less128(Of);
    if constexpr (Instr::LacksRight)
      OfRows[AtRow] = plusBytes<true>(Of, OfRows[AtRow]);
  }
  /// The same of one of B, of which A needs the bytes as they are.
  KPACK_CONV_FUNCTION void takeRight(int AtColumn, Operand &Of) {
    if constexpr (Instr::LacksLeft)
      OfColumns[AtColumn] =
          plusBytes<!Instr::LacksRight>(Of, OfColumns[AtColumn]);
    if constexpr (Instr::LacksRight)
      Of = less128(Of);
  }

  /// Once for a tile, when \p Of has all of the sum. Unsigned numbers go
  /// around, and back.
  template <class Sums>
  KPACK_CONV_FUNCTION void addTo(Sums &Of, int Lane) const {
    unsigned InColumns[Columns] = {};
    if constexpr (Instr::LacksLeft) {
      KPACK_CONV_UNROLL
      for (int AtColumn = 0; AtColumn < Columns; ++AtColumn)
        InColumns[AtColumn] = unsigned(ofAllLanes(OfColumns[AtColumn], Lane));
    }
    KPACK_CONV_UNROLL
    for (int AtRow = 0; AtRow < Rows; ++AtRow) {
      Shift InRow = {};
      if constexpr (Instr::LacksRight) {
        int Row = ofAllLanes(OfRows[AtRow], Lane);
        KPACK_CONV_UNROLL
        for (int I = 0; I < Instr::Results; ++I)
          InRow[I] = unsigned(ofLane(Instr::resultRow(Lane, I), Row));
      }
      KPACK_CONV_UNROLL
      for (int AtColumn = 0; AtColumn < Columns; ++AtColumn)
        Of[AtRow][AtColumn] =
            bitsOf<typename Instr::Total>(bitsOf<Shift>(Of[AtRow][AtColumn]) +
                                          (InRow + InColumns[AtColumn]) * 128);
    }
  }

private:
  static KPACK_CONV_FUNCTION Operand less128(Operand Of) {
    return bitsOf<Operand>(bitsOf<OperandWords>(Of) ^ 0x80808080u);
  }

  template <bool HasSign>
  static KPACK_CONV_FUNCTION int plusBytes(Operand Of, int Total) {
    unsigned Each[Words];
    __builtin_memcpy(Each, &Of, sizeof(Of));
    KPACK_CONV_UNROLL
    for (int I = 0; I < Words; ++I)
      Total = addDotProduct<HasSign ? instruction::DOT_I8 : instruction::DOT_U8,
                            HasSign, HasSign>(Each[I], 0x01010101u, Total);
    return Total;
  }

  static KPACK_CONV_FUNCTION int ofLane(int Lane, int Value) {
    return __builtin_amdgcn_ds_bpermute(Lane * 4, Value);
  }
  /// Of a row, or column, each lane that gives it has a part of k; afterwards
  /// all have the whole.
  static KPACK_CONV_FUNCTION int ofAllLanes(int Part, int Lane) {
    KPACK_CONV_UNROLL
    for (int Apart = Instr::Rows; Apart < Instr::Lanes; Apart *= 2)
      Part += ofLane(Lane ^ Apart, Part);
    return Part;
  }
};

} // namespace kpack::conv::device

#endif // __AMDGCN__

#endif // KPACK_CONV_KERNELS_UNSIGNED_H
