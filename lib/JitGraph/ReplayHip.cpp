//===- ReplayHip.cpp - nodes as launches ----------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two ways over one stream. A launch a node: its arguments lie ready in a
// block, and grids are exact. Or one launch of a graph that HIP has: grids are
// those of the upper bounds, and kernels read sizes from memory that the
// program writes between two runs, so nothing in the graph changes with a
// variable.
//
// Inputs and outputs are in host memory that the device sees, so that a program
// reads and writes them as on a CPU; all else is in the device's.
//
//===----------------------------------------------------------------------===//
#include "HipFunctions.h"
#include "ReplayBackend.h"

#include "kpack/JitGraph/GraphError.h"

#include <cstring>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// What an argument block may be handed over by.
void *const LaunchPointer = reinterpret_cast<void *>(1);
void *const LaunchSize = reinterpret_cast<void *>(2);
void *const LaunchEnd = reinterpret_cast<void *>(3);

/// The calling thread's device while this lives.
class OnDevice {
public:
  OnDevice(const HipFunctions &F, int Device) : F(F) {
    IsOther = F.GetDevice(&Before) == 0 && Before != Device;
    if (IsOther)
      F.SetDevice(Device);
  }
  ~OnDevice() {
    if (IsOther)
      F.SetDevice(Before);
  }
  OnDevice(const OnDevice &) = delete;

private:
  const HipFunctions &F;
  int Before = 0;
  bool IsOther;
};

/// Where everything happens.
struct HipPlace {
  HipFunctions F;
  int Device = 0;
};

class HipMemory final : public ReplayMemory {
public:
  HipMemory(const HipPlace &Place, uint64_t Bytes, MemoryKind Kind)
      : Place(Place), Size(Bytes), Kind(Kind) {
    OnDevice Current(Place.F, Place.Device);
    void *Memory = nullptr;
    int Code = Kind == MemoryKind::Shared
                   ? Place.F.HostMalloc(&Memory, Bytes, 0)
                   : Place.F.Malloc(&Memory, Bytes);
    if (Code != 0)
      return;
    First = static_cast<std::byte *>(Memory);
    clear();
  }
  ~HipMemory() override {
    OnDevice Current(Place.F, Place.Device);
    if (Kind == MemoryKind::Shared)
      Place.F.HostFree(First);
    else
      Place.F.Free(First);
  }
  void clear() override {
    OnDevice Current(Place.F, Place.Device);
    if (Kind == MemoryKind::Shared)
      std::memset(First, 0, Size);
    else
      Place.F.Memset(First, 0, Size);
  }
  void read(uint64_t Offset, std::span<std::byte> Bytes) const override {
    OnDevice Current(Place.F, Place.Device);
    Place.F.Memcpy(Bytes.data(), First + Offset, Bytes.size(),
                   HipFunctions::DeviceToHost);
  }
  void write(uint64_t Offset, std::span<const std::byte> Bytes) override {
    OnDevice Current(Place.F, Place.Device);
    if (!Bytes.empty())
      Place.F.Memcpy(First + Offset, Bytes.data(), Bytes.size(),
                     HipFunctions::HostToDevice);
  }

private:
  HipPlace Place;
  uint64_t Size;
  MemoryKind Kind;
};

/// A node with its block of arguments.
struct HipCall {
  ReplayNode Node;
  void *Function;
  std::vector<uint64_t> Block; ///< pointers, then sizes or where they are
  size_t Bytes = 0;

  void fill() {
    size_t Pointers = Node.Node->Buffers.size();
    std::memcpy(Block.data(), Node.Buffers, Pointers * sizeof(void *));
    if (size_t Count = Block.size() - Pointers)
      std::memcpy(Block.data() + Pointers, Node.Sizes, Count * 8);
  }
};

class HipQueue : public ReplayQueue {
public:
  HipQueue(const HipPlace &Place, std::vector<HipCall> Calls, void *Stream)
      : Place(Place), Calls(std::move(Calls)), Stream(Stream) {}
  ~HipQueue() override {
    OnDevice Current(Place.F, Place.Device);
    Place.F.StreamDestroy(Stream);
  }

  Status run() override {
    OnDevice Current(Place.F, Place.Device);
    for (HipCall &Call : Calls)
      if (Status S = launch(Call); !S.ok())
        return S;
    return wait();
  }
  Status runNode(size_t Node) override {
    OnDevice Current(Place.F, Place.Device);
    if (Status S = launch(Calls[Node]); !S.ok())
      return S;
    return wait();
  }

protected:
  Status wait() {
    return Place.F.check(Place.F.StreamSynchronize(Stream), "stream");
  }
  /// An empty grid is no launch.
  virtual Status launch(HipCall &Call) {
    const int64_t *Grid = Call.Node.Shape;
    if (Grid[0] * Grid[1] * Grid[2] == 0)
      return Status::success();
    Call.fill();
    return launch(Call, Grid[0], Grid[1], Grid[2]);
  }
  Status launch(HipCall &Call, int64_t X, int64_t Y, int64_t Z) {
    void *Extra[] = {LaunchPointer, Call.Block.data(), LaunchSize, &Call.Bytes,
                     LaunchEnd};
    return Place.F.check(
        Place.F.LaunchKernel(Call.Function, static_cast<unsigned>(X),
                             static_cast<unsigned>(Y), static_cast<unsigned>(Z),
                             Call.Node.Node->Block, 1, 1, 0, Stream, nullptr,
                             Extra),
        "launch");
  }

