//===- ExamplesTest.cpp - tests of the examples' models -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That what the examples write as a graph is what they write as loops, before
// anything is compiled.
//
//===----------------------------------------------------------------------===//
#include "GraphBench.h"

#include "graph-encoder/build.h"
#include "graph-encoder/reference.h"
#include "graph-vad/reference.h"

#include "kpack/JitGraph/InterfaceOf.h"

using namespace kpack;
using namespace kpack::jit;

namespace {

/// A graph of a struct's inputs and variables, and of what a function assigns.
template <template <class> class Io> class Traced {
public:
  Traced(std::vector<int64_t> Lo, std::vector<int64_t> Hi) {
    size_t Which = 0;
    Members::forEach(Trace, [&]<class M>(M &Member, size_t Place) {
      if constexpr (std::is_base_of_v<Dim, M>) {
        DimRange Range = {Lo[Which], Hi[Which]};
        ++Which;
        Member = M(*B.G.dims().variable(Members::name(Place), Range));
      }
    });
  }

  template <typename T>
  void input(In<jit::Trace, T> &Member, const Sizes &Shape) {
    Member = In<jit::Trace, T>(B.template input<T>("x", Shape));
  }

  void finish(const Status &Built) {
    ASSERT_TRUE(Built.ok()) << Built.message();
    ASSERT_TRUE(B.G.status().ok()) << B.G.status().message();
    Members::forEach(Trace, [&](auto &Member, size_t) {
      if constexpr (requires { Member.assigned(); })
        B.output(Member.assigned());
    });
  }

  Io<jit::Trace> Trace{};
  GraphBench B;

private:
  using Members = InterfaceOf<Io>;
};

TEST(ExamplesTest, VadMatchesItsLoops) {
  using namespace vad;
  vad::Model M;
  Traced<Vad> Graph({1}, {64});
  Vad<Trace> &Io = Graph.Trace;
  Graph.input(Io.chunk, {Io.streams, Chunk});
  Graph.input(Io.context, {Io.streams, Context});
  Graph.input(Io.h, {Io.streams, States});
  Graph.input(Io.c, {Io.streams, States});
  Graph.finish(vad::build(M, Io));

  GraphBench &B = Graph.B;
  std::vector<Stream> Streams(2, Stream(M));
  std::vector<double> State(2 * States, 0), Cells = State;
  std::vector<double> Last(2 * Context, 0);
  std::mt19937 Random(5);
  double Least = 1, Most = 0;
  for (int Step = 0; Step < 30; ++Step) {
    // Silence first, then noise that becomes louder in the second stream.
    std::vector<float> Samples;
    for (int64_t I = 0; I < 2 * Chunk; ++I) {
      auto Noise = static_cast<float>(Random() >> 8) * 0x1p-23F - 1;
      Samples.push_back(Step < 3    ? 0
                        : I < Chunk ? Noise
                                    : Noise * static_cast<float>(Step) / 10);
    }
    B.set(0, {Samples.begin(), Samples.end()});
    B.set(1, Last);
    B.set(2, State);
    B.set(3, Cells);
    B.run({2});
    for (size_t S = 0; S < 2; ++S) {
      double P = Streams[S].step(
          std::span(Samples).subspan(S * Chunk, static_cast<size_t>(Chunk)));
      ASSERT_NEAR(B.out(0)(S, 0), P, 1e-9);
      Least = std::min(Least, P);
      Most = std::max(Most, P);
      for (size_t J = 0; J < States; ++J) {
        ASSERT_NEAR(B.out(2)(S, J), Streams[S].H[J], 1e-9);
        ASSERT_NEAR(B.out(3)(S, J), Streams[S].C[J], 1e-9);
      }
      for (size_t J = 0; J < Context; ++J)
        ASSERT_EQ(B.out(1)(S, J), Streams[S].Last[J]);
    }
    Last = B.out(1).Elements;
    State = B.out(2).Elements;
    Cells = B.out(3).Elements;
  }
  EXPECT_GT(Most - Least, 0.02) << "it depends on what is heard";
}

/// One call of the encoder, in T, against loops over each signal by itself.
template <class T>
void check(const encoder::Model &M, int64_t Most, int64_t Times,
           const std::vector<double> &Lengths, double Tolerance) {
  SCOPED_TRACE(testing::Message() << Times << " times");
  auto Batch = static_cast<int64_t>(Lengths.size());
  Traced<encoder::Encoder> Graph({1, 1}, {8, Most});
  encoder::Encoder<Trace> &Io = Graph.Trace;
  Graph.input(Io.mel, {Io.b, Io.t, M.Mel});
  Graph.input(Io.lengths, {Io.b});
  Graph.finish(encoder::build<T>(M, Io));
  GraphBench &B = Graph.B;
  B.set(1, Lengths);
  B.run({Batch, Times});
  int64_t Rows = (Times + 3) / 4;
  ASSERT_EQ(B.out(0).Shape, (Index{Batch, Rows, M.D}));
  for (int64_t I = 0; I < Batch; ++I) {
    auto Length = static_cast<int64_t>(Lengths[static_cast<size_t>(I)]);
    encoder::Rows X;
    for (int64_t J = 0; J < Length; ++J) {
      X.emplace_back();
      for (int64_t K = 0; K < M.Mel; ++K)
        X.back().push_back(B.in(0)(I, J, K));
    }
    encoder::Rows Y = encoder::encode(M, X);
    ASSERT_EQ(Y.size(), static_cast<size_t>((Length + 3) / 4));
    for (int64_t J = 0; J < Rows; ++J)
      for (int64_t K = 0; K < M.D; ++K) {
        auto Row = static_cast<size_t>(J);
        double Expected = Row < Y.size() ? Y[Row][static_cast<size_t>(K)] : 0;
        ASSERT_NEAR(B.out(0)(I, J, K), Expected, Tolerance)
            << I << " " << J << " " << K;
      }
  }
}

TEST(ExamplesTest, EncoderMatchesItsLoops) {
  encoder::Model Small(6, 8, 2, 5, 2);
  check<float>(Small, 1500, 1, {1}, 1e-8);
  check<float>(Small, 60, 4, {4, 1, 2}, 1e-8);
  check<float>(Small, 60, 37, {37, 5, 36, 12}, 1e-8);
  check<float>(Small, 60, 60, {1, 60}, 1e-8);
  check<float>(encoder::Model(), 40, 21, {21, 14}, 1e-7);
}

TEST(ExamplesTest, EncoderOfHalves) {
  check<float16>(encoder::Model(6, 8, 2, 5, 2), 60, 21, {21, 10}, 2e-2);
}

} // namespace
