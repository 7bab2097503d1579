//===- kpack/JitGraph/Layers.h - layers of signal models --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts of signal models, built from Ops.h. Signals are [b, t, d]: batch, time,
// features. Weights are tensors, made by constant() or computed; matrices are
// [from, to] (transpose() those of frameworks that have [to, from]). A tensor
// that is not initialized (Tensor<T>()) is left out.
//
// With lengths, [b] of int32_t, each signal of a batch ends at its length;
// elements after the end change no result before it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_LAYERS_H
#define KPACK_JITGRAPH_LAYERS_H

#include "kpack/JitGraph/Ops.h"

namespace kpack::jit {

/// x W + b: a matrix [from, to], and [to].
template <FloatElement Item> struct LinearWeights {
  Tensor<Item> matrix, bias = {};
};

template <FloatElement Item>
Tensor<Item> linear(const Tensor<Item> &X, const LinearWeights<Item> &W,
                    OpLocation Where = std::source_location::current()) {
  Tensor<Item> Product = matmul(X, W.matrix, Where);
  if (!W.bias.graph())
    return Product;
  return graph_detail::binary<Item, Item>(OpKind::Add, Product, W.bias, Where);
}

/// The first half of an axis, times sigmoid of the second.
template <FloatElement Item>
Tensor<Item> glu(const Tensor<Item> &X, int64_t Axis = -1,
                 OpLocation Where = std::source_location::current()) {
  Dim Half = extent(X, Axis) / 2;
  std::vector<Tensor<Item>> Halves = split(X, Axis, {Half, Half}, Where);
  return graph_detail::binary<Item, Item>(OpKind::Mul, Halves[0],
                                          sigmoid(Halves[1], Where), Where);
}

/// linear, an activation, linear.
template <FloatElement Item> struct FeedForwardWeights {
  LinearWeights<Item> in, out;
};

template <FloatElement Item>
Tensor<Item> feed_forward(const Tensor<Item> &X,
                          const FeedForwardWeights<Item> &W,
                          OpLocation Where = std::source_location::current()) {
  return linear(silu(linear(X, W.in, Where), Where), W.out, Where);
}

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

template <FloatElement Item> struct LstmCell {
  Tensor<Item> h, c;
};

/// One step. [x | h] W + b has the gates i, f, g, o, one after another:
///   c' = sigmoid(f) * c + sigmoid(i) * tanh(g)
///   h' = sigmoid(o) * tanh(c')
/// X is [b, from], h and c are [b, n], the matrix [from + n, 4n].
template <FloatElement Item>
LstmCell<Item> lstm_cell(const Tensor<Item> &X, const LstmCell<Item> &Last,
                         const LinearWeights<Item> &W,
                         OpLocation Where = std::source_location::current()) {
  Tensor<Item> Gates = linear(cat({X, Last.h}, -1, Where), W, Where);
  Dim Width = extent(Last.h, -1);
  std::vector<Tensor<Item>> Gate =
      split(Gates, -1, {Width, Width, Width, Width}, Where);
  auto Mul = [&](const Tensor<Item> &A, const Tensor<Item> &B) {
    return graph_detail::binary<Item, Item>(OpKind::Mul, A, B, Where);
  };
  Tensor<Item> C = graph_detail::binary<Item, Item>(
      OpKind::Add, Mul(sigmoid(Gate[1], Where), Last.c),
      Mul(sigmoid(Gate[0], Where), tanh(Gate[2], Where)), Where);
  return {Mul(sigmoid(Gate[3], Where), tanh(C, Where)), C};
}

//===----------------------------------------------------------------------===//
// Lengths and attention
//===----------------------------------------------------------------------===//

/// Returns [b, T]: true if a time is within its signal's length.
inline Tensor<bool>
within_lengths(const Tensor<int32_t> &Lengths, Size Times,
               OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<bool>(any::within_lengths(Lengths, Times, Where));
}

/// [heads, Queries, Keys]: entry K - Q + M - 1 of a table [heads, 2M - 1], for
/// the key at K and the query at Q. Both sizes are at most M.
template <FloatElement Item>
Tensor<Item> relative_bias(const Tensor<Item> &Table, Size Queries, Size Keys,
                           OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(
      any::relative_bias(Table, Queries, Keys, Where));
}

template <FloatElement Item> struct AttentionOptions {
  Tensor<int32_t> lengths = {}; ///< of keys
  Tensor<Item> bias = {};       ///< added to scores; broadcasts to [b, h, q, k]
};

/// softmax(q k^T / sqrt(d / heads) + bias) v for each head: [b, q, d] of
/// queries, with keys and values [b, k, d].
template <FloatElement Item>
Tensor<Item> attention(const Tensor<Item> &Queries, const Tensor<Item> &Keys,
                       const Tensor<Item> &Values, int64_t Heads,
                       const AttentionOptions<Item> &Options = {},
                       OpLocation Where = std::source_location::current()) {
  return graph_detail::typed<Item>(any::attention(
      Queries, Keys, Values, Heads, Options.lengths, Options.bias, Where));
}

/// in is [d, 3d]: queries, keys and values, one after another.
template <FloatElement Item> struct AttentionWeights {
  LinearWeights<Item> in, out;
};

template <FloatElement Item>
Tensor<Item>
multi_head_attention(const Tensor<Item> &X, const AttentionWeights<Item> &W,
                     int64_t Heads, const AttentionOptions<Item> &Options = {},
                     OpLocation Where = std::source_location::current()) {
  Dim D = extent(X, -1);
  std::vector<Tensor<Item>> Qkv =
      split(linear(X, W.in, Where), -1, {D, D, D}, Where);
  return linear(attention(Qkv[0], Qkv[1], Qkv[2], Heads, Options, Where), W.out,
                Where);
}

//===----------------------------------------------------------------------===//
// Convolution of a conformer
//===----------------------------------------------------------------------===//

template <FloatElement Item> struct ConformerConvWeights {
  LinearWeights<Item> in;      ///< [d, 2d]
  Tensor<Item> depthwise;      ///< [size, 1, d], size is odd
  Tensor<Item> depthwise_bias; ///< [d]
  Tensor<Item> gamma, beta;    ///< [d]
  LinearWeights<Item> out;     ///< [d, d]
};

/// linear, glu, a depthwise convolution over time that keeps its extent,
/// layer_norm, silu, linear. With \p Lengths, times past them are 0 for the
/// convolution.
template <FloatElement Item>
Tensor<Item>
conformer_conv(const Tensor<Item> &X, const ConformerConvWeights<Item> &W,
               const Tensor<int32_t> &Lengths = {},
               OpLocation Where = std::source_location::current()) {
  Tensor<Item> Y = glu(linear(X, W.in, Where), -1, Where);
  if (Lengths.graph()) {
    Tensor<bool> IsWithin = within_lengths(Lengths, extent(X, 1), Where);
    Y = where(reshape(IsWithin, {extent(X, 0), extent(X, 1), 1}, Where), Y, 0,
              Where);
  }
  Dim Window = extent(W.depthwise, 0), Channels = extent(X, -1);
  Conv1dOptions Options{.layout = ConvLayout::ChannelsLast};
  if (Window.valid() && Channels.valid()) {
    Options.padding = Window.hi() / 2;
    Options.groups = Channels.hi();
  }
  Y = conv1d(Y, W.depthwise, W.depthwise_bias, Options, Where);
  Y = silu(layer_norm(Y, W.gamma, W.beta, 1e-5F, Where), Where);
  return linear(Y, W.out, Where);
}

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_LAYERS_H
