//===- MiopenOptionsTest.cpp - tests of MIOpenDriver's options ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options of MIOpenDriver by example, its defaults, and what is refused.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/MiopenOptions.h"

#include "kpack/ConvBuilder/Describe.h"

#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

std::string problem(std::string_view Options) {
  Result<MiopenProblem> Read = parseMiopenOptions(Options);
  return Read ? text(Read->Sizes) : Read.status().message();
}

TEST(MiopenOptionsTest, ParsesALoggedCommand) {
  Result<MiopenProblem> Read = parseMiopenOptions(
      "./bin/MIOpenDriver convfp16 -n 1 -c 64 -H 56 -W 28 -k 128 -y 3 -x 1 -p "
      "1 -q 0 -u 2 -v 1 -l 1 -j 2 -m conv -g 2 -F 4 -t 1");
  ASSERT_TRUE(Read.ok()) << Read.status().message();
  EXPECT_EQ(text(Read->Sizes),
            "{groups=2,c=32,k=64,image=[56,28],filter=[3,1],stride=[2,1],"
            "dilation=[1,2],pad=[{before=1,after=1},{}]}");
  EXPECT_EQ(Read->SpatialDim, 2);
  EXPECT_EQ(Read->Direction, ConvDirection::BACKWARD_WEIGHT);
}

TEST(MiopenOptionsTest, MissingOptionsHaveDefaults) {
  EXPECT_EQ(problem("-F 0"),
            "{batch=100,c=3,k=32,image=[32,32],filter=[3,3],stride=[1,1],"
            "dilation=[1,1],pad=[{},{}]}");
  EXPECT_FALSE(parseMiopenOptions("-F 3")->Direction);
  EXPECT_EQ(parseMiopenOptions("--forw 2")->Direction,
            ConvDirection::BACKWARD_DATA);
}

TEST(MiopenOptionsTest, ParsesThreeDimensions) {
  EXPECT_EQ(problem("--spatial_dim 3 --in_d 4 -H 5 -W 6 -@ 1 -y 2 -x 3 -# 2 "
                    "--pad_d 1 -n 1"),
            "{c=3,k=32,image=[4,5,6],filter=[1,2,3],stride=[2,1,1],"
            "dilation=[1,1,1],pad=[{before=1,after=1},{},{}]}");
  EXPECT_EQ(problem("-_ 1 -W 6 -x 3 -n 1"),
            "{c=3,k=32,image=[6],filter=[3],stride=[1],dilation=[1],pad=[{}]}");
}

TEST(MiopenOptionsTest, ErrorsNameTheOption) {
  EXPECT_EQ(problem("-n 1 -Q 2"),
            "problem: at 5: '-Q' is no option of MIOpenDriver's convolutions; "
            "give -n, -c, -H, -W, -k, ...");
  EXPECT_EQ(problem("-n 1 7"),
            "problem: at 5: '7' is no option of MIOpenDriver's convolutions; "
            "give -n, -c, -H, -W, -k, ...");
  EXPECT_EQ(problem("-n"), "problem: at 0: -n has no value; give one");
  EXPECT_EQ(problem("-n x"),
            "problem: at 3: -n: a number is expected, at most 1073741824");
  EXPECT_EQ(problem("-n 99999999999"),
            "problem: at 3: -n: a number is expected, at most 1073741824");
  EXPECT_EQ(problem("-c 5 -k 4 -g 2"),
            "problem: at 0: -c 5 and -k 4 are not divided by -g 2");
  EXPECT_EQ(problem("-g 0"),
            "problem: at 0: -c 3 and -k 32 are not divided by -g 0");
  EXPECT_EQ(problem("-m trans"), "problem: at 3: -m trans is not supported; "
                                 "convolutions with explicit padding are");
  EXPECT_EQ(problem("-z same"), "problem: at 3: -z same is not supported; "
                                "convolutions with explicit padding are");
  EXPECT_EQ(problem("--pad_val 1"),
            "problem: at 10: --pad_val 1 is not supported; leave it out");
  EXPECT_EQ(problem("-_ 4"),
            "problem: at 0: --spatial_dim is 4; give 1, 2 or 3");
}

TEST(MiopenOptionsTest, LeadingWordsAreAccepted) {
  EXPECT_EQ(parseMiopenOptions("convbfp16 -n 1")->Type, DataType::BF16);
  EXPECT_FALSE(parseMiopenOptions("conv -n 1")->Type);
  constexpr const char *Instead =
      "give {batch=1,c=64,...}, or what MIOpenDriver takes, as one word: 'conv "
      "-n 1 -c 64 ...'";
  for (const char *Word : {"connv", "nosuchfile", "pool"})
    EXPECT_EQ(problem(std::string(Word) + " -n 1"),
              "problem: at 0: '" + std::string(Word) + "' is no problem; " +
                  Instead);
  EXPECT_EQ(problem("./MIOpenDriver pool"),
            std::string("problem: at 15: 'pool' is no problem; ") + Instead);
  EXPECT_EQ(problem("conv n 2"),
            "problem: at 5: 'n' is no option of MIOpenDriver's convolutions; "
            "give -n, -c, -H, -W, -k, ...");
  EXPECT_TRUE(problem("conv -p 100000").ends_with("before: at most 65536"))
      << problem("conv -p 100000");
  EXPECT_EQ(problem("conv -n 2 -n 3"),
            "problem: at 10: -n is there twice; give it once");
}

TEST(MiopenOptionsTest, OptionsMustSuitTheSignature) {
  Signature Sig{.spatial_dim = 2, .data_type = DataType::FP16};
  auto Message = [&](const std::string &Options) {
    return problemFor(Sig, Options).status().message();
  };
  EXPECT_EQ(Message("conv -n 1"), "");
  EXPECT_EQ(Message("{batch=1,c=3,k=4}"), "");
  EXPECT_EQ(Message("convfp16 -I NHWC -f NHWC -O NHWC -F 1"), "");
  EXPECT_EQ(Message("convint8 -n 1"),
            "problem: is one of I8, the signature FP16; say conv, or change "
            "data_type");
  EXPECT_EQ(Message("conv -I NCHW"),
            "problem: has the layout NCHW for the input, the signature NHWGC, "
            "which is NHWC; leave the option out, or change the layout");
  EXPECT_EQ(Message("conv -f NCHW"),
            "problem: has the layout NCHW for the weight, the signature GKYXC, "
            "which is NHWC; leave the option out, or change the layout");
  EXPECT_EQ(Message("conv -F 2"),
            "problem: -F says BACKWARD_DATA, the signature FORWARD; leave -F "
            "out, or change the direction");
  EXPECT_EQ(Message("conv --spatial_dim 3"),
            "problem: has 3 dimensions, the signature 2; give --spatial_dim 2");
  Sig.input.config.layout = TensorLayout::NGCHW;
  Sig.weight.config.layout = TensorLayout::GKCYX;
  Sig.output.config.layout = TensorLayout::NGKHW;
  EXPECT_EQ(Message("conv -I NCHW -f NCHW -O NCHW"), "");
}

TEST(MiopenOptionsTest, OptionsAreToldFromText) {
  EXPECT_TRUE(isMiopenOptions(" -n 1"));
  EXPECT_TRUE(isMiopenOptions("MIOpenDriver conv -n 1"));
  EXPECT_FALSE(isMiopenOptions(" {batch=1}"));
  EXPECT_FALSE(isMiopenOptions(""));
}

} // namespace
