//===- OpsReduce.cpp - reductions over one axis ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums and maxima, and functions of them, each in an order that neither
// overflows nor cancels. float16 and bfloat16 are computed as float and rounded
// at the end.
//
//===----------------------------------------------------------------------===//
#include "OpWriter.h"

#include "JitGraph/Sizes/DimText.h"

#include <limits>

using namespace kpack;
using namespace kpack::jit;

static TensorRef reduced(OpWriter &W, OpKind Kind, TensorRef X, int64_t Axis,
                         bool KeepAxis) {
  if (!W)
    return W.none(X.type());
  Extents Shape = W.shape(X);
  Shape[static_cast<size_t>(Axis)] = W.number(1);
  TensorRef R = W.node({.Kind = Kind,
                        .Type = X.type(),
                        .Shape = std::move(Shape),
                        .Operands = {X.id()},
                        .Numbers = {Axis}});
  return KeepAxis ? R : W.withoutAxis(R, Axis);
}

/// Refuses empty axes, which have no maximum and no mean.
static bool isNeverEmpty(OpWriter &W, TensorRef X, int64_t Axis) {
  if (!W)
    return false;
  return W.isAtLeast(W.shape(X)[static_cast<size_t>(Axis)], 1) ||
         W.refuse("axis " + std::to_string(Axis) + " of shape " +
                      textOf(W.shape(X)) + " may be empty",
                  "raise the lower bounds of variables");
}

TensorRef any::sum(TensorRef X, int64_t Axis, bool KeepAxis, OpLocation Where) {
  OpWriter W("sum", Where, {X});
  if (X.type() == ElementType::UInt8 || X.type() == ElementType::Bool)
    W.refuse("elements are " + std::string(nameOf(X.type())),
             "cast them to int32_t");
  if (!W.hasAxis(X, Axis))
    return W.none(X.type());
  return reduced(W, OpKind::Sum, X, Axis, KeepAxis);
}

TensorRef any::max_of(TensorRef X, int64_t Axis, bool KeepAxis,
                      OpLocation Where) {
  OpWriter W("max_of", Where, {X});
  if (!W.hasNumbers(X) || !W.hasAxis(X, Axis) || !isNeverEmpty(W, X, Axis))
    return W.none(X.type());
  return reduced(W, OpKind::MaxOf, X, Axis, KeepAxis);
}

/// Returns the mean of float values; keeps the axis.
static TensorRef computeMean(OpWriter &W, TensorRef X, int64_t Axis) {
  Dim Count = W.shape(X)[static_cast<size_t>(Axis)];
  TensorRef Sum = any::sum(X, Axis, true, W.where());
  return any::binary(OpKind::Div, Sum,
                     any::number(X, ElementType::Float32, Count, W.where()),
                     W.where());
}

TensorRef any::mean(TensorRef X, int64_t Axis, bool KeepAxis,
                    OpLocation Where) {
  OpWriter W("mean", Where, {X});
  if (!W.hasFloats(X) || !W.hasAxis(X, Axis) || !isNeverEmpty(W, X, Axis))
    return W.none(X.type());
  TensorRef Mean = computeMean(W, widened(X, Where), Axis);
  Mean = cast(Mean, X.type(), Where);
  return KeepAxis ? Mean : W.withoutAxis(Mean, Axis);
}

TensorRef any::argmax(TensorRef X, int64_t Axis, bool KeepAxis,
                      OpLocation Where) {
  constexpr ElementType Index = ElementType::Int32;
  OpWriter W("argmax", Where, {X});
  if (!W.hasNumbers(X) || !W.hasAxis(X, Axis) || !isNeverEmpty(W, X, Axis))
    return W.none(Index);
  Dim Count = W.shape(X)[static_cast<size_t>(Axis)];
  if (Count.hi() > std::numeric_limits<int32_t>::max()) {
    W.refuse("axis " + std::to_string(Axis) + " of shape " +
                 textOf(W.shape(X)) + " is too long for int32_t",
             "narrow the variables' bounds");
    return W.none(Index);
  }
  // The least index of the greatest element, as a maximum of negated indices.
  TensorRef Most = max_of(X, Axis, true, Where);
  TensorRef IsMost = binary(OpKind::Equal, X, Most, Where);
  TensorRef Indices = unary(OpKind::Neg, iota(X, Index, Count, Where), Where);
  Extents Shape(W.rank(X), W.number(1));
  Shape[static_cast<size_t>(Axis)] = Count;
  Indices = W.expanded(W.reshaped(Indices, Shape), W.shape(X));
  // A row of NaNs gets a valid index, too.
  TensorRef Marked =
      where(IsMost, Indices, 1.0 - static_cast<double>(Count.hi()), Where);
  TensorRef First = max_of(Marked, Axis, true, Where);
  First = unary(OpKind::Neg, First, Where);
  return KeepAxis ? First : W.withoutAxis(First, Axis);
}

