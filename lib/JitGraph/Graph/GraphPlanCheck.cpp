//===- GraphPlanCheck.cpp - validity check of a plan ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks buffers first, then their users: interface and nodes. PlanCheck.h
// checks collisions of pooled buffers.
//
//===----------------------------------------------------------------------===//
#include "GraphPlanCheck.h"

#include "JitGraph/Graph/PlanCheck.h"
#include "kpack/JitGraph/GraphError.h"
#include "kpack/JitGraph/View.h"

#include <algorithm>
#include <set>

using namespace kpack;
using namespace kpack::jit;

std::optional<int64_t>
kpack::jit::elementsSpanned(std::span<const int64_t> Extents,
                            std::span<const int64_t> Strides) {
  int64_t Last = 0;
  for (size_t I = 0; I < Extents.size(); ++I) {
    int64_t Step;
    if (Extents[I] == 0)
      return 0;
    if (__builtin_mul_overflow(Extents[I] - 1, Strides[I], &Step) ||
        __builtin_add_overflow(Last, Step, &Last))
      return std::nullopt;
  }
  return Last == INT64_MAX ? std::nullopt : std::optional(Last + 1);
}

namespace {

class Checker {
public:
  explicit Checker(const GraphPlan &Plan) : Plan(Plan) {}
  Status check();

private:
  bool isSize(Dim D) const {
    return D.valid() && &D.context() == &Plan.Ops.dims() && D.lo() >= 0;
  }
  bool areSizes(std::span<const Dim> Dims) const {
    for (Dim D : Dims)
      if (!isSize(D))
        return false;
    return true;
  }
  Status buffer(const GraphBuffer &B) const;
  bool isInPlace(const GraphBuffer &B) const;
  Status inputs() const;
  Status outputs() const;
  Status kernels() const;
  Status node(const GraphNode &N, const std::string &Name, bool IsSetup) const;
  Status pool() const;
  Status lifetimes() const;
  Status inPlace(uint32_t New, uint32_t Old) const;
  Status replacements() const;

  const GraphPlan &Plan;
};

} // namespace

static Status refused(const std::string &Object, const std::string &Why) {
  return Status(StatusCode::InvalidFormat,
                Object + ": " + Why + "; prepare the graph again");
}

/// True if the object that Which refers to exists.
bool Checker::isInPlace(const GraphBuffer &B) const {
  switch (B.Role) {
  case BufferRole::Input:
    return B.Which < Plan.Ops.inputs().size();
  case BufferRole::Output:
    return B.Which < Plan.Ops.outputs().size();
  case BufferRole::Weight:
    return B.Which < Plan.Weights.size() &&
           Plan.Weights[B.Which].Bytes.size() == B.Bytes;
  case BufferRole::Derived:
    return B.Which < static_cast<size_t>(std::count_if(
                         Plan.Buffers.begin(), Plan.Buffers.end(),
                         [](const GraphBuffer &Other) {
                           return Other.Role == BufferRole::Derived;
                         }));
  case BufferRole::Pooled: {
    if (B.Which >= Plan.Memory.Places.size())
      return false;
    uint64_t Offset = Plan.Memory.Places[B.Which].Offset;
    return Offset <= Plan.Memory.Peak && B.Bytes <= Plan.Memory.Peak - Offset;
  }
  }
  return false;
}

Status Checker::buffer(const GraphBuffer &B) const {
  if (static_cast<size_t>(B.Type) > static_cast<size_t>(ElementType::Bool))
    return refused(B.Name, "has an unknown element type");
  if (B.Extents.size() != B.Strides.size() || B.Extents.size() > MaxRank)
    return refused(B.Name, "has extents and strides that do not fit");
  if (!areSizes(B.Extents))
    return refused(B.Name, "has an extent that is no size");
  std::vector<int64_t> Most;
  for (size_t I = 0; I < B.Extents.size(); ++I) {
    if (B.Strides[I] < 0)
      return refused(B.Name, "has a stride below zero");
    Most.push_back(B.Extents[I].hi());
  }
  std::optional<int64_t> Elements = elementsSpanned(Most, B.Strides);
  if (!Elements || static_cast<uint64_t>(*Elements) > B.Bytes / sizeOf(B.Type))
    return refused(B.Name, "is larger than its memory");
  if (!isInPlace(B))
    return refused(B.Name, "has no place in memory");
  return Status::success();
}

