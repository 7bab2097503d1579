//===- kernels/igemm.h - a tiled product of matrices ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution as a product of matrices whose operands are never built: a
// work-group computes a tile of the result, and brings tiles of both operands
// to LDS on the way, element by element through the filter.
//
//               rows               columns              k
//   Forward     (n, output)        k                    (filter, c)
//   Data        (n, image)         c                    (filter, k)
//   Weight      k                  (c, filter)          (output, n)
//
// The body is phases between barriers: begin, then load and multiply for each
// tile of k, then spill and store. On a GPU a thread is in one phase at a time;
// on the CPU all threads of a work-group do one phase, then the next, so that
// all of its addresses run under sanitizers there.
//
// Each phase's cost a thread: begin decodes a row for each element of a tile
// that the thread loads; load decodes one k, and then has two multiplications
// and additions a dimension. spill puts sums into LDS, from where store takes
// them one by one: its code is there once, whatever the tile.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_IGEMM_H
#define KPACK_CONV_KERNELS_IGEMM_H

#include "kpack/ConvBuilder/kernels/instr.h"
#include "kpack/ConvBuilder/kernels/split.h"

namespace kpack::conv::device {

/// How long an array is that has as many entries as a member says. In tests
/// members are no constants.
template <class T> inline constexpr int Most = 16;
template <int N> inline constexpr int Most<const Number<N>> = N;

/// A row of A or a column of B: the number that is the operand's own, and the
/// position of the result, where rows, or columns, have one.
struct Line {
  int Own;
  int At[3];
  bool IsIn; ///< in the matrix
};

/// A part of the sum.
struct Depth {
  int Inner;
  int Tap[3];
  bool IsIn;
};

KPACK_CONV_FUNCTION int takeLast(int &Rest, int Size) {
  int Before = int(unsigned(Rest) / unsigned(Size));
  int Last = Rest - Before * Size;
  Rest = Before;
  return Last;
}

/// The tile of VALU: each thread has some rows and columns of its own.
template <class SumType> struct ValuTile {
  using Sum = SumType;
  using Element = SumType;
  template <class Config> struct State {
    Sum Of[Most<decltype(Config::thread_m)>][Most<decltype(Config::thread_n)>];
  };

  template <class Config>
  static KPACK_CONV_FUNCTION void clear(Config C, State<Config> &S) {
    for (int M = 0; M < int(C.thread_m); ++M)
      for (int N = 0; N < int(C.thread_n); ++N)
        S.Of[M][N] = 0;
  }
  static KPACK_CONV_FUNCTION void put(Element &To, Sum Value) { To = Value; }

  template <class Config>
  static KPACK_CONV_FUNCTION void multiply(Config C, int Thread,
                                           const Element *A, const Element *B,
                                           State<Config> &S) {
    int Columns = int(C.tile_n) / int(C.thread_n);
    int Row = Thread / Columns, Column = Thread % Columns;
    int Rows = int(C.tile_m) / int(C.thread_m);
    int Pitch = int(C.tile_k) + int(C.lds_pad);
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (int K = 0; K < int(C.tile_k); ++K) {
      Element Right[Most<decltype(Config::thread_n)>];
      for (int N = 0; N < int(C.thread_n); ++N)
        Right[N] = B[(Column + N * Columns) * Pitch + K];
      for (int M = 0; M < int(C.thread_m); ++M) {
        Element Left = A[(Row + M * Rows) * Pitch + K];
        for (int N = 0; N < int(C.thread_n); ++N)
          S.Of[M][N] = multiplyAdd(S.Of[M][N], Left, Right[N]);
      }
    }
  }

  template <class Config>
  static KPACK_CONV_FUNCTION void spill(Config C, int Thread,
                                        const State<Config> &S, Sum *To) {
    int Columns = int(C.tile_n) / int(C.thread_n);
    int Row = Thread / Columns, Column = Thread % Columns;
    int Rows = int(C.tile_m) / int(C.thread_m);
    for (int M = 0; M < int(C.thread_m); ++M)
      for (int N = 0; N < int(C.thread_n); ++N)
        To[(Row + M * Rows) * int(C.tile_n) + Column + N * Columns] =
            S.Of[M][N];
  }
};

#ifdef __AMDGCN__
/// The tile of matrix instructions: waves share it, and repeat theirs.
template <class Instr> struct MatrixTile {
  using Sum = typename Instr::Sum;
  using Element = typename Instr::Element;
  template <class Config> struct State {
    static constexpr int M = Config::tile_m / (Config::wave_m * Instr::M);
    static constexpr int N = Config::tile_n / (Config::wave_n * Instr::N);
    typename Instr::Total Of[M][N];
  };
  /// The first row and column of a wave.
  template <class Config>
  static KPACK_CONV_FUNCTION void place(Config, int Thread, int &Row,
                                        int &Column) {
    int Wave = Thread / Instr::Lanes;
    Row = Wave / Config::wave_n * (Config::tile_m / Config::wave_m);
    Column = Wave % Config::wave_n * (Config::tile_n / Config::wave_n);
  }

  template <class Config>
  static KPACK_CONV_FUNCTION void clear(Config, State<Config> &S) {
#pragma unroll
    for (int M = 0; M < State<Config>::M; ++M)
#pragma unroll
      for (int N = 0; N < State<Config>::N; ++N)
        S.Of[M][N] = typename Instr::Total{};
  }
  static KPACK_CONV_FUNCTION void put(Element &To, Sum Value) {
    putElement(To, Value);
  }

  /// Lower.cpp sees to it that a pitch keeps the alignment.
  static KPACK_CONV_FUNCTION typename Instr::Operand
  operand(const Element *At) {
    constexpr int Bytes = Instr::PerLane * int(sizeof(Element));
    typename Instr::Operand V;
    __builtin_memcpy(&V, __builtin_assume_aligned(At, Bytes < 16 ? Bytes : 16),
                     Bytes);
    return V;
  }

  template <class Config>
  static KPACK_CONV_FUNCTION void multiply(Config C, int Thread,
                                           const Element *A, const Element *B,
                                           State<Config> &S) {
    int Row, Column, Lane = Thread % Instr::Lanes;
    place(C, Thread, Row, Column);
    constexpr int Pitch = Config::tile_k + Config::lds_pad;
    A += (Row + Instr::operandRow(Lane)) * Pitch + Instr::operandK(Lane);
    B += (Column + Instr::operandRow(Lane)) * Pitch + Instr::operandK(Lane);
#pragma unroll
    for (int K = 0; K < Config::tile_k; K += Instr::K) {
      typename Instr::Operand Right[State<Config>::N];
#pragma unroll
      for (int N = 0; N < State<Config>::N; ++N)
        Right[N] = operand(B + N * Instr::N * Pitch + K);
#pragma unroll
      for (int M = 0; M < State<Config>::M; ++M) {
        typename Instr::Operand Left = operand(A + M * Instr::M * Pitch + K);
#pragma unroll
        for (int N = 0; N < State<Config>::N; ++N)
          S.Of[M][N] = Instr::multiply(Left, Right[N], S.Of[M][N]);
      }
    }
  }

  template <class Config>
  static KPACK_CONV_FUNCTION void spill(Config C, int Thread,
                                        const State<Config> &S, Sum *To) {
    int Row, Column, Lane = Thread % Instr::Lanes;
    place(C, Thread, Row, Column);
    Column += Instr::resultColumn(Lane);
#pragma unroll
    for (int M = 0; M < State<Config>::M; ++M)
#pragma unroll
      for (int N = 0; N < State<Config>::N; ++N)
#pragma unroll
        for (int I = 0; I < Instr::Results; ++I)
          To[(Row + M * Instr::M + Instr::resultRow(Lane, I)) * Config::tile_n +
             Column + N * Instr::N] = S.Of[M][N][I];
  }
};
#endif // __AMDGCN__

/// All of a work-group, phase by phase.
template <class Tile, class View, class Config> struct TiledProduct {
  using Sum = typename Tile::Sum;
  using Element = typename Tile::Element;

  struct Thread {
    Line Row[Most<decltype(Config::load_m)>];
    Line Column[Most<decltype(Config::load_n)>];
    typename Tile::template State<Config> Sums;
  };

  Config C;
  const Arguments &A;
  AuxiliaryPlaces Auxiliary;
  int Group, FirstRow, FirstColumn;
  int Piece;       ///< of the sum
  DepthRange Part; ///< the tiles of k that are its

  /// Positions of the result.
  KPACK_CONV_FUNCTION int positions() const {
    return View::size(A, 0) * View::size(A, 1) * View::size(A, 2);
  }
  KPACK_CONV_FUNCTION int rows() const {
    return View::outer(A) * (View::PositionsInRows ? positions() : 1);
  }
  KPACK_CONV_FUNCTION int columns() const {
    return View::channels(A) * (View::PositionsInRows ? 1 : positions());
  }
  KPACK_CONV_FUNCTION int depth() const {
    return View::inner(A) * View::taps(A, 0) * View::taps(A, 1) *
           View::taps(A, 2);
  }

  KPACK_CONV_FUNCTION Line lineOf(int Number, int Count,
                                  bool HasPositions) const {
    Line L = {0, {0, 0, 0}, Number < Count};
    if (HasPositions)
      for (int D = 2; D >= 0; --D)
        L.At[D] = takeLast(Number, View::size(A, D));
    L.Own = Number;
    return L;
  }

  /// A thread loads one k of some rows, Step apart.
  KPACK_CONV_FUNCTION void begin(int Id, Thread &T) const {
    int First = Id / int(C.tile_k), Step = int(C.block_size) / int(C.tile_k);
    for (int I = 0; I < int(C.load_m); ++I)
      T.Row[I] =
          lineOf(FirstRow + First + I * Step, rows(), View::PositionsInRows);
    for (int I = 0; I < int(C.load_n); ++I)
      T.Column[I] = lineOf(FirstColumn + First + I * Step, columns(),
                           !View::PositionsInRows);
    Tile::clear(C, T.Sums);
  }

  /// The element of an operand where a line and a part of the sum meet; zero
  /// outside of the matrix, and of the image.
  template <bool IsLeft>
  KPACK_CONV_FUNCTION Sum element(const Line &L, const Depth &K) const {
    constexpr bool HasPositions = IsLeft == View::PositionsInRows;
    Position P = {{Group}};
    bool Reads = L.IsIn && K.IsIn;
    P.Of[IsLeft ? View::LeftOuter : View::RightChannel] = L.Own;
    P.Of[IsLeft ? View::LeftInner : View::RightInner] = K.Inner;
    for (int D = 0; D < 3; ++D) {
      P.Of[3 + D] = K.Tap[D];
      if constexpr (HasPositions) {
        Tap T = View::tap(A, D, L.At[D], K.Tap[D]);
        P.Of[3 + D] = IsLeft ? T.Left : T.Right;
        Reads = Reads && T.Reads;
      }
    }
    if (!Reads)
      return 0;
    const TensorArgument &Its = IsLeft ? View::leftOf(A) : View::rightOf(A);
    long long At = offsetOf(Its.Stride, P);
    if constexpr (IsLeft)
      return operandAt<Sum>(View::left(C), C.fnuz, Its, Auxiliary.Left, P, At);
    else
      return operandAt<Sum>(View::right(C), C.fnuz, Its, Auxiliary.Right, P,
                            At);
  }

  KPACK_CONV_FUNCTION int pitch() const {
    return int(C.tile_k) + int(C.lds_pad);
  }

  KPACK_CONV_FUNCTION void load(int Id, const Thread &T, int FirstDepth,
                                Element *Left, Element *Right) const {
    int First = Id / int(C.tile_k), Step = int(C.block_size) / int(C.tile_k);
    int InTile = Id % int(C.tile_k);
    Depth K;
    int Rest = FirstDepth + InTile;
    K.IsIn = Rest < depth();
    K.Inner = takeLast(Rest, View::inner(A));
    K.Tap[2] = takeLast(Rest, View::taps(A, 2));
    K.Tap[1] = takeLast(Rest, View::taps(A, 1));
    K.Tap[0] = Rest;
    for (int I = 0; I < int(C.load_m); ++I)
      Tile::put(Left[(First + I * Step) * pitch() + InTile],
                element<true>(T.Row[I], K));
    for (int I = 0; I < int(C.load_n); ++I)
      Tile::put(Right[(First + I * Step) * pitch() + InTile],
                element<false>(T.Column[I], K));
  }

  /// From LDS to memory; neighbours of a row one after another.
  KPACK_CONV_FUNCTION void store(int Id, const Sum *From) const {
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (int At = Id; At < int(C.tile_m) * int(C.tile_n);
         At += int(C.block_size)) {
      // Neighbours in memory are columns where channels are last.
      bool ByColumns = int(C.channels_last) || !View::PositionsInRows;
      int M = ByColumns ? At / int(C.tile_n) : At % int(C.tile_m);
      int N = ByColumns ? At % int(C.tile_n) : At / int(C.tile_m);
      Line Row = lineOf(FirstRow + M, rows(), View::PositionsInRows);
      Line Column = lineOf(FirstColumn + N, columns(), !View::PositionsInRows);
      if (!Row.IsIn || !Column.IsIn)
        continue;
      const Line &L = View::PositionsInRows ? Row : Column;
      Position P = {{Group, Row.Own, Column.Own, L.At[0], L.At[1], L.At[2]}};
      storePiece<View>(C, A, Auxiliary.Result, P, Piece,
                       From[M * int(C.tile_n) + N]);
    }
  }
};

#ifdef __AMDGCN__
KPACK_CONV_FUNCTION void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#endif

/// One tile of the result.
template <class Tile, class View, class Config>
KPACK_CONV_FUNCTION void
computeTile(const TiledProduct<Tile, View, Config> &Product,
            [[maybe_unused]] int Id) {
  using Its = TiledProduct<Tile, View, Config>;
  Config C = Product.C;
  int Rows = int(C.tile_m) * Product.pitch();
#ifdef __AMDGCN__
  constexpr int Loads = (Config::tile_m + Config::tile_n) *
                        (Config::tile_k + Config::lds_pad) *
                        int(sizeof(typename Its::Element));
  constexpr int Sums =
      Config::tile_m * Config::tile_n * int(sizeof(typename Its::Sum));
  static __attribute__((
      shared, aligned(16))) unsigned char Lds[Loads > Sums ? Loads : Sums];
  auto *Left = reinterpret_cast<typename Its::Element *>(Lds);
  auto *Total = reinterpret_cast<typename Its::Sum *>(Lds);
  typename Its::Thread T;
  Product.begin(Id, T);
  for (int K = Product.Part.First; K < Product.Part.End; K += int(C.tile_k)) {
    Product.load(Id, T, K, Left, Left + Rows);
    barrier();
    Tile::multiply(C, Id, Left, Left + Rows, T.Sums);
    barrier();
  }
  Tile::spill(C, Id, T.Sums, Total);
  barrier();
  Product.store(Id, Total);
  barrier(); // before the next tile's loads
#else
  constexpr int MostThreads = 256, MostBytes = 65536;
  alignas(16) unsigned char Lds[MostBytes];
  auto *Left = reinterpret_cast<typename Its::Element *>(Lds);
  auto *Total = reinterpret_cast<typename Its::Sum *>(Lds);
  typename Its::Thread All[MostThreads];
  int Threads = int(C.block_size);
  for (int I = 0; I < Threads; ++I)
    Product.begin(I, All[I]);
  for (int K = Product.Part.First; K < Product.Part.End; K += int(C.tile_k)) {
    for (int I = 0; I < Threads; ++I)
      Product.load(I, All[I], K, Left, Left + Rows);
    for (int I = 0; I < Threads; ++I)
      Tile::multiply(C, I, Left, Left + Rows, All[I].Sums);
  }
  for (int I = 0; I < Threads; ++I)
    Tile::spill(C, I, All[I].Sums, Total);
  for (int I = 0; I < Threads; ++I)
    Product.store(I, Total);
#endif
}

/// All tiles of a work-group: there are more than work-groups where a grid has
/// no more.
template <class Tile, class View, class Config>
KPACK_CONV_FUNCTION void igemmIn(Config C, const Arguments &A,
                                 const AuxiliaryArgument *Auxiliary,
                                 const Place &Here) {
#ifndef __AMDGCN__
  if (Here.Thread != 0) // who does the work of all
    return;
#endif
  TiledProduct<Tile, View, Config> Product = {
      C, A, auxiliaryPlaces(C, Auxiliary), 0, 0, 0, 0, {0, 0}};
  int Id = int(Here.Thread);
  int Rows = Product.rows(), Columns = Product.columns();
  int Pieces = piecesOf(C, A);
  for (int Z = int(Here.Group[2]); Z < A.Groups * Pieces; Z += int(A.Grid[2]))
    for (int N = int(Here.Group[1]); N * int(C.tile_n) < Columns;
         N += int(A.Grid[1]))
      for (int M = int(Here.Group[0]); M * int(C.tile_m) < Rows;
           M += int(A.Grid[0])) {
        Product.Group = Z / Pieces;
        Product.Piece = Z % Pieces;
        Product.Part =
            depthOfPiece(Product.depth(), int(C.tile_k), Product.Piece, Pieces);
        Product.FirstRow = M * int(C.tile_m);
        Product.FirstColumn = N * int(C.tile_n);
        computeTile(Product, Id);
      }
}

#ifdef __AMDGCN__
/// What multiplies in a kernel.
template <class Config, int Which> struct TileNumbered {
  using View = ViewOf<Config>;
  using Type = MatrixTile<Instruction<
      Which, int(decltype(View::left(Config()))::compute) != type::U8,
      int(decltype(View::right(Config()))::compute) != type::U8>>;
};
template <class Config> struct TileNumbered<Config, instruction::NONE> {
  using Type = ValuTile<SumOf<Config>>;
};
#else
template <class View, class Config>
KPACK_CONV_FUNCTION void igemmOf(Config C, const Arguments &A,
                                 const AuxiliaryArgument *Auxiliary,
                                 const Place &Here) {
  switch (int(C.accumulation)) {
  case type::I32:
    return igemmIn<ValuTile<int>, View>(C, A, Auxiliary, Here);
  default:
    return igemmIn<ValuTile<float>, View>(C, A, Auxiliary, Here);
  }
}
#endif

/// What one thread does.
template <class Config>
KPACK_CONV_FUNCTION void igemm(Config C, const Arguments &A,
                               const AuxiliaryArgument *Auxiliary,
                               const Place &Here) {
#ifdef __AMDGCN__
  using Tile = typename TileNumbered<Config, int(Config::instruction)>::Type;
  igemmIn<Tile, ViewOf<Config>>(C, A, Auxiliary, Here);
#else
  switch (int(C.direction)) {
  case direction::FORWARD:
    return igemmOf<Forward>(C, A, Auxiliary, Here);
  case direction::BACKWARD_DATA:
    return igemmOf<BackwardData>(C, A, Auxiliary, Here);
  default:
    return igemmOf<BackwardWeight>(C, A, Auxiliary, Here);
  }
#endif
}

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_IGEMM_H
