//===- kernels/stream.h - stream-K ------------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stream-K. As many tiles as fill a GPU, once or several times, are computed by
// one work-group each. The remaining tiles would leave a part of the GPU idle:
// their tiles of k form a line, of which each sharer gets a piece of nearly
// equal length. So a sharer computes a part of one tile, or the end of one and
// the beginning of the next.
//
//   tiles    |  whole  |    5    |    6    |    7    |
//   sharers            |  0  |  1  |  2  |  3  |  4  |
//
// A tile within one piece is stored like other tiles. Parts of tiles are
// written to the workspace, in the type of sums; a later step adds them in the
// order of k, in sequence or in pairs, then applies the operation and converts.
// No work-group waits for another, and each run has the same bits.
//
// The part of a tile by a sharer has the index sharer + shared tile, both from
// 0: each step along the line increases one of them or both, so that indices
// are unique, and those of a tile are consecutive.
//
// Siblings: igemm.h, which computes tiles; split.h, pieces of all sums;
// StreamTiles of Resources.h, which computes all these numbers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_STREAM_H
#define KPACK_CONV_KERNELS_STREAM_H

#include "kpack/ConvBuilder/kernels/igemm.h"

namespace kpack::conv::device {

/// Returns the tiles of k in a sum.
template <class Product> KPACK_CONV_FUNCTION int stepsOf(const Product &P) {
  int Step = int(P.C.tile_k);
  return (P.depth() + Step - 1) / Step;
}

/// Rows are fastest, as in the grid of igemm.h.
template <class Product>
KPACK_CONV_FUNCTION void goToTile(Product &P, int Tile) {
  int Rows = int(P.C.tile_m), Columns = int(P.C.tile_n);
  P.FirstRow = takeLast(Tile, (P.rows() + Rows - 1) / Rows) * Rows;
  P.FirstColumn =
      takeLast(Tile, (P.columns() + Columns - 1) / Columns) * Columns;
  P.Group = Tile;
}

/// Returns a sharer's piece of the line.
KPACK_CONV_FUNCTION DepthRange rangeOfSharer(const Arguments &A, int Sharer) {
  if (Sharer < 0 || Sharer >= A.Pieces)
    return {0, 0};
  return depthOfPiece(A.Line, 1, Sharer, A.Pieces);
}

/// Returns the sharer of a place of the line. The inverse of rangeOfSharer().
KPACK_CONV_FUNCTION int findSharer(const Arguments &A, int Step) {
  int Each = A.Line / A.Pieces, Larger = A.Line - Each * A.Pieces;
  int OfLarger = Larger * (Each + 1);
  return Step < OfLarger ? Step / (Each + 1)
                         : Larger + (Step - OfLarger) / Each;
}

/// Returns the address of a part in the workspace.
template <class Product>
KPACK_CONV_FUNCTION typename Product::Sum *partAt(const Product &P, int Index) {
  return static_cast<typename Product::Sum *>(P.A.Workspace) +
         1ll * Index * (int(P.C.tile_m) * int(P.C.tile_n));
}

/// Writes sums to the part \p Number, directly from registers.
template <class Product, class Threads>
KPACK_CONV_FUNCTION void keepPart(const Product &P, int Index, Threads &&Each) {
  auto *Destination = partAt(P, Index);
  int Columns = int(P.C.tile_n);
  Each([&](int Id, auto &Mine) KPACK_CONV_INLINE {
    P.forSums(Id, Mine, [&](int Row, int Column, auto Total) KPACK_CONV_INLINE {
      Destination[Row * Columns + Column] = Total;
    });
  });
}

/// Computes all tiles of work-group \p Number: its own tiles, and its piece of
/// the line. The same code computes both.
template <class Product, class Threads>
KPACK_CONV_FUNCTION void streamTiles(Product &P, unsigned char *Lds,
                                     int WorkGroup, Threads &&Each) {
  const Arguments &A = P.A;
  int Steps = stepsOf(P), Step = int(P.C.tile_k);
  // A persistent work-group is a sharer as well.
  int Sharer = int(P.C.persistent) ? WorkGroup : WorkGroup - A.Whole;
  DepthRange Left = rangeOfSharer(A, Sharer);
  // Own plus the grid's size may exceed an int.
  auto Own = unsigned(WorkGroup), Whole = unsigned(A.Whole);
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

/// Adds \p Count numbers at distance \p Apart in sequence.
template <class Sum>
KPACK_CONV_FUNCTION Sum addedInOrder(const Sum *Partials, int Apart,
                                     int Count) {
  Sum Total = 0;
  // Several loads are in flight at once.
#ifdef __clang__
#pragma clang loop unroll_count(8)
#endif
  for (int I = 0; I < Count; ++I)
    Total = multiplyAdd(Total, Partials[I * Apart], Sum(1));
  return Total;
}

/// Adds them in pairs and pairs of pairs, like the carries of a binary counter:
/// level L holds the sum of 2^L numbers if bit L of their count is set. The
/// levels suffice for the parts of a tile (MostPartsOfTile of Resources.h).
template <class Sum>
KPACK_CONV_FUNCTION Sum addedInPairs(const Sum *Partials, int Apart,
                                     int Count) {
  constexpr int Levels = 8;
  Sum Kept[Levels] = {};
  KPACK_CONV_ROLL
  for (int I = 0; I < Count; ++I) {
    Sum Total = Partials[I * Apart];
    KPACK_CONV_UNROLL
    for (int Level = 0; Level < Levels; ++Level) {
      // Levels above the first clear bit hold no valid sum until a carry sets
      // them.
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

/// The second index of a work-group is the shared tile; a thread has one
/// element.
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
  int First = findSharer(A, Shared * Steps);
  int Last = findSharer(A, Shared * Steps + Steps - 1);
  if (First == Last) // stored by its only sharer
    return;
  goToTile(Product, A.Whole + Shared);
  const Sum *Parts = partAt(Product, First + Shared);
  int Columns = int(C.tile_n), Elements = int(C.tile_m) * Columns;
  int Element = int(Here.Group[0]) * split::Threads + int(Here.Thread);
  Position P;
  if (Element >= Elements ||
      !Product.find(Element / Columns, Element % Columns, P))
    return;
  int Count = Last - First + 1;
  Sum Total = int(C.in_pairs) ? addedInPairs(Parts + Element, Elements, Count)
                              : addedInOrder(Parts + Element, Elements, Count);
  storeResult(View::result(C), C.fnuz, View::resultOf(A), Places.Result, P,
              Total);
}

/// The body of a thread in the next step.
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
