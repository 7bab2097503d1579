//===- kpack/ConvBuilder/Requirements/OfSplit.h - A -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How work may be divided beyond tiles: sums in pieces, groups that are merged.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_OFSPLIT_H
#define KPACK_CONVBUILDER_REQUIREMENTS_OFSPLIT_H

#include "kpack/ConvBuilder/Requirements/Context.h"

namespace kpack::conv::checks {

/// A18. Pieces of one stage are added to the result by atomic instructions,
/// which are there for 32 bits, and after the operation.
constexpr void splitSum(Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (!C.isGemm() || !Algo.split || Algo.split->two_stage ||
      piecesOf(Algo, C.piecesAsked()) <= 1)
    return;
  int Pieces = piecesOf(Algo, C.piecesAsked());
  ElementwiseOperation Op = operationOf(C.result());
  DataType Type = C.result().config.data_type;
  Role Of = roleOfResult(C.Sig.direction);
  bool IsLinear = isLinear(Op);
  if (IsLinear && (Type == DataType::FP32 || Type == DataType::I32))
    return;
  FindingOut F = C.find("algorithm.split.k_batch");
  F << Pieces << " pieces are added ";
  if (!IsLinear)
    F << "after the operation " << Op << " of the " << nameOf(Of)
      << ", which is not linear";
  else
    F << "in memory, where the " << nameOf(Of) << " has data_type " << Type
      << ", not FP32 or I32";
  F.remedy() << "two_stage=1 adds them first";
}

/// A20.
constexpr void mergedGroups(Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (!C.isGemm() || !Algo.split || Algo.split->groups_merge <= 1)
    return;
  int Merged = Algo.split->groups_merge;
  constexpr int Most = 64;
  if (Merged > Most || (Merged & (Merged - 1)) != 0) {
    FindingOut F = C.find("algorithm.split.groups_merge", Most);
    F << Merged << " groups are not merged";
    F.remedy() << "1, 2, 4, 8, 16, 32 or 64 are";
    return;
  }
  if (!Algo.tile || Algo.tile->n % Merged == 0)
    return;
  FindingOut F = C.find("algorithm.split.groups_merge", Algo.tile->n);
  F << Merged << " groups do not divide tile.n, which is " << Algo.tile->n;
  F.remedy() << "fewer groups, or a tile.n that is a multiple";
}

} // namespace kpack::conv::checks

#endif // KPACK_CONVBUILDER_REQUIREMENTS_OFSPLIT_H
