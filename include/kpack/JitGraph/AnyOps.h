//===- kpack/JitGraph/AnyOps.h - operations on untyped tensors --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of Ops.h for tensors whose element type is a value, not a
// type: for files and tools. Each function checks its operands, broadcasts them
// by Expand nodes, and adds nodes to their graph. Ops.h describes the
// operations.
//
// A mistake sets the status of the graph, "<op>: <what>; <how to fix>", and
// returns a tensor that is None. An operation on None returns None without
// another message.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_ANYOPS_H
#define KPACK_JITGRAPH_ANYOPS_H

#include "kpack/JitGraph/OpGraph.h"
#include "kpack/JitGraph/TensorRef.h"

#include <initializer_list>
#include <optional>

namespace kpack::jit {

/// A graph, or the graph of a tensor.
class GraphRef {
public:
  GraphRef(OpGraph &Graph) : Graph(&Graph) {}
  GraphRef(const TensorRef &Tensor) : Graph(Tensor.graph()) {}

  /// Null for a tensor that is not initialized.
  OpGraph *get() const { return Graph; }

private:
  OpGraph *Graph;
};

/// An extent or a position: a number, or a Dim.
class Size {
public:
  template <std::integral Integer>
  Size(Integer Given) : Number(static_cast<int64_t>(Given)) {}
  Size(Dim D) : Value(D), IsDim(true) {}

  /// Returns the number, or nullopt for a Dim.
  std::optional<int64_t> number() const {
    return IsDim ? std::nullopt : std::optional(Number);
  }
  /// Returns the value at the upper bounds; 0 for an invalid Dim.
  int64_t most() const {
    return !IsDim ? Number : Value.valid() ? Value.hi() : 0;
  }
  Dim in(DimContext &Context) const {
    return IsDim ? Value : Context.constant(Number);
  }

private:
  int64_t Number = 0;
  Dim Value;
  bool IsDim = false;
};

/// A shape as a list: {b, 80, t}.
class Sizes {
public:
  Sizes() = default;
  Sizes(std::initializer_list<Size> Extents) : Extents(Extents) {}
  Sizes(const std::vector<Dim> &Shape) : Extents(Shape.begin(), Shape.end()) {}

