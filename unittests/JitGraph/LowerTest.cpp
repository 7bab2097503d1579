//===- LowerTest.cpp - tests of the kernels of unusual graphs -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs in which choices meet: views that are stored for two reasons, loops in
// loops, outputs that do not depend on inputs, numbers at the end of a type.
//
//===----------------------------------------------------------------------===//
#include "ReplayCompare.h"
#include "TracedTest.h"

#include "kpack/JitGraph/GraphError.h"
#include "kpack/JitGraph/Layers.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

class LowerTest : public TracedTest {
protected:
  /// Calls with these values of variables, with all kernels and with few.
  void check(std::vector<std::vector<int64_t>> Calls = {{}},
             std::optional<std::vector<double>> Elements = {}) {
    Result<std::unique_ptr<Replay>> Prepared =
        prepareToCompare(std::move(G), true);
    ASSERT_TRUE(Prepared.ok()) << Prepared.status().message();
    for (const std::vector<int64_t> &Values : Calls) {
      std::vector<ReferenceTensor> Inputs =
          randomInputs((*Prepared)->plan().Ops, Values, 3);
      if (Elements)
        Inputs[0].Elements = *Elements;
      compareWithReference(**Prepared, Values, Inputs);
    }
  }
};

// What one contraction wants to be stored another one reads, too.
TEST_F(LowerTest, ContractionsShareAView) {
  Tensor<float> X = input("x", {number(6), number(8)});
  Tensor<float> Turned = transpose(X, 0, 1);
  Tensor<float> Back =
      matmul(input("a", {number(3), number(6)}), transpose(Turned, 0, 1));
  output(matmul(input("b", {number(3), number(8)}), Turned));
  output(Back);
  check();
}

TEST_F(LowerTest, ViewsMayBeOutputs) {
  Tensor<float> X = input("x", {number(4), number(20)});
  Tensor<float> Turned = transpose(X, 0, 1);
  output(Turned);
  output(matmul(input("a", {number(3), number(4)}),
                transpose(slice(Turned, 0, 0, 18), 0, 1)));
  check();
}

TEST_F(LowerTest, PermutedViewsMayBeOutputs) {
  Dim T = variable("t", 1, 9);
  Tensor<float> X = input("x", {T, number(4), number(6)});
  Tensor<float> Heads = permute(X, {1, 0, 2});
  Tensor<float> Back = reshape(permute(Heads, {1, 0, 2}), {T, 24});
  output(Heads);
  output(matmul(Back, input("w", {number(24), number(5)})));
  output(matmul(transpose(Heads, 1, 2), Heads));
  check({{9}, {3}, {1}});
}

// The inner reduction has another value for each step of the outer one.
TEST_F(LowerTest, ReductionsInReductions) {
  Dim T = variable("t", 1, 40);
  Tensor<float> X = input("x", {T, T});
  output(sum(softmax(X, 1), 0));
  output(X + transpose(expand(sum(X, 1, true), {T, T}), 0, 1));
  check({{40}, {3}, {1}});
}

// Whole tiles and what is left of them, in rows and in columns, whatever
// vectors this machine has.
TEST_F(LowerTest, ContractionsOfAllSizes) {
  Dim T = variable("t", 1, 14);
  Tensor<float> X = input("x", {T, number(5)});
  for (int64_t Columns : {1, 3, 15, 16, 17, 31, 64, 65, 80, 130}) {
    std::string Name = "w" + std::to_string(Columns);
    output(matmul(X, input(Name.c_str(), {number(5), number(Columns)})) * 0.5F +
           1);
  }
  check({{14}, {12}, {6}, {7}, {1}});
}

TEST_F(LowerTest, WeightsAreNotCopied) {
  Tensor<float> X = input("x", {number(2), number(3)});
  output(X + constant(X, std::vector<float>{1, 2, 3}, {3}));
  const std::byte *Given = G.constants()[0].Bytes.data();
  Result<GraphPlan> Plan = lower(std::move(G));
  ASSERT_TRUE(Plan.ok());
  EXPECT_EQ(Plan->Ops.constants()[0].Bytes.data(), Given);
  EXPECT_EQ(Plan->Weights[0].Bytes.data(), Given);
}

TEST_F(LowerTest, OutputsOfWeights) {
  Tensor<float> X = input("x", {number(2), number(3)});
  Tensor<float> Fixed =
      softmax(constant(X, std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3}), 1);
  output(Fixed);
  output(X * sum(Fixed, 0, true));
  check();
}