  HipPlace Place;
  std::vector<HipCall> Calls;
  void *Stream;
};

/// Sizes are in memory, and the kernels a graph of HIP.
class HipGraphQueue final : public HipQueue {
public:
  HipGraphQueue(const HipPlace &Place, std::vector<HipCall> Calls, void *Stream,
                std::shared_ptr<ReplayMemory> Sizes)
      : HipQueue(Place, std::move(Calls), Stream), Sizes(std::move(Sizes)) {}
  ~HipGraphQueue() override {
    OnDevice Current(Place.F, Place.Device);
    if (Exec)
      Place.F.GraphExecDestroy(Exec);
    if (Graph)
      Place.F.GraphDestroy(Graph);
  }

  Status make();

  Status run() override {
    OnDevice Current(Place.F, Place.Device);
    for (HipCall &Call : Calls)
      if (Status S = update(Call); !S.ok())
        return S;
    if (Status S = Place.F.check(Place.F.GraphLaunch(Exec, Stream), "graph");
        !S.ok())
      return S;
    return wait();
  }

private:
  struct Added {
    void *Node = nullptr;
    std::vector<uint64_t> Block; ///< as the graph has it
  };

  /// The grid of the upper bounds.
  static HipKernelNode parametersOf(HipCall &Call, void **Extra) {
    HipKernelNode Parameters{};
    for (size_t I = 0; I < 3; ++I)
      Parameters.Grid[I] = static_cast<uint32_t>(
          std::max<int64_t>(Call.Node.Node->Grid[I].hi(), 1));
    Parameters.Block[0] = Call.Node.Node->Block;
    Parameters.Block[1] = Parameters.Block[2] = 1;
    Parameters.Function = Call.Function;
    Parameters.Extra = Extra;
    return Parameters;
  }
  void fill(HipCall &Call) {
    size_t Pointers = Call.Node.Node->Buffers.size();
    std::memcpy(Call.Block.data(), Call.Node.Buffers,
                Pointers * sizeof(void *));
    auto *To = Sizes->data() + offsetOf(Call);
    std::memcpy(To, Call.Node.Sizes, Call.Node.Node->Sizes.size() * 8);
    Call.Block[Pointers] = reinterpret_cast<uint64_t>(To);
  }
  uint64_t offsetOf(const HipCall &Call) const {
    return static_cast<uint64_t>(Call.Node.Sizes - Calls[0].Node.Sizes) * 8;
  }
  /// A node of the graph changes only where a buffer is somewhere else.
  Status update(HipCall &Call) {
    Added &In = Nodes[static_cast<size_t>(&Call - Calls.data())];
    fill(Call);
    if (In.Block == Call.Block)
      return Status::success();
    void *Extra[] = {LaunchPointer, Call.Block.data(), LaunchSize, &Call.Bytes,
                     LaunchEnd};
    HipKernelNode Parameters = parametersOf(Call, Extra);
    In.Block = Call.Block;
    return Place.F.check(
        Place.F.GraphExecKernelNodeSetParams(Exec, In.Node, &Parameters),
        "graph");
  }
  Status launch(HipCall &Call) override {
    fill(Call);
    HipKernelNode P = parametersOf(Call, nullptr);
    return HipQueue::launch(Call, P.Grid[0], P.Grid[1], P.Grid[2]);
  }

  std::shared_ptr<ReplayMemory> Sizes;
  std::vector<Added> Nodes;
  void *Graph = nullptr, *Exec = nullptr;
};

class HipBackend final : public ReplayBackend {
public:
  HipBackend(HipPlace Place, kpack_jit_program *Owned, bool IsGraph)
      : Place(Place), Program(Owned), IsGraph(IsGraph) {}
  ~HipBackend() override { kpack_jit_program_release(Program); }

  Status resolve(const GraphPlan &Plan, int Device);
  Result<std::shared_ptr<ReplayMemory>> allocate(uint64_t Bytes,
                                                 MemoryKind Kind) override;
  Result<std::unique_ptr<ReplayQueue>>
  makeQueue(std::span<const ReplayNode> Nodes) override;

private:
  HipPlace Place;
  kpack_jit_program *Program; ///< null: there are no kernels
  bool IsGraph;
  std::vector<void *> Functions; ///< of the plan's kernels
};

} // namespace

