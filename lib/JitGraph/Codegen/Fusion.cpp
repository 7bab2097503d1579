//===- Fusion.cpp - choice of operations that share a kernel --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the nodes that are stored. Each stored node, except an input or a
// constant, is written by a kernel, which computes all other nodes between its
// buffers. Fusion.h has the rules and their reasons; shouldStore() applies
// them.
//
// Operands have smaller numbers than their readers, so the nodes are visited
// from the last to the first. At its turn all readers of a node are decided,
// and with them the kernels that would compute it: a stored reader's own
// kernel, and the kernels of a reader that is not stored. gather() collects
// these kernels, and how they would read the node: under a bounds check,
// through a view that repeats it, with an index that changes in the loop of a
// reduction (InLoop) or along a row (InRow), and with how many different
// indices (Variants). A row is the last axis of the kernel's result whose
// extent is not 1.
//
// Softmax over the last axis of x, with the decisions in their order:
//
//   node           kernels  decision
//   q = p / f      none     output: stored, the kernel Q
//   f = expand(s)  Q        a view: computed by its reader
//   s = sum(p)     Q        in Q: its index is the same in a whole row of Q,
//                           so Q computes it once per row (isRow())
//   p = exp(d)     Q        in Q: both readers, q and s, are in that kernel
//   d = x - e      Q        in Q
//   e = expand(m)  Q        a view
//   m = max_of(x)  Q        in Q: s loops over the axis that e repeats, so the
//                           index of m does not change in that loop, either
//   x              Q        input: stored
//
// So softmax is one kernel. Now the row's maximum of y = relu(a * b + bias) is
// subtracted from y:
//
//   z = y - e      none     output: stored, the kernel Z
//   e = expand(m)  Z        a view
//   m = max_of(y)  Z        in Z, as in softmax; Z has a reduction now
//   y = relu(s)    Z        in Z: both readers, z and m, are in that kernel
//   s = c + bias   Z        in Z
//   c = a * b      Z        stored, as Z has a reduction (mayEpilogue())
//
// These are two kernels. If y is an output, too, it is stored. Its kernel Y has
// no reduction, so Y computes s and c, and Z reads y.
//
// If the outputs are two reductions sum(y * y) and sum(y), two kernels read y:
// y = exp(x) costs 8 and is stored, which makes three kernels; y = x + 1 costs
// 1, so both compute it. CheapFlops is the limit.
//
// A contraction reads its operands through strides. If an operand is a view,
// wantOperand() marks the innermost view that has to be stored for this, so
// that a weight is transposed once and not for each element of a batch.
// Operands are visited later, so the mark comes in time. But another rule may
// then store a view in between whose strides do not fit. fuse() finds such
// operands at the end, forces them to be stored, and starts again.
//
// Invariant: decisions of visited nodes are final, and marks go to operands
// only. Each restart forces at least one more node, so there are at most as
// many restarts as nodes. The time of a run is proportional to the edges times
// the kernels that read a node.
//
//===----------------------------------------------------------------------===//
#include "Fusion.h"
#include "JitGraph/Graph/StridedView.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// Cost of an expression that each of several kernels may compute.
constexpr unsigned CheapFlops = 4;
constexpr unsigned NotCheap = 1000;
/// Limit of the variants of a node, in all its kernels together.
constexpr unsigned MostVariants = 8;

class Chooser {
public:
  /// \p Forced nodes are stored in any case.
  Chooser(const OpGraph &Graph, bool Fuse, std::vector<bool> Forced)
      : G(Graph), Fuse(Fuse), Readers(Graph.size()), State(Graph.size()),
        Forced(std::move(Forced)) {
    Chosen.IsStored.assign(G.size(), false);
    Chosen.IsLive.assign(G.size(), false);
    Chosen.ContractOf.assign(G.size(), OpGraph::None);
  }

