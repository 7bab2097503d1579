//===- kernels/tile.h - who multiplies which part of a tile -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads, or waves with matrix instructions, that multiply two tiles in LDS,
// where load.h has put them. The sums of a thread are in chunks, whose code is
// unrolled, since registers have no numbers that a loop could count:
//
//   multiply(C, thread, A, B, sums)
//   finish(C, thread, sums)           when all is multiplied
//   chunks(C), inChunk(C)             how many a thread has, and sums in each
//   row(C, thread, chunk, i)          where one is in the tile
//   column(C, thread, chunk, i)
//   sums(state, chunk)                they, as an array or a vector
//
// Some chunks of all threads pass through LDS at once:
//
//   passRows(C), passColumns(C)       of sums that do
//   chunkOf(C, pass, i)               which chunks of a thread
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_TILE_H
#define KPACK_CONV_KERNELS_TILE_H

#include "kpack/ConvBuilder/kernels/unsigned.h"

namespace kpack::conv::device {

/// Some neighbours of a line in LDS, by accesses of Each bytes.
template <int Bytes, int Each>
KPACK_CONV_FUNCTION typename WordsOf<Bytes>::Type
wordsOf(const unsigned char *At) {
  typename WordsOf<Bytes>::Type Words;
  constexpr int Step = Each < Bytes ? Each : Bytes;
  KPACK_CONV_UNROLL
  for (int I = 0; I < Bytes; I += Step)
    __builtin_memcpy(reinterpret_cast<unsigned char *>(&Words) + I,
                     __builtin_assume_aligned(At + I, Step < 16 ? Step : 16),
                     Step);
  return Words;
}

/// Calls Do with a constant that is \p At: a piece of code for each of Count.
/// Without something between them that nothing is moved over, compilers make
/// one piece of all, with a number of a register in it.
template <int Count, int From = 0, class Function>
KPACK_CONV_FUNCTION void withNumber(int At, Function &&Do) {
  if (From + 1 == Count || At == From) {
    Do(Number<From>());
    asm volatile("");
    return;
  }
  if constexpr (From + 1 < Count)
    withNumber<Count, From + 1>(At, Do);
}

/// The tile of VALU and DOT: each thread has pieces of thread_m rows and
/// thread_n columns. A chunk is a row.
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

