//===- kernels/igemm.h - a tiled product of matrices ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution as a matrix product whose operands are never built: a
// work-group computes a tile of the result, and loads the tiles of both
// operands into LDS element by element through the filter.
//
//               rows               columns              k
//   Forward     (n, output)        k                    (filter, c)
//   Data        (n, image)         c                    (filter, k)
//   Weight      k                  (c, filter)          (output, n)
//
// Each group is a separate product, or several groups are merged into one
// product with their columns side by side (load.h).
//
// The body consists of phases between barriers. On a GPU each thread runs a
// phase; on the CPU all threads of a work-group run one phase before the next,
// so that sanitizers check all addresses there.
//
// The pipeline determines when tiles are loaded: V1 loads a tile, multiplies
// it, loads the next; V3 loads the next one into registers while it multiplies;
// V4 does the same with a second LDS buffer, and needs only one barrier for
// each tile.
//
// Sums are stored one by one from registers, or through LDS, from which threads
// read vectors of neighbours. In both cases the code that stores exists once,
// whatever the size of the tile.
//
// Siblings: load.h, operands from memory to LDS; tile.h, the product of tiles
// in LDS. A blob for a GPU includes only its tile.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_IGEMM_H
#define KPACK_CONV_KERNELS_IGEMM_H

#include "kpack/ConvBuilder/kernels/split.h"
#include "kpack/ConvBuilder/kernels/tile.h"
#ifndef __AMDGCN__
#include "kpack/ConvBuilder/kernels/thread_tile.h"
#endif

namespace kpack::conv::device {

/// A tile of the result, computed in phases.
template <class Tile, class View, class Config>
struct TiledProduct : Matrices<View, Config> {
  using Base = Matrices<View, Config>;
  using Sum = typename Tile::Sum;
  using Left = Loader<true, Sum, View, Config>;
  using Right = Loader<false, Sum, View, Config>;
  using Base::A, Base::Auxiliary, Base::C, Base::Group;
  using Base::FirstColumn, Base::FirstRow;
  using typename Base::Line;

  int Piece;       ///< of the sum
  DepthRange Part; ///< the piece's range of k

  struct Thread {
    typename Left::State OfLeft;
    typename Right::State OfRight;
    typename Tile::template State<Config> Sums;
  };

  /// Return the bytes of LDS of one buffer, and of a work-group.
  static KPACK_CONV_KNOWN int bufferBytes(Config C) {
    return Left::bytes(C) + Right::bytes(C);
  }
  static KPACK_CONV_KNOWN int ldsBytes(Config C) {
    int Operands = bufferBytes(C) * int(C.buffers);
    int Result = int(C.through_lds) ? Tile::passRows(C) * Tile::passColumns(C) *
                                          int(sizeof(Sum))
                                    : 0;
    return Operands > Result ? Operands : Result;
  }

  //===--------------------------------------------------------------------===//
  // The sum
  //===--------------------------------------------------------------------===//

  KPACK_CONV_FUNCTION void begin(int Id, Thread &Mine) const {
    Left::begin(*this, Id, Mine.OfLeft);
    Right::begin(*this, Id, Mine.OfRight);
    Tile::clear(C, Mine.Sums);
  }
  KPACK_CONV_FUNCTION void load(int Id, Thread &Mine, int FirstDepth,
                                unsigned char *Lds) const {
    Left::load(*this, Id, FirstDepth, Mine.OfLeft, Lds);
    Right::load(*this, Id, FirstDepth, Mine.OfRight, Lds + Left::bytes(C));
  }
  KPACK_CONV_FUNCTION void fetch(int Id, Thread &Mine, int FirstDepth) const {
    Left::fetch(*this, Id, FirstDepth, Mine.OfLeft);
    Right::fetch(*this, Id, FirstDepth, Mine.OfRight);
  }
  KPACK_CONV_FUNCTION void put(int Id, Thread &Mine, unsigned char *Lds) const {
    Left::put(C, Id, Mine.OfLeft, Lds);
    Right::put(C, Id, Mine.OfRight, Lds + Left::bytes(C));
  }
  KPACK_CONV_FUNCTION void multiply(int Id, Thread &Mine,
                                    const unsigned char *Lds) const {
    Tile::multiply(C, Id, Lds, Lds + Left::bytes(C), Mine.Sums);
  }
  KPACK_CONV_FUNCTION void finish(int Id, Thread &Mine) const {
    Tile::finish(C, Id, Mine.Sums);
  }

