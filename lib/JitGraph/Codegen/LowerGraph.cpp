//===- LowerGraph.cpp - lowering of operations to kernels -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each stored node is a buffer and a call of the kernel that computes it, in
// the order in which operations were created, so that operands come first.
//
//===----------------------------------------------------------------------===//
#include "JitGraph/Codegen/LowerGraph.h"
#include "CustomText.h"
#include "InPlace.h"
#include "JitGraph/Graph/StridedView.h"
#include "KernelText.h"
#include "NodeCost.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

namespace {

class Lowering {
public:
  Lowering(OpGraph &&Graph, const LowerOptions &Options)
      : How(Options), Chosen(fuse(Graph, Options.Fuse)) {
    Plan.Target = Options.Target;
    Plan.SizesInMemory = Options.SizesInMemory;
    Plan.Ops = std::move(Graph);
    BufferOf.assign(Plan.Ops.size(), OpGraph::None);
    IsFixed.assign(Plan.Ops.size(), false);
  }

  Result<GraphPlan> run();

private:
  void findFixed();
  uint32_t addBuffer(std::string Name, BufferRole Role, uint32_t Node,
                     uint32_t Which);
  void addSource(uint32_t Node);
  uint32_t getBuffer(uint32_t Node);
  void addNode(uint32_t Root, uint32_t Buffer, bool IsCopy);
  void addCustom(uint32_t First);
  void append(GraphNode N);
  uint32_t getUnit(const OpCustom &C);
  uint32_t kernelOf(const KernelText &Text, const std::string &Kind,
                    uint32_t Unit = 0);
  void makeOutputs();
  void findReplaced();
  Status planPool();

  LowerOptions How;
  Fusion Chosen;
  GraphPlan Plan;
  std::vector<uint32_t> BufferOf;
  std::vector<bool> IsFixed; ///< depends on weights only
  uint32_t Derived = 0;      ///< number of derived weights
  /// For each node, the one whose bytes it takes; the same for buffers.
  std::vector<uint32_t> Replaced, BufferReplaced;
  std::map<std::string, uint32_t> KernelByText;
  std::vector<const OpCustom *> TextOfUnit;
};

} // namespace

void Lowering::findFixed() {
  std::vector<bool> IsOutput(Plan.Ops.size());
  for (const OpOutput &Output : Plan.Ops.outputs())
    IsOutput[Output.Node] = !isSource(Plan.Ops.node(Output.Node).Kind);
  for (uint32_t Id = 0; Id < Plan.Ops.size(); ++Id) {
    const OpNode &N = Plan.Ops.node(Id);
    // An output and its readers use memory of each call.
    bool Fixed = N.Kind != OpKind::Input && !IsOutput[Id];
    for (Dim D : N.Shape)
      Fixed &= D.isConstant();
    for (Dim D : N.Dims)
      Fixed &= D.isConstant();
    for (uint32_t Operand : N.Operands)
      Fixed &= IsFixed[Operand];
    IsFixed[Id] = Fixed;
    // Results of one call are computed together.
    for (int64_t I = 1; N.Kind == OpKind::Custom && I <= N.Numbers[1]; ++I) {
      auto Before = IsFixed.begin() + Id - I;
      Fixed = Fixed && *Before;
    }
    if (N.Kind == OpKind::Custom)
      std::fill(IsFixed.begin() + firstResult(N, Id), IsFixed.begin() + Id + 1,
                Fixed);
  }
}

uint32_t Lowering::addBuffer(std::string Name, BufferRole Role, uint32_t Node,
                             uint32_t Which) {
  const OpNode &N = Plan.Ops.node(Node);
  GraphBuffer B{.Name = std::move(Name),
                .Role = Role,
                .Type = N.Type,
                .Extents = N.Shape,
                .Strides = stridesOf(N.Shape),
                .Which = Which};
  B.Bytes = sizeOf(N.Type);
  for (Dim D : N.Shape)
    B.Bytes *= static_cast<uint64_t>(std::max<int64_t>(D.hi(), 0));
  Plan.Buffers.push_back(std::move(B));
  return static_cast<uint32_t>(Plan.Buffers.size() - 1);
}

void Lowering::addSource(uint32_t Node) {
  const OpNode &N = Plan.Ops.node(Node);
  auto Which = static_cast<uint32_t>(N.Numbers[0]);
  if (N.Kind == OpKind::Input) {
    BufferOf[Node] = Plan.Inputs[Which];
    return;
  }
  const OpConstant &C = Plan.Ops.constants()[Which];
  auto Place = static_cast<uint32_t>(Plan.Weights.size());
  Plan.Weights.push_back(C);
  std::string Name =
      C.Name.empty() ? "weight " + std::to_string(Place) : C.Name;
  BufferOf[Node] = addBuffer(Name, BufferRole::Weight, Node, Place);
}

