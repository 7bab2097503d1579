//===- ModelLoops.cpp - example models as hand-written loops --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ModelLoops.h"

#include <algorithm>
#include <cstring>

using namespace kpack::bench;
using encoder::Block;
using encoder::Linear;
using encoder::Norm;

static float computeSigmoid(float X) { return 1 / (1 + std::exp(-X)); }

static void times(const float *X, size_t Rows, const Linear &L, float *Y) {
  auto Inputs = static_cast<size_t>(L.From),
       Outputs = static_cast<size_t>(L.To);
  for (size_t I = 0; I < Rows; ++I) {
    float *Row = Y + I * Outputs;
    std::copy_n(L.Bias.data(), Outputs, Row);
    for (size_t K = 0; K < Inputs; ++K) {
      float Left = X[I * Inputs + K];
      const float *Right = L.Matrix.data() + K * Outputs;
      for (size_t J = 0; J < Outputs; ++J)
        Row[J] += Left * Right[J];
    }
  }
}

static void normalize(const float *X, size_t Rows, const Norm &N, float *Y) {
  size_t D = N.Gamma.size();
  for (size_t I = 0; I < Rows; ++I, X += D, Y += D) {
    float Mean = 0, Variance = 0;
    for (size_t J = 0; J < D; ++J)
      Mean += X[J];
    Mean /= static_cast<float>(D);
    for (size_t J = 0; J < D; ++J)
      Variance += (X[J] - Mean) * (X[J] - Mean);
    float Scale = 1 / std::sqrt(Variance / static_cast<float>(D) + 1e-5F);
    for (size_t J = 0; J < D; ++J)
      Y[J] = (X[J] - Mean) * Scale * N.Gamma[J] + N.Beta[J];
  }
}

static void activate(float *X, size_t Count) {
  for (size_t I = 0; I < Count; ++I)
    X[I] *= computeSigmoid(X[I]);
}

EncoderLoops::EncoderLoops(const encoder::Model &M, size_t Most)
    : M(M), D(static_cast<size_t>(M.D)), X(Most * D), Normed(Most * D),
      Wide(Most * 4 * D), Other(Most * 4 * D), Turned(Most * D), Scores(Most) {}

void EncoderLoops::subsample(const float *Mel, size_t Times) {
  auto Width = static_cast<size_t>(M.Mel);
  const float *Input = Mel;
  for (const Linear &L : M.Subsample) {
    Rows = (Times + 1) / 2;
    for (size_t I = 0; I < Rows; ++I)
      for (size_t S = 0; S < 3; ++S) {
        size_t Frame = 2 * I + S;
        float *Output = Wide.data() + (I * 3 + S) * Width;
        if (Frame >= 1 && Frame - 1 < Times)
          std::copy_n(Input + (Frame - 1) * Width, Width, Output);
        else
          std::fill_n(Output, Width, 0.0F);
      }
    times(Wide.data(), Rows, L, X.data());
    activate(X.data(), Rows * D);
    Input = X.data();
    Times = Rows;
    Width = D;
  }
}

void EncoderLoops::feedForward(const Norm &N, const Linear *Two) {
  normalize(X.data(), Rows, N, Normed.data());
  times(Normed.data(), Rows, Two[0], Wide.data());
  activate(Wide.data(), Rows * 4 * D);
  times(Wide.data(), Rows, Two[1], Normed.data());
  for (size_t I = 0; I < Rows * D; ++I)
    X[I] += 0.5F * Normed[I];
}

void EncoderLoops::attendHead(const Block &B, size_t Head) {
  size_t Width = D / static_cast<size_t>(M.Heads);
  auto Longest = static_cast<size_t>(M.Longest);
  const float *Query = Wide.data() + Head * Width;
  for (size_t J = 0; J < Rows; ++J)
    for (size_t K = 0; K < Width; ++K)
      Turned[K * Rows + J] = Query[J * 3 * D + D + K];
  float Scale = 1 / std::sqrt(static_cast<float>(Width));
  for (size_t I = 0; I < Rows; ++I) {
    std::fill_n(Scores.data(), Rows, 0.0F);
    for (size_t K = 0; K < Width; ++K)
      for (size_t J = 0; J < Rows; ++J)
        Scores[J] += Query[I * 3 * D + K] * Turned[K * Rows + J];
    const float *Table =
        B.Table.data() + Head * (2 * Longest - 1) + Longest - 1 - I;
    float Most = -1e30F, Sum = 0;
    for (size_t J = 0; J < Rows; ++J) {
      Scores[J] = Scores[J] * Scale + Table[J];
      Most = std::max(Most, Scores[J]);
    }
    for (size_t J = 0; J < Rows; ++J)
      Sum += Scores[J] = std::exp(Scores[J] - Most);
    float *Output = Other.data() + I * D + Head * Width;
    std::fill_n(Output, Width, 0.0F);
    for (size_t J = 0; J < Rows; ++J)
      for (size_t K = 0; K < Width; ++K)
        Output[K] += Scores[J] / Sum * Query[J * 3 * D + 2 * D + K];
  }
}

