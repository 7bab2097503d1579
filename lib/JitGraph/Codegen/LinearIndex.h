//===- LinearIndex.h - indices as sums of loop counters ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index into an axis in a kernel's text: a sum of loop counters, each times
// a number, and of expressions that only the kernel can compute. Counters have
// known bounds, so most quotients and remainders of reshapes vanish:
//
//   (748*i + j + 374) % 749   ->   j - i + 374       i and j are below 375
//
// A vectorizer then sees a step of 1, where a remainder would be a gather.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_CODEGEN_LINEARINDEX_H
#define KPACK_LIB_JITGRAPH_CODEGEN_LINEARINDEX_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kpack::jit {

class LinearIndex {
public:
  /// Zero.
  LinearIndex() = default;
  /// Returns a counter from 0 to \p Most, known in the scope of \p Depth.
  static LinearIndex counter(std::string Name, unsigned Depth, int64_t Most);

  /// Returns the outermost depth at which the whole index is known.
  unsigned depth() const { return Depth; }
  bool isZero() const { return Terms.empty() && Constant == 0; }

  LinearIndex plus(const LinearIndex &Other) const;
  LinearIndex plus(int64_t Addend) const;
  LinearIndex times(int64_t Scale) const;
  /// Add or multiply by an expression of the whole function with unknown
  /// bounds.
  LinearIndex plusSize(const std::string &Size, int64_t Factor) const;
  LinearIndex timesSize(const std::string &Size) const;

  /// The index must not be below 0.
  LinearIndex dividedBy(int64_t Divisor) const;
  LinearIndex remainderBy(int64_t Divisor) const;
  LinearIndex dividedBySize(const std::string &Size) const;
  LinearIndex remainderOfSize(const std::string &Size) const;

  /// Returns a C++ expression, which needs parentheses as an operand.
  std::string text() const;

  /// For tests: returns the value for these counters; other terms are 0.
  int64_t
  valueAt(const std::vector<std::pair<std::string, int64_t>> &Counters) const;

private:
  struct Term {
    std::string Name;
    int64_t Factor;
    int64_t Most; ///< the least is 0; below 0 if both are unknown
  };

  void add(const Term &T);
  /// Returns an index with the same remainder of a division by \p Divisor:
  /// factors are from -Number/2 on, the constant from 0 on.
  LinearIndex remainders(int64_t Divisor) const;
  bool isWithin(int64_t Limit) const;
  static LinearIndex unknown(std::string Text, unsigned Depth);

  std::vector<Term> Terms; ///< by name
  int64_t Constant = 0;
  unsigned Depth = 1;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_CODEGEN_LINEARINDEX_H
