//===- GemmTest.cpp - tests of IMPLICIT_GEMM against the reference --------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiled body over random cases, as C++ of this program, phase by phase:
// tiles that the matrix does not fill, rows and columns that are loaded in
// several parts, vectors along k and across lines, all pipelines.
// KPACK_CONV_CASES and KPACK_CONV_SEED as in DirectTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "ConvCase.h"

#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

Algorithm tiled(MNK Tile, int ThreadM, int ThreadN, int Pad = 0) {
  Algorithm Algo;
  Algo.kind = Kind::IMPLICIT_GEMM;
  Algo.isa = Isa::VALU;
  Algo.tile = Tile;
  Algo.thread.make().m1 = ThreadM;
  Algo.thread.make().n1 = ThreadN;
  Algo.a.make().lds_pad = Pad;
  return Algo;
}

unsigned getNumber(const char *Variable, unsigned Otherwise) {
  const char *Value = std::getenv(Variable);
  return Value ? static_cast<unsigned>(std::atoi(Value)) : Otherwise;
}

/// Whether the case was launched: it is not where vectors do not fit. Fatal
/// failures: a wrong result.
void check(ConvCase &Case, const Algorithm &Algo, unsigned Seed, bool &Done) {
  Done = false;
  ASSERT_TRUE(Case.fill(Seed));
  std::vector<TensorBytes> Own = Case.Memory;
  Result<Lowered> Kernel =
      lower(Case.Sig, Algo, Case.Form == Fp8Form::Fnuz ? "gfx942" : "cpu");
  ASSERT_TRUE(Kernel.ok()) << Kernel.status().message() << textOf(Algo).view();
  Result<KernelLaunch> Launch =
      launchOf(Case.Sig, *Kernel, Case.P, Case.args(Own));
  if (!Launch.ok()) {
    ASSERT_NE(Launch.status().message().find(" elements at once"),
              std::string::npos)
        << Launch.status().message();
    return;
  }
  runNatively(*Kernel, *Launch);
  ASSERT_EQ(Case.compare(Case.expected(), Own[Case.result()]), "")
      << textOf(Algo).view();
  Done = true;
}

const Algorithm Tiles[] = {
    tiled({16, 16, 8}, 2, 2), tiled({8, 8, 8}, 1, 1, 1),
    tiled({8, 16, 16}, 1, 2), tiled({32, 16, 8}, 4, 2), tiled({4, 4, 4}, 1, 1),
    tiled({16, 8, 4}, 4, 1),
    // Many loads of a thread; loads at other places of k each time.
    tiled({16, 16, 16}, 4, 4), tiled({8, 8, 16}, 2, 4)};

TEST(GemmTest, RandomCasesMatchTheReference) {
  unsigned First = getNumber("KPACK_CONV_SEED", 1);
  unsigned Cases = getNumber("KPACK_CONV_CASES", 1000);
  std::printf("seed %u, %u cases\n", First, Cases);
  RandomCase Random(First + 1000);
  for (unsigned I = 0; I < Cases; ++I) {
    ConvCase Case = Random.next();
    if (Case.Sig.accumulation_data_type == DataType::FP64)
      Case.Sig.accumulation_data_type = DataType::FP32;
    bool Done;
    ASSERT_NO_FATAL_FAILURE(
        check(Case, Tiles[I % std::size(Tiles)], First + I, Done))
        << "case " << I;
    ASSERT_TRUE(Done) << "case " << I;
  }
}

/// Vectors of what a layout allows, at most Most elements.
int vectorFor(const Signature &Sig, Role TensorRole, const Algorithm &Algo,
              int Most) {
  if (sideOfNeighbours(Sig, TensorRole, Algo) == Side::None)
    return 1;
  return std::min(Most,
                  16 / bytesOf(tensorOf(Sig, TensorRole).config.data_type));
}

