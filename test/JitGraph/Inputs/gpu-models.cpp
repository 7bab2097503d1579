// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The models of examples on a GPU, against their loops:
//   gpu-models vad|encoder|halves launches|graph [COUNT T]
//   gpu-models times launches|graph
// Halves: the encoder in float16. COUNT: also at so many random sizes, of at
// most T times, and at the largest one. Times: of calls of each model, and of
// one node.
// The encoder's outputs are filled with a canary before each call: what no
// kernel writes can be seen, and so can bytes behind the extents.
#include "graph-encoder/build.h"
#include "graph-encoder/reference.h"
#include "graph-vad/reference.h"

#include <kpack/JitGraph/Graph.h>
#include <kpack/JitGraph/Recurrent.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace kpack;
using namespace kpack::jit;

static void fail(const Status &S) {
  std::printf("error: %s\n", S.message().c_str());
  std::exit(1);
}

template <class T> static T take(Result<T> Of) {
  if (!Of)
    fail(Of.status());
  return std::move(*Of);
}

/// From -1 to 1.
static float noise(std::mt19937 &Random) {
  return static_cast<float>(Random() >> 8) * 0x1p-23F - 1;
}

struct Worst {
  double Difference = 0;
  void add(double Is, double Should) {
    double Now = std::abs(Is - Should);
    Difference = Now <= Difference ? Difference : Now; // a NaN stays
  }
};

static void runVad(const PrepareConfig &How) {
  using namespace vad;
  constexpr Vad<Names> D = InterfaceOf<Vad>::positions();
  constexpr size_t Streams = 2;
  vad::Model M;
  auto G = take(graph<Vad>(M, vad::build)
                    .prepare({.chunk = {D.streams, vad::Chunk},
                              .context = {D.streams, vad::Context},
                              .h = {D.streams, States},
                              .c = {D.streams, States},
                              .streams = at_most(3)},
                             How));
  auto R = take(recurrent(std::move(G),
                          carry(&Vad<Live>::context, &Vad<Live>::context_next),
                          carry(&Vad<Live>::h, &Vad<Live>::h_next),
                          carry(&Vad<Live>::c, &Vad<Live>::c_next)));
  std::vector<vad::Stream> Loops(Streams, vad::Stream(M));
  std::mt19937 Random(5);
  Worst Probability, State;
  double Least = 1, Most = 0;
  for (int Step = 0; Step < 20; ++Step) {
    std::vector<float> Samples;
    for (size_t I = 0; I < Streams * vad::Chunk; ++I)
      Samples.push_back(noise(Random) * static_cast<float>(Step) / 10);
    auto Fill = [&](const Vad<Live> &Io) {
      std::copy(Samples.begin(), Samples.end(), Io.chunk.begin());
    };
    auto P = R.step(Fill, {.streams = int64_t{Streams}});
    if (!P.ok())
      fail(P.status());
    for (size_t S = 0; S < Streams; ++S) {
      double Should =
          Loops[S].step(std::span(Samples).subspan(S * vad::Chunk, vad::Chunk));
      Least = std::min(Least, Should);
      Most = std::max(Most, Should);
      Probability.add((*P)(S, 0), Should);
      for (size_t J = 0; J < States; ++J) {
        State.add(R.io().h_next(S, J), Loops[S].H[J]);
        State.add(R.io().c_next(S, J), Loops[S].C[J]);
      }
    }
  }
  std::fprintf(stderr, "vad: %g, state %g\n", Probability.Difference,
               State.Difference);
  std::printf("vad: probabilities %s, states %s, %s\n",
              Probability.Difference < 1e-5 ? "right" : "wrong",
              State.Difference < 1e-4 ? "right" : "wrong",
              Most - Least > 0.01 ? "of what is heard" : "all the same");
}

