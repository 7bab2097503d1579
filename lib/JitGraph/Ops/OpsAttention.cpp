//===- OpsAttention.cpp - attention, lengths, relative positions ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scores are float for all types of operands. Keys past a signal's length get a
// score so low that their weight is 0, but not minus infinity: a signal without
// any length then has a mean of everything, and no NaN.
//
//===----------------------------------------------------------------------===//
#include "OpWriter.h"

#include "JitGraph/Sizes/DimText.h"

#include <algorithm>
#include <cmath>

using namespace kpack;
using namespace kpack::jit;

static constexpr double NoScore = -1e30;

TensorRef any::within_lengths(TensorRef Lengths, Size Times, OpLocation Where) {
  OpWriter W("within_lengths", Where, {Lengths});
  if (!W.hasType(Lengths, ElementType::Int32) || !W.hasRank(Lengths, 1, "[b]"))
    return W.none(ElementType::Bool);
  TensorRef Each = W.reshaped(Lengths, {W.shape(Lengths)[0], W.number(1)});
  return binary(OpKind::Less, iota(Lengths, ElementType::Int32, Times, Where),
                Each, Where);
}

// With M = 3 the table of a head is -2 -1 0 1 2. Row Q of the wanted matrix is
// the table from M - 1 - Q on:
//
//    0  1  2
//   -1  0  1
//   -2 -1  0
//
// The repeated table gives these rows if it is read in rows that are one
// shorter than the table, as each then begins one earlier:
//
//   -2 -1 [0 1 2 -2] [-1 0 1 2] [-2 -1 0 1] 2
TensorRef any::relative_bias(TensorRef Table, Size Queries, Size Keys,
                             OpLocation Where) {
  OpWriter W("relative_bias", Where, {Table});
  Extents Wanted;
  if (!W.hasFloats(Table) || !W.hasRank(Table, 2, "[heads, 2M - 1]") ||
      !W.toExtents({Queries, Keys}, Wanted))
    return W.none(Table.type());
  Dim Heads = W.shape(Table)[0], Row = W.shape(Table)[1];
  if (!Row.isConstant() || Row.lo() % 2 == 0) {
    W.refuse("table of shape " + textOf(W.shape(Table)) + " has no middle",
             "give a fixed, odd number of positions");
    return W.none(Table.type());
  }
  int64_t Length = Row.lo(), M = (Length + 1) / 2;
  if (Wanted[0].hi() > M || Wanted[1].hi() > M) {
    W.refuse("table of shape " + textOf(W.shape(Table)) + " for " +
                 textOf(Wanted) + " queries and keys",
             "give 2M - 1 positions, of M as many as the longest has");
    return W.none(Table.type());
  }
  if (Length == 1)
    return W.reshaped(Table, {Heads, W.number(1), W.number(1)});
  TensorRef R = W.expanded(W.reshaped(Table, {Heads, W.number(1), Row}),
                           {Heads, W.number(M), Row});
  R = W.reshaped(R, {Heads, W.number(M * Length)});
  R = W.sliced(R, 1, W.number(M - 1), W.number(M * (Length - 1)));
  R = W.reshaped(R, {Heads, W.number(M), W.number(Length - 1)});
  R = W.sliced(R, 1, W.number(0), Wanted[0]);
  return W.sliced(R, 2, W.number(0), Wanted[1]);
}

namespace {

struct Operands {
  TensorRef Queries, Keys, Values, Lengths, Bias;
};

} // namespace

static bool check(OpWriter &W, const Operands &Inputs, int64_t Heads) {
  if (!W.hasFloats(Inputs.Queries) ||
      !W.haveOneType(Inputs.Queries, Inputs.Keys) ||
      !W.haveOneType(Inputs.Keys, Inputs.Values))
    return false;
  for (TensorRef X : {Inputs.Queries, Inputs.Keys, Inputs.Values})
    if (!W.hasRank(X, 3, "[b, t, d]"))
      return false;
  Extents Q = W.shape(Inputs.Queries), K = W.shape(Inputs.Keys);
  if (!W.areEqual(K, W.shape(Inputs.Values)) || !W.areEqual(Q[0], K[0]) ||
      !W.areEqual(Q[2], K[2]))
    return W.refuse("shapes " + textOf(Q) + ", " + textOf(K) + " and " +
                        textOf(W.shape(Inputs.Values)) + " do not fit",
                    "give queries [b, q, d], keys and values [b, k, d]");
  if (!Q[2].isConstant() || Heads < 1 || Q[2].lo() % Heads != 0)
    return W.refuse("shape " + textOf(Q) + " for " + std::to_string(Heads) +
                        " heads",
                    "give a number of heads that divides the last extent");
  return true;
}

/// Reshapes [b, t, d] to [b, heads, t, d / heads].
static TensorRef makeHeads(OpWriter &W, TensorRef X, int64_t Heads) {
  Extents Shape = W.shape(X);
  X = any::reshape(X, {Shape[0], Shape[1], Heads, -1}, W.where());
  return W.permuted(X, {0, 2, 1, 3});
}

TensorRef any::attention(TensorRef Queries, TensorRef Keys, TensorRef Values,
                         int64_t Heads, TensorRef Lengths, TensorRef Bias,
                         OpLocation Where) {
  OpWriter W("attention", Where,
             {Queries, Keys, Values, Lengths.graph() ? Lengths : Keys,
              Bias.graph() ? Bias : Keys});
  Operands Inputs{Queries, Keys, Values, Lengths, Bias};
  if (!check(W, Inputs, Heads))
    return W.none(Queries.type());
  Extents Shape = W.shape(Queries);
  Dim Batch = Shape[0], Times = W.shape(Keys)[1];
  double Scale = 1 / std::sqrt(static_cast<double>(Shape[2].lo() / Heads));
  TensorRef Scores =
      matmul(makeHeads(W, Queries, Heads),
             transpose(makeHeads(W, Keys, Heads), -2, -1, Where), Where);
  Scores = binary(OpKind::Mul, widened(Scores, Where), Scale, Where);
  if (Bias.graph())
    Scores = binary(OpKind::Add, Scores, widened(Bias, Where), Where);
  if (Lengths.graph()) {
    TensorRef IsWithin = within_lengths(Lengths, Times, Where);
    IsWithin = reshape(IsWithin, {Batch, 1, 1, Times}, Where);
    Scores = where(IsWithin, Scores, NoScore, Where);
  }
  TensorRef Weights = cast(softmax(Scores, -1, Where), Values.type(), Where);
  TensorRef R = matmul(Weights, makeHeads(W, Values, Heads), Where);
  return reshape(W.permuted(R, {0, 2, 1, 3}), Shape, Where);
}
