//===- OpWriter.h - one operation while it is checked -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all operations of AnyOps.h have in common: operands that must be of one
// graph, shapes that must fit, messages that begin with the operation's name,
// and nodes whose shapes are in order.
//
//   OpWriter W("softmax", Where, {X});
//   if (!W.hasFloats(X) || !W.hasAxis(X, Axis))
//     return W.none();
//
// After the first mistake every question is answered with no and every node is
// None, so functions need not ask after each step.
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
  /// Of an operation without operands.
  OpWriter(std::string_view Name, OpLocation Where, GraphRef Graph);

  /// Whether nothing is wrong so far.
  explicit operator bool() const { return IsUsable; }
  OpGraph &graph() const { return *Graph; }
  DimContext &dims() const { return Graph->dims(); }
  OpLocation where() const { return Where; }

  TensorRef none() const { return none(ElementType::Float32); }
  TensorRef none(ElementType Type) const {
    return TensorRef(Graph, TensorRef::None, Type);
  }
  /// "<name>: <What>; <Fix>", and where it was written. Always false.
  bool refuse(const std::string &What, const std::string &Fix);

  /// Copies: nodes may move when one is added.
  Extents shape(TensorRef X) const;
  size_t rank(TensorRef X) const { return shape(X).size(); }
  Dim number(int64_t Value) const { return dims().constant(Value); }
  bool isOne(Dim D) const { return D == number(1); }
  /// Provably.
  bool isAtLeast(Dim D, int64_t Value) const {
    return dims().provablyLessEqual(number(Value), D);
  }
  bool areEqual(Dim A, Dim B) const { return Graph->areEqual(A, B); }
  bool areEqual(const Extents &A, const Extents &B) const;
  /// A formula is worth something: it did not overflow, and is of this graph.
  bool isValid(Dim D);
  bool toExtents(const Sizes &Shape, Extents &Out);

  bool hasFloats(TensorRef X);
  bool hasNumbers(TensorRef X);
  bool hasType(TensorRef X, ElementType Type);
  bool haveOneType(TensorRef A, TensorRef B);
  bool hasRank(TensorRef X, size_t Rank, std::string_view What);
  /// Counts \p Axis from the first on where it is below 0.
  bool hasAxis(TensorRef X, int64_t &Axis);

  /// By NumPy's rule: shapes are aligned at their last axes; extents are equal,
  /// or one is 1. Nothing, and a message, where they do not fit.
  std::optional<Extents> broadcast(const Extents &A, const Extents &B);

  /// Adds \p N and says where it is written.
  TensorRef node(OpNode N);
  /// \p X with these extents, in the same order; \p X where it has them.
  TensorRef reshaped(TensorRef X, Extents Shape);
  /// \p X with axes put in front and 1s made longer.
  TensorRef expanded(TensorRef X, Extents Shape);
  TensorRef full(ElementType Type, Extents Shape, double Value);
  TensorRef permuted(TensorRef X, std::vector<int64_t> Axes);
  TensorRef sliced(TensorRef X, int64_t Axis, Dim Start, Dim Length);
  /// A reduction or its like without the axis that is 1 now.
  TensorRef withoutAxis(TensorRef X, int64_t Axis);

private:
  std::string_view Name;
  OpLocation Where;
  OpGraph *Graph = nullptr;
  bool IsUsable = false;
};

/// "[b, t, 80]".
std::string textOf(std::span<const Dim> Shape);
inline bool isFloat(ElementType Type) { return Type <= ElementType::BFloat16; }
/// As float, if it is narrower: what is made of several steps is only rounded
/// at its end.
TensorRef widened(TensorRef X, OpLocation Where);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_OPS_OPWRITER_H
