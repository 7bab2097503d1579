//===- CompiledPlan.h - a plan with loaded kernels --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State that all replays of a graph share: kernels, weights, and the layout of
// a replay's memory. It is immutable, so threads need no lock.
//
//   arena   gap | mel | gap | lengths | gap | encoded | gap
//   pool    gap | intermediate results | gap
//
// Gaps hold a pattern that reveals writes outside of buffers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_REPLAY_COMPILEDPLAN_H
#define KPACK_LIB_JITGRAPH_REPLAY_COMPILEDPLAN_H

#include "ReplayBackend.h"

#include "JitGraph/Sizes/DimProgram.h"

namespace kpack::jit {

/// Returns the number of blocks of all nodes. Each extent fits into 32 bits.
unsigned __int128 countBlocks(const NodeGrids &Grids);

class CompiledPlan {
public:
  static constexpr uint32_t None = UINT32_MAX;
  uint32_t Guards = 0; ///< index of the guards in Sizes
  static constexpr uint64_t GapSize = PlanAlignment;

  /// Indices of a node's arguments in those of all nodes, and in Sizes.
  struct NodePlace {
    uint32_t Slot; ///< of its first buffer
    uint32_t Sizes;
    uint32_t Shape;
  };

  /// Fails with the errors of checkGraphPlan() and of compiles, Device, or
  /// OutOfMemory.
  static Result<std::shared_ptr<const CompiledPlan>>
  make(GraphPlan Plan, const PrepareConfig &Config,
       std::vector<std::string> Notes);

  /// Returns the offset of buffer \p B, which is no weight, in an arena or a
  /// pool.
  uint64_t offsetOf(uint32_t B) const { return Offsets[B]; }

  /// Returns the index in all weights; derived ones come last.
  std::optional<uint32_t> getWeight(const GraphBuffer &B) const;

  /// Computes the derived weights from the first of \p Weights, in new memory.
  /// Fails with OutOfMemory, and the errors of kernels.
  Status derive(std::vector<std::shared_ptr<ReplayMemory>> &Weights) const;

  GraphPlan Plan;
  std::vector<std::string> Notes; ///< to show to users
  bool ChecksBuffers = false;
  std::shared_ptr<ReplayBackend> Backend;
  std::vector<std::shared_ptr<ReplayMemory>> Weights;

  /// Computes each size once. Many nodes share sizes, and an interpreter's
  /// steps cost more than copies.
  DimProgram Program;
  /// Result indices of the sizes of all nodes, then of inputs and outputs, then
  /// of the pairs that guards compare.
  std::vector<uint32_t> Sizes;
  std::vector<NodePlace> Nodes;
  std::vector<uint32_t> Extents; ///< of a buffer, in Sizes; None if absent
  std::vector<std::vector<uint32_t>> SlotsOf; ///< of each buffer
  uint32_t Slots = 0;

  std::vector<uint64_t> Offsets;
  std::vector<uint64_t> Gaps; ///< offsets of the arena's gaps
  /// Sizes that have separate grids, fewest blocks first. None if sizes are not
  /// in memory, since each call then has its grids.
  struct Bucket {
    std::vector<int64_t> Values; ///< of all variables
    int64_t Blocks = 0;          ///< INT64_MAX if there are more
  };
  std::vector<Bucket> Buckets;
  std::vector<NodeGrids> Grids; ///< of Buckets

  uint64_t ArenaBytes = 0;
  uint64_t PoolBytes = 0; ///< including the last of its two gaps

private:
  Status uploadWeights();
  Status layOut();
  Status makeBuckets(std::span<const SizeBucket> Asked);
  void placeNodes();
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_REPLAY_COMPILEDPLAN_H
