//===- Depthwise.cpp - the integers of DEPTHWISE --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a tile of positions is shared, and what a launch needs for it. As in
// Tiles.cpp, what kernels rely on is checked here.
//
//===----------------------------------------------------------------------===//
#include "Depthwise.h"

#include "kpack/ConvBuilder/Resources.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::conv;

namespace {

Status bad(const std::string &What) {
  return Status(StatusCode::InvalidArgument, What);
}

bool isVector(int Elements, int Type) {
  int Bytes = Elements * bytesOf(static_cast<DataType>(Type));
  return Elements > 0 && Bytes <= 16 && (Bytes & (Bytes - 1)) == 0;
}

bool divides(int Part, int Whole) { return Part > 0 && Whole % Part == 0; }

/// Where everything that is promised goes in \p L, and where it comes from.
struct Promise {
  int Lowered::*Promised;
  const char *Name; ///< of the problem's list
  unsigned Back;    ///< 1: width, 2: height
};
constexpr Promise Promises[] = {{&Lowered::filter_h, "filter", 2},
                                {&Lowered::filter_w, "filter", 1},
                                {&Lowered::stride_h, "stride", 2},
                                {&Lowered::stride_w, "stride", 1},
                                {&Lowered::dilation_h, "dilation", 2},
                                {&Lowered::dilation_w, "dilation", 1},
                                {&Lowered::pad_h, "pad", 2},
                                {&Lowered::pad_w, "pad", 1}};

/// Of a dimension; one that the problem has not is of size 1.
int numberOf(const Problem &P, const Promise &Of) {
  unsigned Dims = P.image.size();
  std::string_view Name = Of.Name;
  if (Of.Back > Dims)
    return Name == "pad" ? 0 : 1;
  unsigned D = Dims - Of.Back;
  return Name == "filter"     ? P.filter[D]
         : Name == "stride"   ? strideOf(P, D)
         : Name == "dilation" ? dilationOf(P, D)
                              : padOf(P, D).before;
}

} // namespace

Status conv::lowerDepthwise(Lowered &L, const Algorithm &How) {
  if (!How.depthwise)
    return bad("algorithm.depthwise: is missing");
  const Depthwise &D = *How.depthwise;
  auto Sum = static_cast<DataType>(L.accumulation);
  if (Sum != DataType::FP32 && Sum != DataType::I32)
    return Status(StatusCode::NotImplemented,
                  "signature.accumulation_data_type: DEPTHWISE adds in FP32 "
                  "and I32, not in " +
                      std::string(nameOf(Sum)) + "; DIRECT does");
  if (L.block_size < 1 || L.block_size > 1024)
    return bad("algorithm.block_size: is not from 1 to 1024");
  if (D.nbatch < 1 || D.tile.h < 1 || D.tile.w < 1 || D.nbatch > 1024 ||
      D.tile.h > 1024 || D.tile.w > 1024)
    return bad("algorithm.depthwise: tile or nbatch is not from 1 to 1024");
  if (!divides(D.subtile.h, D.tile.h) || !divides(D.subtile.w, D.tile.w) ||
      !divides(D.out_vector, D.subtile.w))
    return bad("algorithm.depthwise.subtile: out_vector does not divide it, "
               "or it does not divide the tile");
  if (D.subtile.h > 16 || D.subtile.w > 16 || D.subtile.h * D.subtile.w > 64)
    return bad("algorithm.depthwise.subtile: a thread has at most 16 rows and "
               "columns, and 64 sums");
  bool IsForward = L.direction == static_cast<int>(ConvDirection::FORWARD);
  bool IsData = L.direction == static_cast<int>(ConvDirection::BACKWARD_DATA);
  if (!isVector(D.in_vector, IsForward ? L.input.type : L.output.type) ||
      (!IsForward && !IsData && !isVector(D.in_vector, L.input.type)) ||
      !isVector(D.out_vector, IsForward ? L.output.type
                              : IsData  ? L.input.type
                                        : L.weight.type))
    return bad("algorithm.depthwise: a vector has 1, 2, 4, 8 or 16 bytes");
  L.tile_m = D.tile.h, L.tile_n = D.tile.w;
  L.thread_m = D.subtile.h, L.thread_n = D.subtile.w;
  L.images = D.nbatch;
  L.in_vector = D.in_vector, L.out_vector = D.out_vector;
  if (!D.filter)
    return Status::success();
  const FilterFacts &F = *D.filter;
  const int Values[] = {F.size.h,     F.size.w,     F.stride.h, F.stride.w,
                        F.dilation.h, F.dilation.w, F.pad.h,    F.pad.w};
  for (unsigned I = 0; I < std::size(Promises); ++I) {
    if (Values[I] < (I < 6 ? 1 : 0))
      return bad(std::string("algorithm.depthwise.filter: ") +
                 Promises[I].Name + " is " + std::to_string(Values[I]));
    L.*Promises[I].Promised = Values[I];
  }
  return Status::success();
}

Result<LaunchStep> conv::depthwiseStep(const Signature &Sig,
                                       const Lowered &Kernel, const Problem &P,
                                       const long long *E) {
  if (P.c != 1 || P.k != 1)
    return bad("problem.c: DEPTHWISE has one channel in each group, the "
               "problem has " +
               std::to_string(P.c) + " and " + std::to_string(P.k));
  for (const Promise &Each : Promises)
    if (Kernel.filter_h && Kernel.*Each.Promised != numberOf(P, Each))
      return bad("problem." + std::string(Each.Name) + ": is " +
                 std::to_string(numberOf(P, Each)) + ", and the kernel has " +
                 std::to_string(Kernel.*Each.Promised) + " inside");
  Depthwise D;
  D.tile = {Kernel.tile_m, Kernel.tile_n};
  D.nbatch = Kernel.images;
  D.in_vector = Kernel.in_vector;
  long long Lds = depthwiseLdsOf(Sig, D, Kernel.block_size, P);
  if (Lds > 65536)
    return bad("algorithm.depthwise.tile: needs " + std::to_string(Lds) +
               " bytes of LDS with what the filter reaches, 65536 are there");
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
