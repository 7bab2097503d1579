//===- Fusion.cpp - which operations share a kernel -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the outputs to the inputs: when a node's turn comes, all its readers
// have been decided, and with them the kernels that it would be computed in.
//
//===----------------------------------------------------------------------===//
#include "Fusion.h"
#include "StridedView.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// What a node that several kernels read may cost and be computed by each.
constexpr unsigned CheapFlops = 4;
constexpr unsigned NotCheap = 1000;

class Chooser {
public:
  Chooser(const OpGraph &Graph, bool Fuse)
      : G(Graph), Fuse(Fuse), Readers(Graph.size()), State(Graph.size()) {
    Chosen.IsStored.assign(G.size(), false);
    Chosen.IsLive.assign(G.size(), false);
    Chosen.KernelOfContract.assign(G.size(), OpGraph::None);
  }

  Fusion run();

private:
  /// How the kernels that a node may be computed in want to have it.
  struct NodeState {
    std::vector<uint32_t> Kernels;
    bool MustStore = false;      ///< an output, or an operand of a contraction
    bool IsGuarded = false;      ///< read behind the bounds check of a pad
    bool IsRepeated = false;     ///< an element is read by several of a kernel
    bool FeedsReduction = false; ///< element by element
    bool OnlyElementwise = true; ///< between this and the stored node
  };

  void findReaders();
  void gather(uint32_t Id);
  bool isRepeating(uint32_t Id) const;
  bool shouldStore(uint32_t Id);
  bool mayEpilogue(uint32_t Id);
  bool isRowOf(uint32_t Id, uint32_t Kernel) const;
  void wantOperands(uint32_t Id);
  bool fits(uint32_t Id, bool NeedsUnitStride) const;
  void wantOperand(uint32_t Id, bool NeedsUnitStride);
  unsigned costOf(uint32_t Id);

  const OpGraph &G;
  bool Fuse;
  std::vector<std::vector<uint32_t>> Readers;
  std::vector<NodeState> State;
  std::vector<unsigned> Costs;
  std::vector<bool> HasContract, HasReduction; ///< kernels, by what they store
  Fusion Chosen;
};

} // namespace

bool jit::isSource(OpKind Kind) {
  return Kind == OpKind::Input || Kind == OpKind::Constant;
}

std::vector<Dim> jit::squeezed(std::span<const Dim> Shape) {
  std::vector<Dim> Axes;
  for (Dim D : Shape)
    if (!D.isConstant() || D.lo() != 1)
      Axes.push_back(D);
  return Axes;
}

void Chooser::findReaders() {
  for (const OpOutput &Output : G.outputs()) {
    Chosen.IsLive[Output.Node] = true;
    State[Output.Node].MustStore = true;
  }
  for (size_t Id = G.size(); Id-- > 0;) {
    if (!Chosen.IsLive[Id])
      continue;
    for (uint32_t Operand : G.node(static_cast<uint32_t>(Id)).Operands) {
      Chosen.IsLive[Operand] = true;
      Readers[Operand].push_back(static_cast<uint32_t>(Id));
    }
  }
}

static unsigned flopsOf(OpKind Kind) {
  switch (Kind) {
  case OpKind::Exp:
  case OpKind::Log:
  case OpKind::Sqrt:
  case OpKind::Rsqrt:
  case OpKind::Div:
    return 8;
  case OpKind::Contract:
  case OpKind::Sum:
  case OpKind::MaxOf:
    return NotCheap;
  default:
    return isElementwise(Kind) ? 1 : 0;
  }
}

/// Of all that would be computed again.
unsigned Chooser::costOf(uint32_t Id) {
  const OpNode &N = G.node(Id);
  unsigned Cost = flopsOf(N.Kind);
  for (uint32_t Operand : N.Operands)
    Cost = std::min(NotCheap, Cost + Costs[Operand]);
  return Cost;
}

/// Whether it is a view that has an element several times, besides those of a
/// row, which are computed once for it.
bool Chooser::isRepeating(uint32_t Id) const {
  const OpNode &N = G.node(Id);
  if (N.Kind != OpKind::Expand)
    return N.Kind == OpKind::Window;
  const std::vector<Dim> &Old = G.node(N.Operands[0]).Shape;
  for (size_t I = 0; I + 1 < Old.size(); ++I)
    if (!(Old[I] == N.Shape[I]))
      return true;
  return false;
}

/// From its readers, which are all decided.
void Chooser::gather(uint32_t Id) {
  NodeState &S = State[Id];
  for (uint32_t Reader : Readers[Id]) {
    OpKind Kind = G.node(Reader).Kind;
    const NodeState &Other = State[Reader];
    bool IsStored = Chosen.IsStored[Reader];
    S.IsGuarded |= Kind == OpKind::Pad || Kind == OpKind::Concat ||
                   (!IsStored && Other.IsGuarded);
    S.IsRepeated |= isRepeating(Reader) || (!IsStored && Other.IsRepeated);
    S.FeedsReduction |=
        isReduction(Kind) ||
        (Kind != OpKind::Expand && !IsStored && Other.FeedsReduction);
    S.OnlyElementwise &=
        isElementwise(Kind) && (IsStored || Other.OnlyElementwise);
    if (IsStored)
      S.Kernels.push_back(Reader);
    else
      S.Kernels.insert(S.Kernels.end(), Other.Kernels.begin(),
                       Other.Kernels.end());
  }
  std::sort(S.Kernels.begin(), S.Kernels.end());
  S.Kernels.erase(std::unique(S.Kernels.begin(), S.Kernels.end()),
                  S.Kernels.end());
}

