//===- SplitTest.cpp - tests of split sums against the reference ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IMPLICIT_GEMM over random cases whose sums are divided: added to the result
// where that is possible, else, and in half of the others, in a workspace. The
// number of pieces is the algorithm's or the problem's. KPACK_CONV_CASES and
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

Algorithm tiled(MNK Tile, int Threads) {
  Algorithm Algo;
  Algo.kind = Kind::IMPLICIT_GEMM;
  Algo.isa = Isa::VALU;
  Algo.tile = Tile;
  Algo.thread.make().m1 = Algo.thread.make().n1 = Threads;
  return Algo;
}

Algorithm divided(Algorithm Algo, int Pieces, bool TwoStages) {
  Algo.split.make().k_batch = Pieces;
  Algo.split->two_stage = TwoStages;
  return Algo;
}

/// Runs it natively, and compares all bits.
void check(const ConvCase &Case, const Algorithm &Algo) {
  std::string_view On = Case.Form == Fp8Form::Fnuz ? "gfx942" : "cpu";
  Result<Lowered> Kernel = lower(Case.Sig, Algo, On);
  ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
  long long Bytes = workspaceBytes(Case.Sig, *Kernel, Case.P);
  EXPECT_EQ(Bytes, workspaceOf(Case.Sig, Algo, Case.P, nullptr));
  Workspace Own(Bytes);
  std::vector<TensorBytes> Memory = Case.Memory;
  Args With = Case.args(Memory);
  With.workspace = Own.Memory.data();
  Result<KernelLaunch> Launch = launchOf(Case.Sig, *Kernel, Case.P, With);
  ASSERT_TRUE(Launch.ok()) << Launch.status().message();
  EXPECT_EQ(Launch->Workspace, Bytes);
  runNatively(*Kernel, *Launch);
  ASSERT_EQ(Case.compare(Case.expected(), Memory[Case.result()]), "");
  EXPECT_TRUE(Own.isInside());
}

/// Gives it a result that pieces can be added to.
void makeAddable(ConvCase &Case) {
  Tensor *Tensors[] = {&Case.Sig.input, &Case.Sig.weight, &Case.Sig.output};
  TensorArgs *Numbers[] = {&Case.Numbers.input, &Case.Numbers.weight,
                           &Case.Numbers.output};
  List<Strides, MaxAuxiliaryOfCall> Left;
  unsigned Next = 0;
  for (unsigned T = 0; T < 3; ++T)
    for (unsigned I = 0;
         I < Tensors[T]->operation->auxiliary_operand_configs.size();
         ++I, ++Next)
      if (T != Case.result())
        Left.push(Case.P.auxiliary_strides[Next]);
  Case.P.auxiliary_strides = Left;
  Tensor &Result = *Tensors[Case.result()];
  Result.operation = Operation{};
  Result.config.data_type = Result.config.compute_type =
      Case.Sig.accumulation_data_type;
  *Numbers[Case.result()] = TensorArgs{};
}

TEST(SplitTest, RandomCasesMatchTheReference) {
  const Algorithm Tiles[] = {tiled({8, 8, 8}, 1), tiled({4, 4, 4}, 1),
                             tiled({8, 16, 8}, 2), tiled({2, 2, 2}, 1)};
  const char *Seed = std::getenv("KPACK_CONV_SEED");
  const char *Count = std::getenv("KPACK_CONV_CASES");
  unsigned First = Seed ? static_cast<unsigned>(std::atoi(Seed)) : 1;
  unsigned Cases = Count ? static_cast<unsigned>(std::atoi(Count)) : 500;
  std::printf("seed %u, %u cases\n", First, Cases);
  RandomCase Random(First + 2000);
  unsigned Added = 0, Whole = 0;
  for (unsigned I = 0; I < Cases; ++I) {
    ConvCase Case = Random.next();
    if (Case.Sig.accumulation_data_type == DataType::FP64)
      Case.Sig.accumulation_data_type = DataType::FP32;
    if (I % 4 == 0)
      makeAddable(Case);
    ASSERT_TRUE(Case.fill(First + I));
    Algorithm Tile = Tiles[I / 4 % std::size(Tiles)];
    // Sums of several groups have more tiles of k.
    if (I % 3 == 0)
      Tile.split.make().groups_merge = 2;
    ProductSize Size =
        productOfTile(Case.Sig, Tile, productOf(Case.Sig, Case.P));
    auto Most = static_cast<int>(ceilDiv(Size.Depth, Tile.tile->k));
    int Pieces = std::min(1 + static_cast<int>(I / 2) % 6, Most);
    bool IsAddable = lower(Case.Sig, divided(Tile, 2, false), "cpu").ok();
    bool TwoStages = !IsAddable || I % 2;
    bool IsOpen = I / 16 % 2;
    if (IsOpen)
      Case.P.k_batch = Pieces;
    Added += !TwoStages && Pieces > 1;
    Whole += Pieces == 1;
    ASSERT_NO_FATAL_FAILURE(
        check(Case, divided(Tile, IsOpen ? 0 : Pieces, TwoStages)))
        << "case " << I << ", " << Pieces << " pieces, " << TwoStages;
  }
  // Each way has been there.
  EXPECT_GE(Added, Cases / 20);
  EXPECT_GE(Whole, Cases / 20);
}

