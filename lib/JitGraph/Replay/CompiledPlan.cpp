//===- CompiledPlan.cpp - a plan with loaded kernels ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CompiledPlan.h"

#include "JitGraph/Graph/GraphPlanCheck.h"

#include "kpack/JitGraph/GraphError.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

using namespace kpack;
using namespace kpack::jit;

Result<std::shared_ptr<ReplayMemory>>
ReplayBackend::hold(const ConstantBytes &Bytes) {
  Result<std::shared_ptr<ReplayMemory>> Memory =
      allocate(Bytes.size(), MemoryKind::Device);
  if (Memory)
    if (Status S = (*Memory)->write(0, Bytes); !S.ok())
      return S;
  return Memory;
}

/// Each weight has separate memory, so that it can be replaced alone.
Status CompiledPlan::uploadWeights() {
  Weights.reserve(Plan.Weights.size());
  for (const OpConstant &Weight : Plan.Weights) {
    Result<std::shared_ptr<ReplayMemory>> Memory = Backend->hold(Weight.Bytes);
    if (!Memory)
      return Memory.status();
    Weights.push_back(std::move(*Memory));
  }
  return derive(Weights);
}

std::optional<uint32_t> CompiledPlan::getWeight(const GraphBuffer &B) const {
  if (B.Role == BufferRole::Weight)
    return B.Which;
  if (B.Role == BufferRole::Derived)
    return static_cast<uint32_t>(Plan.Weights.size()) + B.Which;
  return std::nullopt;
}

Status CompiledPlan::derive(
    std::vector<std::shared_ptr<ReplayMemory>> &Weights) const {
  Weights.resize(Plan.Weights.size());
  for (const GraphBuffer &B : Plan.Buffers) {
    if (B.Role != BufferRole::Derived)
      continue;
    Result<std::shared_ptr<ReplayMemory>> Memory =
        Backend->allocate(B.Bytes, MemoryKind::Device);
    if (!Memory)
      return Memory.status();
    Weights.push_back(std::move(*Memory));
  }
  // These sizes have no variables.
  auto ValuesOf = [](std::span<const Dim> Dims) {
    std::vector<int64_t> Values;
    for (Dim D : Dims)
      Values.push_back(D.lo());
    return Values;
  };
  for (const GraphNode &N : Plan.Setup) {
    std::vector<void *> Slots;
    for (uint32_t Buffer : N.Buffers)
      Slots.push_back(Weights[*getWeight(Plan.Buffers[Buffer])]->data());
    std::vector<int64_t> Sizes = ValuesOf(N.Sizes), Shape;
    Shape = Plan.Target == GraphTarget::Cpu ? ValuesOf({&N.Rows, 1})
                                            : ValuesOf(N.Grid);
    ReplayNode Node{&N, Slots.data(), Sizes.data(), Shape.data()};
    Result<std::unique_ptr<ReplayQueue>> Queue =
        Backend->makeQueue({&Node, 1}, {});
    if (!Queue)
      return Queue.status();
    if (Status S = (*Queue)->run(); !S.ok())
      return S;
  }
  return Status::success();
}

Status CompiledPlan::layOut() {
  uint64_t End = 0;
  bool IsTooLarge = false;
  // Returns the offset of Bytes, after a gap.
  auto Append = [&](uint64_t Bytes) {
    Gaps.push_back(End);
    uint64_t Begin = End + GapSize;
    uint64_t Rounded = 0;
    IsTooLarge |= __builtin_add_overflow(Bytes, PlanAlignment - 1, &Rounded) ||
                  __builtin_add_overflow(
                      Begin, Rounded / PlanAlignment * PlanAlignment, &End) ||
                  End > INT64_MAX / 2;
    if (IsTooLarge)
      End = 0;
    return Begin;
  };
  Offsets.assign(Plan.Buffers.size(), 0);
  for (BufferRole Role : {BufferRole::Input, BufferRole::Output})
    for (size_t I = 0; I < Plan.Buffers.size(); ++I)
      if (Plan.Buffers[I].Role == Role)
        Offsets[I] = Append(Plan.Buffers[I].Bytes);
  Gaps.push_back(End);
  ArenaBytes = End + GapSize;
  // Peak is a multiple of the alignment.
  IsTooLarge |= Plan.Memory.Peak > INT64_MAX / 2;
  PoolBytes = Plan.Memory.Peak + 2 * GapSize;
  for (size_t I = 0; I < Plan.Buffers.size(); ++I)
    if (Plan.Buffers[I].Role == BufferRole::Pooled)
      Offsets[I] = GapSize + Plan.Memory.Places[Plan.Buffers[I].Which].Offset;
  if (IsTooLarge)
    return graphFailure(GraphErrc::OutOfMemory,
                        "memory: buffers are larger than any memory; narrow "
                        "the bounds of variables",
                        StatusCode::OutOfMemory);
  return Status::success();
}

