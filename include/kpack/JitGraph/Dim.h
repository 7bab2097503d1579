//===- kpack/JitGraph/Dim.h - symbolic sizes of tensors ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is prepared once for all sizes within bounds: a value that depends on
// a size is an expression, a Dim, over variables that get their values at each
// call.
//
//   DimContext C;
//   Dim T = *C.variable("t", {1, 3000});
//   Dim Half = (T - 1) / 2 + 1;      // after a convolution of stride 2
//   Half.lo(), Half.hi();            // 1, 1500: what to allocate
//   Half == ceilDiv(T, 2);           // true: both are floordiv(t + 1, 2)
//
// Each Dim is a unique normal form, a sum of products, so two Dims that can be
// proved equal this way are the same object. Every value and intermediate
// result within the bounds fits into 64 bits: an operation that cannot
// guarantee that is an error, and nothing wraps around.
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
  /// Invalid, and without a context.
  Dim() = default;

  /// False for the result of a failed operator (DimContext::status() has the
  /// error). Only valid() and operators may then be used.
  bool valid() const;

  /// Returns bounds of the value, which are sound but not always reached.
  DimRange range() const;
  int64_t lo() const { return range().Lo; }
  int64_t hi() const { return range().Hi; }
  bool isConstant() const { return lo() == hi(); }

  DimContext &context() const;

  /// True if both have the same normal form, and therefore always the same
  /// value. False proves nothing.
  friend bool operator==(Dim A, Dim B) { return A.Node == B.Node; }

  /// For the implementation: the expression.
  const DimNode *node() const { return Node; }
  explicit Dim(const DimNode *Expression) : Node(Expression) {}

private:
  const DimNode *Node = nullptr;
};

/// A declared variable. Its index among the variables is its index in the
/// values of a call.
struct DimVariable {
  std::string Name;
  DimRange Range;
};

/// Owns expressions. Not thread-safe.
class DimContext {
public:
  DimContext();
  ~DimContext();
  DimContext(const DimContext &) = delete;
  DimContext &operator=(const DimContext &) = delete;

  /// Invalid for -2^63, the only number without a negative.
  Dim constant(int64_t Value);

  /// Declares a variable; \p Name is an identifier of C++. With a single value
  /// (Lo == Hi) it is that constant, and is folded into all expressions.
  Result<Dim> variable(std::string Name, DimRange Range);
  const std::vector<DimVariable> &variables() const;

  /// Checks values for variables(), in their order. Errors: VarOutOfRange.
  Status check(std::span<const int64_t> Values) const;

  /// InvalidArgument if the result may not fit into 64 bits, a divisor may be
  /// less than 1, or an operand belongs to another context.
  Result<Dim> add(Dim A, Dim B);
  Result<Dim> sub(Dim A, Dim B);
  Result<Dim> mul(Dim A, Dim B);
  Result<Dim> floorDiv(Dim A, Dim B);
  Result<Dim> ceilDiv(Dim A, Dim B);
  Result<Dim> mod(Dim A, Dim B);
  Result<Dim> min(Dim A, Dim B);
  Result<Dim> max(Dim A, Dim B);

  /// Replaces the variables of \p New in \p E. Each replacement must lie within
  /// the bounds of its variable.
  Result<Dim> substitute(Dim E, std::span<const std::pair<Dim, Dim>> New);

  /// True if the relation holds for all values within the bounds; false if that
  /// cannot be proved.
  bool provablyEqual(Dim A, Dim B);
  bool provablyLess(Dim A, Dim B);
  bool provablyLessEqual(Dim A, Dim B);

  /// The error of the first operator (below) that failed. Formulas need no
  /// check at each step, like arithmetic with NaN; check the status once.
  const Status &status() const;

  /// For operators: returns an invalid Dim and sets status() to \p Why.
  Dim refuse(Status Why);

private:
  std::unique_ptr<DimBuilder> Builder;
};

/// Formulas. An operand without a context, or two of different contexts, is a
/// mistake of the program: the result is invalid.
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
