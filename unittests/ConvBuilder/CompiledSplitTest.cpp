//===- CompiledSplitTest.cpp - tests of compiled kernels, split sums ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atomic additions, and the steps before and behind, as compilers make them of
// SplitTest.cpp's: one direction and one way for each second row, all of all
// rows with KPACK_CONV_COMPILED=all.
//
//===----------------------------------------------------------------------===//
#include "DeviceCase.h"

#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

struct SplitRow {
  const char *Processor;
  DataType Type;
  Isa In;
  MNK Tile, Waves, Instr;
  ConvDirection Direction;
  bool TwoStages;
};

constexpr SplitRow Rows[] = {
    {"cpu",
     DataType::FP32,
     Isa::VALU,
     {16, 16, 8},
     {},
     {},
     ConvDirection::BACKWARD_DATA,
     false},
    {"cpu",
     DataType::FP16,
     Isa::VALU,
     {16, 16, 8},
     {},
     {},
     ConvDirection::FORWARD,
     true},
    {"gfx90a",
     DataType::FP16,
     Isa::MFMA,
     {32, 32, 16},
     {2, 2, 1},
     {16, 16, 16},
     ConvDirection::FORWARD,
     true},
    {"gfx90a",
     DataType::FP32,
     Isa::MFMA,
     {32, 32, 16},
     {1, 1, 1},
     {32, 32, 2},
     ConvDirection::BACKWARD_WEIGHT,
     false},
    {"gfx1100",
     DataType::FP32,
     Isa::VALU,
     {16, 16, 8},
     {},
     {},
     ConvDirection::FORWARD,
     false},
    {"gfx1100",
     DataType::BF16,
     Isa::WMMA,
     {32, 16, 16},
     {1, 1, 1},
     {16, 16, 16},
     ConvDirection::BACKWARD_DATA,
     true},
};

Algorithm makeAlgorithm(const SplitRow &Row, bool TwoStages) {
  Algorithm Algo = makeGemm(Row.In, Row.Tile, {Row.Waves, Row.Instr});
  Algo.split.make().k_batch = 3;
  Algo.split->two_stage = TwoStages;
  return Algo;
}

/// Pieces that are added have a result of FP32; those of two stages an
/// operation that is not linear.
ConvCase splitCase(DataType Type, ConvDirection Direction, bool TwoStages) {
  ConvCase Case;
  Case.Sig.spatial_dim = 2;
  Case.Sig.direction = Direction;
  Case.Sig.data_type = Type;
  Tensor *Tensors[] = {&Case.Sig.input, &Case.Sig.weight, &Case.Sig.output};
  Tensor &Result = *Tensors[Case.result()];
  Result.operation.make().elementwise_operation =
      TwoStages ? ElementwiseOperation::RELU : ElementwiseOperation::SCALE;
  if (!TwoStages)
    Result.config.data_type = DataType::FP32;
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

TEST(CompiledSplitTest, SplitsMatchTheReference) {
  bool All = allAreAsked();
  unsigned Seen = 0;
  for (size_t I = 0; I < std::size(Rows); ++I) {
    const SplitRow &Row = Rows[I];
    if (!isAsked(I, 2))
      continue;
    std::unique_ptr<Backend> On = chooseBackend(Row.Processor);
    ASSERT_TRUE(On);
    for (unsigned Which = 0; Which < 6; ++Which) {
      auto Direction = static_cast<ConvDirection>(Which / 2);
      bool TwoStages = Which % 2;
      if (!All && (Direction != Row.Direction || TwoStages != Row.TwoStages))
        continue;
      ConvCase Case = splitCase(Row.Type, Direction, TwoStages);
      // WMMA of gfx11 does not give 0 for 1 - 1.
      ASSERT_TRUE(Case.fill(Which, Row.In == Isa::WMMA
                                       ? TestNumbers::Naturals
                                       : TestNumbers::Integers));
      ASSERT_NO_FATAL_FAILURE(check(*On, Case, makeAlgorithm(Row, TwoStages)))
          << Row.Processor << " " << nameOf(Row.Type) << " " << Which;
      ++Seen;
    }
  }
  EXPECT_EQ(Seen, All ? std::size(Rows) * 6 : 3U);
}

} // namespace
