//===- Codegen/LowerGraph.h - lowering of operations to kernels -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns operations (OpGraph.h) into kernels, their buffers and their order
// (GraphPlan.h). Compiles and allocates nothing; equal graphs give equal texts.
//
//   fuse   operations that share a kernel    Fusion.h
//   write  the text of each kernel           KernelWriter.h
//   plan   buffers that share memory         MemoryPlan.h
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_CODEGEN_LOWERGRAPH_H
#define KPACK_JITGRAPH_CODEGEN_LOWERGRAPH_H

#include "kpack/JitGraph/GraphPlan.h"

namespace kpack::jit {

struct LowerOptions {
  GraphTarget Target = GraphTarget::Cpu;
  /// If false, each operation that is no view is a kernel. For tests, and to
  /// find a wrong operation.
  bool Fuse = true;
  /// For GPU kernels: see GraphPlan.h.
  bool SizesInMemory = false;
};

/// \p Graph has outputs and no mistake. Fails with OutOfMemory if the size of
/// the buffers at the upper bounds exceeds 64 bits.
Result<GraphPlan> lower(OpGraph Graph, const LowerOptions &Options = {});

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_CODEGEN_LOWERGRAPH_H
