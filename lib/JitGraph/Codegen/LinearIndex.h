//===- LinearIndex.h - an index as a sum ------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index into an axis while a kernel is written: a sum of loop counters, each
// times a number, and of what only the kernel can compute. Counters have known
// bounds, so quotients and remainders that reshapes ask for mostly vanish:
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
  /// 0.
  LinearIndex() = default;
  /// A counter from 0 to \p Most, which the scope of \p Depth knows.
  static LinearIndex counter(std::string Name, unsigned Depth, int64_t Most);

  /// The outermost depth at which all of it is known.
  unsigned depth() const { return Depth; }
  bool isZero() const { return Terms.empty() && Constant == 0; }

  LinearIndex plus(const LinearIndex &Other) const;
  LinearIndex plus(int64_t Number) const;
  LinearIndex times(int64_t Number) const;
  /// An expression of the whole function, of which nothing is known.
  LinearIndex plusSize(const std::string &Size, int64_t Factor) const;
  LinearIndex timesSize(const std::string &Size) const;

  /// The index is not below 0.
  LinearIndex dividedBy(int64_t Number) const;
  LinearIndex remainderOf(int64_t Number) const;
  LinearIndex dividedBySize(const std::string &Size) const;
  LinearIndex remainderOfSize(const std::string &Size) const;

  /// An expression of C++, to be put into parentheses where it is an operand.
  std::string text() const;

  /// For tests: with these values of counters; what is no counter is 0.
  int64_t
  valueAt(const std::vector<std::pair<std::string, int64_t>> &Counters) const;

private:
  struct Term {
    std::string Name;
    int64_t Factor;
    int64_t Most; ///< the least is 0; below 0: both are unknown
  };

  void add(const Term &T);
  /// What is left of each number by division by \p Number, from -Number/2 on.
  LinearIndex remainders(int64_t Number) const;
  bool isWithin(int64_t Number) const;
  static LinearIndex unknown(std::string Text, unsigned Depth);

  std::vector<Term> Terms; ///< by name
  int64_t Constant = 0;
  unsigned Depth = 1;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_CODEGEN_LINEARINDEX_H
