//===- model.h - an encoder of speech as a graph --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conformer: two convolutions leave every fourth time of a spectrogram,
// blocks of feed-forward layers, attention and convolution follow. Signals of a
// batch have lengths of their own; what is behind a length changes nothing in
// front of it, and rows behind it are 0.
//
//   mel [b, t, 80]  ->  encoded [b, ((t - 1) / 2 + 1 - 1) / 2 + 1, 144]
//
// The graph is written for any element type; weights are rounded to it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_EXAMPLES_GRAPH_ENCODER_MODEL_H
#define KPACK_EXAMPLES_GRAPH_ENCODER_MODEL_H

#include <kpack/JitGraph/Interface.h>
#include <kpack/JitGraph/Layers.h>

#include <cmath>
#include <random>

namespace encoder {

namespace jit = kpack::jit;

template <class P> struct Encoder {
  jit::In<P, float> mel{};
  jit::In<P, std::int32_t> lengths{}; ///< of mel, 1 to t
  jit::Out<P, float> encoded{};
  jit::Var<P, 1, 8> b{};
  jit::Var<P, 1, 1500> t{};
};

struct Linear {
  int64_t From, To;
  std::vector<float> Matrix, Bias; ///< [From, To], [To]
};
struct Norm {
  std::vector<float> Gamma, Beta;
};
struct Block {
  Norm Norms[6]; ///< before each part, in the convolution, at the end
  Linear First[2], Attention[2], Conv[2], Last[2];
  Linear Depthwise;         ///< [Window, D]
  std::vector<float> Table; ///< [Heads, 2 * Longest - 1]
};

/// Numbers from a seed in the place of a trained model's.
struct Model {
  int64_t Mel = 80, D = 144, Heads = 4, Window = 31, Longest = 375;
  Linear Subsample[2]; ///< [3 * Mel, D], [3 * D, D]
  std::vector<Block> Blocks;

  Model() { fill(2); }
  Model(int64_t Mel, int64_t D, int64_t Heads, int64_t Window, size_t Count)
      : Mel(Mel), D(D), Heads(Heads), Window(Window) {
    fill(Count);
  }

private:
  void fill(size_t Count) {
    std::mt19937 Random(1);
    auto Numbers = [&](int64_t N, float Center, float Most) {
      std::vector<float> Values;
      for (int64_t I = 0; I < N; ++I)
        Values.push_back(
            Center + Most * (static_cast<float>(Random() >> 8) * 0x1p-23F - 1));
      return Values;
    };
    auto Make = [&](int64_t Inputs, int64_t Outputs) {
      float Most = std::sqrt(3 / static_cast<float>(Inputs));
      return Linear{Inputs, Outputs, Numbers(Inputs * Outputs, 0, Most),
                    Numbers(Outputs, 0, 0.1F)};
    };
    Subsample[0] = Make(3 * Mel, D);
    Subsample[1] = Make(3 * D, D);
    for (size_t I = 0; I < Count; ++I) {
      Block B;
      for (Norm &N : B.Norms)
        N = {Numbers(D, 1, 0.1F), Numbers(D, 0, 0.1F)};
      for (Linear *Two : {B.First, B.Last}) {
        Two[0] = Make(D, 4 * D);
        Two[1] = Make(4 * D, D);
      }
      B.Attention[0] = Make(D, 3 * D);
      B.Attention[1] = Make(D, D);
      B.Conv[0] = Make(D, 2 * D);
      B.Conv[1] = Make(D, D);
      B.Depthwise = Make(Window, D);
      B.Table = Numbers(Heads * (2 * Longest - 1), 0, 0.5F);
      Blocks.push_back(std::move(B));
    }
  }
};

} // namespace encoder

#endif // KPACK_EXAMPLES_GRAPH_ENCODER_MODEL_H
