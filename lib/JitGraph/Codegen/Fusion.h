//===- Fusion.h - choice of operations that share a kernel ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stored node has a buffer: an input, a constant, or a node that a kernel
// writes. Any other node is computed in the kernels that read it, directly or
// through other such nodes; these are "its kernels" below. So fusion is the
// choice of the stored nodes. Storing costs a launch and memory traffic.
// Without it, each kernel computes the node again, perhaps several times for
// one element. A row of a kernel is the last axis of its result whose extent is
// not 1.
//
// Nodes are decided from the last to the first, so a node's kernels are known
// when it is decided. The first rule that applies decides:
//
//   1. Inputs and constants have buffers already. An output is stored, and so
//      are the operands and results of a user's kernel, even views: the caller
//      and that kernel get pointers to row-major buffers.
//   2. The loops of a contraction read operands from buffers, by strides. Of
//      the operand, its views and the node below them, the innermost one is
//      stored from which strides can express the operand. The last axis of the
//      second operand needs the stride 1 on all targets, since loops on a CPU
//      have no other. So a transposed weight is stored (LowerGraph computes it
//      once, before all calls), but not repeated for a batch.
//   3. Other views, Full and Iota are not stored: a reader computes another
//      index, a bounds check, or a value. A Pad or Concat is stored if it has
//      more than 8 variants (MostVariants), for the length of the text.
//   4. If Fuse is false, all other nodes are stored.
//   5. A contraction is computed in its kernel if it has only one, and that
//      kernel has no reduction and no other contraction, and its result has the
//      contraction's shape, and that result and all nodes on the way to it are
//      element-wise. The loops are then those of the contraction: they visit
//      each element of its result once, and not row by row. Otherwise it is
//      stored.
//   6. A reduction is computed in its kernel if it has only one, which computes
//      each of its results once; a repetition would be a loop. It is stored if
//      it has several kernels, or
//      - the kernel has a contraction, and thus no loop over rows;
//      - a Window, or an Expand of an axis other than the last, is between the
//        two, which repeats its results in other rows;
//      - a Pad or Concat is between the two: code under a bounds check is run
//        again for each element of a row;
//      - its index changes in the loop of another reduction;
//      - its index changes in a row of the kernel's result, unless both have
//        the same shape except for extents of 1.
//      The kernel's result counts as between, too.
//   7. An element-wise operation is computed in all its kernels if it is cheap:
//      its expression costs at most 4 (CheapFlops), down to inputs and
//      constants, even through stored nodes, where a node that is used twice
//      counts twice. Exp, Log, Sqrt, Rsqrt and Div cost 8, other element-wise
//      operations 1, views 0; an expression with a reduction, a contraction or
//      a user's kernel is never cheap. Any other operation is computed in its
//      kernel if it has only one, and no Window or Expand as in rule 6 is
//      between the two, even if several loops of the kernel compute it: to
//      compute it again costs less than a launch and a buffer. It is stored if
//      not, and always if it has more than 8 variants.
//
// The variants of a node are the different indices with which it is read. Each
// view that reads it adds its variants, in all kernels together; of the other
// readers, only the one with the most does. A stored reader has one.
//
// Rules 5 and 6 exclude each other in a kernel. If it could have a contraction
// or a reduction, it has the later node, which is decided first.
//
// With y = relu(a * b + bias), where * is a contraction:
//
//   outputs                 stored, besides inputs and constants
//   -------                 ------------------------------------
//   softmax(x), last axis   the result; the rest is in its kernel (6, 7)
//   softmax(x), other axis  the maximum and the sum, which are repeated in
//                           other rows (6), exp, which two kernels read (7),
//                           and the result
//   y                       y, with the contraction in its kernel (5)
//   y - max(y), last axis   the result, whose kernel has a reduction (6), and
//                           therefore a * b (5), but not y (7)
//   y, y - max(y)           both, with the contraction in the kernel of y
//   exp(p), sum(p) of       both, v if it costs more than 4 (7), but not p (3)
//     p = pad(v)
//   user(transpose(v))      the user's result and the transposed tensor (1),
//                           whose kernel computes v if v is element-wise (7)
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
  /// Nodes that an output depends on. Results of a user's kernel are all live,
  /// or none.
  std::vector<bool> IsLive;
};

/// Chooses the stored nodes. \p Fuse selects whether operations share kernels.
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