  Fusion run();

private:
  /// Requirements of the kernels that may compute a node.
  struct NodeState {
    std::vector<uint32_t> Kernels;
    /// An output, an operand of a user's kernel, or read by a contraction.
    bool MustStore = false;
    bool IsGuarded = false;  ///< read only if the bounds check of a pad holds
    bool IsRepeated = false; ///< read through a view that isRepeating()
    /// Axes with an index that changes in the loop of a reduction, or from
    /// element to element of a row.
    std::vector<bool> InLoop, InRow;
    /// Number of different indices of the node, in all kernels together.
    unsigned Variants = 0;
    bool OnlyElementwise = true; ///< between this and the stored node
  };

  void findSiblings(uint32_t Id);
  void findReaders();
  void gather(uint32_t Id);
  void gatherAxes(uint32_t Id, uint32_t Reader);
  bool isRepeating(uint32_t Id) const;
  bool shouldStore(uint32_t Id);
  bool mayEpilogue(uint32_t Id);
  bool isRow(uint32_t Id, uint32_t Kernel) const;
  void wantOperands(uint32_t Id);
  bool fits(uint32_t Id, bool NeedsUnitStride) const;
  void wantOperand(uint32_t Id, bool NeedsUnitStride);
  unsigned computeCost(uint32_t Id);
  bool hasContract(uint32_t Kernel) const {
    return Chosen.ContractOf[Kernel] != OpGraph::None;
  }

  const OpGraph &G;
  bool Fuse;
  std::vector<std::vector<uint32_t>> Readers;
  std::vector<NodeState> State;
  std::vector<bool> Forced;
  std::vector<unsigned> Costs;
  std::vector<bool> HasReduction; ///< kernels, by their stored node
  Fusion Chosen;
};

} // namespace

bool jit::isSource(OpKind Kind) {
  return Kind == OpKind::Input || Kind == OpKind::Constant;
}

uint32_t jit::firstResult(const OpNode &Custom, uint32_t Id) {
  return Id - static_cast<uint32_t>(Custom.Numbers[1]);
}

int64_t jit::countOfResults(const OpGraph &Graph, const OpNode &Custom) {
  auto Which = static_cast<size_t>(Custom.Numbers[0]);
  return static_cast<int64_t>(Graph.customs()[Which].Results.size());
}

std::vector<Dim> jit::squeezed(std::span<const Dim> Shape) {
  std::vector<Dim> Axes;
  for (Dim D : Shape)
    if (!D.isConstant() || D.lo() != 1)
      Axes.push_back(D);
  return Axes;
}

/// A user's kernel writes all its results, even unread ones. \p Id is its last
/// one, with readers that are known like the others'.
void Chooser::findSiblings(uint32_t Id) {
  const OpNode &N = G.node(Id);
  if (N.Kind != OpKind::Custom || N.Numbers[1] + 1 != countOfResults(G, N))
    return;
  auto First = Chosen.IsLive.begin() + firstResult(N, Id),
       End = First + N.Numbers[1] + 1;
  if (std::find(First, End, true) != End)
    std::fill(First, End, true);
}

void Chooser::findReaders() {
  for (const OpOutput &Output : G.outputs()) {
    Chosen.IsLive[Output.Node] = true;
    State[Output.Node].MustStore = true;
  }
  for (size_t Id = G.size(); Id-- > 0;) {
    findSiblings(static_cast<uint32_t>(Id));
    if (!Chosen.IsLive[Id])
      continue;
    for (uint32_t Operand : G.node(static_cast<uint32_t>(Id)).Operands) {
      Chosen.IsLive[Operand] = true;
      Readers[Operand].push_back(static_cast<uint32_t>(Id));
    }
  }
}

static unsigned computeFlops(OpKind Kind) {
  switch (Kind) {
  case OpKind::Exp:
  case OpKind::Log:
  case OpKind::Sqrt:
  case OpKind::Rsqrt:
  case OpKind::Div:
    return 8;
  case OpKind::Contract:
  case OpKind::Custom:
  case OpKind::Sum:
  case OpKind::MaxOf:
    return NotCheap;
  default:
    return isElementwise(Kind) ? 1 : 0;
  }
}

/// Returns the cost of everything that would be computed again.
unsigned Chooser::computeCost(uint32_t Id) {
  const OpNode &N = G.node(Id);
  unsigned Cost = computeFlops(N.Kind);
  for (uint32_t Operand : N.Operands)
    Cost = std::min(NotCheap, Cost + Costs[Operand]);
  return Cost;
}