/// Indents by two spaces for each open brace.
static std::string indented(const std::string &Text) {
  std::string Out;
  int Depth = 0;
  for (size_t Begin = 0; Begin < Text.size();) {
    size_t End = Text.find('\n', Begin);
    std::string Line = Text.substr(Begin, End - Begin);
    Begin = End + 1;
    auto Closing = static_cast<int>(Line.starts_with('}'));
    Out += std::string(static_cast<size_t>(2 * (Depth - Closing)), ' ') + Line +
           "\n";
    for (char C : Line)
      Depth += (C == '{') - (C == '}');
  }
  return Out;
}

uint32_t Lowering::kernelOf(const KernelText &Text, const std::string &Kind,
                            uint32_t Unit) {
  auto [Place, IsNew] =
      KernelByText.try_emplace(std::to_string(Unit) + Text.Head + Text.Tail,
                               static_cast<uint32_t>(Plan.Kernels.size()));
  if (!IsNew)
    return Place->second;
  std::string Name = Kind + std::to_string(Place->second);
  std::string &Source = Unit ? Plan.Units[Unit - 1].Text : Plan.Source;
  // Errors in a call have no line of the text; a quote would end the name.
  if (Unit && Text.Operations.find_first_of("\"\\") == std::string::npos)
    Source += "\n#line 1 \"" + Text.Operations + "\"";
  Source += "\n// " + Text.Operations;
  Source += "\n" + indented(Text.Head + Name + Text.Tail);
  Plan.Kernels.push_back({std::move(Name), Text.Operations, Text.Where, Unit});
  return Place->second;
}

/// Equal texts are compiled once, regardless of their names.
uint32_t Lowering::getUnit(const OpCustom &C) {
  for (size_t I = 0; I < TextOfUnit.size(); ++I)
    if (TextOfUnit[I]->Text == C.Text && TextOfUnit[I]->Headers == C.Headers)
      return static_cast<uint32_t>(I + 1);
  TextOfUnit.push_back(&C);
  Plan.Units.push_back(customUnit(C, How));
  return static_cast<uint32_t>(Plan.Units.size());
}

void Lowering::addNode(uint32_t Root, uint32_t Buffer, bool IsCopy) {
  KernelRequest Request{Plan.Ops, Chosen, How, Root, IsCopy};
  if (!IsCopy && Replaced[Root] != OpGraph::None) {
    Request.InPlace = Replaced[Root];
    BufferReplaced.resize(Plan.Buffers.size(), OpGraph::None);
    BufferReplaced[Buffer] = BufferOf[Replaced[Root]];
  }
  uint32_t Contract = IsCopy ? OpGraph::None : Chosen.ContractOf[Root];
  bool IsContract = Contract != OpGraph::None;
  KernelText Text = IsContract ? writeContractKernel(Request, Contract)
                               : writeRowKernel(Request);
  GraphNode N;
  N.Kernel = kernelOf(Text, IsContract ? "contract_" : "row_");
  N.Buffers = {Buffer};
  for (uint32_t Read : Text.Reads)
    N.Buffers.push_back(BufferOf[Read]);
  N.Sizes = Text.Sizes;
  N.Rows = Text.Rows;
  Dim One = Plan.Ops.dims().constant(1);
  N.Grid = {Text.Blocks, One, One};
  N.Block = Text.Block;
  NodeCost Cost = computeCost(Request);
  N.Bytes = Cost.Bytes;
  N.Flops = Cost.Flops;
  append(std::move(N));
}

void Lowering::append(GraphNode N) {
  bool IsSetup = Plan.Buffers[N.Buffers[0]].Role == BufferRole::Derived;
  (IsSetup ? Plan.Setup : Plan.Nodes).push_back(std::move(N));
}

/// Returns the node's buffer; creates a separate one if it has none.
uint32_t Lowering::getBuffer(uint32_t Node) {
  if (BufferOf[Node] == OpGraph::None)
    BufferOf[Node] =
        addBuffer("%" + std::to_string(Node),
                  IsFixed[Node] ? BufferRole::Derived : BufferRole::Pooled,
                  Node, IsFixed[Node] ? Derived++ : 0);
  return BufferOf[Node];
}

/// Adds the call with the results from \p First on.
void Lowering::addCustom(uint32_t First) {
  const OpNode &Called = Plan.Ops.node(First);
  const OpCustom &C =
      Plan.Ops.customs()[static_cast<size_t>(Called.Numbers[0])];
  KernelText Text = writeCustomKernel(Plan.Ops, Called, How);
  GraphNode N;
  N.Kernel = kernelOf(Text, "custom_" + wordOfEntry(C.Entry) + "_", getUnit(C));
  N.Written = static_cast<uint32_t>(C.Results.size());
  for (uint32_t I = 0; I < N.Written; ++I)
    N.Buffers.push_back(getBuffer(First + I));
  for (uint32_t Operand : Called.Operands)
    N.Buffers.push_back(BufferOf[Operand]);
  N.Sizes = Text.Sizes;
  N.Rows = Text.Rows;
  std::copy_n(Called.Dims.begin(), N.Grid.size(), N.Grid.begin());
  N.Block = C.Block[0];
  N.BlockY = C.Block[1];
  N.BlockZ = C.Block[2];
  append(std::move(N));
}

