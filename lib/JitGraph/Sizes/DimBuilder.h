//===- DimBuilder.h - operations on normal forms ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inside of a DimContext: normal forms in, normal forms out, each node kept
// once. Operands are of this context and valid, which the context has checked,
// and failures have no object yet, which it adds.
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
  /// \p What is Min or Max.
  NodeResult extreme(Kind What, const DimNode *A, const DimNode *B);

  using Replacements = std::map<const DimNode *, const DimNode *>;
  /// \p Known has what takes the place of nodes, and gets what was made of
  /// others.
  NodeResult substitute(const DimNode *E, Replacements &Known);

  /// Whether \p A + \p Distance <= \p B, always (DimProof.cpp).
  bool isProvablyBelow(const DimNode *A, const DimNode *B, int64_t Distance);

  std::vector<DimVariable> Variables;
  Status FirstFailure;

private:
  NodeResult node(const DimSum &Sum);
  const DimNode *atom(Kind What, DimRange Range, DimProduct Operands,
                      unsigned Variable = 0);
  using Key = std::vector<int64_t>;
  const DimNode *find(const Key &Of) const;
  const DimNode *keep(Key Of, DimNode Node);
  /// Of a quotient whose visible part is already out: \p A has none.
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
    size_t operator()(const Key &Of) const;
  };
  /// By what a node is made of, as numbers. They never move.
  std::unordered_map<Key, std::unique_ptr<DimNode>, KeyHash> Nodes;
  std::unordered_map<int64_t, const DimNode *> Constants;

  /// A + Factor * B; a Factor of 0: A * B. Shapes ask for the same ones again
  /// and again.
  struct Step {
    const DimNode *A, *B;
    int64_t Factor;
    bool operator==(const Step &) const = default;
  };
  struct StepHash {
    size_t operator()(const Step &Of) const;
  };
  std::unordered_map<Step, const DimNode *, StepHash> Steps;
  const DimNode *Invalid = nullptr;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_SIZES_DIMBUILDER_H
