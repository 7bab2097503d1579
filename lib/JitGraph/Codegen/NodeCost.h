//===- NodeCost.h - bytes and operations of a kernel ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The least that a kernel moves and computes, as formulas of the call's sizes,
// so that a profile can compare it with the processor's limits. It is the need
// of the result, not the kernel's work: an element that is read twice, or
// computed again for another element, counts once.
//
//   softmax of [b, n]   bytes 8*b*n (read, written)   flops 5*b*n
//
// The needed parts of nodes are derived from the result: a slice needs only its
// part, a window of 3 overlaps with the next one. Some counts are only limits,
// at most the whole node: parts that overlap are added up, many parts and parts
// of axes that a reshape joins count as the whole, and windows with gaps may
// count each operand of a concatenation in full.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_CODEGEN_NODECOST_H
#define KPACK_LIB_JITGRAPH_CODEGEN_NODECOST_H

#include "KernelText.h"

namespace kpack::jit {

struct NodeCost {
  /// Invalid if they exceed 64 bits.
  Dim Bytes, Flops;
};

NodeCost computeCost(const KernelRequest &R);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_CODEGEN_NODECOST_H
