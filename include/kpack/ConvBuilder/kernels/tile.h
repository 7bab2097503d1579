//===- kernels/tile.h - who multiplies which part of a tile -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads (thread_tile.h), or waves with matrix instructions
// (matrix_tile.h), have that multiply two tiles in LDS, where load.h has put
// them. The sums of a thread are in chunks, whose code is unrolled, since
// registers have no numbers that a loop could count:
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

#include "kpack/ConvBuilder/kernels/instr.h"
#include "kpack/ConvBuilder/kernels/load.h"

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

/// What multiplies in a kernel: a number of MatrixInstruction, or what threads
/// do by themselves.
template <class Config,
          bool IsMatrix = Config::instruction != instruction::NONE &&
                          int(Config::instruction) < instruction::DOT_F16>
struct TileOf;

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_TILE_H
