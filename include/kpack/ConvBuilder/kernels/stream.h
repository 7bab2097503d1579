//===- kernels/stream.h - tiles that work-groups share ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stream-K. As many tiles as fill a GPU, once or several times, are one
// work-group's each. What is left would leave the GPU half empty: the tiles of
// k of all of them are one line, of which each sharer has a piece. So a sharer
// has a part of one tile, or the end of one and the beginning of the next.
//
//   tiles    |  whole  |    5    |    6    |    7    |
//   sharers            |  0  |  1  |  2  |  3  |  4  |
//
// A tile that is all in one piece is stored as others are. Parts of the others
// go to the workspace, in the type of sums; a later step adds them in the
// order of k, one after another or in pairs, then operates and converts. Nobody
// waits for anybody, and each run has the same bits.
//
// The part that a sharer has of a tile has the number sharer + tile, both from
// 0: along the line one of them grows, or both, so that no number is there
// twice, and those of a tile are neighbours.
//
// Siblings: igemm.h, which computes tiles; split.h, pieces of all sums;
// StreamTiles of Resources.h, which says how many of everything there are.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_STREAM_H
#define KPACK_CONV_KERNELS_STREAM_H

#include "kpack/ConvBuilder/kernels/igemm.h"

namespace kpack::conv::device {

/// Tiles of k in a sum.
template <class Product> KPACK_CONV_FUNCTION int stepsOf(const Product &P) {
  int Step = int(P.C.tile_k);
  return (P.depth() + Step - 1) / Step;
}

/// Rows are the fastest, as in the grid of igemm.h.
template <class Product>
KPACK_CONV_FUNCTION void goToTile(Product &P, int Tile) {
  int Rows = int(P.C.tile_m), Columns = int(P.C.tile_n);
  P.FirstRow = takeLast(Tile, (P.rows() + Rows - 1) / Rows) * Rows;
  P.FirstColumn =
      takeLast(Tile, (P.columns() + Columns - 1) / Columns) * Columns;
  P.Group = Tile;
}

/// What a sharer has of the line.
KPACK_CONV_FUNCTION DepthRange rangeOfSharer(const Arguments &A, int Sharer) {
  if (Sharer < 0 || Sharer >= A.Pieces)
    return {0, 0};
  return depthOfPiece(A.Line, 1, Sharer, A.Pieces);
}

/// Whose a place of the line is. The inverse of rangeOfSharer().
KPACK_CONV_FUNCTION int sharerOf(const Arguments &A, int At) {
  int Each = A.Line / A.Pieces, Larger = A.Line - Each * A.Pieces;
  int OfLarger = Larger * (Each + 1);
  return At < OfLarger ? At / (Each + 1) : Larger + (At - OfLarger) / Each;
}

/// A part in the workspace.
template <class Product>
KPACK_CONV_FUNCTION typename Product::Sum *partAt(const Product &P,
                                                  int Number) {
  return static_cast<typename Product::Sum *>(P.A.Workspace) +
         1ll * Number * (int(P.C.tile_m) * int(P.C.tile_n));
}

/// Sums to the part with this number, which no LDS has to sort.
template <class Product, class Threads>
KPACK_CONV_FUNCTION void keepPart(const Product &P, int Number,
                                  Threads &&Each) {
  auto *To = partAt(P, Number);
  int Columns = int(P.C.tile_n);
  Each([&](int Id, auto &Mine) KPACK_CONV_INLINE {
    P.forSums(Id, Mine, [&](int Row, int Column, auto Total) KPACK_CONV_INLINE {
      To[Row * Columns + Column] = Total;
    });
  });
}

/// All tiles of work-group \p Number: those that are its own, and what it has
/// of the line. One piece of code computes both.
template <class Product, class Threads>
KPACK_CONV_FUNCTION void streamTiles(Product &P, unsigned char *Lds, int Number,
                                     Threads &&Each) {
  const Arguments &A = P.A;
  int Steps = stepsOf(P), Step = int(P.C.tile_k);
  // One that goes over all tiles is a sharer as well.
  int Sharer = int(P.C.persistent) ? Number : Number - A.Whole;
  DepthRange Left = rangeOfSharer(A, Sharer);
  // A sum with the grid's size may be more than an integer has.
  auto Own = unsigned(Number), Whole = unsigned(A.Whole);
  KPACK_CONV_ROLL
  while (Own < Whole || Left.First < Left.End) {
    int Tile = int(Own), First = 0, End = Steps, Part = 0;
    if (Own < Whole) {
      Own += A.Grid[0];
    } else {
      int Shared = Left.First / Steps;
      First = Left.First - Shared * Steps;
      int Most = First + (Left.End - Left.First);
      End = Most < Steps ? Most : Steps;
      Left.First += End - First;
      Tile = A.Whole + Shared;
      Part = Sharer + Shared;
    }
    goToTile(P, Tile);
    P.Part = {First * Step, End < Steps ? End * Step : P.depth()};
    sumTile(P, Lds, Each);
    if (First == 0 && End == Steps)
      storeTile(P, Lds, Each);
    else
      keepPart(P, Part, Each);
  }
}

/// \p Count numbers, \p Apart from each other, from the first to the last one.
template <class Sum>
KPACK_CONV_FUNCTION Sum addedInOrder(const Sum *From, int Apart, int Count) {
  Sum Total = 0;
  // Loads of some of them are on their way at once.
#ifdef __clang__
#pragma clang loop unroll_count(8)
#endif
  for (int I = 0; I < Count; ++I)
    Total = multiplyAdd(Total, From[I * Apart], Sum(1));
  return Total;
}

/// The same in pairs, and pairs of pairs, as a counter carries: level L has the
/// sum of 2^L numbers where bit L of their count is set. There is room for more
/// than a tile has parts (MostPartsOfTile of Resources.h).
template <class Sum>
KPACK_CONV_FUNCTION Sum addedInPairs(const Sum *From, int Apart, int Count) {
  constexpr int Levels = 8;
  Sum Kept[Levels] = {};
  KPACK_CONV_ROLL
  for (int I = 0; I < Count; ++I) {
    Sum Total = From[I * Apart];
    KPACK_CONV_UNROLL
    for (int Level = 0; Level < Levels; ++Level) {
      // Above the first bit that is not set, what is kept is not looked at
      // before a carry has come there.
      if (I >> Level & 1)
        Total = multiplyAdd(Kept[Level], Total, Sum(1));
      else
        Kept[Level] = Total;
    }
  }
  Sum Total = 0;
  KPACK_CONV_UNROLL
  for (int Level = 0; Level < Levels; ++Level)
    if (Count >> Level & 1)
      Total = multiplyAdd(Kept[Level], Total, Sum(1));
  return Total;
}

/// Second numbers of work-groups are shared tiles; a thread has one element.
template <class Tile, class View, class Config>
KPACK_CONV_FUNCTION void reduceTiles(Config C, const Arguments &A,
                                     const AuxiliaryArgument *Auxiliary,
                                     const Place &Here) {
  using Its = TiledProduct<Tile, View, Config>;
  using Sum = typename Its::Sum;
  AuxiliaryPlaces Places = auxiliaryPlaces(C, Auxiliary);
#ifdef __AMDGCN__
  Its Product = {{A, Places, 0, 0, 0}, 0, {0, 0}};
#else
  Its Product = {{C, A, Places, 0, 0, 0}, 0, {0, 0}};
#endif
  int Steps = stepsOf(Product), Shared = int(Here.Group[1]);
  int First = sharerOf(A, Shared * Steps);
  int Last = sharerOf(A, Shared * Steps + Steps - 1);
  if (First == Last) // who has stored it
    return;
  goToTile(Product, A.Whole + Shared);
  const Sum *Parts = partAt(Product, First + Shared);
  int Columns = int(C.tile_n), Elements = int(C.tile_m) * Columns;
  int At = int(Here.Group[0]) * split::Threads + int(Here.Thread);
  Position P;
  if (At >= Elements || !Product.find(At / Columns, At % Columns, P))
    return;
  int Count = Last - First + 1;
  Sum Total = int(C.in_pairs) ? addedInPairs(Parts + At, Elements, Count)
                              : addedInOrder(Parts + At, Elements, Count);
  storeResult(View::result(C), C.fnuz, View::resultOf(A), Places.Result, P,
              Total);
}

/// What one thread of the next step does.
template <class Config>
KPACK_CONV_FUNCTION void reduceShared(Config C, const Arguments &A,
                                      const AuxiliaryArgument *Auxiliary,
                                      const Place &Here) {
#ifdef __AMDGCN__
  using Tile = typename TileOf<Config>::Type;
  reduceTiles<Tile, ViewOf<Config>>(C, A, Auxiliary, Here);
#else
  withView(C, [&](auto View) {
    using Its = decltype(View);
    if (int(C.accumulation) == type::I32)
      reduceTiles<ThreadTile<int, Its>, Its>(C, A, Auxiliary, Here);
    else
      reduceTiles<ThreadTile<float, Its>, Its>(C, A, Auxiliary, Here);
  });
#endif
}

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_STREAM_H
