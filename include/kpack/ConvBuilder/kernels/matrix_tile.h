//===- kernels/matrix_tile.h - tiles of matrix instructions -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile (tile.h) for matrix instructions: waves divide it, and repeat their
// instruction. A chunk is the result of one instruction. GPUs only.
//
// Siblings: instr.h, the instructions; thread_tile.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_MATRIX_TILE_H
#define KPACK_CONV_KERNELS_MATRIX_TILE_H

#include "kpack/ConvBuilder/kernels/tile.h"
#include "kpack/ConvBuilder/kernels/unsigned.h"

#ifdef __AMDGCN__
namespace kpack::conv::device {

template <class Instr, class View> struct MatrixTile {
  using Sum = typename Instr::Sum;
  template <class Config>
  static constexpr int Rows = Config::tile_m / (Config::wave_m * Instr::Rows);
  template <class Config>
  static constexpr int Columns =
      Config::tile_n / (Config::wave_n * Instr::Columns);
  template <class Config> struct State {
    typename Instr::Total Of[Rows<Config>][Columns<Config>];
    Lacking<Instr, Rows<Config>, Columns<Config>> Lacks;
  };

  /// Return the first row and column of a thread's wave.
  template <class Config>
  static KPACK_CONV_FUNCTION int waveRow(Config, int Thread) {
    return Thread / Instr::Lanes / Config::wave_n;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int waveColumn(Config, int Thread) {
    return Thread / Instr::Lanes % Config::wave_n;
  }

  template <class Config> static KPACK_CONV_KNOWN int chunks(Config) {
    return Rows<Config> * Columns<Config>;
  }
  template <class Config> static KPACK_CONV_KNOWN int inChunk(Config) {
    return Instr::Results;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int row(Config C, int Thread, int Chunk, int I) {
    return (waveRow(C, Thread) * Rows<Config> +
            Chunk / Columns<Config>)*Instr::Rows +
           Instr::resultRow(Thread % Instr::Lanes, I);
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int column(Config C, int Thread, int Chunk, int) {
    return (waveColumn(C, Thread) * Columns<Config> +
            Chunk % Columns<Config>)*Instr::Columns +
           Instr::resultColumn(Thread % Instr::Lanes);
  }

  /// A pass has shuffle_m by shuffle_n chunks of each wave.
  template <class Config> static KPACK_CONV_KNOWN int passRows(Config) {
    return Config::wave_m * Config::shuffle_m * Instr::Rows;
  }
  template <class Config> static KPACK_CONV_KNOWN int passColumns(Config) {
    return Config::wave_n * Config::shuffle_n * Instr::Columns;
  }
  template <class Config> static KPACK_CONV_KNOWN int passChunks(Config) {
    return Config::shuffle_m * Config::shuffle_n;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int findChunk(Config, int Pass, int I) {
    constexpr int Passes = Columns<Config> / Config::shuffle_n;
    int Row = Pass / Passes * Config::shuffle_m + I / Config::shuffle_n;
    int Column = Pass % Passes * Config::shuffle_n + I % Config::shuffle_n;
    return Row * Columns<Config> + Column;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int tileRow(Config, int Pass, int Row) {
    constexpr int InWave = Config::shuffle_m * Instr::Rows;
    constexpr int Passes = Columns<Config> / Config::shuffle_n;
    return (Row / InWave * Rows<Config> + Pass / Passes * Config::shuffle_m) *
               Instr::Rows +
           Row % InWave;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int tileColumn(Config, int Pass, int Column) {
    constexpr int InWave = Config::shuffle_n * Instr::Columns;
    constexpr int Passes = Columns<Config> / Config::shuffle_n;
    return (Column / InWave * Columns<Config> +
            Pass % Passes * Config::shuffle_n) *
               Instr::Columns +
           Column % InWave;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int passRow(Config C, int Thread, int Chunk,
                                         int I) {
    int InPass = Chunk / Columns<Config> % Config::shuffle_m;
    return (waveRow(C, Thread) * Config::shuffle_m + InPass) * Instr::Rows +
           Instr::resultRow(Thread % Instr::Lanes, I);
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int passColumn(Config C, int Thread, int Chunk,
                                            int) {
    int InPass = Chunk % Columns<Config> % Config::shuffle_n;
    return (waveColumn(C, Thread) * Config::shuffle_n + InPass) *
               Instr::Columns +
           Instr::resultColumn(Thread % Instr::Lanes);
  }

  template <class Config>
  static KPACK_CONV_FUNCTION auto &sums(State<Config> &S, int Chunk) {
    return S.Of[Chunk / Columns<Config>][Chunk % Columns<Config>];
  }

  template <class Config>
  static KPACK_CONV_FUNCTION void clear(Config, State<Config> &S) {
    KPACK_CONV_UNROLL
    for (int AtRow = 0; AtRow < Rows<Config>; ++AtRow)
      KPACK_CONV_UNROLL
    for (int AtColumn = 0; AtColumn < Columns<Config>; ++AtColumn)
      S.Of[AtRow][AtColumn] = typename Instr::Total{};
    S.Lacks.clear();
  }
  template <class Config>
  static KPACK_CONV_FUNCTION void finish(Config, int Thread, State<Config> &S) {
    S.Lacks.addTo(S.Of, Thread % Instr::Lanes);
  }

  /// Reads a lane's operand from \p Line. LowerTiles.h ensures that the pitch
  /// keeps the alignment.
  template <bool IsLeft, class Config>
  static KPACK_CONV_FUNCTION typename Instr::Operand
  operand(const unsigned char *Lds, int Line, int Depth) {
    using Its = Loader<IsLeft, Sum, View, Config>;
    constexpr int Size = int(sizeof(typename Instr::Element));
    return bitsOf<typename Instr::Operand>(
        wordsOf<Instr::PerLane * Size, Its::Its::lds_vector * Size>(
            Lds + (Line * Its::pitch(Config()) + Depth) * Size));
  }

  template <class Config>
  static KPACK_CONV_FUNCTION void
  multiply(Config C, int Thread, const unsigned char *A, const unsigned char *B,
           State<Config> &S) {
    int Lane = Thread % Instr::Lanes;
    int Row = waveRow(C, Thread) * Rows<Config> * Instr::Rows +
              Instr::operandRow(Lane);
    int Column = waveColumn(C, Thread) * Columns<Config> * Instr::Columns +
                 Instr::operandRow(Lane);
    // If sums take half of a lane's registers, prefetching operands of more
    // steps would exceed the registers.
    constexpr int Steps = Config::tile_k / Instr::Depth;
    constexpr bool IsFull = sizeof(State<Config>) >= 128 * sizeof(int);
    constexpr int AtOnce = IsFull && Steps > 2 ? 2 : Steps;
#pragma clang loop unroll_count(AtOnce)
    for (int Depth = 0; Depth < Config::tile_k; Depth += Instr::Depth) {
      int From = Depth + Instr::operandK(Lane);
      typename Instr::Operand Right[Columns<Config>];
      KPACK_CONV_UNROLL
      for (int AtColumn = 0; AtColumn < Columns<Config>; ++AtColumn) {
        Right[AtColumn] =
            operand<false, Config>(B, Column + AtColumn * Instr::Columns, From);
        S.Lacks.takeRight(AtColumn, Right[AtColumn]);
      }
      KPACK_CONV_UNROLL
      for (int AtRow = 0; AtRow < Rows<Config>; ++AtRow) {
        auto Left = operand<true, Config>(A, Row + AtRow * Instr::Rows, From);
        S.Lacks.takeLeft(AtRow, Left);
        KPACK_CONV_UNROLL
        for (int AtColumn = 0; AtColumn < Columns<Config>; ++AtColumn)
          S.Of[AtRow][AtColumn] =
              Instr::multiply(Left, Right[AtColumn], S.Of[AtRow][AtColumn]);
      }
    }
  }
};

/// Left and Right: whether bytes of the operands are signed.
template <class Config> struct TileOf<Config, true> {
  using View = ViewOf<Config>;
  using Type = MatrixTile<
      Instruction<int(Config::instruction),
                  int(decltype(View::left(Config()))::compute) != type::U8,
                  int(decltype(View::right(Config()))::compute) != type::U8>,
      View>;
};

} // namespace kpack::conv::device
#endif // __AMDGCN__

#endif // KPACK_CONV_KERNELS_MATRIX_TILE_H
