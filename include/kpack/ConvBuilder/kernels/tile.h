//===- kernels/tile.h - interface of tiles ----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multiplies two tiles that load.h has written to LDS, by threads
// (thread_tile.h) or by waves with matrix instructions (matrix_tile.h). The
// sums of a thread form chunks, whose code is unrolled, since a loop counter
// cannot index registers:
//
//   multiply(C, thread, A, B, sums)
//   finish(C, thread, sums)           after the last product
//   chunks(C), inChunk(C)             chunks of a thread, and sums in a chunk
//   row(C, thread, chunk, i)          the place of a sum in the tile
//   column(C, thread, chunk, i)
//   sums(state, chunk)                the sums, as an array or a vector
//
// Some chunks of all threads pass through LDS at once:
//
//   passRows(C), passColumns(C)       their size
//   findChunk(C, pass, i)               the chunks of a thread
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_TILE_H
#define KPACK_CONV_KERNELS_TILE_H

#include "kpack/ConvBuilder/kernels/instr.h"
#include "kpack/ConvBuilder/kernels/load.h"

namespace kpack::conv::device {

/// Reads neighbours of a line from LDS, by accesses of Each bytes.
template <int Bytes, int Each>
KPACK_CONV_FUNCTION typename WordsOf<Bytes>::Type
wordsOf(const unsigned char *Address) {
  typename WordsOf<Bytes>::Type Dwords;
  constexpr int Step = Each < Bytes ? Each : Bytes;
  KPACK_CONV_UNROLL
  for (int I = 0; I < Bytes; I += Step)
    __builtin_memcpy(
        reinterpret_cast<unsigned char *>(&Dwords) + I,
        __builtin_assume_aligned(Address + I, Step < 16 ? Step : 16), Step);
  return Dwords;
}

/// Calls Do with a constant equal to \p At, with separate code for each of
/// Count values. The empty asm statement keeps compilers from merging the
/// copies into one that indexes registers.
template <int Count, int From = 0, class Function>
KPACK_CONV_FUNCTION void withNumber(int Index, Function &&Do) {
  if (From + 1 == Count || Index == From) {
    Do(Number<From>());
    asm volatile("");
    return;
  }
  if constexpr (From + 1 < Count)
    withNumber<Count, From + 1>(Index, Do);
}

/// The tile of a kernel: for a matrix instruction, or for products of single
/// threads.
template <class Config,
          bool IsMatrix = Config::instruction != instruction::NONE &&
                          int(Config::instruction) < instruction::DOT_F16>
struct TileOf;

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_TILE_H
