//===- ResolveSignatureTest.cpp - tests of completed signatures -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is filled in where a signature leaves something open, and that
// signatures which mean the same are the same then.
//
//===----------------------------------------------------------------------===//
#include "RandomValue.h"

#include "kpack/ConvBuilder/Hash.h"
#include "kpack/ConvBuilder/Problem.h"
#include "kpack/ConvBuilder/ResolveSignature.h"
#include "kpack/ConvBuilder/Text.h"

#include <gtest/gtest.h>
#include <string>

using namespace kpack::conv;

namespace {

/// Layouts and types of the three tensors, the type of sums.
std::string resolved(std::string_view Text) {
  Signature Sig;
  EXPECT_FALSE(parseText(Text, Sig).failed()) << Text;
  Sig = resolveSignature(Sig);
  std::string Out;
  for (const Tensor *T : {&Sig.input, &Sig.weight, &Sig.output}) {
    (Out += nameOf(T->config.layout)) += ' ';
    (Out += nameOf(T->config.data_type)) += ", ";
  }
  return Out += nameOf(Sig.accumulation_data_type);
}

TEST(ResolveSignatureTest, DefaultsFollowDimensionAndType) {
  EXPECT_EQ(resolved("{spatial_dim=2,data_type=FP16}"),
            "NHWGC FP16, GKYXC FP16, NHWGK FP16, FP32");
  EXPECT_EQ(resolved("{spatial_dim=1,data_type=I8}"),
            "NWGC I8, GKXC I8, NWGK I8, I32");
}

TEST(ResolveSignatureTest, LayoutsAreInferredFromOneTensor) {
  auto With = [](std::string Tensor, std::string Layout) {
    return resolved("{spatial_dim=2,data_type=FP32," + Tensor +
                    "={config={layout=" + Layout + "}}}");
  };
  std::string First = "NGCHW FP32, GKCYX FP32, NGKHW FP32, FP32";
  EXPECT_EQ(With("input", "NGCHW"), First);
  EXPECT_EQ(With("output", "NGKHW"), First);
  EXPECT_EQ(With("weight", "GKCYX"), First);
  EXPECT_EQ(With("input", "GNCHW"), "GNCHW FP32, GKCYX FP32, GNKHW FP32, FP32");
  EXPECT_EQ(With("input", "GNHWC"), "GNHWC FP32, GKYXC FP32, GNHWK FP32, FP32");
  EXPECT_EQ(With("weight", "KYXGC"),
            "NHWGC FP32, KYXGC FP32, NHWGK FP32, FP32");
  EXPECT_EQ(With("output", "G_NHW_K_strided"),
            "G_NHW_C_strided FP32, G_K_YX_C_strided FP32, "
            "G_NHW_K_strided FP32, FP32");
}

TEST(ResolveSignatureTest, TypesAreInferredFromOneTensor) {
  EXPECT_EQ(resolved("{spatial_dim=1,weight={config={data_type=BF16}}}"),
            "NWGC BF16, GKXC BF16, NWGK BF16, FP32");
  // Two types, and no way to know which one the third tensor has.
  EXPECT_EQ(resolved("{spatial_dim=1,weight={config={data_type=BF16}},"
                     "input={config={data_type=FP16}}}"),
            "NWGC FP16, GKXC BF16, NWGK UNDEFINED_DATA_TYPE, FP32");
  EXPECT_EQ(resolved("{spatial_dim=1,data_type=I8_I8,output={config={data_type="
                     "FP32}}}"),
            "NWGC I8, GKXC I8, NWGK FP32, I32");
}

TEST(ResolveSignatureTest, OperationsAreNormalised) {
  Signature Sig = resolveSignature(
      {.spatial_dim = 2,
       .data_type = DataType::FP16,
       .elementwise_operation = ElementwiseOperation::RELU,
       .input = {.config = {},
                 .operation = {ElementwiseOperation::PASS_THROUGH}},
       .output = {.config = {},
                  .operation = Operation{
                      .elementwise_operation = ElementwiseOperation::BILINEAR,
                      .auxiliary_operand_configs = {AuxiliaryOperand{}},
                      .activation = ElementwiseOperation::TANH}}});
  EXPECT_EQ(Sig.input.operation->elementwise_operation,
            ElementwiseOperation::PASS_THROUGH);
  EXPECT_EQ(Sig.weight.operation->elementwise_operation,
            ElementwiseOperation::RELU);
  const AuxiliaryOperand &Bias =
      Sig.output.operation->auxiliary_operand_configs[0];
  EXPECT_EQ(Bias.layout, TensorLayout::GC);
  EXPECT_EQ(Bias.data_type, DataType::FP16);
  EXPECT_EQ(Bias.compute_type, DataType::FP32);
  // BILINEAR has no activation, so two of them are one.
  EXPECT_EQ(Sig.output.operation->activation, ElementwiseOperation::RELU);
}

TEST(ResolveSignatureTest, OneMeaningOneHash) {
  Signature Short{.spatial_dim = 2, .data_type = DataType::FP16};
  Signature Long{.spatial_dim = 2};
  Long.input.config = {TensorLayout::NHWGC, DataType::FP16};
  Long.weight.config = {TensorLayout::GKYXC, DataType::FP16, DataType::FP16};
  Long.output.config = {TensorLayout::NHWGK, DataType::FP16};
  Long.output.operation = {ElementwiseOperation::PASS_THROUGH};
  EXPECT_NE(hashOf(Short), hashOf(Long));
  EXPECT_EQ(hashOf(resolveSignature(Short)), hashOf(resolveSignature(Long)));
}

TEST(ResolveSignatureTest, IsIdempotent) {
  RandomValue Random(11);
  for (int I = 0; I < 2000; ++I) {
    Signature Sig = resolveSignature(Random.make<Signature>());
    ASSERT_EQ(resolveSignature(Sig), Sig) << textOf(Sig).view();
  }
}

TEST(ProblemTest, SizeOfTheOutput) {
  Problem P{.c = 3, .k = 64, .image = {224, 7}, .filter = {7, 3}};
  EXPECT_EQ(outputSize(P, 0), 218);
  EXPECT_EQ(outputSize(P, 1), 5);
  P.stride = {2, 1};
  P.pad = {{3, 3}, {0, 1}};
  EXPECT_EQ(outputSize(P, 0), 112);
  EXPECT_EQ(outputSize(P, 1), 6);
  P.dilation = {1, 4};
  EXPECT_EQ(outputSize(P, 1), 0);
  P.stride = {0, 1};
  EXPECT_EQ(outputSize(P, 0), 0);
}

} // namespace
