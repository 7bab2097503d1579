//===- Replay.cpp - repeated execution of a plan --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creation and execution of a replay. ReplayBind.cpp binds a call's values and
// inputs.
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/Replay.h"

#include "CompiledPlan.h"

#include "kpack/JitGraph/GraphError.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace kpack;
using namespace kpack::jit;

/// Content of gaps. As a float, and as most integers, a value that no kernel
/// computes.
static constexpr std::byte Pattern{0xa7};

Result<std::shared_ptr<const CompiledPlan>>
kpack::jit::compilePlan(GraphPlan Plan, const PrepareConfig &Config,
                        std::vector<std::string> Notes) {
  return CompiledPlan::make(std::move(Plan), Config, std::move(Notes));
}

Replay::Replay(std::shared_ptr<const CompiledPlan> Plan)
    : Shared(std::move(Plan)), Variables(Shared->Plan.Ops.dims().variables()),
      Weights(Shared->Weights) {}

Replay::~Replay() = default;

Result<std::unique_ptr<Replay>>
Replay::create(std::shared_ptr<const CompiledPlan> Plan) {
  std::unique_ptr<Replay> Created(new Replay(std::move(Plan)));
  if (Status S = Created->allocate(); !S.ok())
    return S;
  return Created;
}

Result<std::unique_ptr<Replay>> Replay::clone() const {
  std::unique_ptr<Replay> Copy(new Replay(Shared));
  Copy->Weights = Weights;
  if (Status S = Copy->allocate(); !S.ok())
    return S;
  return Copy;
}

Status Replay::allocate() {
  const GraphPlan &Plan = Shared->Plan;
  Result<std::shared_ptr<ReplayMemory>> Memory =
      Shared->Backend->allocate(Shared->ArenaBytes, MemoryKind::Shared);
  if (!Memory)
    return Memory.status();
  Arena = std::move(*Memory);
  Memory = Shared->Backend->allocate(Shared->PoolBytes, MemoryKind::Device);
  if (!Memory)
    return Memory.status();
  Pool = std::move(*Memory);
  if (Status S = fillGaps(); !S.ok())
    return S;

  for (const DimVariable &Variable : Variables)
    Values.push_back(Variable.Range.Hi);
  OldValues = Values;
  Results.resize(Shared->Program.places());
  Sizes.resize(Shared->Sizes.size());
  evaluate();

  Slots.resize(Shared->Slots);
  for (uint32_t I = 0; I < Plan.Buffers.size(); ++I) {
    const GraphBuffer &B = Plan.Buffers[I];
    std::optional<uint32_t> Weight = Shared->getWeight(B);
    const ReplayMemory &In =
        Weight ? *Weights[*Weight]
               : *(B.Role == BufferRole::Pooled ? Pool : Arena);
    Own.push_back(In.data() + (Weight ? 0 : Shared->offsetOf(I)));
    point(I, Own[I]);
  }
  for (uint32_t I = 0; I < Plan.Inputs.size(); ++I)
    Bound.push_back({I, nullptr, std::nullopt});
  OldBound = Bound;

  std::vector<ReplayNode> Nodes;
  for (size_t I = 0; I < Plan.Nodes.size(); ++I) {
    const CompiledPlan::NodePlace &Place = Shared->Nodes[I];
    Nodes.push_back({&Plan.Nodes[I], Slots.data() + Place.Slot,
                     Sizes.data() + Place.Sizes, Sizes.data() + Place.Shape});
  }
  Result<std::unique_ptr<ReplayQueue>> Created =
      Shared->Backend->makeQueue(Nodes, Shared->Grids);
  if (!Created)
    return Created.status();
  Queue = std::move(*Created);
  return Status::success();
}

/// Kernels only read their inputs; the slots have one type for all.
void Replay::point(uint32_t Buffer, const void *Address) {
  for (uint32_t Slot : Shared->SlotsOf[Buffer])
    Slots[Slot] = const_cast<void *>(Address);
}

Status Replay::busy() {
  return graphFailure(GraphErrc::Busy,
                      "graph: is executed by another thread; give each thread "
                      "a clone() of its own");
}

Status Replay::run() {
  if (IsGuarded) [[unlikely]]
    return checkGuards();
  Status Done = Queue->run();
  return Done.ok() && Shared->ChecksBuffers ? checkGaps() : Done;
}

Status Replay::checkRoom() const {
  if (Queue->canStart()) [[likely]]
    return Status::success();
  return graphFailure(GraphErrc::Busy,
                      "graph: as many calls as can be are running; wait for "
                      "the event of an earlier one");
}

Result<Event> Replay::start(Stream Where) {
  if (IsGuarded)
    return checkGuards();
  if (!Shared->ChecksBuffers)
    return Queue->start(Where);
  // Check the state that the call leaves.
  Result<Event> Started = Queue->start(Where);
  if (!Started)
    return Started;
  Status Done = Started->wait();
  if (Done.ok())
    Done = checkGaps();
  if (!Done.ok())
    return Done;
  return Started;
}

