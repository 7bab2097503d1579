//===- RecurrentTest.cpp - tests of state across calls --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum that goes on from call to call, for several streams, in both forms: the
// state is in outputs of its own, or packed into one with the head.
//
//===----------------------------------------------------------------------===//
#include "TestPlan.h"

#include "kpack/JitGraph/Layers.h"
#include "kpack/JitGraph/Recurrent.h"

#include <cmath>
#include <cstdlib>
#include <random>

using namespace kpack;
using namespace kpack::jit;

namespace {

GraphErrc getCode(const Status &S) { return graphErrorOf(S); }

/// h_next = h + x, c_next = c + h, y = 10 * h_next; a row a stream.
template <class P> struct Sums {
  In<P, float> x{}, h{}, c{};
  Out<P, float> h_next{}, y{}, c_next{};
  Var<P, 1, 4> b{};
};

Result<GraphPlan> lowerSums(OpGraph Ops) {
  std::vector<Dim> Shape = Ops.inputs()[1].Shape;
  std::vector<Dim> Shape2 = Ops.inputs()[2].Shape;
  PlanWriter W(std::move(Ops));
  uint32_t X = W.input(0), H = W.input(1), C = W.input(2);
  uint32_t HNext = W.output(0, Shape), Y = W.output(1, Shape),
           CNext = W.output(2, Shape2);
  uint32_t Step =
      W.kernel("step", "  float *const *f = (float *const *)buffers;\n"
                       "  for (long long i = first * 2; i < last * 2; ++i) {\n"
                       "    f[0][i] = f[4][i] + f[3][i];\n"
                       "    f[1][i] = 10 * f[0][i];\n"
                       "    f[2][i] = f[5][i] + f[4][i];\n"
                       "  }\n");
  W.node(Step, {HNext, Y, CNext, X, H, C}, {}, Shape[0]);
  W.Plan.Nodes[0].Written = 3;
  return W.finish();
}

constexpr Sums<Names> D = InterfaceOf<Sums>::positions();

Result<Prepared<Sums>> prepareSums(Extent CRows = D.b,
                                   PrepareConfig How = testConfig()) {
  if (!How.lower)
    How.lower = lowerSums;
  auto Build = [](const int &, Sums<Trace> &Io) {
    Io.h_next = Io.h;
    Io.y = Io.h;
    Io.c_next = Io.c;
  };
  return graph<Sums>(0, Build).prepare(
      {.x = {D.b, 2}, .h = {D.b, 2}, .c = {CRows, 2}}, How);
}

Recurrent<Sums> make() {
  Result<Prepared<Sums>> G = prepareSums();
  EXPECT_TRUE(G.ok()) << G.status().message();
  auto R = recurrent(std::move(*G), carry(&Sums<Live>::h, &Sums<Live>::h_next),
                     carry(&Sums<Live>::c, &Sums<Live>::c_next));
  EXPECT_TRUE(R.ok()) << R.status().message();
  return std::move(*R);
}

auto fillWith(float Value) {
  return [Value](const Sums<Live> &Io) {
    std::fill(Io.x.begin(), Io.x.end(), Value);
  };
}

/// What \p State has at \p Row: h and c.
std::pair<float, float> at(const RecurrentState &State, size_t Row) {
  float H, C;
  std::memcpy(&H, State.parts[0].data() + Row * 8, 4);
  std::memcpy(&C, State.parts[1].data() + Row * 8, 4);
  return {H, C};
}
using HC = std::pair<float, float>;

TEST(RecurrentTest, StateIsCarried) {
  Recurrent<Sums> R = make();
  float H = 0, C = 0;
  for (int I = 1; I <= 1000; ++I) {
    auto Y = R.step(fillWith(static_cast<float>(I % 7)));
    ASSERT_TRUE(Y.ok());
    C += H;
    H += static_cast<float>(I % 7);
    EXPECT_EQ((*Y)(3, 1), 10 * H) << "the output that is not carried";
    EXPECT_EQ(R.io().h_next(0, 0), H);
    EXPECT_EQ(R.io().c_next(3, 1), C);
    EXPECT_EQ(at(R.state(), 0), HC(H, C));
  }
  EXPECT_GT(R.last_timing().execute.count(), 0);
}

TEST(RecurrentTest, FailedStepsChangeNothing) {
  Recurrent<Sums> R = make();
  for (int I = 0; I < 3; ++I) {
    ASSERT_TRUE(R.step(fillWith(1)).ok());
    RecurrentState Before = R.state();
    auto No = [](const Sums<Live> &Io) {
      Io.x.data()[0] = 100;
      return Status(StatusCode::FileNotFound, "no samples");
    };
    auto Refused = R.step(No);
    EXPECT_EQ(Refused.status().message(), "no samples");
    EXPECT_EQ(R.state(), Before);
    EXPECT_EQ(getCode(R.step(fillWith(5), {.b = 5}).status()),
              GraphErrc::VarOutOfRange);
    EXPECT_EQ(R.state(), Before);
    std::vector<float> Mine(8);
    EXPECT_EQ(getCode(R.step(fillWith(5), {.h = Mine}).status()),
              GraphErrc::DuplicateInputBuffer);
    EXPECT_EQ(R.state(), Before);
  }
  EXPECT_EQ(at(R.state(), 1), HC(3, 3));
}

/// As lowerSums(), but where x begins with 100 it also writes in front of y.
Result<GraphPlan> lowerWrongSums(OpGraph Ops) {
  Result<GraphPlan> Plan = lowerSums(std::move(Ops));
  size_t End = Plan->Source.rfind("}\n");
  Plan->Source.insert(End, "  if (f[3][0] == 100)\n    f[1][-1] = 1;\n");
  return Plan;
}

// All of it has run: what is new is in outputs that are not carried.
TEST(RecurrentTest, KernelsThatFailChangeNothing) {
  PrepareConfig How = testConfig();
  How.lower = lowerWrongSums;
  How.check_buffers = true;
  Result<Prepared<Sums>> G = prepareSums(D.b, How);
  ASSERT_TRUE(G.ok()) << G.status().message();
  auto R = recurrent(std::move(*G), carry(&Sums<Live>::h, &Sums<Live>::h_next),
                     carry(&Sums<Live>::c, &Sums<Live>::c_next));
  ASSERT_TRUE(R.ok());
  for (int I = 0; I < 3; ++I)
    ASSERT_TRUE(R->step(fillWith(1)).ok());
  RecurrentState Before = R->state();
  EXPECT_EQ(getCode(R->step(fillWith(100)).status()), GraphErrc::Runtime);
  EXPECT_EQ(R->state(), Before);
  // What is hurt stays hurt: no later step is believed.
  EXPECT_EQ(getCode(R->step(fillWith(1)).status()), GraphErrc::Runtime);
  EXPECT_EQ(R->state(), Before);
  // A clone goes on where this one was.
  Result<Recurrent<Sums>> Other = R->clone();
  ASSERT_TRUE(Other.ok());
  EXPECT_TRUE(Other->set_state(R->state()).ok());
  ASSERT_TRUE(Other->step(fillWith(1)).ok());
  EXPECT_EQ(at(Other->state(), 0), HC(4, 6));
}

TEST(RecurrentTest, ResetIsAFreshObject) {
  Recurrent<Sums> R = make(), Fresh = make();
  for (int Steps : {1, 2}) {
    for (int I = 0; I < Steps; ++I)
      ASSERT_TRUE(R.step(fillWith(4)).ok());
    R.reset();
    Fresh.reset();
    EXPECT_EQ(R.state(), Fresh.state());
    for (int I = 0; I < 3; ++I) {
      ASSERT_TRUE(R.step(fillWith(1)).ok());
      ASSERT_TRUE(Fresh.step(fillWith(1)).ok());
      EXPECT_EQ(R.state(), Fresh.state());
    }
  }
}

TEST(RecurrentTest, StreamsAreResetSeparately) {
  Recurrent<Sums> R = make();
  for (int I = 0; I < 3; ++I)
    ASSERT_TRUE(R.step(fillWith(1)).ok());
  EXPECT_TRUE(R.reset(2).ok());
  EXPECT_EQ(at(R.state(), 1), HC(3, 3));
  EXPECT_EQ(at(R.state(), 2), HC(0, 0));
  ASSERT_TRUE(R.step(fillWith(1)).ok());
  EXPECT_EQ(at(R.state(), 1), HC(4, 6));
  EXPECT_EQ(at(R.state(), 2), HC(1, 0));
  for (int64_t Bad : {-1, 4})
    EXPECT_EQ(getCode(R.reset(Bad)), GraphErrc::VarOutOfRange);
}

TEST(RecurrentTest, StreamsThatPauseKeepTheirState) {
  Recurrent<Sums> R = make();
  for (int I = 0; I < 3; ++I)
    ASSERT_TRUE(R.step(fillWith(1)).ok());
  for (int I = 0; I < 5; ++I) {
    ASSERT_TRUE(R.step(fillWith(1), {.b = 2}).ok());
    EXPECT_EQ(at(R.state(), 3), HC(3, 3));
  }
  ASSERT_TRUE(R.step(fillWith(1), {.b = 4}).ok());
  EXPECT_EQ(at(R.state(), 0), HC(9, 36));
  EXPECT_EQ(at(R.state(), 3), HC(4, 6));
}

TEST(RecurrentTest, StateIsCopiedToAClone) {
  Recurrent<Sums> R = make();
  ASSERT_TRUE(R.step(fillWith(2)).ok());
  ASSERT_TRUE(R.step(fillWith(2)).ok());
  Result<Recurrent<Sums>> Other = R.clone();
  ASSERT_TRUE(Other.ok());
  EXPECT_EQ(at(Other->state(), 0), HC(0, 0));
  EXPECT_TRUE(Other->set_state(R.state()).ok());
  ASSERT_TRUE(Other->step(fillWith(3)).ok());
  EXPECT_EQ(at(Other->state(), 0), HC(7, 6));
  EXPECT_EQ(at(R.state(), 0), HC(4, 2));
  EXPECT_TRUE(R.set_state(Other->state()).ok());
  EXPECT_EQ(R.state(), Other->state());
  RecurrentState Short = R.state();
  Short.parts[1].pop_back();
  EXPECT_EQ(getCode(R.set_state(Short)), GraphErrc::OutputLayoutMismatch);
  EXPECT_EQ(getCode(R.set_state({})), GraphErrc::OutputLayoutMismatch);
  EXPECT_EQ(R.state(), Other->state());
}

TEST(RecurrentTest, PairsHaveOneShape) {
  auto Code = [](auto Pair, auto... More) {
    Result<Prepared<Sums>> G = prepareSums(3);
    return getCode(recurrent(std::move(*G), Pair, More...).status());
  };
  auto H = carry(&Sums<Live>::h, &Sums<Live>::h_next);
  EXPECT_EQ(Code(H), GraphErrc::None);
  EXPECT_EQ(Code(carry(&Sums<Live>::c, &Sums<Live>::h_next)),
            GraphErrc::OutputLayoutMismatch);
  EXPECT_EQ(Code(H, H), GraphErrc::OutputLayoutMismatch);
  EXPECT_EQ(Code(H, carry(&Sums<Live>::x, &Sums<Live>::h_next)),
            GraphErrc::OutputLayoutMismatch);
  EXPECT_EQ(Code(H, carry(&Sums<Live>::h, &Sums<Live>::y)),
            GraphErrc::OutputLayoutMismatch);
}

//===----------------------------------------------------------------------===//
// Packed
//===----------------------------------------------------------------------===//

/// y = [10 * h_next | h_next | c_next] of Sums, one stream.
template <class P> struct Packed {
  In<P, float> x{}, h{}, c{};
  Out<P, float> y{};
};

Result<GraphPlan> lowerPacked(OpGraph Ops) {
  PlanWriter W(std::move(Ops));
  uint32_t X = W.input(0), H = W.input(1), C = W.input(2);
  DimContext &Dims = W.Plan.Ops.dims();
  uint32_t Y = W.output(0, {Dims.constant(6)});
  uint32_t Step =
      W.kernel("step", "  float *const *f = (float *const *)buffers;\n"
                       "  for (long long i = 0; i < 2; ++i) {\n"
                       "    f[0][2 + i] = f[2][i] + f[1][i];\n"
                       "    f[0][i] = 10 * f[0][2 + i];\n"
                       "    f[0][4 + i] = f[3][i] + f[2][i];\n"
                       "  }\n");
  W.node(Step, {Y, X, H, C}, {}, Dims.constant(1));
  return W.finish();
}

Result<PackedRecurrent<Packed>> makePacked(LstmState State, size_t HeadLength) {
  PrepareConfig How = testConfig();
  How.lower = lowerPacked;
  auto Build = [](const int &, Packed<Trace> &Io) { Io.y = Io.x; };
  Result<Prepared<Packed>> G =
      graph<Packed>(0, Build).prepare({.x = {2}, .h = {2}, .c = {2}}, How);
  EXPECT_TRUE(G.ok()) << G.status().message();
  return Recurrent<Packed>::packed(std::move(*G), std::move(State), HeadLength,
                                   &Packed<Live>::h, &Packed<Live>::c);
}

TEST(RecurrentTest, BothFormsAgree) {
  Recurrent<Sums> Named = make();
  auto R = makePacked(LstmState::zeros(2), 2);
  ASSERT_TRUE(R.ok()) << R.status().message();
  for (int I = 1; I <= 100; ++I) {
    float X = 1.0f / static_cast<float>(I);
    auto Y = Named.step(fillWith(X));
    auto Head = R->step([&](const Packed<Live> &Io) {
      std::fill(Io.x.begin(), Io.x.end(), X);
    });
    ASSERT_TRUE(Y.ok() && Head.ok());
    EXPECT_EQ(Head->size(), 2u);
    EXPECT_EQ((*Head)[1], (*Y)(0, 1));
    EXPECT_EQ(HC(R->state().h[0], R->state().c[0]), at(Named.state(), 0));
  }
  std::vector<float> Before = R->state().h;
  auto No = [](const Packed<Live> &) {
    return Status(StatusCode::IoError, "no samples");
  };
  EXPECT_FALSE(R->step(No).ok());
  EXPECT_EQ(R->state().h, Before);
  R->reset();
  EXPECT_EQ(R->state().h, std::vector<float>(2));
}

TEST(RecurrentTest, PackedLayoutIsChecked) {
  EXPECT_EQ(getCode(makePacked(LstmState::zeros(2), 1).status()),
            GraphErrc::OutputLayoutMismatch);
  EXPECT_EQ(getCode(makePacked(LstmState::zeros(3), 0).status()),
            GraphErrc::OutputLayoutMismatch);
  auto R = makePacked(LstmState::zeros(2), 3);
  EXPECT_EQ(R.status().message(), "y: has 6 elements, head and state have 7; "
                                  "make it [head | h | c], of floats");
}

//===----------------------------------------------------------------------===//
// Many steps
//===----------------------------------------------------------------------===//

constexpr size_t From = 3, States = 8;

template <class P> struct Cell {
  In<P, float> x{}, h{}, c{};
  Out<P, float> h_next{}, c_next{};
};

/// Of a cell: [From + States, 4 * States], then 4 * States.
std::vector<float> cellWeights() {
  std::mt19937 Random(5);
  std::vector<float> Numbers((From + States + 1) * 4 * States);
  for (float &X : Numbers)
    X = static_cast<float>(Random() >> 8) * 0x1p-23F - 1;
  return Numbers;
}

/// The same in double, step by step.
struct CellReference {
  std::vector<float> W = cellWeights();
  std::array<double, States> H{}, C{};