Status HipGraphQueue::make() {
  OnDevice Current(Place.F, Place.Device);
  if (Status S = Place.F.check(Place.F.GraphCreate(&Graph, 0), "graph");
      !S.ok())
    return S;
  Nodes.resize(Calls.size());
  for (size_t I = 0; I < Calls.size(); ++I) {
    HipCall &Call = Calls[I];
    fill(Call);
    Nodes[I].Block = Call.Block;
    void *Extra[] = {LaunchPointer, Call.Block.data(), LaunchSize, &Call.Bytes,
                     LaunchEnd};
    HipKernelNode Parameters = parametersOf(Call, Extra);
    void *const *Before = I ? &Nodes[I - 1].Node : nullptr;
    int Code = Place.F.GraphAddKernelNode(&Nodes[I].Node, Graph, Before,
                                          I ? 1 : 0, &Parameters);
    if (Status S = Place.F.check(Code, "graph"); !S.ok())
      return S;
  }
  return Place.F.check(
      Place.F.GraphInstantiate(&Exec, Graph, nullptr, nullptr, 0), "graph");
}

Status HipBackend::resolve(const GraphPlan &Plan, int Device) {
  for (size_t I = 0; I < Plan.Kernels.size(); ++I) {
    const kpack_jit_kernel *Kernel;
    void *Function;
    if (kpack_jit_status Code =
            kpack_jit_kernel_load(Program, I, Device, &Kernel))
      return compileFailure(Code);
    if (kpack_jit_status Code =
            kpack_jit_kernel_handle(Kernel, &Place.Device, &Function))
      return compileFailure(Code);
    Functions.push_back(Function);
  }
  return Status::success();
}

Result<std::shared_ptr<ReplayMemory>> HipBackend::allocate(uint64_t Bytes,
                                                           MemoryKind Kind) {
  auto Memory = std::make_shared<HipMemory>(
      Place, std::max<uint64_t>(Bytes, PlanAlignment), Kind);
  if (!Memory->data())
    return graphFailure(GraphErrc::OutOfMemory,
                        "memory: the device has not " + std::to_string(Bytes) +
                            " bytes; narrow the bounds of variables",
                        StatusCode::OutOfMemory);
  return std::shared_ptr<ReplayMemory>(std::move(Memory));
}

Result<std::unique_ptr<ReplayQueue>>
HipBackend::makeQueue(std::span<const ReplayNode> Nodes) {
  std::vector<HipCall> Calls;
  size_t SizeCount = 0;
  for (const ReplayNode &Node : Nodes) {
    HipCall Call{Node, Functions[Node.Node->Kernel], {}, 0};
    size_t Count = Node.Node->Sizes.size();
    Call.Block.resize(Node.Node->Buffers.size() + (IsGraph ? 1 : Count));
    Call.Bytes = Call.Block.size() * 8;
    SizeCount = static_cast<size_t>(Node.Sizes - Nodes[0].Sizes) + Count;
    Calls.push_back(std::move(Call));
  }
  OnDevice Current(Place.F, Place.Device);
  void *Stream = nullptr;
  if (Status S = Place.F.check(Place.F.StreamCreate(&Stream), "stream");
      !S.ok())
    return S;
  if (!IsGraph)
    return std::unique_ptr<ReplayQueue>(
        new HipQueue(Place, std::move(Calls), Stream));
  Result<std::shared_ptr<ReplayMemory>> Sizes =
      allocate(SizeCount * 8, MemoryKind::Shared);
  if (!Sizes) {
    Place.F.StreamDestroy(Stream);
    return Sizes.status();
  }
  auto Queue = std::make_unique<HipGraphQueue>(Place, std::move(Calls), Stream,
                                               std::move(*Sizes));
  if (Status S = Queue->make(); !S.ok())
    return S;
  return std::unique_ptr<ReplayQueue>(std::move(Queue));
}

/// The target id of the device, where the caller names none.
static Result<PrepareConfig> withTarget(const PrepareConfig &How) {
  PrepareConfig Named = How;
  if (!Named.target.empty())
    return Named;
  char Target[128];
  if (kpack_jit_status Code =
          kpack_jit_device_target(How.device, Target, sizeof(Target)))
    return graphFailure(GraphErrc::Device, compileFailure(Code).message(),
                        StatusCode::IoError);
  Named.target = Target;
  return Named;
}

Result<std::shared_ptr<ReplayBackend>>
kpack::jit::makeHipBackend(const GraphPlan &Plan, const PrepareConfig &How) {
  Result<HipFunctions> Functions = HipFunctions::find();
  if (!Functions)
    return Functions.status();
  Result<PrepareConfig> Named = withTarget(How);
  if (!Named)
    return Named.status();
  kpack_jit_program *Program = nullptr;
  if (!Plan.Kernels.empty()) {
    Result<kpack_jit_program *> Compiled =
        compileKernels(Plan, *Named, nullptr);
    if (!Compiled)
      return Compiled.status();
    Program = *Compiled;
  }
  HipPlace Place{*Functions, std::max(How.device, 0)};
  auto Backend =
      std::make_shared<HipBackend>(Place, Program, Plan.SizesInMemory);
  if (Status S = Backend->resolve(Plan, How.device); !S.ok())
    return S;
  kpack_jit_program_info Info{};
  Info.size = sizeof(Info);
  if (Program && kpack_jit_program_get_info(Program, &Info) == 0)
    Backend->Key = Info.key;
  return std::shared_ptr<ReplayBackend>(std::move(Backend));
}
