//===- ModelLoops.h - example models as hand-written loops ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What somebody writes who has no graph: float, one thread, memory that is
// allocated before, inner loops over elements that lie side by side. Compiled
// with the flags that kernels of graphs have (-O3 -march=native).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_BENCHMARKS_GRAPH_MODELLOOPS_H
#define KPACK_BENCHMARKS_GRAPH_MODELLOOPS_H

#include "graph-encoder/model.h"
#include "graph-vad/model.h"

#include <vector>

namespace kpack::bench {

/// One signal at a time; \p Most is the longest.
class EncoderLoops {
public:
  EncoderLoops(const encoder::Model &M, size_t Most);
  /// [Times, Mel] to rows of M.D, which stay until the next call.
  const float *run(const float *Mel, size_t Times);

private:
  void subsample(const float *Mel, size_t Times);
  void feedForward(const encoder::Norm &N, const encoder::Linear *Two);
  void attend(const encoder::Block &B);
  void attendHead(const encoder::Block &B, size_t Head);
  void convolve(const encoder::Block &B);

  const encoder::Model &M;
  size_t D, Rows = 0;
  std::vector<float> X, Normed, Wide, Other, Turned, Scores;
};

/// A stream of chunks with its state.
class VadLoops {
public:
  explicit VadLoops(const vad::Model &M) : M(M) {}
  float step(const float *Samples);

private:
  const vad::Model &M;
  float Signal[vad::Context + vad::Chunk] = {};
  float H[vad::States] = {}, C[vad::States] = {};
};

} // namespace kpack::bench

#endif // KPACK_BENCHMARKS_GRAPH_MODELLOOPS_H
