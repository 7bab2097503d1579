//===- HipQueue.cpp - nodes as launches -----------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HipQueue.h"

#include <algorithm>
#include <cstring>

using namespace kpack;
using namespace kpack::jit;

/// What an argument block is handed over by.
static void *const LaunchPointer = reinterpret_cast<void *>(1);
static void *const LaunchSize = reinterpret_cast<void *>(2);
static void *const LaunchEnd = reinterpret_cast<void *>(3);

//===----------------------------------------------------------------------===//
// A launch a node
//===----------------------------------------------------------------------===//

HipQueue::HipQueue(const HipPlace &Place, std::vector<HipCall> Nodes,
                   void *Stream, size_t Readers)
    : Place(Place), Calls(std::move(Nodes)),
      Flights(std::make_shared<HipFlights>(Place, Readers < Calls.size())),
      Own(Stream), Readers(Readers) {}

HipQueue::~HipQueue() {
  OnDevice Current(Place);
  // What it says does not matter any more.
  (void)Flights->settle().ok();
  Place.F.StreamDestroy(Own);
}

/// Also where something has failed: kernels before it may still run.
Status HipQueue::wait(const Status &Done, void *On) {
  int Code = Place.F.StreamSynchronize(On);
  return Done.ok() ? Place.F.check(Code, "stream") : Done;
}

template <typename Function> Status HipQueue::runThen(Function Put) {
  OnDevice Current(Place);
  if (!Current.status().ok())
    return Current.status();
  if (Status S = Flights->settle(); !S.ok())
    return S;
  Status Done = putSizes(Own);
  return wait(Done.ok() ? Put() : Done, Own);
}

Status HipQueue::run() {
  return runThen([&] { return putNodes(Own, false); });
}

Status HipQueue::runNode(size_t Node) {
  return runThen([&] { return launch(Calls[Node], Own); });
}

