//===- kernels/unsigned.h - unsigned bytes with MFMA ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MFMA multiplies signed bytes. An unsigned byte a is passed as a - 128, which
// inverts its highest bit, and the difference is added at the end:
//
//   sum of a b = sum of (a - 128) b + 128 times the sum of b
//
// The sum of b belongs to a column. It is computed from operands that lanes
// have in registers anyway, by dot products with ones; if b is unsigned, the
// sum of a row of A is computed in the same way. Elements outside of the image
// or the matrix are 0 in LDS like all others, and contribute 0 to the result:
// -128 in one sum and 128 in the other.
//
// Sibling: matrix_tile.h, which calls this for each operand that it loads.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_UNSIGNED_H
#define KPACK_CONV_KERNELS_UNSIGNED_H

#include "kpack/ConvBuilder/kernels/instr.h"
#include "kpack/ConvBuilder/kernels/load.h"

#ifdef __AMDGCN__

namespace kpack::conv::device {

/// The corrections of a wave's sums, for Rows x Columns repeats of an
/// instruction. Empty for most instructions.
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

  /// Sums of the operands of this lane.
  int OfRows[Rows], OfColumns[Columns];

  KPACK_CONV_FUNCTION void clear() {
    KPACK_CONV_UNROLL
    for (int AtRow = 0; AtRow < Rows; ++AtRow)
      OfRows[AtRow] = 0;
    KPACK_CONV_UNROLL
    for (int AtColumn = 0; AtColumn < Columns; ++AtColumn)
      OfColumns[AtColumn] = 0;
  }

  /// Converts an operand of A for the instruction, and adds it to its row's
  /// sum.
  KPACK_CONV_FUNCTION void takeLeft(int AtRow, Operand &Of) {
    if constexpr (Instr::LacksLeft)
      Of = less128(Of);
    if constexpr (Instr::LacksRight)
      OfRows[AtRow] = plusBytes<true>(Of, OfRows[AtRow]);
  }
  /// Likewise for B; the column's sum needs its original bytes.
  KPACK_CONV_FUNCTION void takeRight(int AtColumn, Operand &Of) {
    if constexpr (Instr::LacksLeft)
      OfColumns[AtColumn] =
          plusBytes<!Instr::LacksRight>(Of, OfColumns[AtColumn]);
    if constexpr (Instr::LacksRight)
      Of = less128(Of);
  }

  /// Adds the corrections once for a tile, after the whole sum. Unsigned
  /// arithmetic wraps, and wraps back.
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
  /// Adds the parts of all lanes of a row or column, each of which has a part
  /// of k; all lanes receive the total.
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
