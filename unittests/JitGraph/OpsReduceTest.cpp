//===- OpsReduceTest.cpp - tests of reductions over one axis --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions against loops, along a fixed axis and along one of t elements.
//
//===----------------------------------------------------------------------===//
#include "GraphBench.h"

using namespace kpack;
using namespace kpack::jit;

namespace {

constexpr int64_t AllTimes[] = {1, 2, 37};

class OpsReduceTest : public testing::Test {
protected:
  OpsReduceTest()
      : T(B.variable("t", 1, 37)), X(B.input<float>("x", {3, T, 5})) {}

  /// F(output's element, elements of a row) for each row of \p Axis.
  template <typename F> void rows(size_t Output, int64_t Axis, F Check) {
    for (int64_t Times : AllTimes) {
      B.run({Times});
      Array In = B.in(0);
      const Array &Out = B.out(Output);
      int64_t Extents[] = {3, Times, 5};
      ASSERT_EQ(Out.Shape.size(), 2U);
      for (int64_t I = 0; I < Out.Shape[0]; ++I)
        for (int64_t J = 0; J < Out.Shape[1]; ++J) {
          std::vector<double> Row;
          for (int64_t K = 0; K < Extents[Axis]; ++K)
            Row.push_back(Axis == 0   ? In(K, I, J)
                          : Axis == 1 ? In(I, K, J)
                                      : In(I, J, K));
          Check(Out(I, J), Row);
        }
    }
  }

