//===- OpsViews.cpp - reshapes, slices and other views --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views move no bytes. The only possible error is a reader outside of its
// operand, so it must be provable that there is none.
//
//===----------------------------------------------------------------------===//
#include "OpWriter.h"

#include "JitGraph/Sizes/DimText.h"

#include <algorithm>
#include <numeric>

using namespace kpack;
using namespace kpack::jit;

static Dim product(const OpWriter &W, const Extents &Shape) {
  Dim Product = W.number(1);
  for (Dim D : Shape)
    Product = Product * D;
  return Product;
}

/// Completes \p Shape, in which one extent may be -1: the rest of the element
/// count.
static bool inferredShape(OpWriter &W, TensorRef X, const Sizes &Shape,
                          Extents &Out) {
  std::optional<size_t> Open;
  std::vector<Dim> Known;
  for (size_t I = 0; I < Shape.rank(); ++I) {
    if (Shape[I].number() != -1) {
      Known.push_back(Shape[I].in(W.dims()));
    } else {
      if (Open)
        return W.refuse("two extents are -1", "leave one open");
      Open = I;
    }
  }
  if (!W.toExtents(Known, Out))
    return false;
  Dim Count = product(W, W.shape(X));
  Dim Rest = product(W, Out);
  if (!W.isValid(Count) || !W.isValid(Rest))
    return false;
  if (Open) {
    if (!W.isAtLeast(Rest, 1))
      return W.refuse("the extent that is left open has no one value where " +
                          toText(Rest) + " is 0",
                      "write it down");
    Dim Quotient = Count / Rest;
    Out.insert(Out.begin() + static_cast<ptrdiff_t>(*Open), Quotient);
    Rest = Rest * Quotient;
    if (!W.isValid(Quotient) || !W.isValid(Rest))
      return false;
  }
  return W.areEqual(Count, Rest) ||
         W.refuse("shapes " + textOf(W.shape(X)) + " and " + textOf(Out) +
                      " have '" + toText(Count) + "' and '" + toText(Rest) +
                      "' elements",
                  "give a shape of as many");
}

TensorRef any::reshape(TensorRef X, const Sizes &Shape, OpLocation Where) {
  OpWriter W("reshape", Where, {X});
  Extents Wanted;
  if (!W || !inferredShape(W, X, Shape, Wanted))
    return W.none(X.type());
  return W.reshaped(X, std::move(Wanted));
}

static std::string axesText(std::span<const int64_t> Numbers) {
  std::string Text;
  for (int64_t Axis : Numbers)
    Text += (Text.empty() ? "" : ", ") + std::to_string(Axis);
  return "[" + Text + "]";
}

TensorRef any::permute(TensorRef X, std::span<const int64_t> Axes,
                       OpLocation Where) {
  OpWriter W("permute", Where, {X});
  if (!W)
    return W.none(X.type());
  auto Rank = static_cast<int64_t>(W.rank(X));
  std::vector<int64_t> Order(Axes.begin(), Axes.end());
  for (int64_t &Axis : Order)
    Axis += Axis < 0 ? Rank : 0;
  std::vector<int64_t> Sorted = Order;
  std::sort(Sorted.begin(), Sorted.end());
  std::vector<int64_t> All(static_cast<size_t>(Rank));
  std::iota(All.begin(), All.end(), 0);
  if (Sorted != All)
    W.refuse("axes " + axesText(Axes) + " are not those of shape " +
                 textOf(W.shape(X)),
             "name each axis once");
  return W ? W.permuted(X, std::move(Order)) : W.none(X.type());
}

TensorRef any::transpose(TensorRef X, int64_t A, int64_t B, OpLocation Where) {
  OpWriter W("transpose", Where, {X});
  if (!W.hasAxis(X, A) || !W.hasAxis(X, B))
    return W.none(X.type());
  std::vector<int64_t> Axes(W.rank(X));
  std::iota(Axes.begin(), Axes.end(), 0);
  std::swap(Axes[static_cast<size_t>(A)], Axes[static_cast<size_t>(B)]);
  return W.permuted(X, std::move(Axes));
}

TensorRef any::expand(TensorRef X, const Sizes &Shape, OpLocation Where) {
  OpWriter W("expand", Where, {X});
  Extents Wanted;
  if (!W || !W.toExtents(Shape, Wanted))
    return W.none(X.type());
  std::optional<Extents> Common = W.broadcast(W.shape(X), Wanted);
  if (Common && !W.areEqual(*Common, Wanted))
    W.refuse("shape " + textOf(W.shape(X)) + " is no part of " + textOf(Wanted),
             "give extents that are longer where they were 1, and equal "
             "otherwise");
  return W ? W.expanded(X, std::move(Wanted)) : W.none(X.type());
}

TensorRef any::slice(TensorRef X, int64_t Axis, Size Start, Size Length,
                     OpLocation Where) {
  OpWriter W("slice", Where, {X});
  Extents Range;
  if (!W.hasAxis(X, Axis) || !W.toExtents({Start, Length}, Range))
    return W.none(X.type());
  Dim Whole = W.shape(X)[static_cast<size_t>(Axis)];
  Dim End = Range[0] + Range[1];
  if (W.isValid(End) && !W.areEqual(End, Whole) &&
      !W.dims().provablyLessEqual(End, Whole))
    W.refuse("elements '" + toText(Range[0]) + "' to '" + toText(End) +
                 "' are not known to be within axis " + std::to_string(Axis) +
                 " of shape " + textOf(W.shape(X)),
             "take fewer, or narrow the variables' bounds");
  return W.sliced(X, Axis, Range[0], Range[1]);
}

