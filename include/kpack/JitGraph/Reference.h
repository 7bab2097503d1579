//===- JitGraph/Reference.h - reference results of a graph ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of each operation in the simplest form: one node and one element
// after another, in double. Results of float are not rounded, those of float16
// and bfloat16 after each operation; integers wrap around (64-bit integers
// above 2^53 are not exact). Tests compare kernels with this.
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

/// Returns \p Value rounded to an element of \p Type: nearest even for floats
/// of 16 bits, modulo 2^n for integers, 0 or 1 for bool.
double roundedTo(ElementType Type, double Value);

/// Computes the outputs of \p Graph, in their order. Errors: the graph's
/// status, a user's kernel without a reference (CustomKernel.h), values outside
/// of their bounds or refused by a guard, inputs of other shapes than the graph
/// has at these values.
Result<std::vector<ReferenceTensor>>
evaluate(const OpGraph &Graph, std::span<const int64_t> Variables,
         std::span<const ReferenceTensor> Inputs);

/// The same for every node.
Result<std::vector<ReferenceTensor>>
evaluateNodes(const OpGraph &Graph, std::span<const int64_t> Variables,
              std::span<const ReferenceTensor> Inputs);

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_REFERENCE_H
