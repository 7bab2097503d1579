//===- Graph/PlanFile.h - reader and writer of plan files -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan as bytes: one program prepares it, another one executes it, without
// the model and its build code (AnyGraph.h). It has kernels as source, which is
// compiled for the local processor. It is trusted like a program.
// docs/format/jit-graph.md.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_GRAPH_PLANFILE_H
#define KPACK_JITGRAPH_GRAPH_PLANFILE_H

#include "kpack/JitGraph/GraphPlan.h"

namespace kpack::jit {

/// Returns the same bytes for the same plan.
std::string writePlan(const GraphPlan &Plan);

/// Reads the bytes of writePlan(); they lack locations of operations. \p Name
/// is for messages. Fails with InvalidFormat or UnsupportedVersion.
Result<GraphPlan> readPlan(std::string_view Bytes, const std::string &Name);

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_GRAPH_PLANFILE_H
