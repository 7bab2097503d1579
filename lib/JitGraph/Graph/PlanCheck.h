//===- Graph/PlanCheck.h - check for overwritten buffers --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wrong plan does not crash: a kernel computes with bytes that another one
// has just written. So a plan is simulated before use, with names instead of
// data. The nodes run in order, each writes its buffers, and it must not
// overwrite a byte with a later reader.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_GRAPH_PLANCHECK_H
#define KPACK_JITGRAPH_GRAPH_PLANCHECK_H

#include "kpack/JitGraph/MemoryPlan.h"

#include <optional>

namespace kpack::jit {

struct PlanFault {
  enum class Kind {
    Overlap,    ///< First and Second have bytes in common while both are needed
    Misaligned, ///< First does not begin at a multiple of PlanAlignment
    OutsidePool, ///< First ends past Peak
  };
  Kind What = Kind::Overlap;
  uint32_t First = 0;
  uint32_t Second = 0; ///< the same as First if it is about one buffer
  uint32_t Node = 0;   ///< the node of the fault

  /// Returns "<buffer>: <what>; <how to fix>".
  std::string message(std::span<const PlanBuffer> Buffers) const;
};

/// Returns the first fault in launch order, if any.
std::optional<PlanFault> checkPlan(std::span<const PlanBuffer> Buffers,
                                   const MemoryPlan &Plan);

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_GRAPH_PLANCHECK_H
