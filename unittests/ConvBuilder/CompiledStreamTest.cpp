//===- CompiledStreamTest.cpp - tests of compiled stream-K kernels --------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// StreamTest.cpp's, as compilers make them: one direction and one way for each
// row, all of them with KPACK_CONV_COMPILED=all. A kernel does not know how
// many work-groups a GPU runs at once, so that each is launched for some
// numbers.
//
//===----------------------------------------------------------------------===//
#include "DeviceCase.h"
#include "DeviceRun.h"

#include "ConvBuilder/Emit.h"
#include "kpack/ConvBuilder/Resources.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

struct StreamRow {
  const char *Processor;
  DataType Type;
  Isa In;
  MNK Tile, Waves, Instr;
  ConvDirection Direction;
  /// In pairs, by as many work-groups as the GPU runs at once, through LDS.
  bool IsOther;
  bool IsAlways; ///< else with KPACK_CONV_COMPILED=all alone
};

constexpr StreamRow Rows[] = {
    {"cpu",
     DataType::FP16,
     Isa::VALU,
     {16, 16, 8},
     {},
     {},
     ConvDirection::FORWARD,
     true,
     false},
    {"gfx90a",
     DataType::FP16,
     Isa::MFMA,
     {32, 32, 16},
     {2, 2, 1},
     {16, 16, 16},
     ConvDirection::BACKWARD_WEIGHT,
     true,
     true},
    {"gfx1100",
     DataType::BF16,
     Isa::WMMA,
     {32, 16, 16},
     {1, 1, 1},
     {16, 16, 16},
     ConvDirection::BACKWARD_DATA,
     false,
     true},
    {"gfx1030",
     DataType::I8,
     Isa::DOT,
     {16, 16, 8},
     {},
     {},
     ConvDirection::FORWARD,
     true,
     true},
    {"gfx90a",
     DataType::FP32,
     Isa::MFMA,
     {32, 32, 16},
     {1, 1, 1},
     {32, 32, 2},
     ConvDirection::FORWARD,
     false,
     false},
    {"gfx942",
     DataType::FP8,
     Isa::MFMA,
     {32, 32, 32},
     {1, 1, 1},
     {16, 16, 32},
     ConvDirection::FORWARD,
     false,
     false},
    {"gfx90a",
     DataType::U8,
     Isa::MFMA,
     {32, 32, 16},
     {1, 1, 1},
     {32, 32, 8},
     ConvDirection::FORWARD,
     true,
     false},
    {"gfx1201",
     DataType::FP16,
     Isa::WMMA,
     {32, 16, 16},
     {1, 1, 1},
     {16, 16, 16},
     ConvDirection::FORWARD,
     true,
     false},
    {"gfx1030",
     DataType::FP32,
     Isa::VALU,
     {16, 16, 8},
     {},
     {},
     ConvDirection::BACKWARD_DATA,
     false,
     false},
};

Algorithm makeAlgorithm(const StreamRow &Row, bool IsOther) {
  Algorithm Algo = makeGemm(usesMatrix(Row.In) ? Row.In : Isa::VALU, Row.Tile,
                            {Row.Waves, Row.Instr});
  Algo.isa = Row.In;
  if (Row.In == Isa::DOT)
    Algo.thread->k_per_thread = 4;
  StreamK &Its = Algo.split.make().stream_k.make();
  Its.persistent = IsOther;
  if (IsOther)
    Its.reduction = StreamKReductionStrategy::TREE;
  Algo.c.make().through_lds = IsOther;
  return Algo;
}

ConvCase streamCase(const StreamRow &Row, ConvDirection Direction) {
  ConvCase Case;
  Case.Form = hasFnuz(Row.Processor) ? Fp8Form::Fnuz : Fp8Form::Ocp;
  Case.Sig.spatial_dim = 2;
  Case.Sig.direction = Direction;
  Case.Sig.data_type = Row.Type;
  Tensor *Tensors[] = {&Case.Sig.input, &Case.Sig.weight, &Case.Sig.output};
  Tensor &Result = *Tensors[Case.result()];
  Result.operation.make().elementwise_operation = ElementwiseOperation::RELU;
  if (isInteger(Row.Type))
    Result.config.data_type = DataType::I32;
  Case.Sig = resolveSignature(Case.Sig);
  Case.Numbers = argsFor(Case.Sig);
  Case.P = {.groups = 2,
            .batch = 3,
            .c = 9,
            .k = 18,
            .image = {8, 5},
            .filter = {3, 2},
            .stride = {2, 1},
            .pad = {{1, 1}, {0, 1}}};
  return Case;
}

/// Compiled once, and launched among some numbers of work-groups. Adds what of
/// them has both kinds of tiles to \p Both.
void check(Backend &On, const ConvCase &Case, const Algorithm &Algo,
           unsigned &Both) {
  Result<KernelSource> Source = emit(Case.Sig, Algo, On.processor());
  ASSERT_TRUE(Source.ok()) << Source.status().message();
  for (int Resident : {3, 7, 40}) {
    Source->Made.resident = Resident;
    Result<ConvKernel> Kernel = ConvKernel::compile(
        *Source, Case.Sig, Algo, On.processor(), testOptions());
    ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
    StreamTiles Tiles = streamTilesOf(productOf(Case.Sig, Case.P),
                                      Case.P.groups, *Algo.tile, Resident);
    EXPECT_GT(Tiles.Shared, 0);
    Both += Tiles.Whole > 0;
    Result<TensorBytes> Computed = runOn(On, *Kernel, Case);
    ASSERT_TRUE(Computed.ok()) << Computed.status().message();
    ASSERT_EQ(Case.compare(Case.expected(), *Computed), "") << Resident;
  }
}

TEST(CompiledStreamTest, StreamKMatchesTheReference) {
  bool All = allAreAsked();
  unsigned Seen = 0, Both = 0;
  for (const StreamRow &Row : Rows) {
    if (!All && !Row.IsAlways)
      continue;
    std::unique_ptr<Backend> On = chooseBackend(Row.Processor);
    ASSERT_TRUE(On);
    for (unsigned Which = 0; Which < 6; ++Which) {
      auto Direction = static_cast<ConvDirection>(Which / 2);
      bool IsOther = Which % 2;
      if (!All && (Direction != Row.Direction || IsOther != Row.IsOther))
        continue;
      if (isInteger(Row.Type) && Direction != ConvDirection::FORWARD)
        continue;
      ConvCase Case = streamCase(Row, Direction);
      // WMMA of gfx11 does not give 0 for 1 - 1.
      ASSERT_TRUE(Case.fill(Which, Row.In == Isa::WMMA
                                       ? TestNumbers::Naturals
                                       : TestNumbers::Integers));
      ASSERT_NO_FATAL_FAILURE(
          check(*On, Case, makeAlgorithm(Row, IsOther), Both))
          << Row.Processor << " " << nameOf(Row.Type) << " " << Which;
      ++Seen;
    }
  }
  EXPECT_EQ(Seen, All ? std::size(Rows) * 6 - 2 * 4 : 3U);
  EXPECT_GT(Both, Seen);
}

} // namespace
