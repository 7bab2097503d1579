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
    Failure = F.check(F.GetDevice(&Before), "device");
    if (!Failure.ok() || Before == Device)
      return;
    Failure = F.check(F.SetDevice(Device), "device");
    IsOther = Failure.ok();
  }
  ~OnDevice() {
    if (IsOther)
      F.SetDevice(Before);
  }
  OnDevice(const OnDevice &) = delete;

  /// Not success: it is the one that it was.
  const Status &status() const { return Failure; }

private:
  const HipFunctions &F;
  int Before = 0;
  bool IsOther = false;
  Status Failure;
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
    if (!Current.status().ok())
      return;
    void *Memory = nullptr;
    int Code = Kind == MemoryKind::Shared
                   ? Place.F.HostMalloc(&Memory, Bytes, 0)
                   : Place.F.Malloc(&Memory, Bytes);
    if (Code != 0)
      return;
    First = static_cast<std::byte *>(Memory);
  }
  ~HipMemory() override {
    if (!First)
      return;
    OnDevice Current(Place.F, Place.Device);
    if (Kind == MemoryKind::Shared)
      Place.F.HostFree(First);
    else
      Place.F.Free(First);
  }
  Status clear() override {
    if (Kind == MemoryKind::Device)
      return here([&] { return Place.F.Memset(First, 0, Size); });
    std::memset(First, 0, Size);
    return Status::success();
  }
  Status read(uint64_t Offset, std::span<std::byte> Bytes) const override {
    return here([&] {
      return Place.F.Memcpy(Bytes.data(), First + Offset, Bytes.size(),
                            HipFunctions::DeviceToHost);
    });
  }
  Status write(uint64_t Offset, std::span<const std::byte> Bytes) override {
    if (Bytes.empty())
      return Status::success();
    return here([&] {
      return Place.F.Memcpy(First + Offset, Bytes.data(), Bytes.size(),
                            HipFunctions::HostToDevice);
    });
  }

private:
  template <typename Function> Status here(Function Call) const {
    OnDevice Current(Place.F, Place.Device);
    return Current.status().ok() ? Place.F.check(Call(), "memory")
                                 : Current.status();
  }

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

  Status run() override { return launchAll(Calls); }
  Status runNode(size_t Node) override {
    return launchAll(std::span(Calls).subspan(Node, 1));
  }

protected:
  Status launchAll(std::span<HipCall> All) {
    OnDevice Current(Place.F, Place.Device);
    Status Done = Current.status();
    for (size_t I = 0; I < All.size() && Done.ok(); ++I)
      Done = launch(All[I]);
    return wait(Done);
  }
  /// Also where something has failed: kernels before it may still run.
  Status wait(const Status &Done) {
    int Code = Place.F.StreamSynchronize(Stream);
    return Done.ok() ? Place.F.check(Code, "stream") : Done;
  }
  virtual void fill(HipCall &Call) { Call.fill(); }
  /// An empty grid is no launch.
  Status launch(HipCall &Call) {
    const int64_t *Grid = Call.Node.Shape;
    if (Grid[0] == 0 || Grid[1] == 0 || Grid[2] == 0)
      return Status::success();
    fill(Call);
    void *Extra[] = {LaunchPointer, Call.Block.data(), LaunchSize, &Call.Bytes,
                     LaunchEnd};
    auto Extent = [&](size_t I) { return static_cast<unsigned>(Grid[I]); };
    int Code = Place.F.LaunchKernel(Call.Function, Extent(0), Extent(1),
                                    Extent(2), Call.Node.Node->Block, 1, 1, 0,
                                    Stream, nullptr, Extra);
    return Place.F.check(Code, "launch");
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
    if (!Current.status().ok())
      return Current.status();
    for (size_t I = 0; I < Calls.size(); ++I)
      if (Status S = update(Calls[I], Nodes[I]); !S.ok())
        return S;
    return wait(Place.F.check(Place.F.GraphLaunch(Exec, Stream), "graph"));
  }

