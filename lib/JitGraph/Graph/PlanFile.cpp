//===- PlanFile.cpp - writer of plan files --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writer. A table of sizes has operands before their users; everything else
// uses indices of that table. Signed numbers are 2 * n, or -2 * n - 1.
// PlanFileReader.cpp is the reader.
//
//===----------------------------------------------------------------------===//
#include "JitGraph/Graph/PlanFile.h"

#include "JitGraph/Sizes/DimNode.h"
#include "PlanFormat.h"

#include "kpack/Archive/detail/ContentHash.h"
#include "kpack/Archive/detail/Msgpack.h"

using namespace kpack;
using namespace kpack::jit;

namespace {

class PlanFileWriter {
public:
  explicit PlanFileWriter(const GraphPlan &Plan)
      : Plan(Plan), IsGuarded(!Plan.Ops.guards().empty()),
        Bytes(IsGuarded ? GuardedPlanMagic : PlanMagic), Out(Bytes) {}
  std::string write();

private:
  static uint64_t zigzag(int64_t Value) {
    auto Bits = static_cast<uint64_t>(Value);
    return Bits << 1 ^ (Value < 0 ? UINT64_MAX : 0);
  }
  void collect(const DimNode *Node);
  void collect(Dim D) {
    if (D.valid())
      collect(D.node());
  }
  void collectAll();
  void list(const DimNode *Node);
  void sum(const DimNode *Node);
  uint64_t getNumber(const DimNode *Node) const { return NumberOf.at(Node); }
  /// Returns 0 for an invalid size.
  uint64_t getNumber(Dim D) const {
    return D.valid() ? getNumber(D.node()) + 1 : 0;
  }
  void dims(std::span<const Dim> All) {
    Out.array(All.size());
    for (Dim D : All)
      Out.uint(getNumber(D));
  }
  template <typename T> void numbers(const std::vector<T> &All) {
    Out.array(All.size());
    for (T Value : All)
      Out.uint(Value);
  }
  void signedNumbers(const std::vector<int64_t> &All) {
    Out.array(All.size());
    for (int64_t Value : All)
      Out.uint(zigzag(Value));
  }
  void buffer(const GraphBuffer &B);
  void node(const GraphNode &N);
  void weight(const OpConstant &C);
  void units();
  template <typename Items, typename Function>
  void items(std::string_view Key, const Items &All, Function Write) {
    Out.str(Key);
    Out.array(All.size());
    for (const auto &Item : All)
      Write(Item);
  }

  const GraphPlan &Plan;
  bool IsGuarded;
  std::string Bytes;
  detail::MsgpackWriter Out;
  std::vector<const DimNode *> Table;
  std::map<const DimNode *, uint64_t> NumberOf;
};

} // namespace

void PlanFileWriter::collect(const DimNode *Node) {
  if (NumberOf.count(Node))
    return;
  for (const DimNode *Operand : Node->Operands)
    collect(Operand);
  for (const auto &[Product, Factor] : Node->Sum.Terms)
    for (const DimNode *Atom : Product)
      collect(Atom);
  NumberOf[Node] = Table.size();
  Table.push_back(Node);
}

void PlanFileWriter::collectAll() {
  auto All = [&](std::span<const Dim> Dims) {
    for (Dim D : Dims)
      collect(D);
  };
  for (const OpInput &Input : Plan.Ops.inputs())
    All(Input.Shape);
  for (const GraphBuffer &B : Plan.Buffers)
    All(B.Extents);
  for (const std::vector<GraphNode> *Nodes : {&Plan.Setup, &Plan.Nodes})
    for (const GraphNode &N : *Nodes) {
      All(N.Sizes);
      All(N.Grid);
      All(std::array{N.Rows, N.Bytes, N.Flops});
    }
  for (const OpGuard &Guard : Plan.Ops.guards())
    All(std::array{Guard.A, Guard.B});
}

void PlanFileWriter::sum(const DimNode *Node) {
  size_t Count = 3;
  for (const auto &[Product, Factor] : Node->Sum.Terms)
    Count += 2 + Product.size();
  Out.array(Count);
  Out.uint(static_cast<uint64_t>(PlanDim::Sum));
  Out.uint(zigzag(Node->Sum.Constant));
  Out.uint(Node->Sum.Terms.size());
  for (const auto &[Product, Factor] : Node->Sum.Terms) {
    Out.uint(zigzag(Factor));
    Out.uint(Product.size());
    for (const DimNode *Atom : Product)
      Out.uint(getNumber(Atom));
  }
}

void PlanFileWriter::list(const DimNode *Node) {
  using Kind = DimNode::Kind;
  if (Node->What == Kind::Sum)
    return sum(Node);
  PlanDim Op = Node->What == Kind::Variable   ? PlanDim::Variable
               : Node->What == Kind::FloorDiv ? PlanDim::FloorDiv
               : Node->What == Kind::Mod      ? PlanDim::Mod
               : Node->What == Kind::Min      ? PlanDim::Min
                                              : PlanDim::Max;
  bool IsVariable = Op == PlanDim::Variable;
  Out.array(1 + (IsVariable ? 1 : Node->Operands.size()));
  Out.uint(static_cast<uint64_t>(Op));
  if (IsVariable)
    Out.uint(Node->Variable);
  for (const DimNode *Operand : Node->Operands)
    Out.uint(getNumber(Operand));
}