Status Replay::settle() { return Queue->settle(); }

static std::string textOf(const OpLocation &Where) {
  return Where.Line ? std::string(Where.File) + ":" + std::to_string(Where.Line)
                    : std::string();
}

Status Replay::runProfiled(std::vector<KernelProfile> &Times) {
  using Clock = std::chrono::steady_clock;
  const GraphPlan &Plan = Shared->Plan;
  if (IsGuarded)
    return checkGuards();
  auto ValueOf = [&](Dim D) {
    return D.valid() ? std::optional(valueOf(D, Values)) : std::nullopt;
  };
  Times.clear();
  for (size_t I = 0; I < Plan.Nodes.size(); ++I) {
    Clock::time_point Start = Clock::now();
    Status Done = Queue->runNode(I);
    std::chrono::nanoseconds Took = Clock::now() - Start;
    if (!Done.ok())
      return Done;
    const GraphNode &Node = Plan.Nodes[I];
    const GraphKernel &Kernel = Plan.Kernels[Node.Kernel];
    Times.push_back({Kernel.Name, Kernel.Operations, textOf(Kernel.Where),
                     static_cast<uint64_t>(Took.count()), ValueOf(Node.Bytes),
                     ValueOf(Node.Flops)});
  }
  return Shared->ChecksBuffers ? checkGaps() : Status::success();
}

void Replay::setValues(int64_t DimRange::*Bound) {
  for (size_t I = 0; I < Values.size(); ++I)
    Values[I] = Variables[I].Range.*Bound;
  evaluate();
}

Status Replay::warmUp() {
  setValues(&DimRange::Lo);
  Status Done = IsGuarded ? Status::success() : Queue->run();
  if (Done.ok())
    Done = checkGaps();
  setValues(&DimRange::Hi);
  Status Cleared = clear();
  return Done.ok() ? Cleared : Done;
}

Status Replay::clear() {
  for (ReplayMemory *Memory : {Arena.get(), Pool.get()})
    if (Status S = Memory->clear(); !S.ok())
      return S;
  return fillGaps();
}

/// Fills inputs with any numbers except integers, which may be indices.
Status Replay::fillInputs() {
  auto FractionOf = [](ElementType Type, size_t I) -> uint32_t {
    switch (Type) {
    case ElementType::Float32:
      return 0x3f000000 | static_cast<uint32_t>(I * 2654435761U) >> 9;
    case ElementType::Float16:
      return 0x3800 | I % 1021;
    case ElementType::BFloat16:
      return 0x3f00 | I % 127;
    default:
      return 0;
    }
  };
  for (uint32_t Input : Shared->Plan.Inputs) {
    const GraphBuffer &B = Shared->Plan.Buffers[Input];
    std::vector<std::byte> Bytes(B.Bytes);
    size_t Size = sizeOf(B.Type);
    for (size_t Offset = 0; Offset + Size <= Bytes.size(); Offset += Size) {
      // The low bytes come first and are sufficient for integers.
      uint64_t Element = FractionOf(B.Type, Offset / Size);
      std::memcpy(Bytes.data() + Offset, &Element, Size);
    }
    if (Status S = Arena->write(Shared->offsetOf(Input), Bytes); !S.ok())
      return S;
  }
  return Status::success();
}

/// Sets the lower bounds, or the upper ones if guards do not hold there.
/// Returns false if guards hold at neither; the sizes that they allow are
/// unknown then.
bool Replay::setAllowedValues() {
  setValues(&DimRange::Lo);
  if (IsGuarded)
    setValues(&DimRange::Hi);
  return !IsGuarded;
}

Result<bool> Replay::waysAgree() {
  Result<bool> AreSame = setAllowedValues() ? compareWays() : Result(true);
  setValues(&DimRange::Hi);
  Status Cleared = clear();
  return !AreSame || Cleared.ok() ? std::move(AreSame) : Result<bool>(Cleared);
}

/// Compares with the current values.
Result<bool> Replay::compareWays() {
  std::vector<std::byte> ByNodes, Bytes(Shared->ArenaBytes);
  bool AreSame = true;
  for (size_t Way = 0; Way <= Queue->ways(); ++Way) {
    if (Status S = clear(); !S.ok())
      return S;
    if (Status S = fillInputs(); !S.ok())
      return S;
    Status Done = Way > 0 ? Queue->runWay(Way - 1) : Status::success();
    for (size_t I = 0; Way == 0 && I < Shared->Nodes.size() && Done.ok(); ++I)
      Done = Queue->runNode(I);
    if (Done.ok())
      Done = Arena->read(0, Bytes);
    if (!Done.ok())
      return Done;
    if (Way == 0)
      ByNodes = Bytes;
    AreSame &= Bytes == ByNodes;
  }
  return AreSame;
}

