//===- attention.h - kernel template that is slow to compile ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with a policy for everything, its launch, and the function template
// of which each blob defines one specialisation.
#pragma once
#include "tensor.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace tile {

struct stream_config {
  hipStream_t Stream = nullptr;
};
struct attention_args {
  const float *Q, *K, *V, *Bias;
  float *Out;
  int Length, Stride;
};

struct no_mask {
  static TILE_DEVICE float apply(float X, int, int) { return X; }
};
struct causal_mask {
  static TILE_DEVICE float apply(float X, int Row, int Column) {
    return Column > Row ? -1e30f : X;
  }
};
template <int Window> struct window_mask {
  static TILE_DEVICE float apply(float X, int Row, int Column) {
    return Column > Row + Window || Column < Row - Window ? -1e30f : X;
  }
};

template <int M_, int N_, int K_, int Pad_, int Mask_> struct problem {
  static constexpr int M = M_, N = N_, K = K_;
  using left_layout = padded<swizzle<embed<sequence<M, K>>, Mask_>, Pad_>;
  using right_layout = padded<swizzle<embed<sequence<K, N>>, Mask_>, Pad_>;
  using sum_layout = padded<embed<sequence<M, N>>, Pad_>;
  using left = register_tile<float, sequence<M, K>, left_layout>;
  using right = register_tile<float, sequence<K, N>, right_layout>;
  using sum = register_tile<float, sequence<M, N>, sum_layout>;
};

template <class Problem, class Mask, bool HasBias> struct attention_pipeline {
  TILE_DEVICE void operator()(const attention_args &A, int Lane) const {
    typename Problem::left Q;
    typename Problem::right K, V;
    typename Problem::sum Scores, Out;
    load(Q, A.Q, Lane);
    static_for<Problem::sum::size>([&](auto I) { Out.at(I) = 0; });
    for (int Block = 0; Block < A.Length; Block += Problem::N) {
      load(K, A.K + Block * A.Stride, Lane);
      load(V, A.V + Block * A.Stride, Lane);
      static_for<Problem::sum::size>([&](auto I) { Scores.at(I) = 0; });
      multiply<Problem::M, Problem::N, Problem::K>(Q, K, Scores);
      static_for<Problem::sum::size>([&](auto I) {
        constexpr int E = decltype(I)::value;
        float X = Mask::apply(Scores.at(I), Lane + E / Problem::N,
                              Block + E % Problem::N);
        if constexpr (HasBias)
          X += A.Bias[Block + E];
        Scores.at(I) = __builtin_amdgcn_rcpf(X);
      });
      __builtin_amdgcn_s_barrier();
      multiply<Problem::M, Problem::N, Problem::K>(Scores, V, Out);
    }
    store(Out, A.Out, Lane);
  }
};

template <class Pipeline_> struct attention_kernel {
  using Pipeline = Pipeline_;
  static constexpr int kBlockSize = 256;
  TILE_DEVICE void operator()(attention_args A) const {
    Pipeline{}(A, static_cast<int>(__builtin_amdgcn_workitem_id_x() +
                                   256 * __builtin_amdgcn_workgroup_id_x()));
  }
};

template <int MaxThreads, int MinBlocks, class Kernel, class... Args>
__launch_bounds__(MaxThreads, MinBlocks) __global__
    void kernel_entry(Args... A) {
  Kernel{}(A...);
}

template <int MaxThreads, int MinBlocks, class Kernel, class... Args>
float launch(const stream_config &S, Kernel, dim3 Grid, Args... A) {
  const auto Entry = kernel_entry<MaxThreads, MinBlocks, Kernel, Args...>;
  Entry<<<Grid, dim3(MaxThreads), 0, S.Stream>>>(A...);
  return 0;
}

} // namespace tile

template <int Head, class Mask, bool HasBias, int Pad>
struct attention_traits {};
template <class Traits>
float attention(const tile::stream_config &, tile::attention_args);
