//===- kernels/load.h - loads of operands -----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads a tile of A (left) or B (right) into LDS for igemm.h. A line is a row
// of A or a column of B. In LDS its elements of k are neighbours, in the
// compute type, followed by lds_pad elements.
//
// A thread loads vectors of neighbours in memory. They run along k or, with
// by_lines, contain one element of each of several lines. The address of a
// vector is the sum of a term of its line and a term of its k, so no element
// needs a separate address. Launch.cpp ensures that vectors are whole: all of a
// vector is in the matrix and in the image, or nothing of it.
//
// A few vectors of a thread are unrolled. Register arrays cannot be indexed by
// a loop counter, so for many vectors a loop rotates the registers by one place
// each time.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_LOAD_H
#define KPACK_CONV_KERNELS_LOAD_H

#include "kpack/ConvBuilder/kernels/view.h"

#ifdef __AMDGCN__
#define KPACK_CONV_UNROLL _Pragma("unroll")
#else
#define KPACK_CONV_UNROLL
#endif
#ifdef __clang__
#define KPACK_CONV_ROLL _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define KPACK_CONV_ROLL
#endif

namespace kpack::conv::device {

/// The type of offsets. Elements of a tensor, or with by_images those of the
/// images of a tile, have 32-bit offsets, unless index64 is set. Configurations
/// of tests have members that are no constants: g++ 12 rejects them as template
/// arguments, but accepts the type of their address.
template <bool IsLong> struct OffsetType {
  using Type = long long;
};
template <> struct OffsetType<false> {
  using Type = unsigned; // offsets outside of the tensor may wrap
};
template <class Config, class = decltype(&Config::index64)>
struct OffsetIn : OffsetType<true> {};
template <class Config, class Value>
struct OffsetIn<Config, Value *> : OffsetType<bool(Config::index64)> {};

/// Bytes in registers.
#ifdef __AMDGCN__
template <int Bytes> struct WordsOf {
  using Type = unsigned __attribute__((vector_size(Bytes)));
};
template <> struct WordsOf<1> {
  using Type = unsigned char;
};
template <> struct WordsOf<2> {
  using Type = unsigned short;
};
template <> struct WordsOf<4> {
  using Type = unsigned;
};
#else
struct TestWords {
  alignas(16) unsigned char Of[64];
};
template <int> struct WordsOf {
  using Type = TestWords;
};
#endif

/// The index of a group in a tile. A GPU's kernel without merged groups does
/// not store it.
#ifdef __AMDGCN__
template <class Config, bool IsMerged = (int(Config::groups_merge) > 1)>
struct GroupInTile {
  int Group = 0;
};
template <class Config> struct GroupInTile<Config, false> {
  static constexpr int Group = 0;
};
#else
template <class> struct GroupInTile {
  int Group = 0;
};
#endif

/// A row or column of a matrix: the operand's own number, and the position of
/// the result, if its rows or columns have positions.
template <class Config> struct LineOf {
  int Own;
  int At[3];
  bool IsIn; ///< in the matrix
  [[no_unique_address]] GroupInTile<Config> Of{};
};

/// An index of k.
template <class Config> struct DepthOf {
  int Inner;
  int Tap[3];
  bool IsIn;
  [[no_unique_address]] GroupInTile<Config> Of{};
};

KPACK_CONV_FUNCTION int takeLast(int &Rest, int Size) {
  int Before = int(unsigned(Rest) / unsigned(Size));
  int Last = Rest - Before * Size;
  Rest = Before;
  return Last;
}

/// The term of a line, or of a k, in the address of an element.
template <class Offset> struct Reach {
  Offset At; ///< in elements
  Share Of[3];
};

/// The matrices of a group, or of a tile's groups, and a tile of their product.
///
/// Merged groups are side by side in columns. To keep them apart, each has its
/// own part of the sum, in which the right operand is zero for columns of other
/// groups; so rows remain positions. For weights, columns have enough positions
/// and channels without merging; there groups are in rows as well, and only
/// results within one group are stored. Within all of these, channels are
/// faster than groups, as in memory if both are neighbours.
template <class View, class Config> struct Matrices {
  using Offset = typename OffsetIn<Config>::Type;
  using Line = LineOf<Config>;
  using Depth = DepthOf<Config>;

#ifdef __AMDGCN__
  static constexpr Config C{}; ///< a constant for the compiler
#else
  Config C;
#endif
  const Arguments &A;
  AuxiliaryPlaces Auxiliary;
  int Group, FirstRow, FirstColumn; ///< Group: the first one

  /// The number of positions of the result.
  KPACK_CONV_FUNCTION int positions() const {
    return countPositions<View>(C, A);
  }
  KPACK_CONV_FUNCTION int rows() const {
    return View::outer(A) *
           (View::PositionsInRows ? positions() : int(C.groups_merge));
  }
  KPACK_CONV_FUNCTION int columns() const {
    return View::channels(A) * int(C.groups_merge) *
           (View::PositionsInRows ? 1 : positions());
  }
  /// Multiplies by the number of taps.
  KPACK_CONV_FUNCTION int timesTaps(int Count) const {
    for (int D = 3 - int(C.spatial_dim); D < 3; ++D)
      Count *= View::taps(A, D);
    return Count;
  }
  KPACK_CONV_FUNCTION int depth() const {
    return timesTaps(View::inner(A)) *
           (View::PositionsInRows ? int(C.groups_merge) : 1);
  }

  /// The groups of this tile: the last tile may have fewer.
  KPACK_CONV_FUNCTION int groups() const {
    int Left = A.Groups - Group;
    return Left < int(C.groups_merge) ? Left : int(C.groups_merge);
  }
  KPACK_CONV_FUNCTION void setGroup(Line &L, int Index) const {
    L.Of.Group = Index;
    L.IsIn = L.IsIn && Index < groups();
  }

  /// Positions are the fastest part of rows; channels that of columns.
  KPACK_CONV_FUNCTION Line row(int Index) const {
    Line L = {0, {0, 0, 0}, !int(C.pad_m) || Index < rows()};
    if constexpr (View::PositionsInRows)
      for (int D = 2; D >= 3 - int(C.spatial_dim); --D)
        L.At[D] = takeLast(Index, View::size(A, D));
    KPACK_CONV_IF (int(C.groups_merge) > 1 && !View::PositionsInRows) {
      L.Own = takeLast(Index, View::outer(A));
      setGroup(L, Index);
    } else {
      L.Own = Index;
    }
    return L;
  }
  KPACK_CONV_FUNCTION Line column(int Index) const {
    Line L = {Index, {0, 0, 0}, !int(C.pad_n) || Index < columns()};
    if constexpr (!View::PositionsInRows) {
      L.Own = takeLast(Index, View::channels(A));
      KPACK_CONV_IF (int(C.groups_merge) > 1)
        setGroup(L, takeLast(Index, int(C.groups_merge)));
      for (int D = 2; D >= 3 - int(C.spatial_dim); --D)
        L.At[D] = takeLast(Index, View::size(A, D));
    } else {
      KPACK_CONV_IF (int(C.groups_merge) > 1) {
        L.Own = takeLast(Index, View::channels(A));
        setGroup(L, Index);
      }
    }
    return L;
  }
  KPACK_CONV_FUNCTION Depth depthAt(int Index) const {
    Depth AtDepth = {0, {0, 0, 0}, !int(C.pad_k) || Index < depth()};
    int Slowest = 3 - int(C.spatial_dim);
    if constexpr (View::IsInnerFast)
      AtDepth.Inner = takeLast(Index, View::inner(A));
    KPACK_CONV_IF (int(C.groups_merge) > 1 && View::PositionsInRows) {
      AtDepth.Of.Group = takeLast(Index, int(C.groups_merge));
      AtDepth.IsIn = AtDepth.IsIn && AtDepth.Of.Group < groups();
    }
    for (int D = 2; D > Slowest; --D)
      AtDepth.Tap[D] = takeLast(Index, View::taps(A, D));
    if constexpr (View::IsInnerFast) {
      AtDepth.Tap[Slowest] = Index;
    } else {
      AtDepth.Tap[Slowest] = takeLast(Index, View::taps(A, Slowest));
      AtDepth.Inner = Index;
    }
    return AtDepth;
  }
};

/// Loads one operand, for sums of type Sum.
template <bool IsLeft, class Sum, class View, class Config> struct Loader {
  using In = Matrices<View, Config>;
  using Offset = typename In::Offset;
  using Line = typename In::Line;
  using Depth = typename In::Depth;
  static constexpr bool HasPositions = IsLeft == View::PositionsInRows;
  /// The index in Position of the line's own number, and of the inner sum.
  static constexpr int OwnNumber =
      IsLeft ? View::LeftOuter : View::RightChannel;
  static constexpr int InnerNumber =
      IsLeft ? View::LeftInner : View::RightInner;

  /// Which of the two is an image; neither for a weight.
  static constexpr bool IsImageOwn = IsLeft && OwnNumber == 1;
  static constexpr bool IsImageInner = !View::PositionsInRows;

  /// True if the group of an element comes from the sum, not from its line.
  static constexpr bool HasGroupOfSum = IsLeft && View::PositionsInRows;
  static KPACK_CONV_KNOWN bool isMerged(Config C) {
    return int(C.groups_merge) > 1;
  }

  static KPACK_CONV_KNOWN auto way(Config C) {
    if constexpr (IsLeft)
      return C.a;
    else
      return C.b;
  }
  static KPACK_CONV_KNOWN auto tensor(Config C) {
    if constexpr (IsLeft)
      return View::left(C);
    else
      return View::right(C);
  }
  static KPACK_CONV_FUNCTION const TensorArgument &
  argument(const Arguments &A) {
    return IsLeft ? View::leftOf(A) : View::rightOf(A);
  }
  static KPACK_CONV_KNOWN int lines(Config C) {
    return IsLeft ? int(C.tile_m) : int(C.tile_n);
  }
  static KPACK_CONV_KNOWN int pitch(Config C) {
    return int(C.tile_k) + int(way(C).lds_pad);
  }
  static KPACK_CONV_KNOWN int size(Config C) {
    return sizeOf(int(tensor(C).compute));
  }
  /// Returns the bytes of the tile in LDS.
  static KPACK_CONV_KNOWN int bytes(Config C) {
    return lines(C) * pitch(C) * size(C);
  }
  /// Returns the index in Position in which a vector's elements differ.
  static KPACK_CONV_KNOWN int vectorNumber(Config C) {
    if (!int(way(C).by_lines))
      return View::IsInnerFast ? InnerNumber : 5;
    return IsLeft && View::PositionsInRows ? 5 : OwnNumber;
  }

  /// Returns the number of vectors along the faster one of lines and k.
  static KPACK_CONV_KNOWN int fast(Config C) {
    return (int(way(C).by_lines) ? lines(C) : int(C.tile_k)) /
           int(way(C).vector);
  }
  static KPACK_CONV_KNOWN int vectors(Config C) {
    return lines(C) * int(C.tile_k) / int(way(C).vector);
  }
  /// True if all vectors of a thread have the same index in the faster one.
  static KPACK_CONV_KNOWN bool isSteady(Config C) {
    return int(C.block_size) % fast(C) == 0;
  }
  /// Returns the number of lines that a thread keeps in registers.
  static KPACK_CONV_KNOWN int kept(Config C) {
    if (!isSteady(C))
      return 0;
    return int(way(C).by_lines) || isRolled(C) ? 1 : int(way(C).loads);
  }
  static KPACK_CONV_KNOWN bool isRolled(Config C) {
    return int(way(C).loads) > 4;
  }

#ifdef __AMDGCN__
  using Its = decltype(way(Config()));
  static constexpr int Bytes =
      Its::vector * sizeOf(decltype(tensor(Config()))::compute);
  using Words = typename WordsOf<Bytes>::Type;
  static constexpr int Count = Its::loads, Kept = kept(Config());
#else
  using Words = TestWords;
  static constexpr int Count = 16, Kept = 16;
#endif

  /// Registers of a thread between loads.
  struct State {
    Line Lines[Kept ? Kept : 1];
    Reach<Offset> Reaches[Kept ? Kept : 1];
    Words Fetched[Count];
  };

  //===--------------------------------------------------------------------===//
  // Positions
  //===--------------------------------------------------------------------===//

  static KPACK_CONV_FUNCTION Line line(const In &M, int InTile) {
    return IsLeft ? M.row(M.FirstRow + InTile)
                  : M.column(M.FirstColumn + InTile);
  }
  static KPACK_CONV_FUNCTION Offset stride(const In &M, int Dim) {
    return Offset(argument(M.A).Stride.Of[Dim]);
  }
  /// Returns the image from which offsets count: the first one that a tile, or
  /// a tile of the sum, reads. This allows tensors of any size.
  static KPACK_CONV_FUNCTION int firstImage([[maybe_unused]] const In &M,
                                            [[maybe_unused]] int FirstDepth) {
    [[maybe_unused]] Config C = M.C;
    KPACK_CONV_IF (int(C.by_images)) {
      if constexpr (IsImageOwn)
        return int(unsigned(M.FirstRow) / unsigned(M.positions()));
      if constexpr (IsImageInner)
        return int(unsigned(FirstDepth) / unsigned(M.timesTaps(1)));
    }
    return 0;
  }
  static KPACK_CONV_FUNCTION Reach<Offset> reach(const In &M, const Line &L) {
    Config C = M.C;
    int Own = L.Own - (IsImageOwn ? firstImage(M, 0) : 0);
    Reach<Offset> R = {Offset(Own) * stride(M, OwnNumber), {}};
    KPACK_CONV_IF (isMerged(C) && !HasGroupOfSum)
      R.At += Offset(L.Of.Group) * stride(M, 0);
    if constexpr (HasPositions)
      for (int D = 3 - int(M.C.spatial_dim); D < 3; ++D) {
        R.Of[D] = View::shareOfLine(M.A, D, L.At[D]);
        R.At += Offset(R.Of[D].At) * stride(M, 3 + D);
      }
    return R;
  }
  static KPACK_CONV_FUNCTION Reach<Offset>
  reach(const In &M, const Depth &AtDepth, int FirstImage) {
    Config C = M.C;
    int Inner = AtDepth.Inner - (IsImageInner ? FirstImage : 0);
    Reach<Offset> R = {Offset(Inner) * stride(M, InnerNumber), {}};
    KPACK_CONV_IF (isMerged(C) && HasGroupOfSum)
      R.At += Offset(AtDepth.Of.Group) * stride(M, 0);
    for (int D = 3 - int(M.C.spatial_dim); D < 3; ++D) {
      R.Of[D] = HasPositions ? View::shareOfStep(M.A, D, AtDepth.Tap[D])
                             : Share{AtDepth.Tap[D], 0};
      R.At += Offset(R.Of[D].At) * stride(M, 3 + D);
    }
    return R;
  }
  /// Returns the position of a vector's first element, for operations that read
  /// other tensors there.
  static KPACK_CONV_FUNCTION Position position(const In &M, const Line &L,
                                               const Depth &AtDepth,
                                               const Reach<Offset> &OfLine,
                                               const Reach<Offset> &OfDepth) {
    Config C = M.C;
    Position P = {{M.Group}};
    KPACK_CONV_IF (isMerged(C))
      P.Of[0] += HasGroupOfSum ? AtDepth.Of.Group : L.Of.Group;
    P.Of[OwnNumber] = L.Own;
    P.Of[InnerNumber] = AtDepth.Inner;
    for (int D = 3 - int(M.C.spatial_dim); D < 3; ++D)
      P.Of[3 + D] = OfDepth.Of[D].At + (HasPositions ? OfLine.Of[D].At : 0);
    return P;
  }

  /// Advances by some lines, without a division.
  static KPACK_CONV_FUNCTION void advance(const In &M, Line &L, int By) {
    Config C = M.C;
    Line Step = IsLeft ? M.row(By) : M.column(By);
    int Over = 0;
    auto Add = [&](int &Coordinate, int More, int Size) KPACK_CONV_INLINE {
      Coordinate += More + Over;
      Over = Coordinate >= Size;
      Coordinate -= Over ? Size : 0;
    };
    if constexpr (HasPositions && !IsLeft) {
      Add(L.Own, Step.Own, View::channels(M.A));
      KPACK_CONV_IF (isMerged(C))
        Add(L.Of.Group, Step.Of.Group, int(C.groups_merge));
    }
    if constexpr (HasPositions)
      for (int D = 2; D >= 3 - int(M.C.spatial_dim); --D)
        Add(L.At[D], Step.At[D], View::size(M.A, D));
    KPACK_CONV_IF (isMerged(C) && !HasPositions) {
      Add(L.Own, Step.Own, IsLeft ? View::outer(M.A) : View::channels(M.A));
      L.Of.Group += Step.Of.Group + Over;
    } else if constexpr (IsLeft || !HasPositions) {
      L.Own += Step.Own + Over;
    }
    // Lines after the last one are outside: their slowest number is too large.
    // The column after the last one of weights wraps to the first one, and is
    // never stored.
    KPACK_CONV_IF (isMerged(C) && !HasGroupOfSum)
      L.IsIn = L.Of.Group < M.groups();
    else if (IsLeft ? int(M.C.pad_m) : int(M.C.pad_n))
      L.IsIn = HasPositions && !IsLeft ? L.IsIn && !Over
               : IsLeft                ? L.Own < View::outer(M.A)
                                       : L.Own < View::channels(M.A);
  }

  /// The place of vector \p I of a thread in the tile.
  struct Place {
    int Line, Depth;
    bool IsIn;
  };
  static KPACK_CONV_FUNCTION Place place(Config C, int Id, int I) {
    int Fast = fast(C), Block = int(C.block_size), Vector = int(way(C).vector);
    int Slot = Id + I * Block;
    // Two forms, so that the compiler sees that one number is the same for all
    // vectors.
    int Slow = isSteady(C) ? Id / Fast + I * (Block / Fast) : Slot / Fast;
    int Quick = (isSteady(C) ? Id % Fast : Slot % Fast) * Vector;
    bool IsIn = vectors(C) % Block == 0 || Slot < vectors(C);
    return int(way(C).by_lines) ? Place{Quick, Slow, IsIn}
                                : Place{Slow, Quick, IsIn};
  }

  //===--------------------------------------------------------------------===//
  // Vectors
  //===--------------------------------------------------------------------===//

  static KPACK_CONV_FUNCTION bool isInImage(const In &M,
                                            const Reach<Offset> &OfLine,
                                            const Reach<Offset> &OfDepth) {
    bool Is = true;
    if constexpr (HasPositions)
      for (int D = 3 - int(M.C.spatial_dim); D < 3; ++D) {
        Is = Is & (unsigned(OfLine.Of[D].At + OfDepth.Of[D].At) <
                   unsigned(View::end(M.A, D)));
        if constexpr (View::HasRest)
          Is = Is & (OfLine.Of[D].Rest == OfDepth.Of[D].Rest);
      }
    return Is;
  }

  /// If the sum runs over groups, the right operand is zero in other groups.
  static KPACK_CONV_FUNCTION bool isOfGroup(const In &M, const Line &L,
                                            const Depth &AtDepth) {
    Config C = M.C;
    KPACK_CONV_IF (isMerged(C) && !IsLeft && View::PositionsInRows)
      return L.Of.Group == AtDepth.Of.Group;
    return true;
  }

  /// Loads a vector and converts it to the compute type; zeros outside of the
  /// matrix and the image.
  static KPACK_CONV_FUNCTION Words fetch(const In &M, const Line &L,
                                         const Reach<Offset> &OfLine,
                                         const Depth &AtDepth,
                                         const Reach<Offset> &OfDepth,
                                         int FirstImage) {
    Words Loaded = {};
    if (!L.IsIn || !AtDepth.IsIn || !isOfGroup(M, L, AtDepth) ||
        !isInImage(M, OfLine, OfDepth))
      return Loaded;
    const TensorArgument &Its = argument(M.A);
    long long Base = M.Group * Its.Stride.Of[0];
    [[maybe_unused]] Config C = M.C;
    KPACK_CONV_IF (int(C.by_images))
      Base += FirstImage * Its.Stride.Of[1];
#ifdef __AMDGCN__
    constexpr auto Traits = tensor(Config());
    if constexpr (isIdentity(Traits.operation) &&
                  int(Traits.type) == int(Traits.compute)) {
      constexpr int Size = sizeOf(Traits.type);
      const auto *Source = static_cast<const unsigned char *>(Its.Data) +
                           Base * Size + (OfLine.At + OfDepth.At) * Size;
      __builtin_memcpy(
          &Loaded, __builtin_assume_aligned(Source, Bytes < 16 ? Bytes : 16),
          Bytes);
    } else
#endif
      convert(M, position(M, L, AtDepth, OfLine, OfDepth),
              Base + static_cast<long long>(OfLine.At + OfDepth.At), Loaded);
    return Loaded;
  }
  /// Likewise element by element, from \p Element on.
  static KPACK_CONV_FUNCTION void convert(const In &M, Position P,
                                          long long Element, Words &Converted) {
    Config C = M.C;
    auto Traits = tensor(C);
    KPACK_CONV_UNROLL
    for (int I = 0; I < int(way(C).vector); ++I, ++Element) {
      Sum X = operandAt<Sum>(Traits, C.fnuz, argument(M.A), auxiliary(M), P,
                             Element);
      if constexpr (RealBeside<Sum>::IsInteger)
        storeInteger(Traits.compute, C.fnuz, &Converted, I, X);
      else
        storeReal(Traits.compute, C.fnuz, &Converted, I, X);
      goOn(M, P);
    }
  }
  /// Advances to the next element of a vector, which may be in the next group.
  static KPACK_CONV_FUNCTION void goOn(const In &M, Position &P) {
    Config C = M.C;
    ++P.Of[vectorNumber(C)];
    KPACK_CONV_IF (isMerged(C) && vectorNumber(C) == 2) {
      int Channels = !int(way(C).by_lines) ? View::inner(M.A)
                     : IsLeft              ? View::outer(M.A)
                                           : View::channels(M.A);
      if (P.Of[2] == Channels) {
        P.Of[2] = 0;
        ++P.Of[0];
      }
    }
  }
  static KPACK_CONV_FUNCTION const AuxiliaryArgument *auxiliary(const In &M) {
    return IsLeft ? M.Auxiliary.Left : M.Auxiliary.Right;
  }

  template <int Size>
  static KPACK_CONV_FUNCTION void copy(unsigned char *Destination,
                                       const void *Source) {
    __builtin_memcpy(
        __builtin_assume_aligned(Destination, Size < 16 ? Size : 16), Source,
        Size);
  }

  /// Writes to LDS, by accesses of lds_vector elements, or one by one to
  /// several lines.
  static KPACK_CONV_FUNCTION void put(Config C, const Place &Here,
                                      const Words &Loaded, unsigned char *Lds) {
    if (!Here.IsIn)
      return;
    const auto *Source = reinterpret_cast<const unsigned char *>(&Loaded);
    unsigned char *Destination =
        Lds + (Here.Line * pitch(C) + Here.Depth) * size(C);
    int Vector = int(way(C).vector), Each = int(way(C).lds_vector);
    bool IsScattered = int(way(C).by_lines);
    if (IsScattered || Each > Vector)
      Each = IsScattered ? 1 : Vector;
    KPACK_CONV_UNROLL
    for (int I = 0; I < Vector; I += Each) {
#ifdef __AMDGCN__
      constexpr int Together = Its::by_lines ? 1
                               : Its::vector < Its::lds_vector
                                   ? Its::vector
                                   : Its::lds_vector;
      copy<Together * Bytes / Its::vector>(Destination, Source + I * size(C));
#else
      __builtin_memcpy(Destination, Source + I * size(C),
                       static_cast<unsigned long>(Each * size(C)));
#endif
      Destination += (IsScattered ? pitch(C) : Each) * size(C);
    }
  }

  //===--------------------------------------------------------------------===//
  // Tiles
  //===--------------------------------------------------------------------===//

  /// Prepares the first tile of k.
  static KPACK_CONV_FUNCTION void begin(const In &M, int Id, State &S) {
    Config C = M.C;
    KPACK_CONV_UNROLL
    for (int I = 0; I < kept(C); ++I) {
      S.Lines[I] = line(M, place(C, Id, I).Line);
      S.Reaches[I] = reach(M, S.Lines[I]);
    }
  }

  /// Loads each vector of a thread, and calls Do(its number, place, words).
  template <class Function>
  static KPACK_CONV_FUNCTION void each(const In &M, int Id, int FirstDepth,
                                       const State &S, Function &&Do) {
    Config C = M.C;
    bool ByLines = int(way(C).by_lines), IsSteady = isSteady(C);
    Depth AtDepth = {};
    Reach<Offset> OfDepth = {};
    int FirstImage = firstImage(M, FirstDepth);
    auto GoTo = [&](int InTile) KPACK_CONV_INLINE {
      AtDepth = M.depthAt(FirstDepth + InTile);
      OfDepth = reach(M, AtDepth, FirstImage);
    };
    if (IsSteady && !ByLines)
      GoTo(place(C, Id, 0).Depth);
    auto One = [&](int I, const Line &L, const Reach<Offset> &OfLine)
                   KPACK_CONV_INLINE {
                     Place Here = place(C, Id, I);
                     if (!IsSteady || ByLines)
                       GoTo(Here.Depth);
                     Words W = {};
                     if (Here.IsIn)
                       W = fetch(M, L, OfLine, AtDepth, OfDepth, FirstImage);
                     Do(I, Here, W);
                   };
    KPACK_CONV_IF (isSteady(C) && !isRolled(C)) {
      KPACK_CONV_UNROLL
      for (int I = 0; I < int(way(C).loads); ++I)
        One(I, S.Lines[ByLines ? 0 : I], S.Reaches[ByLines ? 0 : I]);
    } else {
      Line L = S.Lines[0];
      KPACK_CONV_ROLL
      for (int I = 0; I < int(way(C).loads); ++I) {
        if (!IsSteady)
          L = line(M, place(C, Id, I).Line);
        One(I, L, IsSteady && ByLines ? S.Reaches[0] : reach(M, L));
        if (IsSteady && !ByLines)
          advance(M, L, int(C.block_size) / fast(C));
      }
    }
  }

  /// Loads from memory to LDS.
  static KPACK_CONV_FUNCTION void load(const In &M, int Id, int FirstDepth,
                                       const State &S, unsigned char *Lds) {
    each(M, Id, FirstDepth, S,
         [&](int, const Place &Here, const Words &W)
             KPACK_CONV_INLINE { put(M.C, Here, W, Lds); });
  }
  /// Loads from memory to registers.
  static KPACK_CONV_FUNCTION void fetch(const In &M, int Id, int FirstDepth,
                                        State &S) {
    each(M, Id, FirstDepth, S,
         [&](int I, const Place &, const Words &W) KPACK_CONV_INLINE {
#ifdef __AMDGCN__
           if constexpr (goesAround(Config())) {
             KPACK_CONV_UNROLL
             for (int Next = 1; Next < Count; ++Next)
               S.Fetched[Next - 1] = S.Fetched[Next];
             I = Count - 1;
           }
#endif
           S.Fetched[I] = W;
         });
  }
  /// Writes registers to LDS.
  static KPACK_CONV_FUNCTION void put(Config C, int Id, State &S,
                                      unsigned char *Lds) {
#ifdef __AMDGCN__
    if constexpr (goesAround(Config())) {
      KPACK_CONV_ROLL
      for (int I = 0; I < Count; ++I) {
        put(C, place(C, Id, I), S.Fetched[0], Lds);
        KPACK_CONV_UNROLL
        for (int Next = 1; Next < Count; ++Next)
          S.Fetched[Next - 1] = S.Fetched[Next];
      }
      return;
    }
#endif
    KPACK_CONV_UNROLL
    for (int I = 0; I < int(way(C).loads); ++I)
      put(C, place(C, Id, I), S.Fetched[I], Lds);
  }

private:
  /// True if registers rotate by one place for each vector.
  static KPACK_CONV_KNOWN bool goesAround(Config C) {
    return isRolled(C) || !isSteady(C);
  }
};

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_LOAD_H
