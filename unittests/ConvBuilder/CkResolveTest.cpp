//===- CkResolveTest.cpp - tests that CK's algorithms can be lowered ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 19 shapes with numbers that go together, as instances of CK have them:
// each is completed, holds all requirements and is lowered, for a signature of
// its direction and a processor that has its instructions. Sibling:
// CkShapesTest, where numbers are such that none can be mixed up.
//
//===----------------------------------------------------------------------===//
#include "CkLookAlikes.h"

#include "kpack/ConvBuilder/CkShapes.h"
#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/LowerAlgorithm.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

#include <gtest/gtest.h>
#include <string>

using namespace kpack::conv;
using namespace lookalike;

namespace {

/// Four waves of MFMA, or of WMMA, whose tiles fill the work-group's.
template <typename Shape> void setBlock(Shape &Instance) {
  if constexpr (requires { Instance.gridwise_gemm.bk1; })
    Instance.gridwise_gemm.bk1 = 8;
  if constexpr (requires { Instance.gridwise_gemm.xdl_params; }) {
    Instance.gridwise_gemm.xdl_params = {32, 32, 4, 2};
    Instance.thread_block = {256, {256, 128, 32}};
  } else if constexpr (requires { Instance.gridwise_gemm.m_per_wmma; }) {
    Instance.gridwise_gemm.m_wmma_per_wave = 2;
    Instance.gridwise_gemm.n_wmma_per_wave = 4;
    Instance.thread_block = {128, {64, 128, 32}};
  } else if constexpr (requires { Instance.thread_config; }) {
    Instance.thread_config = {16, 2, 4, 4, 1};
    Instance.thread_cluster = {{8, 2}, {8, 2}};
    Instance.thread_block = {256, {128, 128, 16}};
  }
}

/// Loads of 8 elements of k, stores of 8 channels, by all threads.
template <typename Shape> void setTransfer(Shape &Instance) {
  if constexpr (requires { Instance.gridwise_gemm; }) {
    unsigned Rows = Instance.thread_block.block_size / 4;
    for (auto *Way : {&Instance.transfer.a, &Instance.transfer.b}) {
      Way->block_transfer.k0 = 4;
      Way->block_transfer.m_n = Rows;
      if constexpr (requires { Way->block_transfer.k_batch_size; })
        Way->block_transfer.k_batch_size = 1;
      Way->lds_transfer = {2, 8, 8, false, true};
    }
    // Gradients sum over what is no neighbour in memory. Of four dimensions the
    // first one is the batch of the sum.
    Size AlongRows =
        requires { Instance.transfer.a.block_transfer.k_batch_size; } ? 2 : 1;
    if constexpr (requires { Instance.bwd_weight_specialization; })
      Instance.transfer.a.lds_transfer.src_vector_dim = AlongRows;
    if constexpr (!requires { Instance.fwd_specialization; })
      Instance.transfer.b.lds_transfer.src_vector_dim = AlongRows;
    Instance.transfer.c = {{1, 32, 1, Rows / 8}, {1, 1, 8}};
  }
}

/// A pipeline that is implemented, any filter of a forward one.
template <typename Shape> void setRest(Shape &Instance) {
  if constexpr (requires { Instance.num_gemm_k_prefetch_stages; })
    Instance.num_gemm_k_prefetch_stages = 1;
  if constexpr (requires { Instance.pipeline_version; })
    Instance.pipeline_version = Version::V1;
  if constexpr (requires { Instance.fwd_specialization; })
    Instance.fwd_specialization = Filter::DEFAULT;
  if constexpr (requires { Instance.block_gemm_pipeline; })
    Instance.block_gemm_pipeline = {Version::V3, Scheduler::INTRAWAVE};
}

template <typename Shape> Shape realistic() {
  Shape Instance;
  setBlock(Instance);
  setTransfer(Instance);
  setRest(Instance);
  return Instance;
}

template <> lookalike::Tile realistic() {
  lookalike::Tile Instance;
  Instance.block_gemm.warps = {2, 2, 1};
  Instance.block_gemm.warp_tile = {32, 32, 8};
  Instance.thread_block.tile_size = {128, 128, 32};
  Instance.optimizations.num_groups_to_merge = 4;
  Instance.optimizations.split_image = false;
  Instance.optimizations.two_stage = false;
  return Instance;
}

/// What fits to a variant besides its numbers.
struct Fitting {
  const char *Name;
  ConvDirection Direction;
  const char *Processor;
};

/// Empty: completed, and all holds. Else the first reason.
template <typename Shape> std::string reason(const Fitting &With) {
  ImportedAlgorithm Read = importAlgorithm(realistic<Shape>());
  if (Read.failed())
    return std::string(Read.Error.view());
  EXPECT_EQ(nameOf(Read.Variant), With.Name);
  Signature Sig{.spatial_dim = 2,
                .direction = With.Direction,
                .data_type = DataType::FP16};
  EXPECT_EQ(variantReport(Read.Variant, Sig).view(), "") << With.Name;
  Resolved R = resolve(Sig, Read.Value, With.Processor);
  // What was said is kept, but for what resolve() fills in.
  EXPECT_EQ(R.Algo.kind, Read.Variant == CkVariant::Reference ? Kind::REFERENCE
                         : Read.Variant == CkVariant::Depthwise
                             ? Kind::DEPTHWISE
                             : Kind::IMPLICIT_GEMM);
  EXPECT_EQ(R.Algo.specialization, Read.Value.specialization);
  Algorithm Again;
  EXPECT_FALSE(parseText(textOf(R.Algo).view(), Again).failed());
  EXPECT_EQ(Again, R.Algo);
  if (!R.ok())
    return std::string(R.Why.textOf(0));
  // What is not kept of it, hints, makes no other kernel.
  kpack::Result<Lowered> Kernel = lower(R.Sig, R.Algo, With.Processor);
  if (!Kernel)
    return Kernel.status().message();
  if (Read.Value.split && Read.Value.split->groups_merge)
    EXPECT_EQ(Kernel->groups_merge, 4) << With.Name;
  EXPECT_EQ(*lower(R.Sig, withoutHints(R.Algo), With.Processor), *Kernel);
  return "";
}

constexpr ConvDirection Fwd = ConvDirection::FORWARD;
constexpr ConvDirection Data = ConvDirection::BACKWARD_DATA;
constexpr ConvDirection Weight = ConvDirection::BACKWARD_WEIGHT;

TEST(CkResolveTest, AllVariantsResolve) {
  EXPECT_EQ(reason<lookalike::Reference>({"Reference", Fwd, "gfx90a"}), "");
  EXPECT_EQ(reason<lookalike::Tile>({"Tile", Fwd, "gfx90a"}), "");
  EXPECT_EQ(reason<lookalike::Depthwise>({"Depthwise", Fwd, "gfx1100"}), "");
  EXPECT_EQ(reason<FwdXdl>({"FwdXdl", Fwd, "gfx90a"}), "");
  EXPECT_EQ(reason<FwdXdlV3>({"FwdXdlV3", Fwd, "gfx942"}), "");
  EXPECT_EQ(reason<FwdWmma>({"FwdWmma", Fwd, "gfx1100"}), "");
  EXPECT_EQ(reason<FwdWmmaV3>({"FwdWmmaV3", Fwd, "gfx1201"}), "");
  EXPECT_EQ(reason<FwdDl>({"FwdDl", Fwd, "gfx1030"}), "");
  EXPECT_EQ(reason<LargeTensor>({"LargeTensor", Fwd, "gfx942"}), "");
  EXPECT_EQ(reason<BwdXdl>({"BwdXdl", Weight, "gfx90a"}), "");
  EXPECT_EQ(reason<BwdXdlV3>({"BwdXdlV3", Weight, "gfx942"}), "");
  EXPECT_EQ(reason<BwdTwoStageXdl>({"BwdTwoStageXdl", Weight, "gfx90a"}), "");
  EXPECT_EQ(reason<BwdMultiDXdl>({"BwdMultiDXdl", Data, "gfx942"}), "");
  EXPECT_EQ(reason<BwdDl>({"BwdDl", Weight, "gfx1030"}), "");
  EXPECT_EQ(reason<BwdWmma>({"BwdWmma", Weight, "gfx1100"}), "");
  EXPECT_EQ(reason<BwdWmmaV3>({"BwdWmmaV3", Weight, "gfx1201"}), "");
  EXPECT_EQ(reason<BwdTwoStageWmmaV3>({"BwdTwoStageWmmaV3", Weight, "gfx1100"}),
            "");
  EXPECT_EQ(reason<BwdMultiDWmma>({"BwdMultiDWmma", Data, "gfx1100"}), "");
  EXPECT_EQ(reason<BwdMultiDWmmaV3>({"BwdMultiDWmmaV3", Data, "gfx1201"}), "");
}

// Kernels of CK bring tensors to channels last before; ours read them as they
// are, element by element.
TEST(CkResolveTest, ChannelsFirstLayoutsAreTransposed) {
  Signature Sig{.spatial_dim = 2,
                .direction = Data,
                .data_type = DataType::FP16,
                .input = {{TensorLayout::NGCHW}},
                .weight = {{TensorLayout::GKCYX}},
                .output = {{TensorLayout::NGKHW}}};
  Algorithm Algo = importAlgorithm(realistic<BwdMultiDXdl>()).Value;
  EXPECT_TRUE(Algo.transpose);
  Algo.specialization = ConvSpecialization::DEFAULT;
  Resolved R = resolve(Sig, Algo, "gfx942");
  EXPECT_EQ(R.Why.textOf(0),
            "[A10] algorithm.a.load_vector: 8 elements at once, and neighbours "
            "in W of the layout NGKHW of the output are not together; 1 "
            "element, or channels last");
  for (int *Vector :
       {&Algo.a->load_vector, &Algo.b->load_vector, &Algo.c->store_vector})
    *Vector = 1;
  R = resolve(Sig, Algo, "gfx942");
  EXPECT_TRUE(R.ok()) << R.Why.view();
  EXPECT_TRUE(R.Algo.transpose);
  EXPECT_TRUE(lower(R.Sig, R.Algo, "gfx942").ok());
}

// The same numbers are none of a processor without the instruction.
TEST(CkResolveTest, MissingInstructionIsReported) {
  EXPECT_EQ(reason<FwdXdl>({"FwdXdl", Fwd, "gfx1100"}),
            "[A3] algorithm.isa: MFMA is not in gfx1100; it has WMMA DOT VALU");
  EXPECT_EQ(reason<FwdWmma>({"FwdWmma", Fwd, "gfx90a"}).substr(0, 43),
            "[A3] algorithm.isa: WMMA is not in gfx90a; ");
}

} // namespace
