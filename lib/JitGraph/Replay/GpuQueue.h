//===- GpuQueue.h - launches of nodes on a GPU ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two ways to run nodes on one stream. Either a launch per node, with arguments
// in a prepared block and exact grids. Or one launch of a graph of the runtime,
// with grids of the upper bounds or of a bucket. Its kernels read sizes from
// the device's memory, which a copy on the same stream updates after a change,
// so that the graph does not change with a variable.
//
// A call in flight reads its sizes from a slot that it owns until it has ended
// (GpuFlights.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_REPLAY_GPUQUEUE_H
#define KPACK_LIB_JITGRAPH_REPLAY_GPUQUEUE_H

#include "GpuFlights.h"
#include "ReplayBackend.h"

namespace kpack::jit {

/// A node with its block of arguments.
struct GpuCall {
  ReplayNode Node;
  void *Function;
  std::vector<uint64_t> Block; ///< pointers, then sizes or their address

  size_t pointers() const { return Node.Node->Buffers.size(); }
};

class GpuQueue : public ReplayQueue {
public:
  /// No node from \p Readers on reads an input. Owns \p Stream.
  GpuQueue(const GpuPlace &Place, std::vector<GpuCall> Calls, void *Stream,
           size_t Readers);
  ~GpuQueue() override;

  Status run() override;
  Status runNode(size_t Node) override;
  Result<Event> start(Stream Where) override;
  bool canStart() override { return !Flights->isFull(); }
  Status settle() override { return Flights->settle(); }

protected:
  // In the device's context.

  /// Copies values that kernels read besides their arguments.
  virtual Status putSizes(void *) { return Status::success(); }
  virtual void fill(GpuCall &Call);
  virtual Status putNodes(void *On, bool IsFlight);

  GpuPlace Place;
  std::vector<GpuCall> Calls;
  std::shared_ptr<GpuFlights> Flights;

private:
  template <typename Function> Status runThen(Function Put);
  Status launch(GpuCall &Call, void *On);
  Status wait(const Status &Done, void *On);

  void *Own;
  size_t Readers;
};

/// Sizes of all nodes.
struct GpuSizes {
  std::shared_ptr<ReplayMemory> Device;
  std::shared_ptr<ReplayMemory> Ring; ///< a slot for each call in flight
  std::vector<int64_t> Last;          ///< the device's current sizes
  bool AreThere = false;              ///< true if the device has any
};

/// Runs the kernels as a graph of the runtime.
class GpuGraphQueue final : public GpuQueue {
public:
  GpuGraphQueue(const GpuPlace &Place, std::vector<GpuCall> Calls, void *Stream)
      : GpuQueue(Place, std::move(Calls), Stream, SIZE_MAX) {}
  ~GpuGraphQueue() override;

  /// Makes a graph for each of \p Buckets, and one for the upper bounds.
  Status make(GpuSizes Staging, std::span<const NodeGrids> Buckets);
  size_t ways() const override { return Instances.size(); }
  Status runWay(size_t Way) override;

protected:
  Status putSizes(void *On) override;
  void fill(GpuCall &Call) override;
  Status putNodes(void *On, bool IsFlight) override;

private:
  /// A graph with grids that are large enough for some calls.
  struct Instance {
    NodeGrids Grids;
    std::vector<GpuNode> Nodes;
    void *Graph = nullptr, *Exec = nullptr;
  };

  Status make(Instance &Staging);
  Status update(Instance &Target, size_t Node);
  bool isEnough(const Instance &Candidate) const;
  Instance &choose();

  GpuSizes Sizes;
  std::vector<Instance> Instances; ///< from small to large; the last suits all
  size_t First = 0;                ///< the first allowed one
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_REPLAY_GPUQUEUE_H
