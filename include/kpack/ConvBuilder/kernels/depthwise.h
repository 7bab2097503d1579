//===- kernels/depthwise.h - groups of one channel --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With one channel in a group, a matrix product would have one row or column.
// Instead threads share the image: a work-group loads the input of its tile of
// positions, with a halo, into LDS once.
//
//   Forward, Data  a tile of the result of one group and several images; a
//                  thread computes a subtile, with its sums in registers
//   Weight         all images of one group, tile by tile; a thread has one
//                  element of the filter and a share of each tile's subtiles.
//                  Shares are added in a fixed order, so that each run has the
//                  same bits
//
// Filter, stride, dilation and pad are arguments, or constants if the algorithm
// promises them. The size of LDS depends on them, so it is part of the launch:
// depthwiseLdsOf() of Resources.h.
//
// The phases between barriers are those of igemm.h: on a GPU each thread runs a
// phase; on the CPU all threads of a work-group run one phase before the next.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_DEPTHWISE_H
#define KPACK_CONV_KERNELS_DEPTHWISE_H

#include "kpack/ConvBuilder/kernels/backward_data.h"
#include "kpack/ConvBuilder/kernels/forward.h"
#include "kpack/ConvBuilder/kernels/igemm.h"

namespace kpack::conv::device {

/// Returns the arguments, with constants for the promised height and width.
template <class Config>
KPACK_CONV_FUNCTION Arguments promised(Config C, Arguments A) {
  if (int(C.filter_h) == 0)
    return A;
  A.Filter[1] = int(C.filter_h), A.Filter[2] = int(C.filter_w);
  A.Stride[1] = int(C.stride_h), A.Stride[2] = int(C.stride_w);
  A.Dilation[1] = int(C.dilation_h), A.Dilation[2] = int(C.dilation_w);
  A.Pad[1] = int(C.pad_h), A.Pad[2] = int(C.pad_w);
  return A;
}

KPACK_CONV_FUNCTION int countTaps(const Arguments &A) {
  return A.Filter[0] * A.Filter[1] * A.Filter[2];
}

/// Divides, rounding toward minus infinity.
KPACK_CONV_FUNCTION int floorDivide(int Dividend, int By) {
  int Quotient = Dividend / By;
  return Quotient * By > Dividend ? Quotient - 1 : Quotient;
}

/// The input positions of a range of result positions in one dimension: the
/// first one, their number, and one step.
template <class View> struct Reach;
template <> struct Reach<Forward> {
  static KPACK_CONV_FUNCTION int size(const Arguments &A, int Dim) {
    return A.Image[Dim];
  }
  static KPACK_CONV_FUNCTION int first(const Arguments &A, int Dim,
                                       int Coordinate) {
    return Coordinate * A.Stride[Dim] - A.Pad[Dim];
  }
  static KPACK_CONV_FUNCTION int extent(const Arguments &A, int Dim,
                                        int Positions) {
    return (Positions - 1) * A.Stride[Dim] +
           (A.Filter[Dim] - 1) * A.Dilation[Dim] + 1;
  }
  /// LDS contains all of them, with zeros outside of the image.
  static KPACK_CONV_FUNCTION Tap tap(const Arguments &A, int Dim,
                                     int Coordinate, int Step) {
    return {first(A, Dim, Coordinate) + Step * A.Dilation[Dim], Step, true};
  }
};
template <> struct Reach<BackwardData> {
  static KPACK_CONV_FUNCTION int size(const Arguments &A, int Dim) {
    return A.Result[Dim];
  }
  static KPACK_CONV_FUNCTION int first(const Arguments &A, int Dim,
                                       int Coordinate) {
    int Least = Coordinate + A.Pad[Dim] - (A.Filter[Dim] - 1) * A.Dilation[Dim];
    return -floorDivide(-Least, A.Stride[Dim]);
  }
  static KPACK_CONV_FUNCTION int extent(const Arguments &A, int Dim,
                                        int Positions) {
    return (Positions - 1 + (A.Filter[Dim] - 1) * A.Dilation[Dim]) /
               A.Stride[Dim] +
           1;
  }
  static KPACK_CONV_FUNCTION Tap tap(const Arguments &A, int Dim,
                                     int Coordinate, int Step) {
    return BackwardData::tap(A, Dim, Coordinate, Step);
  }
};

/// A box of positions of a tensor in LDS, for some images. Rows are aligned to
/// vectors.
struct Box {
  int First[3], Extent[3];
  KPACK_CONV_FUNCTION int size() const {
    return Extent[0] * Extent[1] * Extent[2];
  }
  KPACK_CONV_FUNCTION int at(int Image, int Z, int Y, int X) const {
    return ((Image * Extent[0] + Z - First[0]) * Extent[1] + Y - First[1]) *
               Extent[2] +
           X - First[2];
  }
};

template <class Config>
KPACK_CONV_FUNCTION Box makeBox(Config C, int Z, int Y, int X, int Depth,
                                int Height, int Width) {
  int Vector = int(C.in_vector);
  return {{Z, Y, floorDivide(X, Vector) * Vector},
          {Depth, Height, (Width + 2 * Vector - 2) / Vector * Vector}};
}

/// Copies with one access; memory is aligned to its length.
template <int Bytes>
KPACK_CONV_FUNCTION void copyVector(void *Destination, const void *Source) {
  __builtin_memcpy(__builtin_assume_aligned(Destination, Bytes),
                   __builtin_assume_aligned(Source, Bytes), Bytes);
}
KPACK_CONV_FUNCTION void copyVector(void *Destination, const void *Source,
                                    int Bytes) {
  switch (Bytes) {
  case 2:
    return copyVector<2>(Destination, Source);
  case 4:
    return copyVector<4>(Destination, Source);
  case 8:
    return copyVector<8>(Destination, Source);
  default:
    return copyVector<16>(Destination, Source);
  }
}

/// True if \p Vector elements at \p Offset are neighbours in W that one access
/// can cover. They are not in layouts with channels last.
KPACK_CONV_FUNCTION bool isVector(const TensorArgument &Its, long long Offset,
                                  int Vector, int Bytes) {
  auto Address = reinterpret_cast<unsigned long long>(Its.Data) +
                 static_cast<unsigned long long>(Offset * Bytes);
  return Vector > 1 && Its.Stride.Of[5] == 1 &&
         Address % unsigned(Vector * Bytes) == 0;
}

/// Loads a tensor into LDS.
template <class Sum, class Config, class Tensor> struct BoxLoader {
  Config C;
  Tensor Of;
  const TensorArgument &Its;
  const AuxiliaryArgument *Auxiliary;
  int Batch, Size[3];

  /// Loads neighbours in W, with zeros outside of the tensor.
  KPACK_CONV_FUNCTION void loadVector(Position P, bool Reads,
                                      Sum *Destination) const {
    int Vector = int(C.in_vector), Bytes = sizeOf(Of.type);
    long long Offset = offsetOf(Its.Stride, P);
    int X = P.Of[5];
    if (Reads && X >= 0 && X + Vector <= Size[2] &&
        isVector(Its, Offset, Vector, Bytes)) {
      alignas(16) unsigned char Raw[16];
      copyVector(Raw,
                 static_cast<const unsigned char *>(Its.Data) + Offset * Bytes,
                 Vector * Bytes);
      TensorArgument There = {Raw, Its.Stride, Its.Operation};
      for (int I = 0; I < Vector; ++I, ++P.Of[5])
        Destination[I] = operandAt<Sum>(Of, C.fnuz, There, Auxiliary, P, I);
      return;
    }
    for (int I = 0; I < Vector; ++I, ++P.Of[5], Offset += Its.Stride.Of[5])
      Destination[I] =
          Reads && P.Of[5] >= 0 && P.Of[5] < Size[2]
              ? operandAt<Sum>(Of, C.fnuz, Its, Auxiliary, P, Offset)
              : Sum(0);
  }

  KPACK_CONV_FUNCTION void load(const Box &B, int Group, int FirstImage, int Id,
                                Sum *Destination) const {
    int Vector = int(C.in_vector), InRow = B.Extent[2] / Vector;
    int Count = int(C.images) * B.Extent[0] * B.Extent[1] * InRow;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (int Index = Id; Index < Count; Index += int(C.block_size)) {
      int Rest = Index;
      int X = B.First[2] + takeLast(Rest, InRow) * Vector;
      int Y = B.First[1] + takeLast(Rest, B.Extent[1]);
      int Z = B.First[0] + takeLast(Rest, B.Extent[0]);
      int Image = FirstImage + Rest;
      bool Reads =
          Image < Batch && Z >= 0 && Z < Size[0] && Y >= 0 && Y < Size[1];
      loadVector({{Group, Image, 0, Z, Y, X}}, Reads,
                 Destination + Index * Vector);
    }
  }
};

/// The sums of a thread, and the unroll counts of loops over the filter:
/// complete if the filter is promised. In tests members of Config are no
/// constants; see OffsetIn.
template <class Config, class = decltype(&Config::thread_m)> struct Subtile {
  static constexpr int Rows = 16, Columns = 16;
  static constexpr int RepeatsOfY = 1, RepeatsOfX = 1;
};
template <class Config, class Value> struct Subtile<Config, Value *> {
  static constexpr int Rows = Config::thread_m, Columns = Config::thread_n;
  static constexpr int RepeatsOfY = Config::filter_h ? Config::filter_h : 1;
  static constexpr int RepeatsOfX = Config::filter_w ? Config::filter_w : 1;
};

/// A tile of the result, for Forward and BackwardData.
template <class View, class Sum, class Config> struct DepthwiseTile {
  Config C;
  const Arguments &A;
  AuxiliaryPlaces Auxiliary;
  int Group, FirstImage, First[3];

  KPACK_CONV_FUNCTION Box halo() const {
    using R = Reach<View>;
    return makeBox(C, R::first(A, 0, First[0]), R::first(A, 1, First[1]),
                   R::first(A, 2, First[2]), R::extent(A, 0, 1),
                   R::extent(A, 1, int(C.tile_m)),
                   R::extent(A, 2, int(C.tile_n)));
  }

  /// Loads the filter, then the image.
  KPACK_CONV_FUNCTION void load(int Id, Sum *Lds) const {
    int Taps = countTaps(A);
    const TensorArgument &Filter = View::rightOf(A);
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (int Index = Id; Index < Taps; Index += int(C.block_size)) {
      Position P = {{Group}};
      int Rest = Index;
      P.Of[5] = takeLast(Rest, A.Filter[2]);
      P.Of[4] = takeLast(Rest, A.Filter[1]);
      P.Of[3] = Rest;
      Lds[Index] =
          operandAt<Sum>(View::right(C), C.fnuz, Filter, Auxiliary.Right, P,
                         offsetOf(Filter.Stride, P));
    }
    using R = Reach<View>;
    auto Traits = View::left(C);
    BoxLoader<Sum, Config, decltype(Traits)> Loader = {
        C,
        Traits,
        View::leftOf(A),
        Auxiliary.Left,
        A.Batch,
        {R::size(A, 0), R::size(A, 1), R::size(A, 2)}};
    Loader.load(halo(), Group, FirstImage, Id, Lds + Taps);
  }

  struct Sums {
    Sum Of[Subtile<Config>::Rows][Subtile<Config>::Columns];
  };

  /// Adds one element of the filter to all sums of a thread.
  KPACK_CONV_FUNCTION void addTap(const Box &B, int Image, int Y, int X, int Z,
                                  int StepY, int StepX, Sum Weight,
                                  const Sum *Source, Sums &Accumulators) const {
    for (int Row = 0; Row < int(C.thread_m); ++Row)
      for (int Column = 0; Column < int(C.thread_n); ++Column) {
        Tap AtY = Reach<View>::tap(A, 1, Y + Row, StepY);
        Tap AtX = Reach<View>::tap(A, 2, X + Column, StepX);
        if (AtY.Reads && AtX.Reads)
          Accumulators.Of[Row][Column] =
              multiplyAdd(Accumulators.Of[Row][Column],
                          Source[B.at(Image, Z, AtY.Left, AtX.Left)], Weight);
      }
  }

  KPACK_CONV_FUNCTION void addTaps(const Box &B, int Image, int Y, int X,
                                   const Sum *Lds, Sums &Accumulators) const {
    const Sum *Source = Lds + countTaps(A);
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (int Z = 0; Z < A.Filter[0]; ++Z) {
      Tap AtZ = Reach<View>::tap(A, 0, First[0], Z);
      if (!AtZ.Reads)
        continue;
#ifdef __clang__
#pragma clang loop unroll_count(Subtile<Config>::RepeatsOfY)
#endif
      for (int StepY = 0; StepY < A.Filter[1]; ++StepY)
#ifdef __clang__
#pragma clang loop unroll_count(Subtile<Config>::RepeatsOfX)
#endif
        for (int StepX = 0; StepX < A.Filter[2]; ++StepX)
          addTap(B, Image, Y, X, AtZ.Left, StepY, StepX,
                 Lds[(Z * A.Filter[1] + StepY) * A.Filter[2] + StepX], Source,
                 Accumulators);
    }
  }

  /// Stores one row of a subtile.
  KPACK_CONV_FUNCTION void storeRow(Position P, const Sum *Source) const {
    TensorArgument Its = View::resultOf(A);
    auto Traits = View::result(C);
    int Vector = int(C.out_vector), Bytes = sizeOf(Traits.type);
    for (int Column = 0; Column < int(C.thread_n);
         Column += Vector, P.Of[5] += Vector) {
      long long Offset = offsetOf(Its.Stride, P);
      if (P.Of[5] + Vector <= View::size(A, 2) &&
          isVector(Its, Offset, Vector, Bytes)) {
        alignas(16) unsigned char Raw[16];
        Position Each = P;
        for (int I = 0; I < Vector; ++I, ++Each.Of[5])
          storeResult(Traits, C.fnuz,
                      TensorArgument{Raw + I * Bytes, {{}}, Its.Operation},
                      Auxiliary.Result, Each, Source[Column + I]);
        copyVector(static_cast<unsigned char *>(Its.Data) + Offset * Bytes, Raw,
                   Vector * Bytes);
        continue;
      }
      Position Each = P;
      for (int I = 0; I < Vector; ++I, ++Each.Of[5])
        if (Each.Of[5] < View::size(A, 2))
          storeResult(Traits, C.fnuz, Its, Auxiliary.Result, Each,
                      Source[Column + I]);
    }
  }

  KPACK_CONV_FUNCTION void compute(int Id, const Sum *Lds) const {
    int InRow = int(C.tile_n) / int(C.thread_n);
    int InColumn = int(C.tile_m) / int(C.thread_m);
    Box B = halo();
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (int Index = Id; Index < InRow * InColumn * int(C.images);
         Index += int(C.block_size)) {
      int Image = Index;
      int X = First[2] + takeLast(Image, InRow) * int(C.thread_n);
      int Y = First[1] + takeLast(Image, InColumn) * int(C.thread_m);
      Sums S = {};
      addTaps(B, Image, Y, X, Lds, S);
      if (FirstImage + Image >= A.Batch)
        continue;
      for (int Row = 0; Row < int(C.thread_m); ++Row)
        if (Y + Row < View::size(A, 1))
          storeRow({{Group, FirstImage + Image, 0, First[0], Y + Row, X}},
                   S.Of[Row]);
    }
  }
};

/// A range of filter elements, for BackwardWeight.
template <class Sum, class Config> struct DepthwiseWeight {
  Config C;
  const Arguments &A;
  AuxiliaryPlaces Auxiliary;
  int Group;
  int FirstTap, Taps; ///< at most the number of threads

  /// The place of a tile in all images.
  struct Tile {
    int FirstImage, First[3];
  };

  KPACK_CONV_FUNCTION Box inputs(const Tile &Current) const {
    using R = Reach<Forward>;
    return makeBox(
        C, R::first(A, 0, Current.First[0]), R::first(A, 1, Current.First[1]),
        R::first(A, 2, Current.First[2]), R::extent(A, 0, 1),
        R::extent(A, 1, int(C.tile_m)), R::extent(A, 2, int(C.tile_n)));
  }
  KPACK_CONV_FUNCTION Box outputs(const Tile &Current) const {
    return makeBox(C, Current.First[0], Current.First[1], Current.First[2], 1,
                   int(C.tile_m), int(C.tile_n));
  }

  KPACK_CONV_FUNCTION void load(const Tile &Current, int Id, Sum *Lds) const {
    Box In = inputs(Current), Out = outputs(Current);
    BoxLoader<Sum, Config, decltype(C.input)> Inputs = {
        C,       C.input,
        A.Input, Auxiliary.Right,
        A.Batch, {A.Image[0], A.Image[1], A.Image[2]}};
    Inputs.load(In, Group, Current.FirstImage, Id, Lds);
    BoxLoader<Sum, Config, decltype(C.output)> Outputs = {
        C,        C.output,
        A.Output, Auxiliary.Left,
        A.Batch,  {A.Result[0], A.Result[1], A.Result[2]}};
    Outputs.load(Out, Group, Current.FirstImage, Id,
                 Lds + int(C.images) * In.size());
  }

  /// Returns the filter element of a thread.
  KPACK_CONV_FUNCTION Position getTap(int Id) const {
    int Rest = FirstTap + Id % Taps;
    Position P = {{Group}};
    P.Of[5] = takeLast(Rest, A.Filter[2]);
    P.Of[4] = takeLast(Rest, A.Filter[1]);
    P.Of[3] = Rest;
    return P;
  }
  KPACK_CONV_FUNCTION int shares() const { return int(C.block_size) / Taps; }

  KPACK_CONV_FUNCTION Sum add(const Tile &Current, int Id, const Sum *Lds,
                              Sum Total) const {
    if (Id >= shares() * Taps)
      return Total;
    Box In = inputs(Current), Out = outputs(Current);
    const Sum *Outputs = Lds + int(C.images) * In.size();
    Position P = getTap(Id);
    int InRow = int(C.tile_n) / int(C.thread_n);
    int InColumn = int(C.tile_m) / int(C.thread_m);
    int Z = Reach<Forward>::tap(A, 0, Current.First[0], P.Of[3]).Left;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (int Index = Id / Taps; Index < InRow * InColumn * int(C.images);
         Index += shares()) {
      int Image = Index;
      int X = Current.First[2] + takeLast(Image, InRow) * int(C.thread_n);
      int Y = Current.First[1] + takeLast(Image, InColumn) * int(C.thread_m);
      for (int Row = 0; Row < int(C.thread_m); ++Row)
        for (int Column = 0; Column < int(C.thread_n); ++Column)
          Total = multiplyAdd(
              Total,
              Outputs[Out.at(Image, Current.First[0], Y + Row, X + Column)],
              Lds[In.at(Image, Z,
                        Reach<Forward>::tap(A, 1, Y + Row, P.Of[4]).Left,
                        Reach<Forward>::tap(A, 2, X + Column, P.Of[5]).Left)]);
    }
    return Total;
  }

  KPACK_CONV_FUNCTION void store(int Id, const Sum *Lds) const {
    if (Id >= Taps)
      return;
    Sum Total = 0;
    for (int Share = 0; Share < shares(); ++Share)
      Total = multiplyAdd(Total, Lds[Share * Taps + Id], Sum(1));
    storeResult(C.weight, C.fnuz, A.Weight, Auxiliary.Result, getTap(Id),
                Total);
  }

  /// Calls \p Do for each tile of all images.
  template <class Function>
  KPACK_CONV_FUNCTION void forTiles(Function &&Do) const {
    Tile Current;
    for (Current.FirstImage = 0; Current.FirstImage < A.Batch;
         Current.FirstImage += int(C.images))
      for (Current.First[0] = 0; Current.First[0] < A.Result[0];
           ++Current.First[0])
        for (Current.First[1] = 0; Current.First[1] < A.Result[1];
             Current.First[1] += int(C.tile_m))
          for (Current.First[2] = 0; Current.First[2] < A.Result[2];
               Current.First[2] += int(C.tile_n))
            Do(Current);
  }
};

#ifdef __AMDGCN__
/// The launch sets the size.
extern __attribute__((shared, aligned(16))) unsigned char DepthwiseLds[];
#else
inline constexpr int MostDepthwiseThreads = 1024;
inline constexpr int MostDepthwiseLds = 65536;
#endif

template <class View, class Sum, class Config>
KPACK_CONV_FUNCTION void
computeTile(const DepthwiseTile<View, Sum, Config> &Tile,
            [[maybe_unused]] int Id) {
#ifdef __AMDGCN__
  auto *Lds = reinterpret_cast<Sum *>(DepthwiseLds);
  Tile.load(Id, Lds);
  barrier();
  Tile.compute(Id, Lds);
  barrier(); // before the next tile's loads
#else
  alignas(16) unsigned char Bytes[MostDepthwiseLds];
  auto *Lds = reinterpret_cast<Sum *>(Bytes);
  for (int I = 0; I < int(Tile.C.block_size); ++I)
    Tile.load(I, Lds);
  for (int I = 0; I < int(Tile.C.block_size); ++I)
    Tile.compute(I, Lds);
#endif
}

template <class Sum, class Config>
KPACK_CONV_FUNCTION void computeWeight(const DepthwiseWeight<Sum, Config> &Its,
                                       [[maybe_unused]] int Id) {
  using Tile = typename DepthwiseWeight<Sum, Config>::Tile;
#ifdef __AMDGCN__
  auto *Lds = reinterpret_cast<Sum *>(DepthwiseLds);
  Sum Total = 0;
  Its.forTiles([&](const Tile &Current) {
    Its.load(Current, Id, Lds);
    barrier();
    Total = Its.add(Current, Id, Lds, Total);
    barrier();
  });
  Lds[Id] = Total;
  barrier();
  Its.store(Id, Lds);
  barrier(); // before the next tile's loads
#else
  alignas(16) unsigned char Bytes[MostDepthwiseLds];
  auto *Lds = reinterpret_cast<Sum *>(Bytes);
  Sum Totals[MostDepthwiseThreads] = {};
  int Threads = int(Its.C.block_size);
  Its.forTiles([&](const Tile &Current) {
    for (int I = 0; I < Threads; ++I)
      Its.load(Current, I, Lds);
    for (int I = 0; I < Threads; ++I)
      Totals[I] = Its.add(Current, I, Lds, Totals[I]);
  });
  for (int I = 0; I < Threads; ++I)
    Lds[I] = Totals[I];
  for (int I = 0; I < Threads; ++I)
    Its.store(I, Lds);
#endif
}

/// Computes all tiles of a work-group.
template <class Sum, class View, class Config>
KPACK_CONV_FUNCTION void depthwiseIn(Config C, const Arguments &Given,
                                     const AuxiliaryArgument *Auxiliary,
                                     const Place &Here) {
  Arguments A = promised(C, Given);
  AuxiliaryPlaces Places = auxiliaryPlaces(C, Auxiliary);
  int Id = int(Here.Thread);
  if constexpr (!View::PositionsInRows) {
    int All = countTaps(A), Threads = int(C.block_size);
    for (int G = int(Here.Group[0]); G < A.Groups; G += int(Given.Grid[0]))
      for (int First = 0; First < All; First += Threads)
        computeWeight(DepthwiseWeight<Sum, Config>{C, A, Places, G, First,
                                                   All - First < Threads
                                                       ? All - First
                                                       : Threads},
                      Id);
  } else {
    int InRow = (View::size(A, 2) + int(C.tile_n) - 1) / int(C.tile_n);
    int InColumn = (View::size(A, 1) + int(C.tile_m) - 1) / int(C.tile_m);
    int Z = int(Here.Group[0]);
    int X = takeLast(Z, InRow) * int(C.tile_n);
    int Y = takeLast(Z, InColumn) * int(C.tile_m);
    for (int G = int(Here.Group[2]); G < A.Groups; G += int(Given.Grid[2]))
      for (int ImageBlock = int(Here.Group[1]);
           ImageBlock * int(C.images) < A.Batch;
           ImageBlock += int(Given.Grid[1]))
        computeTile(
            DepthwiseTile<View, Sum, Config>{
                C, A, Places, G, ImageBlock * int(C.images), {Z, Y, X}},
            Id);
  }
}

/// The body of a thread.
template <class Config>
KPACK_CONV_FUNCTION void depthwise(Config C, const Arguments &A,
                                   const AuxiliaryArgument *Auxiliary,
                                   const Place &Here) {
#ifdef __AMDGCN__
  depthwiseIn<SumOf<Config>, ViewOf<Config>>(C, A, Auxiliary, Here);
#else
  if (Here.Thread != 0) // thread 0 does the work of all
    return;
  withView(C, [&](auto View) {
    if (int(C.accumulation) == type::I32)
      depthwiseIn<int, decltype(View)>(C, A, Auxiliary, Here);
    else
      depthwiseIn<float, decltype(View)>(C, A, Auxiliary, Here);
  });
#endif
}

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_DEPTHWISE_H
