//===- build.h - the encoder's operations ---------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is computed in T: build<float>, or build<float16>, with float at both
// ends.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_EXAMPLES_GRAPH_ENCODER_BUILD_H
#define KPACK_EXAMPLES_GRAPH_ENCODER_BUILD_H

#include "model.h"

namespace encoder {

template <class T> class Builder {
public:
  Builder(const Model &M, Encoder<jit::Trace> &Io) : M(M), Io(Io) {}

  kpack::Status run() {
    using namespace kpack::jit;
    Tensor<T> X = cast<T>(Io.mel);
    Tensor<int32_t> Lengths = Io.lengths;
    for (const Linear &L : M.Subsample) {
      X = silu(halved(masked(X, Lengths), L));
      // Of whole numbers below 2^24 floats are exact.
      Lengths = cast<int32_t>(cast<float>(Lengths + 1) * 0.5F);
    }
    for (const Block &B : M.Blocks)
      X = block(X, B, Lengths);
    Io.encoded = cast<float>(masked(X, Lengths));
    return kpack::Status::success();
  }

private:
  template <class U> using Tensor = jit::Tensor<U>;

  Tensor<T> numbers(const std::vector<float> &Values,
                    std::vector<int64_t> Shape) {
    return jit::constant_as<T>(Io.mel, Values, std::move(Shape));
  }
  jit::LinearWeights<T> weights(const Linear &L) {
    return {numbers(L.Matrix, {L.From, L.To}), numbers(L.Bias, {L.To})};
  }
  Tensor<T> normed(const Tensor<T> &X, const Norm &N) {
    return layer_norm(X, numbers(N.Gamma, {M.D}), numbers(N.Beta, {M.D}));
  }

  /// 0 behind the lengths.
  Tensor<T> masked(const Tensor<T> &X, const Tensor<int32_t> &Lengths) {
    jit::Dim Times = extent(X, 1);
    Tensor<bool> IsWithin = within_lengths(Lengths, Times);
    return where(reshape(IsWithin, {Io.b, Times, 1}), X, 0);
  }

  /// A window of three for every second time.
  Tensor<T> halved(const Tensor<T> &X, const Linear &L) {
    return conv1d(
        X, numbers(L.Matrix, {3, L.From / 3, L.To}), numbers(L.Bias, {L.To}),
        {.stride = 2, .padding = 1, .layout = jit::ConvLayout::ChannelsLast});
  }

  Tensor<T> block(Tensor<T> X, const Block &B, const Tensor<int32_t> &Lengths) {
    auto Two = [&](const Linear *L) {
      return jit::FeedForwardWeights<T>{weights(L[0]), weights(L[1])};
    };
    X = X + feed_forward(normed(X, B.Norms[0]), Two(B.First)) * 0.5F;

    // The middle of the table: as many positions as there can be.
    jit::Dim Times = extent(X, 1);
    int64_t Most = Times.valid() ? Times.hi() : 1;
    Tensor<T> Table = slice(numbers(B.Table, {M.Heads, 2 * M.Longest - 1}), 1,
                            M.Longest - Most, 2 * Most - 1);
    X = X +
        multi_head_attention(normed(X, B.Norms[1]),
                             jit::AttentionWeights<T>{weights(B.Attention[0]),
                                                      weights(B.Attention[1])},
                             M.Heads,
                             jit::AttentionOptions<T>{
                                 .lengths = Lengths,
                                 .bias = relative_bias(Table, Times, Times)});

    jit::ConformerConvWeights<T> Conv{
        .in = weights(B.Conv[0]),
        .depthwise = numbers(B.Depthwise.Matrix, {M.Window, 1, M.D}),
        .depthwise_bias = numbers(B.Depthwise.Bias, {M.D}),
        .gamma = numbers(B.Norms[4].Gamma, {M.D}),
        .beta = numbers(B.Norms[4].Beta, {M.D}),
        .out = weights(B.Conv[1])};
    X = X + conformer_conv(normed(X, B.Norms[2]), Conv, Lengths);
    X = X + feed_forward(normed(X, B.Norms[3]), Two(B.Last)) * 0.5F;
    return normed(X, B.Norms[5]);
  }

  const Model &M;
  Encoder<jit::Trace> &Io;
};

template <class T = float>
kpack::Status build(const Model &M, Encoder<jit::Trace> &Io) {
  return Builder<T>(M, Io).run();
}

} // namespace encoder

#endif // KPACK_EXAMPLES_GRAPH_ENCODER_BUILD_H