/// One call for signals of these lengths.
static void encode(Prepared<encoder::Encoder> &G, const encoder::Model &M,
                   int64_t T, const std::vector<int32_t> &Lengths,
                   double Tolerance = 2e-4) {
  constexpr unsigned char Canary = 0x5c;
  auto B = static_cast<int64_t>(Lengths.size());
  std::mt19937 Random(7);
  const auto &Io = G.io();
  std::copy(Lengths.begin(), Lengths.end(), Io.lengths.begin());
  int64_t Most = static_cast<int64_t>(Io.mel.size()) / M.Mel /
                 static_cast<int64_t>(Io.lengths.size());
  std::vector<encoder::Rows> Signals(Lengths.size());
  std::memset(Io.mel.data(), Canary, Io.mel.size() * sizeof(float));
  for (int64_t I = 0; I < B; ++I)
    for (int64_t J = 0; J < T; ++J) {
      encoder::Row Row;
      for (int64_t K = 0; K < M.Mel; ++K) {
        Row.push_back(noise(Random));
        Io.mel.data()[(I * Most + J) * M.Mel + K] =
            static_cast<float>(Row.back());
      }
      if (J < Lengths[I])
        Signals[I].push_back(Row);
    }
  const GraphBuffer Out = G.plan().outputs()[0];
  auto *Bytes =
      reinterpret_cast<unsigned char *>(const_cast<float *>(Io.encoded.data()));
  std::memset(Bytes, Canary, Out.Bytes);
  if (Status S = G.execute({.b = B, .t = T}); !S.ok())
    fail(S);

  Worst Of;
  std::vector<bool> IsWritten(Out.Bytes / sizeof(float));
  int64_t Rows = (T + 3) / 4;
  for (int64_t I = 0; I < B; ++I) {
    encoder::Rows Y = encoder::encode(M, Signals[I]);
    for (int64_t J = 0; J < Rows; ++J)
      for (int64_t K = 0; K < M.D; ++K) {
        auto At = static_cast<size_t>(J);
        Of.add(Io.encoded(I, J, K), At < Y.size() ? Y[At][K] : 0);
        IsWritten[&Io.encoded(I, J, K) - Io.encoded.data()] = true;
      }
  }
  size_t Hurt = 0;
  for (size_t I = 0; I < Out.Bytes; ++I)
    Hurt += !IsWritten[I / sizeof(float)] && Bytes[I] != Canary;
  std::fprintf(stderr, "encoder %d %d: %g\n", int(B), int(T), Of.Difference);
  std::printf("encoder (%d, %d): %s, %zu bytes behind it\n", int(B), int(T),
              Of.Difference < Tolerance ? "right" : "wrong", Hurt);
  std::fflush(stdout);
}

/// Of type T where it computes, for at most so many signals and times.
template <typename T = float>
static Prepared<encoder::Encoder> prepared(const encoder::Model &M,
                                           const PrepareConfig &How,
                                           int64_t Signals, int64_t Times) {
  constexpr encoder::Encoder<Names> D =
      InterfaceOf<encoder::Encoder>::positions();
  return take(graph<encoder::Encoder>(M, encoder::build<T>)
                  .prepare({.mel = {D.b, D.t, M.Mel},
                            .lengths = {D.b},
                            .b = at_most(Signals),
                            .t = at_most(Times)},
                           How));
}

/// A smaller one, so that there is little to add up in halves.
static void runHalves(const PrepareConfig &How) {
  encoder::Model M(6, 8, 2, 5, 2);
  auto G = prepared<float16>(M, How, 3, 60);
  encode(G, M, 21, {21, 10}, 2e-2);
}

/// One plan for all sizes: the smallest, the largest, and random ones between.
static void runEncoder(const PrepareConfig &How, int Count, int64_t Times) {
  encoder::Model M;
  auto G = prepared(M, How, 8, 1500);
  std::fprintf(stderr, "%zu kernels, %zu nodes\n", G.plan().kernels().size(),
               G.plan().nodes().size());
  encode(G, M, 1, {1});
  encode(G, M, 4, {4});
  encode(G, M, 37, {37, 5, 12});
  std::mt19937 Random(11);
  auto UpTo = [&](int64_t Most) {
    return 1 + static_cast<int64_t>(Random() % static_cast<uint64_t>(Most));
  };
  for (int I = 0; I < Count; ++I) {
    int64_t T = UpTo(Times);
    std::vector<int32_t> Lengths(static_cast<size_t>(UpTo(8)));
    for (int32_t &Length : Lengths)
      Length = static_cast<int32_t>(UpTo(T));
    encode(G, M, T, Lengths);
  }
  if (Count)
    encode(G, M, 1500, {1500, 1, 1499, 700, 64, 1203, 5, 333});
}

/// The shortest of some rounds, in microseconds a call.
template <typename Function> static double shortest(Function Calls) {
  using Clock = std::chrono::steady_clock;
  constexpr int Rounds = 30, Each = 100;
  double Least = 1e30;
  for (int I = 0; I < Rounds; ++I) {
    Clock::time_point Start = Clock::now();
    Calls(Each);
    std::chrono::duration<double, std::micro> Took = Clock::now() - Start;
    Least = std::min(Least, Took.count() / Each);
  }
  return Least;
}

