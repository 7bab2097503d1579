//===- OpsElementwiseTest.cpp - tests of element-wise operations ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function against the one of the C library, broadcasting against loops.
//
//===----------------------------------------------------------------------===//
#include "GraphBench.h"

using namespace kpack;
using namespace kpack::jit;

namespace {

using Function = Tensor<float> (*)(const Tensor<float> &, OpLocation);

double computeSigmoid(double X) { return 1 / (1 + std::exp(-X)); }

TEST(OpsElementwiseTest, FunctionsMatchTheirDefinitions) {
  GraphBench B;
  Tensor<float> X = B.input<float>("x", {9});
  std::vector<double> Values = {-1000, -87, -0.5, -1e-6, 0,
                                1e-6,  0.4, 2.5,  1000};
  B.set(0, Values);
  B.output(-X);
  B.output(abs(X));
  B.output(exp(min(X, 80)));
  B.output(sigmoid(X));
  B.output(tanh(X));
  B.output(relu(X));
  B.output(silu(X));
  B.output(gelu(X));
  Tensor<float> Positive = abs(X) + 0.25f;
  B.output(log(Positive));
  B.output(sqrt(Positive));
  B.output(rsqrt(Positive));
  B.run({});
  for (size_t I = 0; I < Values.size(); ++I) {
    double V = Values[I], P = std::abs(V) + 0.25;
    auto Is = [&](size_t Output, double Expected) {
      EXPECT_NEAR(B.out(Output)(I), Expected,
                  1e-9 * std::abs(Expected) + 1e-300)
          << Output << " of " << V;
    };
    Is(0, -V);
    Is(1, std::abs(V));
    Is(2, std::exp(std::min(V, 80.0)));
    Is(3, V < -700 ? 0 : computeSigmoid(V));
    Is(4, std::tanh(V));
    Is(5, std::max(V, 0.0));
    Is(6, V < -700 ? 0 : V * computeSigmoid(V));
    double U = std::sqrt(2 / M_PI) * (V + 0.044715 * V * V * V);
    if (V > -80)
      Is(7, V * (0.5 + 0.5 * std::tanh(U)));
    else
      EXPECT_NEAR(B.out(7)(I), 0, 1e-12);
    Is(8, std::log(P));
    Is(9, std::sqrt(P));
    Is(10, 1 / std::sqrt(P));
  }
}

// The fraction that tanh is near 0 and the exponential beyond it meet, and what
// is computed and not taken is finite.
TEST(OpsElementwiseTest, TanhIsAccurateAndFinite) {
  GraphBench B;
  Tensor<float> X = B.input<float>("x", {4001});
  std::vector<double> Values;
  for (int I = -2000; I <= 2000; ++I)
    Values.push_back(I / 1000.0 * std::abs(I) / 100.0);
  B.set(0, Values);
  B.output(tanh(X));
  B.run({});
  for (size_t I = 0; I < Values.size(); ++I)
    ASSERT_NEAR(B.out(0)(I), std::tanh(Values[I]),
                1e-9 * std::abs(std::tanh(Values[I])))
        << Values[I];
  Result<std::vector<ReferenceTensor>> All =
      evaluateNodes(B.G, {}, std::vector<ReferenceTensor>{B.in(0)});
  ASSERT_TRUE(All.ok());
  for (const ReferenceTensor &Node : *All)
    for (double Element : Node.Elements)
      ASSERT_TRUE(std::isfinite(Element));
}

TEST(OpsElementwiseTest, OperatorsBroadcast) {
  GraphBench B;
  Dim T = B.variable("t", 1, 37);
  Tensor<float> X = B.input<float>("x", {T, 1, 3});
  Tensor<float> Y = B.input<float>("y", {4, 1});
  B.output(X + Y);
  B.output(X - Y);
  B.output(X * Y);
  B.output(X / (Y + 3));
  B.output(min(X, Y));
  B.output(max(X, Y));
  B.output(X < Y);
  B.output(X <= Y);
  B.output(X > Y);
  B.output(X >= Y);
  B.output(equal(X, Y));
  B.output(where(X < Y, X * 2, Y));
  B.output(where(Y < 0, 7, X));
  for (int64_t Times : {1, 2, 37}) {
    B.run({Times});
    Array A = B.in(0), C = B.in(1);
    ASSERT_EQ(B.out(0).Shape, (Index{Times, 4, 3}));
    for (int64_t I = 0; I < Times; ++I)
      for (int64_t J = 0; J < 4; ++J)
        for (int64_t K = 0; K < 3; ++K) {
          double P = A(I, 0, K), Q = C(J, 0);
          double Expected[] = {
              P + Q,          P - Q,          P * Q,          P / (Q + 3),
              std::min(P, Q), std::max(P, Q), double(P < Q),  double(P <= Q),
              double(P > Q),  double(P >= Q), double(P == Q), P < Q ? 2 * P : Q,
              Q < 0 ? 7 : P};
          for (size_t O = 0; O < std::size(Expected); ++O)
            ASSERT_EQ(B.out(O)(I, J, K), Expected[O]) << O;
        }
  }
}

TEST(OpsElementwiseTest, NumbersBesideTensors) {
  GraphBench B;
  Tensor<float> X = B.input<float>("x", {5});
  Tensor<int32_t> N = B.input<int32_t>("n", {5});
  B.output(1 - X);
  B.output(2 / (X + 3));
  B.output(X > 0.5f);
  B.output(X >= 0.5f);
  B.output(2 <= N);
  B.output(equal(N, 1));
  B.output(N * 3 - 1);
  B.output(abs(-N));
  B.output(max(N, 2));
  B.run({});
  for (int I = 0; I < 5; ++I) {
    double V = B.in(0)(I), W = B.in(1)(I);
    double Expected[] = {
        1 - V,           2 / (V + 3),    double(V > 0.5), double(V >= 0.5),
        double(2 <= W),  double(W == 1), 3 * W - 1,       std::abs(W),
        std::max(W, 2.0)};
    for (size_t O = 0; O < std::size(Expected); ++O)
      EXPECT_EQ(B.out(O)(I), Expected[O]) << O;
  }
}

TEST(OpsElementwiseTest, LogicFollowsTruthTables) {
  GraphBench B;
  Tensor<bool> P = B.input<bool>("p", {4}), Q = B.input<bool>("q", {4});
  B.set(0, {0, 0, 1, 1});
  B.set(1, {0, 1, 0, 1});
  B.output(logical_and(P, Q));
  B.output(logical_or(P, Q));
  B.output(logical_not(P));
  B.output(equal(P, Q));
  B.run({});
  EXPECT_EQ(B.out(0).Elements, (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(B.out(1).Elements, (std::vector<double>{0, 1, 1, 1}));
  EXPECT_EQ(B.out(2).Elements, (std::vector<double>{1, 1, 0, 0}));
  EXPECT_EQ(B.out(3).Elements, (std::vector<double>{1, 0, 0, 1}));
  EXPECT_EQ(B.out(0).Type, ElementType::Bool);
}

TEST(OpsElementwiseTest, CastsConvertValues) {
  GraphBench B;
  Tensor<float> X = B.input<float>("x", {6});
  B.set(0, {-1.75, 0, 0.5, 2.5, 300.9, 1.00048828125});
  B.output(cast<int32_t>(X));
  B.output(cast<uint8_t>(abs(X)));
  B.output(cast<bool>(X));
  B.output(cast<float16>(X));
  B.output(cast<bfloat16>(X));
  B.output(cast<float>(cast<int64_t>(X)));
  B.run({});
  EXPECT_EQ(B.out(0).Elements, (std::vector<double>{-1, 0, 0, 2, 300, 1}));
  EXPECT_EQ(B.out(1).Elements, (std::vector<double>{1, 0, 0, 2, 44, 1}));
  EXPECT_EQ(B.out(2).Elements, (std::vector<double>{1, 0, 1, 1, 1, 1}));
  // 1 + 2^-11 lies between two; the even one is below.
  EXPECT_EQ(B.out(3).Elements,
            (std::vector<double>{-1.75, 0, 0.5, 2.5, 301, 1}));
  EXPECT_EQ(B.out(4).Elements,
            (std::vector<double>{-1.75, 0, 0.5, 2.5, 300, 1}));
  EXPECT_EQ(B.out(5).Type, ElementType::Float32);
  EXPECT_EQ(cast<float>(X).id(), X.id());
}

// Sums of 16 bits would be wrong by far more than the last rounding.
TEST(OpsElementwiseTest, HalvesAreComputedAsFloat) {
  GraphBench B;
  Tensor<float16> X = B.input<float16>("x", {300});
  B.output(mean(X, 0));
  B.output(softmax(X, 0));
  B.output(tanh(X));
  B.output(X * 3.1f);
  B.run({});
  double Sum = 0, Exponentials = 0;
  for (double V : B.in(0).Elements) {
    Sum += V;
    Exponentials += std::exp(V);
  }
  auto Rounded = [](double V) { return roundedTo(ElementType::Float16, V); };
  EXPECT_EQ(B.out(0)(), Rounded(Sum / 300));
  for (int I = 0; I < 300; ++I) {
    double V = B.in(0)(I);
    ASSERT_EQ(B.out(1)(I), Rounded(std::exp(V) / Exponentials));
    ASSERT_NEAR(B.out(2)(I), std::tanh(V), 0x1p-11);
    ASSERT_EQ(B.out(3)(I), Rounded(V * Rounded(double{3.1F})));
  }
  EXPECT_EQ(B.out(1).Type, ElementType::Float16);
}

TEST(OpsElementwiseTest, EqualOperationsAreOneNode) {
  GraphBench B;
  Tensor<float> X = B.input<float>("x", {5});
  Tensor<float> Y = tanh(X) + 1;
  size_t Size = B.G.size();
  EXPECT_EQ((tanh(X) + 1).id(), Y.id());
  EXPECT_EQ(B.G.size(), Size);
  EXPECT_EQ(B.G.node(tanh(X).id()).Where.Line, uint32_t{__LINE__ - 4})
      << "where it was written first";
}

} // namespace