/// The same tile with other vectors, pipelines, and pieces of a thread.
Algorithm varied(Algorithm Algo, const Signature &Sig, unsigned I) {
  int Most = I % 3 ? 4 : 2;
  Algo.a.make().load_vector =
      vectorFor(Sig, roleOfA(Sig.direction), Algo, Most);
  Algo.b.make().load_vector =
      vectorFor(Sig, roleOfB(Sig.direction), Algo, Most);
  Algo.b.make().lds_pad = I % 2 ? 2 : 0;
  Algo.b.make().lds_vector = I % 2 ? 2 : 4;
  Algo.b.make().k_pack = I % 5 ? 0 : 2;
  Algo.c.make().store_vector =
      vectorFor(Sig, roleOfResult(Sig.direction), Algo, Most);
  Algo.c.make().through_lds = I % 3 == 0;
  constexpr PipelineVersion Versions[] = {
      PipelineVersion::V1, PipelineVersion::V3, PipelineVersion::V4};
  Algo.pipeline.make().version = Versions[I % 3];
  Algo.pipeline.make().double_lds = I % 4 == 0;
  Algo.split.make().index64 = I % 2;
  Algo.split->split_image = I % 3 == 1;
  Algo.thread->k_per_thread = I % 4 < 2 ? 1 : 2;
  // Half of the rows at a time.
  int Threads = Algo.tile->m / Algo.thread->m1;
  if (I % 7 == 0 && Threads % 8 == 0) {
    Algo.thread->m1_xs = {Threads / 2, 1};
    Algo.thread->n1_xs = {1, Algo.tile->n / Algo.thread->n1};
  }
  return Algo;
}

/// A filter of one element, where positions are neighbours in the product, too.
bool makePointwise(ConvCase &Case, Algorithm &Algo) {
  Problem &P = Case.P;
  if (!P.input_strides.empty() || !P.weight_strides.empty() ||
      !P.output_strides.empty())
    return false;
  for (unsigned D = 0; D < P.image.size(); ++D) {
    P.filter[D] = P.stride[D] = P.dilation[D] = 1;
    P.pad[D] = {0, 0};
    P.image[D] = D + 1 == P.image.size() ? 4 : 2;
  }
  for (Strides &Each : P.auxiliary_strides)
    if (!Each.empty())
      return false;
  Algo.specialization = ConvSpecialization::FILTER_1X1_STRIDE1_PAD0;
  return true;
}

TEST(GemmTest, VectorsAndPipelines) {
  unsigned First = getNumber("KPACK_CONV_SEED", 1);
  unsigned Cases = getNumber("KPACK_CONV_CASES", 1000);
  RandomCase Random(First + 2000);
  Random.ChannelStep = 4;
  unsigned Run = 0, Vectors = 0, Pointwise = 0;
  for (unsigned I = 0; I < Cases; ++I) {
    ConvCase Case = Random.next();
    if (Case.Sig.accumulation_data_type == DataType::FP64)
      Case.Sig.accumulation_data_type = DataType::FP32;
    Algorithm Algo = Tiles[I / 5 % std::size(Tiles)];
    bool IsPointwise = I % 4 == 1 && makePointwise(Case, Algo);
    Algo = varied(Algo, Case.Sig, I);
    bool Done;
    ASSERT_NO_FATAL_FAILURE(check(Case, Algo, First + I, Done)) << "case " << I;
    Run += Done;
    Vectors += Done && Algo.a->load_vector > 1;
    Pointwise += Done && IsPointwise;
  }
  // Strides with gaps are refused.
  EXPECT_GT(Run, Cases / 3);
  EXPECT_GT(Vectors, Cases / 8);
  EXPECT_GT(Pointwise, Cases / 20);
}

/// Both images have groups and channels as their last dimensions.
void putGroupsBesideChannels(ConvCase &Case) {
  constexpr TensorLayout Inputs[] = {TensorLayout::NWGC, TensorLayout::NHWGC,
                                     TensorLayout::NDHWGC};
  constexpr TensorLayout Outputs[] = {TensorLayout::NWGK, TensorLayout::NHWGK,
                                      TensorLayout::NDHWGK};
  Case.Sig.input.config.layout = Inputs[Case.Sig.spatial_dim - 1];
  Case.Sig.output.config.layout = Outputs[Case.Sig.spatial_dim - 1];
  Case.P.input_strides = Case.P.output_strides = {};
}

/// Whether a vector has channels of more than one group.
bool hasTwoGroups(const ConvCase &Case, Role TensorRole, const Algorithm &Algo,
                  int Vector) {
  int Channels = TensorRole == Role::Input ? Case.P.c : Case.P.k;
  return TensorRole != Role::Weight && Vector > Channels &&
         Algo.specialization == ConvSpecialization::DEFAULT;
}

