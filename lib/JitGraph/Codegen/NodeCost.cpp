//===- NodeCost.cpp - bytes and operations of a kernel --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes from users to operands: at a node's turn, all its needed parts are
// known. Parts are boxes; a part that is not (some of the axes that a reshape
// joined) counts as the whole. Overflowing sizes, and all results of them, are
// invalid: a plan is not refused for its statistics.
//
//===----------------------------------------------------------------------===//
#include "NodeCost.h"
#include "JitGraph/Graph/StridedView.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// Elements along one axis: a range, or Extent elements from Start on with gaps
/// between them.
struct Part {
  Dim Start, Extent;
  bool HasGaps = false;
  friend bool operator==(const Part &, const Part &) = default;
};
using Box = std::vector<Part>;

class CostFinder {
public:
  explicit CostFinder(const KernelRequest &R)
      : R(R), G(R.Graph), Dims(G.dims()), Zero(Dims.constant(0)) {}
  NodeCost find();

private:
  using Operator = Result<Dim> (DimContext::*)(Dim, Dim);
  Dim apply(Operator Op, Dim A, Dim B) const {
    Result<Dim> Size =
        A.valid() && B.valid() ? (Dims.*Op)(A, B) : Result<Dim>(Dim());
    return Size ? *Size : Dim();
  }
  Dim plus(Dim A, Dim B) const { return apply(&DimContext::add, A, B); }
  Dim times(Dim A, Dim B) const { return apply(&DimContext::mul, A, B); }
  Dim minus(Dim A, Dim B) const { return apply(&DimContext::sub, A, B); }
  Dim least(Dim A, Dim B) const { return apply(&DimContext::min, A, B); }
  Dim most(Dim A, Dim B) const { return apply(&DimContext::max, A, B); }
  Dim number(int64_t N) const { return Dims.constant(N); }

  Part all(Dim Extent) const { return {Zero, Extent}; }
  Box all(std::span<const Dim> Shape) const;
  Dim countOf(const Box &B) const;
  Dim countOf(uint32_t Node, const std::vector<Box> &Parts) const;
  void need(uint32_t Node, Box B);
  void operands(const OpNode &N, const Box &B);
  Box viewed(const OpNode &N, const Box &B) const;
  Box reshaped(const OpNode &N, const Box &B) const;
  Part cut(Part P, Dim Whole, Dim Before, Dim Extent) const;
  Part windowed(const Part &Many, const Part &Each, int64_t Stride) const;
  void joined(const OpNode &N, const Box &B);

  const KernelRequest &R;
  const OpGraph &G;
  DimContext &Dims;
  Dim Zero;
  /// Users first.
  std::map<uint32_t, std::vector<Box>, std::greater<>> Needed;
};

} // namespace

/// Number of parts of a node that are kept separate.
static constexpr size_t MostParts = 8;

Box CostFinder::all(std::span<const Dim> Shape) const {
  Box B;
  for (Dim Extent : Shape)
    B.push_back(all(Extent));
  return B;
}

void CostFinder::need(uint32_t Node, Box B) {
  std::vector<Box> &Parts = Needed[Node];
  if (std::find(Parts.begin(), Parts.end(), B) == Parts.end())
    Parts.push_back(std::move(B));
  if (Parts.size() > MostParts)
    Parts = {all(G.node(Node).Shape)};
}

Dim CostFinder::countOf(const Box &B) const {
  Dim Count = number(1);
  for (const Part &P : B)
    Count = times(Count, P.Extent);
  return Count;
}

/// Parts may overlap, so the sum is limited to the node's elements.
Dim CostFinder::countOf(uint32_t Node, const std::vector<Box> &Parts) const {
  Box Whole = all(G.node(Node).Shape);
  if (Parts.size() == 1)
    return countOf(Parts[0]);
  Dim Count = Zero;
  for (const Box &B : Parts) {
    if (B == Whole)
      return countOf(B);
    Count = plus(Count, countOf(B));
  }
  return least(Count, countOf(Whole));
}

/// Returns the part of [Before, Before + Extent) that \p P, of an axis with
/// the extent \p Whole, covers, relative to Before. Its extent is a limit if
/// \p P has gaps.
Part CostFinder::cut(Part P, Dim Whole, Dim Before, Dim Extent) const {
  if (P == all(Whole))
    return all(Extent);
  if (P.HasGaps)
    return {minus(P.Start, Before), least(P.Extent, Extent), true};
  Dim Begin = most(P.Start, Before);
  Dim End = least(plus(P.Start, P.Extent), plus(Before, Extent));
  return {minus(Begin, Before), most(minus(End, Begin), Zero)};
}

Box CostFinder::reshaped(const OpNode &N, const Box &B) const {
  const std::vector<Dim> &Old = G.node(N.Operands[0]).Shape;
  Box Source = all(Old);
  for (const AxisGroup &Group : axisGroups(Dims, Old, N.Shape)) {
    auto OnlyAxis = [](std::span<const Dim> Shape, size_t Begin, size_t End) {
      std::optional<size_t> Only;
      for (size_t I = Begin; I < End; ++I) {
        if (Shape[I].isConstant() && Shape[I].lo() == 1)
          continue;
        if (Only)
          return std::optional<size_t>();
        Only = I;
      }
      return Only;
    };
    std::optional<size_t> NewAxis =
        OnlyAxis(N.Shape, Group.NewBegin, Group.NewEnd);
    std::optional<size_t> OldAxis = OnlyAxis(Old, Group.OldBegin, Group.OldEnd);
    if (NewAxis && OldAxis)
      Source[*OldAxis] = B[*NewAxis];
  }
  return Source;
}