void CompiledPlan::placeNodes() {
  std::vector<Dim> Different;
  std::unordered_map<const DimNode *, uint32_t> ResultOf;
  auto Append = [&](std::span<const Dim> Dims) {
    auto Place = static_cast<uint32_t>(Sizes.size());
    for (Dim D : Dims) {
      auto [Found, IsNew] = ResultOf.try_emplace(
          D.node(), static_cast<uint32_t>(Different.size()));
      if (IsNew)
        Different.push_back(D);
      Sizes.push_back(Found->second);
    }
    return Place;
  };
  SlotsOf.resize(Plan.Buffers.size());
  for (const GraphNode &N : Plan.Nodes) {
    NodePlace Place{Slots, Append(N.Sizes), 0};
    Place.Shape =
        Plan.Target == GraphTarget::Cpu ? Append({&N.Rows, 1}) : Append(N.Grid);
    Nodes.push_back(Place);
    for (uint32_t Buffer : N.Buffers)
      SlotsOf[Buffer].push_back(Slots++);
  }
  Extents.assign(Plan.Buffers.size(), None);
  for (size_t I = 0; I < Plan.Buffers.size(); ++I)
    if (BufferRole Role = Plan.Buffers[I].Role;
        Role == BufferRole::Input || Role == BufferRole::Output)
      Extents[I] = Append(Plan.Buffers[I].Extents);
  Guards = static_cast<uint32_t>(Sizes.size());
  for (const OpGuard &Guard : Plan.Ops.guards()) {
    Append({&Guard.A, 1});
    Append({&Guard.B, 1});
  }
  Program = DimProgram::of(Different);
}

/// Returns the values of all variables. Fails with BadBounds.
static Result<std::vector<int64_t>>
getValues(const SizeBucket &Asked, std::span<const DimVariable> Variables) {
  std::vector<int64_t> Values;
  for (const DimVariable &V : Variables)
    Values.push_back(V.Range.Hi);
  for (const auto &[Name, Value] : Asked) {
    size_t I = 0;
    while (I < Variables.size() && Variables[I].Name != Name)
      ++I;
    if (I == Variables.size())
      return graphFailure(GraphErrc::BadBounds,
                          "buckets: " + Name +
                              ": is no variable of this graph; name one that "
                              "plan().variables() lists");
    DimRange Range = Variables[I].Range;
    if (!Range.contains(Value))
      return graphFailure(GraphErrc::BadBounds,
                          "buckets: " + Name + ": " + std::to_string(Value) +
                              " is not within " + std::to_string(Range.Lo) +
                              " to " + std::to_string(Range.Hi) +
                              "; name a value that calls can have");
    Values[I] = Value;
  }
  return Values;
}

unsigned __int128 jit::countBlocks(const NodeGrids &Grids) {
  unsigned __int128 Count = 0;
  for (const auto &[X, Y, Z] : Grids)
    Count += static_cast<unsigned __int128>(X) * static_cast<uint64_t>(Y) *
             static_cast<uint64_t>(Z);
  return Count;
}

Status CompiledPlan::makeBuckets(std::span<const SizeBucket> Asked) {
  struct Sized {
    unsigned __int128 Blocks = 0;
    Bucket Upper;
    NodeGrids Grids;
  };
  std::vector<Sized> All;
  for (const SizeBucket &One : Asked) {
    Result<std::vector<int64_t>> Values =
        getValues(One, Plan.Ops.dims().variables());
    if (!Values)
      return Values.status();
    auto &[Blocks, Upper, Grids] = All.emplace_back();
    Upper.Values = std::move(*Values);
    for (const GraphNode &N : Plan.Nodes) {
      auto &Grid = Grids.emplace_back();
      for (size_t I = 0; I < 3 && Plan.SizesInMemory; ++I)
        Grid[I] = valueOf(N.Grid[I], Upper.Values);
    }
    // makeGpuBackend() has checked the extents.
    Blocks = countBlocks(Grids);
    Upper.Blocks =
        static_cast<int64_t>(std::min<unsigned __int128>(Blocks, INT64_MAX));
  }
  if (!Plan.SizesInMemory) {
    if (!Asked.empty())
      Notes.push_back("buckets: there is no graph of the runtime, and each "
                      "kernel has as many blocks as a call needs");
    return Status::success();
  }
  std::sort(All.begin(), All.end(), [](const Sized &A, const Sized &B) {
    return std::tie(A.Blocks, A.Upper.Values) <
           std::tie(B.Blocks, B.Upper.Values);
  });
  for (Sized &One : All) {
    Buckets.push_back(std::move(One.Upper));
    Grids.push_back(std::move(One.Grids));
  }
  return Status::success();
}

Result<std::shared_ptr<const CompiledPlan>>
CompiledPlan::make(GraphPlan Plan, const PrepareConfig &Config,
                   std::vector<std::string> Notes) {
  if (Status S = checkGraphPlan(Plan); !S.ok())
    return S;
  auto Compiled = std::make_shared<CompiledPlan>();
  Compiled->Plan = std::move(Plan);
  Compiled->Notes = std::move(Notes);
  Compiled->ChecksBuffers = Config.check_buffers;
  Result<std::shared_ptr<ReplayBackend>> Backend =
      Compiled->Plan.Target == GraphTarget::Cpu
          ? makeCpuBackend(Compiled->Plan, Config)
          : makeGpuBackend(Compiled->Plan, Config);
  if (!Backend)
    return Backend.status();
  Compiled->Backend = std::move(*Backend);
  for (size_t I = 0; I < Compiled->Plan.Kernels.size(); ++I) {
    Compiled->Plan.Kernels[I].Origin = Compiled->Backend->Compiled[I].Origin;
    Compiled->Plan.Kernels[I].Key = Compiled->Backend->Compiled[I].Key;
  }
  if (Status S = Compiled->uploadWeights(); !S.ok())
    return S;
  if (Status S = Compiled->layOut(); !S.ok())
    return S;
  Compiled->placeNodes();
  if (Status S = Compiled->makeBuckets(Config.buckets); !S.ok())
    return S;
  return std::shared_ptr<const CompiledPlan>(std::move(Compiled));
}