  //===--------------------------------------------------------------------===//
  // The result
  //===--------------------------------------------------------------------===//

  /// Finds the position of a sum of the tile. Returns false outside of the
  /// result.
  KPACK_CONV_FUNCTION bool find(int InRows, int InColumns, Position &P) const {
    Line Row = this->row(FirstRow + InRows);
    Line Column = this->column(FirstColumn + InColumns);
    const Line &L = View::PositionsInRows ? Row : Column;
    P = {{Group, Row.Own, Column.Own, L.At[0], L.At[1], L.At[2]}};
    KPACK_CONV_IF (int(C.groups_merge) > 1) {
      P.Of[0] += Column.Of.Group;
      if (!View::PositionsInRows && Row.Of.Group != Column.Of.Group)
        return false;
    }
    return Row.IsIn && Column.IsIn;
  }

  KPACK_CONV_FUNCTION void store(int InRows, int InColumns, Sum Total) const {
    Position P;
    if (find(InRows, InColumns, P))
      storePiece<View>(C, A, Auxiliary.Result, P, Piece, Total);
  }

  static KPACK_CONV_FUNCTION Sum sumAt(const unsigned char *Lds, int Index) {
    Sum Total;
    __builtin_memcpy(
        &Total,
        __builtin_assume_aligned(Lds + Index * int(sizeof(Sum)), sizeof(Sum)),
        sizeof(Sum));
    return Total;
  }

  KPACK_CONV_FUNCTION Position besides(Position P, int Channels) const {
    P.Of[2] += Channels;
    KPACK_CONV_IF (int(C.groups_merge) > 1) {
      P.Of[0] += P.Of[2] / View::channels(A);
      P.Of[2] %= View::channels(A);
    }
    return P;
  }

  /// Stores neighbours in a row, which are neighbours in memory.
  KPACK_CONV_FUNCTION void storeVector(int InRows, int InColumns,
                                       unsigned char *Source) const {
    Position P;
    if (!find(InRows, InColumns, P))
      return;
    auto Traits = View::result(C);
    const TensorArgument &Its = View::resultOf(A);
    long long Offset = offsetOf(Its.Stride, P);
#ifdef __AMDGCN__
    constexpr int Size = sizeOf(decltype(View::result(Config()))::type);
    using Words = typename WordsOf<Size * Config::store_vector>::Type;
    alignas(16) Words Made;
    constexpr int Aligned = sizeof(Words) < 16 ? sizeof(Words) : 16;
    if constexpr (isIdentity(Traits.operation) || Size > int(sizeof(Sum))) {
      KPACK_CONV_UNROLL
      for (int I = 0; I < Config::store_vector; ++I)
        storeResultAt(Traits, C.fnuz, Its, Auxiliary.Result, besides(P, I),
                      sumAt(Source, I), &Made, I);
    } else {
      // The value is no larger than its sum, and replaces it.
      KPACK_CONV_ROLL
      for (int I = 0; I < Config::store_vector; ++I)
        storeResultAt(Traits, C.fnuz, Its, Auxiliary.Result, besides(P, I),
                      sumAt(Source, I), Source, I);
      __builtin_memcpy(&Made, __builtin_assume_aligned(Source, Aligned),
                       sizeof(Made));
    }
    __builtin_memcpy(
        __builtin_assume_aligned(
            static_cast<unsigned char *>(Its.Data) + Offset * Size, Aligned),
        &Made, sizeof(Made));
#else
    for (int I = 0; I < int(C.store_vector); ++I)
      storeResultAt(Traits, C.fnuz, Its, Auxiliary.Result, besides(P, I),
                    sumAt(Source, I), Its.Data, Offset + I);
#endif
  }