TensorRef any::shrink(TensorRef X, int64_t Axis, Size Length,
                      OpLocation Where) {
  return slice(X, Axis, 0, Length, Where);
}

TensorRef any::pad(TensorRef X, int64_t Axis, Size Before, Size After,
                   double Value, OpLocation Where) {
  OpWriter W("pad", Where, {X});
  Extents Around;
  if (!W.hasAxis(X, Axis) || !W.toExtents({Before, After}, Around))
    return W.none(X.type());
  Extents Shape = W.shape(X);
  Extents Starts(Shape.size(), W.number(0));
  auto Index = static_cast<size_t>(Axis);
  Dim Longer = Around[0] + Shape[Index] + Around[1];
  if (Longer == Shape[Index])
    return X;
  Shape[Index] = Longer;
  Starts[Index] = Around[0];
  return W.node({.Kind = OpKind::Pad,
                 .Type = X.type(),
                 .Shape = std::move(Shape),
                 .Operands = {X.id()},
                 .Dims = std::move(Starts),
                 .Value = Value});
}

/// True if they differ along \p Axis only.
static bool fitInARow(OpWriter &W, const Extents &A, const Extents &B,
                      size_t Axis) {
  bool Fit = A.size() == B.size();
  for (size_t I = 0; Fit && I < A.size(); ++I)
    Fit = I == Axis || W.areEqual(A[I], B[I]);
  return Fit || W.refuse("shapes " + textOf(A) + " and " + textOf(B) +
                             " are not known to be equal beside axis " +
                             std::to_string(Axis),
                         "reshape one, or say assume_eq() where they are");
}

TensorRef any::cat(std::span<const TensorRef> Parts, int64_t Axis,
                   OpLocation Where) {
  OpWriter W("cat", Where, Parts);
  if (Parts.empty() || !W.hasAxis(Parts[0], Axis))
    return Parts.empty() ? TensorRef() : W.none(Parts[0].type());
  OpNode N{.Kind = OpKind::Concat,
           .Type = Parts[0].type(),
           .Shape = {},
           .Numbers = {Axis}};
  auto Index = static_cast<size_t>(Axis);
  for (TensorRef Part : Parts) {
    Extents Shape = W.shape(Part);
    if (N.Operands.empty())
      N.Shape = Shape;
    else if (W.haveOneType(Parts[0], Part) &&
             fitInARow(W, N.Shape, Shape, Index))
      N.Shape[Index] = N.Shape[Index] + Shape[Index];
    N.Operands.push_back(Part.id());
  }
  return Parts.size() == 1 ? Parts[0] : W.node(std::move(N));
}

std::vector<TensorRef> any::split(TensorRef X, int64_t Axis,
                                  const Sizes &Lengths, OpLocation Where) {
  OpWriter W("split", Where, {X});
  std::vector<TensorRef> Parts;
  Extents Pieces;
  if (W.hasAxis(X, Axis) && W.toExtents(Lengths, Pieces)) {
    Dim Whole = W.shape(X)[static_cast<size_t>(Axis)];
    Dim Sum = W.number(0);
    for (Dim Piece : Pieces)
      Sum = Sum + Piece;
    if (W.isValid(Sum) && !W.areEqual(Sum, Whole))
      W.refuse("pieces " + textOf(Pieces) +
                   " are not known to be all of axis " + std::to_string(Axis) +
                   " of shape " + textOf(W.shape(X)),
               "give lengths whose sum it is");
  }
  Dim Start = W ? W.number(0) : Dim();
  for (size_t I = 0; I < Lengths.rank(); ++I) {
    Parts.push_back(W ? W.sliced(X, Axis, Start, Pieces[I]) : W.none(X.type()));
    Start = W ? Start + Pieces[I] : Start;
  }
  return Parts;
}

TensorRef any::window(TensorRef X, int64_t Axis, int64_t Size, int64_t Stride,
                      OpLocation Where) {
  OpWriter W("window", Where, {X});
  if (!W.hasAxis(X, Axis))
    return W.none(X.type());
  Extents Shape = W.shape(X);
  auto Index = static_cast<size_t>(Axis);
  if (Size < 1 || Stride < 1)
    W.refuse("size " + std::to_string(Size) + ", stride " +
                 std::to_string(Stride),
             "give both 1 or more");
  else if (!W.isAtLeast(Shape[Index], Size))
    W.refuse("axis " + std::to_string(Axis) + " of shape " + textOf(Shape) +
                 " may be shorter than a window of " + std::to_string(Size),
             "pad it, or raise the lower bounds of variables");
  if (!W)
    return W.none(X.type());
  Shape[Index] = (Shape[Index] - Size) / Stride + 1;
  Shape.push_back(W.number(Size));
  return W.node({.Kind = OpKind::Window,
                 .Type = X.type(),
                 .Shape = std::move(Shape),
                 .Operands = {X.id()},
                 .Numbers = {Axis, Size, Stride}});
}
