//===- GpuQueue.cpp - launches of nodes on a GPU --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GpuQueue.h"

#include <algorithm>
#include <cstring>

using namespace kpack;
using namespace kpack::jit;

//===----------------------------------------------------------------------===//
// A launch per node
//===----------------------------------------------------------------------===//

GpuQueue::GpuQueue(const GpuPlace &Place, std::vector<GpuCall> Nodes,
                   void *Stream, size_t Readers)
    : Place(Place), Calls(std::move(Nodes)),
      Flights(std::make_shared<GpuFlights>(Place, Readers < Calls.size())),
      Own(Stream), Readers(Readers) {}

GpuQueue::~GpuQueue() {
  OnDevice Current = Place.enter();
  // The result no longer matters.
  (void)Flights->settle().ok();
  Place.Gpu->StreamDestroy(Own);
}

/// Waits even after a failure: earlier kernels may still run.
Status GpuQueue::wait(const Status &Done, void *On) {
  int Code = Place.Gpu->StreamSynchronize(On);
  return Done.ok() ? Place.check(Code, "stream") : Done;
}

template <typename Function> Status GpuQueue::runThen(Function Put) {
  OnDevice Current = Place.enter();
  if (Current.failure() != 0)
    return Place.check(Current);
  if (Status S = Flights->settle(); !S.ok())
    return S;
  Status Done = putSizes(Own);
  return wait(Done.ok() ? Put() : Done, Own);
}

Status GpuQueue::run() {
  return runThen([&] { return putNodes(Own, false); });
}

Status GpuQueue::runNode(size_t Node) {
  return runThen([&] { return launch(Calls[Node], Own); });
}

Result<Event> GpuQueue::start(Stream Where) {
  void *On = Where.handle ? Where.handle : Own;
  OnDevice Current = Place.enter();
  Status Done = Place.check(Current);
  if (Done.ok())
    Done = Flights->begin(On);
  if (!Done.ok())
    return Done;
  Done = putSizes(On);
  if (Done.ok())
    Done = putNodes(On, true);
  if (Done.ok()) {
    Result<Event> Started = Flights->end(On);
    if (Started)
      return Started;
    Done = Started.status();
  }
  return wait(Done, On);
}

Status GpuQueue::putNodes(void *On, bool IsFlight) {
  Status Done;
  for (size_t I = 0; I < Calls.size() && Done.ok(); ++I) {
    if (IsFlight && I == Readers)
      Done = Flights->inputsRead(On);
    if (Done.ok())
      Done = launch(Calls[I], On);
  }
  return Done;
}

void GpuQueue::fill(GpuCall &Call) {
  size_t Pointers = Call.pointers();
  std::memcpy(Call.Block.data(), Call.Node.Buffers, Pointers * sizeof(void *));
  if (size_t Count = Call.Block.size() - Pointers)
    std::memcpy(Call.Block.data() + Pointers, Call.Node.Sizes, Count * 8);
}

static std::array<uint32_t, 3> getBlock(const GraphNode &Node) {
  return {Node.Block, Node.BlockY, Node.BlockZ};
}

/// Launches nothing for an empty grid.
Status GpuQueue::launch(GpuCall &Call, void *On) {
  std::array<uint32_t, 3> Grid;
  for (size_t I = 0; I < 3; ++I) {
    Grid[I] = static_cast<uint32_t>(Call.Node.Shape[I]);
    if (Grid[I] == 0)
      return Status::success();
  }
  fill(Call);
  GpuLaunch Launch{Call.Function,
                   Grid,
                   getBlock(*Call.Node.Node),
                   /*DynamicShared=*/0,
                   On,
                   Call.Block.data(),
                   Call.Block.size() * sizeof(uint64_t),
                   /*Each=*/nullptr};
  return Place.check(Place.Gpu->launch(Launch), "launch");
}

//===----------------------------------------------------------------------===//
// One launch for all
//===----------------------------------------------------------------------===//

GpuGraphQueue::~GpuGraphQueue() {
  OnDevice Current = Place.enter();
  (void)Flights->settle().ok();
  for (const Instance &I : Instances) {
    if (I.Exec)
      Place.Gpu->GraphExecDestroy(I.Exec);
    if (I.Graph)
      Place.Gpu->GraphDestroy(I.Graph);
  }
}

