//===- EnumsTest.cpp - tests of enumerators against CK's ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That every enumerator of CK's builder is there, and what is known about it.
// The lists here are written by hand, a second time: they are what is exchanged
// with other programs, and numbers are hashed, so neither may change.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Layouts.h"
#include "kpack/ConvBuilder/Operations.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

using namespace kpack::conv;

namespace {

template <typename Enum> std::string namesOf() {
  std::string Names;
  for (const EnumRow &Row : EnumTable<Enum>::Rows)
    (Names += Names.empty() ? "" : " ") += Row.Name;
  return Names;
}

TEST(EnumsTest, NamesAndOrder) {
  EXPECT_EQ(namesOf<ConvDirection>(), "FORWARD BACKWARD_DATA BACKWARD_WEIGHT");
  EXPECT_EQ(namesOf<DataType>(),
            "UNDEFINED_DATA_TYPE FP32 FP32_FP32 FP16 FP16_FP16 BF16 BF16_BF16 "
            "FP8 BF8 FP64 I32 I8 I8_I8 U8");
  EXPECT_EQ(namesOf<Kind>(), "AUTO REFERENCE DIRECT IMPLICIT_GEMM DEPTHWISE");
  EXPECT_EQ(namesOf<Isa>(), "AUTO VALU DOT MFMA WMMA");
  EXPECT_EQ(namesOf<PipelineVersion>(),
            "V1 V2 V3 V4 V5 V6 ASYNC_V1 ASYNC_V4 WEIGHT_ONLY");
  EXPECT_EQ(namesOf<PipelineScheduler>(), "DEFAULT INTRAWAVE INTERWAVE");
  EXPECT_EQ(namesOf<ConvSpecialization>(),
            "DEFAULT FILTER_1X1_PAD0 FILTER_1X1_STRIDE1_PAD0 FILTER_3x3 "
            "FILTER_5x5 ODD_C");
  EXPECT_EQ(namesOf<StreamKReductionStrategy>(), "LINEAR TREE");
  EXPECT_EQ(namesOf<ElementwiseOperation>(),
            "ADD_CLAMP ADD_RELU_ADD ACTIVATION_MUL2_CLAMP ACTIVATION_MUL_CLAMP "
            "ADD_ACTIVATION_MUL_CLAMP ADD_ACTIVATION_MUL2_CLAMP "
            "ADD_MUL_ACTIVATION_MUL_CLAMP ADD_MUL2_ACTIVATION_MUL_CLAMP "
            "BIAS_BNORM_CLAMP BILINEAR SCALE SCALE_ADD CLAMP CONV_INVSCALE "
            "CONV_SCALE CONV_SCALE_ADD CONV_SCALE_RELU PASS_THROUGH "
            "SCALEADD_SCALEADD_RELU DYNAMIC_UNARY_OP UNARY_COMBINED_OP "
            "UNARY_CONVERT LOGISTIC CLIPPED_RELU SWISH ELU POWER LEAKY_RELU "
            "UNARY_ABS RELU SOFT_RELU SIGMOID TANH GELU SILU");
  EXPECT_EQ(EnumCount<ElementwiseOperation>, 35u);
  EXPECT_EQ(EnumCount<TensorLayout>, 46u);
}

template <typename Enum> void everyNameIsFound() {
  std::set<std::string_view> Seen;
  for (std::size_t I = 0; I < EnumCount<Enum>; ++I) {
    auto Value = static_cast<Enum>(I), Found = static_cast<Enum>(0);
    EXPECT_TRUE(Seen.insert(nameOf(Value)).second);
    ASSERT_TRUE(valueOf(nameOf(Value), Found)) << nameOf(Value);
    EXPECT_EQ(Found, Value);
    EXPECT_FALSE(EnumTable<Enum>::Rows[I].Text.empty());
  }
  auto Kept = static_cast<Enum>(1);
  EXPECT_FALSE(valueOf("fp_16", Kept));
  EXPECT_EQ(Kept, static_cast<Enum>(1));
  EXPECT_EQ(nameOf(static_cast<Enum>(EnumCount<Enum>)), "?");
}

TEST(EnumsTest, EveryNameIsParsed) {
  everyNameIsFound<ConvDirection>();
  everyNameIsFound<DataType>();
  everyNameIsFound<TensorLayout>();
  everyNameIsFound<ElementwiseOperation>();
  everyNameIsFound<Kind>();
  everyNameIsFound<Isa>();
  everyNameIsFound<PipelineVersion>();
  everyNameIsFound<PipelineScheduler>();
  everyNameIsFound<ConvSpecialization>();
  everyNameIsFound<StreamKReductionStrategy>();
}

// Each dimension has five layouts of the input and the output, four of the
// weight; three are for a bias.
TEST(LayoutsTest, LayoutCountsByRoleAndDimension) {
  std::map<std::string, int> Counts;
  for (std::size_t I = 0; I < EnumCount<TensorLayout>; ++I) {
    const LayoutFacts &Facts = factsOf(static_cast<TensorLayout>(I));
    ++Counts[std::string(nameOf(Facts.Of)) + std::to_string(Facts.SpatialDim)];
  }
  std::map<std::string, int> Expected = {
      {"none0", 1},   {"bias0", 3},   {"input1", 5},  {"input2", 5},
      {"input3", 5},  {"weight1", 4}, {"weight2", 4}, {"weight3", 4},
      {"output1", 5}, {"output2", 5}, {"output3", 5}};
  EXPECT_EQ(Counts, Expected);
}

TEST(LayoutsTest, NamesAreRead) {
  static_assert(factsOf(TensorLayout::NHWGC).order() == "NHWGC");
  static_assert(factsOf(TensorLayout::GKXC).Of == Role::Weight);
  const LayoutFacts &Strided = factsOf(TensorLayout::G_K_ZYX_C_strided);
  EXPECT_EQ(Strided.order(), "GKZYXC");
  EXPECT_TRUE(Strided.Strided);
  EXPECT_EQ(Strided.SpatialDim, 3);
  EXPECT_FALSE(factsOf(TensorLayout::NGKDHW).Strided);
  EXPECT_EQ(factsOf(TensorLayout::G_C_strided).Of, Role::Bias);
  EXPECT_EQ(factsOf(TensorLayout::UNDEFINED_TENSOR_LAYOUT).order(), "");
}

TEST(OperationsTest, OperandCountsOfOperations) {
  using enum ElementwiseOperation;
  static_assert(auxiliaryCount(BIAS_BNORM_CLAMP) == 5);
  static_assert(auxiliaryCount(PASS_THROUGH) == 0);
  EXPECT_EQ(parameterCount(POWER), 3u);
  int Quantised = 0, Unary = 0, WithTensors = 0;
  for (std::size_t I = 0; I < EnumCount<ElementwiseOperation>; ++I) {
    auto Op = static_cast<ElementwiseOperation>(I);
    Quantised += isQuantised(Op);
    Unary += isUnary(Op);
    WithTensors += auxiliaryCount(Op) != 0;
    EXPECT_LE(auxiliaryCount(Op), MaxAuxiliary);
    EXPECT_FALSE(isUnary(Op) && auxiliaryCount(Op)) << nameOf(Op);
  }
  EXPECT_EQ(Quantised, 6);
  EXPECT_EQ(Unary, 17);
  EXPECT_EQ(WithTensors, 12);
}

// What is computed without numbers given is what the name says.
TEST(OperationsTest, DefaultParametersOfOperations) {
  using enum ElementwiseOperation;
  EXPECT_EQ(defaultParameter(CLAMP, 0), -3.40282347e38f);
  EXPECT_EQ(defaultParameter(CLAMP, 1), 3.40282347e38f);
  EXPECT_EQ(defaultParameter(CLIPPED_RELU, 0), 0);
  EXPECT_EQ(defaultParameter(CLIPPED_RELU, 1), 1);
  EXPECT_EQ(defaultParameter(POWER, 2), 2);
  EXPECT_EQ(defaultParameter(BILINEAR, 1), 1);
  EXPECT_EQ(defaultParameter(LEAKY_RELU, 0), 0.01f);
  EXPECT_EQ(defaultParameter(BIAS_BNORM_CLAMP, 2), 1e-4f);
}

} // namespace