// As a text grows twice as long with each step, or does not.
TEST_F(LowerTest, ChainedViewsStaySmall) {
  Dim T = variable("t", 8, 16);
  Tensor<float> X = input("x", {T});
  for (int Step = 0; Step < 16; ++Step)
    X = (X + pad(slice(X, 0, 1, T - 1), 0, 1, 0)) * 0.5F;
  output(X);
  Result<GraphPlan> Plan = lower(std::move(G));
  ASSERT_TRUE(Plan.ok());
  EXPECT_LT(Plan->Source.size(), 100000U);
}

TEST_F(LowerTest, NumbersAtTheEndOfTheirType) {
  Tensor<float> X = input("x", {number(6)});
  output(cast<int32_t>(X));
  output(cast<uint8_t>(X));
  output(-full<float>(X, {6}, -INFINITY));
  output(-full<float>(X, {6}, -0.0F));
  check({{}}, std::vector<double>{NAN, INFINITY, -INFINITY, 3e9, -5, 300});
}

TEST_F(LowerTest, IntegersWrap) {
  Tensor<int32_t> X = input<int32_t>("x", {number(4)});
  output(X + 1 < X);
  output(abs(X) < 0);
  check({{}}, std::vector<double>{2147483647, 1, -2147483648.0, 5});
}

// What is done in tiles, lanes and panels has rests of all sizes. Kernels stop
// where they do what C++ does not define.
TEST_F(LowerTest, IndivisibleSizesAreRight) {
  Dim T = variable("t", 1, 131), B = variable("b", 1, 5);
  Tensor<float> X = input("x", {B, T, number(7)});
  Tensor<float> W = input("w", {number(7), number(13)});
  Tensor<float> Y = relu(matmul(X, W)) + 1.0F;
  output(Y);
  output(softmax(matmul(Y, transpose(Y, 1, 2)), 2));
  output(layer_norm(X, Tensor<float>(), Tensor<float>(), 0.1));
  output(max_of(window(pad(X, 1, 1, 1), 1, 3, 2), 3));
  output(sum(X * X, 1));
  output(cast<uint8_t>(argmax(X, 1)));
  PrepareConfig Config = compareConfig(true);
  if (Config.where == GraphTarget::Cpu)
    for (const char *Flag :
         {"-fsanitize=undefined", "-fsanitize-trap=undefined"})
      Config.flags.push_back(Flag);
  Result<std::unique_ptr<Replay>> Prepared =
      prepareToCompare(std::move(G), true, Config);
  ASSERT_TRUE(Prepared.ok()) << Prepared.status().message();
  uint32_t Seed = 0;
  for (int64_t Times : {1, 2, 3, 5, 7, 11, 13, 17, 31, 61, 97, 127, 131})
    for (int64_t Batch : {1, 3, 5}) {
      std::vector<int64_t> Values = {Times, Batch};
      SCOPED_TRACE(std::to_string(Batch) + " by " + std::to_string(Times));
      compareWithReference(
          **Prepared, Values,
          randomInputs((*Prepared)->plan().Ops, Values, ++Seed));
      ASSERT_FALSE(HasFailure());
    }
}

// Without an error there would be elements behind the end.
TEST_F(LowerTest, GuardsAreChecked) {
  Dim A = variable("a", 1, 100), B = variable("b", 1, 8);
  Tensor<float> X = input("x", {A}), Y = input("y", {B});
  assume_eq(G, A, B);
  output(X + Y);
  Result<std::unique_ptr<Replay>> Prepared =
      prepareToCompare(std::move(G), true);
  ASSERT_TRUE(Prepared.ok()) << Prepared.status().message();
  Replay::Turn Turn(**Prepared);
  EXPECT_EQ(graphErrorOf((*Prepared)->run()), GraphErrc::ShapeMismatch)
      << "the upper bounds are not equal";
  std::optional<int64_t> Equal[] = {5, 5}, Other[] = {5, 6};
  EXPECT_TRUE((*Prepared)->bind(Equal, {}).ok());
  Status Refused = (*Prepared)->bind(Other, {});
  EXPECT_EQ(graphErrorOf(Refused), GraphErrc::ShapeMismatch);
  EXPECT_EQ(Refused.message(),
            "a and b: are assumed to be equal, and are 5 and 6; call with "
            "values that make them so");
  EXPECT_TRUE((*Prepared)->run().ok()) << "as before";
}

} // namespace