void EncoderLoops::attend(const Block &B) {
  normalize(X.data(), Rows, B.Norms[1], Normed.data());
  times(Normed.data(), Rows, B.Attention[0], Wide.data());
  for (size_t Head = 0; Head < static_cast<size_t>(M.Heads); ++Head)
    attendHead(B, Head);
  times(Other.data(), Rows, B.Attention[1], Normed.data());
  for (size_t I = 0; I < Rows * D; ++I)
    X[I] += Normed[I];
}

void EncoderLoops::convolve(const Block &B) {
  auto Window = static_cast<size_t>(M.Window);
  normalize(X.data(), Rows, B.Norms[2], Normed.data());
  times(Normed.data(), Rows, B.Conv[0], Wide.data());
  for (size_t I = 0; I < Rows; ++I)
    for (size_t J = 0; J < D; ++J)
      Turned[I * D + J] =
          Wide[I * 2 * D + J] * computeSigmoid(Wide[I * 2 * D + D + J]);
  for (size_t I = 0; I < Rows; ++I) {
    float *Output = Other.data() + I * D;
    std::copy_n(B.Depthwise.Bias.data(), D, Output);
    for (size_t S = 0; S < Window; ++S)
      if (size_t Index = I + S - Window / 2; Index < Rows)
        for (size_t J = 0; J < D; ++J)
          Output[J] += Turned[Index * D + J] * B.Depthwise.Matrix[S * D + J];
  }
  normalize(Other.data(), Rows, B.Norms[4], Normed.data());
  activate(Normed.data(), Rows * D);
  times(Normed.data(), Rows, B.Conv[1], Other.data());
  for (size_t I = 0; I < Rows * D; ++I)
    X[I] += Other[I];
}

const float *EncoderLoops::run(const float *Mel, size_t Times) {
  subsample(Mel, Times);
  for (const Block &B : M.Blocks) {
    feedForward(B.Norms[0], B.First);
    attend(B);
    convolve(B);
    feedForward(B.Norms[3], B.Last);
    normalize(X.data(), Rows, B.Norms[5], X.data());
  }
  return X.data();
}

float VadLoops::step(const float *Samples) {
  constexpr size_t Frames =
      (vad::Context + vad::Chunk - vad::Window) / vad::Stride + 1;
  std::copy_n(Samples, vad::Chunk, Signal + vad::Context);
  float Inputs[vad::Features + vad::States] = {};
  for (size_t I = 0; I < Frames; ++I) {
    float Sums[vad::Features];
    std::copy_n(M.FrontBias.data(), vad::Features, Sums);
    for (size_t K = 0; K < vad::Window; ++K)
      for (size_t J = 0; J < vad::Features; ++J)
        Sums[J] += Signal[I * vad::Stride + K] * M.Front[K * vad::Features + J];
    for (size_t J = 0; J < vad::Features; ++J)
      Inputs[J] += std::max(Sums[J], 0.0F) / static_cast<float>(Frames);
  }
  std::copy_n(H, vad::States, Inputs + vad::Features);
  float Gate[4 * vad::States];
  std::copy_n(M.GatesBias.data(), 4 * vad::States, Gate);
  for (size_t K = 0; K < vad::Features + vad::States; ++K)
    for (size_t J = 0; J < 4 * vad::States; ++J)
      Gate[J] += Inputs[K] * M.Gates[K * 4 * vad::States + J];
  float Sum = M.HeadBias[0];
  for (size_t J = 0; J < vad::States; ++J) {
    C[J] = computeSigmoid(Gate[J + vad::States]) * C[J] +
           computeSigmoid(Gate[J]) * std::tanh(Gate[J + 2 * vad::States]);
    H[J] = computeSigmoid(Gate[J + 3 * vad::States]) * std::tanh(C[J]);
    Sum += H[J] * M.Head[J];
  }
  std::copy_n(Samples + vad::Chunk - vad::Context, vad::Context, Signal);
  return computeSigmoid(Sum);
}
