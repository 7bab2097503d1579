//===- GraphPlanCheck.h - whether a plan can be executed --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replay asks for nothing while it runs: each number of a plan is an index or a
// size that is used as it is. So each is looked at once, before; plans come out
// of files, too.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_GRAPH_GRAPHPLANCHECK_H
#define KPACK_LIB_JITGRAPH_GRAPH_GRAPHPLANCHECK_H

#include "kpack/JitGraph/GraphPlan.h"

#include <optional>

namespace kpack::jit {

/// How many elements lie between the first and the last one, both included;
/// none where that does not fit into 64 bits. Both of one rank.
std::optional<int64_t> elementsSpanned(std::span<const int64_t> Extents,
                                       std::span<const int64_t> Strides);

/// Errors: DuplicateInputBuffer, DtypeMismatch, and InvalidFormat for all that
/// a correct lowering never does.
Status checkGraphPlan(const GraphPlan &Plan);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_GRAPH_GRAPHPLANCHECK_H
