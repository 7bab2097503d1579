//===- StreamTest.cpp - tests of stream-K against the reference -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IMPLICIT_GEMM with split.stream_k over random cases, among different numbers
// of work-groups: fewer than tiles, more than tiles of k, and all between. And
// what is known of a launch before there is one. KPACK_CONV_CASES and
// KPACK_CONV_SEED as in DirectTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "ConvCase.h"

#include "kpack/ConvBuilder/CostModel.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/kernels/stream.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

Algorithm shared(MNK Tile, int Threads, bool IsPersistent, bool InPairs) {
  Algorithm Algo;
  Algo.kind = Kind::IMPLICIT_GEMM;
  Algo.isa = Isa::VALU;
  Algo.tile = Tile;
  Algo.thread.make().m1 = Algo.thread.make().n1 = Threads;
  StreamK &Its = Algo.split.make().stream_k.make();
  Its.persistent = IsPersistent;
  if (InPairs)
    Its.reduction = StreamKReductionStrategy::TREE;
  return Algo;
}

StreamTiles makeTiles(const ConvCase &Case, const Algorithm &Algo,
                      int Resident) {
  return streamTilesOf(productOf(Case.Sig, Case.P), Case.P.groups, *Algo.tile,
                       Resident);
}

/// Runs it natively, and compares all bits.
void check(const ConvCase &Case, const Algorithm &Algo, int Resident) {
  std::string_view On = Case.Form == Fp8Form::Fnuz ? "gfx942" : "cpu";
  Result<Lowered> Kernel = lower(Case.Sig, Algo, On);
  ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
  Kernel->resident = Resident;
  long long Bytes = workspaceBytes(Case.Sig, *Kernel, Case.P);
  Workspace Own(Bytes);
  std::vector<TensorBytes> Memory = Case.Memory;
  Args With = Case.args(Memory);
  With.workspace = Own.Memory.data();
  Result<KernelLaunch> Launch = launchOf(Case.Sig, *Kernel, Case.P, With);
  ASSERT_TRUE(Launch.ok()) << Launch.status().message();
  EXPECT_EQ(Launch->Workspace, Bytes);
  EXPECT_LE(Bytes, 8ll * Resident * Algo.tile->m * Algo.tile->n);
  runNatively(*Kernel, *Launch);
  ASSERT_EQ(Case.compare(Case.expected(), Memory[Case.result()]), "");
  EXPECT_TRUE(Own.isInside());
}

