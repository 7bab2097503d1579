//===- DepthwiseTest.cpp - tests of DEPTHWISE against the reference -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random cases with one channel in each group, as C++ of this program: tiles
// and numbers of threads that the image does not fill, vectors where layouts
// have neighbours in W, filters that are promised. KPACK_CONV_CASES and
// KPACK_CONV_SEED as in DirectTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "ConvCase.h"

#include "kpack/ConvBuilder/Resources.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

Algorithm depthwise(HW Tile, HW Subtile, int Images, int Threads) {
  Algorithm Algo;
  Algo.kind = Kind::DEPTHWISE;
  Algo.block_size = Threads;
  Depthwise &D = Algo.depthwise.make();
  D.tile = Tile;
  D.subtile = Subtile;
  D.nbatch = Images;
  D.in_vector = D.out_vector = 1;
  return Algo;
}

/// What the problem has.
FilterFacts factsOf(const Problem &P) {
  FilterFacts F{{1, 1}, {1, 1}, {1, 1}, {0, 0}};
  unsigned W = P.image.size() - 1, H = W - 1;
  F.size.w = P.filter[W], F.stride.w = strideOf(P, W);
  F.dilation.w = dilationOf(P, W), F.pad.w = padOf(P, W).before;
  if (P.image.size() > 1) {
    F.size.h = P.filter[H], F.stride.h = strideOf(P, H);
    F.dilation.h = dilationOf(P, H), F.pad.h = padOf(P, H).before;
  }
  return F;
}

/// The longest vector for a tensor's type, at most \p Wanted.
int vectorFor(const Tensor &T, int Wanted) {
  return std::min(Wanted, 16 / bytesOf(T.config.data_type));
}

void check(const ConvCase &Case, const Algorithm &Algo) {
  Result<Lowered> Kernel =
      lower(Case.Sig, Algo, Case.Form == Fp8Form::Fnuz ? "gfx942" : "cpu");
  ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
  std::vector<TensorBytes> Memory = Case.Memory;
  Result<KernelLaunch> Launch =
      launchOf(Case.Sig, *Kernel, Case.P, Case.args(Memory));
  ASSERT_TRUE(Launch.ok()) << Launch.status().message();
  EXPECT_EQ(Launch->Steps[0].Lds,
            depthwiseLdsOf(Case.Sig, *Algo.depthwise, Algo.block_size, Case.P));
  runNatively(*Kernel, *Launch);
  ASSERT_EQ(Case.compare(Case.expected(), Memory[Case.result()]), "");
}

TEST(DepthwiseTest, RandomCasesMatchTheReference) {
  const Algorithm Tiles[] = {
      depthwise({4, 4}, {1, 1}, 1, 16), depthwise({2, 8}, {1, 4}, 2, 7),
      depthwise({8, 8}, {2, 4}, 1, 64), depthwise({1, 16}, {1, 8}, 3, 32),
      depthwise({6, 4}, {3, 4}, 2, 5)};
  const char *Seed = std::getenv("KPACK_CONV_SEED");
  const char *Count = std::getenv("KPACK_CONV_CASES");
  unsigned First = Seed ? static_cast<unsigned>(std::atoi(Seed)) : 1;
  unsigned Cases = Count ? static_cast<unsigned>(std::atoi(Count)) : 1500;
  std::printf("seed %u, %u cases\n", First, Cases);
  RandomCase Random(First + 3000);
  for (unsigned I = 0; I < Cases; ++I) {
    ConvCase Case = Random.next();
    if (Case.Sig.accumulation_data_type == DataType::FP64)
      Case.Sig.accumulation_data_type = DataType::FP32;
    Case.P.c = Case.P.k = 1;
    ASSERT_TRUE(Case.fill(First + I));
    Algorithm Algo = Tiles[I % std::size(Tiles)];
    Depthwise &D = *Algo.depthwise;
    const Tensor *Operands[] = {&Case.Sig.input, &Case.Sig.output};
    int Wanted = 1 << I / 8 % 3;
    D.in_vector = std::min(vectorFor(*Operands[0], Wanted),
                           vectorFor(*Operands[1], Wanted));
    D.out_vector =
        vectorFor(tensorOf(Case.Sig, roleOfResult(Case.Sig.direction)),
                  std::min(Wanted, D.subtile.w));
    if (I % 3 == 0)
      D.filter = factsOf(Case.P);
    ASSERT_NO_FATAL_FAILURE(check(Case, Algo)) << "case " << I;
  }
}

/// A case in which each row is vectors, that begin within its pad.
TEST(DepthwiseTest, VectorsOfRows) {
  for (DataType Type : {DataType::FP32, DataType::FP16, DataType::BF16})
    for (auto Direction : {ConvDirection::FORWARD, ConvDirection::BACKWARD_DATA,
                           ConvDirection::BACKWARD_WEIGHT})
      for (int Pad : {0, 1, 2}) {
        ConvCase Case;
        Case.Sig.spatial_dim = 2;
        Case.Sig.direction = Direction;
        Case.Sig.data_type = Type;
        Case.Sig.input.config.layout = TensorLayout::NGCHW;
        Case.Sig.output.config.layout = TensorLayout::GNHWK;
        Case.Sig = resolveSignature(Case.Sig);
        Case.Numbers = argsFor(Case.Sig);
        Case.P = {.groups = 3,
                  .batch = 2,
                  .c = 1,
                  .k = 1,
                  .image = {7, 20},
                  .filter = {3, 5},
                  .pad = {{Pad, Pad}, {Pad, 4 - Pad}}};
        ASSERT_TRUE(Case.fill(7));
        Algorithm Algo = depthwise({4, 8}, {2, 4}, 2, 8);
        Algo.depthwise->in_vector = Algo.depthwise->out_vector = 4;
        ASSERT_NO_FATAL_FAILURE(check(Case, Algo));
      }
}