/// Returns the elements of \p Each of the windows \p Many, which start \p
/// Stride elements apart.
Part CostFinder::windowed(const Part &Many, const Part &Each,
                          int64_t Stride) const {
  Dim Step = number(Stride);
  Dim Start = plus(times(Many.Start, Step), Each.Start);
  Dim Separate = times(Many.Extent, Each.Extent);
  if (Many.HasGaps || Each.HasGaps || !Many.Extent.valid() ||
      !Each.Extent.valid() || Each.Extent.lo() < Stride)
    return {Start, Separate, true};
  Dim Joined = plus(times(plus(Many.Extent, number(-1)), Step), Each.Extent);
  // Without windows there are no elements.
  return {Start, Many.Extent.lo() > 0 ? Joined : least(Joined, Separate)};
}

/// Returns the needed part of the operand of a view.
Box CostFinder::viewed(const OpNode &N, const Box &B) const {
  const std::vector<Dim> &Old = G.node(N.Operands[0]).Shape;
  Box Source = all(Old);
  switch (N.Kind) {
  case OpKind::Permute:
    for (size_t I = 0; I < B.size(); ++I)
      Source[static_cast<size_t>(N.Numbers[I])] = B[I];
    return Source;
  case OpKind::Expand:
    for (size_t I = 0; I < B.size(); ++I)
      if (Old[I] == N.Shape[I])
        Source[I] = B[I];
    return Source;
  case OpKind::Slice:
    for (size_t I = 0; I < B.size(); ++I) {
      Source[I] = B[I];
      Source[I].Start = plus(B[I].Start, N.Dims[I]);
    }
    return Source;
  case OpKind::Pad:
    for (size_t I = 0; I < B.size(); ++I)
      Source[I] = cut(B[I], N.Shape[I], N.Dims[I], Old[I]);
    return Source;
  case OpKind::Window: {
    auto Axis = static_cast<size_t>(N.Numbers[0]);
    std::copy(B.begin(), B.end() - 1, Source.begin());
    Source[Axis] = windowed(B[Axis], B.back(), N.Numbers[2]);
    Source[Axis].Extent = least(Source[Axis].Extent, Old[Axis]);
    return Source;
  }
  default:
    return reshaped(N, B);
  }
}

void CostFinder::joined(const OpNode &N, const Box &B) {
  auto Axis = static_cast<size_t>(N.Numbers[0]);
  Dim Before = Zero;
  for (uint32_t Operand : N.Operands) {
    Dim Extent = G.node(Operand).Shape[Axis];
    Box Source = B;
    Source[Axis] = cut(B[Axis], N.Shape[Axis], Before, Extent);
    need(Operand, std::move(Source));
    Before = plus(Before, Extent);
  }
}

void CostFinder::operands(const OpNode &N, const Box &B) {
  if (N.Kind == OpKind::Concat)
    return joined(N, B);
  if (isView(N.Kind))
    return need(N.Operands[0], viewed(N, B));
  if (N.Kind == OpKind::Contract) {
    size_t Rank = B.size();
    for (size_t I : {0, 1}) {
      Box Source = B;
      Dim Depth = G.node(N.Operands[0]).Shape.back();
      Source[Rank - 1 - I] = all(Depth);
      need(N.Operands[I], std::move(Source));
    }
    return;
  }
  for (uint32_t Operand : N.Operands) {
    Box Source = B;
    if (isReduction(N.Kind)) {
      auto Axis = static_cast<size_t>(N.Numbers[0]);
      Source[Axis] = all(G.node(Operand).Shape[Axis]);
    }
    need(Operand, std::move(Source));
  }
}

NodeCost CostFinder::find() {
  need(R.Root, all(G.node(R.Root).Shape));
  NodeCost Cost;
  Cost.Flops = Zero;
  auto BytesOf = [&](uint32_t Node, Dim Count) {
    return times(Count,
                 number(static_cast<int64_t>(sizeOf(G.node(Node).Type))));
  };
  Cost.Bytes = BytesOf(R.Root, countOf(Needed.begin()->second[0]));
  // Operands come after their users here, so that added ones are still visited.
  for (const auto &[Node, Parts] : Needed) {
    const OpNode &N = G.node(Node);
    Dim Count = countOf(Node, Parts);
    if (R.Chosen.IsStored[Node] && (Node != R.Root || R.IsCopy)) {
      Cost.Bytes = plus(Cost.Bytes, BytesOf(Node, Count));
      continue;
    }
    if (isReduction(N.Kind))
      Count =
          times(Count,
                G.node(N.Operands[0]).Shape[static_cast<size_t>(N.Numbers[0])]);
    if (N.Kind == OpKind::Contract)
      Count =
          times(times(Count, G.node(N.Operands[0]).Shape.back()), number(2));
    if (N.Kind == OpKind::Contract || isReduction(N.Kind) ||
        (isElementwise(N.Kind) && N.Kind != OpKind::Cast))
      Cost.Flops = plus(Cost.Flops, Count);
    for (const Box &B : Parts)
      operands(N, B);
  }
  return Cost;
}

NodeCost jit::computeCost(const KernelRequest &R) {
  return CostFinder(R).find();
}
