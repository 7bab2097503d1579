//===- OpWriter.cpp - checked nodes of operations -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares shapes by proof (OpGraph::areEqual). A missing proof is an error
// with the way to promise it, never a guess.
//
//===----------------------------------------------------------------------===//
#include "OpWriter.h"

#include "JitGraph/Sizes/DimText.h"
#include "kpack/JitGraph/View.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

std::string jit::textOf(std::span<const Dim> Shape) {
  std::string Text;
  for (Dim D : Shape)
    Text += (Text.empty() ? "" : ", ") + toText(D);
  return "[" + Text + "]";
}

TensorRef jit::widened(TensorRef X, OpLocation Where) {
  return any::cast(X, ElementType::Float32, Where);
}

OpWriter::OpWriter(std::string_view Name, OpLocation Where,
                   std::span<const TensorRef> Operands)
    : Name(Name), Where(Where) {
  for (TensorRef X : Operands)
    if (!Graph)
      Graph = X.graph();
  IsUsable = Graph;
  for (size_t I = 0; I < Operands.size() && IsUsable; ++I) {
    if (!Operands[I].graph())
      refuse("operand " + std::to_string(I + 1) + " is not initialized",
             "assign it before it is used");
    else if (Operands[I].graph() != Graph)
      refuse("operand " + std::to_string(I + 1) + " is of another graph",
             "use tensors of the graph that is being built");
    else if (Operands[I].id() == TensorRef::None)
      IsUsable = false;
  }
}

OpWriter::OpWriter(std::string_view Name, OpLocation Where,
                   std::initializer_list<TensorRef> Operands)
    : OpWriter(Name, Where, std::span(Operands.begin(), Operands.size())) {}

OpWriter::OpWriter(std::string_view Name, OpLocation Where, GraphRef Graph)
    : Name(Name), Where(Where), Graph(Graph.get()), IsUsable(Graph.get()) {}

bool OpWriter::refuse(const std::string &Problem, const std::string &Fix) {
  if (!IsUsable)
    return false;
  std::string Text = std::string(Name) + ": " + Problem + "; " + Fix;
  if (Where.Line)
    Text +=
        " (" + std::string(Where.File) + ":" + std::to_string(Where.Line) + ")";
  Graph->refuse(Status(StatusCode::InvalidArgument, std::move(Text)));
  return IsUsable = false;
}

Extents OpWriter::shape(TensorRef X) const {
  return IsUsable && X.id() != TensorRef::None ? Graph->node(X.id()).Shape
                                               : Extents();
}

bool OpWriter::areEqual(const Extents &A, const Extents &B) const {
  if (A.size() != B.size())
    return false;
  for (size_t I = 0; I < A.size(); ++I)
    if (!areEqual(A[I], B[I]))
      return false;
  return true;
}

bool OpWriter::isValid(Dim D) {
  if (!IsUsable)
    return false;
  if (D.valid() && &D.context() == &dims())
    return true;
  if (D.valid())
    return refuse("a size is of another graph",
                  "use variables of the graph that is being built");
  // The formula's context knows the error, or the graph if the size is that of
  // None.
  if (!Graph->status().ok())
    return IsUsable = false;
  if (!dims().status().ok())
    return refuse("a size is invalid: " + dims().status().message(),
                  "narrow the variables' bounds");
  return refuse("a size is not initialized", "give it a value");
}

bool OpWriter::toExtents(const Sizes &Shape, Extents &Out) {
  for (size_t I = 0; I < Shape.rank() && IsUsable; ++I)
    if (Out.push_back(Shape[I].in(dims())); isValid(Out.back()))
      if (!isAtLeast(Out.back(), 0))
        refuse("extent '" + toText(Out.back()) + "' may be below 0",
               "raise the lower bounds of variables");
  return IsUsable;
}

bool OpWriter::hasFloats(TensorRef X) {
  return IsUsable && (isFloat(X.type()) ||
                      refuse("elements are " + std::string(nameOf(X.type())),
                             "cast them to float, float16 or bfloat16"));
}

bool OpWriter::hasNumbers(TensorRef X) {
  return IsUsable &&
         (X.type() != ElementType::Bool ||
          refuse("elements are bool", "cast them to a type of numbers"));
}

bool OpWriter::hasType(TensorRef X, ElementType Type) {
  return IsUsable && (X.type() == Type ||
                      refuse("elements are " + std::string(nameOf(X.type())) +
                                 " and not " + std::string(nameOf(Type)),
                             "cast them"));
}

bool OpWriter::haveOneType(TensorRef A, TensorRef B) {
  return IsUsable && (A.type() == B.type() ||
                      refuse("elements are " + std::string(nameOf(A.type())) +
                                 " and " + std::string(nameOf(B.type())),
                             "cast one of them"));
}

bool OpWriter::hasRank(TensorRef X, size_t Rank, std::string_view Meaning) {
  return IsUsable &&
         (rank(X) == Rank || refuse("shape " + textOf(shape(X)) + " is not " +
                                        std::string(Meaning),
                                    "reshape it"));
}

bool OpWriter::hasAxis(TensorRef X, int64_t &Axis) {
  if (!IsUsable)
    return false;
  auto Rank = static_cast<int64_t>(rank(X));
  if (Axis < -Rank || Axis >= Rank)
    return refuse("shape " + textOf(shape(X)) + " has no axis " +
                      std::to_string(Axis),
                  Rank ? "give one from " + std::to_string(-Rank) + " to " +
                             std::to_string(Rank - 1)
                       : "reshape it");
  Axis += Axis < 0 ? Rank : 0;
  return true;
}

