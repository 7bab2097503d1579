//===- model.h - voice activity detection as a graph ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether somebody speaks: of each 30 ms at 16 kHz a probability. What came
// before is kept in three tensors that a call takes and gives: the last 64
// samples, and the two states of an LSTM. Several streams are rows of a batch.
//
//   chunk [s, 480]  context [s, 64]      h, c [s, 128]
//   one after the other: [s, 544]          |
//   4 windows of 160, every 128th: relu    |
//   their mean [s, 128] ---------------- lstm_cell
//                                          |
//                                        linear, sigmoid: probability [s, 1]
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_EXAMPLES_GRAPH_VAD_MODEL_H
#define KPACK_EXAMPLES_GRAPH_VAD_MODEL_H

#include <kpack/JitGraph/Interface.h>
#include <kpack/JitGraph/Layers.h>

#include <cmath>
#include <random>

namespace vad {

namespace jit = kpack::jit;

constexpr int64_t Chunk = 480, Context = 64, Window = 160, Stride = 128;
constexpr int64_t Features = 128, States = 128;

template <class P> struct Vad {
  jit::In<P, float> chunk{}, context{}, h{}, c{};
  jit::Out<P, float> probability{}, context_next{}, h_next{}, c_next{};
  jit::Var<P, 1, 64> streams{};
};

/// Numbers from a seed in the place of a trained model's.
struct Model {
  std::vector<float> Front, FrontBias; ///< [Window, 1, Features], [Features]
  std::vector<float> Gates, GatesBias; ///< [Features + States, 4 * States]
  std::vector<float> Head, HeadBias;   ///< [States, 1]

  explicit Model(uint32_t Seed = 1) {
    std::mt19937 Random(Seed);
    auto Fill = [&](std::vector<float> &Weights, int64_t Inputs,
                    int64_t Results) {
      for (int64_t I = 0; I < Inputs * Results; ++I)
        Weights.push_back((static_cast<float>(Random() >> 8) * 0x1p-23F - 1) *
                          std::sqrt(3 / static_cast<float>(Inputs)));
    };
    Fill(Front, Window, Features);
    Fill(FrontBias, 1, Features);
    Fill(Gates, Features + States, 4 * States);
    Fill(GatesBias, 1, 4 * States);
    Fill(Head, States, 1);
    Fill(HeadBias, 1, 1);
  }
};

inline kpack::Status build(const Model &M, Vad<jit::Trace> &Io) {
  using namespace kpack::jit;
  auto Weights = [&](const std::vector<float> &Numbers,
                     std::vector<int64_t> Shape, const char *Name) {
    return constant(Io.chunk, Numbers, std::move(Shape), Name);
  };
  auto Front = Weights(M.Front, {Window, 1, Features}, "front");
  auto FrontBias = Weights(M.FrontBias, {Features}, "front.bias");
  LinearWeights<float> Gates{
      Weights(M.Gates, {Features + States, 4 * States}, "gates"),
      Weights(M.GatesBias, {4 * States}, "gates.bias")};
  LinearWeights<float> Head{Weights(M.Head, {States, 1}, "head"),
                            Weights(M.HeadBias, {1}, "head.bias")};

  Tensor<float> Samples = cat({Io.context, Io.chunk}, 1);
  Tensor<float> Frames =
      conv1d(reshape(Samples, {Io.streams, Context + Chunk, 1}), Front,
             FrontBias, {.stride = Stride, .layout = ConvLayout::ChannelsLast});
  LstmCell<float> Next =
      lstm_cell(mean(relu(Frames), 1), LstmCell<float>{Io.h, Io.c}, Gates);
  Io.probability = sigmoid(linear(Next.h, Head));
  Io.context_next = slice(Io.chunk, 1, Chunk - Context, Context);
  Io.h_next = Next.h;
  Io.c_next = Next.c;
  return kpack::Status::success();
}

} // namespace vad

#endif // KPACK_EXAMPLES_GRAPH_VAD_MODEL_H