Status GpuGraphQueue::make(GpuSizes Staging,
                           std::span<const NodeGrids> Buckets) {
  Sizes = std::move(Staging);
  Instances.resize(Buckets.size() + 1);
  for (size_t I = 0; I < Buckets.size(); ++I)
    Instances[I].Grids = Buckets[I];
  for (const GpuCall &Call : Calls) {
    const std::array<Dim, 3> &Grid = Call.Node.Node->Grid;
    Instances.back().Grids.push_back(
        {Grid[0].hi(), Grid[1].hi(), Grid[2].hi()});
  }
  for (GpuCall &Call : Calls)
    fill(Call);
  for (Instance &I : Instances)
    if (Status S = make(I); !S.ok())
      return S;
  return Status::success();
}

/// A graph has no empty grids.
Status GpuGraphQueue::make(Instance &Staging) {
  const GpuRuntime &Gpu = *Place.Gpu;
  if (Status S = Place.check(Gpu.GraphCreate(&Staging.Graph, 0), "graph");
      !S.ok())
    return S;
  Staging.Nodes.resize(Calls.size());
  for (size_t I = 0; I < Calls.size(); ++I) {
    GpuNode &Node = Staging.Nodes[I];
    Node.Function = Calls[I].Function;
    for (size_t J = 0; J < 3; ++J)
      Node.Grid[J] =
          static_cast<uint32_t>(std::max<int64_t>(Staging.Grids[I][J], 1));
    Node.Block = getBlock(*Calls[I].Node.Node);
    Node.Arguments = Calls[I].Block;
    const GpuNode *Before = I ? &Staging.Nodes[I - 1] : nullptr;
    if (Status S =
            Place.check(Gpu.addNode(Staging.Graph, Before, Node), "graph");
        !S.ok())
      return S;
  }
  return Place.check(Gpu.instantiate(Staging.Exec, Staging.Graph), "graph");
}

void GpuGraphQueue::fill(GpuCall &Call) {
  size_t Pointers = Call.pointers();
  std::memcpy(Call.Block.data(), Call.Node.Buffers, Pointers * sizeof(void *));
  ptrdiff_t Before = Call.Node.Sizes - Calls[0].Node.Sizes;
  Call.Block[Pointers] =
      reinterpret_cast<uint64_t>(Sizes.Device->data() + Before * 8);
}

/// Copies changed sizes to the device. Calls in flight keep theirs: their
/// kernels run before this copy, and their copies read other slots.
Status GpuGraphQueue::putSizes(void *On) {
  size_t Bytes = Sizes.Last.size() * 8;
  if (Bytes == 0)
    return Status::success();
  const int64_t *Now = Calls[0].Node.Sizes;
  if (Sizes.AreThere && std::memcmp(Sizes.Last.data(), Now, Bytes) == 0)
    return Status::success();
  std::byte *Source = Sizes.Ring->data() + Flights->slot() * Bytes;
  std::memcpy(Source, Now, Bytes);
  std::memcpy(Sizes.Last.data(), Now, Bytes);
  Status Done = Place.check(
      Place.Gpu->toDeviceOn(On, Sizes.Device->data(), Source, Bytes), "sizes");
  Sizes.AreThere = Done.ok();
  return Done;
}

/// Changes a node of the graph only if a buffer has moved. First waits for
/// calls in flight, which may read the old arguments from the graph.
Status GpuGraphQueue::update(Instance &Target, size_t Node) {
  GpuCall &Call = Calls[Node];
  GpuNode &In = Target.Nodes[Node];
  fill(Call);
  if (In.Arguments == Call.Block)
    return Status::success();
  if (Status S = Flights->settle(); !S.ok())
    return S;
  In.Arguments = Call.Block;
  Status Done = Place.check(Place.Gpu->setNode(Target.Exec, In), "graph");
  if (!Done.ok())
    In.Arguments.clear();
  return Done;
}

/// Compares blocks, not variables: sizes need not grow with variables.
bool GpuGraphQueue::isEnough(const Instance &Candidate) const {
  for (size_t I = 0; I < Calls.size(); ++I)
    for (size_t J = 0; J < 3; ++J)
      if (Calls[I].Node.Shape[J] > Candidate.Grids[I][J])
        return false;
  return true;
}

GpuGraphQueue::Instance &GpuGraphQueue::choose() {
  size_t I = First;
  while (I + 1 < Instances.size() && !isEnough(Instances[I]))
    ++I;
  return Instances[I];
}

Status GpuGraphQueue::putNodes(void *On, bool) {
  Instance &Chosen = choose();
  for (size_t I = 0; I < Calls.size(); ++I)
    if (Status S = update(Chosen, I); !S.ok())
      return S;
  return Place.check(Place.Gpu->GraphLaunch(Chosen.Exec, On), "graph");
}

Status GpuGraphQueue::runWay(size_t Way) {
  First = Way;
  Status Done = run();
  First = 0;
  return Done;
}
