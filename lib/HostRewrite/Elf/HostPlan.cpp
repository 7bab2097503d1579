//===- HostPlan.cpp - choice between two layouts --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If no memory follows the device code, its memory ends before it in both
// layouts, and nothing has to move. A compact layout needs no additional
// program header, so it may be possible if the other one is not.
//
//===----------------------------------------------------------------------===//
#include "HostPlan.h"

using namespace llvm;

namespace kpack::hostrewrite {

static Expected<HostPlan> planCompact(const ElfView &View,
                                      const PointerFacts &Pointers,
                                      uint64_t MarkerSize) {
  HostPlan Plan;
  if (Error E =
          planCompactLayout(View, Pointers, MarkerSize).moveInto(Plan.Layout))
    return std::move(E);
  if (Error E =
          findMovedFields(View, Pointers, Plan.Layout).moveInto(Plan.Fields))
    return std::move(E);
  return std::move(Plan);
}

/// Returns the bytes of the device code's place that remain in a compact file,
/// since the parts after it move by whole pages. They are loaded as a part of a
/// segment; if addresses stay, they are in none.
static uint64_t computePadding(const HostPlan &Compact) {
  const ElfLayout &Layout = Compact.Layout;
  return Layout.HighBegin - Layout.Removed - Layout.UsedEnd;
}

Expected<HostPlan> planHost(const ElfView &View, const PointerFacts &Pointers,
                            uint64_t MarkerSize, LayoutKind Kind) {
  HostPlan Kept;
  Error NotKept = planLayout(View, Pointers, MarkerSize).moveInto(Kept.Layout);
  if (Kind == LayoutKind::Keep || (!NotKept && Kept.Layout.IsLast)) {
    if (NotKept)
      return std::move(NotKept);
    return std::move(Kept);
  }
  Expected<HostPlan> Compact = planCompact(View, Pointers, MarkerSize);
  // Large pages (-z max-page-size=) would cost that much of the file.
  constexpr uint64_t UsualPage = 4096;
  if (Compact && !NotKept && Kind == LayoutKind::Smallest &&
      computePadding(*Compact) >= UsualPage)
    return std::move(Kept);
  if (Compact || Kind == LayoutKind::Compact) {
    consumeError(std::move(NotKept));
    return Compact;
  }
  consumeError(Compact.takeError());
  if (NotKept)
    return std::move(NotKept);
  return std::move(Kept);
}

} // namespace kpack::hostrewrite