  /// Calls \p Do(row, column, sum) for each sum of a thread, chunk by chunk.
  /// Each sum of a chunk is moved to the first register, so that the code
  /// exists once.
  template <class Function>
  KPACK_CONV_FUNCTION void forSums(int Id, Thread &Mine, Function &&Do) const {
#ifdef __AMDGCN__
    constexpr int Count = Tile::chunks(Config()),
                  Each = Tile::inChunk(Config());
    KPACK_CONV_ROLL
    for (int Chunk = 0; Chunk < Count; ++Chunk) {
      Sum Sums[Each];
      withNumber<Count>(Chunk, [&](auto At) KPACK_CONV_INLINE {
        KPACK_CONV_UNROLL
        for (int I = 0; I < Each; ++I)
          Sums[I] = Tile::sums(Mine.Sums, At)[I];
      });
      KPACK_CONV_ROLL
      for (int I = 0; I < Each; ++I) {
        Do(Tile::row(C, Id, Chunk, I), Tile::column(C, Id, Chunk, I), Sums[0]);
        KPACK_CONV_UNROLL
        for (int Next = 1; Next < Each; ++Next)
          Sums[Next - 1] = Sums[Next];
      }
    }
#else
    for (int Chunk = 0; Chunk < Tile::chunks(C); ++Chunk)
      for (int I = 0; I < Tile::inChunk(C); ++I)
        Do(Tile::row(C, Id, Chunk, I), Tile::column(C, Id, Chunk, I),
           Tile::sums(Mine.Sums, Chunk)[I]);
#endif
  }

  KPACK_CONV_FUNCTION void storeDirectly(int Id, Thread &Mine) const {
    forSums(Id, Mine, [&](int Row, int Column, Sum Total) KPACK_CONV_INLINE {
      store(Row, Column, Total);
    });
  }

  KPACK_CONV_FUNCTION int passes() const {
    return Tile::chunks(C) / Tile::passChunks(C);
  }

  /// Writes a pass's chunks to LDS.
  template <class Number>
  KPACK_CONV_FUNCTION void spillChunks(Number Pass, int Id, Thread &Mine,
                                       unsigned char *Lds) const {
    auto *Spilled = reinterpret_cast<Sum *>(Lds);
    KPACK_CONV_UNROLL
    for (int In = 0; In < Tile::passChunks(C); ++In) {
      int Chunk = Tile::findChunk(C, Pass, In);
      KPACK_CONV_UNROLL
      for (int I = 0; I < Tile::inChunk(C); ++I)
        Spilled[Tile::passRow(C, Id, Chunk, I) * Tile::passColumns(C) +
                Tile::passColumn(C, Id, Chunk, I)] =
            Tile::sums(Mine.Sums, Chunk)[I];
    }
  }
  KPACK_CONV_FUNCTION void spill(int Pass, int Id, Thread &Mine,
                                 unsigned char *Lds) const {
#ifdef __AMDGCN__
    constexpr int Count = Tile::chunks(Config()) / Tile::passChunks(Config());
    withNumber<Count>(Pass, [&](auto At) KPACK_CONV_INLINE {
      spillChunks(At, Id, Mine, Lds);
    });
#else
    spillChunks(Pass, Id, Mine, Lds);
#endif
  }