  template <class Config>
  static KPACK_CONV_KNOWN int chunks(Config C) {
    return int(C.tile_m) / int(C.threads_m);
  }
  template <class Config>
  static KPACK_CONV_KNOWN int inChunk(Config C) {
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

  /// One chunk of each thread.
  template <class Config>
  static KPACK_CONV_KNOWN int passRows(Config C) {
    return int(C.threads_m);
  }
  template <class Config>
  static KPACK_CONV_KNOWN int passColumns(Config C) {
    return int(C.tile_n);
  }
  template <class Config>
  static KPACK_CONV_KNOWN int passChunks(Config) {
    return 1;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int chunkOf(Config, int Pass, int) {
    return Pass;
  }
  /// From a row in the pass to one in the tile, and back.
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

  /// The sums of a chunk.
  template <class Config>
  static KPACK_CONV_FUNCTION auto &sums(State<Config> &S, int Chunk) {
    return S.Of[Chunk];
  }

  template <class Config>
  static KPACK_CONV_FUNCTION void clear(Config C, State<Config> &S) {
    KPACK_CONV_UNROLL
    for (int M = 0; M < chunks(C); ++M)
      KPACK_CONV_UNROLL
    for (int N = 0; N < inChunk(C); ++N)
      S.Of[M][N] = 0;
  }

  template <class Config>
  static KPACK_CONV_FUNCTION void finish(Config, int, State<Config> &) {}

  /// One number of an operand, in LDS or in registers.
  template <bool IsLeft, class Config>
  static KPACK_CONV_FUNCTION Sum number(Config C, const void *In, int At) {
    auto Of = Loader<IsLeft, Sum, View, Config>::tensor(C);
    if constexpr (RealBeside<Sum>::IsInteger)
      if (isInteger(Of.compute))
        return loadInteger(Of.compute, In, At);
    return static_cast<Sum>(
        loadReal<typename RealBeside<Sum>::Type>(Of.compute, C.fnuz, In, At));
  }

  /// thread_k neighbours of a line.
  template <bool IsLeft, class Config>
  static KPACK_CONV_FUNCTION auto numbers(Config C, const unsigned char *Lds,
                                          int Line, int K) {
    using Its = Loader<IsLeft, Sum, View, Config>;
    const unsigned char *At = Lds + (Line * Its::pitch(C) + K) * Its::size(C);
#ifdef __AMDGCN__
    constexpr int Size = Its::Bytes / Its::Its::vector;
    return wordsOf<Config::thread_k * Size, Its::Its::lds_vector * Size>(At);
#else
    TestWords Words;
    __builtin_memcpy(
        &Words, At, static_cast<unsigned long>(int(C.thread_k) * Its::size(C)));
    return Words;
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
    for (int K = 0; K < int(C.tile_k); K += int(C.thread_k)) {
      decltype(numbers<false>(C, B, 0, K)) Right[Columns<Config>];
      KPACK_CONV_UNROLL
      for (int N = 0; N < inChunk(C); ++N)
        Right[N] = numbers<false>(C, B, column(C, Thread, 0, N), K);
      KPACK_CONV_UNROLL
      for (int M = 0; M < chunks(C); ++M) {
        auto Left = numbers<true>(C, A, row(C, Thread, M, 0), K);
        KPACK_CONV_UNROLL
        for (int N = 0; N < inChunk(C); ++N)
          S.Of[M][N] = product(C, Left, Right[N], S.Of[M][N]);
      }
    }
  }
};

#ifdef __AMDGCN__
/// The tile of matrix instructions: waves share it, and repeat theirs. A chunk
/// is the result of one.
template <class Instr, class View> struct MatrixTile {
  using Sum = typename Instr::Sum;
  template <class Config>
  static constexpr int Rows = Config::tile_m / (Config::wave_m * Instr::M);
  template <class Config>
  static constexpr int Columns = Config::tile_n / (Config::wave_n * Instr::N);
  template <class Config> struct State {
    typename Instr::Total Of[Rows<Config>][Columns<Config>];
    Lacking<Instr, Rows<Config>, Columns<Config>> Lacks;
  };

  /// Which wave, and its first row and column.
  template <class Config>
  static KPACK_CONV_FUNCTION int waveRow(Config, int Thread) {
    return Thread / Instr::Lanes / Config::wave_n;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int waveColumn(Config, int Thread) {
    return Thread / Instr::Lanes % Config::wave_n;
  }

  template <class Config>
  static KPACK_CONV_KNOWN int chunks(Config) {
    return Rows<Config> * Columns<Config>;
  }
  template <class Config>
  static KPACK_CONV_KNOWN int inChunk(Config) {
    return Instr::Results;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int row(Config C, int Thread, int Chunk, int I) {
    return (waveRow(C, Thread) * Rows<Config> +
            Chunk / Columns<Config>)*Instr::M +
           Instr::resultRow(Thread % Instr::Lanes, I);
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int column(Config C, int Thread, int Chunk, int) {
    return (waveColumn(C, Thread) * Columns<Config> +
            Chunk % Columns<Config>)*Instr::N +
           Instr::resultColumn(Thread % Instr::Lanes);
  }

  /// shuffle_m by shuffle_n chunks of each wave.
  template <class Config>
  static KPACK_CONV_KNOWN int passRows(Config) {
    return Config::wave_m * Config::shuffle_m * Instr::M;
  }
  template <class Config>
  static KPACK_CONV_KNOWN int passColumns(Config) {
    return Config::wave_n * Config::shuffle_n * Instr::N;
  }
  template <class Config>
  static KPACK_CONV_KNOWN int passChunks(Config) {
    return Config::shuffle_m * Config::shuffle_n;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int chunkOf(Config, int Pass, int I) {
    constexpr int Passes = Columns<Config> / Config::shuffle_n;
    int Row = Pass / Passes * Config::shuffle_m + I / Config::shuffle_n;
    int Column = Pass % Passes * Config::shuffle_n + I % Config::shuffle_n;
    return Row * Columns<Config> + Column;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int tileRow(Config, int Pass, int Row) {
    constexpr int InWave = Config::shuffle_m * Instr::M;
    constexpr int Passes = Columns<Config> / Config::shuffle_n;
    return (Row / InWave * Rows<Config> + Pass / Passes * Config::shuffle_m) *
               Instr::M +
           Row % InWave;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int tileColumn(Config, int Pass, int Column) {
    constexpr int InWave = Config::shuffle_n * Instr::N;
    constexpr int Passes = Columns<Config> / Config::shuffle_n;
    return (Column / InWave * Columns<Config> +
            Pass % Passes * Config::shuffle_n) *
               Instr::N +
           Column % InWave;
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int passRow(Config C, int Thread, int Chunk,
                                         int I) {
    int InPass = Chunk / Columns<Config> % Config::shuffle_m;
    return (waveRow(C, Thread) * Config::shuffle_m + InPass) * Instr::M +
           Instr::resultRow(Thread % Instr::Lanes, I);
  }
  template <class Config>
  static KPACK_CONV_FUNCTION int passColumn(Config C, int Thread, int Chunk,
                                            int) {
    int InPass = Chunk % Columns<Config> % Config::shuffle_n;
    return (waveColumn(C, Thread) * Config::shuffle_n + InPass) * Instr::N +
           Instr::resultColumn(Thread % Instr::Lanes);
  }

  template <class Config>
  static KPACK_CONV_FUNCTION auto &sums(State<Config> &S, int Chunk) {
    return S.Of[Chunk / Columns<Config>][Chunk % Columns<Config>];
  }

  template <class Config>
  static KPACK_CONV_FUNCTION void clear(Config, State<Config> &S) {
    KPACK_CONV_UNROLL
    for (int M = 0; M < Rows<Config>; ++M)
      KPACK_CONV_UNROLL
    for (int N = 0; N < Columns<Config>; ++N)
      S.Of[M][N] = typename Instr::Total{};
    S.Lacks.clear();
  }
  template <class Config>
  static KPACK_CONV_FUNCTION void finish(Config, int Thread, State<Config> &S) {
    S.Lacks.addTo(S.Of, Thread % Instr::Lanes);
  }

  /// What a lane gives of \p Line and those behind it. Tiles.cpp sees to it
  /// that a pitch keeps the alignment.
  template <bool IsLeft, class Config>
  static KPACK_CONV_FUNCTION typename Instr::Operand
  operand(const unsigned char *Lds, int Line, int K) {
    using Its = Loader<IsLeft, Sum, View, Config>;
    constexpr int Size = int(sizeof(typename Instr::Element));
    return bitsOf<typename Instr::Operand>(
        wordsOf<Instr::PerLane * Size, Its::Its::lds_vector * Size>(
            Lds + (Line * Its::pitch(Config()) + K) * Size));
  }

  template <class Config>
  static KPACK_CONV_FUNCTION void
  multiply(Config C, int Thread, const unsigned char *A, const unsigned char *B,
           State<Config> &S) {
    int Lane = Thread % Instr::Lanes;
    int Row =
        waveRow(C, Thread) * Rows<Config> * Instr::M + Instr::operandRow(Lane);
    int Column = waveColumn(C, Thread) * Columns<Config> * Instr::N +
                 Instr::operandRow(Lane);
    KPACK_CONV_UNROLL
    for (int K = 0; K < Config::tile_k; K += Instr::K) {
      int From = K + Instr::operandK(Lane);
      typename Instr::Operand Right[Columns<Config>];
      KPACK_CONV_UNROLL
      for (int N = 0; N < Columns<Config>; ++N) {
        Right[N] = operand<false, Config>(B, Column + N * Instr::N, From);
        S.Lacks.takeRight(N, Right[N]);
      }
      KPACK_CONV_UNROLL
      for (int M = 0; M < Rows<Config>; ++M) {
        auto Left = operand<true, Config>(A, Row + M * Instr::M, From);
        S.Lacks.takeLeft(M, Left);
        KPACK_CONV_UNROLL
        for (int N = 0; N < Columns<Config>; ++N)
          S.Of[M][N] = Instr::multiply(Left, Right[N], S.Of[M][N]);
      }
    }
  }
};
#endif // __AMDGCN__

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_TILE_H
