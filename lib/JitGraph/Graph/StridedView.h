//===- StridedView.h - views as offsets and strides -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction reads an address and a step for each axis. Most views of a
// buffer have that form; others (a pad, a concatenation, a reshape across a
// stride) need a copy.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_GRAPH_STRIDEDVIEW_H
#define KPACK_LIB_JITGRAPH_GRAPH_STRIDEDVIEW_H

#include "kpack/JitGraph/OpGraph.h"

#include <optional>

namespace kpack::jit {

struct StridedView {
  uint32_t Base; ///< the node that is no view, or is in a buffer
  Dim Offset;    ///< in elements
  std::vector<int64_t> Strides;
};

/// Returns row-major strides at the upper bounds.
std::vector<int64_t> stridesOf(std::span<const Dim> Shape);

/// \p IsStored marks views with separate buffers.
std::optional<StridedView> stridedView(const OpGraph &Graph, uint32_t Node,
                                       const std::vector<bool> &IsStored);

/// Axes that a reshape handles together: those of the operand from Old, and
/// those of the result from New, hold the same elements.
struct AxisGroup {
  size_t OldBegin, OldEnd, NewBegin, NewEnd;
};
/// Returns the smallest such groups, from the first axis to the last.
std::vector<AxisGroup> axisGroups(DimContext &Dims, std::span<const Dim> Old,
                                  std::span<const Dim> New);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_GRAPH_STRIDEDVIEW_H
