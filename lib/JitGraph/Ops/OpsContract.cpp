//===- OpsContract.cpp - matrix products and convolutions -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is the product of its weights with a matrix that has a row for
// each window, k numbers of all channels. The matrix is a view, with k in the
// order of the input in memory, so that rows are contiguous where possible:
//
//   layout        windows          row of k           weights
//   [b, c, t]     [b, c, t', s]    channels, then s   [n, c, s], transposed
//   [b, t, c]     [b, t', c, s]    s, then channels   [s, c, n]
//
// If each channel has separate weights (depthwise), a matrix product gains
// nothing: windows are multiplied and added.
//
//===----------------------------------------------------------------------===//
#include "OpWriter.h"

#include "JitGraph/Sizes/DimText.h"

using namespace kpack;
using namespace kpack::jit;

TensorRef any::matmul(TensorRef A, TensorRef B, OpLocation Where) {
  OpWriter W("matmul", Where, {A, B});
  if (!W.haveOneType(A, B) || !W.hasFloats(A))
    return W.none(A.type());
  Extents Left = W.shape(A), Right = W.shape(B);
  std::string Both = "shapes " + textOf(Left) + " and " + textOf(Right);
  if (Left.size() < 2 || Right.size() < 2) {
    W.refuse(Both + " are not both matrices", "reshape one");
    return W.none(A.type());
  }
  Dim K = Left.back();
  if (!W.areEqual(K, Right[Right.size() - 2])) {
    W.refuse(Both + " do not fit: '" + toText(K) + "' columns and '" +
                 toText(Right[Right.size() - 2]) +
                 "' rows are not known to be equal",
             "transpose one, or say assume_eq() where they are");
    return W.none(A.type());
  }
  Extents LeftBatch(Left.begin(), Left.end() - 2);
  Extents RightBatch(Right.begin(), Right.end() - 2);
  std::optional<Extents> Batch = W.broadcast(LeftBatch, RightBatch);
  if (!Batch)
    return W.none(A.type());
  auto BatchOf = [&](Dim Rows, Dim Columns) {
    Extents Shape = *Batch;
    Shape.push_back(Rows);
    Shape.push_back(Columns);
    return Shape;
  };
  Dim M = Left[Left.size() - 2], N = Right.back();
  A = W.expanded(A, BatchOf(M, K));
  B = W.expanded(B, BatchOf(K, N));
  return W.node({.Kind = OpKind::Contract,
                 .Type = A.type(),
                 .Shape = BatchOf(M, N),
                 .Operands = {A.id(), B.id()}});
}

namespace {

/// Writes one convolution.
class Conv1d {
public:
  Conv1d(OpWriter &W, const Conv1dOptions &Options, TensorRef X,
         TensorRef Weights)
      : W(W), Options(Options), X(X), Weights(Weights),
        IsLast(Options.layout == ConvLayout::ChannelsLast) {}

  /// \p Bias may be no tensor.
  TensorRef run(TensorRef Bias) {
    if (!check(Bias))
      return W.none(X.type());
    X = any::pad(X, timeAxis(), Options.padding, Options.padding, 0, W.where());
    if (!W.isAtLeast(W.shape(X)[static_cast<size_t>(timeAxis())], Size)) {
      W.refuse("shape " + textOf(W.shape(X)) +
                   " may be shorter than a window of " + std::to_string(Size),
               "pad more, or raise the lower bounds of variables");
      return W.none(X.type());
    }
    // [b, c, t', s] or [b, t', c, s].
    TensorRef Windows =
        any::window(X, timeAxis(), Size, Options.stride, W.where());
    bool IsDepthwise = Options.groups > 1 && Channels == Options.groups &&
                       Results == Options.groups;
    TensorRef R = IsDepthwise           ? depthwise(Windows)
                  : Options.groups == 1 ? dense(Windows)
                                        : grouped(Windows);
    if (!Bias.graph())
      return R;
    if (!IsLast)
      Bias = any::reshape(Bias, {Results, 1}, W.where());
    return any::binary(OpKind::Add, R, Bias, W.where());
  }

private:
  int64_t timeAxis() const { return IsLast ? 1 : 2; }
  TensorRef permute(TensorRef T, std::vector<int64_t> Axes) {
    return any::permute(T, Axes, W.where());
  }
  TensorRef reshape(TensorRef T, const Sizes &Shape) {
    return any::reshape(T, Shape, W.where());
  }

