//===- Fusion.h - choice of operations that share a kernel ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel writes one buffer; everything on the way to it is either read from
// other buffers or computed in the kernel. So fusion is the choice of the
// stored nodes:
//
//   1. A view is not stored, its readers compute other indices, unless it is an
//      output, an operand of a user's kernel, an operand that a contraction
//      cannot read by strides, or a Pad or Concat that would be written more
//      than MostVariants times into a kernel.
//   2. An element-wise operation is computed by its reader, if that is one
//      kernel that reads each element once, or if it costs next to nothing; not
//      if it would be written more than MostVariants times into a kernel.
//   3. A reduction is computed by its reader if that is one kernel, without a
//      contraction, that reads each element in one row only, and not under the
//      bounds check of a Pad or Concat: softmax and layer_norm are one kernel.
//   4. A contraction computes the element-wise operations on its result, and
//      reads stored tensors.
//   5. Nothing is shared across outputs and user kernels: their buffers are as
//      large as the upper bounds.
//
// The kernels are right for any choice (KernelWriter.h computes anything
// anywhere); a bad choice is only slow.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_CODEGEN_FUSION_H
#define KPACK_LIB_JITGRAPH_CODEGEN_FUSION_H

#include "kpack/JitGraph/OpGraph.h"

namespace kpack::jit {

struct Fusion {
  /// Nodes with a buffer, including inputs and constants that are read.
  std::vector<bool> IsStored;
  /// For a stored node, the contraction that its kernel computes, which may be
  /// the node itself, or OpGraph::None.
  std::vector<uint32_t> ContractOf;
  std::vector<bool> IsLive;
};

Fusion fuse(const OpGraph &Graph, bool Fuse);

bool isSource(OpKind Kind); ///< Input or Constant

/// Returns the first result of the user's kernel that \p Custom, number \p Id,
/// is a result of.
uint32_t firstResult(const OpNode &Custom, uint32_t Id);
int64_t countOfResults(const OpGraph &Graph, const OpNode &Custom);

/// Returns the axes whose extent is not 1.
std::vector<Dim> squeezed(std::span<const Dim> Shape);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_CODEGEN_FUSION_H