/// True for a view that repeats an element: a Window, or an Expand of an axis
/// other than the last. Along the last axis the index is usually the same in a
/// row, for which the element is computed once.
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

/// Returns the axes of \p Operand that change where those of its reader do.
static std::vector<bool> operandAxes(const OpGraph &G, const OpNode &Reader,
                                     uint32_t Operand,
                                     const std::vector<bool> &Changes) {
  const std::vector<Dim> &Old = G.node(Operand).Shape;
  std::vector<bool> Axes(Old.size());
  auto IsOne = [&](size_t I) {
    return Old[I].isConstant() && Old[I].lo() == 1;
  };
  if (Reader.Kind == OpKind::Reshape) {
    for (const AxisGroup &Group : axisGroups(G.dims(), Old, Reader.Shape)) {
      bool Any = false;
      for (size_t I = Group.NewBegin; I < Group.NewEnd; ++I)
        Any |= Changes[I];
      for (size_t I = Group.OldBegin; I < Group.OldEnd; ++I)
        Axes[I] = Any && !IsOne(I);
    }
    return Axes;
  }
  for (size_t I = 0; I < Axes.size(); ++I)
    if (Reader.Kind == OpKind::Permute)
      Axes[static_cast<size_t>(Reader.Numbers[I])] = Changes[I];
    else
      Axes[I] = Changes[I] && !(Reader.Kind == OpKind::Expand && IsOne(I));
  if (Reader.Kind == OpKind::Window && Changes.back())
    Axes[static_cast<size_t>(Reader.Numbers[0])] = true;
  return Axes;
}

/// Adds the changes of the operand's indices in the kernel of this reader.
void Chooser::gatherAxes(uint32_t Id, uint32_t Reader) {
  const OpNode &R = G.node(Reader);
  NodeState &S = State[Id];
  size_t Rank = G.node(Id).Shape.size();
  S.InLoop.resize(Rank);
  S.InRow.resize(Rank);
  // The operand is stored.
  if (R.Kind == OpKind::Contract || R.Kind == OpKind::Custom)
    return;
  std::vector<bool> InLoop = State[Reader].InLoop, InRow = State[Reader].InRow;
  if (Chosen.IsStored[Reader]) {
    InLoop.assign(R.Shape.size(), false);
    InRow = InLoop;
    for (size_t I = R.Shape.size(); I-- > 0;)
      if (!R.Shape[I].isConstant() || R.Shape[I].lo() != 1) {
        InRow[I] = true;
        break;
      }
  }
  InLoop = operandAxes(G, R, Id, InLoop);
  InRow = operandAxes(G, R, Id, InRow);
  if (isReduction(R.Kind))
    InLoop[static_cast<size_t>(R.Numbers[0])] = true;
  for (size_t I = 0; I < Rank; ++I) {
    S.InLoop[I] = S.InLoop[I] || InLoop[I];
    S.InRow[I] = S.InRow[I] || InRow[I];
  }
}

/// Gathers the state from the readers, which are all decided.
void Chooser::gather(uint32_t Id) {
  NodeState &S = State[Id];
  unsigned Direct = 0, Viewed = 0;
  for (uint32_t Reader : Readers[Id]) {
    OpKind Kind = G.node(Reader).Kind;
    const NodeState &Other = State[Reader];
    bool IsStored = Chosen.IsStored[Reader];
    S.IsGuarded |= Kind == OpKind::Pad || Kind == OpKind::Concat ||
                   (!IsStored && Other.IsGuarded);
    S.IsRepeated |= isRepeating(Reader) || (!IsStored && Other.IsRepeated);
    S.OnlyElementwise &=
        isElementwise(Kind) && (IsStored || Other.OnlyElementwise);
    gatherAxes(Id, Reader);
    unsigned Variants = IsStored ? 1 : Other.Variants;
    if (isView(Kind))
      Viewed = std::min(Viewed + Variants, NotCheap);
    else
      Direct = std::max(Direct, Variants);
    if (IsStored)
      S.Kernels.push_back(Reader);
    else
      S.Kernels.insert(S.Kernels.end(), Other.Kernels.begin(),
                       Other.Kernels.end());
  }
  S.Variants = std::min(Direct + Viewed, NotCheap);
  std::sort(S.Kernels.begin(), S.Kernels.end());
  S.Kernels.erase(std::unique(S.Kernels.begin(), S.Kernels.end()),
                  S.Kernels.end());
}

