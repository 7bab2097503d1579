//===- main.cpp - a graph of one's own kernels ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kernels of HIP, and nothing else, as a graph: rows are divided by their
// size, then smoothed over time. It is prepared once, for any number of rows up
// to 300, on this processor or on a GPU; what comes out is compared with loops.
//
//   graph-custom [cpu|launches|graph]     by default cpu
//===----------------------------------------------------------------------===//
#include <kpack/JitGraph/CustomKernel.h>
#include <kpack/JitGraph/Graph.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace kpack::jit;

namespace {

constexpr int64_t Columns = 48, Most = 300;

/// A block is a row. Where blocks have no shared memory a loop adds up.
const Source Normalize{.text = R"(
template <int Threads>
__global__ void normalize(float *y, float *sizes, const float *x, int columns,
                          float epsilon) {
  x += (long long)blockIdx.x * columns;
  y += (long long)blockIdx.x * columns;
  float sum = 0;
#ifdef KPACK_JIT_CPU
  for (int i = 0; i < columns; ++i)
    sum += x[i] * x[i];
#else
  __shared__ float parts[Threads];
  for (int i = threadIdx.x; i < columns; i += Threads)
    sum += x[i] * x[i];
  parts[threadIdx.x] = sum;
  for (int half = Threads / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  __syncthreads();
  sum = parts[0];
#endif
  float size = __builtin_sqrtf(sum / columns + epsilon);
  for (int i = threadIdx.x; i < columns; i += Threads)
    y[i] = x[i] / size;
  if (threadIdx.x == 0)
    sizes[blockIdx.x] = size;
}
)",
                       .entry = "normalize<32>"};

/// A thread is an element; rows are neighbours in time.
const Source Smooth{.text = R"(
__global__ void smooth(float *y, const float *x, int rows, int columns,
                       float weight) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows)
    return;
  auto at = [=](int r) {
    r = r < 0 ? 0 : r >= rows ? rows - 1 : r;
    return x[r * columns + column];
  };
  y[row * columns + column] =
      weight * (at(row - 1) + at(row + 1)) + (1 - 2 * weight) * at(row);
}
)",
                    .entry = "smooth"};

template <class P> struct Signal {
  In<P, float> x{};
  Out<P, float> y{}, sizes{};
  Var<P, 1, Most> t{};
};

void build(const float &Weight, Signal<Trace> &Io) {
  auto [Rows, Sizes] =
      kernel(Normalize, Grid({Io.t}, 32), result<float>({Io.t, Columns}),
             result<float>({Io.t}), Io.x, Columns, 1e-6F);
  Io.y = kernel(Smooth, Grid({Columns / 16, ceilDiv(Io.t, 4)}, {16, 4}),
                result<float>({Io.t, Columns}), Rows, Io.t, Columns, Weight);
  Io.sizes = Sizes;
}

/// The farther of two; one that is no number stays.
float worse(float A, float B) { return B <= A ? A : B; }

/// How far the results are from those of loops.
float difference(const Prepared<Signal> &G, int64_t Rows, float Weight) {
  const float *X = G.io().x.data();
  std::vector<float> Sizes;
  float Worst = 0;
  for (int64_t R = 0; R < Rows; ++R) {
    double Sum = 0;
    for (int64_t C = 0; C < Columns; ++C)
      Sum += double{X[R * Columns + C]} * double{X[R * Columns + C]};
    Sizes.push_back(static_cast<float>(std::sqrt(Sum / Columns + 1e-6)));
    Worst = worse(Worst, std::abs(G.io().sizes(R) - Sizes.back()));
  }
  auto At = [&](int64_t R, int64_t C) {
    R = std::clamp<int64_t>(R, 0, Rows - 1);
    return X[R * Columns + C] / Sizes[static_cast<size_t>(R)];
  };
  for (int64_t R = 0; R < Rows; ++R)
    for (int64_t C = 0; C < Columns; ++C) {
      float Should =
          Weight * (At(R - 1, C) + At(R + 1, C)) + (1 - 2 * Weight) * At(R, C);
      Worst = worse(Worst, std::abs(G.io().y(R, C) - Should));
    }
  return Worst;
}

} // namespace

int main(int Count, char **Arguments) {
  std::string_view Where = Count > 1 ? Arguments[1] : "cpu";
  PrepareConfig How = PrepareConfig::from_env();
  How.where = Where == "cpu" ? GraphTarget::Cpu : GraphTarget::Hip;
  How.one_launch = Where == "graph";
  constexpr Signal<Names> D = InterfaceOf<Signal>::positions();
  float Weight = 0.25F, Worst = 0;
  auto G = graph<Signal>(Weight, build).prepare({.x = {D.t, Columns}}, How);
  if (!G) {
    std::printf("wrong: %s\n", G.status().message().c_str());
    return EXIT_FAILURE;
  }
  for (int64_t I = 0; I < Most * Columns; ++I)
    G->io().x.data()[I] = static_cast<float>(I * 37 % 101 - 50) / 16;
  for (int64_t Rows : {Most, int64_t{1}, int64_t{37}}) {
    if (kpack::Status S = G->execute({.t = Rows}); !S.ok()) {
      std::printf("wrong: %s\n", S.message().c_str());
      return EXIT_FAILURE;
    }
    Worst = worse(Worst, difference(*G, Rows, Weight));
  }
  bool IsRight = Worst < 1e-5F;
  std::printf("%s%s: within %.1e\n", G->plan().text().c_str(),
              IsRight ? "right" : "wrong", double{Worst});
  return IsRight ? EXIT_SUCCESS : EXIT_FAILURE;
}
