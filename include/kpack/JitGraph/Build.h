//===- JitGraph/Build.h - untyped part of graph preparation -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The untyped part of prepare(): an interface is a list of members, a build
// function works on nodes and sizes. Graph.h has the types.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_BUILD_H
#define KPACK_JITGRAPH_BUILD_H

#include "kpack/JitGraph/InterfaceOf.h"
#include "kpack/JitGraph/OpGraph.h"
#include "kpack/JitGraph/Replay.h"

#include <functional>

namespace kpack::jit {

/// A member as declared to prepare().
struct DeclaredMember {
  MemberKind Kind = MemberKind::None;
  std::string Name;
  ElementType Type = ElementType::Float32; ///< of In and Out
  std::vector<Extent> Shape;               ///< of In
  DimRange Range;                          ///< of Var
};

/// A member while its graph is built.
struct TracedMember {
  uint32_t Node = OpGraph::None; ///< of In
  Dim Size;                      ///< of Var
  TensorRef Assigned;            ///< of Out, by the build function
};

/// Adds operations to a graph; members are in the order of the interface.
using BuildFunction = std::function<Status(OpGraph &, std::span<TracedMember>)>;

/// The result of an interface and its build function.
struct BuiltGraph {
  OpGraph Ops;
  std::vector<std::string> Notes;
};

/// Runs \p Build. Errors: ShapeMismatch, an input's shape is invalid; Build, it
/// failed, or an output has no value; Tensor, an invalid operation (or the
/// operation's more exact error); DtypeMismatch; InputBufferNotFound and
/// TraceDiverged, if \p Config asks for these checks.
Result<BuiltGraph> buildGraph(std::span<const DeclaredMember> Members,
                              const BuildFunction &Build,
                              const PrepareConfig &Config);

/// Does all of prepare(). Errors: those of buildGraph(), lowering,
/// compilePlan() and Replay.
Result<std::unique_ptr<Replay>>
prepareGraph(std::span<const DeclaredMember> Members,
             const BuildFunction &Build, const PrepareConfig &Config);

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_BUILD_H