Result<Event> HipQueue::start(Stream Where) {
  void *On = Where.handle ? Where.handle : Own;
  OnDevice Current(Place);
  Status Done = Current.status();
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

Status HipQueue::putNodes(void *On, bool IsFlight) {
  Status Done;
  for (size_t I = 0; I < Calls.size() && Done.ok(); ++I) {
    if (IsFlight && I == Readers)
      Done = Flights->inputsRead(On);
    if (Done.ok())
      Done = launch(Calls[I], On);
  }
  return Done;
}

void HipQueue::fill(HipCall &Call) {
  size_t Pointers = Call.pointers();
  std::memcpy(Call.Block.data(), Call.Node.Buffers, Pointers * sizeof(void *));
  if (size_t Count = Call.Block.size() - Pointers)
    std::memcpy(Call.Block.data() + Pointers, Call.Node.Sizes, Count * 8);
}

/// An empty grid is no launch.
Status HipQueue::launch(HipCall &Call, void *On) {
  const int64_t *Grid = Call.Node.Shape;
  if (Grid[0] == 0 || Grid[1] == 0 || Grid[2] == 0)
    return Status::success();
  fill(Call);
  size_t Bytes = Call.Block.size() * 8;
  void *Extra[] = {LaunchPointer, Call.Block.data(), LaunchSize, &Bytes,
                   LaunchEnd};
  auto Extent = [&](size_t I) { return static_cast<unsigned>(Grid[I]); };
  int Code = Place.F.LaunchKernel(
      Call.Function, Extent(0), Extent(1), Extent(2), Call.Node.Node->Block,
      Call.Node.Node->BlockY, Call.Node.Node->BlockZ, 0, On, nullptr, Extra);
  return Place.F.check(Code, "launch");
}

//===----------------------------------------------------------------------===//
// One launch for all
//===----------------------------------------------------------------------===//

HipGraphQueue::~HipGraphQueue() {
  OnDevice Current(Place);
  (void)Flights->settle().ok();
  for (const Instance &I : Instances) {
    if (I.Exec)
      Place.F.GraphExecDestroy(I.Exec);
    if (I.Graph)
      Place.F.GraphDestroy(I.Graph);
  }
}

Status HipGraphQueue::make(HipSizes Of, std::span<const NodeGrids> Buckets) {
  Sizes = std::move(Of);
  Instances.resize(Buckets.size() + 1);
  for (size_t I = 0; I < Buckets.size(); ++I)
    Instances[I].Grids = Buckets[I];
  for (const HipCall &Call : Calls) {
    const std::array<Dim, 3> &Grid = Call.Node.Node->Grid;
    Instances.back().Grids.push_back(
        {Grid[0].hi(), Grid[1].hi(), Grid[2].hi()});
  }
  for (HipCall &Call : Calls)
    fill(Call);
  for (Instance &I : Instances)
    if (Status S = make(I); !S.ok())
      return S;
  return Status::success();
}

Status HipGraphQueue::make(Instance &Of) {
  if (Status S = Place.F.check(Place.F.GraphCreate(&Of.Graph, 0), "graph");
      !S.ok())
    return S;
  Of.Nodes.resize(Calls.size());
  for (size_t I = 0; I < Calls.size(); ++I) {
    HipKernelNode Parameters = parametersOf(Calls[I], Of.Grids[I], Of.Nodes[I]);
    void *const *Before = I ? &Of.Nodes[I - 1].Node : nullptr;
    int Code = Place.F.GraphAddKernelNode(&Of.Nodes[I].Node, Of.Graph, Before,
                                          I ? 1 : 0, &Parameters);
    if (Status S = Place.F.check(Code, "graph"); !S.ok())
      return S;
  }
  return Place.F.check(
      Place.F.GraphInstantiate(&Of.Exec, Of.Graph, nullptr, nullptr, 0),
      "graph");
}

/// A graph has no empty grids.
HipKernelNode HipGraphQueue::parametersOf(const HipCall &Call,
                                          const std::array<int64_t, 3> &Grid,
                                          Added &In) {
  HipKernelNode Parameters{};
  for (size_t I = 0; I < 3; ++I)
    Parameters.Grid[I] = static_cast<uint32_t>(std::max<int64_t>(Grid[I], 1));
  Parameters.Block[0] = Call.Node.Node->Block;
  Parameters.Block[1] = Call.Node.Node->BlockY;
  Parameters.Block[2] = Call.Node.Node->BlockZ;
  Parameters.Function = Call.Function;
  In.Block = Call.Block;
  In.Bytes = In.Block.size() * 8;
  void *Extra[] = {LaunchPointer, In.Block.data(), LaunchSize, &In.Bytes,
                   LaunchEnd};
  std::copy(std::begin(Extra), std::end(Extra), In.Extra);
  Parameters.Extra = In.Extra;
  return Parameters;
}

void HipGraphQueue::fill(HipCall &Call) {
  size_t Pointers = Call.pointers();
  std::memcpy(Call.Block.data(), Call.Node.Buffers, Pointers * sizeof(void *));
  ptrdiff_t Before = Call.Node.Sizes - Calls[0].Node.Sizes;
  Call.Block[Pointers] =
      reinterpret_cast<uint64_t>(Sizes.Device->data() + Before * 8);
}

/// Those of calls that run are read from elsewhere: from the device's memory
/// before what is put on the stream now, or from their own place.
Status HipGraphQueue::putSizes(void *On) {
  size_t Bytes = Sizes.Last.size() * 8;
  if (Bytes == 0)
    return Status::success();
  const int64_t *Now = Calls[0].Node.Sizes;
  if (Sizes.AreThere && std::memcmp(Sizes.Last.data(), Now, Bytes) == 0)
    return Status::success();
  std::byte *From = Sizes.Ring->data() + Flights->slot() * Bytes;
  std::memcpy(From, Now, Bytes);
  std::memcpy(Sizes.Last.data(), Now, Bytes);
  Status Done =
      Place.F.check(Place.F.MemcpyAsync(Sizes.Device->data(), From, Bytes,
                                        HipFunctions::HostToDevice, On),
                    "sizes");
  Sizes.AreThere = Done.ok();
  return Done;
}

/// A node of the graph changes only where a buffer is somewhere else. Calls
/// that run may read what it was from the graph.
Status HipGraphQueue::update(Instance &Of, size_t Node) {
  HipCall &Call = Calls[Node];
  Added &In = Of.Nodes[Node];
  fill(Call);
  if (In.Block == Call.Block)
    return Status::success();
  if (Status S = Flights->settle(); !S.ok())
    return S;
  HipKernelNode Parameters = parametersOf(Call, Of.Grids[Node], In);
  Status Done = Place.F.check(
      Place.F.GraphExecKernelNodeSetParams(Of.Exec, In.Node, &Parameters),
      "graph");
  if (!Done.ok())
    In.Block.clear();
  return Done;
}

/// By blocks, not by variables: sizes need not grow with these.
bool HipGraphQueue::isEnough(const Instance &Of) const {
  for (size_t I = 0; I < Calls.size(); ++I)
    for (size_t J = 0; J < 3; ++J)
      if (Calls[I].Node.Shape[J] > Of.Grids[I][J])
        return false;
  return true;
}

HipGraphQueue::Instance &HipGraphQueue::choose() {
  size_t I = First;
  while (I + 1 < Instances.size() && !isEnough(Instances[I]))
    ++I;
  return Instances[I];
}

Status HipGraphQueue::putNodes(void *On, bool) {
  Instance &Of = choose();
  for (size_t I = 0; I < Calls.size(); ++I)
    if (Status S = update(Of, I); !S.ok())
      return S;
  return Place.F.check(Place.F.GraphLaunch(Of.Exec, On), "graph");
}

Status HipGraphQueue::runWay(size_t Way) {
  First = Way;
  Status Done = run();
  First = 0;
  return Done;
}
