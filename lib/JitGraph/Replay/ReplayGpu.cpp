//===- ReplayGpu.cpp - graph execution on GPUs ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs and outputs are in host memory that the device can access, so that a
// program reads and writes them as on a CPU; all else is in the device's
// memory. GpuQueue.h executes nodes.
//
//===----------------------------------------------------------------------===//
#include "GpuQueue.h"
#include "KernelPrograms.h"

#include "kpack/JitGraph/GraphError.h"

#include <algorithm>
#include <cstring>

using namespace kpack;
using namespace kpack::jit;

namespace {

class GpuMemory final : public ReplayMemory {
public:
  GpuMemory(const GpuPlace &Place, uint64_t Bytes, MemoryKind Kind)
      : Place(Place), Size(Bytes), Kind(Kind) {
    OnDevice Current = Place.enter();
    void *Memory = nullptr;
    if (Current.failure() == 0 &&
        (Kind == MemoryKind::Shared ? Place.Gpu->allocateShared(Memory, Bytes)
                                    : Place.Gpu->MemAlloc(&Memory, Bytes)) == 0)
      First = static_cast<std::byte *>(Memory);
  }
  ~GpuMemory() override {
    if (!First)
      return;
    OnDevice Current = Place.enter();
    if (Kind == MemoryKind::Shared)
      Place.Gpu->MemFreeHost(First);
    else
      Place.Gpu->MemFree(First);
  }
  Status clear() override {
    if (Kind == MemoryKind::Device)
      return here([&] { return Place.Gpu->clear(First, Size); });
    std::memset(First, 0, Size);
    return Status::success();
  }
  Status read(uint64_t Offset, std::span<std::byte> Bytes) const override {
    return here([&] {
      return Place.Gpu->toHost(Bytes.data(), First + Offset, Bytes.size());
    });
  }
  Status write(uint64_t Offset, std::span<const std::byte> Bytes) override {
    if (Bytes.empty())
      return Status::success();
    return here([&] {
      return Place.Gpu->toDevice(First + Offset, Bytes.data(), Bytes.size());
    });
  }

private:
  template <typename Function> Status here(Function Call) const {
    OnDevice Current = Place.enter();
    return Current.failure() == 0 ? Place.check(Call(), "memory")
                                  : Place.check(Current);
  }

  GpuPlace Place;
  uint64_t Size;
  MemoryKind Kind;
};

class GpuBackend final : public ReplayBackend {
public:
  GpuBackend(GpuPlace Place, KernelPrograms Owned, bool IsGraph)
      : Place(Place), Programs(std::move(Owned)), IsGraph(IsGraph) {}

  Status resolve(const GraphPlan &Plan, int Device);
  Result<std::shared_ptr<ReplayMemory>> allocate(uint64_t Bytes,
                                                 MemoryKind Kind) override;
  Result<std::unique_ptr<ReplayQueue>>
  makeQueue(std::span<const ReplayNode> Nodes,
            std::span<const NodeGrids> Buckets) override;
  bool canRead(const void *Data) const override {
    return SeesAll || Place.Gpu->canRead(Data);
  }

  /// True if kernels can access all memory of the program.
  bool SeesAll = false;

private:
  GpuPlace Place;
  KernelPrograms Programs;
  bool IsGraph;
  std::vector<void *> Functions; ///< of the plan's kernels
  std::vector<bool> IsInput;     ///< of the plan's buffers
};

} // namespace

Status GpuBackend::resolve(const GraphPlan &Plan, int Device) {
  for (size_t I = 0; I < Plan.Kernels.size(); ++I) {
    const kpack_jit_kernel *Kernel;
    void *Function;
    if (kpack_jit_status Code = kpack_jit_kernel_load(
            Programs.program(I), Programs.index(I), Device, &Kernel))
      return compileFailure(Code);
    if (kpack_jit_status Code =
            kpack_jit_kernel_handle(Kernel, &Place.Device, &Function))
      return compileFailure(Code);
    Functions.push_back(Function);
  }
  for (const GraphBuffer &B : Plan.Buffers)
    IsInput.push_back(B.Role == BufferRole::Input);
  return Status::success();
}

Result<std::shared_ptr<ReplayMemory>> GpuBackend::allocate(uint64_t Bytes,
                                                           MemoryKind Kind) {
  auto Memory = std::make_shared<GpuMemory>(
      Place, std::max<uint64_t>(Bytes, PlanAlignment), Kind);
  if (!Memory->data())
    return graphFailure(GraphErrc::OutOfMemory,
                        "memory: the device has not " + std::to_string(Bytes) +
                            " bytes; narrow the bounds of variables",
                        StatusCode::OutOfMemory);
  if (Status S = Memory->clear(); !S.ok())
    return S;
  return std::shared_ptr<ReplayMemory>(std::move(Memory));
}