  GraphBench B;
  Dim T;
  Tensor<float> X;
};

double computeSum(const std::vector<double> &Row) {
  double Sum = 0;
  for (double V : Row)
    Sum += V;
  return Sum;
}

TEST_F(OpsReduceTest, ReductionsWorkOnEveryAxis) {
  for (int64_t Axis : {0, 1, 2}) {
    size_t First = B.G.outputs().size();
    B.output(sum(X, Axis));
    B.output(max_of(X, Axis - 3));
    B.output(mean(X, Axis));
    B.output(argmax(X, Axis));
    rows(First, Axis, [](double V, const std::vector<double> &Row) {
      ASSERT_EQ(V, computeSum(Row));
    });
    rows(First + 1, Axis, [](double V, const std::vector<double> &Row) {
      ASSERT_EQ(V, *std::max_element(Row.begin(), Row.end()));
    });
    rows(First + 2, Axis, [](double V, const std::vector<double> &Row) {
      ASSERT_NEAR(V, computeSum(Row) / static_cast<double>(Row.size()), 1e-12);
    });
    rows(First + 3, Axis, [](double V, const std::vector<double> &Row) {
      ASSERT_EQ(V, std::max_element(Row.begin(), Row.end()) - Row.begin());
    });
  }
}

TEST_F(OpsReduceTest, AxesThatStay) {
  B.output(sum(X, 1, true));
  B.output(mean(X, 1, true));
  B.output(argmax(X, -1, true));
  B.output(X - max_of(X, 0, true));
  B.run({4});
  EXPECT_EQ(B.out(0).Shape, (Index{3, 1, 5}));
  EXPECT_EQ(B.out(1).Shape, (Index{3, 1, 5}));
  EXPECT_EQ(B.out(2).Shape, (Index{3, 4, 1}));
  EXPECT_EQ(B.out(3).Shape, (Index{3, 4, 5}));
}

TEST_F(OpsReduceTest, ArgmaxTakesTheFirst) {
  Tensor<int32_t> N = B.input<int32_t>("n", {3, 4});
  B.set(1, {5, 7, 7, 1, -3, -3, -3, -3, 0, 0, 0, 1});
  B.output(argmax(N, 1));
  B.output(argmax(N, 0));
  B.run({1});
  EXPECT_EQ(B.out(0).Elements, (std::vector<double>{1, 0, 3}));
  EXPECT_EQ(B.out(1).Elements, (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(B.out(0).Type, ElementType::Int32);
}

// Of rows in which nothing is equal to the greatest element there is an index,
// too: kernels that are not exact may make such.
TEST_F(OpsReduceTest, ArgmaxOfNoNumbers) {
  B.output(argmax(X, 2));
  B.set(0, std::vector<double>(3 * 37 * 5, std::nan("")));
  B.run({37});
  for (double V : B.out(0).Elements)
    ASSERT_TRUE(V >= 0 && V < 5);
}

TEST_F(OpsReduceTest, SoftmaxOfLargeValues) {
  Tensor<float> Y = B.input<float>("y", {2, 4});
  B.set(1, {1e30, 1e30, -1e30, 0, 1000, 999, 998, -1000});
  B.output(softmax(Y));
  B.output(log_softmax(Y));
  B.run({1});
  EXPECT_EQ(B.out(0)(0, 0), 0.5);
  EXPECT_EQ(B.out(0)(0, 2), 0);
  double Sum = 1 + std::exp(-1) + std::exp(-2);
  for (int I = 0; I < 3; ++I) {
    EXPECT_NEAR(B.out(0)(1, I), std::exp(-I) / Sum, 1e-15);
    EXPECT_NEAR(B.out(1)(1, I), -I - std::log(Sum), 1e-15);
  }
  EXPECT_NEAR(B.out(1)(1, 3), -2000 - std::log(Sum), 1e-9);
}

TEST_F(OpsReduceTest, SoftmaxAlongTime) {
  B.output(softmax(X, 1));
  B.output(exp(log_softmax(X, 1)));
  for (int64_t Times : AllTimes) {
    B.run({Times});
    Array In = B.in(0);
    for (int64_t I = 0; I < 3; ++I)
      for (int64_t K = 0; K < 5; ++K) {
        double Sum = 0;
        for (int64_t J = 0; J < Times; ++J)
          Sum += std::exp(In(I, J, K));
        for (int64_t J = 0; J < Times; ++J) {
          ASSERT_NEAR(B.out(0)(I, J, K), std::exp(In(I, J, K)) / Sum, 1e-14);
          ASSERT_NEAR(B.out(1)(I, J, K), std::exp(In(I, J, K)) / Sum, 1e-14);
        }
      }
  }
}

TEST_F(OpsReduceTest, LayerNormIsAccurate) {
  Tensor<float> Gamma = B.input<float>("gamma", {5});
  Tensor<float> Beta = B.input<float>("beta", {5});
  // A large mean: one pass over squares would lose all digits.
  Tensor<float> Far = X + 1e6f;
  B.output(layer_norm(Far, Gamma, Beta));
  B.output(layer_norm(Far, 1e-3f));
  // An axis of t.
  B.output(layer_norm(transpose(X)));
  for (int64_t Times : AllTimes) {
    B.run({Times});
    Array In = B.in(0);
    for (int64_t I = 0; I < 3; ++I)
      for (int64_t J = 0; J < Times; ++J) {
        double Mean = 0, Variance = 0;
        for (int64_t K = 0; K < 5; ++K)
          Mean += In(I, J, K) / 5;
        for (int64_t K = 0; K < 5; ++K)
          Variance += std::pow(In(I, J, K) - Mean, 2) / 5;
        for (int64_t K = 0; K < 5; ++K) {
          double D = In(I, J, K) - Mean;
          ASSERT_NEAR(B.out(0)(I, J, K),
                      D / std::sqrt(Variance + double{1e-5F}) * B.in(1)(K) +
                          B.in(2)(K),
                      1e-8);
          ASSERT_NEAR(B.out(1)(I, J, K),
                      D / std::sqrt(Variance + double{1e-3F}), 1e-8);
        }
      }
    double Mean = 0, Variance = 0;
    for (int64_t J = 0; J < Times; ++J)
      Mean += In(2, J, 4) / static_cast<double>(Times);
    for (int64_t J = 0; J < Times; ++J)
      Variance += std::pow(In(2, J, 4) - Mean, 2) / static_cast<double>(Times);
    for (int64_t J = 0; J < Times; ++J)
      ASSERT_NEAR(B.out(2)(2, 4, J),
                  (In(2, J, 4) - Mean) / std::sqrt(Variance + 1e-5), 1e-7);
  }
}

TEST_F(OpsReduceTest, SumsOfIntegers) {
  Tensor<int32_t> N = B.input<int32_t>("n", {4});
  B.set(1, {2147483647, 1, 5, 0});
  B.output(sum(N, 0));
  B.output(sum(cast<int64_t>(N), 0));
  B.run({1});
  EXPECT_EQ(B.out(0)(), -2147483643);
  EXPECT_EQ(B.out(1)(), 2147483653);
}

} // namespace
