//===- OpsContractTest.cpp - tests of matrix products, convolutions -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products and convolutions against loops: layouts, strides, padding, groups.
//
//===----------------------------------------------------------------------===//
#include "GraphBench.h"

#include "JitGraph/Sizes/DimText.h"

using namespace kpack;
using namespace kpack::jit;

namespace {

TEST(OpsContractTest, MatmulBroadcastsBatches) {
  GraphBench B;
  Dim T = B.variable("t", 1, 37);
  Tensor<float> A = B.input<float>("a", {2, 1, T, 6});
  Tensor<float> C = B.input<float>("c", {3, 6, 4});
  B.output(matmul(A, C));
  B.output(matmul(transpose(C), transpose(A)));
  for (int64_t Times : {1, 7, 37}) {
    B.run({Times});
    ASSERT_EQ(B.out(0).Shape, (Index{2, 3, Times, 4}));
    ASSERT_EQ(B.out(1).Shape, (Index{2, 3, 4, Times}));
    Array P = B.in(0), Q = B.in(1);
    for (int64_t I = 0; I < 2; ++I)
      for (int64_t J = 0; J < 3; ++J)
        for (int64_t M = 0; M < Times; ++M)
          for (int64_t N = 0; N < 4; ++N) {
            double Sum = 0;
            for (int64_t K = 0; K < 6; ++K)
              Sum += P(I, 0, M, K) * Q(J, K, N);
            ASSERT_EQ(B.out(0)(I, J, M, N), Sum);
            ASSERT_EQ(B.out(1)(I, J, N, M), Sum);
          }
  }
}

TEST(OpsContractTest, WeightsStayAMatrix) {
  GraphBench B;
  Dim N = B.variable("b", 1, 8), T = B.variable("t", 1, 37);
  Tensor<float> X = B.input<float>("x", {N, T, 6});
  Tensor<float> Y = matmul(X, constant(X, std::vector<float>(24), {6, 4}, "w"));
  const OpNode &Product = B.G.node(Y.id());
  ASSERT_EQ(Product.Kind, OpKind::Contract);
  EXPECT_EQ(Product.Operands[0], X.id());
  EXPECT_EQ(B.G.node(Product.Operands[1]).Kind, OpKind::Expand);
}

/// Values of one convolution, and the loop for it.
struct Case {
  int64_t Channels, Results, Size;
  Conv1dOptions Options;
};

void check(const Case &C, bool HasBias) {
  GraphBench B;
  Dim T =
      B.variable("t", std::max<int64_t>(1, C.Size - 2 * C.Options.padding), 37);
  bool IsLast = C.Options.layout == ConvLayout::ChannelsLast;
  int64_t G = C.Options.groups, Each = C.Channels / G;
  Tensor<float> X = B.input<float>("x", IsLast ? Sizes{2, T, C.Channels}
                                               : Sizes{2, C.Channels, T});
  Tensor<float> W =
      B.input<float>("w", IsLast ? Sizes{C.Size, Each, C.Results}
                                 : Sizes{C.Results, Each, C.Size});
  Tensor<float> Bias = B.input<float>("bias", {C.Results});
  Tensor<float> Y =
      HasBias ? conv1d(X, W, Bias, C.Options) : conv1d(X, W, C.Options);
  B.output(Y);
  for (int64_t Times = T.lo(); Times <= 37; Times += 9) {
    B.run({Times});
    int64_t Out =
        (Times + 2 * C.Options.padding - C.Size) / C.Options.stride + 1;
    ASSERT_EQ(B.out(0).Shape,
              (IsLast ? Index{2, Out, C.Results} : Index{2, C.Results, Out}));
    Array In = B.in(0), Weights = B.in(1);
    for (int64_t I = 0; I < 2; ++I)
      for (int64_t N = 0; N < C.Results; ++N)
        for (int64_t O = 0; O < Out; ++O) {
          double Sum = HasBias ? B.in(2)(N) : 0;
          for (int64_t K = 0; K < Each; ++K)
            for (int64_t S = 0; S < C.Size; ++S) {
              int64_t Index = O * C.Options.stride + S - C.Options.padding;
              int64_t Channel = N / (C.Results / G) * Each + K;
              if (Index >= 0 && Index < Times)
                Sum += IsLast ? In(I, Index, Channel) * Weights(S, K, N)
                              : In(I, Channel, Index) * Weights(N, K, S);
            }
          ASSERT_NEAR(IsLast ? B.out(0)(I, O, N) : B.out(0)(I, N, O), Sum,
                      1e-12)
              << I << " " << N << " " << O;
        }
  }
}

TEST(OpsContractTest, ConvolutionsMatchLoops) {
  for (ConvLayout Layout :
       {ConvLayout::ChannelsFirst, ConvLayout::ChannelsLast})
    for (int64_t Stride : {1, 2, 3})
      for (int64_t Padding : {0, 1, 2})
        for (auto [Channels, Results, Groups] :
             {std::array<int64_t, 3>{4, 6, 1},
              {4, 6, 2},
              {4, 4, 4},
              {4, 8, 4},
              {1, 3, 1},
              {1, 1, 1}}) {
          SCOPED_TRACE(testing::Message()
                       << "stride " << Stride << " padding " << Padding
                       << " channels " << Channels << " groups " << Groups);
          check({Channels, Results, 3, {Stride, Padding, Groups, Layout}},
                Stride == 2);
        }
}

TEST(OpsContractTest, SubsampledExtentsSimplify) {
  GraphBench B;
  Dim T = B.variable("t", 1, 37);
  Tensor<float> X = B.input<float>("x", {1, T, 4});
  Tensor<float> W = B.input<float>("w", {3, 4, 4});
  Conv1dOptions Halve{
      .stride = 2, .padding = 1, .layout = ConvLayout::ChannelsLast};
  Tensor<float> Y = conv1d(conv1d(X, W, Halve), W, Halve);
  EXPECT_EQ(extent(Y, 1), ((T - 1) / 2 + 1 - 1) / 2 + 1);
  EXPECT_EQ(extent(Y, 1).hi(), 10);
}

// A reader of the product sees rows of all channels' windows.
TEST(OpsContractTest, ConvolutionIsAProduct) {
  for (ConvLayout Layout :
       {ConvLayout::ChannelsFirst, ConvLayout::ChannelsLast}) {
    GraphBench B;
    Dim T = B.variable("t", 3, 37);
    bool IsLast = Layout == ConvLayout::ChannelsLast;
    Tensor<float> X =
        B.input<float>("x", IsLast ? Sizes{2, T, 4} : Sizes{2, 4, T});
    Tensor<float> W =
        B.input<float>("w", IsLast ? Sizes{3, 4, 5} : Sizes{5, 4, 3});
    Tensor<float> Y = conv1d(X, W, {.layout = Layout});
    OpNode N = B.G.node(Y.id());
    if (!IsLast) {
      EXPECT_EQ(N.Kind, OpKind::Permute);
      N = B.G.node(N.Operands[0]);
    }
    ASSERT_EQ(N.Kind, OpKind::Contract);
    EXPECT_EQ(extent(TensorRef(&B.G, N.Operands[0], X.type()), -1).hi(), 12);
    EXPECT_EQ(toText(N.Shape[1]), "t - 2");
  }
}

TEST(OpsContractTest, DepthwiseConvolutionIsNotAContraction) {
  GraphBench B;
  Tensor<float> X = B.input<float>("x", {2, 9, 4});
  Tensor<float> W = B.input<float>("w", {3, 1, 4});
  conv1d(X, W, {.groups = 4, .layout = ConvLayout::ChannelsLast});
  ASSERT_TRUE(B.G.status().ok());
  EXPECT_EQ(B.G.text().find("contract"), std::string::npos);
}

TEST(OpsContractTest, ProductsOfHalves) {
  GraphBench B;
  Tensor<bfloat16> A = B.input<bfloat16>("a", {2, 600});
  Tensor<bfloat16> C = B.input<bfloat16>("c", {600, 2});
  B.output(matmul(A, C));
  B.run({});
  double Sum = 0;
  for (int64_t K = 0; K < 600; ++K)
    Sum += B.in(0)(1, K) * B.in(1)(K, 0);
  EXPECT_EQ(B.out(0)(1, 0), roundedTo(ElementType::BFloat16, Sum));
}

} // namespace
