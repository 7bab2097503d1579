//===- FusionTest.cpp - tests of the rules of fusion ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of lib/JitGraph/Codegen/Fusion.h, one by one: a line a kernel.
//
//===----------------------------------------------------------------------===//
#include "GraphBench.h"

#include "JitGraph/Codegen/LowerGraph.h"

using namespace kpack;
using namespace kpack::jit;

namespace {

class FusionTest : public testing::Test {
protected:
  /// What each kernel computes.
  std::vector<std::string> kernels(const TensorRef &X,
                                   LowerOptions Options = {}) {
    B.output(X);
    Result<GraphPlan> Plan = lower(std::move(B.G), Options);
    std::vector<std::string> All;
    if (!Plan) {
      ADD_FAILURE() << Plan.status().message();
      return All;
    }
    for (const GraphNode &N : Plan->Nodes)
      All.push_back(Plan->Kernels[N.Kernel].Operations);
    Setup = Plan->Setup.size();
    return All;
  }
  Tensor<float> weights(const TensorRef &Like, int64_t Rows, int64_t Columns) {
    return constant(Tensor<float>(Like.graph(), Like.id()),
                    std::vector<float>(static_cast<size_t>(Rows * Columns), 1),
                    {Rows, Columns});
  }

  using Kernels = std::vector<std::string>;
  GraphBench B;
  Tensor<float> X =
      B.input<float>("x", {B.variable("b", 1, 8), B.variable("t", 1, 100), 64});
  size_t Setup = 0;
};

TEST_F(FusionTest, ElementwiseOperationsAreOneKernel) {
  EXPECT_EQ(kernels(exp(X * 2.0F + 1.0F)), (Kernels{"mul, add, exp"}));
}

TEST_F(FusionTest, SoftmaxIsOneKernel) {
  EXPECT_EQ(kernels(softmax(X, 2)), (Kernels{"max_of, sub, exp, sum, div"}));
}

TEST_F(FusionTest, ContractionsTakeTheirEpilogue) {
  Tensor<float> Y = matmul(X, weights(X, 64, 32));
  EXPECT_EQ(kernels(max(Y + 1.0F, 0.0F)), (Kernels{"contract, add, max"}));
}

// A cast at the end is no kernel of its own.
TEST_F(FusionTest, CastsAreInTheTail) {
  Tensor<float> Y = matmul(X, weights(X, 64, 32));
  EXPECT_EQ(kernels(cast<float16>(Y)), (Kernels{"contract, cast"}));
}

// The kernel of the result has a reduction, so the contraction gets its own.
TEST_F(FusionTest, ContractionBelowAReductionIsStored) {
  Tensor<float> Y = max(matmul(X, weights(X, 64, 16)) + 1.0F, 0.0F);
  EXPECT_EQ(kernels(Y - max_of(Y, -1, true)),
            (Kernels{"contract", "add, max, max_of, sub"}));
}

TEST_F(FusionTest, ContractionsReadStoredOperands) {
  Kernels Expected = {"exp", "contract"};
  EXPECT_EQ(kernels(matmul(exp(X), weights(X, 64, 32))), Expected);
}

// Once, before all calls; for all of the batch.
TEST_F(FusionTest, WeightsAreTurnedOnce) {
  Tensor<float> Y = matmul(X, transpose(weights(X, 32, 64), 0, 1));
  EXPECT_EQ(kernels(Y), (Kernels{"contract"}));
  EXPECT_EQ(Setup, 1U);
}

// What costs next to nothing is computed by all who need it.
TEST_F(FusionTest, CheapOperandsAreRecomputed) {
  Tensor<float> Cheap = X + 1.0F;
  Kernels Two = {"add, mul, sum", "add, sum"};
  B.output(sum(Cheap * Cheap, 1));
  EXPECT_EQ(kernels(sum(Cheap, 1)), Two);
}
TEST_F(FusionTest, ExpensiveOperandsAreStored) {
  Tensor<float> Dear = exp(X);
  Kernels Three = {"exp", "mul, sum", "sum"};
  B.output(sum(Dear * Dear, 1));
  EXPECT_EQ(kernels(sum(Dear, 1)), Three);
}

// A window has an element many times: it is not computed as often.
TEST_F(FusionTest, WindowsReadStoredOperands) {
  Tensor<float> Windows = window(exp(X), 1, 1, 1);
  Kernels Two = {"exp", "sum"};
  EXPECT_EQ(kernels(sum(Windows, 3)), Two);
}

TEST_F(FusionTest, UnfusedIsAKernelAnOperation) {
  LowerOptions Options;
  Options.Fuse = false;
  Kernels Three = {"mul", "add", "exp"};
  EXPECT_EQ(kernels(exp(X * 2.0F + 1.0F), Options), Three);
}

TEST_F(FusionTest, TheSameGraphGivesTheSameText) {
  B.output(softmax(X, 2));
  Result<GraphPlan> First = lower(std::move(B.G));
  GraphBench Other;
  Dim Rows = Other.variable("b", 1, 8), Times = Other.variable("t", 1, 100);
  Tensor<float> Y = Other.input<float>("x", {Rows, Times, 64});
  Other.output(softmax(Y, 2));
  Result<GraphPlan> Second = lower(std::move(Other.G));
  ASSERT_TRUE(First.ok() && Second.ok());
  EXPECT_EQ(First->Source, Second->Source);
}

// Layers of a network that are alike are one kernel, called twice.
TEST_F(FusionTest, EqualKernelsAreWrittenOnce) {
  Tensor<float> Y =
      exp(matmul(exp(matmul(X, weights(X, 64, 64))), weights(X, 64, 64)));
  B.output(Y);
  Result<GraphPlan> Plan = lower(std::move(B.G));
  ASSERT_TRUE(Plan.ok());
  EXPECT_EQ(Plan->Nodes.size(), 2U);
  EXPECT_EQ(Plan->Kernels.size(), 1U);
}

} // namespace
