//===- HipQueue.h - nodes as launches ---------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two ways over one stream. A launch a node: its arguments lie ready in a
// block, and grids are exact. Or one launch of a graph that HIP has: grids are
// those of the upper bounds or of a bucket, and kernels read sizes from the
// device's memory, into which they are copied on the same stream where they
// have changed, so nothing in the graph changes with a variable.
//
// A call that has begun reads its sizes from a place that is its own until it
// has ended (HipFlights.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_HIPQUEUE_H
#define KPACK_LIB_JITGRAPH_HIPQUEUE_H

#include "HipFlights.h"
#include "ReplayBackend.h"

namespace kpack::jit {

/// A node with its block of arguments.
struct HipCall {
  ReplayNode Node;
  void *Function;
  std::vector<uint64_t> Block; ///< pointers, then sizes or where they are

  size_t pointers() const { return Node.Node->Buffers.size(); }
};

class HipQueue : public ReplayQueue {
public:
  /// No node from \p Readers on reads an input. Owns \p Stream.
  HipQueue(const HipPlace &Place, std::vector<HipCall> Calls, void *Stream,
           size_t Readers);
  ~HipQueue() override;

  Status run() override;
  Status runNode(size_t Node) override;
  Result<Event> start(Stream Where) override;
  bool canStart() override { return !Flights->isFull(); }
  Status settle() override { return Flights->settle(); }

protected:
  // On the device.

  /// What kernels read besides their arguments.
  virtual Status putSizes(void *) { return Status::success(); }
  virtual void fill(HipCall &Call);
  virtual Status putNodes(void *On, bool IsFlight);

  HipPlace Place;
  std::vector<HipCall> Calls;
  std::shared_ptr<HipFlights> Flights;

private:
  template <typename Function> Status runThen(Function Put);
  Status launch(HipCall &Call, void *On);
  Status wait(const Status &Done, void *On);

  void *Own;
  size_t Readers;
};

/// Sizes of all nodes.
struct HipSizes {
  std::shared_ptr<ReplayMemory> Device;
  std::shared_ptr<ReplayMemory> Ring; ///< for each call in flight
  std::vector<int64_t> Last;          ///< those that the device has
  bool AreThere = false;              ///< it has any
};

/// The kernels are a graph of HIP.
class HipGraphQueue final : public HipQueue {
public:
  HipGraphQueue(const HipPlace &Place, std::vector<HipCall> Calls, void *Stream)
      : HipQueue(Place, std::move(Calls), Stream, SIZE_MAX) {}
  ~HipGraphQueue() override;

  /// A graph for each of \p Buckets, and one for the upper bounds.
  Status make(HipSizes Of, std::span<const NodeGrids> Buckets);
  size_t ways() const override { return Instances.size(); }
  Status runWay(size_t Way) override;

protected:
  Status putSizes(void *On) override;
  void fill(HipCall &Call) override;
  Status putNodes(void *On, bool IsFlight) override;

private:
  /// A node of the graph. All stays where it is: whether HIP has copied it
  /// depends on its version.
  struct Added {
    void *Node = nullptr;
    std::vector<uint64_t> Block; ///< as the graph has it
    size_t Bytes = 0;
    void *Extra[5] = {};
  };

  /// A graph whose grids are enough for some calls.
  struct Instance {
    NodeGrids Grids;
    std::vector<Added> Nodes;
    void *Graph = nullptr, *Exec = nullptr;
  };

  static HipKernelNode parametersOf(const HipCall &Call,
                                    const std::array<int64_t, 3> &Grid,
                                    Added &In);
  Status make(Instance &Of);
  Status update(Instance &Of, size_t Node);
  bool isEnough(const Instance &Of) const;
  Instance &choose();

  HipSizes Sizes;
  std::vector<Instance> Instances; ///< from small to large, enough for all
  size_t First = 0;                ///< that may be taken
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_HIPQUEUE_H
