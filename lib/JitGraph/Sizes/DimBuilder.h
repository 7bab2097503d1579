//===- DimBuilder.h - arithmetic on symbolic sizes --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The implementation of a DimContext: takes and returns normal forms, and keeps
// each node once. Operands are valid and of this context, which has checked
// them. Failures have no object yet; the context adds it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_SIZES_DIMBUILDER_H
#define KPACK_LIB_JITGRAPH_SIZES_DIMBUILDER_H

#include "DimNode.h"

#include <unordered_map>

namespace kpack::jit {

class DimBuilder {
public:
  using NodeResult = Result<const DimNode *>;
  using Kind = DimNode::Kind;

  explicit DimBuilder(DimContext &C);

  const DimNode *invalid() const { return Invalid; }
  const DimNode *constant(int64_t Value);
  NodeResult variable(std::string Name, DimRange Range);

  NodeResult add(const DimNode *A, const DimNode *B, int64_t Factor = 1);
  NodeResult mul(const DimNode *A, const DimNode *B);
  NodeResult floorDiv(const DimNode *A, const DimNode *B);
  NodeResult ceilDiv(const DimNode *A, const DimNode *B);
  NodeResult mod(const DimNode *A, const DimNode *B);
  /// \p Operation: Min or Max.
  NodeResult extreme(Kind Operation, const DimNode *A, const DimNode *B);

  using Replacements = std::map<const DimNode *, const DimNode *>;
  /// Replaces nodes by \p Known, and adds the results for other nodes to it.
  NodeResult substitute(const DimNode *E, Replacements &Known);

  /// True if \p A + \p Distance <= \p B always holds and is provable
  /// (DimProof.cpp).
  bool isProvablyBelow(const DimNode *A, const DimNode *B, int64_t Distance);

  std::vector<DimVariable> Variables;
  Status FirstFailure;

private:
  NodeResult node(const DimSum &Sum);
  const DimNode *atom(Kind AtomKind, DimRange Range, DimProduct Operands,
                      unsigned Variable = 0);
  using Key = std::vector<int64_t>;
  const DimNode *find(const Key &NodeKey) const;
  const DimNode *keep(Key NodeKey, DimNode Node);
  /// Divide after the visible part was taken out of the quotient: \p A has
  /// none.
  NodeResult quotient(const DimSum &A, const DimNode *B);
  NodeResult remainder(const DimSum &A, const DimNode *B);
  bool isAtLeast(const DimNode &E, int64_t Bound, unsigned Steps);
  bool isAtLeastWith(const DimNode &Atom, int64_t Factor, const DimSum &Rest,
                     int64_t Bound, unsigned Steps);
  bool isAtLeastScaled(const DimNode &Quotient, int64_t Factor,
                       const DimSum &Rest, int64_t Bound, unsigned Steps);
  NodeResult substituteSum(const DimSum &Sum, Replacements &Known);

  DimContext &Context;
  struct KeyHash {
    size_t operator()(const Key &Wanted) const;
  };
  /// By a node's parts, as numbers. The nodes never move.
  std::unordered_map<Key, std::unique_ptr<DimNode>, KeyHash> Nodes;
  std::unordered_map<int64_t, const DimNode *> Constants;

  /// A + Factor * B, or A * B if Factor is 0. Shapes repeat the same steps.
  struct Step {
    const DimNode *A, *B;
    int64_t Factor;
    bool operator==(const Step &) const = default;
  };
  struct StepHash {
    size_t operator()(const Step &Wanted) const;
  };
  std::unordered_map<Step, const DimNode *, StepHash> Steps;
  const DimNode *Invalid = nullptr;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_SIZES_DIMBUILDER_H