Result<std::unique_ptr<ReplayQueue>>
GpuBackend::makeQueue(std::span<const ReplayNode> Nodes,
                      std::span<const NodeGrids> Buckets) {
  std::vector<GpuCall> Calls;
  size_t Readers = 0, SizeCount = 0;
  for (const ReplayNode &Node : Nodes) {
    size_t Pointers = Node.Node->Buffers.size();
    size_t Count = Node.Node->Sizes.size();
    GpuCall Call{Node, Functions[Node.Node->Kernel],
                 std::vector<uint64_t>(Pointers + (IsGraph ? 1 : Count))};
    SizeCount = static_cast<size_t>(Node.Sizes - Nodes[0].Sizes) + Count;
    Calls.push_back(std::move(Call));
    for (uint32_t Buffer : Node.Node->Buffers)
      if (IsInput[Buffer])
        Readers = Calls.size();
  }
  OnDevice Current = Place.enter();
  if (Current.failure() != 0)
    return Place.check(Current);
  void *Stream = nullptr;
  if (Status S = Place.check(Place.Gpu->createStream(Stream), "stream");
      !S.ok())
    return S;
  if (!IsGraph)
    return std::unique_ptr<ReplayQueue>(
        new GpuQueue(Place, std::move(Calls), Stream, Readers));
  auto Queue = std::make_unique<GpuGraphQueue>(Place, std::move(Calls), Stream);
  GpuSizes Sizes;
  for (auto [Kernels, Kind, Times] :
       {std::tuple(&Sizes.Device, MemoryKind::Device, uint64_t{1}),
        std::tuple(&Sizes.Ring, MemoryKind::Shared, GpuFlights::Most)}) {
    Result<std::shared_ptr<ReplayMemory>> Memory =
        allocate(SizeCount * 8 * Times, Kind);
    if (!Memory)
      return Memory.status();
    *Kernels = std::move(*Memory);
  }
  Sizes.Last.resize(SizeCount);
  if (Status S = Queue->make(std::move(Sizes), Buckets); !S.ok())
    return S;
  return std::unique_ptr<ReplayQueue>(std::move(Queue));
}

/// Checks that a grid's extents, and its work items in each dimension, fit into
/// 32 bits.
static Status checkGrids(const GraphPlan &Plan) {
  for (const std::vector<GraphNode> *Nodes : {&Plan.Nodes, &Plan.Setup})
    for (const GraphNode &N : *Nodes) {
      uint32_t Blocks[] = {N.Block, N.BlockY, N.BlockZ};
      for (size_t I = 0; I < N.Grid.size(); ++I)
        if (N.Grid[I].hi() > UINT32_MAX / int64_t{std::max(Blocks[I], 1U)})
          return graphFailure(GraphErrc::OutOfMemory,
                              "grid: " + std::to_string(N.Grid[I].hi()) +
                                  " blocks are more than a launch can have; "
                                  "narrow the bounds of variables",
                              StatusCode::OutOfMemory);
    }
  return Status::success();
}

Result<std::shared_ptr<ReplayBackend>>
kpack::jit::makeGpuBackend(const GraphPlan &Plan, const PrepareConfig &Config) {
  if (Status S = checkGrids(Plan); !S.ok())
    return S;
  Result<GpuPlace> Found = GpuPlace::find(
      Plan.Target == GraphTarget::Hip ? GpuKind::Hip : GpuKind::Cuda,
      Config.device);
  if (!Found)
    return Found.status();
  GpuPlace Place = *Found;
  PrepareConfig Named = Config;
  if (Named.target.empty()) {
    Result<std::string> Target = Place.target();
    if (!Target)
      return Target.status();
    Named.target = std::move(*Target);
  }
  Result<KernelPrograms> Programs =
      KernelPrograms::compile(Plan, Named, nullptr);
  if (!Programs)
    return Programs.status();
  std::vector<CompiledKernel> Kernels = Programs->kernels();
  if (Config.device < 0)
    if (Status S =
            Place.check(Place.Gpu->currentDevice(Place.Device), "device");
        !S.ok())
      return S;
  auto Backend = std::make_shared<GpuBackend>(Place, std::move(*Programs),
                                              Plan.SizesInMemory);
  // The system migrates pages to the device when a kernel touches them.
  Backend->SeesAll = Named.target.find(":xnack+") != std::string::npos;
  if (Status S = Backend->resolve(Plan, Config.device); !S.ok())
    return S;
  Backend->Compiled = std::move(Kernels);
  return std::shared_ptr<ReplayBackend>(std::move(Backend));
}