Status Replay::fillGaps() {
  std::array<std::byte, CompiledPlan::GapSize> Gap;
  Gap.fill(Pattern);
  for (uint64_t Offset : Shared->Gaps)
    if (Status S = Arena->write(Offset, Gap); !S.ok())
      return S;
  for (uint64_t Offset :
       {uint64_t{0}, Shared->PoolBytes - CompiledPlan::GapSize})
    if (Status S = Pool->write(Offset, Gap); !S.ok())
      return S;
  return Status::success();
}

Status Replay::checkGaps() const {
  Status Read;
  auto IsHurt = [&](const ReplayMemory &Memory, uint64_t Offset) {
    std::array<std::byte, CompiledPlan::GapSize> Gap;
    if (Read.ok())
      Read = Memory.read(Offset, Gap);
    return Read.ok() && std::any_of(Gap.begin(), Gap.end(),
                                    [](std::byte B) { return B != Pattern; });
  };
  auto Refuse = [](const std::string &Name) {
    return graphFailure(GraphErrc::Runtime,
                        Name + ": a kernel has written outside of it; look at "
                               "the kernels that plan().source() shows",
                        StatusCode::IoError);
  };
  for (uint64_t Offset :
       {uint64_t{0}, Shared->PoolBytes - CompiledPlan::GapSize})
    if (IsHurt(*Pool, Offset))
      return Refuse("the pool of intermediate results");
  for (uint64_t Offset : Shared->Gaps) {
    if (!IsHurt(*Arena, Offset))
      continue;
    std::string Name = "an input or output";
    for (size_t I = 0; I < Shared->Plan.Buffers.size(); ++I)
      if (const GraphBuffer &B = Shared->Plan.Buffers[I];
          (B.Role == BufferRole::Input || B.Role == BufferRole::Output) &&
          (Shared->Offsets[I] == Offset + CompiledPlan::GapSize ||
           (Shared->Offsets[I] <= Offset &&
            Shared->Offsets[I] + B.Bytes + PlanAlignment > Offset)))
        Name = B.Name;
    return Refuse(Name);
  }
  return Read;
}

void Replay::exchange(uint32_t Input, uint32_t Output) {
  uint32_t In = Shared->Plan.Inputs[Input], Out = Shared->Plan.Outputs[Output];
  std::swap(Own[In], Own[Out]);
  point(In, Own[In]);
  point(Out, Own[Out]);
  ++Version;
}

Status Replay::replaceWeight(std::string_view Name, ElementType Type,
                             std::span<const std::byte> Bytes) {
  const std::vector<OpConstant> &All = Shared->Plan.Weights;
  auto HasName = [&](const OpConstant &C) {
    return !Name.empty() && C.Name == Name;
  };
  auto Found = std::find_if(All.begin(), All.end(), HasName);
  std::string Object = "constant '" + std::string(Name) + "'";
  if (std::count_if(All.begin(), All.end(), HasName) != 1)
    return graphFailure(
        GraphErrc::InputBufferNotFound,
        Object + ": " +
            (Found == All.end() ? "is not there" : "there are several") +
            "; plan().constants() lists names");
  if (Found->Type != Type)
    return graphFailure(GraphErrc::DtypeMismatch,
                        Object + ": is of " + std::string(nameOf(Found->Type)) +
                            ", not of " + std::string(nameOf(Type)) +
                            "; give it elements of its type");
  if (Found->Bytes.size() != Bytes.size())
    return graphFailure(
        GraphErrc::ShapeMismatch,
        Object + ": has " + std::to_string(Found->Bytes.size() / sizeOf(Type)) +
            " elements, not " + std::to_string(Bytes.size() / sizeOf(Type)) +
            "; give it as many as it has");
  Result<std::shared_ptr<ReplayMemory>> Memory =
      Shared->Backend->allocate(Bytes.size(), MemoryKind::Device);
  if (!Memory)
    return Memory.status();
  if (Status S = (*Memory)->write(0, Bytes); !S.ok())
    return S;
  // Kernels may still read the weight that this replaces.
  if (Status S = settle(); !S.ok())
    return S;
  std::vector<std::shared_ptr<ReplayMemory>> Others = Weights;
  Others[static_cast<size_t>(Found - All.begin())] = std::move(*Memory);
  if (Status S = Shared->derive(Others); !S.ok())
    return S;
  Weights = std::move(Others);
  for (uint32_t I = 0; I < Shared->Plan.Buffers.size(); ++I)
    if (auto Weight = Shared->getWeight(Shared->Plan.Buffers[I]))
      point(I, Own[I] = Weights[*Weight]->data());
  return Status::success();
}

const GraphPlan &Replay::plan() const { return Shared->Plan; }

void *Replay::input(uint32_t I) const { return Own[Shared->Plan.Inputs[I]]; }

const void *Replay::output(uint32_t I) const {
  return Own[Shared->Plan.Outputs[I]];
}

std::span<const int64_t> Replay::outputExtents(uint32_t I) const {
  uint32_t Buffer = Shared->Plan.Outputs[I];
  return std::span(Sizes).subspan(Shared->Extents[Buffer],
                                  Shared->Plan.Buffers[Buffer].Extents.size());
}