Status Checker::inputs() const {
  if (Plan.Inputs.size() != Plan.Ops.inputs().size())
    return refused("inputs", "some have no buffer");
  std::set<uint32_t> Seen;
  for (size_t I = 0; I < Plan.Inputs.size(); ++I) {
    const OpInput &Declared = Plan.Ops.inputs()[I];
    if (Plan.Inputs[I] >= Plan.Buffers.size() ||
        Plan.Buffers[Plan.Inputs[I]].Role != BufferRole::Input)
      return refused(Declared.Name, "has no buffer of an input");
    if (!Seen.insert(Plan.Inputs[I]).second)
      return graphFailure(GraphErrc::DuplicateInputBuffer,
                          Declared.Name + ": has the buffer of another input; "
                                          "give each input its own");
    if (Plan.Buffers[Plan.Inputs[I]].Type != Declared.Type)
      return graphFailure(
          GraphErrc::DtypeMismatch,
          Declared.Name + ": is of " + std::string(nameOf(Declared.Type)) +
              ", its buffer of " +
              std::string(nameOf(Plan.Buffers[Plan.Inputs[I]].Type)) +
              "; prepare the graph again");
  }
  return Status::success();
}

Status Checker::outputs() const {
  if (Plan.Outputs.size() != Plan.Ops.outputs().size())
    return refused("outputs", "some have no buffer");
  for (size_t I = 0; I < Plan.Outputs.size(); ++I)
    if (Plan.Outputs[I] >= Plan.Buffers.size() ||
        Plan.Buffers[Plan.Outputs[I]].Role != BufferRole::Output)
      return refused(Plan.Ops.outputs()[I].Name, "has no buffer of an output");
  return Status::success();
}

Status Checker::kernels() const {
  std::set<std::string_view> Names;
  for (const GraphKernel &K : Plan.Kernels)
    if (K.Name.empty() || !Names.insert(K.Name).second)
      return refused("kernel '" + K.Name + "'", "has no name of its own");
    else if (K.Unit > Plan.Units.size())
      return refused("kernel '" + K.Name + "'", "has no text");
  return Status::success();
}

Status Checker::node(const GraphNode &N, const std::string &Name,
                     bool IsSetup) const {
  if (N.Kernel >= Plan.Kernels.size() || N.Written > N.Buffers.size())
    return refused(Name, "has no kernel, or writes nothing");
  for (size_t B = 0; B < N.Buffers.size(); ++B) {
    if (N.Buffers[B] >= Plan.Buffers.size())
      return refused(Name, "has a buffer that is not there");
    BufferRole Role = Plan.Buffers[N.Buffers[B]].Role;
    bool IsFixed = Role == BufferRole::Weight || Role == BufferRole::Derived;
    bool IsReadOnly = IsSetup ? Role != BufferRole::Derived
                              : IsFixed || Role == BufferRole::Input;
    if (IsSetup && !IsFixed)
      return refused(Name, "is run once and has a buffer of a call");
    if (B < N.Written && IsReadOnly)
      return refused(Name, "writes an input or a weight");
  }
  bool IsCpu = Plan.Target == GraphTarget::Cpu;
  // A size may be a start offset, which is negative before a pad.
  bool AreHere = std::all_of(N.Sizes.begin(), N.Sizes.end(), [&](Dim D) {
    return D.valid() && &D.context() == &Plan.Ops.dims();
  });
  if (!AreHere || !(IsCpu ? isSize(N.Rows) : areSizes(N.Grid)))
    return refused(Name, "has a size that is none");
  return Status::success();
}

