//===- reference.h - the encoder as loops ---------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same model in plain C++, in double, of one signal that is as long as its
// length says: nothing to mask, nothing to broadcast. What the graph's numbers
// are compared with.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_EXAMPLES_GRAPH_ENCODER_REFERENCE_H
#define KPACK_EXAMPLES_GRAPH_ENCODER_REFERENCE_H

#include "model.h"

#include <algorithm>

namespace encoder {

using Row = std::vector<double>;
using Rows = std::vector<Row>; ///< one for each time

inline double computeSigmoid(double X) { return 1 / (1 + std::exp(-X)); }
inline double computeSilu(double X) { return X * computeSigmoid(X); }

inline Row times(const Row &X, const Linear &L) {
  Row Y(L.Bias.begin(), L.Bias.end());
  for (size_t K = 0; K < X.size(); ++K)
    for (size_t J = 0; J < Y.size(); ++J)
      Y[J] += X[K] * double{L.Matrix[K * Y.size() + J]};
  return Y;
}

inline Rows times(Rows X, const Linear &L) {
  for (Row &R : X)
    R = times(R, L);
  return X;
}

inline Rows normed(Rows X, const Norm &N) {
  for (Row &R : X) {
    auto Count = static_cast<double>(R.size());
    double Mean = 0, Variance = 0;
    for (double V : R)
      Mean += V / Count;
    for (double V : R)
      Variance += (V - Mean) * (V - Mean) / Count;
    for (size_t J = 0; J < R.size(); ++J)
      R[J] = (R[J] - Mean) / std::sqrt(Variance + 1e-5) * double{N.Gamma[J]} +
             double{N.Beta[J]};
  }
  return X;
}

inline void activate(Rows &X) {
  for (Row &R : X)
    for (double &V : R)
      V = computeSilu(V);
}

inline void add(Rows &Target, const Rows &X, double Factor) {
  for (size_t I = 0; I < Target.size(); ++I)
    for (size_t J = 0; J < Target[I].size(); ++J)
      Target[I][J] += Factor * X[I][J];
}

inline Rows halved(const Rows &X, const Linear &L) {
  Rows Y;
  for (size_t I = 0; I < X.size(); I += 2) {
    Row Three;
    for (size_t S = 0; S < 3; ++S) {
      bool IsInside = I + S >= 1 && I + S - 1 < X.size();
      Row R = IsInside ? X[I + S - 1] : Row(X[0].size());
      Three.insert(Three.end(), R.begin(), R.end());
    }
    Y.push_back(times(Three, L));
  }
  activate(Y);
  return Y;
}

inline Rows feedForward(const Rows &X, const Linear *Two) {
  Rows Y = times(X, Two[0]);
  activate(Y);
  return times(Y, Two[1]);
}

inline Rows attended(const Model &M, const Rows &X, const Block &B) {
  Rows Qkv = times(X, B.Attention[0]), Y(X.size(), Row(X[0].size()));
  auto Heads = static_cast<size_t>(M.Heads), D = X[0].size();
  size_t Width = D / Heads, Longest = static_cast<size_t>(M.Longest);
  for (size_t H = 0; H < Heads; ++H)
    for (size_t I = 0; I < X.size(); ++I) {
      Row Weights;
      double Sum = 0;
      for (size_t J = 0; J < X.size(); ++J) {
        double Score = 0;
        for (size_t K = H * Width; K < (H + 1) * Width; ++K)
          Score += Qkv[I][K] * Qkv[J][D + K];
        Score = Score / std::sqrt(static_cast<double>(Width)) +
                double{B.Table[H * (2 * Longest - 1) + Longest - 1 + J - I]};
        Weights.push_back(std::exp(Score));
        Sum += Weights.back();
      }
      for (size_t J = 0; J < X.size(); ++J)
        for (size_t K = H * Width; K < (H + 1) * Width; ++K)
          Y[I][K] += Weights[J] / Sum * Qkv[J][2 * D + K];
    }
  return times(Y, B.Attention[1]);
}

inline Rows convolved(const Rows &X, const Block &B) {
  Rows In = times(X, B.Conv[0]), Y;
  size_t D = X[0].size(), Window = B.Depthwise.Matrix.size() / D;
  for (size_t I = 0; I < X.size(); ++I) {
    Row R(B.Depthwise.Bias.begin(), B.Depthwise.Bias.end());
    for (size_t S = 0; S < Window; ++S)
      if (size_t Index = I + S - Window / 2; Index < X.size())
        for (size_t J = 0; J < D; ++J)
          R[J] += In[Index][J] * computeSigmoid(In[Index][D + J]) *
                  double{B.Depthwise.Matrix[S * D + J]};
    Y.push_back(R);
  }
  Y = normed(Y, B.Norms[4]);
  activate(Y);
  return times(Y, B.Conv[1]);
}

inline Rows encode(const Model &M, Rows X) {
  X = halved(halved(X, M.Subsample[0]), M.Subsample[1]);
  for (const Block &B : M.Blocks) {
    add(X, feedForward(normed(X, B.Norms[0]), B.First), 0.5);
    add(X, attended(M, normed(X, B.Norms[1]), B), 1);
    add(X, convolved(normed(X, B.Norms[2]), B), 1);
    add(X, feedForward(normed(X, B.Norms[3]), B.Last), 0.5);
    X = normed(X, B.Norms[5]);
  }
  return X;
}

} // namespace encoder

#endif // KPACK_EXAMPLES_GRAPH_ENCODER_REFERENCE_H
