//===- EncoderTest.cpp - tests of an encoder at many sizes ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The encoder of examples/graph-encoder is prepared once, and its results at
// the sizes that the bounds end with, and at 50 others, are those of loops that
// only know the one size. Bytes outside of a call's extents keep a canary.
//
//===----------------------------------------------------------------------===//
#include "TestPlan.h"

#include "graph-encoder/build.h"
#include "graph-encoder/reference.h"

#include <cstring>

using namespace kpack;
using namespace kpack::jit;
using encoder::Encoder;

namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KPACK_TEST_IS_SLOW
#endif
#endif

#ifdef KPACK_TEST_IS_SLOW
constexpr int64_t Most = 150;
constexpr int Others = 5;
#else
constexpr int64_t Most = 1500;
constexpr int Others = 50;
#endif
constexpr float Canary = -12345;
constexpr double Tolerance = 2e-4;

class EncoderTest : public testing::Test {
protected:
  EncoderTest()
      : Encode(graph<Encoder>(encoder::Model(), encoder::build<float>)) {
    constexpr auto D = InterfaceOf<Encoder>::positions();
    PrepareConfig Config = testConfig();
    Config.check_buffers = true;
    auto Prepared = Encode.prepare({.mel = {D.b, D.t, Encode.model().Mel},
                                    .lengths = {D.b},
                                    .t = at_most(Most)},
                                   Config);
    EXPECT_TRUE(Prepared.ok()) << Prepared.status().message();
    if (Prepared)
      G.emplace(std::move(*Prepared));
  }

  /// A call whose signals are all as long as it is; the first and the last are
  /// compared.
  void check(int64_t Signals, int64_t Times) {
    SCOPED_TRACE(std::to_string(Signals) + " by " + std::to_string(Times));
    ASSERT_TRUE(G.has_value());
    const encoder::Model &M = Encode.model();
    std::span<float> Mel(G->io().mel.data(), G->io().mel.size());
    std::fill(Mel.begin(), Mel.end(), Canary);
    for (int64_t I = 0; I < Signals; ++I) {
      G->io().lengths.data()[I] = static_cast<int32_t>(Times);
      for (float &X : Mel.subspan(static_cast<size_t>(I * Most * M.Mel),
                                  static_cast<size_t>(Times * M.Mel)))
        X = static_cast<float>(Random() >> 8) * 0x1p-23F - 1;
    }
    View<const float> All = G->io().encoded;
    auto Elements = static_cast<size_t>(8 * All.strides()[0]);
    std::fill_n(const_cast<float *>(All.data()), Elements, Canary);
    Status Done = G->execute({.b = Signals, .t = Times});
    ASSERT_TRUE(Done.ok()) << Done.message();
    View<const float> Y = G->io().encoded;
    for (int64_t I : {int64_t{0}, Signals - 1})
      compare(Y, I, Mel.data() + I * Most * M.Mel, Times);
    expectCanary(Y, Elements);
  }

  void compare(const View<const float> &Y, int64_t I, const float *Mel,
               int64_t Times) {
    const encoder::Model &M = Encode.model();
    encoder::Rows Signal;
    for (int64_t T = 0; T < Times; ++T)
      Signal.emplace_back(Mel + T * M.Mel, Mel + (T + 1) * M.Mel);
    encoder::Rows Expected = encoder::encode(M, std::move(Signal));
    ASSERT_EQ(Y.extents()[1], static_cast<int64_t>(Expected.size()));
    double Worst = 0;
    for (size_t T = 0; T < Expected.size(); ++T)
      for (size_t K = 0; K < Expected[T].size(); ++K) {
        double Off = std::abs(double{Y(I, T, K)} - Expected[T][K]);
        Worst = Off <= Worst ? Worst : Off; // also of what is no number
      }
    EXPECT_LE(Worst, Tolerance) << "signal " << I;
  }

  static void expectCanary(const View<const float> &Y, size_t Elements) {
    size_t Written = 0;
    for (size_t I = 0; I < Elements; ++I)
      Written += Y.data()[I] != Canary;
    EXPECT_LE(Written, static_cast<size_t>(Y.size()));
    for (int64_t I = 0; I < Y.extents()[0]; ++I) {
      auto Row = static_cast<size_t>(I * Y.strides()[0]);
      for (size_t K = static_cast<size_t>(Y.extents()[1] * Y.strides()[1]);
           K < static_cast<size_t>(Y.strides()[0]); ++K)
        ASSERT_EQ(Y.data()[Row + K], Canary) << "signal " << I;
    }
  }

  Graph<Encoder, encoder::Model> Encode;
  std::optional<Prepared<Encoder>> G;
  std::mt19937 Random{11};
};

TEST_F(EncoderTest, OnePlanServesAllSizes) {
  check(1, 1);
  check(1, 4);
  check(3, 37);
  check(8, Most);
  for (int I = 0; I < Others && !HasFailure(); ++I) {
    auto Signals = static_cast<int64_t>(Random() % 8 + 1);
    check(Signals, static_cast<int64_t>(Random()) % Most + 1);
  }
}

TEST_F(EncoderTest, PoolIsNearTheLowerBound) {
  ASSERT_TRUE(G.has_value());
  PlanMemory Memory = G->plan().memory();
  EXPECT_LE(static_cast<double>(Memory.Pool),
            1.1 * static_cast<double>(Memory.LowerBound));
  EXPECT_LT(Memory.Pool, Memory.NaiveSum / 2);
}

} // namespace
