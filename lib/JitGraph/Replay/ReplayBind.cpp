//===- ReplayBind.cpp - binding of a call's values and inputs -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks everything before a kernel runs; a refused call leaves values and
// inputs unchanged. The caller's elements must exist for all reads of this
// call, which depend on its values, and must not overlap with memory that the
// graph writes.
//
//===----------------------------------------------------------------------===//
#include "CompiledPlan.h"
#include "JitGraph/Graph/GraphPlanCheck.h"

#include "JitGraph/Sizes/DimText.h"
#include "kpack/JitGraph/GraphError.h"
#include "kpack/JitGraph/Replay.h"

using namespace kpack;
using namespace kpack::jit;

void Replay::evaluate() {
  Shared->Program.run(Values.data(), Results.data());
  for (size_t I = 0; I < Sizes.size(); ++I)
    Sizes[I] = Results[Shared->Sizes[I]];
  IsGuarded = false;
  for (size_t I = Shared->Guards; I < Sizes.size(); I += 2)
    IsGuarded |= Sizes[I] != Sizes[I + 1];
}

Status Replay::checkGuards() const {
  size_t Place = Shared->Guards;
  for (const OpGuard &Guard : Shared->Plan.Ops.guards()) {
    int64_t A = Sizes[Place], B = Sizes[Place + 1];
    Place += 2;
    if (A != B)
      return graphFailure(GraphErrc::ShapeMismatch,
                          toText(Guard.A) + " and " + toText(Guard.B) +
                              ": are assumed to be equal, and are " +
                              std::to_string(A) + " and " + std::to_string(B) +
                              "; call with values that make them so");
  }
  return Status::success();
}

Status Replay::checkValue(size_t I, int64_t Value) const {
  DimRange Range = Variables[I].Range;
  if (Range.contains(Value)) [[likely]]
    return Status::success();
  return graphFailure(GraphErrc::VarOutOfRange,
                      Variables[I].Name + ": " + std::to_string(Value) +
                          " is not within " + std::to_string(Range.Lo) +
                          " to " + std::to_string(Range.Hi) +
                          "; prepare the graph with wider bounds");
}

Status Replay::bind(std::span<const std::optional<int64_t>> NewValues,
                    std::span<const BoundInput> Inputs) {
  bool HasNewValues = false;
  for (size_t I = 0; I < NewValues.size(); ++I) {
    if (!NewValues[I])
      continue;
    if (!Variables[I].Range.contains(*NewValues[I])) [[unlikely]]
      return checkValue(I, *NewValues[I]);
    HasNewValues |= *NewValues[I] != Values[I];
  }
  for (const BoundInput &One : Inputs)
    if (Status S = checkInput(One); !S.ok())
      return S;
  if (HasNewValues) {
    for (size_t I = 0; I < NewValues.size(); ++I) {
      OldValues[I] = Values[I];
      Values[I] = NewValues[I].value_or(Values[I]);
    }
    evaluate();
    if (IsGuarded) [[unlikely]] {
      Status Refused = checkGuards();
      std::swap(Values, OldValues);
      evaluate();
      return Refused;
    }
    ++Version;
  }
  if (Inputs.empty() && !(HasNewValues && BoundCount))
    return Status::success();
  return bindInputs(Inputs, HasNewValues);
}

/// Undoes all bindings if an input is invalid.
Status Replay::bindInputs(std::span<const BoundInput> Inputs,
                          bool HasNewValues) {
  std::copy(Bound.begin(), Bound.end(), OldBound.begin());
  for (const BoundInput &One : Inputs)
    Bound[One.Input] =
        One.Data == input(One.Input) ? BoundInput{One.Input} : One;
  if (Status S = checkRanges(); !S.ok()) {
    std::swap(Bound, OldBound);
    if (HasNewValues) {
      std::swap(Values, OldValues);
      evaluate();
    }
    return S;
  }
  BoundCount = 0;
  for (const BoundInput &One : Bound) {
    BoundCount += One.Data != nullptr;
    if (One.Data != OldBound[One.Input].Data)
      point(Shared->Plan.Inputs[One.Input],
            One.Data ? One.Data : input(One.Input));
  }
  return Status::success();
}

