//===- kpack/JitGraph/MemoryPlan.h - buffers that share memory --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The intermediate results of a graph live in one pool for as long as it is
// prepared. A buffer is needed from the node that writes it to the last one
// that reads it, nodes in the order of their launch; two that are never needed
// at once may have the same bytes:
//
//   node            0   1   2   3
//   x  4096 bytes   w-------r           offset    0
//   y  4096 bytes       w-------r       offset 4096
//   z  2048 bytes           w---r       offset    0   where x was
//
// Sizes are those at the upper bounds of all variables, so no plan is made
// again. Inputs, outputs, weights and carried state are not planned: callers
// hold addresses of theirs between calls.
//
// Who plans does not check: checkPlan (PlanCheck.h) shares nothing with this.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_MEMORYPLAN_H
#define KPACK_JITGRAPH_MEMORYPLAN_H

#include "kpack/Support/Status.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kpack::jit {

/// What offsets, and sizes in the pool, are multiples of: wide loads of a
/// kernel stay aligned, and no two buffers share a cache line.
constexpr uint64_t PlanAlignment = 256;

struct PlanBuffer {
  std::string Name; ///< for messages
  uint64_t Size = 0;
  /// Places in the launch order: of the node that writes it, and of the last
  /// that reads it (First again where nobody does). Both need it.
  uint32_t First = 0;
  uint32_t Last = 0;
  /// Buffers that First reads element by element, each before it writes the
  /// same element of this one: this may have their bytes, if one of them dies
  /// there. Indices into all buffers.
  std::vector<uint32_t> MayReplace;
};

struct MemoryPlan {
  static constexpr uint32_t None = UINT32_MAX;

  struct Place {
    uint64_t Offset = 0;
    /// The buffer whose bytes these were until the writing node, or None.
    uint32_t Replaces = None;
  };
  std::vector<Place> Places; ///< of each buffer

  /// Bytes of the pool.
  uint64_t Peak = 0;
  /// Bytes without any sharing.
  uint64_t NaiveSum = 0;
  /// No plan with these replacements needs less: the most that is needed at
  /// one node.
  uint64_t LowerBound = 0;
};

/// InvalidArgument where a buffer ends before it begins, or replaces one that
/// is not there; OutOfMemory where all of them together are more than 64 bits
/// can say.
Result<MemoryPlan> planMemory(std::span<const PlanBuffer> Buffers);

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_MEMORYPLAN_H
