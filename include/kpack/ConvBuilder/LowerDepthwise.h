//===- LowerDepthwise.h - lowering of kind DEPTHWISE ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers the tile of positions, its division among threads, and promises about
// the filter. Checks the assumptions of kernels, as LowerTiles.h does. All of
// it is constexpr.
//
// Sibling: LowerAlgorithm.h, the rest of a kernel's integers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_LOWERDEPTHWISE_H
#define KPACK_CONVBUILDER_LOWERDEPTHWISE_H

#include "kpack/ConvBuilder/LowerTiles.h"
#include "kpack/ConvBuilder/Resources.h"

namespace kpack::conv::detail {

constexpr bool isVector(int Elements, int Type) {
  int Bytes = Elements * bytesOf(static_cast<DataType>(Type));
  return Elements > 0 && Bytes <= 16 && (Bytes & (Bytes - 1)) == 0;
}

/// A promised size: its place in \p L and its source.
struct Promise {
  int Lowered::*Promised;
  const char *Name; ///< the list of the problem
  unsigned Back;    ///< counted from the end: 1 is width, 2 is height
};
inline constexpr Promise Promises[] = {{&Lowered::filter_h, "filter", 2},
                                       {&Lowered::filter_w, "filter", 1},
                                       {&Lowered::stride_h, "stride", 2},
                                       {&Lowered::stride_w, "stride", 1},
                                       {&Lowered::dilation_h, "dilation", 2},
                                       {&Lowered::dilation_w, "dilation", 1},
                                       {&Lowered::pad_h, "pad", 2},
                                       {&Lowered::pad_w, "pad", 1}};

/// Adds tiles, vectors and promises to a Lowered with its tensors.
constexpr bool lowerDepthwise(Lowered &L, const Algorithm &Algo,
                              LoweringError &Error) {
  auto Bad = [&](const char *Message) -> bool {
    return Refusal(Error, StatusCode::InvalidArgument) << Message;
  };
  if (!Algo.depthwise)
    return Bad("algorithm.depthwise: is missing");
  const Depthwise &D = *Algo.depthwise;
  auto Sum = static_cast<DataType>(L.accumulation);
  if (Sum != DataType::FP32 && Sum != DataType::I32)
    return Refusal(Error, StatusCode::NotImplemented)
           << "signature.accumulation_data_type: DEPTHWISE adds in FP32 and "
              "I32, not in "
           << nameOf(Sum) << "; DIRECT does";
  if (L.block_size < 1 || L.block_size > 1024)
    return Bad("algorithm.block_size: is not from 1 to 1024");
  if (D.nbatch < 1 || D.tile.h < 1 || D.tile.w < 1 || D.nbatch > 1024 ||
      D.tile.h > 1024 || D.tile.w > 1024)
    return Bad("algorithm.depthwise: tile or nbatch is not from 1 to 1024");
  if (!divides(D.subtile.h, D.tile.h) || !divides(D.subtile.w, D.tile.w) ||
      !divides(D.out_vector, D.subtile.w))
    return Bad("algorithm.depthwise.subtile: out_vector does not divide it, "
               "or it does not divide the tile");
  if (D.subtile.h > 16 || D.subtile.w > 16 || D.subtile.h * D.subtile.w > 64)
    return Bad("algorithm.depthwise.subtile: a thread has at most 16 rows and "
               "columns, and 64 sums");
  bool IsForward = L.direction == static_cast<int>(ConvDirection::FORWARD);
  bool IsData = L.direction == static_cast<int>(ConvDirection::BACKWARD_DATA);
  if (!isVector(D.in_vector, IsForward ? L.input.type : L.output.type) ||
      (!IsForward && !IsData && !isVector(D.in_vector, L.input.type)) ||
      !isVector(D.out_vector, IsForward ? L.output.type
                              : IsData  ? L.input.type
                                        : L.weight.type))
    return Bad("algorithm.depthwise: a vector has 1, 2, 4, 8 or 16 bytes");
  L.tile_m = D.tile.h, L.tile_n = D.tile.w;
  L.thread_m = D.subtile.h, L.thread_n = D.subtile.w;
  L.images = D.nbatch;
  L.in_vector = D.in_vector, L.out_vector = D.out_vector;
  if (!D.filter)
    return true;
  const FilterFacts &F = *D.filter;
  int Values[] = {F.size.h,     F.size.w,     F.stride.h, F.stride.w,
                  F.dilation.h, F.dilation.w, F.pad.h,    F.pad.w};
  for (unsigned I = 0; I < std::size(Promises); ++I) {
    if (Values[I] < (I < 6 ? 1 : 0))
      return Refusal(Error, StatusCode::InvalidArgument)
             << "algorithm.depthwise.filter: " << Promises[I].Name << " is "
             << Values[I];
    L.*Promises[I].Promised = Values[I];
  }
  return true;
}

} // namespace kpack::conv::detail

#endif // KPACK_CONVBUILDER_LOWERDEPTHWISE_H