private:
  /// A node of the graph. All stays where it is: whether HIP has copied it
  /// depends on its version.
  struct Added {
    void *Node = nullptr;
    std::vector<uint64_t> Block; ///< as the graph has it
    size_t Bytes = 0;
    void *Extra[5] = {};
  };

  /// The grid of the upper bounds.
  static HipKernelNode parametersOf(const HipCall &Call, Added &In) {
    HipKernelNode Parameters{};
    for (size_t I = 0; I < 3; ++I)
      Parameters.Grid[I] = static_cast<uint32_t>(
          std::max<int64_t>(Call.Node.Node->Grid[I].hi(), 1));
    Parameters.Block[0] = Call.Node.Node->Block;
    Parameters.Block[1] = Parameters.Block[2] = 1;
    Parameters.Function = Call.Function;
    In.Block = Call.Block;
    In.Bytes = Call.Bytes;
    void *Extra[] = {LaunchPointer, In.Block.data(), LaunchSize, &In.Bytes,
                     LaunchEnd};
    std::copy(std::begin(Extra), std::end(Extra), In.Extra);
    Parameters.Extra = In.Extra;
    return Parameters;
  }
  void fill(HipCall &Call) override {
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
  Status update(HipCall &Call, Added &In) {
    fill(Call);
    if (In.Block == Call.Block)
      return Status::success();
    HipKernelNode Parameters = parametersOf(Call, In);
    Status Done = Place.F.check(
        Place.F.GraphExecKernelNodeSetParams(Exec, In.Node, &Parameters),
        "graph");
    if (!Done.ok())
      In.Block.clear();
    return Done;
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
  bool canRead(const void *Data) const override;

  /// Whether kernels see all memory of the program.
  bool SeesAll = false;

private:
  HipPlace Place;
  kpack_jit_program *Program; ///< null: there are no kernels
  bool IsGraph;
  std::vector<void *> Functions; ///< of the plan's kernels
};

} // namespace

Status HipGraphQueue::make() {
  OnDevice Current(Place.F, Place.Device);
  if (!Current.status().ok())
    return Current.status();
  if (Status S = Place.F.check(Place.F.GraphCreate(&Graph, 0), "graph");
      !S.ok())
    return S;
  Nodes.resize(Calls.size());
  for (size_t I = 0; I < Calls.size(); ++I) {
    fill(Calls[I]);
    HipKernelNode Parameters = parametersOf(Calls[I], Nodes[I]);
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
  if (Status S = Memory->clear(); !S.ok())
    return S;
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
  if (!Current.status().ok())
    return Current.status();
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

/// HIP 5 knows nothing of memory of the program's own, HIP 6 has no address for
/// it.
bool HipBackend::canRead(const void *Data) const {
  if (SeesAll)
    return true;
  struct {
    int Type, Device;
    void *OnDevice;
    char Rest[64];
  } Attributes{};
  if (Place.F.PointerGetAttributes(&Attributes, Data) == 0)
    return Attributes.OnDevice;
  // It is no error of the program.
  Place.F.GetLastError();
  return false;
}

/// A grid has 32 bits a dimension, and all work items of one, too.
static Status checkGrids(const GraphPlan &Plan) {
  for (const std::vector<GraphNode> *Nodes : {&Plan.Nodes, &Plan.Setup})
    for (const GraphNode &N : *Nodes)
      for (Dim D : N.Grid)
        if (D.hi() > UINT32_MAX / int64_t{std::max(N.Block, 1U)})
          return graphFailure(GraphErrc::OutOfMemory,
                              "grid: " + std::to_string(D.hi()) +
                                  " blocks are more than a launch can have; "
                                  "narrow the bounds of variables",
                              StatusCode::OutOfMemory);
  return Status::success();
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
  if (Status S = checkGrids(Plan); !S.ok())
    return S;
  Result<HipFunctions> Functions = HipFunctions::find();
  if (!Functions)
    return Functions.status();
  Result<PrepareConfig> Named = withTarget(How);
  if (!Named)
    return Named.status();
  kpack_jit_program *Program = nullptr;
  KernelOrigin Origin = KernelOrigin::Unknown;
  if (!Plan.Kernels.empty()) {
    Result<kpack_jit_program *> Compiled =
        compileKernels(Plan, *Named, nullptr, Origin);
    if (!Compiled)
      return Compiled.status();
    Program = *Compiled;
  }
  HipPlace Place{*Functions, How.device};
  if (How.device < 0)
    if (Status S = Place.F.check(Place.F.GetDevice(&Place.Device), "device");
        !S.ok())
      return S;
  auto Backend =
      std::make_shared<HipBackend>(Place, Program, Plan.SizesInMemory);
  // Pages are brought to it when a kernel touches them.
  Backend->SeesAll = Named->target.find(":xnack+") != std::string::npos;
  if (Status S = Backend->resolve(Plan, How.device); !S.ok())
    return S;
  kpack_jit_program_info Info{};
  Info.size = sizeof(Info);
  if (Program && kpack_jit_program_get_info(Program, &Info) == 0)
    Backend->Key = Info.key;
  Backend->Origin = Origin;
  return std::shared_ptr<ReplayBackend>(std::move(Backend));
}
