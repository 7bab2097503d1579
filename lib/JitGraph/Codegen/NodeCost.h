//===- NodeCost.h - bytes and operations of a kernel ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel at least moves and computes, as formulas of the call's sizes: a
// profile then says how far from that a processor is. It is the need of the
// result, not what the kernel does: an element that is read twice, or computed
// again for another element, counts once.
//
//   softmax of [b, n]   bytes 8*b*n (read, written)   flops 5*b*n
//
// Which part of a node is needed is followed from the result to what it is made
// of: a slice needs that part, a window of 3 overlaps with the next one.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_CODEGEN_NODECOST_H
#define KPACK_LIB_JITGRAPH_CODEGEN_NODECOST_H

#include "KernelText.h"

namespace kpack::jit {

struct NodeCost {
  /// Invalid where 64 bits do not hold them.
  Dim Bytes, Flops;
};

NodeCost costOf(const KernelRequest &R);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_CODEGEN_NODECOST_H
