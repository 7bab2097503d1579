//===- JitGraph/MemoryPlan.h - offsets of buffers in one pool ---*- C++ -*-===//
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
// Sizes are those at the upper bounds of all variables, so a plan is made only
// once. Inputs, outputs, weights and carried state are not planned: callers
// hold their addresses between calls.
//
// checkPlan (PlanCheck.h) checks plans, and shares no code with the planner.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_MEMORYPLAN_H
#define KPACK_JITGRAPH_MEMORYPLAN_H

#include "kpack/Support/Status.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kpack::jit {

/// Offsets and sizes in the pool are multiples of this, so that wide loads of a
/// kernel stay aligned, and no two buffers share a cache line.
constexpr uint64_t PlanAlignment = 256;

struct PlanBuffer {
  std::string Name; ///< for messages
  uint64_t Size = 0;
  /// Indexes in the launch order: of the node that writes the buffer, and of
  /// the last node that reads it (First if there is none). Both need it.
  uint32_t First = 0;
  uint32_t Last = 0;
  /// Buffers that First reads element by element, each before it writes the
  /// same element of this one: this buffer may have their bytes if one of them
  /// dies there. Indexes into all buffers.
  std::vector<uint32_t> MayReplace;
};

struct MemoryPlan {
  static constexpr uint32_t None = UINT32_MAX;

  struct Place {
    uint64_t Offset = 0;
    /// The buffer that had these bytes until the writing node, or None.
    uint32_t Replaces = None;
  };
  std::vector<Place> Places; ///< of each buffer

  /// Bytes of the pool.
  uint64_t Peak = 0;
  /// Bytes without any sharing.
  uint64_t NaiveSum = 0;
  /// A lower bound of all plans with these replacements: the maximum that one
  /// node needs.
  uint64_t LowerBound = 0;
};

/// Plans the pool. InvalidArgument if a buffer ends before it begins, or
/// replaces one that does not exist; OutOfMemory if the sum of all exceeds 64
/// bits.
Result<MemoryPlan> planMemory(std::span<const PlanBuffer> Buffers);

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_MEMORYPLAN_H
