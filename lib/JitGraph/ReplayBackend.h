//===- ReplayBackend.h - where nodes are executed ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of Replay that depends on the processor: memory, loaded kernels, and the
// loop over the nodes. A backend belongs to a plan and is shared by everybody
// who executes it; a queue belongs to one of them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_REPLAYBACKEND_H
#define KPACK_LIB_JITGRAPH_REPLAYBACKEND_H

#include "kpack/JitGraph/PrepareConfig.h"

namespace kpack::jit {

/// Bytes of the processor. At first they are 0.
class ReplayMemory {
public:
  virtual ~ReplayMemory() = default;
  std::byte *data() const { return First; }

  virtual void clear() = 0;
  virtual void write(uint64_t Offset, std::span<const std::byte> Bytes) = 0;

protected:
  std::byte *First = nullptr;
};

/// A node's arguments. All stay where they are; what they point to is changed
/// between two runs.
struct ReplayNode {
  const GraphNode *Node;
  void *const *Buffers;
  const int64_t *Sizes;
  /// Rows on a CPU, the three extents of the grid on a GPU.
  const int64_t *Shape;
};

class ReplayQueue {
public:
  virtual ~ReplayQueue() = default;
  /// All nodes in their order; returns when they have run.
  virtual Status run() = 0;
  virtual Status runNode(size_t Node) = 0;
};

class ReplayBackend {
public:
  virtual ~ReplayBackend() = default;
  /// Aligned as PlanAlignment says. Errors: OutOfMemory.
  virtual Result<std::shared_ptr<ReplayMemory>> allocate(uint64_t Bytes) = 0;
  /// \p Nodes are of the plan that the backend was made for.
  virtual std::unique_ptr<ReplayQueue>
  makeQueue(std::span<const ReplayNode> Nodes) = 0;

  std::string Key; ///< of the kernels in the cache
};

/// Compiles the source of \p Plan, or finds it in the cache, and loads it.
/// Errors: those of compiles.
Result<std::shared_ptr<ReplayBackend>> makeCpuBackend(const GraphPlan &Plan,
                                                      const PrepareConfig &How);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_REPLAYBACKEND_H
