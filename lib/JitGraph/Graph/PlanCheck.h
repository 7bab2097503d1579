//===- JitGraph/Graph/PlanCheck.h - whether buffers collide -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wrong plan does not crash: a kernel computes with bytes that another one
// has just written. So a plan is run before it is used, with names in the place
// of data. The nodes are gone through in their order, each writes its buffers,
// and no byte that somebody still wants to read may be under them.
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
  uint32_t Second = 0; ///< the same, where it is about one
  uint32_t Node = 0;   ///< where it goes wrong

  /// "<buffer>: <what>; <how to fix>".
  std::string message(std::span<const PlanBuffer> Buffers) const;
};

/// The first fault in launch order, if any.
std::optional<PlanFault> checkPlan(std::span<const PlanBuffer> Buffers,
                                   const MemoryPlan &Plan);

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_GRAPH_PLANCHECK_H
