//===- ReplayCompare.h - a graph's results against reference ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes a graph with numbers from a seed and compares all outputs with what
// Reference.h computes. Bytes behind the extents of a call keep a canary.
//
// Tolerance: sums are of float, so a result may be off by 2e-4 of what it is or
// of 1; where a value has 16 bits on the way to it, by 2e-2.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_JITGRAPH_REPLAYCOMPARE_H
#define KPACK_UNITTESTS_JITGRAPH_REPLAYCOMPARE_H

#include "RandomGraph.h"

#include "JitGraph/Codegen/LowerGraph.h"
#include "kpack/JitGraph/Replay.h"

namespace kpack::jit {

/// With a cache of the tests, on a CPU unless KPACK_JIT_GRAPH_RUN says
/// "launches" or "graph".
PrepareConfig compareConfig(bool Fuse);

Result<std::unique_ptr<Replay>> prepareToCompare(OpGraph Graph, bool Fuse);
Result<std::unique_ptr<Replay>> prepareToCompare(OpGraph Graph, bool Fuse,
                                                 const PrepareConfig &Config);

/// One call; what differs is a failure of the test.
void compareWithReference(Replay &R, std::span<const int64_t> Values,
                          std::span<const ReferenceTensor> Inputs);

/// The same with the reference's outputs, for plans that have them in common.
void compareOutputs(Replay &R, std::span<const int64_t> Values,
                    std::span<const ReferenceTensor> Inputs,
                    std::span<const ReferenceTensor> Expected);

} // namespace kpack::jit

#endif // KPACK_UNITTESTS_JITGRAPH_REPLAYCOMPARE_H
