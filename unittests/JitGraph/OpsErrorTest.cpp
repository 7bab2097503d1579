//===- OpsErrorTest.cpp - tests of errors in build functions --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each operation says when shapes, types or operands do not fit, and what
// becomes of all that is made of the result.
//
//===----------------------------------------------------------------------===//
#include "GraphBench.h"

using namespace kpack;
using namespace kpack::jit;

namespace {

/// A graph with t and s, x [t, 6], y [s, 6] and n [t, 6] of integers.
class OpsErrorTest : public testing::Test {
protected:
  struct Inputs {
    OpGraph &G;
    Dim T, S;
    Tensor<float> X, Y;
    Tensor<int32_t> N;
    Tensor<bool> P;
  };

  /// What the graph says after \p F, which makes one tensor.
  template <typename Function> static std::string said(Function F) {
    GraphBench B;
    Dim T = B.variable("t", 1, 37), S = B.variable("s", 1, 37);
    Inputs I{B.G,
             T,
             S,
             B.input<float>("x", {T, 6}),
             B.input<float>("y", {S, 6}),
             B.input<int32_t>("n", {T, 6}),
             B.input<bool>("p", {T, 6})};
    TensorRef Y = F(I);
    EXPECT_EQ(Y.id(), TensorRef::None);
    EXPECT_FALSE(B.G.status().ok());
    std::string Text = message(B.G);
    // Whatever is made of it: no further node, no other message.
    size_t Size = B.G.size();
    Tensor<float> Z(Y.graph(), Y.id());
    TensorRef More[] = {Z + I.X,          I.X * Z,          tanh(Z),
                        cast<int32_t>(Z), reshape(Z, {-1}), sum(Z, 0),
                        softmax(Z),       matmul(Z, I.X),   cat({Z, Z}, 0),
                        glu(Z),           layer_norm(Z),    window(Z, 0, 2),
                        pad(Z, 0, 1, 1),  argmax(Z, 0)};
    for (const TensorRef &Each : More)
      EXPECT_EQ(Each.id(), TensorRef::None);
    EXPECT_EQ(B.G.size(), Size);
    EXPECT_EQ(message(B.G), Text);
    return Text;
  }
};

constexpr OpLocation Nowhere = OpLocation();

TEST_F(OpsErrorTest, BroadcastErrorsAreReported) {
  EXPECT_EQ(said([](Inputs &I) { return I.X + I.Y; }),
            "add: shapes [t, 6] and [s, 6] do not fit: 't' and 's' are not "
            "known to be equal; say assume_eq() where they always are");
  EXPECT_EQ(said([](Inputs &I) { return I.X * full<float>(I.X, {4}, 1); }),
            "mul: shapes [t, 6] and [4] do not fit: '6' and '4' differ; "
            "reshape or permute one");
  EXPECT_EQ(said([](Inputs &I) { return I.X < I.Y; }),
            "less: shapes [t, 6] and [s, 6] do not fit: 't' and 's' are not "
            "known to be equal; say assume_eq() where they always are");
  EXPECT_EQ(said([](Inputs &I) { return where(I.P, I.X, I.Y); }),
            "where: shapes [t, 6] and [s, 6] do not fit: 't' and 's' are not "
            "known to be equal; say assume_eq() where they always are");
  EXPECT_EQ(said([](Inputs &I) { return where(I.P, I.Y, I.Y); }),
            "where: shapes [s, 6] and [t, 6] do not fit: 's' and 't' are not "
            "known to be equal; say assume_eq() where they always are");
}

TEST_F(OpsErrorTest, MessagesNameTheLine) {
  GraphBench B;
  Tensor<float> X = B.input<float>("x", {2, 3});
  matmul(X, X);
  std::string Text = B.G.status().message();
  EXPECT_NE(Text.find("OpsErrorTest.cpp:" + std::to_string(__LINE__ - 2) + ")"),
            std::string::npos)
      << Text;
}

TEST_F(OpsErrorTest, ViewErrorsAreReported) {
  EXPECT_EQ(said([](Inputs &I) { return reshape(I.X, {I.T, 4}); }),
            "reshape: shapes [t, 6] and [t, 4] have '6*t' and '4*t' elements; "
            "give a shape of as many");
  EXPECT_EQ(said([](Inputs &I) { return reshape(I.X, {-1, 4}); }),
            "reshape: shapes [t, 6] and [t + floordiv(t, 2), 4] have '6*t' "
            "and '4*t + 4*floordiv(t, 2)' elements; give a shape of as many");
  EXPECT_EQ(said([](Inputs &I) { return reshape(I.X, {-1, -1}); }),
            "reshape: two extents are -1; leave one open");
  EXPECT_EQ(said([](Inputs &I) { return reshape(I.X, {-1, I.T - 1}); }),
            "reshape: the extent that is left open has no one value where "
            "t - 1 is 0; write it down");
  EXPECT_EQ(said([](Inputs &I) { return reshape(I.X, {I.T - 2, 6}); }),
            "reshape: extent 't - 2' may be below 0; raise the lower bounds of "
            "variables");
  EXPECT_EQ(said([](Inputs &I) { return permute(I.X, {0, 0}); }),
            "permute: axes [0, 0] are not those of shape [t, 6]; name each "
            "axis once");
  EXPECT_EQ(said([](Inputs &I) { return permute(I.X, {0}); }),
            "permute: axes [0] are not those of shape [t, 6]; name each axis "
            "once");
  EXPECT_EQ(said([](Inputs &I) { return transpose(I.X, 0, 2); }),
            "transpose: shape [t, 6] has no axis 2; give one from -2 to 1");
  EXPECT_EQ(said([](Inputs &I) { return expand(I.X, {I.T, 12}); }),
            "expand: shapes [t, 6] and [t, 12] do not fit: '6' and '12' "
            "differ; reshape or permute one");
  EXPECT_EQ(said([](Inputs &I) { return expand(I.X, {1, 6}); }),
            "expand: shape [t, 6] is no part of [1, 6]; give extents that are "
            "longer where they were 1, and equal otherwise");
  EXPECT_EQ(said([](Inputs &I) { return slice(I.X, 1, 2, 5); }),
            "slice: elements '2' to '7' are not known to be within axis 1 of "
            "shape [t, 6]; take fewer, or narrow the variables' bounds");
  EXPECT_EQ(said([](Inputs &I) { return shrink(I.X, 0, I.S); }),
            "slice: elements '0' to 's' are not known to be within axis 0 of "
            "shape [t, 6]; take fewer, or narrow the variables' bounds");
  EXPECT_EQ(said([](Inputs &I) { return split(I.X, 1, {2, 3})[1]; }),
            "split: pieces [2, 3] are not known to be all of axis 1 of shape "
            "[t, 6]; give lengths whose sum it is");
  EXPECT_EQ(said([](Inputs &I) { return cat({I.X, I.Y}, 1); }),
            "cat: shapes [t, 6] and [s, 6] are not known to be equal beside "
            "axis 1; reshape one, or say assume_eq() where they are");
  EXPECT_EQ(said([](Inputs &I) { return pad(I.X, 0, I.T - 2, 0); }),
            "pad: extent 't - 2' may be below 0; raise the lower bounds of "
            "variables");
  EXPECT_EQ(said([](Inputs &I) { return window(I.X, 0, 3); }),
            "window: axis 0 of shape [t, 6] may be shorter than a window of 3; "
            "pad it, or raise the lower bounds of variables");
  EXPECT_EQ(said([](Inputs &I) { return window(I.X, 0, 1, 0); }),
            "window: size 1, stride 0; give both 1 or more");
}

TEST_F(OpsErrorTest, SourceErrorsAreReported) {
  EXPECT_EQ(said([](Inputs &I) {
              return constant(I.X, std::vector<float>(5), {2, 3}, "w");
            }),
            "constant: 'w' of shape [2, 3] has 5 elements and not 6; give all "
            "of them");
  EXPECT_EQ(
      said([](Inputs &I) {
        return constant(I.X, std::vector<float>(5), {5, 0}, "w");
      }),
      "constant: 'w' of shape [5, 0]; give extents of 1 or more and fewer "
      "elements");
  EXPECT_EQ(said([](Inputs &I) {
              return constant(I.X, std::vector<float>(5),
                              {int64_t{1} << 62, int64_t{1} << 62});
            }),
            "constant: '' of shape [4611686018427387904]; give extents of 1 or "
            "more and fewer elements");
  EXPECT_EQ(said([](Inputs &I) {
              return full<float>(I.X, {int64_t{1} << 62, 2}, 1);
            }),
            "full: shape [4611686018427387904, 2] has too many elements to "
            "count; narrow the variables' bounds");
  EXPECT_EQ(said([](Inputs &I) {
              return full<float>(I.X, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 1);
            }),
            "full: shape [1, 1, 1, 1, 1, 1, 1, 1, 1] has more than 8 axes; "
            "reshape the operands");
  EXPECT_EQ(said([](Inputs &I) { return full<float>(I.X, {Dim()}, 1); }),
            "full: a size is not initialized; give it a value");
  EXPECT_EQ(said([](Inputs &I) { return number<float>(I.X, I.T - 2); }),
            "number: 't - 2' may be below 0; raise the lower bounds of "
            "variables");
  EXPECT_EQ(said([](Inputs &I) {
              return any::iota(I.X, ElementType::Bool, 3, Nowhere);
            }),
            "iota: elements are bool; take a type of numbers");
  std::string Text = said([](Inputs &I) {
    return full<float>(I.X, {I.T * (int64_t{1} << 61)}, 1);
  });
  EXPECT_EQ(Text.find("full: a size is invalid: "), 0U) << Text;
}

TEST_F(OpsErrorTest, ReductionErrorsAreReported) {
  EXPECT_EQ(said([](Inputs &I) { return sum(I.X, 2); }),
            "sum: shape [t, 6] has no axis 2; give one from -2 to 1");
  EXPECT_EQ(said([](Inputs &I) { return softmax(sum(sum(I.X, 0), 0)); }),
            "softmax: shape [] has no axis -1; reshape it");
  auto MayBeEmpty = [](Inputs &I) { return shrink(I.X, 0, I.T - 1); };
  std::string Rest = ": axis 0 of shape [t - 1, 6] may be empty; raise the "
                     "lower bounds of variables";
  EXPECT_EQ(said([&](Inputs &I) { return max_of(MayBeEmpty(I), 0); }),
            "max_of" + Rest);
  EXPECT_EQ(said([&](Inputs &I) { return mean(MayBeEmpty(I), 0); }),
            "mean" + Rest);
  EXPECT_EQ(said([&](Inputs &I) { return argmax(MayBeEmpty(I), 0); }),
            "argmax" + Rest);
  EXPECT_EQ(said([&](Inputs &I) { return softmax(MayBeEmpty(I), 0); }),
            "softmax" + Rest);
  EXPECT_EQ(said([&](Inputs &I) { return log_softmax(MayBeEmpty(I), 0); }),
            "log_softmax" + Rest);
  EXPECT_EQ(said([](Inputs &I) {
              return argmax(full<float>(I.X, {int64_t{1} << 32}, 0), 0);
            }),
            "argmax: axis 0 of shape [4294967296] is too long for int32_t; "
            "narrow the variables' bounds");
  EXPECT_EQ(said([](Inputs &I) {
              return layer_norm(I.X, full<float>(I.X, {5}, 0),
                                full<float>(I.X, {6}, 0));
            }),
            "layer_norm: gamma of shape [5] for rows of shape [t, 6]; give one "
            "number for each element of the last axis");
  EXPECT_EQ(said([](Inputs &I) {
              return layer_norm(I.X, full<float>(I.X, {6}, 0),
                                full<float>(I.X, {1, 6}, 0));
            }),
            "layer_norm: beta of shape [1, 6] for rows of shape [t, 6]; give "
            "one number for each element of the last axis");
  EXPECT_EQ(said([](Inputs &I) { return layer_norm(I.X, -1); }),
            "layer_norm: epsilon is not above 0; give a small number; rows are "
            "those of the last axis");
}

TEST_F(OpsErrorTest, ContractionErrorsAreReported) {
  EXPECT_EQ(said([](Inputs &I) { return matmul(I.X, I.X); }),
            "matmul: shapes [t, 6] and [t, 6] do not fit: '6' columns and 't' "
            "rows are not known to be equal; transpose one, or say assume_eq() "
            "where they are");
  EXPECT_EQ(said([](Inputs &I) { return matmul(I.X, sum(I.X, 0)); }),
            "matmul: shapes [t, 6] and [6] are not both matrices; reshape one");
  EXPECT_EQ(said([](Inputs &I) {
              return matmul(reshape(I.X, {I.T, 3, 2}),
                            reshape(I.Y, {I.S, 2, 3}));
            }),
            "matmul: shapes [t] and [s] do not fit: 't' and 's' are not known "
            "to be equal; say assume_eq() where they always are");
  auto Conv = [](std::vector<int64_t> Shape, Conv1dOptions Options) {
    return said([&](Inputs &I) {
      Sizes Extents{Shape[0], Shape[1], Shape[2]};
      Tensor<float> W = full<float>(I.X, Extents, 0);
      return conv1d(reshape(I.X, {1, 6, I.T}), W, Options);
    });
  };
  EXPECT_EQ(Conv({2, 5, 3}, {.padding = 1}),
            "conv1d: shapes [1, 6, t] and [2, 5, 3] (weights) do not fit in 1 "
            "groups; give weights of as many channels as a group has, and as "
            "many results for each group");
  EXPECT_EQ(Conv({3, 3, 3}, {.padding = 1, .groups = 2}),
            "conv1d: shapes [1, 6, t] and [3, 3, 3] (weights) do not fit in 2 "
            "groups; give weights of as many channels as a group has, and as "
            "many results for each group");
  EXPECT_EQ(Conv({2, 6, 3}, {}),
            "conv1d: shape [1, 6, t] may be shorter than a window of 3; pad "
            "more, or raise the lower bounds of variables");
  EXPECT_EQ(Conv({2, 6, 3}, {.stride = 0}),
            "conv1d: stride 0, padding 0, groups 1; give a stride and groups "
            "of 1 or more");
  EXPECT_EQ(said([](Inputs &I) { return conv1d(I.X, I.X); }),
            "conv1d: shape [t, 6] is not [b, c, t]; reshape it");
  EXPECT_EQ(said([](Inputs &I) {
              Tensor<float> X = reshape(I.X, {1, I.T, 6});
              return conv1d(X, X, {.layout = ConvLayout::ChannelsLast});
            }),
            "conv1d: shapes [1, t, 6] and [1, t, 6] (weights): weights are of "
            "no fixed size; give them one");
  EXPECT_EQ(said([](Inputs &I) {
              return conv1d(reshape(I.X, {1, 6, I.T}),
                            full<float>(I.X, {2, 6, 1}, 0),
                            full<float>(I.X, {3}, 0));
            }),
            "conv1d: bias of shape [3] for 2 results; give one number for "
            "each");
}

TEST_F(OpsErrorTest, LayerErrorsAreReported) {
  EXPECT_EQ(said([](Inputs &I) { return glu(reshape(I.X, {-1, 3})); }),
            "split: pieces [1, 1] are not known to be all of axis 1 of shape "
            "[2*t, 3]; give lengths whose sum it is");
  EXPECT_EQ(said([](Inputs &I) {
              Tensor<float> X = reshape(I.X, {1, I.T, 6});
              return attention(X, X, X, 4);
            }),
            "attention: shape [1, t, 6] for 4 heads; give a number of heads "
            "that divides the last extent");
  EXPECT_EQ(said([](Inputs &I) {
              Tensor<float> X = reshape(I.X, {1, I.T, 6});
              return attention(X, X, reshape(I.Y, {1, I.S, 6}), 2);
            }),
            "attention: shapes [1, t, 6], [1, t, 6] and [1, s, 6] do not fit; "
            "give queries [b, q, d], keys and values [b, k, d]");
  EXPECT_EQ(said([](Inputs &I) { return attention(I.X, I.X, I.X, 2); }),
            "attention: shape [t, 6] is not [b, t, d]; reshape it");
  EXPECT_EQ(said([](Inputs &I) { return relative_bias(I.X, I.T, I.T); }),
            "relative_bias: table of shape [t, 6] has no middle; give a fixed, "
            "odd number of positions");
  EXPECT_EQ(said([](Inputs &I) {
              return relative_bias(full<float>(I.X, {2, 71}, 0), I.T, I.T);
            }),
            "relative_bias: table of shape [2, 71] for [t, t] queries and "
            "keys; give 2M - 1 positions, of M as many as the longest has");
  EXPECT_EQ(said([](Inputs &I) { return within_lengths(I.N, I.T); }),
            "within_lengths: shape [t, 6] is not [b]; reshape it");
}

// The typed functions do not let these through the compiler.
TEST_F(OpsErrorTest, ElementTypeErrorsAreReported) {
  EXPECT_EQ(said([](Inputs &I) {
              return any::binary(OpKind::Add, I.X, I.N, Nowhere);
            }),
            "add: elements are float and int32_t; cast one of them");
  EXPECT_EQ(said([](Inputs &I) { return any::unary(OpKind::Exp, I.N, {}); }),
            "exp: elements are int32_t; cast them to float, float16 or "
            "bfloat16");
  EXPECT_EQ(said([](Inputs &I) { return any::sigmoid(I.N, Nowhere); }),
            "sigmoid: elements are int32_t; cast them to float, float16 or "
            "bfloat16");
  EXPECT_EQ(said([](Inputs &I) {
              return any::binary(OpKind::Less, I.P, I.P, Nowhere);
            }),
            "less: elements are bool; cast them to a type of numbers");
  EXPECT_EQ(said([](Inputs &I) {
              return any::unary(
                  OpKind::Neg, any::cast(I.N, ElementType::UInt8, {}), Nowhere);
            }),
            "neg: elements are uint8_t; cast them to a signed type");
  EXPECT_EQ(said([](Inputs &I) { return any::where(I.X, I.X, I.X, Nowhere); }),
            "where: elements are float and not bool; cast them");
  EXPECT_EQ(said([](Inputs &I) { return any::sum(I.P, 0, false, Nowhere); }),
            "sum: elements are bool; cast them to int32_t");
}

TEST_F(OpsErrorTest, InvalidOperandsAreReported) {
  EXPECT_EQ(said([](Inputs &I) { return I.X + Tensor<float>(); }),
            "add: operand 2 is not initialized; assign it before it is used");
  EXPECT_EQ(said([](Inputs &I) { return Tensor<float>() + I.X; }),
            "add: operand 1 is not initialized; assign it before it is used");
  GraphBench Other;
  Tensor<float> Foreign = Other.input<float>("x", {6});
  EXPECT_EQ(said([&](Inputs &I) { return I.X + Foreign; }),
            "add: operand 2 is of another graph; use tensors of the graph that "
            "is being built");
  Dim Size = Other.variable("t", 1, 3);
  EXPECT_EQ(said([&](Inputs &I) { return full<float>(I.X, {Size}, 0); }),
            "full: a size is of another graph; use variables of the graph that "
            "is being built");
  // Of no graph at all nobody can be told.
  EXPECT_EQ((Tensor<float>() + Tensor<float>()).id(), TensorRef::None);
  EXPECT_EQ(tanh(Tensor<float>()).graph(), nullptr);
  EXPECT_TRUE(shape(Tensor<float>()).empty());
  EXPECT_FALSE(extent(Tensor<float>(), 0).valid());
  EXPECT_EQ(split(Tensor<float>(), 0, {1, 2}).size(), 2U);
  EXPECT_EQ(cat(std::vector<Tensor<float>>(), 0).id(), TensorRef::None);
}

TEST_F(OpsErrorTest, AssumedEqualSizesFit) {
  GraphBench B;
  Dim T = B.variable("t", 1, 37), S = B.variable("s", 30, 40),
      R = B.variable("r", 50, 60);
  Tensor<float> X = B.input<float>("x", {T, 6}),
                Y = B.input<float>("y", {S, 6});
  EXPECT_EQ(assume_eq(X, T, T), T);
  EXPECT_TRUE(B.G.guards().empty()) << "known";
  assume_eq(X, T, S);
  assume_eq(X, S, T);
  ASSERT_EQ(B.G.guards().size(), 1U);
  EXPECT_EQ(B.G.guards()[0].Where.Line, uint32_t{__LINE__ - 3});
  B.output(X + Y);
  B.run({31, 31, 50});
  EXPECT_EQ(B.out(0)(30, 5), B.in(0)(30, 5) + B.in(1)(30, 5));
  std::vector<ReferenceTensor> Inputs = {B.in(0), B.in(1)};
  EXPECT_EQ(evaluate(B.G, std::vector<int64_t>{31, 32, 50}, Inputs)
                .status()
                .message(),
            "t: 31, and 's' is 32; give sizes for which both are equal");
  assume_eq(X, T, R);
  EXPECT_EQ(message(B.G), "assume_eq: 't' and 'r' are never equal; change a "
                          "shape");
}

TEST_F(OpsErrorTest, GuardsAreTransitive) {
  GraphBench B;
  Dim T = B.variable("t", 1, 37), S = B.variable("s", 1, 37),
      R = B.variable("r", 1, 37);
  Tensor<float> X = B.input<float>("x", {T}), Y = B.input<float>("y", {R});
  assume_eq(X, S, R);
  EXPECT_FALSE(B.G.areEqual(T, R));
  assume_eq(X, S, T);
  EXPECT_TRUE(B.G.areEqual(T, R));
  EXPECT_TRUE(B.G.areEqual(R, T));
  B.output(X + Y);
}

} // namespace
