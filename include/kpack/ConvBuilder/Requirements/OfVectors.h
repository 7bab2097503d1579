//===- Requirements/OfVectors.h - checks of vector widths -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the width of accesses to memory and LDS, and their dimension.
// OfClusters.h checks how threads share them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_OFVECTORS_H
#define KPACK_CONVBUILDER_REQUIREMENTS_OFVECTORS_H

#include "kpack/ConvBuilder/Requirements/Context.h"

namespace kpack::conv::checks {

/// True for valid bytes of one access: 1, 2, 4, 8 or 16.
constexpr bool isWidth(long long Bytes) {
  return Bytes >= 1 && Bytes <= 16 && (Bytes & (Bytes - 1)) == 0;
}

constexpr void width(const Context &C, Literal Path, Literal Member,
                     int Elements, DataType Type) {
  long long Bytes = static_cast<long long>(Elements) * bytesOf(Type);
  if (Elements < 1 || isWidth(Bytes))
    return;
  FindingOut F = C.find();
  F << "algorithm." << Path << Member;
  F.fact(16 / bytesOf(Type))
      << Elements << ' ' << Type << " elements are " << Bytes << " bytes";
  F.remedy() << "one access moves 1, 2, 4, 8 or 16";
}

/// Checks the elements that a thread reads from a row in LDS at once.
constexpr void ofOneStep(const Context &C, int Elements) {
  if (Elements < 1 || isWidth(Elements))
    return;
  FindingOut F = C.find("algorithm.thread.k_per_thread", 16);
  F << "one step has " << Elements << " elements of k";
  F.remedy() << "1, 2, 4, 8 or 16";
}

constexpr Literal pathOf(const detail::OperandWay &Way) {
  return Way.Rows == 'm' ? "a" : "b";
}

/// A9: widths of vectors.
constexpr void widths(Context &C) {
  const Algorithm &Algo = *C.Algo;
  for (int Which : {0, 1}) {
    detail::OperandWay Way = detail::wayOf(C, Which);
    if (!Way.Way)
      continue;
    const TensorConfig &Config = tensorOf(C.Sig, Way.From).config;
    width(C, pathOf(Way), ".load_vector", Way.Way->load_vector,
          Config.data_type);
    width(C, pathOf(Way), ".lds_vector", Way.Way->lds_vector,
          Config.compute_type);
    // Each row must begin at a multiple of the vector.
    long long Row =
        Algo.tile ? static_cast<long long>(Algo.tile->k) + Way.Way->lds_pad : 0;
    if (Way.Way->lds_vector > 1 && Row % Way.Way->lds_vector) {
      FindingOut F = C.find();
      F << "algorithm." << pathOf(Way) << ".lds_vector";
      F.fact() << "rows of " << Row << " elements, tile.k with lds_pad, do not "
               << "begin at multiples of " << Way.Way->lds_vector;
      F.remedy() << "another lds_pad, or lds_vector=1";
    }
  }
  if (Algo.c)
    width(C, "c", ".store_vector", Algo.c->store_vector,
          C.result().config.data_type);
  if (Algo.thread && C.isGemm())
    ofOneStep(C, Algo.thread->k_per_thread);
  if (Algo.transpose) {
    DataType Type = C.Sig.input.config.data_type;
    width(C, "transpose", ".source_vector", Algo.transpose->source_vector,
          Type);
    width(C, "transpose", ".target_vector", Algo.transpose->target_vector,
          Type);
  }
  if (Algo.depthwise) {
    width(C, "depthwise", ".in_vector", Algo.depthwise->in_vector,
          C.a().config.data_type);
    // There both images are operands.
    if (C.Sig.direction == ConvDirection::BACKWARD_WEIGHT &&
        C.b().config.data_type != C.a().config.data_type)
      width(C, "depthwise", ".in_vector", Algo.depthwise->in_vector,
            C.b().config.data_type);
    width(C, "depthwise", ".out_vector", Algo.depthwise->out_vector,
          C.result().config.data_type);
  }
}

constexpr void scattered(const Context &C, Literal Name, Literal Member,
                         int Vector, Role TensorRole) {
  if (Vector <= 1 || sideOfNeighbours(C.Sig, TensorRole, *C.Algo) != Side::None)
    return;
  TensorLayout Layout = tensorOf(C.Sig, TensorRole).config.layout;
  const LayoutFacts &Facts = factsOf(Layout);
  if (Facts.Count == 0)
    return;
  FindingOut F = C.find();
  F << "algorithm." << Name << Member;
  F.fact(1) << Vector << " elements at once, and neighbours in "
            << Facts.Letters[Facts.Count - 1] << " of the layout " << Layout
            << " of the " << nameOf(TensorRole) << " are not together";
  F.remedy() << "1 element, or channels last";
}

/// A10: dimensions of vectors.
constexpr void vectorDimensions(Context &C) {
  if (!C.isGemm())
    return;
  for (int Which : {0, 1}) {
    detail::OperandWay Way = detail::wayOf(C, Which);
    if (!Way.Way)
      continue;
    scattered(C, Way.Name, ".load_vector", Way.Way->load_vector, Way.From);
    Side Along = sideOfNeighbours(C.Sig, Way.From, *C.Algo);
    int Dim = Way.Way->vector_dim;
    if (Dim == 0 || Way.Way->load_vector <= 1 || Along == Side::None)
      continue;
    // The dimensions are [batch of k,] packs of k, rows, k in a pack.
    int Rank = Way.Way->access_order.empty()
                   ? 3
                   : static_cast<int>(Way.Way->access_order.size());
    int Wanted = Along == Side::Depth ? Rank - 1 : Rank - 2;
    if (Dim == Wanted)
      continue;
    FindingOut F = C.find();
    F << "algorithm." << Way.Name << ".vector_dim";
    F.fact(Wanted) << Dim << ", and neighbours in the layout "
                   << tensorOf(C.Sig, Way.From).config.layout << " are along "
                   << (Along == Side::Depth ? "k"
                       : Way.Rows == 'm'    ? "m"
                                            : "n")
                   << ", dimension " << Wanted << " of " << Rank;
    F.remedy() << "vector_dim=" << Wanted << ", or load_vector=1";
  }
  if (C.Algo->c)
    scattered(C, "c", ".store_vector", C.Algo->c->store_vector,
              roleOfResult(C.Sig.direction));
}

constexpr FindingOut findDirect(const Context &C,
                                const detail::OperandWay &Way) {
  FindingOut F = C.find();
  F << "algorithm." << Way.Name << ".direct_to_lds";
  F.fact();
  return F;
}

/// A21: loads directly to LDS.
constexpr void directToLds(Context &C) {
  for (int Which : {0, 1}) {
    detail::OperandWay Way = detail::wayOf(C, Which);
    if (!Way.Way || !Way.Way->direct_to_lds)
      continue;
    const Tensor &Source = tensorOf(C.Sig, Way.From);
    long long Bytes = static_cast<long long>(Way.Way->load_vector) *
                      bytesOf(Source.config.data_type);
    bool HasWide = !C.Gpu || C.Gpu->has(Feature::global_load_lds_dwordx4);
    if (C.Gpu && !C.Gpu->has(Feature::global_load_lds_dword))
      (findDirect(C, Way) << C.Gpu->Name << " has no loads to LDS").remedy()
          << "direct_to_lds=0";
    else if (operationOf(Source) != ElementwiseOperation::PASS_THROUGH ||
             Source.config.compute_type != Source.config.data_type)
      (
          findDirect(C, Way)
          << "elements of the " << nameOf(Way.From)
          << " are changed on their way, by its operation or compute_type")
              .remedy()
          << "direct_to_lds=0";
    else if (Bytes > 0 && Bytes != 4 && !(Bytes == 16 && HasWide))
      (findDirect(C, Way) << "load_vector is " << Bytes << " bytes").remedy()
          << "loads to LDS have 4" << (HasWide ? " or 16" : "");
  }
}

} // namespace kpack::conv::checks

#endif // KPACK_CONVBUILDER_REQUIREMENTS_OFVECTORS_H