/// Whether the reduction has one value for each row of the kernel's result.
bool Chooser::isRowOf(uint32_t Id, uint32_t Kernel) const {
  const OpNode &N = G.node(Id), &K = G.node(Kernel);
  if (squeezed(N.Shape) == squeezed(K.Shape))
    return true;
  auto Axis = static_cast<size_t>(N.Numbers[0]);
  if (N.Shape.size() != K.Shape.size() || Axis + 1 != N.Shape.size())
    return false;
  for (size_t I = 0; I < Axis; ++I)
    if (!(N.Shape[I] == K.Shape[I]))
      return false;
  return true;
}

/// Whether the contraction may be computed in the one kernel that reads it.
bool Chooser::mayEpilogue(uint32_t Id) {
  const NodeState &S = State[Id];
  if (S.Kernels.size() != 1 || !S.OnlyElementwise)
    return false;
  uint32_t Kernel = S.Kernels[0];
  if (G.node(Kernel).Shape != G.node(Id).Shape || HasContract[Kernel] ||
      HasReduction[Kernel])
    return false;
  for (uint32_t Reader : Readers[Id])
    if (!isElementwise(G.node(Reader).Kind))
      return false;
  return true;
}

bool Chooser::shouldStore(uint32_t Id) {
  const OpNode &N = G.node(Id);
  const NodeState &S = State[Id];
  if (S.MustStore)
    return true;
  if (isView(N.Kind) || N.Kind == OpKind::Full || N.Kind == OpKind::Iota)
    return false;
  if (!Fuse)
    return true;
  if (N.Kind == OpKind::Contract)
    return !mayEpilogue(Id);
  bool IsShared = S.Kernels.size() != 1 || S.IsRepeated;
  if (isReduction(N.Kind))
    return IsShared || S.IsGuarded || S.FeedsReduction ||
           HasContract[S.Kernels[0]] || !isRowOf(Id, S.Kernels[0]);
  return IsShared && Costs[Id] > CheapFlops;
}

bool Chooser::fits(uint32_t Id, bool NeedsUnitStride) const {
  std::optional<StridedView> View = stridedView(G, Id, Chosen.IsStored);
  return View && (!NeedsUnitStride || View->Strides.back() == 1);
}

/// A contraction reads \p Id by strides, or the innermost view is stored that
/// lets it: weights are not copied for each element of a batch.
void Chooser::wantOperand(uint32_t Id, bool NeedsUnitStride) {
  std::vector<uint32_t> Views;
  uint32_t Base = Id;
  for (; isView(G.node(Base).Kind) && !Chosen.IsStored[Base];
       Base = G.node(Base).Operands[0])
    Views.push_back(Base);
  Views.insert(Views.begin(), {Id});
  Views.push_back(Base);
  for (size_t I = Views.size(); I-- > 0;) {
    bool WasStored = Chosen.IsStored[Views[I]];
    Chosen.IsStored[Views[I]] = true;
    bool Fits = fits(Id, NeedsUnitStride);
    Chosen.IsStored[Views[I]] = WasStored;
    if (!Fits && I != 0)
      continue;
    State[Views[I]].MustStore = true;
    return;
  }
}

void Chooser::wantOperands(uint32_t Id) {
  const OpNode &N = G.node(Id);
  wantOperand(N.Operands[0], false);
  wantOperand(N.Operands[1], true);
}

Fusion Chooser::run() {
  for (uint32_t Id = 0; Id < G.size(); ++Id)
    Costs.push_back(costOf(Id));
  HasContract.assign(G.size(), false);
  HasReduction.assign(G.size(), false);
  findReaders();
  for (size_t I = G.size(); I-- > 0;) {
    auto Id = static_cast<uint32_t>(I);
    if (!Chosen.IsLive[Id])
      continue;
    OpKind Kind = G.node(Id).Kind;
    gather(Id);
    Chosen.IsStored[Id] = isSource(Kind) || shouldStore(Id);
    uint32_t Kernel = Id;
    if (!Chosen.IsStored[Id] && !State[Id].Kernels.empty())
      Kernel = State[Id].Kernels[0];
    if (isReduction(Kind))
      HasReduction[Kernel] = true;
    if (Kind != OpKind::Contract)
      continue;
    Chosen.KernelOfContract[Id] = Kernel;
    HasContract[Kernel] = true;
    wantOperands(Id);
  }
  return std::move(Chosen);
}

Fusion jit::fuse(const OpGraph &Graph, bool Fuse) {
  return Chooser(Graph, Fuse).run();
}
