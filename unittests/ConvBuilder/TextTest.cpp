//===- TextTest.cpp - tests of descriptors as text and back ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short and full texts by example, every value there and back, hashes, and what
// is said about texts that are none. Each example is compiled twice: as a
// constant and at run time.
//
//===----------------------------------------------------------------------===//
#include "RandomValue.h"

#include "kpack/ConvBuilder/Hash.h"
#include "kpack/ConvBuilder/Problem.h"
#include "kpack/ConvBuilder/Text.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace kpack::conv;

namespace {

constexpr Signature Example{
    .spatial_dim = 2,
    .data_type = DataType::FP16,
    .input = {{TensorLayout::NHWGC}},
    .weight = {{TensorLayout::GKYXC}},
    .output = {.config = {TensorLayout::NHWGK},
               .operation = {ElementwiseOperation::RELU}}};

constexpr Algorithm Tiled{.kind = Kind::IMPLICIT_GEMM,
                          .isa = Isa::MFMA,
                          .tile = {128, 128, 32},
                          .wave = WaveTile{{2, 2, 1}, {32, 32, 8}}};

template <typename T>
std::string text(const T &Value, TextForm Form = TextForm::Short) {
  FixedText<MaxText> Text = textOf(Value, Form);
  EXPECT_FALSE(Text.overflowed());
  return std::string(Text.view());
}

template <typename T> constexpr bool comesBack(const T &Value, TextForm Form) {
  T Read;
  return !parseText(textOf(Value, Form).view(), Read).failed() && Read == Value;
}

static_assert(comesBack(Example, TextForm::Short));
static_assert(comesBack(Tiled, TextForm::Full));
static_assert(textOf(Tiled).view() ==
              "{kind=IMPLICIT_GEMM,isa=MFMA,tile={m=128,n=128,k=32},"
              "wave={waves={m=2,n=2,k=1},instr={m=32,n=32,k=8}}}");
// As template arguments, too, with both spellings of a part.
template <Signature, Algorithm> struct Instance {};
static_assert(
    std::is_same_v<Instance<Example, Tiled>,
                   Instance<Example, Algorithm{.kind = Kind::IMPLICIT_GEMM,
                                               .isa = Isa::MFMA,
                                               .tile = MNK{128, 128, 32},
                                               .wave = WaveTile{
                                                   {2, 2, 1}, {32, 32, 8}}}>>);

TEST(ConvTextTest, ShortFormOmitsDefaults) {
  EXPECT_EQ(text(Signature{}), "{}");
  EXPECT_EQ(text(Example),
            "{spatial_dim=2,data_type=FP16,input={config={layout=NHWGC}},"
            "weight={config={layout=GKYXC}},output={config={layout=NHWGK},"
            "operation={elementwise_operation=RELU}}}");
  // A part that is there is said to be, with nothing in it, too.
  EXPECT_EQ(text(Algorithm{.pipeline = Pipeline{}}), "{pipeline={}}");
  EXPECT_EQ(text(Algorithm{.a = Operand{.cluster_order = {1, 0, 2}}}),
            "{a={cluster_order=[1,0,2]}}");
}

TEST(ConvTextTest, FullFormHasEveryField) {
  EXPECT_EQ(text(Tiled, TextForm::Full),
            "{schema=1,kind=IMPLICIT_GEMM,isa=MFMA,block_size=0,"
            "tile={m=128,n=128,k=32},wave={waves={m=2,n=2,k=1},"
            "instr={m=32,n=32,k=8}},specialization=DEFAULT}");
  EXPECT_EQ(text(Operation{.auxiliary_operand_configs = {{TensorLayout::GC}}},
                 TextForm::Full),
            "{schema=1,elementwise_operation=PASS_THROUGH,"
            "auxiliary_operand_configs=[{layout=GC,"
            "data_type=UNDEFINED_DATA_TYPE,compute_type=UNDEFINED_DATA_TYPE,"
            "elementwise_operation=PASS_THROUGH}],activation=RELU,chain=[]}");
}

template <typename T> void everyValueComesBack(unsigned Count) {
  RandomValue Random(Count);
  for (unsigned I = 0; I < Count; ++I) {
    T Value = Random.make<T>(), Read;
    for (TextForm Form : {TextForm::Short, TextForm::Full}) {
      std::string Text = text(Value, Form);
      TextError Error = parseText(Text, Read);
      ASSERT_FALSE(Error.failed()) << Text << Error.Message.view();
      ASSERT_EQ(Read, Value) << Text;
      ASSERT_EQ(text(Read, Form), Text);
    }
  }
}

TEST(ConvTextTest, RandomValuesRoundTrip) {
  everyValueComesBack<Signature>(5000);
  everyValueComesBack<Algorithm>(5000);
  everyValueComesBack<Problem>(1000);
}

TEST(ConvTextTest, LongestValuesRoundTrip) {
  EXPECT_TRUE(comesBack(LongestValue::make<Signature>(), TextForm::Full));
  EXPECT_TRUE(comesBack(LongestValue::make<Algorithm>(), TextForm::Full));
  EXPECT_TRUE(comesBack(LongestValue::make<Problem>(), TextForm::Full));
}

TEST(ConvTextTest, AnyOrderAndWhiteSpace) {
  Signature Read;
  EXPECT_FALSE(
      parseText(" { data_type = FP16 ,\n\tspatial_dim= 2, schema=1 } ", Read)
          .failed());
  EXPECT_EQ(Read, (Signature{.spatial_dim = 2, .data_type = DataType::FP16}));
  Algorithm Split;
  EXPECT_FALSE(
      parseText("{split={two_stage=true,index64=false}}", Split).failed());
  EXPECT_EQ(text(Split), "{split={two_stage=1}}");
}

/// "OFFSET: message" of a signature's text.
std::string error(std::string_view Text) {
  Signature Read;
  TextError Error = parseText(Text, Read);
  if (!Error.failed())
    return "none";
  EXPECT_FALSE(Error.Message.overflowed());
  return std::to_string(Error.Offset) + ": " +
         std::string(Error.Message.view());
}

TEST(ConvTextTest, ErrorsNameTheOffset) {
  EXPECT_EQ(error("{spatial_dim=2,inptu={}}"),
            "15: 'inptu' is no field; did you mean input?");
  EXPECT_EQ(error("{data_type=fp16}"),
            "11: data_type: 'fp16' is no data type; did you mean FP16?");
  EXPECT_EQ(error("{input={config={layout=NHWGG}}}"),
            "23: layout: 'NHWGG' is no layout; did you mean NHWGC?");
  EXPECT_EQ(error("{data_type=quaternion}"),
            "11: data_type: 'quaternion' is no data type");
  EXPECT_EQ(error("{spatial_dim=4}"), "13: spatial_dim: at most 3");
  EXPECT_EQ(error("{spatial_dim=99999999999999999999}"),
            "13: spatial_dim: at most 3");
  EXPECT_EQ(error("{spatial_dim=-1}"), "13: spatial_dim: a number is expected");
  EXPECT_EQ(error("{spatial_dim=1,spatial_dim=1}"),
            "15: spatial_dim: is given twice");
  EXPECT_EQ(error("{schema=1,schema=1}"), "10: schema: is given twice");
  EXPECT_EQ(error("{schema=2}"), "1: schema: 2 is not known; 1 is");
  EXPECT_EQ(error("{input={schema=1}}"), "8: 'schema' is no field");
  EXPECT_EQ(error(""), "0: '{' is expected at the start of a value");
  EXPECT_EQ(error("{"), "1: the name of a field is expected");
  EXPECT_EQ(error("{spatial_dim}"),
            "12: '=' is expected behind the name of a field");
  EXPECT_EQ(error("{spatial_dim=2"),
            "14: '}' is expected at the end of a value");
  EXPECT_EQ(error("{} {}"), "3: something stands behind the value");
  EXPECT_EQ(error(std::string_view("{}\0", 3)),
            "2: something stands behind the value");
  EXPECT_EQ(error(std::string(MaxText + 1, ' ')),
            "4096: a text of more than 4096 bytes");
  EXPECT_EQ(error("{output={operation={chain=[RELU,RELU,RELU,RELU,RELU]}}}"),
            "47: chain: at most 4 values");
  EXPECT_EQ(error("{output={operation={chain=[RELU}}}"),
            "31: ']' is expected at the end of a list");
  EXPECT_EQ(error("{" + std::string(2000, 'x') + "=1}"),
            "1: '" + std::string(48, 'x') + "' is no field");
}

TEST(ConvTextTest, FixedTextKeepsItsBounds) {
  FixedText<4> Text("abcdef");
  EXPECT_TRUE(Text.overflowed());
  EXPECT_EQ(Text.view(), "abcd");
  Text << 12;
  EXPECT_EQ(Text.view(), "abcd");
  FixedText<24> Digits;
  Digits << -9223372036854775807ll - 1;
  EXPECT_EQ(Digits.view(), "-9223372036854775808");
}

TEST(ConvHashTest, EveryFieldCounts) {
  std::set<uint64_t> Hashes;
  std::set<std::string> Texts;
  RandomValue Random(7);
  for (int I = 0; I < 20000; ++I) {
    Algorithm Value = Random.make<Algorithm>();
    Texts.insert(text(Value));
    Hashes.insert(hashOf(Value));
  }
  EXPECT_EQ(Hashes.size(), Texts.size());
}

// Names of kernels are made of it: these may never change.
TEST(ConvHashTest, HashesNeverChange) {
  static_assert(hashOf(Example) != hashOf(Signature{}));
  constexpr uint64_t WhileCompiling = hashOf(Tiled);
  EXPECT_EQ(hashOf(Tiled), WhileCompiling);
  EXPECT_EQ(hashOf(Example), 646973733292534799u);
  EXPECT_EQ(hashOf(Tiled), 5479251499783508282u);
}

} // namespace
