//===- StridedView.cpp - views as offsets and strides ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes from the operand outward: each view changes the strides of its operand.
//
//===----------------------------------------------------------------------===//
#include "StridedView.h"

using namespace kpack;
using namespace kpack::jit;

std::vector<int64_t> jit::stridesOf(std::span<const Dim> Shape) {
  std::vector<int64_t> Strides(Shape.size());
  int64_t Stride = 1;
  for (size_t I = Shape.size(); I-- > 0;
       Stride *= std::max<int64_t>(Shape[I].hi(), 1))
    Strides[I] = Stride;
  return Strides;
}

static bool isOne(Dim D) { return D.isConstant() && D.lo() == 1; }

std::vector<AxisGroup> jit::axisGroups(DimContext &Dims,
                                       std::span<const Dim> Old,
                                       std::span<const Dim> New) {
  std::vector<AxisGroup> Groups;
  AxisGroup Group = {0, 0, 0, 0};
  Dim OldSize = Dims.constant(1), NewSize = Dims.constant(1);
  while (Group.OldEnd < Old.size() || Group.NewEnd < New.size()) {
    // The side with fewer elements so far takes its next axis.
    bool TakeOld = Group.NewEnd == New.size() ||
                   (Group.OldEnd < Old.size() && OldSize.hi() <= NewSize.hi());
    if (TakeOld)
      OldSize = OldSize * Old[Group.OldEnd++];
    else
      NewSize = NewSize * New[Group.NewEnd++];
    bool IsWhole = Group.OldEnd > Group.OldBegin &&
                   Group.NewEnd > Group.NewBegin && OldSize == NewSize;
    if (!IsWhole)
      continue;
    Groups.push_back(Group);
    Group = {Group.OldEnd, Group.OldEnd, Group.NewEnd, Group.NewEnd};
    OldSize = NewSize = Dims.constant(1);
  }
  bool IsRest = Group.OldBegin < Group.OldEnd || Group.NewBegin < Group.NewEnd;
  if (IsRest && Groups.empty())
    Groups.push_back(Group);
  else if (IsRest) { // axes of extent 1, or groups that only match as a whole
    Groups.back().OldEnd = Group.OldEnd;
    Groups.back().NewEnd = Group.NewEnd;
  }
  return Groups;
}

/// Computes the strides of the group's new axes, if each has one.
static bool splitGroup(const AxisGroup &Group, std::span<const Dim> Old,
                       std::span<const Dim> New,
                       std::span<const int64_t> OldStrides,
                       std::span<int64_t> NewStrides) {
  // Join the old axes: each is a whole multiple of the next.
  int64_t Inner = 0;
  Dim InnerSize;
  for (size_t I = Group.OldEnd; I-- > Group.OldBegin;) {
    if (isOne(Old[I]))
      continue;
    bool Follows = InnerSize.valid() && InnerSize.isConstant() &&
                   OldStrides[I] == Inner * InnerSize.lo();
    if (InnerSize.valid() && !Follows)
      return false;
    if (!InnerSize.valid())
      Inner = OldStrides[I];
    InnerSize = InnerSize.valid() ? InnerSize * Old[I] : Old[I];
  }
  int64_t Stride = Inner;
  for (size_t I = Group.NewEnd; I-- > Group.NewBegin;) {
    NewStrides[I] = Stride;
    if (isOne(New[I]))
      continue;
    // The remainder of an axis with a varying extent has no constant stride.
    bool IsFirst = true;
    for (size_t J = Group.NewBegin; J < I; ++J)
      IsFirst &= isOne(New[J]);
    if (!New[I].isConstant() && !IsFirst)
      return false;
    Stride *= New[I].hi();
  }
  return true;
}

static bool viewThrough(const OpGraph &Graph, const OpNode &N,
                        StridedView &View) {
  const std::vector<Dim> &Old = Graph.node(N.Operands[0]).Shape;
  std::vector<int64_t> Before = View.Strides;
  switch (N.Kind) {
  case OpKind::Permute:
    for (size_t I = 0; I < Before.size(); ++I)
      View.Strides[I] = Before[static_cast<size_t>(N.Numbers[I])];
    return true;
  case OpKind::Expand:
    for (size_t I = 0; I < Before.size(); ++I)
      if (isOne(Old[I]) && !isOne(N.Shape[I]))
        View.Strides[I] = 0;
    return true;
  case OpKind::Slice:
    for (size_t I = 0; I < Before.size(); ++I)
      View.Offset = View.Offset + N.Dims[I] * Before[I];
    return View.Offset.valid();
  case OpKind::Window: {
    auto Axis = static_cast<size_t>(N.Numbers[0]);
    View.Strides.push_back(Before[Axis]);
    View.Strides[Axis] *= N.Numbers[2];
    return true;
  }
  case OpKind::Reshape: {
    View.Strides.assign(N.Shape.size(), 0);
    for (const AxisGroup &Group : axisGroups(Graph.dims(), Old, N.Shape))
      if (!splitGroup(Group, Old, N.Shape, Before, View.Strides))
        return false;
    return true;
  }
  default:
    return false;
  }
}

std::optional<StridedView> jit::stridedView(const OpGraph &Graph, uint32_t Node,
                                            const std::vector<bool> &IsStored) {
  const OpNode &N = Graph.node(Node);
  if (!isView(N.Kind) || IsStored[Node])
    return StridedView{Node, Graph.dims().constant(0), stridesOf(N.Shape)};
  if (N.Kind == OpKind::Pad || N.Kind == OpKind::Concat)
    return std::nullopt;
  std::optional<StridedView> View = stridedView(Graph, N.Operands[0], IsStored);
  if (!View || !viewThrough(Graph, N, *View))
    return std::nullopt;
  return View;
}
