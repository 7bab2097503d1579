//===- OpsSources.cpp - operations without operands -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights, numbers, and sizes as numbers. The value of a size is the element of
// an iota at that index: a view of a tensor without memory.
//
//===----------------------------------------------------------------------===//
#include "OpWriter.h"

#include "JitGraph/Sizes/DimText.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace kpack;
using namespace kpack::jit;

Dim jit::assume_eq(GraphRef Graph, Dim A, Dim B, OpLocation Where) {
  OpWriter W("assume_eq", Where, Graph);
  if (!W.isValid(A) || !W.isValid(B) || W.areEqual(A, B))
    return A;
  if (A.hi() < B.lo() || B.hi() < A.lo())
    W.refuse("'" + toText(A) + "' and '" + toText(B) + "' are never equal",
             "change a shape");
  else
    W.graph().addGuard({A, B, Where});
  return A;
}

std::vector<Dim> jit::shape(const TensorRef &X) {
  if (!X.graph() || X.id() == TensorRef::None)
    return {};
  return X.graph()->node(X.id()).Shape;
}

Dim jit::extent(const TensorRef &X, int64_t Axis) {
  OpWriter W("extent", OpLocation(), {X});
  return W.hasAxis(X, Axis) ? W.shape(X)[static_cast<size_t>(Axis)] : Dim();
}

TensorRef any::constant(GraphRef Graph, ElementType Type,
                        std::span<const std::byte> Elements,
                        std::vector<int64_t> Shape, std::string Name,
                        OpLocation Where) {
  OpWriter W("constant", Where, Graph);
  uint64_t Bytes = sizeOf(Type);
  Extents Wanted;
  for (int64_t Extent : Shape) {
    Wanted.push_back(W ? W.number(Extent) : Dim());
    if (Extent < 1 || __builtin_mul_overflow(Bytes, Extent, &Bytes))
      W.refuse("'" + Name + "' of shape " + textOf(Wanted),
               "give extents of 1 or more and fewer elements");
  }
  if (W && Bytes != Elements.size())
    W.refuse("'" + Name + "' of shape " + textOf(Wanted) + " has " +
                 std::to_string(Elements.size() / sizeOf(Type)) +
                 " elements and not " + std::to_string(Bytes / sizeOf(Type)),
             "give all of them");
  if (!W)
    return W.none(Type);
  OpConstant C{.Name = std::move(Name),
               .Type = Type,
               .Shape = std::move(Shape),
               .Bytes = ConstantBytes(Elements),
               .Where = Where};
  return TensorRef(&W.graph(), W.graph().addConstant(std::move(C)), Type);
}

/// Rounds to nearest even.
static uint16_t bfloat16Bits(float Value) {
  auto Bits = std::bit_cast<uint32_t>(Value);
  if (std::isnan(Value))
    return static_cast<uint16_t>(Bits >> 16 | 0x40);
  return static_cast<uint16_t>((Bits + 0x7fff + (Bits >> 16 & 1)) >> 16);
}

static uint16_t float16Bits(float Value) {
  auto Bits = std::bit_cast<uint32_t>(Value);
  uint32_t Sign = Bits >> 16 & 0x8000, Result = 0;
  Bits &= 0x7fffffff;
  float Magnitude = std::abs(Value);
  if (std::isnan(Value))
    Result = 0x7e00;
  else if (Magnitude >= 65520)
    Result = 0x7c00;
  else if (Magnitude < 0x1p-14F) // in units of the smallest number
    Result = static_cast<uint32_t>(std::nearbyint(Magnitude * 0x1p24F));
  else // change the exponent's bias from 127 to 15
    Result = ((Bits + 0xfff + (Bits >> 13 & 1)) >> 13) - (112 << 10);
  return static_cast<uint16_t>(Sign | Result);
}

TensorRef any::constant_as(GraphRef Graph, ElementType Type,
                           std::span<const float> Elements,
                           std::vector<int64_t> Shape, std::string Name,
                           OpLocation Where) {
  OpWriter W("constant_as", Where, Graph);
  if (!W.hasFloats(W.none(Type)))
    return W.none(Type);
  if (Type == ElementType::Float32)
    return constant(Graph, Type, std::as_bytes(Elements), std::move(Shape),
                    std::move(Name), Where);
  std::vector<uint16_t> Bits;
  for (float Element : Elements)
    Bits.push_back(Type == ElementType::Float16 ? float16Bits(Element)
                                                : bfloat16Bits(Element));
  return constant(Graph, Type, std::as_bytes(std::span(Bits)), std::move(Shape),
                  std::move(Name), Where);
}

TensorRef any::full(GraphRef Graph, ElementType Type, const Sizes &Shape,
                    double Value, OpLocation Where) {
  OpWriter W("full", Where, Graph);
  Extents Wanted;
  return W.toExtents(Shape, Wanted) ? W.full(Type, std::move(Wanted), Value)
                                    : W.none(Type);
}

TensorRef any::iota(GraphRef Graph, ElementType Type, Size N,
                    OpLocation Where) {
  OpWriter W("iota", Where, Graph);
  Extents Shape;
  if (Type == ElementType::Bool)
    W.refuse("elements are bool", "take a type of numbers");
  if (!W.toExtents({N}, Shape))
    return W.none(Type);
  return W.node(
      {.Kind = OpKind::Iota, .Type = Type, .Shape = std::move(Shape)});
}

TensorRef any::number(GraphRef Graph, ElementType Type, Dim Value,
                      OpLocation Where) {
  OpWriter W("number", Where, Graph);
  if (!W.isValid(Value))
    return W.none(Type);
  if (!W.isAtLeast(Value, 0))
    W.refuse("'" + toText(Value) + "' may be below 0",
             "raise the lower bounds of variables");
  if (!W)
    return W.none(Type);
  if (Value.isConstant())
    return W.full(Type, {W.number(1)}, static_cast<double>(Value.lo()));
  bool IsNarrow = Value.hi() < std::numeric_limits<int32_t>::max();
  TensorRef Numbers =
      iota(Graph, IsNarrow ? ElementType::Int32 : ElementType::Int64,
           Value.hi() + 1, Where);
  if (Numbers.id() == TensorRef::None)
    return W.none(Type);
  return cast(W.sliced(Numbers, 0, Value, W.number(1)), Type, Where);
}
