//===- JitGraph/Codegen/Lower.h - kernels of operations ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From what is to be computed (OpGraph.h) to kernels, their buffers and their
// order (GraphPlan.h). Nothing is compiled or allocated here, and the same
// graph gives the same text.
//
//   fuse   which operations share a kernel   Fusion.h
//   write  the text of each kernel           KernelWriter.h
//   plan   buffers that share memory         MemoryPlan.h
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_CODEGEN_LOWER_H
#define KPACK_JITGRAPH_CODEGEN_LOWER_H

#include "kpack/JitGraph/GraphPlan.h"

namespace kpack::jit {

struct LowerOptions {
  GraphTarget Target = GraphTarget::Cpu;
  /// Off: a kernel for each operation that is no view. For tests, and to find
  /// out which operation goes wrong.
  bool Fuse = true;
  /// Of GPU kernels: see GraphPlan.h.
  bool SizesInMemory = false;
};

/// \p Graph has outputs and no mistake. Errors: OutOfMemory, the buffers at the
/// upper bounds are more than 64 bits can say.
Result<GraphPlan> lower(OpGraph Graph, const LowerOptions &How = {});

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_CODEGEN_LOWER_H
