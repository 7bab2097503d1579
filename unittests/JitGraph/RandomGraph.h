//===- RandomGraph.h - random graphs from a seed ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs of all kinds of operations, with sizes fixed and not, for tests that
// compute one graph in several ways and compare. So that a difference is a
// mistake and no rounding: numbers stay below 8 or are brought there, divisors
// and what goes into logarithms and roots are 0.5 or more, and what would jump
// (comparisons, argmax, casts to integers) is only done to numbers that are
// exact in every type. No size is ever 0.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_JITGRAPH_RANDOMGRAPH_H
#define KPACK_UNITTESTS_JITGRAPH_RANDOMGRAPH_H

#include "kpack/JitGraph/Reference.h"

namespace kpack::jit {

/// Numbers from -2 to 2 that every type of 16 bits has, too; for integers whole
/// ones from -4 to 4, for uint8_t and bool from 0.
ReferenceTensor numbers(ElementType Type, std::vector<int64_t> Shape,
                        uint32_t Seed);

/// The same graph for the same seed, of 5 nodes or more, seldom above 50.
OpGraph randomGraph(uint32_t Seed);

/// The graphs of \p Count seeds side by side in one, from \p First on. They
/// share nothing, and names of inputs, outputs and variables end with the seed.
OpGraph randomGraphs(uint32_t First, uint32_t Count);

/// Values for its variables: all at their lower bound, at their upper bound, or
/// anywhere, by the seed.
std::vector<int64_t> randomVariables(const OpGraph &Graph, uint32_t Seed);

/// Inputs for these values, as numbers() has them. Of one in four no number is
/// above 0, so that a maximum is not.
std::vector<ReferenceTensor> randomInputs(const OpGraph &Graph,
                                          std::span<const int64_t> Variables,
                                          uint32_t Seed);

} // namespace kpack::jit

#endif // KPACK_UNITTESTS_JITGRAPH_RANDOMGRAPH_H
