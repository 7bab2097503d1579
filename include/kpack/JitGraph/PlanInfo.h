//===- JitGraph/PlanInfo.h - description of a prepared graph ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prepared graph for people and tools: G->plan().explain(). Cheap to copy;
// stays valid without the graph.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_PLANINFO_H
#define KPACK_JITGRAPH_PLANINFO_H

#include "kpack/JitGraph/GraphPlan.h"

namespace kpack::jit {

class CompiledPlan;

/// Sizes in bytes, at the upper bounds.
struct PlanMemory {
  uint64_t Arena = 0;      ///< of each clone: inputs, outputs and the pool
  uint64_t Weights = 0;    ///< with values derived from them; shared
  uint64_t Pool = 0;       ///< of intermediate results ...
  uint64_t NaiveSum = 0;   ///< ... which would need this without sharing ...
  uint64_t LowerBound = 0; ///< ... and this at least
};

class PlanInfo {
public:
  explicit PlanInfo(std::shared_ptr<const CompiledPlan> Plan)
      : Of(std::move(Plan)) {}

  std::span<const GraphBuffer> buffers() const;
  /// In the order of the interface.
  std::vector<GraphBuffer> inputs() const;
  std::vector<GraphBuffer> outputs() const;
  std::span<const GraphKernel> kernels() const;
  /// In the order of their execution.
  std::span<const GraphNode> nodes() const;
  /// All numbers that are compiled into the plan.
  std::span<const OpConstant> constants() const;
  std::span<const DimVariable> variables() const;
  PlanMemory memory() const;
  /// Returns the C++ text of all kernels, each with its line of the program.
  /// The compiled text lacks the lines, which would be in the key.
  std::string source() const;
  /// The key of the kernels in the cache: 64 digits.
  const std::string &key() const;

  /// A paragraph about the decisions of the plan, for users.
  std::string explain() const;
  /// A line for each buffer and node.
  std::string text() const;
  std::string json() const;
  /// For Graphviz.
  std::string dot() const;

private:
  std::shared_ptr<const CompiledPlan> Of;
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_PLANINFO_H
