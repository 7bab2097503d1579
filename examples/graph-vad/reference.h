//===- reference.h - voice activity detection as loops --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same model in plain C++, one stream, in double: what the graph's numbers
// are compared with.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_EXAMPLES_GRAPH_VAD_REFERENCE_H
#define KPACK_EXAMPLES_GRAPH_VAD_REFERENCE_H

#include "model.h"

#include <algorithm>
#include <span>

namespace vad {

inline double computeSigmoid(double X) { return 1 / (1 + std::exp(-X)); }

class Stream {
public:
  explicit Stream(const Model &M) : M(M) {}

  /// The probability that somebody speaks in these Chunk samples.
  double step(std::span<const float> Samples) {
    std::vector<double> Signal = Last;
    Signal.insert(Signal.end(), Samples.begin(), Samples.end());
    Last.assign(Signal.end() - Context, Signal.end());
    std::vector<double> X = front(Signal);
    X.insert(X.end(), H.begin(), H.end());

    std::vector<double> Gate(M.GatesBias.begin(), M.GatesBias.end());
    for (size_t K = 0; K < X.size(); ++K)
      for (size_t J = 0; J < Gate.size(); ++J)
        Gate[J] += X[K] * double{M.Gates[K * Gate.size() + J]};
    double Sum = double{M.HeadBias[0]};
    for (size_t J = 0; J < States; ++J) {
      C[J] = computeSigmoid(Gate[J + States]) * C[J] +
             computeSigmoid(Gate[J]) * std::tanh(Gate[J + 2 * States]);
      H[J] = computeSigmoid(Gate[J + 3 * States]) * std::tanh(C[J]);
      Sum += H[J] * double{M.Head[J]};
    }
    return computeSigmoid(Sum);
  }

  std::vector<double> Last = std::vector<double>(Context);
  std::vector<double> H = std::vector<double>(States);
  std::vector<double> C = std::vector<double>(States);

private:
  std::vector<double> front(const std::vector<double> &Signal) const {
    constexpr size_t Frames = (Context + Chunk - Window) / Stride + 1;
    std::vector<double> Mean(Features);
    for (size_t I = 0; I < Frames; ++I)
      for (size_t J = 0; J < Features; ++J) {
        double Sum = double{M.FrontBias[J]};
        for (size_t K = 0; K < Window; ++K)
          Sum += Signal[I * Stride + K] * double{M.Front[K * Features + J]};
        Mean[J] += std::max(Sum, 0.0) / double{Frames};
      }
    return Mean;
  }

  const Model &M;
};

} // namespace vad

#endif // KPACK_EXAMPLES_GRAPH_VAD_REFERENCE_H
