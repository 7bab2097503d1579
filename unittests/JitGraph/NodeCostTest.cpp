//===- NodeCostTest.cpp - tests of counted bytes and operations -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counted by hand, at two sizes each: what a result needs, once.
//
//===----------------------------------------------------------------------===//
#include "TracedTest.h"

#include "JitGraph/Codegen/LowerGraph.h"
#include "JitGraph/Sizes/DimProgram.h"
#include "kpack/JitGraph/Ops.h"

#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

class NodeCostTest : public TracedTest {
protected:
  /// Of the kernels that compute \p X.
  void lowerTo(const TensorRef &X, bool Fuse = true) {
    ASSERT_TRUE(G.status().ok()) << G.status().message();
    G.addOutput("y", X.id());
    LowerOptions Options;
    Options.Fuse = Fuse;
    Result<GraphPlan> Lowered = lower(std::move(G), Options);
    ASSERT_TRUE(Lowered.ok()) << Lowered.status().message();
    Plan = std::move(*Lowered);
  }
  using Costs = std::vector<std::pair<int64_t, int64_t>>;
  /// Bytes and flops of each kernel.
  Costs at(std::vector<int64_t> Values) const {
    Costs All;
    for (const GraphNode &N : Plan.Nodes)
      All.push_back({valueOf(N.Bytes, Values), valueOf(N.Flops, Values)});
    return All;
  }

  GraphPlan Plan;
};

TEST_F(NodeCostTest, ElementByElement) {
  Dim T = variable("t", 1, 100);
  Tensor<float> X = input("x", {T, number(8)});
  lowerTo(exp(X) * X + 1.0F);
  EXPECT_EQ(at({100}), (Costs{{2 * 4 * 800, 3 * 800}}));
  EXPECT_EQ(at({7}), (Costs{{2 * 4 * 56, 3 * 56}}));
}

TEST_F(NodeCostTest, BroadcastOperandsAreReadOnce) {
  Dim T = variable("t", 1, 100);
  Tensor<float> X = input("x", {T, number(8)}), Row = input("r", {number(8)});
  lowerTo(X + Row);
  EXPECT_EQ(at({100}), (Costs{{2 * 4 * 800 + 32, 800}}));
  EXPECT_EQ(at({3}), (Costs{{2 * 4 * 24 + 32, 24}}));
}

TEST_F(NodeCostTest, CastsAreNoOperations) {
  lowerTo(cast<float16>(input("x", {number(50)})));
  EXPECT_EQ(at({}), (Costs{{50 * 4 + 50 * 2, 0}}));
}

TEST_F(NodeCostTest, SoftmaxIsCounted) {
  Dim B = variable("b", 1, 8), T = variable("t", 1, 100);
  lowerTo(softmax(input("x", {B, T}), 1));
  // The largest, the difference, exp, the sum, the quotient.
  EXPECT_EQ(at({8, 100}), (Costs{{2 * 4 * 800, 5 * 800}}));
  EXPECT_EQ(at({3, 11}), (Costs{{2 * 4 * 33, 5 * 33}}));
}

TEST_F(NodeCostTest, UnfusedOperationsAreCounted) {
  Dim B = variable("b", 1, 8), T = variable("t", 1, 100);
  lowerTo(softmax(input("x", {B, T}), 1), false);
  EXPECT_EQ(at({3, 11}), (Costs{{33 * 4 + 3 * 4, 33},
                                {33 * 8 + 3 * 4, 33},
                                {33 * 8, 33},
                                {33 * 4 + 3 * 4, 33},
                                {33 * 8 + 3 * 4, 33}}));
}

TEST_F(NodeCostTest, ProductsOfMatrices) {
  Dim B = variable("b", 1, 8), T = variable("t", 1, 100);
  Tensor<float> X = input("x", {B, T, number(16)});
  Tensor<float> W = input("w", {number(16), number(24)});
  lowerTo(relu(matmul(X, W) + input("bias", {number(24)})));
  // A product and a sum each, the bias, and a comparison with 0.
  auto Cost = [](int64_t Rows) {
    return Costs{{4 * (Rows * 16 + 16 * 24 + 24 + Rows * 24),
                  2 * Rows * 16 * 24 + 2 * Rows * 24}};
  };
  EXPECT_EQ(at({8, 100}), Cost(800));
  EXPECT_EQ(at({2, 13}), Cost(26));
}

TEST_F(NodeCostTest, SlicesReadOnlyTheirPart) {
  Dim T = variable("t", 2, 100);
  Tensor<float> X = input("x", {T, number(8)});
  lowerTo(slice(X, 1, 0, 3) * slice(X, 1, 4, 3));
  EXPECT_EQ(at({100}), (Costs{{4 * (600 + 300), 300}}));
  EXPECT_EQ(at({5}), (Costs{{4 * (30 + 15), 15}}));
}

TEST_F(NodeCostTest, OverlappingSlicesReadAtMostAll) {
  Dim T = variable("t", 2, 100);
  Tensor<float> X = input("x", {T});
  lowerTo(slice(X, 0, 1, T - 1) - slice(X, 0, 0, T - 1));
  EXPECT_EQ(at({100}), (Costs{{4 * (100 + 99), 99}}));
  EXPECT_EQ(at({2}), (Costs{{4 * (2 + 1), 1}}));
}

TEST_F(NodeCostTest, ViewsOfViews) {
  Dim T = variable("t", 1, 100);
  Tensor<float> X = input("x", {T, number(4), number(6)});
  Tensor<float> Y = reshape(permute(slice(X, 1, 1, 2), {1, 0, 2}), {2, T, 6});
  lowerTo(-reshape(Y, {T * 2, 6}));
  EXPECT_EQ(at({100}), (Costs{{4 * 2 * 1200, 1200}}));
  EXPECT_EQ(at({9}), (Costs{{4 * 2 * 108, 108}}));
}

