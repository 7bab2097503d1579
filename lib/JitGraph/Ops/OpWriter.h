//===- OpWriter.h - checked nodes of operations -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of all operations of AnyOps.h: operands of one graph,
// matching shapes, messages that begin with the operation's name, and nodes
// with valid shapes.
//
//   OpWriter W("softmax", Where, {X});
//   if (!W.hasFloats(X) || !W.hasAxis(X, Axis))
//     return W.none();
//
// After the first mistake every check returns false and every node is None, so
// functions need no checks after each step.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_OPS_OPWRITER_H
#define KPACK_LIB_JITGRAPH_OPS_OPWRITER_H

#include "kpack/JitGraph/AnyOps.h"

#include <string_view>

namespace kpack::jit {

using Extents = std::vector<Dim>;

class OpWriter {
public:
  OpWriter(std::string_view Name, OpLocation Where,
           std::span<const TensorRef> Operands);
  OpWriter(std::string_view Name, OpLocation Where,
           std::initializer_list<TensorRef> Operands);
  /// For an operation without operands.
  OpWriter(std::string_view Name, OpLocation Where, GraphRef Graph);

  /// True if there was no mistake so far.
  explicit operator bool() const { return IsUsable; }
  OpGraph &graph() const { return *Graph; }
  DimContext &dims() const { return Graph->dims(); }
  OpLocation where() const { return Where; }

  TensorRef none() const { return none(ElementType::Float32); }
  TensorRef none(ElementType Type) const {
    return TensorRef(Graph, TensorRef::None, Type);
  }
  /// Reports "<name>: <What>; <Fix>" and the location. Returns false.
  bool refuse(const std::string &Problem, const std::string &Fix);

  /// Returns a copy, since nodes may move when one is added.
  Extents shape(TensorRef X) const;
  size_t rank(TensorRef X) const { return shape(X).size(); }
  Dim number(int64_t Value) const { return dims().constant(Value); }
  bool isOne(Dim D) const { return D == number(1); }
  /// True if this is provable.
  bool isAtLeast(Dim D, int64_t Value) const {
    return dims().provablyLessEqual(number(Value), D);
  }
  bool areEqual(Dim A, Dim B) const { return Graph->areEqual(A, B); }
  bool areEqual(const Extents &A, const Extents &B) const;
  /// True if a formula did not overflow and is of this graph.
  bool isValid(Dim D);
  bool toExtents(const Sizes &Shape, Extents &Out);

  bool hasFloats(TensorRef X);
  bool hasNumbers(TensorRef X);
  bool hasType(TensorRef X, ElementType Type);
  bool haveOneType(TensorRef A, TensorRef B);
  bool hasRank(TensorRef X, size_t Rank, std::string_view Meaning);
  /// A negative \p Axis counts from the last; makes it non-negative.
  bool hasAxis(TensorRef X, int64_t &Axis);

  /// Applies NumPy's rule: shapes are aligned at their last axes; extents are
  /// equal, or one is 1. Returns nothing, after a message, if they do not fit.
  std::optional<Extents> broadcast(const Extents &A, const Extents &B);

  /// Adds \p N with its location.
  TensorRef node(OpNode N);
  /// Returns \p X with these extents, in the same order; \p X itself if it has
  /// them.
  TensorRef reshaped(TensorRef X, Extents Shape);
  /// Returns \p X with axes added in front and axes of extent 1 repeated.
  TensorRef expanded(TensorRef X, Extents Shape);
  TensorRef full(ElementType Type, Extents Shape, double Value);
  TensorRef permuted(TensorRef X, std::vector<int64_t> Axes);
  TensorRef sliced(TensorRef X, int64_t Axis, Dim Start, Dim Length);
  /// Removes the axis of a reduction or its like, whose extent is 1.
  TensorRef withoutAxis(TensorRef X, int64_t Axis);

private:
  std::string_view Name;
  OpLocation Where;
  OpGraph *Graph = nullptr;
  bool IsUsable = false;
};

/// Returns "[b, t, 80]".
std::string textOf(std::span<const Dim> Shape);
inline bool isFloat(ElementType Type) { return Type <= ElementType::BFloat16; }
/// Converts narrower types to float: a result of several steps is only rounded
/// at its end.
TensorRef widened(TensorRef X, OpLocation Where);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_OPS_OPWRITER_H
