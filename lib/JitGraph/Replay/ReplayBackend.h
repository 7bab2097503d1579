//===- ReplayBackend.h - interface to CPU or GPU execution ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Replay that depends on the processor: memory, loaded kernels, and
// the loop over the nodes. A backend belongs to a plan and is shared by all
// replays of it; a queue belongs to one replay.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_REPLAY_REPLAYBACKEND_H
#define KPACK_LIB_JITGRAPH_REPLAY_REPLAYBACKEND_H

#include "kpack/JitGraph/Event.h"
#include "kpack/JitGraph/PrepareConfig.h"
#include "kpack/kpack_jit.h"

namespace kpack::jit {

/// Memory of the processor, initially 0.
class ReplayMemory {
public:
  virtual ~ReplayMemory() = default;
  /// Returns the address for kernels; for Shared memory also for the program.
  std::byte *data() const { return First; }

  // These fail with Device.
  virtual Status clear() = 0;
  virtual Status read(uint64_t Offset, std::span<std::byte> Bytes) const = 0;
  virtual Status write(uint64_t Offset, std::span<const std::byte> Bytes) = 0;

protected:
  std::byte *First = nullptr;
};

/// A node's arguments. The arrays do not move; the values in them change
/// between runs.
struct ReplayNode {
  const GraphNode *Node;
  void *const *Buffers;
  const int64_t *Sizes;
  /// Rows on a CPU, the three extents of the grid on a GPU.
  const int64_t *Shape;
};

/// Grids of all nodes that are large enough for some sizes: one of Buckets.
using NodeGrids = std::vector<std::array<int64_t, 3>>;

/// The destructor waits for calls that have started.
class ReplayQueue {
public:
  virtual ~ReplayQueue() = default;
  /// Runs all nodes in order and returns when they have ended.
  virtual Status run() = 0;
  virtual Status runNode(size_t Node) = 0;
  /// Returns the number of ways to run all nodes; run() selects one.
  virtual size_t ways() const { return 1; }
  /// Runs all nodes in this way, or the next one that suits the current sizes.
  virtual Status runWay(size_t) { return run(); }
  /// Starts all nodes, after the work on the stream and earlier calls. Once it
  /// returns, the caller may change the values of arguments.
  virtual Result<Event> start(Stream Where) = 0;
  /// Returns false while the largest number of calls is in flight.
  virtual bool canStart() { return true; }
  /// Waits for calls that have started.
  virtual Status settle() { return Status::success(); }
};

enum class MemoryKind : uint8_t {
  Shared, ///< also for the program: inputs and outputs
  Device, ///< for kernels only: weights and intermediate results
};

/// Origin of a kernel, and its program's key in the cache.
struct CompiledKernel {
  KernelOrigin Origin = KernelOrigin::Unknown;
  std::string Key;
};

class ReplayBackend {
public:
  virtual ~ReplayBackend() = default;
  /// Aligned to PlanAlignment. Fails with OutOfMemory.
  virtual Result<std::shared_ptr<ReplayMemory>> allocate(uint64_t Bytes,
                                                         MemoryKind Kind) = 0;
  /// Returns memory with these bytes, which kernels only read. By default a
  /// copy. Fails with OutOfMemory or Device.
  virtual Result<std::shared_ptr<ReplayMemory>>
  hold(const ConstantBytes &Bytes);
  /// \p Nodes are of the plan that the backend was made for. \p Buckets, from
  /// small to large, may be large enough for some calls.
  virtual Result<std::unique_ptr<ReplayQueue>>
  makeQueue(std::span<const ReplayNode> Nodes,
            std::span<const NodeGrids> Buckets) = 0;
  /// True if kernels can read the program's memory at \p Data.
  virtual bool canRead(const void *Data) const = 0;

  /// One entry for each of the plan's kernels, in order.
  std::vector<CompiledKernel> Compiled;
};

/// Compiles the source of \p Plan, or finds it in the cache, and loads it.
/// Fails with the errors of compiles.
Result<std::shared_ptr<ReplayBackend>>
makeCpuBackend(const GraphPlan &Plan, const PrepareConfig &Config);
/// The same for the device How.device, which executes \p Plan. Also fails with
/// Device if there is none.
Result<std::shared_ptr<ReplayBackend>>
makeGpuBackend(const GraphPlan &Plan, const PrepareConfig &Config);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_REPLAY_REPLAYBACKEND_H