  /// Stores from LDS to memory; consecutive threads store neighbours.
  KPACK_CONV_FUNCTION void storePass(int Pass, int Id,
                                     unsigned char *Lds) const {
    // Pieces are added, or written to the workspace, one by one.
    int Vector = hasPieces(C) ? 1 : int(C.store_vector);
    int Rows = Tile::passRows(C);
    int Columns = Tile::passColumns(C) / Vector;
    KPACK_CONV_ROLL
    for (int Index = Id; Index < Rows * Columns; Index += int(C.block_size)) {
      // Columns are neighbours in memory if channels are last.
      bool ByColumns =
          Vector > 1 || int(C.channels_last) || !View::PositionsInRows;
      int Row = ByColumns ? Index / Columns : Index % Rows;
      int Column = (ByColumns ? Index % Columns : Index / Rows) * Vector;
      int Place = Row * Columns * Vector + Column;
      int InRows = Tile::tileRow(C, Pass, Row);
      int InColumns = Tile::tileColumn(C, Pass, Column);
      KPACK_CONV_IF (!hasPieces(C) && int(C.store_vector) > 1)
        storeVector(InRows, InColumns, Lds + Place * int(sizeof(Sum)));
      else
        store(InRows, InColumns, sumAt(Lds, Place));
    }
  }
};

#ifdef __AMDGCN__
KPACK_CONV_FUNCTION void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#else
KPACK_CONV_FUNCTION void barrier() {}
#endif

/// Adds all tiles of the sum. \p Each calls its argument for each thread.
template <class Product, class Threads>
KPACK_CONV_FUNCTION void sumUp(const Product &P, unsigned char *Lds,
                               Threads &&Each) {
  auto C = P.C;
  int Step = int(C.tile_k), First = P.Part.First, End = P.Part.End;
  KPACK_CONV_IF (!int(C.prefetch) && int(C.buffers) == 1) {
    KPACK_CONV_ROLL
    for (int FirstDepth = First; FirstDepth < End; FirstDepth += Step) {
      Each([&](int Id, auto &Mine)
               KPACK_CONV_INLINE { P.load(Id, Mine, FirstDepth, Lds); });
      barrier();
      Each([&](int Id, auto &Mine)
               KPACK_CONV_INLINE { P.multiply(Id, Mine, Lds); });
      barrier();
    }
  } else {
    // The first turn does not multiply and the last one does not load, so that
    // the loading code exists once.
    int Buffer = int(C.buffers) > 1 ? Product::bufferBytes(C) : 0;
    int Now = 0;
    KPACK_CONV_ROLL
    for (int FirstDepth = First - Step; FirstDepth < End; FirstDepth += Step) {
      int Next = FirstDepth + Step;
      unsigned char *NextBuffer = Lds + (Buffer - Now);
      if (Next < End) {
        KPACK_CONV_IF (int(C.prefetch))
          Each([&](int Id, auto &Mine)
                   KPACK_CONV_INLINE { P.fetch(Id, Mine, Next); });
        else
          Each([&](int Id, auto &Mine)
                   KPACK_CONV_INLINE { P.load(Id, Mine, Next, NextBuffer); });
      }
      if (FirstDepth >= First)
        Each([&](int Id, auto &Mine)
                 KPACK_CONV_INLINE { P.multiply(Id, Mine, Lds + Now); });
      if (!Buffer)
        barrier();
      KPACK_CONV_IF (int(C.prefetch))
        if (Next < End)
          Each([&](int Id, auto &Mine)
                   KPACK_CONV_INLINE { P.put(Id, Mine, NextBuffer); });
      barrier();
      Now = Buffer - Now;
    }
  }
}

/// Computes the sums of one tile of the result, within the range of its piece.
template <class Product, class Threads>
KPACK_CONV_FUNCTION void sumTile(const Product &P, unsigned char *Lds,
                                 Threads &&Each) {
  Each([&](int Id, auto &Mine) KPACK_CONV_INLINE { P.begin(Id, Mine); });
  sumUp(P, Lds, Each);
  Each([&](int Id, auto &Mine) KPACK_CONV_INLINE { P.finish(Id, Mine); });
}

template <class Product, class Threads>
KPACK_CONV_FUNCTION void storeTile(const Product &P, unsigned char *Lds,
                                   Threads &&Each) {
  auto C = P.C;
  KPACK_CONV_IF (!int(C.through_lds)) {
    Each([&](int Id, auto &Mine)
             KPACK_CONV_INLINE { P.storeDirectly(Id, Mine); });
  } else {
    KPACK_CONV_ROLL
    for (int Pass = 0; Pass < P.passes(); ++Pass) {
      Each([&](int Id, auto &Mine)
               KPACK_CONV_INLINE { P.spill(Pass, Id, Mine, Lds); });
      barrier();
      Each([&](int Id, auto &)
               KPACK_CONV_INLINE { P.storePass(Pass, Id, Lds); });
      barrier(); // before the next pass, or the next tile's loads
    }
  }
}

template <class Product, class Threads>
KPACK_CONV_FUNCTION void computeTile(const Product &P, unsigned char *Lds,
                                     Threads &&Each) {
  sumTile(P, Lds, Each);
  storeTile(P, Lds, Each);
}

/// Computes all tiles of a work-group; several if the grid is limited.
template <class Tile, class View, class Config>
KPACK_CONV_FUNCTION void igemmIn(Config C, const Arguments &A,
                                 const AuxiliaryArgument *Auxiliary,
                                 const Place &Here) {
  using Its = TiledProduct<Tile, View, Config>;
#ifdef __AMDGCN__
  constexpr int Bytes = Its::ldsBytes(Config());
  static __attribute__((shared, aligned(16))) unsigned char Lds[Bytes];
  typename Its::Thread Mine;
  auto Each = [&](auto &&Do) KPACK_CONV_INLINE { Do(int(Here.Thread), Mine); };
  Its Product = {{A, auxiliaryPlaces(C, Auxiliary), 0, 0, 0}, 0, {0, 0}};
#else
  if (Here.Thread != 0) // thread 0 does the work of all
    return;
  constexpr int MostThreads = 256, MostBytes = 65536;
  alignas(16) unsigned char Lds[MostBytes];
  typename Its::Thread All[MostThreads];
  auto Each = [&](auto &&Do) KPACK_CONV_INLINE {
    for (int I = 0; I < int(C.block_size); ++I)
      Do(I, All[I]);
  };
  Its Product = {{C, A, auxiliaryPlaces(C, Auxiliary), 0, 0, 0}, 0, {0, 0}};
#endif
  KPACK_CONV_IF (int(C.split) == split::SHARED)
    return streamTiles(Product, Lds, int(Here.Group[0]), Each); // in stream.h
  int Rows = Product.rows(), Columns = Product.columns();
  int Pieces = piecesOf(C, A), Merge = int(C.groups_merge);
  int Products = (A.Groups + Merge - 1) / Merge;
  for (int Z = int(Here.Group[2]); Z < Products * Pieces; Z += int(A.Grid[2]))
    for (int TileColumn = int(Here.Group[1]);
         TileColumn * int(C.tile_n) < Columns; TileColumn += int(A.Grid[1]))
      for (int TileRow = int(Here.Group[0]); TileRow * int(C.tile_m) < Rows;
           TileRow += int(A.Grid[0])) {
        Product.Group = Z / Pieces * Merge;
        Product.Piece = Z % Pieces;
        Product.Part =
            depthOfPiece(Product.depth(), int(C.tile_k), Product.Piece, Pieces);
        Product.FirstRow = TileRow * int(C.tile_m);
        Product.FirstColumn = TileColumn * int(C.tile_n);
        computeTile(Product, Lds, Each);
      }
}

#ifndef __AMDGCN__
template <class View, class Config>
KPACK_CONV_FUNCTION void runIgemm(Config C, const Arguments &A,
                                  const AuxiliaryArgument *Auxiliary,
                                  const Place &Here) {
  switch (int(C.accumulation)) {
  case type::I32:
    return igemmIn<ThreadTile<int, View>, View>(C, A, Auxiliary, Here);
  default:
    return igemmIn<ThreadTile<float, View>, View>(C, A, Auxiliary, Here);
  }
}
#endif

/// The body of a thread.
template <class Config>
KPACK_CONV_FUNCTION void igemm(Config C, const Arguments &A,
                               const AuxiliaryArgument *Auxiliary,
                               const Place &Here) {
#ifdef __AMDGCN__
  using Tile = typename TileOf<Config>::Type;
  igemmIn<Tile, ViewOf<Config>>(C, A, Auxiliary, Here);
#else
  switch (int(C.direction)) {
  case direction::FORWARD:
    return runIgemm<Forward>(C, A, Auxiliary, Here);
  case direction::BACKWARD_DATA:
    return runIgemm<BackwardData>(C, A, Auxiliary, Here);
  default:
    return runIgemm<BackwardWeight>(C, A, Auxiliary, Here);
  }
#endif
}

} // namespace kpack::conv::device

#ifndef __AMDGCN__
// A blob for a GPU includes stream.h only for shared tiles.
#include "kpack/ConvBuilder/kernels/stream.h"
#endif

#endif // KPACK_CONV_KERNELS_IGEMM_H
