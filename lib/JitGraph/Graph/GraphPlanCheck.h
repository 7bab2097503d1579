//===- GraphPlanCheck.h - validity check of a plan --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replay checks nothing while it runs and uses the plan's indices and sizes as
// they are. So all of them are checked once before, also because plans come
// from files.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_GRAPH_GRAPHPLANCHECK_H
#define KPACK_LIB_JITGRAPH_GRAPH_GRAPHPLANCHECK_H

#include "kpack/JitGraph/GraphPlan.h"

#include <optional>

namespace kpack::jit {

/// Returns the number of elements from the first to the last one, both
/// included; nothing if it exceeds 64 bits. Both arguments have the same rank.
std::optional<int64_t> elementsSpanned(std::span<const int64_t> Extents,
                                       std::span<const int64_t> Strides);

/// Fails with DuplicateInputBuffer, DtypeMismatch, or InvalidFormat for
/// anything that a correct lowering never does.
Status checkGraphPlan(const GraphPlan &Plan);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_GRAPH_GRAPHPLANCHECK_H
