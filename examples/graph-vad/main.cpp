//===- main.cpp - voice activity of a stream ------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prepares the graph once and executes it for each chunk of a stream; state
// stays in the graph's memory. Numbers are compared with the loops'.
//
//===----------------------------------------------------------------------===//
#include "model.h"
#include "reference.h"

#include <kpack/JitGraph/Recurrent.h>

#include <cstdio>
#include <cstdlib>

using namespace kpack::jit;
using vad::Vad;

static int failed(const kpack::Status &Why) {
  std::printf("wrong: %s\n", Why.message().c_str());
  return EXIT_FAILURE;
}

/// Noise that comes and goes.
static std::vector<float> chunk(std::mt19937 &Random, int Step) {
  std::vector<float> Samples;
  float Loud = Step / 50 % 2 ? 0.8F : 0.01F;
  for (int64_t I = 0; I < vad::Chunk; ++I)
    Samples.push_back(Loud *
                      (static_cast<float>(Random() >> 8) * 0x1p-23F - 1));
  return Samples;
}

/// How far the elements of \p State are from those of the loops.
static double distance(const View<const float> &State,
                       const std::vector<double> &Of) {
  double Most = 0;
  for (size_t I = 0; I < Of.size(); ++I)
    Most = std::max(Most, std::abs(double{State(0, I)} - Of[I]));
  return Most;
}

int main(int Count, char **Arguments) {
  int Steps = Count > 1 ? std::atoi(Arguments[1]) : 1000;
  vad::Model Model;
  auto Detect = graph<Vad>(Model, vad::build);
  constexpr auto D = InterfaceOf<Vad>::positions();
  auto Prepared = Detect.prepare({.chunk = {D.streams, vad::Chunk},
                                  .context = {D.streams, vad::Context},
                                  .h = {D.streams, vad::States},
                                  .c = {D.streams, vad::States},
                                  .streams = fixed(1)});
  if (!Prepared)
    return failed(Prepared.status());
  auto Stream = recurrent(std::move(*Prepared),
                          carry(&Vad<Live>::context, &Vad<Live>::context_next),
                          carry(&Vad<Live>::h, &Vad<Live>::h_next),
                          carry(&Vad<Live>::c, &Vad<Live>::c_next));
  if (!Stream)
    return failed(Stream.status());

  vad::Stream Loops(Model);
  std::mt19937 Random(7);
  double Probability = 0, State = 0;
  float First = 0;
  std::vector<float> FirstChunk;
  for (int Step = 0; Step < Steps; ++Step) {
    std::vector<float> Samples = chunk(Random, Step);
    auto Said = Stream->step([&](const Vad<Live> &Io) {
      std::copy(Samples.begin(), Samples.end(), Io.chunk.begin());
    });
    if (!Said)
      return failed(Said.status());
    float P = (*Said)(0, 0);
    Probability = std::max(Probability, std::abs(P - Loops.step(Samples)));
    State = std::max({State, distance(Stream->io().h_next, Loops.H),
                      distance(Stream->io().c_next, Loops.C)});
    if (Step == 0) {
      First = P;
      FirstChunk = Samples;
    }
  }

  // From the beginning again: the same, bit by bit.
  Stream->reset();
  auto Again = Stream->step([&](const Vad<Live> &Io) {
    std::copy(FirstChunk.begin(), FirstChunk.end(), Io.chunk.begin());
  });
  if (!Again)
    return failed(Again.status());
  bool IsSame = (*Again)(0, 0) == First;
  bool IsRight = Probability < 1e-5 && State < 1e-4 && IsSame;
  std::printf("%s: %d chunks, probabilities within %.1e, state within %.1e, "
              "first chunk again %s\n",
              IsRight ? "right" : "wrong", Steps, Probability, State,
              IsSame ? "the same" : "another");
  return IsRight ? EXIT_SUCCESS : EXIT_FAILURE;
}