ConvCase smallCase(DataType Type, ConvDirection Direction) {
  ConvCase Case;
  Case.Sig.spatial_dim = 2;
  Case.Sig.direction = Direction;
  Case.Sig.data_type = Type;
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

TEST(StreamTest, RandomCasesMatchTheReference) {
  constexpr MNK Tiles[] = {{8, 8, 8}, {4, 4, 4}, {8, 16, 8}, {2, 2, 2}};
  constexpr int Threads[] = {1, 1, 2, 1};
  constexpr int Residents[] = {2, 3, 5, 8, 13, 64, 1, 700};
  const char *Seed = std::getenv("KPACK_CONV_SEED");
  const char *Count = std::getenv("KPACK_CONV_CASES");
  unsigned First = Seed ? static_cast<unsigned>(std::atoi(Seed)) : 1;
  unsigned Cases = Count ? static_cast<unsigned>(std::atoi(Count)) : 500;
  std::printf("seed %u, %u cases\n", First, Cases);
  RandomCase Random(First + 3000);
  unsigned Both = 0, OnlyShared = 0, Many = 0;
  for (unsigned I = 0; I < Cases; ++I) {
    ConvCase Case = Random.next();
    if (Case.Sig.accumulation_data_type == DataType::FP64)
      Case.Sig.accumulation_data_type = DataType::FP32;
    ASSERT_TRUE(Case.fill(First + I));
    unsigned Which = I / 4 % std::size(Tiles);
    Algorithm Algo = shared(Tiles[Which], Threads[Which], I % 2, I / 2 % 2);
    Algo.c.make().through_lds = I / 64 % 2;
    int Resident = Residents[I / 16 % std::size(Residents)];
    StreamTiles Its = makeTiles(Case, Algo, Resident);
    Both += Its.Shared && Its.Whole;
    OnlyShared += Its.Shared && !Its.Whole;
    Many += Its.Sharers > 2 * Its.Shared;
    ASSERT_NO_FATAL_FAILURE(check(Case, Algo, Resident))
        << "case " << I << " among " << Resident;
  }
  // Each way has been there.
  EXPECT_GE(Both, Cases / 16);
  EXPECT_GE(OnlyShared, Cases / 16);
  EXPECT_GE(Many, Cases / 16);
}

/// Each place of the line is somebody's, and only once; nobody has more than
/// one tile; and parts in the workspace are as many as are said.
TEST(StreamTest, LinesAreDividedOnce) {
  for (int Resident : {1, 2, 3, 7, 64, 304, 9728})
    for (int Count : {1, 2, 3, 5, 8, 13, 21, 34, 62, 63, 150})
      for (int Steps : {1, 2, 3, 8, 65, 127}) {
        StreamTiles Its =
            streamTilesOf({Count, 1, Steps}, 1, {1, 1, 1}, Resident);
        ASSERT_EQ(Its.Whole + Its.Shared, Count);
        ASSERT_EQ(Its.Whole % Resident == 0 || !Its.Shared, true);
        ASSERT_LT(Its.Shared, Resident);
        ASSERT_LE(Its.Sharers, std::min<long long>(Resident, Its.line()));
        ASSERT_LE(Its.parts(), std::max(0ll, 2ll * Resident));
        if (!Its.Shared)
          continue;
        device::Arguments A{};
        A.Pieces = static_cast<int>(Its.Sharers);
        A.Line = static_cast<int>(Its.line());
        int Next = 0;
        std::vector<bool> Used(static_cast<size_t>(Its.parts()));
        for (int Sharer = 0; Sharer < A.Pieces; ++Sharer) {
          device::DepthRange Range = device::rangeOfSharer(A, Sharer);
          ASSERT_EQ(Range.First, Next);
          ASSERT_GT(Range.End, Range.First);
          ASSERT_LE(Range.End - Range.First, Steps);
          Next = Range.End;
          for (int Step = Range.First; Step < Range.End; ++Step) {
            ASSERT_EQ(device::findSharer(A, Step), Sharer);
            if (Step > Range.First && Step % Steps)
              continue; // of the same part
            auto Part = static_cast<size_t>(Sharer + Step / Steps);
            ASSERT_LT(Part, Used.size());
            ASSERT_FALSE(Used[Part]);
            Used[Part] = true;
          }
        }
        ASSERT_EQ(Next, A.Line);
        // addedInPairs() has room for so many.
        for (int Tile = 0; Tile < Its.Shared; ++Tile)
          ASSERT_LT(device::findSharer(A, (Tile + 1) * Steps - 1) -
                        device::findSharer(A, Tile * Steps),
                    255);
        ASSERT_EQ(device::rangeOfSharer(A, A.Pieces).End, 0);
      }
}

/// Whole rounds are launched as they are, and what nobody shares needs neither
/// a second kernel nor memory.
TEST(StreamTest, WholeRoundsNeedNoReduction) {
  ConvCase Case = smallCase(DataType::FP32, ConvDirection::FORWARD);
  auto StepsFor = [&](int Resident, bool IsPersistent, int Depth = 4) {
    Algorithm Algo = shared({4, 4, Depth}, 1, IsPersistent, false);
    Result<Lowered> Kernel = lower(Case.Sig, Algo, "cpu");
    EXPECT_EQ(Kernel->resident, ResidentOnCpu);
    Kernel->resident = Resident;
    Result<KernelLaunch> Launch = launchOf(Case.Sig, *Kernel, Case.P, {});
    if (!Launch)
      return Launch.status().message();
    std::string Text = std::to_string(Launch->Workspace);
    for (const LaunchStep &Step : Launch->Steps)
      Text += " main" + std::string(suffixOf(Step.Which)) + "*" +
              std::to_string(Step.Grid[0]) + "x" + std::to_string(Step.Grid[1]);
    return Text;
  };
  // 10 x 2 tiles in each of 2 groups, of 8 tiles of k
  EXPECT_EQ(StepsFor(16, false), "1472 main*48x1 main_reduce*1x8");
  EXPECT_EQ(StepsFor(16, true), "1472 main*16x1 main_reduce*1x8");
  EXPECT_EQ(StepsFor(64, false), "6592 main*64x1 main_reduce*1x40");
  EXPECT_EQ(StepsFor(64, true), "6592 main*64x1 main_reduce*1x40");
  EXPECT_EQ(StepsFor(39, false), "512 main*47x1 main_reduce*1x1");
  EXPECT_EQ(StepsFor(1000, false), "22976 main*320x1 main_reduce*1x40");
  EXPECT_EQ(StepsFor(20, false), "0 main*40x1");
  EXPECT_EQ(StepsFor(20, true), "0 main*20x1");
  // A sum of one tile of k
  EXPECT_EQ(StepsFor(16, false, 32), "0 main*40x1");
  EXPECT_EQ(StepsFor(16, true, 32), "0 main*16x1");
  Case.P.k_batch = 2;
  EXPECT_EQ(StepsFor(16, false),
            "problem.k_batch: is 2, and the kernel has 1 pieces");
}

TEST(StreamTest, UnsupportedAlgorithmsAreRefused) {
  ConvCase Case = smallCase(DataType::FP16, ConvDirection::FORWARD);
  Algorithm Algo = shared({4, 4, 4}, 1, false, false);
  auto Message = [&] {
    return lower(Case.Sig, Algo, "cpu").status().message();
  };
  EXPECT_EQ(Message(), "");
  constexpr std::string_view Twice =
      "algorithm.split.stream_k: divides sums itself; take it without k_batch "
      "and two_stage";
  Algo.split->k_batch = 2;
  EXPECT_EQ(Message(), Twice);
  Algo.split->k_batch = 1;
  Algo.split->two_stage = true;
  EXPECT_EQ(Message(), Twice);
}

/// Kernels count tiles, and tiles of k that are shared, with 32 bits.
TEST(StreamTest, TooManySharedTilesAreRefused) {
  auto Message = [](ConvDirection Direction, int Groups, int Batch) {
    ConvCase Case = smallCase(DataType::FP16, Direction);
    Case.P = {.groups = Groups,
              .batch = Batch,
              .c = 4,
              .k = 4,
              .image = {64, 64},
              .filter = {1, 1}};
    Algorithm Algo = shared({4, 4, 4}, 1, false, false);
    Algo.split->index64 = true;
    Result<Lowered> Kernel = lower(Case.Sig, Algo, "cpu");
    EXPECT_TRUE(Kernel.ok()) << Kernel.status().message();
    Kernel->resident = 16;
    return launchOf(Case.Sig, *Kernel, Case.P, {}).status().message();
  };
  EXPECT_EQ(Message(ConvDirection::FORWARD, 1, 1 << 17), "");
  EXPECT_EQ(
      Message(ConvDirection::FORWARD, 1, 3 << 17),
      "problem: the product has 402653184 tiles and sharers; stream_k has "
      "up to 268435455");
  EXPECT_EQ(Message(ConvDirection::BACKWARD_WEIGHT, 1, 3 << 17), "");
  EXPECT_EQ(Message(ConvDirection::BACKWARD_WEIGHT, 8, 3 << 17),
            "problem: the product has 3221225472 tiles of k to share; stream_k "
            "has up to 2147483647");
}

/// The kernel, the requirements and the estimate mean the same work-groups.
TEST(StreamTest, ResidentWorkGroups) {
  for (std::string_view Gpu : ProcessorNames)
    for (DataType Type : {DataType::FP32, DataType::FP16}) {
      Algorithm Algo{.kind = Kind::IMPLICIT_GEMM};
      Algo.split.make().stream_k.make();
      Problem Sizes{.groups = 3,
                    .batch = 2,
                    .c = 500,
                    .k = 100,
                    .image = {30, 20},
                    .filter = {3, 3}};
      Signature Sig = resolveSignature({.spatial_dim = 2, .data_type = Type});
      Resolved R = resolve(Sig, Algo, Gpu, Sizes);
      ASSERT_TRUE(R.ok()) << Gpu << R.Why.view();
      EXPECT_EQ(R.Algo.split->k_batch, 1);
      Result<Lowered> Kernel = lower(Sig, R.Algo, Gpu);
      ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
      const Processor *Its = findProcessor(Gpu);
      Estimate E = estimate(Sig, R.Algo, Sizes, *Its);
      EXPECT_EQ(Kernel->resident, E.occupancy * findMachine(Gpu)->Units);
      long long Bytes = workspaceBytes(Sig, *Kernel, Sizes);
      EXPECT_GT(Bytes, 0) << Gpu;
      EXPECT_EQ(Bytes, workspaceOf(Sig, R.Algo, Sizes, Its)) << Gpu;
      Result<KernelLaunch> Launch = launchOf(Sig, *Kernel, Sizes, argsFor(Sig));
      ASSERT_TRUE(Launch.ok()) << Launch.status().message();
      EXPECT_EQ(Launch->Workspace, Bytes);
      EXPECT_EQ(Launch->Steps[0].Grid[0], E.work_groups);
      Conditions Want;
      Want.WorkspaceLimit = Bytes;
      Want.Deterministic = true;
      EXPECT_TRUE(validate(Sig, R.Algo, Gpu, Sizes, Want).ok()) << Gpu;
      Want.WorkspaceLimit = Bytes - 1;
      EXPECT_FALSE(validate(Sig, R.Algo, Gpu, Sizes, Want).ok()) << Gpu;
    }
}

} // namespace