Status Checker::pool() const {
  if (Plan.Pooled.size() != Plan.Memory.Places.size())
    return refused("pool", "some buffers have no place");
  for (const GraphBuffer &B : Plan.Buffers)
    if (B.Role == BufferRole::Pooled && B.Bytes > Plan.Pooled[B.Which].Size)
      return refused(B.Name, "is larger than its place in the pool");
  if (std::optional<PlanFault> Fault = checkPlan(Plan.Pooled, Plan.Memory))
    return Status(StatusCode::InvalidFormat, Fault->message(Plan.Pooled));
  return Status::success();
}

/// Checks that nodes match the lifetimes that the pool was planned for: each
/// buffer is written first, and not read before or after its time.
Status Checker::lifetimes() const {
  std::vector<bool> IsWritten(Plan.Pooled.size());
  for (uint32_t Place = 0; Place < Plan.Nodes.size(); ++Place) {
    const GraphNode &N = Plan.Nodes[Place];
    // Buffers that a node reads were written before it.
    for (size_t I = N.Buffers.size(); I-- > 0;) {
      const GraphBuffer &B = Plan.Buffers[N.Buffers[I]];
      if (B.Role != BufferRole::Pooled)
        continue;
      const PlanBuffer &P = Plan.Pooled[B.Which];
      if (Place < P.First || Place > P.Last)
        return refused(B.Name, "is used by node " + std::to_string(Place) +
                                   ", when other bytes may be there");
      if (I < N.Written)
        IsWritten[B.Which] = true;
      else if (!IsWritten[B.Which])
        return refused(B.Name, "is read by node " + std::to_string(Place) +
                                   " before one writes it");
    }
  }
  return Status::success();
}

/// Checks that one node reads \p Old and writes \p New, both in the pool, with
/// the same place for each element.
Status Checker::inPlace(uint32_t New, uint32_t Old) const {
  const GraphNode &N = Plan.Nodes[Plan.Pooled[New].First];
  const GraphBuffer *Read = nullptr, *Target = nullptr;
  for (size_t I = 0; I < N.Buffers.size(); ++I) {
    const GraphBuffer &B = Plan.Buffers[N.Buffers[I]];
    if (B.Role == BufferRole::Pooled && B.Which == (I < N.Written ? New : Old))
      (I < N.Written ? Target : Read) = &B;
  }
  if (!Read || !Target || Read->Type != Target->Type ||
      Read->Extents != Target->Extents || Read->Strides != Target->Strides)
    return refused(Plan.Pooled[New].Name,
                   "takes the bytes of " + Plan.Pooled[Old].Name +
                       ", which its node does not read element by element");
  return Status::success();
}

Status Checker::replacements() const {
  for (uint32_t I = 0; I < Plan.Pooled.size(); ++I) {
    uint32_t Old = Plan.Memory.Places[I].Replaces;
    if (Old == MemoryPlan::None)
      continue;
    if (Old >= Plan.Pooled.size() || Plan.Pooled[I].First >= Plan.Nodes.size())
      return refused(Plan.Pooled[I].Name, "takes bytes that are not there");
    if (Status S = inPlace(I, Old); !S.ok())
      return S;
  }
  return Status::success();
}

Status Checker::check() {
  for (const GraphBuffer &B : Plan.Buffers)
    if (Status S = buffer(B); !S.ok())
      return S;
  for (auto Part :
       {&Checker::inputs, &Checker::outputs, &Checker::kernels, &Checker::pool})
    if (Status S = (this->*Part)(); !S.ok())
      return S;
  for (size_t I = 0; I < Plan.Nodes.size(); ++I)
    if (Status S = node(Plan.Nodes[I], "node " + std::to_string(I), false);
        !S.ok())
      return S;
  for (size_t I = 0; I < Plan.Setup.size(); ++I)
    if (Status S = node(Plan.Setup[I], "setup " + std::to_string(I), true);
        !S.ok())
      return S;
  // These checks require valid nodes and places.
  if (Status S = lifetimes(); !S.ok())
    return S;
  return replacements();
}

Status kpack::jit::checkGraphPlan(const GraphPlan &Plan) {
  return Checker(Plan).check();
}
