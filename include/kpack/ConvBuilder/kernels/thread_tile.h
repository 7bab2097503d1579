//===- kernels/thread_tile.h - tiles of single threads ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile (tile.h) of VALU and DOT. A chunk is a row.
//
// Sibling: matrix_tile.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_THREAD_TILE_H
#define KPACK_CONV_KERNELS_THREAD_TILE_H

#include "kpack/ConvBuilder/kernels/tile.h"

namespace kpack::conv::device {

/// The tile of VALU and DOT: each thread has pieces of thread_m rows and
/// thread_n columns.
template <class SumType, class View> struct ThreadTile {
  using Sum = SumType;
#ifdef __AMDGCN__
  template <class Config>
  static constexpr int Rows = Config::tile_m / Config::threads_m;
  template <class Config>
  static constexpr int Columns = Config::tile_n / Config::threads_n;
#else
  template <class> static constexpr int Rows = 16;
  template <class> static constexpr int Columns = 16;
#endif
  template <class Config> struct State {
    Sum Of[Rows<Config>][Columns<Config>];
  };

  template <class Config> static KPACK_CONV_KNOWN int chunks(Config C) {
    return int(C.tile_m) / int(C.threads_m);
  }
  template <class Config> static KPACK_CONV_KNOWN int inChunk(Config C) {
    return int(C.tile_n) / int(C.threads_n);
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int row(Config C, int Thread, int Chunk, int) {
    int Piece = Chunk / int(C.thread_m), In = Chunk % int(C.thread_m);
    return (Piece * int(C.threads_m) + Thread / int(C.threads_n)) *
               int(C.thread_m) +
           In;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int column(Config C, int Thread, int, int I) {
    int Piece = I / int(C.thread_n), In = I % int(C.thread_n);
    return (Piece * int(C.threads_n) + Thread % int(C.threads_n)) *
               int(C.thread_n) +
           In;
  }

  /// A pass has one chunk of each thread.
  template <class Config> static KPACK_CONV_KNOWN int passRows(Config C) {
    return int(C.threads_m);
  }
  template <class Config> static KPACK_CONV_KNOWN int passColumns(Config C) {
    return int(C.tile_n);
  }
  template <class Config> static KPACK_CONV_KNOWN int passChunks(Config) {
    return 1;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int findChunk(Config, int Pass, int) {
    return Pass;
  }
  /// Convert a row of the pass to one of the tile, and back.
  template <class Config>
  static KPACK_CONV_FUNCTION int tileRow(Config C, int Pass, int Row) {
    return row(C, Row * int(C.threads_n), Pass, 0);
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int tileColumn(Config, int, int Column) {
    return Column;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int passRow(Config C, int Thread, int, int) {
    return Thread / int(C.threads_n);
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int passColumn(Config C, int Thread, int Chunk,
                                            int I) {
    return column(C, Thread, Chunk, I);
  }

  /// Returns the sums of a chunk.
  template <class Config>
  static KPACK_CONV_FUNCTION auto &sums(State<Config> &S, int Chunk) {
    return S.Of[Chunk];
  }

  template <class Config>
  static KPACK_CONV_FUNCTION void clear(Config C, State<Config> &S) {
    KPACK_CONV_UNROLL
    for (int AtRow = 0; AtRow < chunks(C); ++AtRow)
      KPACK_CONV_UNROLL
    for (int AtColumn = 0; AtColumn < inChunk(C); ++AtColumn)
      S.Of[AtRow][AtColumn] = 0;
  }

  template <class Config>
  static KPACK_CONV_FUNCTION void finish(Config, int, State<Config> &) {}

  /// Reads one number of an operand, from LDS or registers.
  template <bool IsLeft, class Config>
  static KPACK_CONV_FUNCTION Sum number(Config C, const void *In, int Index) {
    auto Traits = Loader<IsLeft, Sum, View, Config>::tensor(C);
    if constexpr (RealBeside<Sum>::IsInteger)
      if (isInteger(Traits.compute))
        return loadInteger(Traits.compute, In, Index);
    return static_cast<Sum>(loadReal<typename RealBeside<Sum>::Type>(
        Traits.compute, C.fnuz, In, Index));
  }

  /// Reads thread_k neighbours of a line.
  template <bool IsLeft, class Config>
  static KPACK_CONV_FUNCTION auto numbers(Config C, const unsigned char *Lds,
                                          int Line, int Depth) {
    using Its = Loader<IsLeft, Sum, View, Config>;
    const unsigned char *Address =
        Lds + (Line * Its::pitch(C) + Depth) * Its::size(C);
#ifdef __AMDGCN__
    constexpr int Size = Its::Bytes / Its::Its::vector;
    return wordsOf<Config::thread_k * Size, Its::Its::lds_vector * Size>(
        Address);
#else
    TestWords Dwords;
    __builtin_memcpy(
        &Dwords, Address,
        static_cast<unsigned long>(int(C.thread_k) * Its::size(C)));
    return Dwords;
#endif
  }

  template <class Config, class A, class B>
  static KPACK_CONV_FUNCTION Sum product(Config C, const A &Left,
                                         const B &Right, Sum Total) {
#ifdef __AMDGCN__
    if constexpr (int(Config::instruction) != instruction::NONE) {
      unsigned InLeft[sizeof(A) / 4], InRight[sizeof(B) / 4];
      __builtin_memcpy(InLeft, &Left, sizeof(A));
      __builtin_memcpy(InRight, &Right, sizeof(B));
      KPACK_CONV_UNROLL
      for (int I = 0; I < int(sizeof(A) / 4); ++I)
        Total = addDotProduct<
            int(Config::instruction),
            int(decltype(View::left(Config()))::compute) != type::U8,
            int(decltype(View::right(Config()))::compute) != type::U8>(
            InLeft[I], InRight[I], Total);
      return Total;
    }
#endif
    KPACK_CONV_UNROLL
    for (int I = 0; I < int(C.thread_k); ++I)
      Total = multiplyAdd(Total, number<true>(C, &Left, I),
                          number<false>(C, &Right, I));
    return Total;
  }

  template <class Config>
  static KPACK_CONV_FUNCTION void
  multiply(Config C, int Thread, const unsigned char *A, const unsigned char *B,
           State<Config> &S) {
    KPACK_CONV_ROLL
    for (int Depth = 0; Depth < int(C.tile_k); Depth += int(C.thread_k)) {
      decltype(numbers<false>(C, B, 0, Depth)) Right[Columns<Config>];
      KPACK_CONV_UNROLL
      for (int AtColumn = 0; AtColumn < inChunk(C); ++AtColumn)
        Right[AtColumn] =
            numbers<false>(C, B, column(C, Thread, 0, AtColumn), Depth);
      KPACK_CONV_UNROLL
      for (int AtRow = 0; AtRow < chunks(C); ++AtRow) {
        auto Left = numbers<true>(C, A, row(C, Thread, AtRow, 0), Depth);
        KPACK_CONV_UNROLL
        for (int AtColumn = 0; AtColumn < inChunk(C); ++AtColumn)
          S.Of[AtRow][AtColumn] =
              product(C, Left, Right[AtColumn], S.Of[AtRow][AtColumn]);
      }
    }
  }
};

#ifdef __AMDGCN__
template <class Config> struct TileOf<Config, false> {
  using Type = ThreadTile<SumOf<Config>, ViewOf<Config>>;
};
#endif

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_THREAD_TILE_H
