//===- CompiledGroupsTest.cpp - tests of compiled kernels, merged groups --===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four groups in a tile, of six, as compilers make of GemmTest.cpp's: each
// direction in one dimension, and with KPACK_CONV_COMPILED=all each isa in all
// of them. What is left open is resolved, so that vectors go over the end of a
// group where groups and channels are neighbours.
//
//===----------------------------------------------------------------------===//
#include "DeviceCase.h"

#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

struct GroupsRow {
  const char *Processor;
  DataType Type;
  const char *Algo;
  ConvDirection Direction;
  int Dims; ///< 0: only where all are wanted
};

constexpr GroupsRow Rows[] = {
    {"gfx90a", DataType::FP16,
     "{tile={m=64,n=32,k=32},wave={waves={m=2,n=1}},"
     "split={k_batch=1,groups_merge=4}}",
     ConvDirection::FORWARD, 2},
    {"gfx90a", DataType::U8,
     "{isa=MFMA,tile={m=32,n=32,k=32},wave={waves={m=1,n=1}},"
     "split={k_batch=2,two_stage=1,groups_merge=4}}",
     ConvDirection::FORWARD, 0},
    {"gfx942", DataType::FP8,
     "{tile={m=32,n=32,k=32},wave={waves={m=1,n=1},instr={m=16}},"
     "split={k_batch=1,groups_merge=4}}",
     ConvDirection::BACKWARD_DATA, 3},
    {"gfx1100", DataType::BF16,
     "{tile={m=32,n=32,k=16},wave={waves={m=1,n=1}},"
     "split={k_batch=2,two_stage=1,groups_merge=4}}",
     ConvDirection::BACKWARD_WEIGHT, 2},
    {"gfx1030", DataType::FP32,
     "{isa=VALU,tile={m=32,n=64,k=8},thread={m1=2,n1=4},"
     "split={k_batch=1,groups_merge=4}}",
     ConvDirection::BACKWARD_WEIGHT, 0},
    {"gfx1201", DataType::FP16,
     "{isa=DOT,tile={m=32,n=32,k=16},thread={m1=2,n1=2},"
     "split={k_batch=1,groups_merge=4}}",
     ConvDirection::BACKWARD_DATA, 1},
};

/// An operation on the left operand, and one on the result, each of which reads
/// another tensor at its position.
ConvCase groupsCase(const GroupsRow &Row, ConvDirection Direction, int Dims) {
  ConvCase Case;
  Case.Form = hasFnuz(Row.Processor) ? Fp8Form::Fnuz : Fp8Form::Ocp;
  Case.Sig.spatial_dim = Dims;
  Case.Sig.direction = Direction;
  Case.Sig.data_type = Row.Type;
  bool IsForward = Direction == ConvDirection::FORWARD;
  Tensor &Left = IsForward ? Case.Sig.input : Case.Sig.output;
  Left.operation.make().elementwise_operation = ElementwiseOperation::SCALE_ADD;
  Left.operation->auxiliary_operand_configs.push({.data_type = DataType::FP32});
  Tensor *Tensors[] = {&Case.Sig.input, &Case.Sig.weight, &Case.Sig.output};
  Tensor &Result = *Tensors[Case.result()];
  Result.operation.make().elementwise_operation =
      ElementwiseOperation::ADD_CLAMP;
  Result.operation->auxiliary_operand_configs.push(
      {.data_type = DataType::FP32});
  if (isInteger(Row.Type)) {
    Left.operation = {};
    Result.config.data_type = DataType::I32;
  }
  Case.Sig = resolveSignature(Case.Sig);
  Case.Numbers = argsFor(Case.Sig);
  Case.P = {.groups = 6, .batch = 3, .c = 4, .k = 8};
  for (int D = 0; D < Dims; ++D) {
    Case.P.image.push(Dims == 1 ? 21 : Dims == 2 ? 6 : 3);
    Case.P.filter.push(Dims == 3 ? 2 : 3);
    Case.P.stride.push(D % 2 + 1);
    Case.P.pad.push({1, D});
  }
  return Case;
}

/// \p Loads and Stores: vectors that have channels of two groups.
void checkRow(const GroupsRow &Row, ConvDirection Direction, int Dims,
              unsigned &Loads, unsigned &Stores) {
  ConvCase Case = groupsCase(Row, Direction, Dims);
  Algorithm Partial;
  ASSERT_FALSE(parseText(Row.Algo, Partial).failed()) << Row.Algo;
  Resolved R = resolve(Case.Sig, Partial, Row.Processor, Case.P);
  ASSERT_TRUE(R.ok()) << R.Why.view();
  bool IsForward = Direction == ConvDirection::FORWARD;
  bool IsWeight = Direction == ConvDirection::BACKWARD_WEIGHT;
  Loads += R.Algo.a->load_vector > (IsForward ? Case.P.c : Case.P.k);
  Stores +=
      !IsWeight && R.Algo.c->store_vector > (IsForward ? Case.P.k : Case.P.c);
  // WMMA of gfx11 does not give 0 for 1 - 1.
  bool NoSigns = R.Algo.isa == Isa::WMMA;
  ASSERT_TRUE(
      Case.fill(5, NoSigns ? TestNumbers::Naturals : TestNumbers::Integers));
  ASSERT_NO_FATAL_FAILURE(check(*chooseBackend(Row.Processor), Case, R.Algo))
      << Row.Processor << textOf(R.Algo).view();
}

TEST(CompiledGroupsTest, MergedGroupsMatchTheReferenceOnEachIsa) {
  bool All = allAreAsked();
  unsigned Seen = 0, Loads = 0, Stores = 0;
  for (const GroupsRow &Row : Rows)
    for (unsigned Which = 0; Which < 9; ++Which) {
      auto Direction = static_cast<ConvDirection>(Which / 3);
      int Dims = static_cast<int>(Which % 3) + 1;
      bool IsOther = Direction != Row.Direction || Dims != Row.Dims;
      bool CanBe = !isInteger(Row.Type) || Direction == ConvDirection::FORWARD;
      if (!CanBe || (!All && IsOther))
        continue;
      ASSERT_NO_FATAL_FAILURE(checkRow(Row, Direction, Dims, Loads, Stores));
      ++Seen;
    }
  EXPECT_EQ(Seen, All ? 5U * 9 + 3 : 4U);
  EXPECT_GT(Loads, 0u);
  EXPECT_GT(Stores, 0u);
}

} // namespace
