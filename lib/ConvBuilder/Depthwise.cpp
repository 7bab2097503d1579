//===- Depthwise.cpp - launch of a DEPTHWISE kernel -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch of DEPTHWISE for a problem. LowerDepthwise.h describes how threads
// share a tile of positions.
//
//===----------------------------------------------------------------------===//
#include "Depthwise.h"

#include "kpack/ConvBuilder/LowerDepthwise.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::conv;
using detail::Promise;
using detail::Promises;

namespace {

Status bad(const std::string &Message) {
  return Status(StatusCode::InvalidArgument, Message);
}

/// Returns a number of a dimension; 1, or a padding of 0, for a dimension that
/// the problem lacks.
int getNumber(const Problem &P, const Promise &Promised) {
  unsigned Dims = P.image.size();
  std::string_view Name = Promised.Name;
  if (Promised.Back > Dims)
    return Name == "pad" ? 0 : 1;
  unsigned D = Dims - Promised.Back;
  return Name == "filter"     ? P.filter[D]
         : Name == "stride"   ? strideOf(P, D)
         : Name == "dilation" ? dilationOf(P, D)
                              : padOf(P, D).before;
}

} // namespace

Result<LaunchStep> conv::depthwiseStep(const Signature &Sig,
                                       const Lowered &Kernel, const Problem &P,
                                       const long long *E) {
  if (P.c != 1 || P.k != 1)
    return bad("problem.c: DEPTHWISE has one channel in each group, the "
               "problem has " +
               std::to_string(P.c) + " and " + std::to_string(P.k));
  for (const Promise &Each : Promises)
    if (Kernel.filter_h && Kernel.*Each.Promised != getNumber(P, Each))
      return bad("problem." + std::string(Each.Name) + ": is " +
                 std::to_string(getNumber(P, Each)) + ", and the kernel has " +
                 std::to_string(Kernel.*Each.Promised) + " inside");
  Depthwise D;
  D.tile = {Kernel.tile_m, Kernel.tile_n};
  D.nbatch = Kernel.images;
  D.in_vector = Kernel.in_vector;
  long long Lds = depthwiseLdsOf(Sig, D, Kernel.block_size, P);
  if (Lds > MostLdsOfLaunch)
    return bad("algorithm.depthwise.tile: needs " + std::to_string(Lds) +
               " bytes of LDS with what the filter reaches, " +
               std::to_string(MostLdsOfLaunch) + " are there");
  LaunchStep Step;
  Step.Block = static_cast<uint32_t>(Kernel.block_size);
  Step.Lds = static_cast<uint32_t>(Lds);
  constexpr long long Most = 65535;
  if (Sig.direction == ConvDirection::BACKWARD_WEIGHT) {
    Step.Grid[0] = static_cast<uint32_t>(std::min(E[0], Most));
    return Step;
  }
  long long Tiles =
      times(E[3], ceilDiv(E[4], D.tile.h), ceilDiv(E[5], D.tile.w));
  if (Tiles >= 1ll << 31)
    return bad("problem: an image has " + std::to_string(Tiles) +
               " tiles; DEPTHWISE has up to 2147483647");
  Step.Grid = {
      static_cast<uint32_t>(Tiles),
      static_cast<uint32_t>(std::min(ceilDiv(P.batch, D.nbatch), Most)),
      static_cast<uint32_t>(std::min(E[0], Most))};
  return Step;
}
