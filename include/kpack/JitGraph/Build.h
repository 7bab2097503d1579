//===- kpack/JitGraph/Build.h - run a build function ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of prepare() that has no types: an interface is a list of members, a
// build function is one over nodes and sizes. Graph.h has the types.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_BUILD_H
#define KPACK_JITGRAPH_BUILD_H

#include "kpack/JitGraph/InterfaceOf.h"
#include "kpack/JitGraph/OpGraph.h"
#include "kpack/JitGraph/Replay.h"

#include <functional>

namespace kpack::jit {

/// A member as prepare() got it.
struct DeclaredMember {
  MemberKind Kind = MemberKind::None;
  std::string Name;
  ElementType Type = ElementType::Float32; ///< of In and Out
  std::vector<Extent> Shape;               ///< of In
  DimRange Range;                          ///< of Var
};

/// The same while its graph is built.
struct TracedMember {
  uint32_t Node = OpGraph::None; ///< of In
  Dim Size;                      ///< of Var
  TensorRef Assigned;            ///< of Out: what the build function left there
};

/// Writes operations down in a graph; members in the order of the interface.
using BuildFunction = std::function<Status(OpGraph &, std::span<TracedMember>)>;

/// What an interface and its build function have become.
struct BuiltGraph {
  OpGraph Ops;
  std::vector<std::string> Notes;
};

/// Runs \p Build. Errors: ShapeMismatch, an input's shape is none; Build, it
/// failed, or an output has no value; Tensor, an operation in it makes no sense
/// (or what the operation says more exactly); DtypeMismatch;
/// InputBufferNotFound and TraceDiverged, where \p How asks for it.
Result<BuiltGraph> buildGraph(std::span<const DeclaredMember> Members,
                              const BuildFunction &Build,
                              const PrepareConfig &How);

/// All of prepare(). Errors: those of buildGraph(), lowering, compilePlan() and
/// Replay.
Result<std::unique_ptr<Replay>>
prepareGraph(std::span<const DeclaredMember> Members,
             const BuildFunction &Build, const PrepareConfig &How);

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_BUILD_H