/// True if the reduction is computed once for a row of the kernel's result,
/// false if for each of its elements.
bool Chooser::isRow(uint32_t Id, uint32_t Kernel) const {
  const NodeState &S = State[Id];
  auto Any = [](const std::vector<bool> &Axes) {
    return std::find(Axes.begin(), Axes.end(), true) != Axes.end();
  };
  if (Any(S.InLoop))
    return false;
  return !Any(S.InRow) ||
         squeezed(G.node(Id).Shape) == squeezed(G.node(Kernel).Shape);
}

/// True if the one kernel that reads the contraction may compute it.
bool Chooser::mayEpilogue(uint32_t Id) {
  const NodeState &S = State[Id];
  if (S.Kernels.size() != 1 || !S.OnlyElementwise)
    return false;
  uint32_t Kernel = S.Kernels[0];
  if (G.node(Kernel).Shape != G.node(Id).Shape || hasContract(Kernel) ||
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
  if (S.MustStore || Forced[Id] || N.Kind == OpKind::Custom)
    return true;
  // A node that is read through many views would be written again for each.
  bool IsMuch = S.Variants > MostVariants;
  if (N.Kind == OpKind::Pad || N.Kind == OpKind::Concat)
    return IsMuch;
  if (isView(N.Kind) || N.Kind == OpKind::Full || N.Kind == OpKind::Iota)
    return false;
  if (!Fuse)
    return true;
  if (N.Kind == OpKind::Contract)
    return !mayEpilogue(Id);
  bool IsShared = S.Kernels.size() != 1 || S.IsRepeated;
  if (isReduction(N.Kind))
    return IsShared || S.IsGuarded || hasContract(S.Kernels[0]) ||
           !isRow(Id, S.Kernels[0]);
  return IsMuch || (IsShared && Costs[Id] > CheapFlops);
}

bool Chooser::fits(uint32_t Id, bool NeedsUnitStride) const {
  std::optional<StridedView> View = stridedView(G, Id, Chosen.IsStored);
  return View && (!NeedsUnitStride || View->Strides.back() == 1);
}

/// Lets a contraction read \p Id by strides, or stores the innermost view that
/// allows it: weights are not copied for each element of a batch.
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
    Costs.push_back(computeCost(Id));
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
    if (Kind == OpKind::Custom)
      for (uint32_t Operand : G.node(Id).Operands)
        State[Operand].MustStore = true;
    if (Kind != OpKind::Contract)
      continue;
    Chosen.ContractOf[Kernel] = Id;
    wantOperands(Id);
  }
  return std::move(Chosen);
}

/// Returns operands of contractions that strides cannot read: when each was
/// decided, it was not known which views are stored for another reason.
static std::vector<uint32_t> unreadable(const OpGraph &G, const Fusion &F) {
  std::vector<uint32_t> Found;
  for (uint32_t Id = 0; Id < G.size(); ++Id) {
    const OpNode &N = G.node(Id);
    if (!F.IsLive[Id] || N.Kind != OpKind::Contract)
      continue;
    for (size_t I : {0, 1}) {
      std::optional<StridedView> View =
          stridedView(G, N.Operands[I], F.IsStored);
      if (!View || (I == 1 && View->Strides.back() != 1))
        Found.push_back(N.Operands[I]);
    }
  }
  return Found;
}

Fusion jit::fuse(const OpGraph &Graph, bool Fuse) {
  std::vector<bool> Forced(Graph.size());
  for (;;) {
    Fusion Chosen = Chooser(Graph, Fuse, Forced).run();
    std::vector<uint32_t> Rest = unreadable(Graph, Chosen);
    if (Rest.empty())
      return Chosen;
    // A stored operand can be read as it is, so the loop ends.
    for (uint32_t Id : Rest)
      Forced[Id] = true;
  }
}
