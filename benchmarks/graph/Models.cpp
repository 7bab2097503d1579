//===- Models.cpp - times of graphs and of hand-written loops -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The least time of each that was measured, both in one round. What loops and
// graph compute is compared first.
//
//===----------------------------------------------------------------------===//
#include "ModelLoops.h"
#include "Rows.h"

#include "graph-encoder/build.h"
#include "kpack/JitGraph/Recurrent.h"

#include <chrono>

using namespace kpack;
using namespace kpack::jit;
using bench::fail;
using bench::Row;
using encoder::Encoder;
using vad::Vad;
using Clock = std::chrono::steady_clock;

static constexpr int64_t Most = 1500;

/// Microseconds; the least so far.
template <typename Function> static void least(double &Best, Function Run) {
  Clock::time_point Start = Clock::now();
  Run();
  std::chrono::duration<double, std::micro> Took = Clock::now() - Start;
  Best = std::min(Best, Took.count());
}

static PrepareConfig makeConfig(kpack_jit_cache *Cache) {
  PrepareConfig Config;
  Config.cache = Cache;
  return Config;
}

namespace {

class EncoderRun {
public:
  explicit EncoderRun(kpack_jit_cache *Cache)
      : Encode(graph<Encoder>(encoder::Model(), encoder::build<float>)),
        Loops(Encode.model(), Most) {
    least(Cold, [&] { prepare(Cache); });
    for (int I = 0; I < 3; ++I)
      least(Again, [&] { prepare(Cache); });
    std::mt19937 Random(3);
    for (float &X : G->io().mel)
      X = static_cast<float>(Random() >> 8) * 0x1p-23F - 1;
    std::fill(G->io().lengths.begin(), G->io().lengths.end(), int32_t{Most});
  }

  void prepare(kpack_jit_cache *Cache) {
    constexpr auto D = InterfaceOf<Encoder>::positions();
    auto Ready = Encode.prepare(
        {.mel = {D.b, D.t, Encode.model().Mel}, .lengths = {D.b}},
        makeConfig(Cache));
    if (!Ready)
      fail(Ready.status().message());
    G.emplace(std::move(*Ready));
  }

  void check() {
    if (Status S = G->execute({.b = 8, .t = Most}); !S.ok())
      fail(S.message());
    View<const float> Y = G->io().encoded;
    const float *Expected = Loops.run(G->io().mel.data(), Most);
    for (int64_t I = 0; I < Y.extents()[1] * Y.extents()[2]; ++I)
      if (!(std::abs(Y.data()[I] - Expected[I]) < 2e-4F))
        fail("encoder: differs from the loops; run the tests");
  }

  void measure(int64_t Signals, double &Graph, double &Hand) {
    least(Graph, [&] {
      if (Status S = G->execute({.b = Signals, .t = Most}); !S.ok())
        fail(S.message());
    });
    least(Hand, [&] {
      for (int64_t I = 0; I < Signals; ++I)
        Loops.run(G->io().mel.data() + I * Most * Encode.model().Mel, Most);
    });
  }

  double Cold = 1e12, Again = 1e12;

private:
  Graph<Encoder, encoder::Model> Encode;
  bench::EncoderLoops Loops;
  std::optional<Prepared<Encoder>> G;
};

} // namespace

static auto makeStream(kpack_jit_cache *Cache, const vad::Model &Model) {
  auto Detect = graph<Vad>(Model, vad::build);
  constexpr auto D = InterfaceOf<Vad>::positions();
  auto Prepared = Detect.prepare({.chunk = {D.streams, vad::Chunk},
                                  .context = {D.streams, vad::Context},
                                  .h = {D.streams, vad::States},
                                  .c = {D.streams, vad::States},
                                  .streams = fixed(1)},
                                 makeConfig(Cache));
  if (!Prepared)
    fail(Prepared.status().message());
  auto Stream = recurrent(std::move(*Prepared),
                          carry(&Vad<Live>::context, &Vad<Live>::context_next),
                          carry(&Vad<Live>::h, &Vad<Live>::h_next),
                          carry(&Vad<Live>::c, &Vad<Live>::c_next));
  if (!Stream)
    fail(Stream.status().message());
  return std::move(*Stream);
}

static std::vector<Row> vadRows(kpack_jit_cache *Cache, int Rounds) {
  constexpr int Steps = 200;
  vad::Model Model;
  auto Stream = makeStream(Cache, Model);
  bench::VadLoops Loops(Model);
  std::vector<float> Samples(vad::Chunk);
  std::mt19937 Random(7);
  for (float &X : Samples)
    X = static_cast<float>(Random() >> 8) * 0x1p-23F - 1;
  auto Step = [&] {
    auto Said = Stream.step([&](const Vad<Live> &Io) {
      std::copy(Samples.begin(), Samples.end(), Io.chunk.begin());
    });
    if (!Said)
      fail(Said.status().message());
    return (*Said)(0, 0);
  };
  double Graph = 1e12, Hand = 1e12, Worst = 0;
  for (int Round = 0; Round < Rounds; ++Round) {
    float Said = 0, Expected = 0;
    least(Graph, [&] {
      for (int I = 0; I < Steps; ++I)
        Said = Step();
    });
    least(Hand, [&] {
      for (int I = 0; I < Steps; ++I)
        Expected = Loops.step(Samples.data());
    });
    Worst = std::max(Worst, static_cast<double>(std::abs(Said - Expected)));
  }
  if (!(Worst < 1e-4))
    fail("vad: differs from the loops; run the tests");
  return {{"vad", "step", "us", Graph / Steps},
          {"vad", "by hand", "us", Hand / Steps},
          {"vad", "faster than by hand", "times", Hand / Graph, 0, 0.8},
          // 30 ms of sound.
          {"vad", "of the time it takes to say it", "1/1000",
           Graph / Steps / 30, 2}};
}

std::vector<Row> bench::modelRows(kpack_jit_cache *Cache, int Rounds) {
  EncoderRun Run(Cache);
  Run.check();
  double One = 1e12, OneByHand = 1e12, All = 1e12, AllByHand = 1e12;
  for (int Round = 0; Round < std::min(Rounds, 5); ++Round) {
    Run.measure(1, One, OneByHand);
    Run.measure(8, All, AllByHand);
  }
  std::vector<Row> Rows = vadRows(Cache, Rounds);
  std::vector<Row> Encoder = {
      {"encoder", "prepare, nothing is cached", "ms", Run.Cold / 1000, 1500},
      {"encoder", "prepare again", "ms", Run.Again / 1000},
      {"encoder", "1 signal of 1500 times", "ms", One / 1000},
      {"encoder", "by hand", "ms", OneByHand / 1000},
      {"encoder", "faster than by hand", "times", OneByHand / One, 0, 1},
      {"encoder", "8 signals of 1500 times", "ms", All / 1000},
      {"encoder", "8 by hand", "ms", AllByHand / 1000},
      {"encoder", "8 faster than by hand", "times", AllByHand / All, 0, 1.5}};
  Rows.insert(Rows.end(), Encoder.begin(), Encoder.end());
  return Rows;
}
