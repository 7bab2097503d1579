//===- CompiledPlan.h - a plan with loaded kernels --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all replays of a graph share: kernels, weights, and where everything of
// a replay lies in its own memory. It does not change, so threads need no lock.
//
//   arena   gap | mel | gap | lengths | gap | encoded | gap
//   pool    gap | intermediate results | gap
//
// Gaps are filled with a pattern: a kernel that writes outside of its buffers
// can be seen.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_REPLAY_COMPILEDPLAN_H
#define KPACK_LIB_JITGRAPH_REPLAY_COMPILEDPLAN_H

#include "ReplayBackend.h"

#include "JitGraph/Sizes/DimProgram.h"

namespace kpack::jit {

class CompiledPlan {
public:
  static constexpr uint32_t None = UINT32_MAX;
  uint32_t Guards = 0; ///< where these begin in Sizes
  static constexpr uint64_t GapSize = PlanAlignment;

  /// Where a node's arguments are among those of all nodes; sizes in Sizes.
  struct NodePlace {
    uint32_t Slot; ///< of its first buffer
    uint32_t Sizes;
    uint32_t Shape;
  };

  /// Errors: those of checkGraphPlan() and of compiles; Device, OutOfMemory.
  static Result<std::shared_ptr<const CompiledPlan>>
  make(GraphPlan Plan, const PrepareConfig &How,
       std::vector<std::string> Notes);

  /// Where buffer \p B begins in an arena or a pool. Not of weights.
  uint64_t offsetOf(uint32_t B) const { return Offsets[B]; }

  /// The place among all weights, after which are those that are derived.
  std::optional<uint32_t> weightOf(const GraphBuffer &B) const;

  /// Computes what is derived from the first of \p Weights, in memory of its
  /// own. Errors: OutOfMemory, and those of kernels.
  Status derive(std::vector<std::shared_ptr<ReplayMemory>> &Weights) const;

  GraphPlan Plan;
  std::vector<std::string> Notes; ///< for people
  bool ChecksBuffers = false;
  std::shared_ptr<ReplayBackend> Backend;
  std::vector<std::shared_ptr<ReplayMemory>> Weights;

  /// Computes each size once. Many nodes have the same ones, and an
  /// interpreter's steps cost more than copies.
  DimProgram Program;
  /// Sizes of all nodes, then of inputs and outputs, then what guards compare,
  /// in pairs: which result each is.
  std::vector<uint32_t> Sizes;
  std::vector<NodePlace> Nodes;
  std::vector<uint32_t> Extents; ///< of a buffer, in Sizes; None: not there
  std::vector<std::vector<uint32_t>> SlotsOf; ///< of each buffer
  uint32_t Slots = 0;

  std::vector<uint64_t> Offsets;
  std::vector<uint64_t> Gaps; ///< of the arena: where they begin
  /// From small to large, with the grids of Nodes; none: there is one way.
  struct Bucket {
    std::vector<int64_t> Values; ///< of all variables
    int64_t Blocks = 0;
  };
  std::vector<Bucket> Buckets;
  std::vector<NodeGrids> Grids; ///< of Buckets

  uint64_t ArenaBytes = 0;
  uint64_t PoolBytes = 0; ///< the last of its two gaps included

private:
  Status uploadWeights();
  Status layOut();
  Status makeBuckets(std::span<const SizeBucket> Asked);
  void placeNodes();
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_REPLAY_COMPILEDPLAN_H
