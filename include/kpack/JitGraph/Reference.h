//===- kpack/JitGraph/Reference.h - a graph, computed slowly ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each operation means, in the plainest way: a node after another, an
// element after another, in double. Results of float are not rounded, those of
// float16 and bfloat16 are after each operation, integers wrap around (those of
// 64 bits above 2^53 are not exact). Kernels are compared with this in tests.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_REFERENCE_H
#define KPACK_JITGRAPH_REFERENCE_H

#include "kpack/JitGraph/OpGraph.h"

namespace kpack::jit {

struct ReferenceTensor {
  ElementType Type = ElementType::Float32;
  std::vector<int64_t> Shape;
  std::vector<double> Elements; ///< the last axis' lie side by side
};

/// \p Value as an element of \p Type can be: nearest even for floats of 16
/// bits, modulo 2^n for integers, 0 or 1 for bool.
double roundedTo(ElementType Type, double Value);

/// The outputs of \p Graph, in their order. Errors: the graph's own status,
/// a kernel of the user's own that has no reference (CustomKernel.h), values
/// that are not within their bounds or that a guard does not let
/// through, inputs of other shapes than the graph has at these values.
Result<std::vector<ReferenceTensor>>
evaluate(const OpGraph &Graph, std::span<const int64_t> Variables,
         std::span<const ReferenceTensor> Inputs);

/// The same of every node.
Result<std::vector<ReferenceTensor>>
evaluateNodes(const OpGraph &Graph, std::span<const int64_t> Variables,
              std::span<const ReferenceTensor> Inputs);

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_REFERENCE_H