/// What a launch and its memory are.
TEST(DepthwiseTest, LaunchAndLdsSizesAreRight) {
  Signature Sig;
  Sig.spatial_dim = 2;
  Sig.data_type = DataType::FP16;
  Algorithm Algo = depthwise({8, 16}, {1, 2}, 2, 64);
  Problem P{.groups = 70000,
            .batch = 5,
            .c = 1,
            .k = 1,
            .image = {20, 40},
            .filter = {3, 5},
            .stride = {2, 1}};
  auto Text = [&](ConvDirection Direction) {
    Signature Turned = Sig;
    Turned.direction = Direction;
    Turned = resolveSignature(Turned);
    Result<Lowered> Kernel = lower(Turned, Algo, "gfx942");
    if (!Kernel)
      return Kernel.status().message();
    Result<KernelLaunch> Launch = launchOf(Turned, *Kernel, P, {});
    if (!Launch)
      return Launch.status().message();
    const LaunchStep &Step = Launch->Steps[0];
    return std::to_string(Step.Grid[0]) + " " + std::to_string(Step.Grid[1]) +
           " " + std::to_string(Step.Grid[2]) + " of " +
           std::to_string(Step.Block) + ", " + std::to_string(Step.Lds);
  };
  // 9 x 36 positions; 15 elements of the filter, 2 times 17 x 20 of the image.
  EXPECT_EQ(Text(ConvDirection::FORWARD), "6 3 65535 of 64, 2780");
  // 20 x 40 positions; of which 8 x 16 read 5 x 20.
  EXPECT_EQ(Text(ConvDirection::BACKWARD_DATA), "9 3 65535 of 64, 860");
  EXPECT_EQ(Text(ConvDirection::BACKWARD_WEIGHT), "65535 1 1 of 64, 3744");
  Algo.depthwise->in_vector = 8;
  EXPECT_EQ(Text(ConvDirection::FORWARD), "6 3 65535 of 64, 4412");
  Algo.depthwise->tile = {256, 256};
  EXPECT_EQ(Text(ConvDirection::FORWARD),
            "algorithm.depthwise.tile: needs 1116348 bytes of LDS with what "
            "the filter reaches, 65536 are there");
}

TEST(DepthwiseTest, UnsupportedProblemsAreRefused) {
  Signature Sig =
      resolveSignature({.spatial_dim = 2, .data_type = DataType::FP16});
  Problem P{.groups = 4, .c = 1, .k = 1, .image = {8, 8}, .filter = {3, 3}};
  Algorithm Algo = depthwise({4, 8}, {2, 4}, 1, 64);
  auto Message = [&] {
    Result<Lowered> Kernel = lower(Sig, Algo, "gfx942");
    return Kernel ? launchOf(Sig, *Kernel, P, {}).status().message()
                  : Kernel.status().message();
  };
  EXPECT_EQ(Message(), "");
  Algo.depthwise->filter = factsOf(P);
  EXPECT_EQ(Message(), "");
  P.filter = {3, 2};
  EXPECT_EQ(Message(), "problem.filter: is 2, and the kernel has 3 inside");
  P.filter = {3, 3};
  P.pad = {{0, 1}, {1, 0}};
  EXPECT_EQ(Message(), "problem.pad: is 1, and the kernel has 0 inside");
  P.pad = {};
  Algo.depthwise->filter->stride.h = 0;
  EXPECT_EQ(Message(), "algorithm.depthwise.filter: stride is 0");
  Algo.depthwise->filter.reset();
  P.c = 2;
  EXPECT_EQ(Message(), "problem.c: DEPTHWISE has one channel in each group, "
                       "the problem has 2 and 1");
  P.c = 1;
  Algo.depthwise->in_vector = 16;
  EXPECT_EQ(Message(),
            "algorithm.depthwise: a vector has 1, 2, 4, 8 or 16 bytes");
  Algo.depthwise->in_vector = 1;
  Algo.depthwise->out_vector = 8;
  EXPECT_EQ(Message(), "algorithm.depthwise.subtile: out_vector does not "
                       "divide it, or it does not divide the tile");
  Algo.depthwise->out_vector = 1;
  Algo.depthwise->tile = Algo.depthwise->subtile = {16, 16};
  EXPECT_EQ(Message(), "algorithm.depthwise.subtile: a thread has at most 16 "
                       "rows and columns, and 64 sums");
  Algo.depthwise->nbatch = 0;
  EXPECT_EQ(Message(), "algorithm.depthwise: tile or nbatch is not from 1 to "
                       "1024");
  Algo.block_size = 2048;
  EXPECT_EQ(Message(), "algorithm.block_size: is not from 1 to 1024");
  Algo.depthwise.reset();
  EXPECT_EQ(Message(), "algorithm.depthwise: is missing");
  Algo = depthwise({4, 8}, {2, 4}, 1, 64);
  Sig.accumulation_data_type = DataType::FP64;
  EXPECT_EQ(Message(), "signature.accumulation_data_type: DEPTHWISE adds in "
                       "FP32 and I32, not in FP64; DIRECT does");
}

} // namespace