TEST_F(NodeCostTest, WindowsAndPads) {
  Dim T = variable("t", 8, 100);
  Tensor<float> X = input("x", {T, number(2)});
  lowerTo(max_of(window(pad(X, 0, 1, 1), 0, 3, 2), 2));
  // Windows of 3 every 2 of t + 2: all but one that is left over.
  auto Cost = [](int64_t T) {
    int64_t Many = (T + 2 - 3) / 2 + 1, Read = 2 * Many + 1;
    return Costs{{4 * 2 * (Many + std::min(Read, T)), 2 * 3 * Many}};
  };
  EXPECT_EQ(at({100}), Cost(100));
  EXPECT_EQ(at({9}), Cost(9));
}

TEST_F(NodeCostTest, ConcatenationsAreCounted) {
  Dim T = variable("t", 1, 100);
  Tensor<float> X = input("x", {T, number(3)}), Y = input("y", {T, number(5)});
  lowerTo(-cat({X, Y}, 1));
  EXPECT_EQ(at({100}), (Costs{{2 * 4 * 800, 800}}));
  EXPECT_EQ(at({4}), (Costs{{2 * 4 * 32, 32}}));
}

TEST_F(NodeCostTest, PartsOfConcatenationsReadTheirOperandsPart) {
  Dim T = variable("t", 1, 100);
  Tensor<float> X = input("x", {T, number(3)}), Y = input("y", {T, number(5)}),
                Z = input("z", {T, number(9)});
  // Column 2 of x, all of y, columns 0 and 1 of z.
  lowerTo(slice(cat({exp(X), Y, Z}, 1), 1, 2, 8));
  EXPECT_EQ(at({100}), (Costs{{2 * 4 * 800, 100}}));
  EXPECT_EQ(at({4}), (Costs{{2 * 4 * 32, 4}}));
}

TEST_F(NodeCostTest, OperandsOutsideOfAPartAreNotRead) {
  Dim T = variable("t", 4, 100);
  Tensor<float> X = input("x", {T}), Y = input("y", {T});
  lowerTo(slice(cat({exp(X), exp(Y)}, 0), 0, 1, T - 1));
  EXPECT_EQ(at({100}), (Costs{{2 * 4 * 99, 99}}));
  EXPECT_EQ(at({4}), (Costs{{2 * 4 * 3, 3}}));
}

TEST_F(NodeCostTest, PartsOfPadsReadTheirOperandsPart) {
  Dim T = variable("t", 4, 100);
  Tensor<float> X = input("x", {T});
  // 5 zeros, then 3 elements.
  lowerTo(slice(pad(X, 0, 5, 7), 0, 0, 8));
  EXPECT_EQ(at({100}), (Costs{{4 * (8 + 3), 0}}));
  EXPECT_EQ(at({4}), (Costs{{4 * (8 + 3), 0}}));
}

TEST_F(NodeCostTest, PaddingAloneReadsNothing) {
  Dim T = variable("t", 4, 100);
  Tensor<float> X = input("x", {T});
  lowerTo(slice(pad(X, 0, 2, 7), 0, T + 3, 4));
  EXPECT_EQ(at({100}), (Costs{{4 * 4, 0}}));
  EXPECT_EQ(at({4}), (Costs{{4 * 4, 0}}));
}

TEST_F(NodeCostTest, PartsOfWindowsOverlap) {
  Dim T = variable("t", 4, 100), S = variable("s", 0, 4);
  Tensor<float> X = input("x", {T}), Y = input("y", {T, number(3)});
  lowerTo(slice(cat({window(X, 0, 3, 1), Y}, 0), 0, S, 2));
  // Two windows, one window and one row of y, two rows of y.
  EXPECT_EQ(at({100, 1}), (Costs{{4 * (4 + 6), 0}}));
  EXPECT_EQ(at({4, 1}), (Costs{{4 * (3 + 3 + 6), 0}}));
  EXPECT_EQ(at({4, 2}), (Costs{{4 * (6 + 6), 0}}));
}

// Elements 0, 1, 4, 5 and so on, of both operands.
TEST_F(NodeCostTest, WindowsWithGapsAreLimited) {
  Dim T = variable("t", 8, 100);
  Tensor<float> X = input("x", {T}), Y = input("y", {T});
  lowerTo(max_of(window(cat({X, Y}, 0), 0, 2, 4), 1));
  auto Read = [&](int64_t T) {
    int64_t Many = (2 * T - 2) / 4 + 1;
    return std::pair(at({T})[0].first - 4 * Many, 4 * 2 * Many);
  };
  for (int64_t T : {8, 9, 50, 100}) {
    auto [Counted, Exact] = Read(T);
    EXPECT_GE(Counted, Exact);
    EXPECT_LE(Counted, 4 * 2 * T);
  }
}

// A plan is not refused because nobody can count that far.
TEST_F(NodeCostTest, OverflowingCostsAreUnknown) {
  Dim B = variable("b", 1, 1 << 30);
  Tensor<float> X = input("x", {B, number(1 << 20)});
  lowerTo(matmul(X, input("w", {number(1 << 20), number(1 << 20)})));
  EXPECT_TRUE(Plan.Nodes[0].Bytes.valid());
  EXPECT_FALSE(Plan.Nodes[0].Flops.valid());
}

TEST_F(NodeCostTest, CopiesComputeNothing) {
  Tensor<float> X = input("x", {number(10)});
  lowerTo(X);
  EXPECT_EQ(at({}), (Costs{{80, 0}}));
}

} // namespace
