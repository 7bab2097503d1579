//===- JitGraph/Graph/PlanFile.h - plans in files ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan as bytes: what one program has prepared, another one executes, without
// the model and without the code that built it (AnyGraph.h). Kernels are in it
// as source, so it is compiled for the processor that it comes to. It is as
// trusted as a program is. docs/format/jit-graph.md.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_GRAPH_PLANFILE_H
#define KPACK_JITGRAPH_GRAPH_PLANFILE_H

#include "kpack/JitGraph/GraphPlan.h"

namespace kpack::jit {

/// The same bytes for the same plan.
std::string writePlan(const GraphPlan &Plan);

/// What writePlan() has written; locations of operations are not in it. \p Name
/// is for messages. Errors: InvalidFormat, UnsupportedVersion.
Result<GraphPlan> readPlan(std::string_view Bytes, const std::string &Name);

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_GRAPH_PLANFILE_H
