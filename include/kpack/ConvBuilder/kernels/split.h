//===- kernels/split.h - sums in pieces -------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a product has few tiles and a long sum, work-groups divide the sum: each
// adds a range of tiles of k, and writes its partial sum
//
//   ADDED      to the result, by atomic additions after a step that writes
//              zeros. The order varies, and so may the bits of each run
//   WORKSPACE  to the workspace, in the type of sums; a later step adds the
//              pieces in order, then applies the operation and converts
//   SHARED     likewise, but only for some tiles (stream.h)
//
// Elements of the workspace have the order of results: piece, group, outer
// number, and the rest in the order of neighbours in memory.
//
// Sibling: igemm.h, which computes the pieces.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_SPLIT_H
#define KPACK_CONV_KERNELS_SPLIT_H

#include "kpack/ConvBuilder/kernels/view.h"

namespace kpack::conv::device {

/// True if a tile's sums are added to others, or written to the workspace.
template <class Config> KPACK_CONV_KNOWN bool hasPieces(Config C) {
  return int(C.split) == split::ADDED || int(C.split) == split::WORKSPACE;
}

/// Returns the number of pieces of the sum.
template <class Config>
KPACK_CONV_FUNCTION int piecesOf(Config C, const Arguments &A) {
  return int(C.split) == split::NONE ? 1 : A.Pieces;
}

/// A range of the sum, from First to before End.
struct DepthRange {
  int First, End;
};

/// Returns the range of one of \p Pieces. Ranges are whole tiles, whose numbers
/// differ by at most one.
KPACK_CONV_FUNCTION DepthRange depthOfPiece(int Depth, int Tile, int Piece,
                                            int Pieces) {
  if (Pieces == 1)
    return {0, Depth};
  int Tiles = (Depth + Tile - 1) / Tile;
  int Each = Tiles / Pieces, Larger = Tiles - Each * Pieces;
  int First = Piece * Each + (Piece < Larger ? Piece : Larger);
  int End = First + Each + (Piece < Larger ? 1 : 0);
  return {First * Tile, End < Tiles ? End * Tile : Depth};
}

/// Returns the number of results with the same group and outer number.
template <class View>
KPACK_CONV_FUNCTION unsigned countResults(const Arguments &A) {
  return unsigned(View::channels(A)) * unsigned(View::size(A, 0)) *
         unsigned(View::size(A, 1)) * unsigned(View::size(A, 2));
}

template <class View>
KPACK_CONV_FUNCTION long long countAllResults(const Arguments &A) {
  return 1ll * A.Groups * View::outer(A) * countResults<View>(A);
}

/// Returns the index of the result at \p P among all. The inverse of
/// splitResult().
template <class View, class Config>
KPACK_CONV_FUNCTION long long numberOfResult(Config C, const Arguments &A,
                                             const Position &P) {
  unsigned Index = int(C.channels_last) ? 0 : unsigned(P.Of[2]);
  for (int D = 3 - int(C.spatial_dim); D < 3; ++D)
    Index = Index * unsigned(View::size(A, D)) + unsigned(P.Of[3 + D]);
  if (int(C.channels_last))
    Index = Index * unsigned(View::channels(A)) + unsigned(P.Of[2]);
  return (1ll * P.Of[0] * View::outer(A) + P.Of[1]) * countResults<View>(A) +
         Index;
}

KPACK_CONV_FUNCTION void addTo(float &Place, float Value) {
#ifdef __AMDGCN__
  __scoped_atomic_fetch_add(&Place, Value, __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_DEVICE);
#else
  Place += Value; // work-groups run one after another
#endif
}
KPACK_CONV_FUNCTION void addTo(int &Place, int Value) {
#ifdef __AMDGCN__
  __scoped_atomic_fetch_add(&Place, Value, __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_DEVICE);
#else
  Place = multiplyAdd(Place, Value, 1);
#endif
}

/// Adds a piece to the result's element at \p P, which is FP32, or I32 without
/// an operation: Launch.cpp allows no others.
template <class Sum, class Tensor, class Form>
KPACK_CONV_FUNCTION void
addResult(Tensor Traits, Form Fnuz, const TensorArgument &Its,
          const AuxiliaryArgument *Auxiliary, const Position &P, Sum Total) {
  long long Offset = offsetOf(Its.Stride, P);
  if constexpr (RealBeside<Sum>::IsInteger)
    if (int(Traits.type) == type::I32)
      return addTo(static_cast<int *>(Its.Data)[Offset], Total);
  using Real = typename RealBeside<Sum>::Type;
  Real X = operated(Traits, Fnuz, Its, Auxiliary, P, static_cast<Real>(Total));
  addTo(static_cast<float *>(Its.Data)[Offset], static_cast<float>(X));
}

/// Stores the sum of one piece, or the whole sum, of the result at \p P.
template <class View, class Sum, class Config>
KPACK_CONV_FUNCTION void storePiece(Config C, const Arguments &A,
                                    const AuxiliaryArgument *Auxiliary,
                                    const Position &P, int Piece, Sum Total) {
  const TensorArgument &Its = View::resultOf(A);
  KPACK_CONV_IF (int(C.split) == split::WORKSPACE) {
    static_cast<Sum *>(A.Workspace)[Piece * countAllResults<View>(A) +
                                    numberOfResult<View>(C, A, P)] = Total;
  } else {
    // If the algorithm leaves the number of pieces open, a problem may have
    // one.
    KPACK_CONV_IF (int(C.split) == split::ADDED)
      if (int(C.k_batch) > 1 || A.Pieces > 1)
        return addResult(View::result(C), C.fnuz, Its, Auxiliary, P, Total);
    storeResult(View::result(C), C.fnuz, Its, Auxiliary, P, Total);
  }
}

/// Calls \p Do(position) for each result of a thread in a step.
template <class View, class Config, class Function>
KPACK_CONV_FUNCTION void forResults(Config C, const Arguments &A,
                                    const Place &Here, Function &&Do) {
  unsigned Count = countResults<View>(A);
  for (int G = int(Here.Group[2]); G < A.Groups; G += int(A.StepGrid[2]))
    for (int O = int(Here.Group[1]); O < View::outer(A);
         O += int(A.StepGrid[1]))
      for (unsigned Index =
               Here.Group[0] * unsigned(split::Threads) + Here.Thread;
           Index < Count; Index += A.StepGrid[0] * unsigned(split::Threads)) {
        Position P = {{G, O}};
        splitResult<View>(C, A, Index, P);
        Do(P);
      }
}

/// The body of a thread in the step before.
template <class Config>
KPACK_CONV_FUNCTION void zeroResults(Config C, const Arguments &A,
                                     const AuxiliaryArgument *,
                                     const Place &Here) {
  withView(C, [&](auto View) {
    using Its = decltype(View);
    const TensorArgument &Result = Its::resultOf(A);
    forResults<Its>(C, A, Here, [&](const Position &P) {
      storeReal(Its::result(C).type, C.fnuz, Result.Data,
                offsetOf(Result.Stride, P), 0.0f);
    });
  });
}

template <class View, class Sum, class Config>
KPACK_CONV_FUNCTION void reduceIn(Config C, const Arguments &A,
                                  const AuxiliaryArgument *Auxiliary,
                                  const Place &Here) {
  AuxiliaryPlaces Places = auxiliaryPlaces(C, Auxiliary);
  const Sum *Partials = static_cast<const Sum *>(A.Workspace);
  long long All = countAllResults<View>(A);
  forResults<View>(C, A, Here, [&](const Position &P) {
    long long Index = numberOfResult<View>(C, A, P);
    Sum Total = 0;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (int Piece = 0; Piece < A.Pieces; ++Piece)
      Total = multiplyAdd(Total, Partials[Piece * All + Index], Sum(1));
    storeResult(View::result(C), C.fnuz, View::resultOf(A), Places.Result, P,
                Total);
  });
}

/// The body of a thread in the next step.
template <class Config>
KPACK_CONV_FUNCTION void reducePieces(Config C, const Arguments &A,
                                      const AuxiliaryArgument *Auxiliary,
                                      const Place &Here) {
  withView(C, [&](auto View) {
    using Its = decltype(View);
#ifdef __AMDGCN__
    reduceIn<Its, SumOf<Config>>(C, A, Auxiliary, Here);
#else
    if (int(C.accumulation) == type::I32)
      reduceIn<Its, int>(C, A, Auxiliary, Here);
    else
      reduceIn<Its, float>(C, A, Auxiliary, Here);
#endif
  });
}

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_SPLIT_H