/// Returns an exponent of at most 0, with 0 somewhere.
static TensorRef belowMost(TensorRef X, int64_t Axis, OpLocation Where) {
  TensorRef Most = any::max_of(X, Axis, true, Where);
  return any::binary(OpKind::Sub, X, Most, Where);
}

TensorRef any::softmax(TensorRef X, int64_t Axis, OpLocation Where) {
  OpWriter W("softmax", Where, {X});
  if (!W.hasFloats(X) || !W.hasAxis(X, Axis) || !isNeverEmpty(W, X, Axis))
    return W.none(X.type());
  TensorRef E =
      unary(OpKind::Exp, belowMost(widened(X, Where), Axis, Where), Where);
  TensorRef Softmax = binary(OpKind::Div, E, sum(E, Axis, true, Where), Where);
  return cast(Softmax, X.type(), Where);
}

TensorRef any::log_softmax(TensorRef X, int64_t Axis, OpLocation Where) {
  OpWriter W("log_softmax", Where, {X});
  if (!W.hasFloats(X) || !W.hasAxis(X, Axis) || !isNeverEmpty(W, X, Axis))
    return W.none(X.type());
  TensorRef Below = belowMost(widened(X, Where), Axis, Where);
  TensorRef Sum = sum(unary(OpKind::Exp, Below, Where), Axis, true, Where);
  TensorRef Result =
      binary(OpKind::Sub, Below, unary(OpKind::Log, Sum, Where), Where);
  return cast(Result, X.type(), Where);
}

/// Checks that gamma and beta have the last axis' extent.
static bool isRow(OpWriter &W, TensorRef Row, TensorRef X,
                  std::string_view Role) {
  if (!W)
    return false;
  return W.areEqual(W.shape(Row), {W.shape(X).back()}) ||
         W.refuse(std::string(Role) + " of shape " + textOf(W.shape(Row)) +
                      " for rows of shape " + textOf(W.shape(X)),
                  "give one number for each element of the last axis");
}

TensorRef any::layer_norm(TensorRef X, TensorRef Gamma, TensorRef Beta,
                          double Epsilon, OpLocation Where) {
  OpWriter W("layer_norm", Where,
             {X, Gamma.graph() ? Gamma : X, Beta.graph() ? Beta : X});
  int64_t Axis = -1;
  if (!(Epsilon > 0))
    W.refuse("epsilon is not above 0",
             "give a small number; rows are those of the last axis");
  if (!W.hasFloats(X) || !W.hasAxis(X, Axis) || !isNeverEmpty(W, X, Axis) ||
      (Gamma.graph() && !isRow(W, Gamma, X, "gamma")) ||
      (Beta.graph() && !isRow(W, Beta, X, "beta")))
    return W.none(X.type());
  TensorRef Wide = widened(X, Where);
  TensorRef Difference =
      binary(OpKind::Sub, Wide, computeMean(W, Wide, Axis), Where);
  TensorRef Square = binary(OpKind::Mul, Difference, Difference, Where);
  TensorRef Variance =
      binary(OpKind::Add, computeMean(W, Square, Axis), Epsilon, Where);
  TensorRef R = binary(OpKind::Mul, Difference,
                       unary(OpKind::Rsqrt, Variance, Where), Where);
  if (Gamma.graph())
    R = binary(OpKind::Mul, R, widened(Gamma, Where), Where);
  if (Beta.graph())
    R = binary(OpKind::Add, R, widened(Beta, Where), Where);
  return cast(R, X.type(), Where);
}
