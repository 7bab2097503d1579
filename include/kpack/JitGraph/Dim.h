//===- kpack/JitGraph/Dim.h - sizes that are not known yet ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is prepared once, for all sizes within bounds: what depends on a size
// is an expression, a Dim, over variables that get their values at each call.
//
//   DimContext C;
//   Dim T = *C.variable("t", {1, 3000});
//   Dim Half = (T - 1) / 2 + 1;      // what a convolution of stride 2 leaves
//   Half.lo(), Half.hi();            // 1, 1500: what to allocate
//   Half == ceilDiv(T, 2);           // true: both are floordiv(t + 1, 2)
//
// Each Dim is kept as a sum of products, and one sum is kept once: two that can
// be proved equal this way are the same object. Whatever a Dim, or a step on
// the way to its value, may be within the bounds fits into 64 bits: an
// operation that cannot promise so is an error, nothing ever wraps around.
//
// `/` and floorDiv round down and mod is never negative, also below zero, where
// C++ rounds toward zero. Divisors are provably 1 or more.
//
// Siblings: DimText.h (as text and C++), DimProgram.h (values, fast).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_DIM_H
#define KPACK_JITGRAPH_DIM_H

#include "kpack/Support/Status.h"

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kpack::jit {

class DimBuilder;
class DimContext;
struct DimNode;

/// The integers from Lo to Hi, both included.
struct DimRange {
  int64_t Lo = 0;
  int64_t Hi = 0;

  bool contains(int64_t Value) const { return Lo <= Value && Value <= Hi; }
  friend bool operator==(const DimRange &, const DimRange &) = default;
};

/// An expression of one DimContext, which has to outlive it. As cheap to copy
/// as a pointer.
class Dim {
public:
  /// Of no context, and invalid.
  Dim() = default;

  /// False for what came of an operator that failed (DimContext::status() says
  /// why). Nothing but valid() and operators may then be asked.
  bool valid() const;

  /// What the value can be. The bounds are sound, not always reached.
  DimRange range() const;
  int64_t lo() const { return range().Lo; }
  int64_t hi() const { return range().Hi; }
  bool isConstant() const { return lo() == hi(); }

  DimContext &context() const;

  /// Whether both have the same normal form, and therefore always the same
  /// value. False proves nothing.
  friend bool operator==(Dim A, Dim B) { return A.Node == B.Node; }

  /// For the room: what it is made of.
  const DimNode *node() const { return Node; }
  explicit Dim(const DimNode *Of) : Node(Of) {}

private:
  const DimNode *Node = nullptr;
};

/// A variable as it was declared. Its place among the others is its place in
/// the values of a call.
struct DimVariable {
  std::string Name;
  DimRange Range;
};

/// Owner of expressions. One thread at a time.
class DimContext {
public:
  DimContext();
  ~DimContext();
  DimContext(const DimContext &) = delete;
  DimContext &operator=(const DimContext &) = delete;

  /// Invalid for the one number that has no negative, -2^63.
  Dim constant(int64_t Value);

  /// A new variable; \p Name is an identifier of C++. One that has no choice
  /// (Lo == Hi) is that constant, and is folded into all it stands in.
  Result<Dim> variable(std::string Name, DimRange Range);
  const std::vector<DimVariable> &variables() const;

  /// Whether these are values for variables(), in their order: VarOutOfRange of
  /// a call.
  Status check(std::span<const int64_t> Values) const;

  /// InvalidArgument where the result may not fit into 64 bits, a divisor may
  /// be less than 1, or an operand is another context's.
  Result<Dim> add(Dim A, Dim B);
  Result<Dim> sub(Dim A, Dim B);
  Result<Dim> mul(Dim A, Dim B);
  Result<Dim> floorDiv(Dim A, Dim B);
  Result<Dim> ceilDiv(Dim A, Dim B);
  Result<Dim> mod(Dim A, Dim B);
  Result<Dim> min(Dim A, Dim B);
  Result<Dim> max(Dim A, Dim B);

  /// \p E with the variables of \p New replaced. What takes a variable's place
  /// must lie within its bounds.
  Result<Dim> substitute(Dim E, std::span<const std::pair<Dim, Dim>> New);

  /// Whether it holds for all values within the bounds; false where that cannot
  /// be proved.
  bool provablyEqual(Dim A, Dim B);
  bool provablyLess(Dim A, Dim B);
  bool provablyLessEqual(Dim A, Dim B);

  /// Of the first operator (below) that failed. Formulas are written without
  /// asking at each step, as with a NaN, and asked about once.
  const Status &status() const;

  /// For operators: an invalid Dim, and status() says why.
  Dim refuse(Status Why);

private:
  std::unique_ptr<DimBuilder> Builder;
};

/// Formulas. An operand of no context, or two of different ones, is a mistake
/// of the program: the result is invalid.
Dim operator+(Dim A, Dim B);
Dim operator-(Dim A, Dim B);
Dim operator*(Dim A, Dim B);
Dim operator/(Dim A, Dim B); ///< rounds down
Dim operator%(Dim A, Dim B); ///< never negative
Dim ceilDiv(Dim A, Dim B);
Dim min(Dim A, Dim B);
Dim max(Dim A, Dim B);

Dim operator+(Dim A, int64_t B);
Dim operator-(Dim A, int64_t B);
Dim operator*(Dim A, int64_t B);
Dim operator/(Dim A, int64_t B);
Dim operator%(Dim A, int64_t B);
Dim ceilDiv(Dim A, int64_t B);
Dim min(Dim A, int64_t B);
Dim max(Dim A, int64_t B);
Dim operator+(int64_t A, Dim B);
Dim operator-(int64_t A, Dim B);
Dim operator*(int64_t A, Dim B);

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_DIM_H
