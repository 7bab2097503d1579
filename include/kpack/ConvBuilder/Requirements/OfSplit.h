//===- OfSplit.h - checks of split sums and merged groups -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the division of work beyond tiles: sums in pieces, merged groups.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_OFSPLIT_H
#define KPACK_CONVBUILDER_REQUIREMENTS_OFSPLIT_H

#include "kpack/ConvBuilder/Requirements/Context.h"

namespace kpack::conv::checks {

/// A18: one-stage pieces are added to the result by atomic instructions, which
/// exist for 32 bits, after the operation.
constexpr void splitSum(Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (!C.isGemm() || !Algo.split || Algo.split->two_stage ||
      piecesOf(Algo, C.piecesAsked()) <= 1 || canAddPieces(C.result()))
    return;
  ElementwiseOperation Op = operationOf(C.result());
  DataType Type = C.result().config.data_type;
  Role TensorRole = roleOfResult(C.Sig.direction);
  FindingOut F = C.find("algorithm.split.k_batch");
  F << piecesOf(Algo, C.piecesAsked()) << " pieces are added ";
  if (!isLinear(Op))
    F << "after the operation " << Op << " of the " << nameOf(TensorRole)
      << ", which is not linear";
  else if (Type == DataType::I32)
    F << "after the operation " << Op << " of the " << nameOf(TensorRole)
      << ", which rounds each to I32";
  else
    F << "in memory, where the " << nameOf(TensorRole) << " has data_type "
      << Type << ", not FP32 or I32";
  F.remedy() << "two_stage=1 adds them first";
}

/// A20: merged groups exclude stream_k, whose work-groups count tiles of one
/// group.
constexpr void mergedGroups(Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (!C.isGemm() || groupsOfTile(Algo) == 1 || !Algo.split->stream_k)
    return;
  FindingOut F = C.find("algorithm.split.groups_merge", 1);
  F << Algo.split->groups_merge
    << " groups in one tile, and stream_k shares tiles of one group";
  F.remedy() << "groups_merge=1, or k_batch in place of stream_k";
}

} // namespace kpack::conv::checks

#endif // KPACK_CONVBUILDER_REQUIREMENTS_OFSPLIT_H
