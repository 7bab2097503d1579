//===- main.cpp - one plan for signals of any length ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prepares the graph once, for batches of up to 8 signals of up to 1500 times,
// and executes it for several sizes. Each signal is compared with the loops,
// which see it alone and at its own length.
//
//===----------------------------------------------------------------------===//
#include "build.h"
#include "reference.h"

#include <kpack/JitGraph/Graph.h>

#include <cstdio>
#include <cstdlib>

using namespace kpack::jit;
using encoder::Encoder;

static int failed(const kpack::Status &Why) {
  std::printf("wrong: %s\n", Why.message().c_str());
  return EXIT_FAILURE;
}

/// One call; the largest difference of every \p Every-th signal from the loops.
static kpack::Result<double> call(Prepared<Encoder> &G, const encoder::Model &M,
                                  const std::vector<int64_t> &Lengths,
                                  int64_t Times, int64_t Most, size_t Every) {
  std::mt19937 Random(static_cast<uint32_t>(Times));
  std::vector<encoder::Rows> Signals;
  for (size_t I = 0; I < Lengths.size(); ++I) {
    G.io().lengths.data()[I] = static_cast<int32_t>(Lengths[I]);
    Signals.emplace_back();
    for (int64_t J = 0; J < Times; ++J) {
      // Rows of the largest call; behind a length there is anything.
      float *Row =
          G.io().mel.data() + (static_cast<int64_t>(I) * Most + J) * M.Mel;
      for (int64_t K = 0; K < M.Mel; ++K)
        Row[K] = static_cast<float>(Random() >> 8) * 0x1p-23F - 1;
      if (J < Lengths[I])
        Signals.back().emplace_back(Row, Row + M.Mel);
    }
  }
  if (kpack::Status S =
          G.execute({.b = static_cast<int64_t>(Lengths.size()), .t = Times});
      !S.ok())
    return S;
  View<const float> Y = G.io().encoded;
  double Distance = 0;
  for (size_t I = 0; I < Lengths.size(); I += Every) {
    encoder::Rows Expected = encoder::encode(M, Signals[I]);
    for (int64_t J = 0; J < Y.extents()[1]; ++J)
      for (int64_t K = 0; K < M.D; ++K) {
        auto At = static_cast<size_t>(J);
        double E =
            At < Expected.size() ? Expected[At][static_cast<size_t>(K)] : 0;
        // Also of what is no number.
        double Off = std::abs(double{Y(I, J, K)} - E);
        Distance = Off <= Distance ? Distance : Off;
      }
  }
  return Distance;
}

template <class T>
static int run(const char *Name, int64_t Most, double Tolerance) {
  auto Encode = graph<Encoder>(encoder::Model(), encoder::build<T>);
  const encoder::Model &M = Encode.model();
  constexpr auto D = InterfaceOf<Encoder>::positions();
  auto G = Encode.prepare(
      {.mel = {D.b, D.t, M.Mel}, .lengths = {D.b}, .t = at_most(Most)});
  if (!G)
    return failed(G.status());
  struct Call {
    std::vector<int64_t> Lengths;
    int64_t Times;
    size_t Every;
  };
  std::vector<Call> Calls = {{{1}, 1, 1},
                             {{4}, 4, 1},
                             {{37, 5, 30}, 37, 1},
                             {{Most, 3, 60, 61, 62, 63, 64, Most}, Most, 7}};
  int Outcome = EXIT_SUCCESS;
  for (const Call &C : Calls) {
    auto Distance = call(*G, M, C.Lengths, C.Times, Most, C.Every);
    if (!Distance)
      return failed(Distance.status());
    bool IsRight = *Distance < Tolerance;
    std::printf("%s: %s, %zu signals of up to %lld times, within %.1e\n",
                IsRight ? "right" : "wrong", Name, C.Lengths.size(),
                static_cast<long long>(C.Times), *Distance);
    Outcome = IsRight ? Outcome : EXIT_FAILURE;
  }
  return Outcome;
}

int main(int Count, char **Arguments) {
  int64_t Most = Count > 1 ? std::atoi(Arguments[1]) : 1500;
  if (Most < 64)
    Most = 64;
  return run<float>("float", Most, 2e-4) || run<float16>("float16", Most, 2e-2);
}