  bool check(TensorRef Bias) {
    if (!W.hasFloats(X) || !W.haveOneType(X, Weights) ||
        !W.hasRank(X, 3, IsLast ? "[b, t, c]" : "[b, c, t]") ||
        !W.hasRank(Weights, 3, IsLast ? "[s, c, n]" : "[n, c, s]"))
      return false;
    Extents WeightShape = W.shape(Weights);
    Extents InputShape = W.shape(X);
    std::string Both = "shapes " + textOf(InputShape) + " and " +
                       textOf(WeightShape) + " (weights)";
    for (Dim D : WeightShape)
      if (!D.isConstant() || D.lo() < 1)
        return W.refuse(Both + ": weights are of no fixed size",
                        "give them one");
    Size = WeightShape[IsLast ? 0 : 2].lo();
    Results = WeightShape[IsLast ? 2 : 0].lo();
    int64_t Groups = Options.groups;
    if (Options.stride < 1 || Options.padding < 0 || Groups < 1)
      return W.refuse("stride " + std::to_string(Options.stride) +
                          ", padding " + std::to_string(Options.padding) +
                          ", groups " + std::to_string(Groups),
                      "give a stride and groups of 1 or more");
    if (__builtin_mul_overflow(WeightShape[1].lo(), Groups, &Channels) ||
        !W.areEqual(InputShape[IsLast ? 2 : 1], W.number(Channels)) ||
        Results % Groups != 0)
      return W.refuse(Both + " do not fit in " + std::to_string(Groups) +
                          " groups",
                      "give weights of as many channels as a group has, and "
                      "as many results for each group");
    if (Bias.graph() && (!W.haveOneType(X, Bias) ||
                         !W.areEqual(W.shape(Bias), {W.number(Results)})))
      return W.refuse("bias of shape " + textOf(W.shape(Bias)) + " for " +
                          std::to_string(Results) + " results",
                      "give one number for each");
    return true;
  }

  /// Multiplies element by element, and sums each window.
  TensorRef depthwise(TensorRef Windows) {
    TensorRef Each =
        IsLast ? reshape(permute(Weights, {1, 2, 0}), {Channels, Size})
               : reshape(Weights, {Channels, 1, Size});
    TensorRef Products = any::binary(OpKind::Mul, Windows, Each, W.where());
    return any::sum(Products, 3, false, W.where());
  }

  TensorRef dense(TensorRef Windows) {
    Dim B = W.shape(Windows)[0];
    Dim Times = W.shape(Windows)[IsLast ? 1 : 2];
    int64_t K = Channels * Size;
    Windows = permute(Windows, IsLast ? std::vector<int64_t>{0, 1, 3, 2}
                                      : std::vector<int64_t>{0, 2, 1, 3});
    TensorRef Rows = reshape(Windows, {B, Times, K});
    TensorRef Columns = IsLast
                            ? reshape(Weights, {K, Results})
                            : permute(reshape(Weights, {Results, K}), {1, 0});
    TensorRef R = any::matmul(Rows, Columns, W.where());
    return IsLast ? R : permute(R, {0, 2, 1});
  }

  /// Computes a convolution with groups as a batch.
  TensorRef grouped(TensorRef Windows) {
    Dim B = W.shape(Windows)[0];
    Dim Times = W.shape(Windows)[IsLast ? 1 : 2];
    int64_t G = Options.groups, C = Channels / G, N = Results / G;
    int64_t K = C * Size;
    TensorRef Rows = IsLast ? permute(reshape(Windows, {B, Times, G, C, Size}),
                                      {0, 2, 1, 4, 3})
                            : permute(reshape(Windows, {B, G, C, Times, Size}),
                                      {0, 1, 3, 2, 4});
    Rows = reshape(Rows, {B, G, Times, K});
    TensorRef Columns = IsLast
                            ? permute(reshape(Weights, {K, G, N}), {1, 0, 2})
                            : permute(reshape(Weights, {G, N, K}), {0, 2, 1});
    TensorRef R = any::matmul(Rows, Columns, W.where());
    if (IsLast)
      return reshape(permute(R, {0, 2, 1, 3}), {B, Times, Results});
    return reshape(permute(R, {0, 1, 3, 2}), {B, Results, Times});
  }

  OpWriter &W;
  const Conv1dOptions &Options;
  TensorRef X, Weights;
  bool IsLast;
  int64_t Size = 0, Channels = 0, Results = 0;
};

} // namespace

TensorRef any::conv1d(TensorRef X, TensorRef Weights, TensorRef Bias,
                      const Conv1dOptions &Options, OpLocation Where) {
  OpWriter W("conv1d", Where, {X, Weights, Bias.graph() ? Bias : X});
  return Conv1d(W, Options, X, Weights).run(Bias);
}
