//===- OpsViewTest.cpp - tests of sources and views -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which element of the operand stands where, by index, for several values of a
// variable.
//
//===----------------------------------------------------------------------===//
#include "GraphBench.h"

#include "JitGraph/Sizes/DimText.h"

#include <numeric>
#include <random>

using namespace kpack;
using namespace kpack::jit;

namespace {

class OpsViewTest : public testing::Test {
protected:
  OpsViewTest()
      : T(B.variable("t", 1, 37)), X(B.input<float>("x", {2, T, 6})) {}

  /// \p Y is x at the index that \p Source(i, j, k) is, at each of its indices.
  template <typename F> void isAt(const Tensor<float> &Y, F Source) {
    size_t Which = B.G.outputs().size();
    B.output(Y);
    ASSERT_EQ(shape(Y).size(), 3U);
    for (int64_t Times : {1, 2, 36, 37}) {
      B.run({Times});
      Array In = B.in(0);
      const Array &Out = B.out(Which);
      for (int64_t I = 0; I < Out.Shape[0]; ++I)
        for (int64_t J = 0; J < Out.Shape[1]; ++J)
          for (int64_t K = 0; K < Out.Shape[2]; ++K) {
            auto [P, Q, R] = Source(I, J, K);
            ASSERT_EQ(Out(I, J, K), In(P, Q, R)) << I << " " << J << " " << K;
          }
    }
  }
  using At = std::array<int64_t, 3>;