  size_t rank() const { return Extents.size(); }
  const Size &operator[](size_t I) const { return Extents[I]; }

private:
  std::vector<Size> Extents;
};

/// The axis of a signal's channels: [b, c, t] or [b, t, c].
enum class ConvLayout : uint8_t { ChannelsFirst, ChannelsLast };

struct Conv1dOptions {
  int64_t stride = 1;
  int64_t padding = 0; ///< zeros on both sides
  int64_t groups = 1;
  ConvLayout layout = ConvLayout::ChannelsFirst;
};

/// Returns \p A, and refuses each call in which both sizes are not equal.
Dim assume_eq(GraphRef Graph, Dim A, Dim B,
              OpLocation Where = std::source_location::current());

/// Returns the shape; empty for None.
std::vector<Dim> shape(const TensorRef &X);
/// Returns one extent; axes below 0 count from the last. Invalid for None.
Dim extent(const TensorRef &X, int64_t Axis);

namespace any {

TensorRef constant(GraphRef Graph, ElementType Type,
                   std::span<const std::byte> Elements,
                   std::vector<int64_t> Shape, std::string Name,
                   OpLocation Where);
/// Rounds each float to \p Type, a type of floats.
TensorRef constant_as(GraphRef Graph, ElementType Type,
                      std::span<const float> Elements,
                      std::vector<int64_t> Shape, std::string Name,
                      OpLocation Where);
TensorRef full(GraphRef Graph, ElementType Type, const Sizes &Shape,
               double Value, OpLocation Where);
/// Returns [n] with 0, 1, 2, ...
TensorRef iota(GraphRef Graph, ElementType Type, Size Length, OpLocation Where);
/// Returns [1] with the value of a size, 0 or more, in the call.
TensorRef number(GraphRef Graph, ElementType Type, Dim Value, OpLocation Where);

TensorRef reshape(TensorRef X, const Sizes &Shape, OpLocation Where);
TensorRef permute(TensorRef X, std::span<const int64_t> Axes, OpLocation Where);
TensorRef transpose(TensorRef X, int64_t A, int64_t B, OpLocation Where);
TensorRef expand(TensorRef X, const Sizes &Shape, OpLocation Where);
TensorRef slice(TensorRef X, int64_t Axis, Size Start, Size Length,
                OpLocation Where);
TensorRef shrink(TensorRef X, int64_t Axis, Size Length, OpLocation Where);
TensorRef pad(TensorRef X, int64_t Axis, Size Before, Size After, double Value,
              OpLocation Where);
TensorRef cat(std::span<const TensorRef> Parts, int64_t Axis, OpLocation Where);
/// Returns as many tensors as \p Lengths has, also after a mistake.
std::vector<TensorRef> split(TensorRef X, int64_t Axis, const Sizes &Lengths,
                             OpLocation Where);
TensorRef window(TensorRef X, int64_t Axis, int64_t Size, int64_t Stride,
                 OpLocation Where);

/// \p Kind: Neg to Rsqrt.
TensorRef unary(OpKind Kind, TensorRef X, OpLocation Where);
/// \p Kind: Add to Equal.
TensorRef binary(OpKind Kind, TensorRef A, TensorRef B, OpLocation Where);
/// One operand may be a number.
TensorRef binary(OpKind Kind, TensorRef A, double B, OpLocation Where);
TensorRef binary(OpKind Kind, double A, TensorRef B, OpLocation Where);
TensorRef where(TensorRef Condition, TensorRef Then, TensorRef Otherwise,
                OpLocation Where);
TensorRef where(TensorRef Condition, TensorRef Then, double Otherwise,
                OpLocation Where);
TensorRef where(TensorRef Condition, double Then, TensorRef Otherwise,
                OpLocation Where);
TensorRef cast(TensorRef X, ElementType Type, OpLocation Where);
TensorRef logical_and(TensorRef A, TensorRef B, OpLocation Where);
TensorRef logical_or(TensorRef A, TensorRef B, OpLocation Where);
TensorRef logical_not(TensorRef X, OpLocation Where);

TensorRef sigmoid(TensorRef X, OpLocation Where);
TensorRef tanh(TensorRef X, OpLocation Where);
TensorRef relu(TensorRef X, OpLocation Where);
TensorRef silu(TensorRef X, OpLocation Where);
TensorRef gelu(TensorRef X, OpLocation Where);

TensorRef sum(TensorRef X, int64_t Axis, bool KeepAxis, OpLocation Where);
TensorRef max_of(TensorRef X, int64_t Axis, bool KeepAxis, OpLocation Where);
TensorRef mean(TensorRef X, int64_t Axis, bool KeepAxis, OpLocation Where);
TensorRef argmax(TensorRef X, int64_t Axis, bool KeepAxis, OpLocation Where);
TensorRef softmax(TensorRef X, int64_t Axis, OpLocation Where);
TensorRef log_softmax(TensorRef X, int64_t Axis, OpLocation Where);
/// \p Gamma and \p Beta are optional: a tensor without a graph stands for none.
TensorRef layer_norm(TensorRef X, TensorRef Gamma, TensorRef Beta,
                     double Epsilon, OpLocation Where);

TensorRef matmul(TensorRef A, TensorRef B, OpLocation Where);
/// \p Bias is optional, as above.
TensorRef conv1d(TensorRef X, TensorRef Weights, TensorRef Bias,
                 const Conv1dOptions &Options, OpLocation Where);

TensorRef within_lengths(TensorRef Lengths, Size Times, OpLocation Where);
TensorRef relative_bias(TensorRef Table, Size Queries, Size Keys,
                        OpLocation Where);
/// \p Lengths and \p Bias are optional, as above.
TensorRef attention(TensorRef Queries, TensorRef Keys, TensorRef Values,
                    int64_t Heads, TensorRef Lengths, TensorRef Bias,
                    OpLocation Where);

} // namespace any
} // namespace kpack::jit

#endif // KPACK_JITGRAPH_ANYOPS_H