ConvCase smallCase(DataType Type, ConvDirection Direction,
                   ElementwiseOperation Op) {
  ConvCase Case;
  Case.Sig.spatial_dim = 2;
  Case.Sig.direction = Direction;
  Case.Sig.data_type = Type;
  Tensor *Tensors[] = {&Case.Sig.input, &Case.Sig.weight, &Case.Sig.output};
  Tensors[Case.result()]->operation.make().elementwise_operation = Op;
  Case.Sig = resolveSignature(Case.Sig);
  Case.Numbers = argsFor(Case.Sig);
  Case.P = {.groups = 2,
            .batch = 2,
            .c = 5,
            .k = 6,
            .image = {5, 4},
            .filter = {3, 2},
            .pad = {{1, 1}, {0, 1}}};
  return Case;
}

/// What is linear is done with each piece.
TEST(SplitTest, LinearOperationsOfPieces) {
  for (auto Direction : {ConvDirection::FORWARD, ConvDirection::BACKWARD_DATA,
                         ConvDirection::BACKWARD_WEIGHT}) {
    ConvCase Case =
        smallCase(DataType::FP32, Direction, ElementwiseOperation::SCALE);
    OpParams *Numbers[] = {&Case.Numbers.input.params,
                           &Case.Numbers.weight.params,
                           &Case.Numbers.output.params};
    Numbers[Case.result()]->a = 0.5f;
    ASSERT_TRUE(Case.fill(3));
    ASSERT_NO_FATAL_FAILURE(
        check(Case, divided(tiled({4, 4, 4}, 1), 3, false)));
  }
}

/// A blob has a kernel for each step, and a launch those that it needs.
TEST(SplitTest, LaunchHasOnlyTheNeededSteps) {
  ConvCase Case = smallCase(DataType::FP32, ConvDirection::FORWARD,
                            ElementwiseOperation::PASS_THROUGH);
  auto StepsFor = [&](int Pieces, bool TwoStages, int Asked) {
    Result<Lowered> Kernel =
        lower(Case.Sig, divided(tiled({4, 4, 4}, 1), Pieces, TwoStages), "cpu");
    Problem P = Case.P;
    P.k_batch = Asked;
    Result<KernelLaunch> Launch = launchOf(Case.Sig, *Kernel, P, {});
    if (!Launch)
      return Launch.status().message();
    std::string Text = std::to_string(Launch->Workspace);
    for (const LaunchStep &Step : Launch->Steps)
      Text += " main" + std::string(suffixOf(Step.Which)) + "*" +
              std::to_string(Step.Grid[2]);
    return Text;
  };
  EXPECT_EQ(StepsFor(1, false, 0), "0 main*2");
  EXPECT_EQ(StepsFor(4, false, 0), "0 main_zero*2 main*8");
  EXPECT_EQ(StepsFor(0, false, 1), "0 main*2");
  EXPECT_EQ(StepsFor(0, false, 2), "0 main_zero*2 main*4");
  // 2 groups, 2 images, 6 channels, 5 x 4 positions, FP32
  EXPECT_EQ(StepsFor(3, true, 0), "5760 main*6 main_reduce*2");
  EXPECT_EQ(StepsFor(0, true, 0), "1920 main*2 main_reduce*2");
  EXPECT_EQ(StepsFor(4, false, 2),
            "problem.k_batch: is 2, and the kernel has 4 pieces");
  EXPECT_EQ(StepsFor(9, true, 0), "problem.k_batch: 9 pieces, and the sum has "
                                  "8 of tile.k in each of 2 groups");
}

TEST(SplitTest, UnsupportedSplitsAreRefused) {
  ConvCase Case = smallCase(DataType::FP16, ConvDirection::FORWARD,
                            ElementwiseOperation::PASS_THROUGH);
  auto Message = [&](const Algorithm &Algo) {
    Result<Lowered> Kernel = lower(Case.Sig, Algo, "cpu");
    if (!Kernel)
      return Kernel.status().message();
    return launchOf(Case.Sig, *Kernel, Case.P, {}).status().message();
  };
  EXPECT_EQ(Message(divided(tiled({4, 4, 4}, 1), 2, false)),
            "algorithm.split.k_batch: pieces are added to a result of FP32, or "
            "of I32 without an operation; take two_stage");
  Case.P.k_batch = 2;
  EXPECT_EQ(Message(divided(tiled({4, 4, 4}, 1), 0, false)),
            "problem.k_batch: 2 pieces are not added to such a result; take "
            "split.two_stage");
  EXPECT_EQ(Message(divided(tiled({4, 4, 4}, 1), 0, true)), "");
  Algorithm Algo = divided(tiled({4, 4, 4}, 1), 1, false);
  Case.P.k_batch = 0;
  EXPECT_EQ(Message(Algo), "");
  Algo.split->stream_k.make();
  Algo.split->groups_merge = 2;
  EXPECT_EQ(Message(Algo), "algorithm.split.groups_merge: no kernel does that; "
                           "take 1 where stream_k shares tiles");
}

} // namespace