void PlanFileWriter::buffer(const GraphBuffer &B) {
  Out.array(7);
  Out.str(B.Name);
  Out.uint(static_cast<uint64_t>(B.Role));
  Out.uint(static_cast<uint64_t>(B.Type));
  Out.uint(B.Bytes);
  Out.uint(B.Which);
  dims(B.Extents);
  signedNumbers(B.Strides);
}

void PlanFileWriter::node(const GraphNode &N) {
  Out.array(9);
  Out.uint(N.Kernel);
  Out.uint(N.Written);
  numbers(N.Buffers);
  dims(N.Sizes);
  Out.uint(getNumber(N.Rows));
  dims(N.Grid);
  Out.uint(N.Block);
  Out.uint(getNumber(N.Bytes));
  Out.uint(getNumber(N.Flops));
}

void PlanFileWriter::weight(const OpConstant &C) {
  Out.array(4);
  Out.str(C.Name);
  Out.uint(static_cast<uint64_t>(C.Type));
  signedNumbers(C.Shape);
  Out.bin({reinterpret_cast<const char *>(C.Bytes.data()), C.Bytes.size()});
}

/// Writes users' kernels. A file without any has the format from before they
/// existed.
void PlanFileWriter::units() {
  uint64_t Unit = 0;
  items("units", Plan.Units, [&](const GraphUnit &U) {
    ++Unit;
    Out.array(4);
    Out.str(U.Name);
    Out.bin(U.Text);
    Out.array(U.Headers.size());
    for (const auto &[Name, Text] : U.Headers) {
      Out.array(2);
      Out.str(Name);
      Out.bin(Text);
    }
    std::vector<uint64_t> Kernels;
    for (size_t K = 0; K < Plan.Kernels.size(); ++K)
      if (Plan.Kernels[K].Unit == Unit)
        Kernels.push_back(K);
    numbers(Kernels);
  });
  std::vector<std::array<uint64_t, 4>> Blocks;
  for (const std::vector<GraphNode> *Nodes : {&Plan.Setup, &Plan.Nodes})
    for (size_t I = 0; I < Nodes->size(); ++I)
      if (const GraphNode &N = (*Nodes)[I]; N.BlockY != 1 || N.BlockZ != 1)
        Blocks.push_back({Nodes == &Plan.Nodes, I, N.BlockY, N.BlockZ});
  items("blocks", Blocks, [&](const std::array<uint64_t, 4> &Block) {
    Out.array(Block.size());
    for (uint64_t Each : Block)
      Out.uint(Each);
  });
}

std::string PlanFileWriter::write() {
  collectAll();
  Out.map(std::size(PlanKeys) + IsGuarded + (Plan.Units.empty() ? 0 : 2));
  Out.field("target", static_cast<uint64_t>(Plan.Target));
  Out.field("sizes_in_memory", Plan.SizesInMemory);
  items("variables", Plan.Ops.dims().variables(), [&](const DimVariable &V) {
    Out.array(3);
    Out.str(V.Name);
    Out.uint(zigzag(V.Range.Lo));
    Out.uint(zigzag(V.Range.Hi));
  });
  items("dims", Table, [&](const DimNode *Node) { list(Node); });
  items("interface_inputs", Plan.Ops.inputs(), [&](const OpInput &Input) {
    Out.array(3);
    Out.str(Input.Name);
    Out.uint(static_cast<uint64_t>(Input.Type));
    dims(Input.Shape);
  });
  items("interface_outputs", Plan.Ops.outputs(),
        [&](const OpOutput &Output) { Out.str(Output.Name); });
  items("weights", Plan.Weights, [&](const OpConstant &C) { weight(C); });
  items("buffers", Plan.Buffers, [&](const GraphBuffer &B) { buffer(B); });
  Out.str("inputs");
  numbers(Plan.Inputs);
  Out.str("outputs");
  numbers(Plan.Outputs);
  items("kernels", Plan.Kernels, [&](const GraphKernel &K) {
    Out.array(2);
    Out.str(K.Name);
    Out.str(K.Operations);
  });
  items("setup", Plan.Setup, [&](const GraphNode &N) { node(N); });
  items("nodes", Plan.Nodes, [&](const GraphNode &N) { node(N); });
  Out.field("source", Plan.Source);
  items("pooled", Plan.Pooled, [&](const PlanBuffer &B) {
    Out.array(5);
    Out.str(B.Name);
    Out.uint(B.Size);
    Out.uint(B.First);
    Out.uint(B.Last);
    numbers(B.MayReplace);
  });
  items("places", Plan.Memory.Places, [&](const MemoryPlan::Place &P) {
    Out.array(2);
    Out.uint(P.Offset);
    Out.uint(P.Replaces);
  });
  Out.field("peak", Plan.Memory.Peak);
  Out.field("naive_sum", Plan.Memory.NaiveSum);
  Out.field("lower_bound", Plan.Memory.LowerBound);
  // A file without guards has the format from before they existed.
  if (IsGuarded)
    items(GuardsKey, Plan.Ops.guards(), [&](const OpGuard &Guard) {
      Out.array(2);
      Out.uint(getNumber(Guard.A));
      Out.uint(getNumber(Guard.B));
    });
  if (!Plan.Units.empty())
    units();
  return std::move(Bytes);
}

std::string kpack::jit::writePlan(const GraphPlan &Plan) {
  std::string Bytes = PlanFileWriter(Plan).write();
  Bytes += ChecksumMagic;
  detail::ContentHash Sum = detail::contentHash(Bytes);
  return Bytes.append(Sum.data(), Sum.size());
}