  GraphBench B;
  Dim T;
  Tensor<float> X;
};

TEST_F(OpsViewTest, PermuteReordersAxes) {
  Tensor<float> Y = permute(X, {2, 0, -2});
  EXPECT_EQ(toText(shape(Y)[2]), "t");
  isAt(Y, [](int64_t I, int64_t J, int64_t K) { return At{J, K, I}; });
  isAt(transpose(X),
       [](int64_t I, int64_t J, int64_t K) { return At{I, K, J}; });
  isAt(transpose(X, 0, 2),
       [](int64_t I, int64_t J, int64_t K) { return At{K, J, I}; });
  EXPECT_EQ(permute(X, {0, 1, 2}).id(), X.id());
}

TEST_F(OpsViewTest, ReshapeKeepsElements) {
  Tensor<float> Y = reshape(X, {T * 2, 2, -1});
  isAt(Y, [&](int64_t I, int64_t J, int64_t K) {
    int64_t Times = B.in(0).Shape[1];
    return At{I / Times, I % Times, 3 * J + K};
  });
  EXPECT_EQ(toText(extent(reshape(X, {-1, 4}), 0)), "3*t");
  EXPECT_EQ(toText(extent(reshape(X, {12, -1}), 1)), "t");
  EXPECT_EQ(reshape(Y, {2, T, 6}).id(), X.id()) << "views of views are one";
}

TEST_F(OpsViewTest, SliceAndShrink) {
  isAt(slice(X, -1, 2, 3),
       [](int64_t I, int64_t J, int64_t K) { return At{I, J, K + 2}; });
  Dim Half = (T + 1) / 2;
  isAt(slice(X, 1, T - Half, Half), [&](int64_t I, int64_t J, int64_t K) {
    int64_t Times = B.in(0).Shape[1];
    return At{I, Times - (Times + 1) / 2 + J, K};
  });
  Tensor<float> Y = shrink(X, 1, min(T, 5));
  EXPECT_EQ(extent(Y, 1).hi(), 5);
  isAt(Y, [](int64_t I, int64_t J, int64_t K) { return At{I, J, K}; });
  EXPECT_EQ(shrink(X, 1, T).id(), X.id());
}

TEST_F(OpsViewTest, SplitSelectsPieces) {
  std::vector<Tensor<float>> Y = split(X, 2, {1, 3, 2});
  ASSERT_EQ(Y.size(), 3U);
  isAt(Y[1], [](int64_t I, int64_t J, int64_t K) { return At{I, J, K + 1}; });
  Dim First = T / 2;
  Y = split(X, 1, {First, T - First});
  isAt(Y[1], [&](int64_t I, int64_t J, int64_t K) {
    return At{I, J + B.in(0).Shape[1] / 2, K};
  });
}

TEST_F(OpsViewTest, CatJoinsTensors) {
  Tensor<float> Z = B.input<float>("z", {2, 1, 6});
  B.output(cat({Z, X, X}, 1));
  for (int64_t Times : {1, 37}) {
    B.run({Times});
    ASSERT_EQ(B.out(0).Shape, (Index{2, 2 * Times + 1, 6}));
    for (int64_t I = 0; I < 2; ++I)
      for (int64_t J = 0; J < 2 * Times + 1; ++J)
        for (int64_t K = 0; K < 6; ++K)
          ASSERT_EQ(B.out(0)(I, J, K),
                    J ? B.in(0)(I, (J - 1) % Times, K) : B.in(1)(I, 0, K));
  }
  EXPECT_EQ(cat({X}, 1).id(), X.id());
}

TEST_F(OpsViewTest, PadAddsElements) {
  B.output(pad(X, 1, 2, T, 9));
  for (int64_t Times : {1, 37}) {
    B.run({Times});
    ASSERT_EQ(B.out(0).Shape, (Index{2, 2 * Times + 2, 6}));
    for (int64_t I = 0; I < 2; ++I)
      for (int64_t J = 0; J < 2 * Times + 2; ++J)
        for (int64_t K = 0; K < 6; ++K) {
          bool IsInside = J >= 2 && J < 2 + Times;
          ASSERT_EQ(B.out(0)(I, J, K), IsInside ? B.in(0)(I, J - 2, K) : 9);
        }
  }
  EXPECT_EQ(pad(X, 0, 0, 0).id(), X.id());
}

TEST_F(OpsViewTest, WindowListsNeighbours) {
  // 3 of every second; windows that would end behind the axis there are none.
  Tensor<float> Y = window(pad(X, 1, 1, 1), 1, 3, 2);
  EXPECT_EQ(extent(Y, 1), (T - 1) / 2 + 1);
  B.output(Y);
  for (int64_t Times : {1, 2, 3, 36, 37}) {
    B.run({Times});
    ASSERT_EQ(B.out(0).Shape, (Index{2, (Times - 1) / 2 + 1, 6, 3}));
    for (int64_t J = 0; J < B.out(0).Shape[1]; ++J)
      for (int64_t K = 0; K < 6; ++K)
        for (int64_t S = 0; S < 3; ++S) {
          int64_t Index = 2 * J + S - 1;
          ASSERT_EQ(B.out(0)(1, J, K, S),
                    Index < 0 || Index >= Times ? 0 : B.in(0)(1, Index, K));
        }
  }
}

TEST_F(OpsViewTest, ExpandRepeatsElements) {
  Tensor<float> Row = B.input<float>("row", {1, 6});
  B.output(expand(Row, {2, T, 6}));
  B.run({5});
  for (int64_t J = 0; J < 5; ++J)
    for (int64_t K = 0; K < 6; ++K)
      ASSERT_EQ(B.out(0)(1, J, K), B.in(1)(0, K));
  EXPECT_EQ(expand(X, {2, T, 6}).id(), X.id());
}

TEST_F(OpsViewTest, SourcesHaveTheirValues) {
  B.output(full<float>(X, {T, 2}, 2.5f));
  B.output(iota(X, T));
  B.output(number<float>(X, T * 2));
  B.output(number<int64_t>(X, B.G.dims().constant(6)));
  B.output(constant(X, std::vector<int32_t>{1, -2, 3, 4}, {2, 2}, "w"));
  B.output(constant(
      X, std::vector<float16>{{0x3c00}, {0xc100}, {0x0001}, {0x7bff}}, {4}));
  B.output(constant(X, std::vector<bfloat16>{{0x3f80}, {0xc120}}, {2}));
  B.output(iota<float>(X, 3));
  B.run({3});
  EXPECT_EQ(B.out(0).Elements, std::vector<double>(6, 2.5));
  EXPECT_EQ(B.out(1).Elements, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(B.out(2).Elements, (std::vector<double>{6}));
  EXPECT_EQ(B.out(3).Elements, (std::vector<double>{6}));
  EXPECT_EQ(B.out(3).Type, ElementType::Int64);
  EXPECT_EQ(B.out(4)(1, 0), 3);
  EXPECT_EQ(B.out(5).Elements, (std::vector<double>{1, -2.5, 0x1p-24, 65504}));
  EXPECT_EQ(B.out(6).Elements, (std::vector<double>{1, -10}));
  EXPECT_EQ(B.G.constants()[0].Name, "w");
  EXPECT_NE(B.G.constants()[0].Where.Line, 0U);
}

// Against the rounding of the reference, which is tested by itself.
TEST(OpsConstantTest, FloatsAreRounded) {
  std::vector<float> Floats = {0.0F,     -0.0F,        1.0F,     65504,
                               65519,    65520,        -1e30F,   0x1p-24F,
                               0x1p-25F, 0x1.8p-25F,   0x1p-14F, 0x1.ffcp-15F,
                               INFINITY, 0x1.ffffp-15F};
  std::mt19937 Random(3);
  for (int I = 0; I < 20000; ++I) {
    // Of all exponents that matter; every third between two numbers.
    float V = std::ldexp(static_cast<float>(Random() % 4096) / 2048,
                         static_cast<int>(Random() % 45) - 27);
    Floats.push_back(I % 3 ? V * static_cast<float>(Random() % 1000) : -V);
  }
  GraphBench B;
  Tensor<float> X = B.input<float>("x", {1});
  auto Count = static_cast<int64_t>(Floats.size());
  B.output(constant_as<float16>(X, Floats, {Count}));
  B.output(constant_as<bfloat16>(X, Floats, {Count}));
  B.output(constant_as<float>(X, Floats, {Count}));
  B.run({});
  for (size_t I = 0; I < Floats.size(); ++I) {
    double V = double{Floats[I]};
    ASSERT_EQ(B.out(0)(I), roundedTo(ElementType::Float16, V)) << V;
    ASSERT_EQ(std::signbit(B.out(0)(I)), std::signbit(V));
    ASSERT_EQ(B.out(1)(I), roundedTo(ElementType::BFloat16, V)) << V;
    ASSERT_EQ(B.out(2)(I), V);
  }
  Tensor<float16> Nan = constant_as<float16>(X, {{std::nanf("")}}, {1});
  Tensor<bfloat16> Nan2 = constant_as<bfloat16>(X, {{std::nanf("")}}, {1});
  B.output(Nan);
  B.output(Nan2);
  B.run({});
  EXPECT_TRUE(std::isnan(B.out(3)(0)) && std::isnan(B.out(4)(0)));
}

} // namespace