/// Several groups in a tile, of which the last one may have less: with channels
/// one by one, and with vectors, also over the end of a group.
TEST(GemmTest, MergedGroupsMatchTheReference) {
  unsigned First = getNumber("KPACK_CONV_SEED", 1);
  unsigned Cases = getNumber("KPACK_CONV_CASES", 600);
  RandomCase Random(First + 3000);
  Random.MostGroups = 7;
  unsigned Run = 0, OfTwo[3] = {};
  for (unsigned I = 0; I < Cases; ++I) {
    bool HasVectors = I % 3;
    Random.ChannelStep = HasVectors ? 2 : 1;
    ConvCase Case = Random.next();
    if (Case.Sig.accumulation_data_type == DataType::FP64)
      Case.Sig.accumulation_data_type = DataType::FP32;
    Algorithm Algo = Tiles[I / 5 % std::size(Tiles)];
    if (I % 3 == 1)
      putGroupsBesideChannels(Case);
    if (I % 8 == 5)
      makePointwise(Case, Algo);
    if (HasVectors)
      Algo = varied(Algo, Case.Sig, I);
    // Those of a filter end with the group.
    ConvDirection Direction = Case.Sig.direction;
    int *OfFilter = Direction == ConvDirection::BACKWARD_WEIGHT
                        ? &Algo.c.make().store_vector
                        : &Algo.b.make().load_vector;
    *OfFilter = std::min(*OfFilter, 2);
    Algo.split.make().groups_merge = 2 + static_cast<int>(I / 4 % 4);
    bool Done;
    ASSERT_NO_FATAL_FAILURE(check(Case, Algo, First + I, Done)) << "case " << I;
    ASSERT_TRUE(Done || HasVectors) << "case " << I;
    Run += Done;
    if (!Done || !HasVectors)
      continue;
    OfTwo[0] +=
        hasTwoGroups(Case, roleOfA(Direction), Algo, Algo.a->load_vector);
    OfTwo[1] +=
        hasTwoGroups(Case, roleOfB(Direction), Algo, Algo.b->load_vector);
    OfTwo[2] +=
        hasTwoGroups(Case, roleOfResult(Direction), Algo, Algo.c->store_vector);
  }
  EXPECT_GT(Run, Cases / 2);
  for (unsigned Count : OfTwo)
    EXPECT_GT(Count, Cases / 200);
}

TEST(GemmTest, ProblemsThatDoNotFit) {
  Signature Sig =
      resolveSignature({.spatial_dim = 2, .data_type = DataType::FP16});
  Algorithm Algo = tiled({16, 16, 8}, 2, 2);
  Algo.a.make().load_vector = 4;
  Algo.padding = Padding{true, true, true, false};
  Problem P{.c = 6, .k = 8, .image = {4, 4}, .filter = {1, 1}};
  alignas(16) static char Memory[4096];
  auto Message = [&](int Offset = 0) {
    Result<Lowered> L = lower(Sig, Algo, "gfx90a");
    EXPECT_TRUE(L.ok()) << L.status().message();
    Args With = argsFor(Sig);
    With.input.data = Memory + Offset;
    return launchOf(Sig, *L, P, With).status().message();
  };
  EXPECT_EQ(Message(), "algorithm.a.load_vector: 4 elements at once, and the "
                       "input has 6 there; take a divisor of it");
  P.c = 8;
  EXPECT_EQ(Message(), "");
  EXPECT_EQ(Message(4), "algorithm.a.load_vector: 4 elements at once, and the "
                        "input does not begin at a multiple of 8 bytes");
  Algo.padding->m = false;
  EXPECT_EQ(Message(), "");
  P.image = {4, 5};
  EXPECT_EQ(Message(), "algorithm.padding.m: is 0, and the problem has 20, no "
                       "multiple of 16");
  Algo.padding->m = true;
  P.batch = 1 << 26;
  EXPECT_EQ(Message(), "algorithm.split.index64: is 0, and the input has "
                       "21474836480 bytes");
  Algo.split.make().split_image = true;
  EXPECT_EQ(Message(), "");
  P.image = {1 << 15, 1 << 11};
  P.batch = 8;
  EXPECT_EQ(Message(), "algorithm.split.index64: is 0, and 2 images of the "
                       "input have 2147483648 bytes");
  Algo.split->index64 = true;
  EXPECT_EQ(Message(), "");
  // Channels of groups are together where the groups are.
  P = {.groups = 6, .c = 2, .k = 8, .image = {4, 4}, .filter = {1, 1}};
  Algo.split->groups_merge = 4;
  EXPECT_EQ(Message(), "");
  P.groups = 5;
  EXPECT_EQ(Message(), "algorithm.a.load_vector: 4 elements at once, and the "
                       "input has 2 there; take a divisor of it");
  Algo.padding->k = false;
  Algo.a->load_vector = 2;
  EXPECT_EQ(Message(), "");
  Algo.split->groups_merge = 3;
  EXPECT_EQ(Message(), "algorithm.padding.k: is 0, and the problem has 6, no "
                       "multiple of 8");
  Algo.padding->k = true;
  Algo.split->groups_merge = 1;
  Algo.a->load_vector = 4;
  Sig.input.config.layout = TensorLayout::G_NHW_C_strided;
  P = {.c = 8, .k = 8, .image = {4, 5}, .filter = {1, 1}};
  P.input_strides = {0, 400, 80, 16, 2};
  EXPECT_EQ(Message(), "algorithm.a.load_vector: 4 elements at once, and the "
                       "input has a stride of 2; vectors need 1 along them, "
                       "and multiples of their length else");
}