/// Checks one input without regard to the others.
Status Replay::checkInput(const BoundInput &One) const {
  const GraphBuffer &B = Shared->Plan.Buffers[Shared->Plan.Inputs[One.Input]];
  if (One.IsNeverNull && !One.Data)
    return graphFailure(
        GraphErrc::InputBufferNotFound,
        B.Name + ": bound to a null pointer or an empty range; give it "
                 "elements, or leave it out where those of the last "
                 "call stay");
  if (reinterpret_cast<uintptr_t>(One.Data) % sizeOf(B.Type) != 0)
    return graphFailure(
        GraphErrc::Misaligned,
        B.Name + ": bound to an address that is no multiple of " +
            std::to_string(sizeOf(B.Type)) + "; align the elements");
  bool IsNew = One.Data != Bound[One.Input].Data &&
               One.Data != Own[Shared->Plan.Inputs[One.Input]];
  if (IsNew && !Shared->Backend->canRead(One.Data))
    return graphFailure(
        GraphErrc::Device,
        B.Name +
            ": bound to memory that the GPU does not see; take it from "
            "hipHostMalloc() or hipMalloc(), with CUDA from cuMemHostAlloc() "
            "or cuMemAlloc(), or copy the elements to io()");
  return Status::success();
}

/// Returns the number of bytes that this call reads, from the first element on.
uint64_t Replay::bytesNeeded(uint32_t Input) const {
  uint32_t Buffer = Shared->Plan.Inputs[Input];
  const GraphBuffer &B = Shared->Plan.Buffers[Buffer];
  std::span Extents =
      std::span(Sizes).subspan(Shared->Extents[Buffer], B.Extents.size());
  // At most the size at the upper bounds, which was checked.
  return static_cast<uint64_t>(*elementsSpanned(Extents, B.Strides)) *
         sizeOf(B.Type);
}

namespace {
struct ByteRange {
  uintptr_t Begin, End;

  ByteRange(const void *Data, uint64_t Bytes)
      : Begin(reinterpret_cast<uintptr_t>(Data)), End(Begin + Bytes) {}
  /// True if the end is past the last address.
  bool wraps() const { return End < Begin; }
  bool overlaps(ByteRange Other) const {
    return Begin < Other.End && Other.Begin < End;
  }
};
} // namespace

/// Checks the bound inputs with the values of this call.
Status Replay::checkRanges() const {
  const GraphPlan &Plan = Shared->Plan;
  auto Name = [&](uint32_t I) { return Plan.Buffers[Plan.Inputs[I]].Name; };
  ByteRange Graph(Arena->data(), Shared->ArenaBytes);
  for (const BoundInput &One : Bound) {
    if (!One.Data)
      continue;
    uint64_t Needed = bytesNeeded(One.Input);
    if (One.Bytes && *One.Bytes < Needed)
      return graphFailure(GraphErrc::ShapeMismatch,
                          Name(One.Input) + ": bound to " +
                              std::to_string(*One.Bytes) +
                              " bytes, this call "
                              "reads " +
                              std::to_string(Needed) +
                              "; rows are as far apart as at the upper bounds");
    ByteRange Range(One.Data, Needed);
    if (Range.wraps() || Range.overlaps(Graph))
      return graphFailure(GraphErrc::DuplicateInputBuffer,
                          Name(One.Input) +
                              ": bound to memory of the graph itself; copy "
                              "the elements");
    for (const BoundInput &Other : std::span(Bound).first(One.Input))
      if (Other.Data &&
          Range.overlaps(ByteRange(Other.Data, bytesNeeded(Other.Input))))
        return graphFailure(GraphErrc::DuplicateInputBuffer,
                            Name(One.Input) + ": overlaps with " +
                                Name(Other.Input) +
                                "; give each input elements of its own");
  }
  return Status::success();
}
