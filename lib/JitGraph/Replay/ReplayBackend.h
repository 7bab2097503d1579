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
#ifndef KPACK_LIB_JITGRAPH_REPLAY_REPLAYBACKEND_H
#define KPACK_LIB_JITGRAPH_REPLAY_REPLAYBACKEND_H

#include "kpack/JitGraph/Event.h"
#include "kpack/JitGraph/PrepareConfig.h"
#include "kpack/kpack_jit.h"

namespace kpack::jit {

/// Bytes of the processor. At first they are 0.
class ReplayMemory {
public:
  virtual ~ReplayMemory() = default;
  /// For kernels; of Shared memory also for the program.
  std::byte *data() const { return First; }

  // Errors: Device.
  virtual Status clear() = 0;
  virtual Status read(uint64_t Offset, std::span<std::byte> Bytes) const = 0;
  virtual Status write(uint64_t Offset, std::span<const std::byte> Bytes) = 0;

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

/// The grids of all nodes that are enough for some sizes: one of Buckets.
using NodeGrids = std::vector<std::array<int64_t, 3>>;

/// Its end waits for what has been started.
class ReplayQueue {
public:
  virtual ~ReplayQueue() = default;
  /// All nodes in their order; returns when they have run.
  virtual Status run() = 0;
  virtual Status runNode(size_t Node) = 0;
  /// How many there are to run all nodes, of which run() takes one.
  virtual size_t ways() const { return 1; }
  /// run() that takes this one, if it is for these sizes.
  virtual Status runWay(size_t) { return run(); }
  /// All nodes, after what is on the stream and what was started before. What
  /// arguments point to may change when it returns.
  virtual Result<Event> start(Stream Where) = 0;
  /// False: as many as can be have started and not ended.
  virtual bool canStart() { return true; }
  /// Waits for what has been started.
  virtual Status settle() { return Status::success(); }
};

enum class MemoryKind : uint8_t {
  Shared, ///< the program reads and writes it, too: inputs and outputs
  Device, ///< only kernels: weights and intermediate results
};

/// Where a kernel was, and its program's key in the cache.
struct CompiledKernel {
  KernelOrigin Origin = KernelOrigin::Unknown;
  std::string Key;
};

class ReplayBackend {
public:
  virtual ~ReplayBackend() = default;
  /// Aligned as PlanAlignment says. Errors: OutOfMemory.
  virtual Result<std::shared_ptr<ReplayMemory>> allocate(uint64_t Bytes,
                                                         MemoryKind Kind) = 0;
  /// Memory with these, for kernels alone: they are not written to. By default
  /// a copy. Errors: OutOfMemory, Device.
  virtual Result<std::shared_ptr<ReplayMemory>>
  hold(const ConstantBytes &Bytes);
  /// \p Nodes are of the plan that the backend was made for.
  /// \p Nodes are of the plan that the backend was made for. \p Buckets, from
  /// small to large, may be enough for some calls.
  virtual Result<std::unique_ptr<ReplayQueue>>
  makeQueue(std::span<const ReplayNode> Nodes,
            std::span<const NodeGrids> Buckets) = 0;
  /// Whether kernels can read what the program has there.
  virtual bool canRead(const void *Data) const = 0;

  /// Of the plan's kernels, in their order.
  std::vector<CompiledKernel> Compiled;
};

/// Compiles the source of \p Plan, or finds it in the cache, and loads it.
/// Errors: those of compiles.
Result<std::shared_ptr<ReplayBackend>> makeCpuBackend(const GraphPlan &Plan,
                                                      const PrepareConfig &How);
/// For the device How.device, of who executes \p Plan. Errors: also Device,
/// there is none.
Result<std::shared_ptr<ReplayBackend>> makeGpuBackend(const GraphPlan &Plan,
                                                      const PrepareConfig &How);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_REPLAY_REPLAYBACKEND_H