template <template <class> class Io>
static void timeCalls(const char *Name, Prepared<Io> &G) {
  auto Check = [&](const Status &S) {
    if (!S.ok())
      fail(S);
  };
  double Waits = shortest([&](int Count) {
    for (int I = 0; I < Count; ++I)
      Check(G.execute());
  });
  double Begins = shortest([&](int Count) {
    std::array<Event, 8> Last;
    for (int I = 0; I < Count; ++I) {
      Check(Last[I % 8].wait());
      Last[I % 8] = take(G.execute_async());
    }
    Check(Last[(Count - 1) % 8].wait());
  });
  auto Nodes = static_cast<double>(G.plan().nodes().size());
  std::printf("%s: %zu nodes, %.1f us a call, %.2f us a node; begun one behind "
              "the other %.1f us, %.2f us\n",
              Name, G.plan().nodes().size(), Waits, Waits / Nodes, Begins,
              Begins / Nodes);
}

/// A chain of kernels that do next to nothing.
template <class P> struct Chain {
  In<P, float> x{};
  Out<P, float> y{};
};

static void timeChain(PrepareConfig How) {
  How.fuse = false;
  auto G = take(graph<Chain>(0, [](const int &, Chain<Trace> &Io) {
                  Tensor<float> Y = Io.x;
                  for (int I = 0; I < 64; ++I)
                    Y = I % 2 ? Y + 1.0F : Y * 0.5F;
                  Io.y = Y;
                }).prepare({.x = {8}}, How));
  timeCalls("chain", G);
}

/// Sizes far below the upper bounds, with and without a graph of their own.
static void timeBuckets(PrepareConfig How) {
  encoder::Model M;
  for (bool HasBucket : {false, true}) {
    if (HasBucket)
      How.buckets = bucketsOf<encoder::Encoder>({{.b = 1, .t = 40}});
    auto G = prepared(M, How, 8, 1500);
    std::fill(G.io().lengths.begin(), G.io().lengths.end(), 40);
    if (Status S = G.execute({.b = 1, .t = 40}); !S.ok())
      fail(S);
    timeCalls(HasBucket ? "encoder (1, 40) of (8, 1500), with a bucket"
                        : "encoder (1, 40) of (8, 1500)",
              G);
  }
}

static void runTimes(const PrepareConfig &How) {
  constexpr vad::Vad<Names> V = InterfaceOf<vad::Vad>::positions();
  vad::Model Small;
  auto Step = take(graph<vad::Vad>(Small, vad::build)
                       .prepare({.chunk = {V.streams, vad::Chunk},
                                 .context = {V.streams, vad::Context},
                                 .h = {V.streams, vad::States},
                                 .c = {V.streams, vad::States},
                                 .streams = at_most(3)},
                                How));
  if (Status S = Step.execute({.streams = 1}); !S.ok())
    fail(S);
  timeCalls("vad, 1 stream", Step);
  encoder::Model M;
  auto G = prepared(M, How, 3, 40);
  for (auto [B, T] : {std::pair(1, 4), std::pair(3, 40)}) {
    std::fill(G.io().lengths.begin(), G.io().lengths.end(), T);
    if (Status S = G.execute({.b = B, .t = T}); !S.ok())
      fail(S);
    timeCalls(("encoder (" + std::to_string(B) + ", " + std::to_string(T) + ")")
                  .c_str(),
              G);
  }
  timeChain(How);
  timeBuckets(How);
}

int main(int Count, char **Words) {
  if (Count < 3)
    return 2;
  PrepareConfig How = PrepareConfig::from_env();
  if (How.where == GraphTarget::Cpu)
    How.where = GraphTarget::Hip;
  How.one_launch = std::strcmp(Words[2], "graph") == 0;
  if (std::strcmp(Words[1], "vad") == 0)
    runVad(How);
  else if (std::strcmp(Words[1], "times") == 0)
    runTimes(How);
  else if (std::strcmp(Words[1], "halves") == 0)
    runHalves(How);
  else
    runEncoder(How, Count > 4 ? std::atoi(Words[3]) : 0,
               Count > 4 ? std::atoll(Words[4]) : 1);
}