/// Outputs that are not the first with their node are copies.
void Lowering::makeOutputs() {
  for (size_t I = 0; I < Plan.Ops.outputs().size(); ++I) {
    uint32_t Node = Plan.Ops.outputs()[I].Node;
    if (BufferOf[Node] != Plan.Outputs[I])
      addNode(Node, Plan.Outputs[I], true);
  }
}

/// Runs before kernels are written, and after outputs have their buffers.
void Lowering::findReplaced() {
  std::vector<bool> IsPooled(Plan.Ops.size());
  for (uint32_t Id = 0; Id < Plan.Ops.size(); ++Id)
    IsPooled[Id] = BufferOf[Id] == OpGraph::None && !IsFixed[Id] &&
                   !isSource(Plan.Ops.node(Id).Kind);
  Replaced = findInPlace(Plan.Ops, Chosen, IsPooled);
}

/// Assigns places in the pool: a buffer lives from its node to its last reader.
Status Lowering::planPool() {
  std::vector<uint32_t> PoolOf(Plan.Buffers.size(), MemoryPlan::None);
  BufferReplaced.resize(Plan.Buffers.size(), OpGraph::None);
  for (uint32_t Place = 0; Place < Plan.Nodes.size(); ++Place) {
    const GraphNode &N = Plan.Nodes[Place];
    for (uint32_t Id : N.Buffers) {
      GraphBuffer &B = Plan.Buffers[Id];
      if (B.Role != BufferRole::Pooled)
        continue;
      if (PoolOf[Id] == MemoryPlan::None) {
        PoolOf[Id] = B.Which = static_cast<uint32_t>(Plan.Pooled.size());
        Plan.Pooled.push_back({B.Name, B.Bytes, Place, Place, {}});
        if (uint32_t Old = BufferReplaced[Id]; Old != OpGraph::None)
          Plan.Pooled.back().MayReplace = {PoolOf[Old]};
      }
      Plan.Pooled[PoolOf[Id]].Last = Place;
    }
  }
  Result<MemoryPlan> Planned = planMemory(Plan.Pooled);
  if (!Planned)
    return Planned.status();
  Plan.Memory = std::move(*Planned);
  // Kernels rely on this.
  for (size_t I = 0; I < Plan.Pooled.size(); ++I)
    if (const std::vector<uint32_t> &Old = Plan.Pooled[I].MayReplace;
        !Old.empty() && Plan.Memory.Places[I].Replaces != Old[0])
      return Status(StatusCode::InvalidFormat,
                    Plan.Pooled[I].Name +
                        ": did not get the bytes that its kernel writes over; "
                        "report this graph");
  return Status::success();
}

Result<GraphPlan> Lowering::run() {
  findFixed();
  Plan.Source = kernelPrelude(How);
  const OpGraph &G = Plan.Ops;
  for (uint32_t I = 0; I < G.inputs().size(); ++I) {
    // Exactly one node of the input kind has this number.
    for (uint32_t Id = 0; Id < G.size(); ++Id)
      if (G.node(Id).Kind == OpKind::Input && G.node(Id).Numbers[0] == I)
        Plan.Inputs.push_back(
            addBuffer(G.inputs()[I].Name, BufferRole::Input, Id, I));
  }
  for (uint32_t I = 0; I < G.outputs().size(); ++I) {
    uint32_t Node = G.outputs()[I].Node;
    Plan.Outputs.push_back(
        addBuffer(G.outputs()[I].Name, BufferRole::Output, Node, I));
    if (BufferOf[Node] == OpGraph::None && !isSource(G.node(Node).Kind))
      BufferOf[Node] = Plan.Outputs.back();
  }
  findReplaced();
  for (uint32_t Id = 0; Id < G.size(); ++Id) {
    if (!Chosen.IsLive[Id] || !Chosen.IsStored[Id])
      continue;
    if (isSource(G.node(Id).Kind)) {
      addSource(Id);
      continue;
    }
    if (G.node(Id).Kind != OpKind::Custom)
      addNode(Id, getBuffer(Id), false);
    else if (G.node(Id).Numbers[1] == 0)
      addCustom(Id);
  }
  makeOutputs();
  auto IsOurs = [](const GraphKernel &K) { return K.Unit == 0; };
  if (std::none_of(Plan.Kernels.begin(), Plan.Kernels.end(), IsOurs))
    Plan.Source.clear();
  if (Status Planned = planPool(); !Planned.ok())
    return Planned;
  return std::move(Plan);
}

Result<GraphPlan> jit::lower(OpGraph Graph, const LowerOptions &Options) {
  assert(Graph.status().ok() && !Graph.outputs().empty());
  return Lowering(std::move(Graph), Options).run();
}