std::optional<Extents> OpWriter::broadcast(const Extents &A, const Extents &B) {
  if (!IsUsable)
    return std::nullopt;
  const Extents &Longer = A.size() < B.size() ? B : A;
  const Extents &Shorter = A.size() < B.size() ? A : B;
  Extents Shape = Longer;
  size_t Front = Longer.size() - Shorter.size();
  for (size_t I = 0; I < Shorter.size(); ++I) {
    Dim &Extent = Shape[Front + I];
    if (areEqual(Extent, Shorter[I]) || isOne(Shorter[I]))
      continue;
    if (!isOne(Extent)) {
      bool IsKnown = Extent.isConstant() && Shorter[I].isConstant();
      refuse("shapes " + textOf(A) + " and " + textOf(B) + " do not fit: '" +
                 toText(Extent) + "' and '" + toText(Shorter[I]) +
                 (IsKnown ? "' differ" : "' are not known to be equal"),
             IsKnown ? "reshape or permute one"
                     : "say assume_eq() where they always are");
      return std::nullopt;
    }
    Extent = Shorter[I];
  }
  return Shape;
}

/// True if the elements, and their bytes, can be counted.
static bool isCountable(const Extents &Shape) {
  int64_t Count = 16;
  for (Dim D : Shape)
    if (__builtin_mul_overflow(Count, std::max<int64_t>(D.hi(), 1), &Count))
      return false;
  return true;
}

TensorRef OpWriter::node(OpNode N) {
  for (Dim D : N.Shape)
    isValid(D);
  for (Dim D : N.Dims)
    isValid(D);
  for (uint32_t Operand : N.Operands)
    IsUsable = IsUsable && Operand != TensorRef::None;
  if (IsUsable && N.Shape.size() > MaxRank)
    refuse("shape " + textOf(N.Shape) + " has more than " +
               std::to_string(MaxRank) + " axes",
           "reshape the operands");
  if (IsUsable && !isCountable(N.Shape))
    refuse("shape " + textOf(N.Shape) + " has too many elements to count",
           "narrow the variables' bounds");
  if (!IsUsable)
    return none(N.Type);
  N.Where = Where;
  ElementType Type = N.Type;
  return TensorRef(Graph, Graph->add(std::move(N)), Type);
}

TensorRef OpWriter::reshaped(TensorRef X, Extents Shape) {
  if (!IsUsable || X.id() == TensorRef::None || shape(X) == Shape)
    return X;
  OpNode Source = Graph->node(X.id());
  if (Source.Kind == OpKind::Full)
    return full(X.type(), std::move(Shape), Source.Value);
  if (Source.Kind == OpKind::Reshape)
    return reshaped(TensorRef(Graph, Source.Operands[0], X.type()),
                    std::move(Shape));
  return node({.Kind = OpKind::Reshape,
               .Type = X.type(),
               .Shape = std::move(Shape),
               .Operands = {X.id()}});
}

TensorRef OpWriter::expanded(TensorRef X, Extents Shape) {
  if (!IsUsable || X.id() == TensorRef::None)
    return X;
  Extents Padded(Shape.size() - rank(X), number(1));
  for (Dim D : shape(X))
    Padded.push_back(D);
  X = reshaped(X, Padded);
  // Keep sizes that are equal as they were written.
  for (size_t I = 0; I < Shape.size(); ++I)
    if (!isOne(Padded[I]))
      Shape[I] = Padded[I];
  if (!IsUsable || Shape == Padded)
    return X;
  OpNode Source = Graph->node(X.id());
  if (Source.Kind == OpKind::Full)
    return full(X.type(), std::move(Shape), Source.Value);
  return node({.Kind = OpKind::Expand,
               .Type = X.type(),
               .Shape = std::move(Shape),
               .Operands = {X.id()}});
}

TensorRef OpWriter::full(ElementType Type, Extents Shape, double Value) {
  return node({.Kind = OpKind::Full,
               .Type = Type,
               .Shape = std::move(Shape),
               .Value = Value});
}

TensorRef OpWriter::permuted(TensorRef X, std::vector<int64_t> Axes) {
  if (!IsUsable || std::is_sorted(Axes.begin(), Axes.end()))
    return X;
  Extents Shape;
  for (int64_t Axis : Axes)
    Shape.push_back(shape(X)[static_cast<size_t>(Axis)]);
  return node({.Kind = OpKind::Permute,
               .Type = X.type(),
               .Shape = std::move(Shape),
               .Operands = {X.id()},
               .Numbers = std::move(Axes)});
}

TensorRef OpWriter::sliced(TensorRef X, int64_t Axis, Dim Start, Dim Length) {
  if (!IsUsable)
    return none(X.type());
  Extents Shape = shape(X);
  Extents Starts(Shape.size(), number(0));
  if (Shape[static_cast<size_t>(Axis)] == Length && Start == number(0))
    return X;
  Shape[static_cast<size_t>(Axis)] = Length;
  Starts[static_cast<size_t>(Axis)] = Start;
  return node({.Kind = OpKind::Slice,
               .Type = X.type(),
               .Shape = std::move(Shape),
               .Operands = {X.id()},
               .Dims = std::move(Starts)});
}

TensorRef OpWriter::withoutAxis(TensorRef X, int64_t Axis) {
  Extents Shape = shape(X);
  if (!Shape.empty())
    Shape.erase(Shape.begin() + Axis);
  return reshaped(X, std::move(Shape));
}
