//===- CkShapesTest.cpp - tests of algorithms from CK's structs -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each of the 19 shapes is recognised and becomes what is written here as text;
// everything that is nearly one of them is refused, with a reason. What is said
// while compiling is in test/ConvBuilder.
//
//===----------------------------------------------------------------------===//
#include "CkLookAlikes.h"

#include "kpack/ConvBuilder/CkShapes.h"
#include "kpack/ConvBuilder/Text.h"

#include <gtest/gtest.h>
#include <string>

using namespace kpack::conv;
using namespace lookalike;

namespace {

/// "variant: text", or the error. Compiled twice, and read back.
template <typename Shape> std::string import(const Shape &Given) {
  ImportedAlgorithm Read = importAlgorithm(Given);
  if (Read.failed()) {
    EXPECT_EQ(Read.Variant == CkVariant::None, Read.Value.kind == Kind::AUTO);
    return std::string(Read.Error.view());
  }
  FixedText<MaxText> Text = textOf(Read.Value);
  Algorithm Again;
  EXPECT_FALSE(parseText(Text.view(), Again).failed()) << Text.view();
  EXPECT_EQ(Again, Read.Value);
  return std::string(nameOf(Read.Variant)) + ": " + std::string(Text.view());
}

template <typename Shape> std::string import() {
  static constexpr Shape Given{};
  constexpr ImportedAlgorithm Read = importAlgorithm(Given);
  static_assert(!Read.failed());
  static_assert(algorithmReport<Shape>().empty());
  static_assert(ConvAlgorithmDescriptor<Shape>);
  static_assert(canonical(Given) == Read.Value);
  return import(Given);
}

// What many of the shapes have.
const std::string Block = "block_size=256,tile={m=256,n=128,k=32},";
const std::string XdlWave = "wave={waves={m=2,n=4,k=1},instr={m=32,n=16}},";
const std::string WmmaWave = "wave={waves={m=2,n=4,k=1},instr={m=16,n=16}},";
const std::string StoredC =
    "c={store_vector=8,shuffle={m=1,n=2},cluster={mb=1,mw=32,nb=2,nw=4},"
    "through_lds=1}";
const std::string Rank3 = "cluster={k0=4,mn=64,k1=1},cluster_order=[1,0,2],"
                          "access_order=[2,0,1]},";
const std::string Rank4 = "cluster={k0=4,mn=32,k1=1,kb=2},"
                          "cluster_order=[0,3,1,2],access_order=[0,2,1,3]},";
std::string loads(const char *PackOfB, const std::string &Cluster) {
  return "a={k_pack=8,load_vector=4,lds_vector=8,vector_dim=2,lds_pad=8," +
         Cluster + "b={k_pack=" + PackOfB +
         ",load_vector=2,lds_vector=16,vector_dim=1,direct_to_lds=1," +
         Cluster + StoredC;
}
std::string gemm(const char *Variant, const char *IsaName) {
  return std::string(Variant) + ": {kind=IMPLICIT_GEMM,isa=" + IsaName + "," +
         Block;
}
const std::string V4 = ",pipeline={version=V4,scheduler=INTRAWAVE";
const std::string Transposed = ",transpose={source_vector=2,target_vector=4}";
const std::string Fwd = ",specialization=FILTER_3x3,padding={m=1,n=1,k=1}}";
const std::string BwdWeight = ",specialization=FILTER_1X1_PAD0}";
const std::string BwdData = ",specialization=FILTER_1X1_STRIDE1_PAD0";

TEST(CkShapesTest, ImportsReference) {
  EXPECT_EQ(import<lookalike::Reference>(), "Reference: {kind=REFERENCE}");
}

TEST(CkShapesTest, ImportsTile) {
  EXPECT_EQ(import<lookalike::Tile>(),
            "Tile: {kind=IMPLICIT_GEMM,tile={m=128,n=64,k=32},"
            "wave={waves={m=2,n=4,k=1},instr={m=32,n=16,k=8}},"
            "a={load_vector=8},b={load_vector=4},"
            "c={store_vector=2,through_lds=1},pipeline={version=V3,"
            "scheduler=INTERWAVE,double_lds=1,wave_groups=2},"
            "split={two_stage=1,groups_merge=1,split_image=1},"
            "specialization=FILTER_5x5}");
}

TEST(CkShapesTest, ImportsDepthwise) {
  EXPECT_EQ(import<lookalike::Depthwise>(),
            "Depthwise: {kind=DEPTHWISE,block_size=64,depthwise={"
            "tile={h=16,w=28},subtile={h=2,w=7},nbatch=8,in_vector=4,"
            "out_vector=1,filter={size={h=3,w=5},stride={h=1,w=2},"
            "dilation={h=3,w=4},pad={w=6}}}}");
}

TEST(CkShapesTest, ImportsForwardXdl) {
  EXPECT_EQ(import<FwdXdl>(), gemm("FwdXdl", "MFMA") + XdlWave +
                                  loads("4", Rank3) + ",pipeline={stages=2}," +
                                  "split={groups_merge=4}" + Fwd);
  EXPECT_EQ(import<FwdXdlV3>(), gemm("FwdXdlV3", "MFMA") + XdlWave +
                                    loads("4", Rank3) + V4 +
                                    "},split={groups_merge=4}" + Fwd);
  EXPECT_EQ(import<LargeTensor>(),
            gemm("LargeTensor", "MFMA") + XdlWave + loads("4", Rank3) +
                ",pipeline={stages=2},split={groups_merge=4,index64=1}" + Fwd);
}

TEST(CkShapesTest, ImportsForwardWmma) {
  EXPECT_EQ(import<FwdWmma>(), gemm("FwdWmma", "WMMA") + WmmaWave +
                                   loads("8", Rank3) +
                                   ",pipeline={version=V2,stages=2}" +
                                   ",split={groups_merge=4}" + Fwd);
  EXPECT_EQ(import<FwdWmmaV3>(),
            gemm("FwdWmmaV3", "WMMA") + WmmaWave + loads("4", Rank3) + V4 +
                "},split={groups_merge=4},specialization=ODD_C,"
                "padding={m=1,k=1}}");
}

TEST(CkShapesTest, ImportsDl) {
  std::string Thread = ",thread={m1=4,n1=8,k_per_thread=1,k0=16,k1=2,"
                       "m1_xs=[8,2],n1_xs=[4,3]}";
  std::string Stored = "c={store_vector=4,vector_dim=5,"
                       "access_order=[0,1,2,3,4,5]}";
  std::string Four = "cluster_order=[1,2,0,3],access_order=[2,1,0,3],"
                     "slice={lengths=[8,1,1,2],cluster=[2,1,128,1],"
                     "source_vector=[4,1,1,2],vector_order=[0,1,2,3],"
                     "target_vector=[1,1,1,2]}},";
  EXPECT_EQ(import<FwdDl>(), gemm("FwdDl", "VALU") + "a={" + Four + "b={" +
                                 Four + Stored + Thread + Fwd);
  std::string Five = "cluster_order=[0,2,3,1,4],access_order=[0,4,3,1,2],"
                     "slice={lengths=[1,8,1,1,3],cluster=[1,2,1,128,4],"
                     "source_vector=[1,1,1,1,5],vector_order=[4,3,2,1,0],"
                     "target_vector=[1,1,2,1,1]}},";
  EXPECT_EQ(import<BwdDl>(), gemm("BwdDl", "VALU") + "a={" + Five + "b={" +
                                 Five + Stored + Thread + BwdWeight);
}

TEST(CkShapesTest, ImportsBackwardXdl) {
  EXPECT_EQ(import<BwdXdl>(), gemm("BwdXdl", "MFMA") + XdlWave +
                                  loads("8", Rank4) + Transposed + BwdWeight);
  EXPECT_EQ(import<BwdXdlV3>(), gemm("BwdXdlV3", "MFMA") + XdlWave +
                                    loads("8", Rank3) + V4 +
                                    "},split={groups_merge=4}" + BwdWeight);
  EXPECT_EQ(import<BwdTwoStageXdl>(),
            gemm("BwdTwoStageXdl", "MFMA") + XdlWave + loads("8", Rank3) + V4 +
                "},split={two_stage=1,groups_merge=4}" + Transposed +
                BwdWeight);
  EXPECT_EQ(import<BwdMultiDXdl>(), gemm("BwdMultiDXdl", "MFMA") + XdlWave +
                                        loads("4", Rank3) +
                                        ",pipeline={stages=2}" + Transposed +
                                        BwdData + ",padding={n=1}}");
}

TEST(CkShapesTest, ImportsBackwardWmma) {
  EXPECT_EQ(import<BwdWmma>(),
            gemm("BwdWmma", "WMMA") + WmmaWave + loads("8", Rank3) +
                ",pipeline={version=V2,stages=2}" + BwdWeight);
  EXPECT_EQ(import<BwdWmmaV3>(), gemm("BwdWmmaV3", "WMMA") + WmmaWave +
                                     loads("8", Rank3) + V4 + "}" + Transposed +
                                     BwdWeight);
  EXPECT_EQ(import<BwdTwoStageWmmaV3>(),
            gemm("BwdTwoStageWmmaV3", "WMMA") + WmmaWave + loads("8", Rank3) +
                V4 + "},split={two_stage=1,groups_merge=4}" + Transposed +
                BwdWeight);
  EXPECT_EQ(import<BwdMultiDWmma>(),
            gemm("BwdMultiDWmma", "WMMA") + WmmaWave + loads("8", Rank3) +
                ",pipeline={version=V2,stages=2}" + BwdData + "}");
  EXPECT_EQ(import<BwdMultiDWmmaV3>(),
            gemm("BwdMultiDWmmaV3", "WMMA") + WmmaWave + loads("4", Rank3) +
                V4 + ",stages=2}" + Transposed + BwdData + ",padding={n=1}}");
}

//===----------------------------------------------------------------------===//
// Other ways to write them
//===----------------------------------------------------------------------===//

struct OnlySpecial {
  Special specialization = Special::NONE;
};
struct OnlyFilter {
  Filter specialization = Filter::FILTER_3x3;
};

TEST(CkShapesTest, ImportsSpecializationAlone) {
  EXPECT_EQ(import(OnlySpecial{Special::REFERENCE}),
            "Reference: {kind=REFERENCE}");
  EXPECT_EQ(import(OnlySpecial{Special::LARGE_TENSOR}),
            "SpecializationOnly: {split={index64=1}}");
  EXPECT_EQ(import(OnlySpecial{Special::TWO_STAGE}),
            "SpecializationOnly: {split={two_stage=1}}");
  EXPECT_EQ(import(OnlySpecial{Special::MULTIPLE_D}), "SpecializationOnly: {}");
  EXPECT_EQ(import(OnlyFilter{}),
            "SpecializationOnly: {specialization=FILTER_3x3}");
  EXPECT_EQ(import(OnlySpecial{}),
            "[A1] algorithm: no part of CK's algorithms is in it");
  EXPECT_EQ(import(OnlySpecial{static_cast<Special>(9)}),
            "[S0] algorithm.specialization: 9 is no specialization of an "
            "algorithm");
}

struct OursOnly {
  ConvAlgorithmSpecialization specialization =
      ConvAlgorithmSpecialization::REFERENCE;
};
struct InOurWords : HasBlock, HasXdl, HasTransfer<>, HasPrefetch, HasMerge {
  ConvSpecialization fwd_specialization = ConvSpecialization::ODD_C;
  GemmSpecialization gemm_specialization = GemmSpecialization::NKOPadding;
};
struct InOurOtherWords : HasBlock,
                         HasXdl,
                         HasTransfer<>,
                         HasPrefetch,
                         HasMerge {
  ConvSpecialization fwd_specialization = ConvSpecialization::ODD_C;
  GemmPadding gemm_padding = GemmPadding::NKO_PADDING;
};

TEST(CkShapesTest, ImportsOwnFieldNames) {
  EXPECT_EQ(import<OursOnly>(), "Reference: {kind=REFERENCE}");
  EXPECT_TRUE(import<InOurWords>().ends_with("padding={n=1,k=1,o=1}}"));
  EXPECT_EQ(import<InOurWords>(), import<InOurOtherWords>());
}

template <typename Words> std::string getMask(Words Word) {
  struct Only : HasBlock, HasXdl, HasTransfer<>, HasPrefetch, HasMerge {
    Filter fwd_specialization = Filter::DEFAULT;
    Words gemm_specialization{};
  } Shape;
  Shape.gemm_specialization = Word;
  ImportedAlgorithm Read = importAlgorithm(Shape);
  return std::string(textOf(*Read.Value.padding).view());
}

// All sixteen, by both spellings.
TEST(CkShapesTest, ImportsEveryPadding) {
  EXPECT_EQ(getMask(GemmSpecialization::Default), "{}");
  EXPECT_EQ(getMask(GemmPadding::DEFAULT), "{}");
#define KPACK_CONV_PADDING(SPECIALIZATION, PADDING, MASK)                      \
  {                                                                            \
    std::string Text;                                                          \
    for (const char *Letter = #SPECIALIZATION; *Letter != 'P'; ++Letter)       \
      Text += std::string(Text.empty() ? "" : ",") +                           \
              static_cast<char>(*Letter - 'A' + 'a') + "=1";                   \
    EXPECT_EQ(getMask(GemmSpecialization::SPECIALIZATION), "{" + Text + "}");  \
    EXPECT_EQ(getMask(GemmPadding::PADDING), "{" + Text + "}");                \
  }
  KPACK_CONV_PADDINGS(KPACK_CONV_PADDING)
#undef KPACK_CONV_PADDING
  EXPECT_EQ(getMask(GemmByUnderscore::O_PADDING), "{o=1}");
}

/// Large tensors, with the algorithm as a member.
template <typename Base> struct Wrapped {
  Base base_algorithm;
  static constexpr Special specialization = Special::LARGE_TENSOR;
};

TEST(CkShapesTest, ReadsTheBaseAlgorithm) {
  EXPECT_EQ(import<Wrapped<FwdXdl>>(), import<LargeTensor>());
  EXPECT_EQ(import(Wrapped<BwdTwoStageXdl>{}),
            "[A17] algorithm.specialization: contradicts that of "
            "base_algorithm");
}

struct StreamKParams {
  Reduction reduction_strategy = Reduction::TREE;
  bool persistent = true;
};
struct HasStreamK {
  StreamKParams streamk;
};
struct StreamKWithSwitch {
  bool enabled = true;
  Reduction reduction_strategy = Reduction::LINEAR;
  bool persistent = true;
};
struct StreamKOptimizations {
  int num_groups_to_merge = 1;
  bool split_image = false, explicit_gemm = false, two_stage = false;
  StreamKWithSwitch streamk;
};
struct TileWithStreamK : Tile, HasStreamK {};

TEST(CkShapesTest, ReadsStreamK) {
  std::string Above = import<TileWithStreamK>();
  EXPECT_NE(Above.find("stream_k={reduction=TREE,persistent=1}"),
            std::string::npos)
      << Above;
  using Inside = TileWith<StreamKOptimizations>;
  std::string Enabled = import<Inside>();
  EXPECT_NE(Enabled.find("stream_k={persistent=1}"), std::string::npos)
      << Enabled;
  Inside Off;
  Off.optimizations.streamk.enabled = false;
  EXPECT_EQ(import(Off).find("stream_k"), std::string::npos);
  struct Both : Inside, HasStreamK {
  } Two;
  EXPECT_EQ(import(Two),
            "[A17] algorithm.streamk: contradicts the other streamk");
  Two.streamk.reduction_strategy = Reduction::LINEAR;
  EXPECT_EQ(import(Two), Enabled);
}

TEST(CkShapesTest, OptionalOfTile) {
  struct OldOptimizations {
    int num_groups_to_merge = 2;
    bool split_image = false, explicit_gemm = true;
  };
  TileWith<OldOptimizations> Given;
  EXPECT_EQ(import(Given),
            "[A17] algorithm.optimizations.explicit_gemm: needs specialization "
            "FILTER_1X1_STRIDE1_PAD0, not FILTER_5x5");
  Given.specialization = Filter::FILTER_1X1_STRIDE1_PAD0;
  EXPECT_TRUE(import(Given).ends_with("split={groups_merge=2},specialization="
                                      "FILTER_1X1_STRIDE1_PAD0}"));
}

TEST(CkShapesTest, OwnAlgorithmIsUnchanged) {
  constexpr Algorithm Ours{.kind = Kind::DIRECT, .block_size = 64};
  static_assert(canonical(Ours) == Ours);
  EXPECT_EQ(import(Ours), "none of CK's: {kind=DIRECT,block_size=64}");
  EXPECT_EQ(import(Algorithm{.block_size = 2000}),
            "[S0] algorithm.block_size: 2000 is more than 1024");
}

//===----------------------------------------------------------------------===//
// What is none of them
//===----------------------------------------------------------------------===//

struct AllOfForward : HasBlock,
                      HasXdl,
                      HasTransfer<>,
                      HasFwdFilter,
                      HasPrefetch,
                      HasMerge,
                      HasBlockPipeline {
  Special specialization = Special::LARGE_TENSOR;
};

// In CK this is FwdXdlV3, which is asked for first and never looks at the
// specialization.
TEST(CkShapesTest, AmbiguousDispatchIsReported) {
  EXPECT_EQ(import(AllOfForward{}),
            "[A2] algorithm.block_gemm_pipeline: is no part of LargeTensor, "
            "the nearest variant of CK");
  struct V3OfLargeTensors : FwdXdlV3, HasSpecial<Special::LARGE_TENSOR> {};
  EXPECT_EQ(import(V3OfLargeTensors{}),
            "[A17] algorithm.specialization: LARGE_TENSOR is not that of "
            "FwdXdlV3, the nearest variant of CK, which has none");
}

// Every struct that is one of them fits one row.
TEST(CkShapesTest, RowsExcludeEachOther) {
  using namespace kpack::conv::detail;
  constexpr unsigned First = static_cast<unsigned>(CkVariant::Reference);
  static_assert(std::size(CkRows) - First == 19);
  for (unsigned I = First; I < std::size(CkRows); ++I)
    for (unsigned J = I + 1; J < std::size(CkRows); ++J) {
      const CkRow &A = CkRows[I], &B = CkRows[J];
      bool CanBeA = !(B.Has & ~(A.Has | A.May));
      bool CanBeB = !(A.Has & ~(B.Has | B.May));
      EXPECT_FALSE(CanBeA && CanBeB && A.Special == B.Special)
          << A.Name << " " << B.Name;
    }
}

template <typename Shape, typename Extra>
std::string with(const Extra &Added = {}) {
  struct Both : Shape, Extra {
  } Given;
  static_cast<Extra &>(Given) = Added;
  return import(Given);
}

TEST(CkShapesTest, ExtraPartsAreReported) {
  EXPECT_EQ((with<lookalike::Reference, HasBlock>()),
            "[A2] algorithm.thread_block: is no part of Reference, the nearest "
            "variant of CK");
  EXPECT_EQ((with<FwdXdl, HasGridPipeline>()),
            "[A2] algorithm.pipeline_version: is no part of FwdXdl, the "
            "nearest variant of CK");
  EXPECT_EQ((with<FwdWmmaV3, HasTranspose>()),
            "[A2] algorithm.max_transpose_transfer_src_scalar_per_vector: is "
            "no part of FwdWmmaV3, the nearest variant of CK");
  EXPECT_EQ((with<FwdXdl, HasDlConfig>()),
            "[A2] algorithm.thread_config: is no part of FwdXdl, the nearest "
            "variant of CK");
  EXPECT_EQ((with<FwdXdl, HasBwdDataFilter>()),
            "[A2] algorithm.bwd_weight_specialization or "
            "bwd_data_specialization: is no part of FwdXdl, the nearest "
            "variant of CK");
  EXPECT_EQ((with<BwdXdl, HasBwdDataFilter>()),
            "[A17] algorithm.bwd_data_specialization: contradicts "
            "bwd_weight_specialization");
}

TEST(CkShapesTest, MissingPartsAreReported) {
  struct NoStages : HasBlock, HasXdl, HasTransfer<>, HasFwdFilter, HasMerge {
    Scheduler loop_scheduler = Scheduler::DEFAULT;
  };
  EXPECT_EQ(import(NoStages{}),
            "[A1] algorithm.num_gemm_k_prefetch_stages: is missing for FwdXdl, "
            "the nearest variant of CK");
  EXPECT_EQ(import(Put<HasTileBlock, HasXdl, HasTransfer<>, HasFwdFilter,
                       HasPrefetch, HasMerge>{}),
            "[A1] algorithm.thread_block.block_size: is missing for FwdXdl, "
            "the nearest variant of CK");
  struct OnePad : BwdWmmaV3 {
    bool DoPadGemmM = true;
  };
  EXPECT_EQ(import(OnePad{}),
            "[S0] algorithm.DoPadGemmN: this bool is missing");
  struct OneVector : BwdXdlV3 {
    int max_transpose_transfer_dst_scalar_per_vector = 1;
  };
  EXPECT_EQ(import(OneVector{}),
            "[S0] algorithm.max_transpose_transfer_src_scalar_per_vector: this "
            "number is missing");
  struct Nothing {};
  EXPECT_EQ(import(Nothing{}),
            "[A1] algorithm: no part of CK's algorithms is in it");
}

TEST(CkShapesTest, ContradictoryValuesAreReported) {
  FwdXdl Given;
  Given.thread_block.tile_size.m = 192;
  EXPECT_EQ(import(Given),
            "[A5] algorithm.thread_block.tile_size.m: 192 is no multiple of "
            "what a wave has, 32 of an instruction, 4 times");
  Given.thread_block.tile_size.m = Size(1) << 40;
  EXPECT_EQ(import(Given), "[S0] algorithm.thread_block.tile_size.m: "
                           "1099511627776 is no number");
  Given.thread_block.tile_size.m = 1u << 30;
  EXPECT_EQ(import(Given),
            "[S0] algorithm.tile.m: 1073741824 is more than "
            "1048576; [S0] algorithm.wave.waves.m: 8388608 is more "
            "than 1048576");
  FwdXdl Zero;
  Zero.gridwise_gemm.xdl_params.n_per_xdl = 0;
  EXPECT_EQ(import(Zero),
            "[A5] algorithm.thread_block.tile_size.n: 128 is no multiple of "
            "what a wave has, 0 of an instruction, 2 times");
  FwdXdlV3 Enum;
  Enum.block_gemm_pipeline.pipeline_version = static_cast<Version>(40);
  EXPECT_EQ(import(Enum), "[S0] algorithm.block_gemm_pipeline."
                          "pipeline_version: 40 is no pipeline version");
  BwdMultiDXdl Pads;
  Pads.DoPadGemmM = 2;
  EXPECT_EQ(import(Pads), "[S0] algorithm.DoPadGemmM: 2 is no bool");
  lookalike::Depthwise Negative;
  Negative.depthwise_params.pad_w = -1;
  EXPECT_EQ(import(Negative),
            "[S0] algorithm.depthwise_params.pad_w: -1 is no number");
  BwdMultiDWmmaV3 Twice;
  Twice.loop_scheduler = Scheduler::INTERWAVE;
  EXPECT_EQ(import(Twice), "[A17] algorithm.loop_scheduler: contradicts "
                           "block_gemm_pipeline.scheduler");
}

TEST(CkShapesTest, VariantAndSignature) {
  Signature Sig{.spatial_dim = 2, .data_type = DataType::FP16};
  auto Report = [&](CkVariant Variant) {
    return std::string(variantReport(Variant, Sig).view());
  };
  EXPECT_EQ(Report(CkVariant::FwdXdl), "");
  EXPECT_EQ(Report(CkVariant::Tile), "");
  EXPECT_EQ(Report(CkVariant::None), "");
  EXPECT_EQ(Report(CkVariant::BwdXdl),
            "[A17] algorithm: BwdXdl is not for the direction FORWARD");
  Sig.direction = ConvDirection::BACKWARD_WEIGHT;
  EXPECT_EQ(Report(CkVariant::BwdXdl), "");
  EXPECT_EQ(Report(CkVariant::Depthwise), "[A17] algorithm: Depthwise is not "
                                          "for the direction BACKWARD_WEIGHT");
  Sig.weight.operation =
      Operation{.elementwise_operation = ElementwiseOperation::BILINEAR,
                .auxiliary_operand_configs = {{}}};
  EXPECT_EQ(Report(CkVariant::BwdXdl),
            "[A17] algorithm: BwdXdl has no auxiliary operands, and the result "
            "has 1; MULTIPLE_D has");
  EXPECT_EQ(Report(CkVariant::BwdMultiDXdl), "");
}

} // namespace
