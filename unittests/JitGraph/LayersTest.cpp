//===- LayersTest.cpp - tests of layers of signal models ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers against loops, with signals of different lengths in one batch.
//
//===----------------------------------------------------------------------===//
#include "GraphBench.h"

using namespace kpack;
using namespace kpack::jit;

namespace {

double computeSigmoid(double X) { return 1 / (1 + std::exp(-X)); }

/// Row I, J of x times column N of w, plus b.
double linearAt(const Array &X, const Array &W, const Array &B, int64_t I,
                int64_t J, int64_t N) {
  double Sum = B(N);
  for (int64_t K = 0; K < W.Shape[0]; ++K)
    Sum += X(I, J, K) * W(K, N);
  return Sum;
}

TEST(LayersTest, LinearAndFeedForward) {
  GraphBench B;
  Dim T = B.variable("t", 1, 9);
  Tensor<float> X = B.input<float>("x", {2, T, 3});
  LinearWeights<float> In{B.input<float>("w", {3, 5}),
                          B.input<float>("b", {5})};
  LinearWeights<float> Out{B.input<float>("v", {5, 2}), {}};
  B.output(linear(X, In));
  B.output(feed_forward(X, FeedForwardWeights<float>{In, Out}));
  B.run({4});
  for (int64_t J = 0; J < 4; ++J) {
    double Sum = 0;
    for (int64_t N = 0; N < 5; ++N) {
      double V = linearAt(B.in(0), B.in(1), B.in(2), 1, J, N);
      ASSERT_NEAR(B.out(0)(1, J, N), V, 1e-12);
      Sum += V * computeSigmoid(V) * B.in(3)(N, 1);
    }
    ASSERT_NEAR(B.out(1)(1, J, 1), Sum, 1e-12);
  }
}

TEST(LayersTest, GluMatchesLoops) {
  GraphBench B;
  Dim T = B.variable("t", 1, 9);
  Tensor<float> X = B.input<float>("x", {T, 6});
  B.output(glu(X));
  B.output(glu(transpose(X), 0));
  B.run({5});
  for (int64_t I = 0; I < 5; ++I)
    for (int64_t K = 0; K < 3; ++K) {
      double V = B.in(0)(I, K) * computeSigmoid(B.in(0)(I, K + 3));
      EXPECT_NEAR(B.out(0)(I, K), V, 1e-14);
      EXPECT_NEAR(B.out(1)(K, I), V, 1e-14);
    }
}

TEST(LayersTest, LstmCellMatchesLoops) {
  GraphBench B;
  Dim N = B.variable("b", 1, 8);
  Tensor<float> X = B.input<float>("x", {N, 3});
  LstmCell<float> Last{B.input<float>("h", {N, 4}),
                       B.input<float>("c", {N, 4})};
  LinearWeights<float> W{B.input<float>("w", {7, 16}),
                         B.input<float>("bias", {16})};
  LstmCell<float> Next = lstm_cell(X, Last, W);
  B.output(Next.h);
  B.output(Next.c);
  EXPECT_EQ(B.G.text().find("contract"), B.G.text().rfind("contract"))
      << "one product for all gates";
  for (int64_t Batch : {1, 8}) {
    B.run({Batch});
    for (int64_t I = 0; I < Batch; ++I)
      for (int64_t J = 0; J < 4; ++J) {
        double Gate[4];
        for (int64_t G = 0; G < 4; ++G) {
          Gate[G] = B.in(4)(4 * G + J);
          for (int64_t K = 0; K < 7; ++K)
            Gate[G] += (K < 3 ? B.in(0)(I, K) : B.in(1)(I, K - 3)) *
                       B.in(3)(K, 4 * G + J);
        }
        double C = computeSigmoid(Gate[1]) * B.in(2)(I, J) +
                   computeSigmoid(Gate[0]) * std::tanh(Gate[2]);
        ASSERT_NEAR(B.out(1)(I, J), C, 1e-9);
        ASSERT_NEAR(B.out(0)(I, J), computeSigmoid(Gate[3]) * std::tanh(C),
                    1e-9);
      }
  }
}

TEST(LayersTest, RelativeBiasMatchesLoops) {
  for (int64_t M : {1, 2, 6}) {
    GraphBench B;
    Dim T = B.variable("t", 1, M), S = B.variable("s", 1, M);
    Tensor<float> Table = B.input<float>("table", {2, 2 * M - 1});
    B.output(relative_bias(Table, T, S));
    for (int64_t Queries = 1; Queries <= M; ++Queries)
      for (int64_t Keys = 1; Keys <= M; ++Keys) {
        std::vector<int64_t> Values;
        if (M > 1)
          Values = {Queries, Keys};
        else
          Values = std::vector<int64_t>(B.G.dims().variables().size(), 1);
        B.run(Values);
        ASSERT_EQ(B.out(0).Shape, (Index{2, Queries, Keys}));
        for (int64_t H = 0; H < 2; ++H)
          for (int64_t Q = 0; Q < Queries; ++Q)
            for (int64_t K = 0; K < Keys; ++K)
              ASSERT_EQ(B.out(0)(H, Q, K), B.in(0)(H, K - Q + M - 1));
      }
  }
}

TEST(LayersTest, AttentionMatchesLoops) {
  GraphBench B;
  constexpr int64_t Batch = 3, Heads = 2, Width = 3, D = Heads * Width, M = 9;
  Dim T = B.variable("t", 1, M), S = B.variable("s", 1, M);
  Tensor<float> Q = B.input<float>("q", {Batch, T, D});
  Tensor<float> K = B.input<float>("k", {Batch, S, D});
  Tensor<float> V = B.input<float>("v", {Batch, S, D});
  Tensor<int32_t> Lengths = B.input<int32_t>("lengths", {Batch});
  Tensor<float> Table = B.input<float>("table", {Heads, 2 * M - 1});
  B.set(3, {1, 4, 9});
  B.output(
      attention(Q, K, V, Heads,
                AttentionOptions<float>{.lengths = Lengths,
                                        .bias = relative_bias(Table, T, S)}));
  B.output(attention(Q, K, V, Heads));
  for (auto [Queries, Keys] :
       {std::pair<int64_t, int64_t>{1, 1}, {5, 9}, {9, 4}, {9, 9}}) {
    B.run({Queries, Keys});
    for (bool IsMasked : {true, false})
      for (int64_t I = 0; I < Batch; ++I)
        for (int64_t H = 0; H < Heads; ++H)
          for (int64_t J = 0; J < Queries; ++J) {
            int64_t Length = static_cast<int64_t>(B.in(3)(I));
            Length = IsMasked ? std::min(Length, Keys) : Keys;
            std::vector<double> Weights;
            double Sum = 0;
            for (int64_t L = 0; L < Length; ++L) {
              double Score = 0;
              for (int64_t W = 0; W < Width; ++W)
                Score +=
                    B.in(0)(I, J, H * Width + W) * B.in(1)(I, L, H * Width + W);
              Score /= std::sqrt(double{Width});
              Score += IsMasked ? B.in(4)(H, L - J + M - 1) : 0;
              Weights.push_back(std::exp(Score));
              Sum += Weights.back();
            }
            for (int64_t W = 0; W < Width; ++W) {
              double Expected = 0;
              for (int64_t L = 0; L < Length; ++L)
                Expected += Weights[static_cast<size_t>(L)] / Sum *
                            B.in(2)(I, L, H * Width + W);
              ASSERT_NEAR(B.out(IsMasked ? 0 : 1)(I, J, H * Width + W),
                          Expected, 1e-12);
            }
          }
  }
}

TEST(LayersTest, SignalsOfNoLengthAreNumbers) {
  GraphBench B;
  Tensor<float> X = B.input<float>("x", {1, 3, 4});
  Tensor<int32_t> Lengths = B.input<int32_t>("lengths", {1});
  B.set(1, {0});
  B.output(attention(X, X, X, 2, AttentionOptions<float>{.lengths = Lengths}));
  B.run({});
  for (double V : B.out(0).Elements)
    EXPECT_TRUE(std::isfinite(V));
}

TEST(LayersTest, MultiHeadAttentionProjects) {
  GraphBench B;
  Dim T = B.variable("t", 1, 9);
  Tensor<float> X = B.input<float>("x", {2, T, 4});
  AttentionWeights<float> W{
      {B.input<float>("w", {4, 12}), B.input<float>("b", {12})},
      {B.input<float>("v", {4, 4}), B.input<float>("c", {4})}};
  B.output(multi_head_attention(X, W, 2));
  Tensor<float> Qkv = linear(X, W.in);
  B.output(linear(attention(slice(Qkv, 2, 0, 4), slice(Qkv, 2, 4, 4),
                            slice(Qkv, 2, 8, 4), 2),
                  W.out));
  B.run({7});
  EXPECT_EQ(B.out(0).Elements, B.out(1).Elements);
  EXPECT_EQ(B.out(0).Shape, (Index{2, 7, 4}));
}

TEST(LayersTest, ConformerConvMatchesLoops) {
  GraphBench B;
  constexpr int64_t D = 4, Window = 5;
  Dim T = B.variable("t", 1, 9);
  Tensor<float> X = B.input<float>("x", {2, T, D});
  Tensor<int32_t> Lengths = B.input<int32_t>("lengths", {2});
  B.set(1, {3, 9});
  ConformerConvWeights<float> W{
      {B.input<float>("in", {D, 2 * D}), B.input<float>("in_b", {2 * D})},
      B.input<float>("dw", {Window, 1, D}),
      B.input<float>("dw_b", {D}),
      B.input<float>("gamma", {D}),
      B.input<float>("beta", {D}),
      {B.input<float>("out", {D, D}), B.input<float>("out_b", {D})}};
  B.output(conformer_conv(X, W, Lengths));
  B.output(conformer_conv(X, W));
  for (int64_t Times : {1, 2, 9}) {
    B.run({Times});
    for (int64_t Output : {0, 1})
      for (int64_t I = 0; I < 2; ++I) {
        auto Length = static_cast<int64_t>(B.in(1)(I));
        Length = Output ? Times : std::min(Length, Times);
        for (int64_t J = 0; J < Length; ++J) {
          double Y[D], Mean = 0, Variance = 0;
          for (int64_t K = 0; K < D; ++K) {
            Y[K] = B.in(5)(K);
            for (int64_t S = 0; S < Window; ++S) {
              int64_t Index = J + S - Window / 2;
              if (Index < 0 || Index >= Length)
                continue;
              double A = linearAt(B.in(0), B.in(2), B.in(3), I, Index, K);
              double G = linearAt(B.in(0), B.in(2), B.in(3), I, Index, K + D);
              Y[K] += A * computeSigmoid(G) * B.in(4)(S, 0, K);
            }
            Mean += Y[K] / D;
          }
          for (double V : Y)
            Variance += (V - Mean) * (V - Mean) / D;
          for (int64_t K = 0; K < D; ++K) {
            double V = (Y[K] - Mean) / std::sqrt(Variance + double{1e-5F}) *
                           B.in(6)(K) +
                       B.in(7)(K);
            Y[K] = V * computeSigmoid(V);
          }
          for (int64_t N = 0; N < D; ++N) {
            double Sum = B.in(9)(N);
            for (int64_t K = 0; K < D; ++K)
              Sum += Y[K] * B.in(8)(K, N);
            ASSERT_NEAR(B.out(static_cast<size_t>(Output))(I, J, N), Sum,
                        1e-10);
          }
        }
      }
  }
}

TEST(LayersTest, AttentionWorksOnHalves) {
  GraphBench B;
  Dim T = B.variable("t", 1, 9);
  Tensor<float16> X = B.input<float16>("x", {2, T, 4});
  B.output(attention(X, X, X, 2));
  B.run({9});
  EXPECT_EQ(B.out(0).Type, ElementType::Float16);
  for (double V : B.out(0).Elements)
    EXPECT_LE(std::abs(V), 2);
}

} // namespace