TEST(GemmTest, InvalidTilesAreRefused) {
  Signature Sig =
      resolveSignature({.spatial_dim = 2, .data_type = DataType::FP16});
  auto Message = [&](const Algorithm &Algo, const char *Processor) {
    return lower(Sig, Algo, Processor).status().message();
  };
  Algorithm Algo;
  Algo.kind = Kind::IMPLICIT_GEMM;
  Algo.isa = Isa::MFMA;
  EXPECT_EQ(Message(Algo, "gfx90a"),
            "algorithm.tile: is missing, or no size from 1 to 1024");
  Algo.tile = MNK{64, 64, 32};
  EXPECT_EQ(Message(Algo, "gfx90a"),
            "algorithm.wave: is missing; MFMA needs to know its waves and "
            "instruction");
  Algo.wave = WaveTile{{2, 2, 1}, {32, 32, 8}};
  EXPECT_EQ(Message(Algo, "gfx90a"), "");
  EXPECT_EQ(Message(Algo, "gfx1100"),
            "algorithm.wave.instr: gfx1100 has no MFMA of FP16 with 32x32x8; "
            "take VALU");
  Algo.wave->instr.k = 16;
  EXPECT_EQ(Message(Algo, "gfx942"),
            "algorithm.wave.instr: gfx942 has no MFMA of FP16 with 32x32x16; "
            "it has 32x32x8, 16x16x16");
  Algo.wave = WaveTile{{3, 2, 1}, {32, 32, 8}};
  EXPECT_EQ(Message(Algo, "gfx942"),
            "algorithm.wave: waves times instr do not divide the tile");
  Algo.wave = WaveTile{{2, 2, 1}, {32, 32, 8}};
  Algo.a.make() = {.lds_vector = 4, .lds_pad = 1};
  EXPECT_EQ(Message(Algo, "gfx942"), "algorithm.a.lds_pad: a row of 66 bytes "
                                     "does not keep the alignment of 8");
  Algo.a.reset();
  Algo.tile = MNK{256, 256, 64};
  Algo.pipeline.make().version = PipelineVersion::V4;
  EXPECT_EQ(Message(Algo, "gfx942"), "algorithm.tile: needs 131072 bytes of "
                                     "LDS, 65536 are there");
  Algo = tiled({16, 16, 8}, 2, 2);
  Algo.isa = Isa::DOT;
  Algo.thread->k_per_thread = 1;
  EXPECT_EQ(Message(Algo, "gfx942"),
            "algorithm.thread.k_per_thread: one dot product sums 2");
  Algo.pipeline.make().version = PipelineVersion::V2;
  Algo.isa = Isa::VALU;
  EXPECT_EQ(Message(Algo, "gfx942"), "algorithm.pipeline.version: V2 is not "
                                     "implemented; V1, V3 and V4 are");
  Algo = tiled({16, 16, 8}, 3, 2);
  EXPECT_EQ(Message(Algo, "gfx942"),
            "algorithm.thread: m1 and n1 do not divide the tile");
  Algo = tiled({16, 16, 8}, 2, 2);
  Algo.a = Operand{.k_pack = 3};
  EXPECT_EQ(Message(Algo, "gfx942"), "");
  Algo.a = Operand{.load_vector = 3};
  EXPECT_EQ(Message(Algo, "gfx942"),
            "algorithm.a.load_vector: is no power of two of at most 16 bytes "
            "that divides the tile");
  Algo.a.reset();
  Algo.c.make().shuffle.m = 2;
  EXPECT_EQ(Message(Algo, "gfx942"), "algorithm.c.shuffle: is about repeats of "
                                     "waves, and threads have none");
  Algo.c = ResultPath{.store_vector = 4};
  Sig.output.config.layout = TensorLayout::NGKHW;
  EXPECT_EQ(Message(Algo, "gfx942"),
            "algorithm.c.store_vector: neighbours in the layout NGKHW are not "
            "together in the product; take 1");
  Algo.c.reset();
  Algo.a.make().load_vector = 4;
  Sig.input.config.layout = TensorLayout::NGCHW;
  EXPECT_EQ(Message(Algo, "gfx942"),
            "algorithm.a.load_vector: neighbours in the layout NGCHW are not "
            "together in the product; take 1");
}

} // namespace
