//===- DimNode.h - normal form of a symbolic size ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The normal form: a sum of products, each with a factor, over atoms. An atom
// is a variable, or a floordiv, mod, min or max with normal operands. A sum of
// only one atom is that atom's node.
//
//   (2*b + 1) * (t / 4)   ->   2 * b * floordiv(t, 4)  +  floordiv(t, 4)
//                              factor, product of atoms
//
// Each node exists once in its context (hash-consing), so equality of operands,
// and of everything above them, is equality of pointers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_SIZES_DIMNODE_H
#define KPACK_LIB_JITGRAPH_SIZES_DIMNODE_H

#include "kpack/JitGraph/Dim.h"

#include <map>

namespace kpack::jit {

/// Atoms in the order of their creation; a power is a repetition. The empty
/// product is 1.
using DimProduct = std::vector<const DimNode *>;

/// Long products first, as in polynomials; then by age, not by address: the
/// same calls make the same text, which is part of a cache key.
struct ProductOrder {
  bool operator()(const DimProduct &A, const DimProduct &B) const;
};

/// No factor is 0, and no product is empty: Constant is that one's factor.
struct DimSum {
  std::map<DimProduct, int64_t, ProductOrder> Terms;
  int64_t Constant = 0;
};

struct DimNode {
  enum class Kind { Invalid, Sum, Variable, FloorDiv, Mod, Min, Max };

  Kind What = Kind::Invalid;
  DimContext *Context = nullptr;
  unsigned Id = 0; ///< age; operands have smaller ones
  DimRange Range;
  DimSum Sum;            ///< of a Sum
  unsigned Variable = 0; ///< index of the variable
  DimProduct Operands;   ///< of all others: two, for Min and Max two or more

  bool isAtom() const { return What > Kind::Sum; }
};

inline bool ProductOrder::operator()(const DimProduct &A,
                                     const DimProduct &B) const {
  if (A.size() != B.size())
    return A.size() > B.size();
  return std::lexicographical_compare(
      A.begin(), A.end(), B.begin(), B.end(),
      [](const DimNode *X, const DimNode *Y) { return X->Id < Y->Id; });
}

/// Returns the terms of any valid node.
inline DimSum computeSum(const DimNode *Node) {
  if (!Node->isAtom())
    return Node->Sum;
  DimSum Sum;
  Sum.Terms[{Node}] = 1;
  return Sum;
}

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_SIZES_DIMNODE_H