  void step(const std::array<float, From> &X) {
    std::array<double, 4 * States> Gates;
    for (size_t G = 0; G < Gates.size(); ++G) {
      double Sum = double{W[(From + States) * 4 * States + G]};
      for (size_t I = 0; I < From + States; ++I)
        Sum += (I < From ? double{X[I]} : H[I - From]) *
               double{W[I * 4 * States + G]};
      Gates[G] = Sum;
    }
    auto Sigmoid = [](double V) { return 1 / (1 + std::exp(-V)); };
    for (size_t I = 0; I < States; ++I) {
      C[I] = Sigmoid(Gates[States + I]) * C[I] +
             Sigmoid(Gates[I]) * std::tanh(Gates[2 * States + I]);
      H[I] = Sigmoid(Gates[3 * States + I]) * std::tanh(C[I]);
    }
  }
};

// Errors of single steps do not add up. KPACK_TEST_STEPS for more: the nightly
// tier has a million.
TEST(RecurrentTest, ManyStepsDoNotDrift) {
  auto Build = [](const std::vector<float> &W, Cell<Trace> &Io) {
    std::span All(W);
    size_t Matrix = (From + States) * 4 * States;
    LinearWeights<float> Gates{
        constant(Io.x, All.first(Matrix),
                 {static_cast<int64_t>(From + States), 4 * States}, "w"),
        constant(Io.x, All.subspan(Matrix), {4 * States}, "b")};
    LstmCell<float> Next = lstm_cell(Io.x, LstmCell<float>{Io.h, Io.c}, Gates);
    Io.h_next = Next.h;
    Io.c_next = Next.c;
  };
  auto G = graph<Cell>(cellWeights(), Build)
               .prepare({.x = {1, From}, .h = {1, States}, .c = {1, States}},
                        testConfig());
  ASSERT_TRUE(G.ok()) << G.status().message();
  auto R = recurrent(std::move(*G), carry(&Cell<Live>::h, &Cell<Live>::h_next),
                     carry(&Cell<Live>::c, &Cell<Live>::c_next));
  ASSERT_TRUE(R.ok()) << R.status().message();
  const char *Wanted = std::getenv("KPACK_TEST_STEPS");
  long Steps = Wanted ? std::atol(Wanted) : 20000;
  ASSERT_GT(Steps, 0) << Wanted;
  CellReference Reference;
  std::mt19937 Random(6);
  double Worst = 0, Largest = 0;
  for (long I = 0; I < Steps; ++I) {
    std::array<float, From> X;
    for (float &Each : X)
      Each = static_cast<float>(Random() >> 8) * 0x1p-22F - 2;
    auto Fill = [&](const Cell<Live> &Io) {
      std::copy(X.begin(), X.end(), Io.x.data());
    };
    ASSERT_TRUE(R->step(Fill).ok());
    Reference.step(X);
    for (size_t S = 0; S < States; ++S) {
      auto Off = [](float Is, double Should) {
        double Difference = std::abs(double{Is} - Should);
        return std::isnan(Difference) ? INFINITY : Difference;
      };
      Worst = std::max({Worst, Off(R->io().h_next(0, S), Reference.H[S]),
                        Off(R->io().c_next(0, S), Reference.C[S])});
      Largest = std::max(Largest, std::abs(Reference.C[S]));
    }
    ASSERT_LE(Worst, 1e-5) << "after " << I + 1 << " steps";
  }
  EXPECT_GT(Largest, 1.0) << "states that say something";
}

} // namespace
