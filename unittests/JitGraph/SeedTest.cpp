//===- SeedTest.cpp - tests of guarantees of prepared graphs --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of docs/evidence/jit-wrapper.md that no other test shows: what is
// done when, what is a number in the kernels, what stays where it is. All with
// operations and kernels of the library.
//
//===----------------------------------------------------------------------===//
#include "TestPlan.h"

#include "kpack/JitGraph/Ops.h"

#include <numeric>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// y = scale * x, and the sum of each row in total.
template <class P> struct Rows {
  In<P, float> x{};
  Out<P, float> y{}, total{};
  Var<P, 1, 4> b{};
  Var<P, 1, 64> t{};
};
constexpr Rows<Names> D = InterfaceOf<Rows>::positions();

struct Model {
  std::vector<float> Scale = {2};
  int64_t MostTimes = 24;
};

void build(const Model &M, Rows<Trace> &Io) {
  Tensor<float> Scale = constant(Io.x, M.Scale, {1, 1}, "scale");
  Io.y = Io.x * Scale;
  Io.total = sum(Io.x, 1);
}

kpack_jit_statistics statistics() {
  kpack_jit_statistics S{};
  S.size = sizeof(S);
  EXPECT_EQ(kpack_jit_cache_get_statistics(TestCache::get(), &S),
            KPACK_JIT_SUCCESS);
  return S;
}
/// All that a compile, or a look for one, would change.
uint64_t lookups() {
  kpack_jit_statistics S = statistics();
  return S.hits + S.misses + S.compiles;
}

template <typename Of> void fill(const Of &X) {
  std::iota(X.begin(), X.end(), 1.0F);
}

/// Whether \p Number stands in \p Text by itself.
bool hasNumber(const std::string &Text, const std::string &Number) {
  auto IsPart = [](char C) { return std::isalnum(C) || C == '_' || C == '.'; };
  for (size_t At = Text.find(Number); At != std::string::npos;
       At = Text.find(Number, At + 1)) {
    size_t End = At + Number.size();
    if ((At == 0 || !IsPart(Text[At - 1])) &&
        (End == Text.size() || !IsPart(Text[End])))
      return true;
  }
  return false;
}

TEST(SeedTest, NothingIsDoneBeforePrepare) {
  uint64_t Before = lookups();
  int Runs = 0;
  auto G = graph<Rows>(Model(), [&Runs](const Model &M, Rows<Trace> &Io) {
    ++Runs;
    build(M, Io);
  });
  EXPECT_EQ(Runs, 0);
  EXPECT_EQ(lookups(), Before);
  auto Made = G.prepare({.x = {D.b, D.t}}, testConfig());
  ASSERT_TRUE(Made.ok()) << Made.status().message();
  EXPECT_EQ(Runs, 1);
  EXPECT_GT(lookups(), Before);
}

// So a branch of the build function is taken once, for all calls.
TEST(SeedTest, CallsNeitherBuildNorCompile) {
  int Runs = 0;
  auto G = graph<Rows>(Model(), [&Runs](const Model &M, Rows<Trace> &Io) {
             ++Runs;
             build(M, Io);
           }).prepare({.x = {D.b, D.t}}, testConfig());
  ASSERT_TRUE(G.ok()) << G.status().message();
  fill(G->io().x);
  uint64_t Before = lookups();
  for (int64_t T = 1; T <= 64; ++T) {
    ASSERT_TRUE(G->execute({.b = T % 4 + 1, .t = T}).ok());
    EXPECT_EQ(G->io().total(0), static_cast<float>(T * (T + 1) / 2));
  }
  EXPECT_EQ(lookups(), Before);
  EXPECT_EQ(Runs, 1);
}

TEST(SeedTest, ModelsBoundVariables) {
  auto G = graph<Rows>(Model(), build);
  auto Made = G.prepare({.x = {D.b, D.t}, .t = at_most(G.model().MostTimes)},
                        testConfig());
  ASSERT_TRUE(Made.ok()) << Made.status().message();
  EXPECT_EQ(Made->io().x.size(), 4u * 24);
  EXPECT_TRUE(Made->execute({.t = 24}).ok());
  EXPECT_EQ(graphErrorOf(Made->execute({.t = 25})), GraphErrc::VarOutOfRange);
}

// While a graph is built a size is all that it may be, not its upper bound.
TEST(SeedTest, SizesHaveTheirBounds) {
  auto G = graph<Rows>(0, [](const int &, Rows<Trace> &Io) {
             EXPECT_EQ(Io.t.range(), (DimRange{3, 24}));
             EXPECT_EQ(Io.b.range(), (DimRange{1, 4}));
             EXPECT_EQ(extent(Io.x, 1), Io.t);
             EXPECT_EQ((ceilDiv(Io.t, 2) * 2).hi(), 24);
             build(Model(), Io);
           }).prepare({.x = {D.b, D.t}, .t = {3, 24}}, testConfig());
  ASSERT_TRUE(G.ok()) << G.status().message();
}

TEST(SeedTest, FixedVariablesAreNumbersInTheText) {
  auto Prepare = [](VarBounds T) {
    return graph<Rows>(Model(), build)
        .prepare({.x = {D.b, D.t}, .t = T}, testConfig());
  };
  auto Any = Prepare({std::nullopt, 37}), Fixed = Prepare(fixed(37)),
       Other = Prepare(fixed(29));
  ASSERT_TRUE(Any.ok() && Fixed.ok() && Other.ok());
  EXPECT_EQ(Any->plan().variables().size(), 2u);
  EXPECT_NE(Fixed->plan().key(), Any->plan().key());
  EXPECT_NE(Fixed->plan().key(), Other->plan().key());
  EXPECT_TRUE(hasNumber(Fixed->plan().source(), "37"));
  EXPECT_FALSE(hasNumber(Fixed->plan().source(), "29"));
  EXPECT_TRUE(hasNumber(Other->plan().source(), "29"));
  for (const GraphNode &Node : Fixed->plan().nodes())
    for (Dim Size : Node.Sizes)
      EXPECT_FALSE(Size.isConstant()) << "an argument that is always the same";

  fill(Any->io().x);
  fill(Fixed->io().x);
  ASSERT_TRUE(Any->execute({.b = 3, .t = 37}).ok());
  ASSERT_TRUE(Fixed->execute({.b = 3}).ok());
  for (int64_t B = 0; B < 3; ++B)
    for (int64_t T = 0; T < 37; ++T)
      EXPECT_EQ(Any->io().y(B, T), Fixed->io().y(B, T));
}

// An input of numbers that the build function makes smaller is that whose shape
// names the variable.
TEST(SeedTest, ShrunkInputsAreDeclaredOnes) {
  auto Declared =
      graph<Rows>(Model(), build).prepare({.x = {D.b, D.t}}, testConfig());
  auto Shrunk = graph<Rows>(Model(), [](const Model &, Rows<Trace> &Io) {
                  Tensor<float> X = shrink(shrink(Io.x, 0, Io.b), 1, Io.t);
                  Io.y = X * 2;
                  Io.total = sum(X, 1);
                }).prepare({.x = {4, 64}}, testConfig());
  ASSERT_TRUE(Declared.ok() && Shrunk.ok()) << Shrunk.status().message();
  fill(Declared->io().x);
  fill(Shrunk->io().x);
  for (int64_t T : {1, 7, 64}) {
    ASSERT_TRUE(Declared->execute({.b = 2, .t = T}).ok());
    ASSERT_TRUE(Shrunk->execute({.b = 2, .t = T}).ok());
    auto Extents = Shrunk->io().y.extents();
    EXPECT_EQ(std::vector(Extents.begin(), Extents.end()),
              (std::vector<int64_t>{2, T}));
    for (int64_t B = 0; B < 2; ++B) {
      EXPECT_EQ(Declared->io().y(B, T - 1), Shrunk->io().y(B, T - 1));
      EXPECT_EQ(Declared->io().total(B), Shrunk->io().total(B));
    }
  }
}

TEST(SeedTest, BakedNumbersAreListed) {
  auto G = graph<Rows>(Model(), [](const Model &M, Rows<Trace> &Io) {
             build(M, Io);
             Io.total = sum(Io.x, 1) + full<float>(Io.x, {1}, 4711);
           }).prepare({.x = {D.b, D.t}}, testConfig());
  ASSERT_TRUE(G.ok()) << G.status().message();
  EXPECT_NE(G->plan().source().find("0x1.267p+12"), std::string::npos)
      << "4711, in " << G->plan().source();
  std::span<const OpConstant> All = G->plan().constants();
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Name, "scale");
  EXPECT_EQ(All[0].Bytes.size(), sizeof(float));
  fill(G->io().x);
  ASSERT_TRUE(G->execute().ok());
  EXPECT_EQ(G->io().y(0, 2), 6);
  uint64_t Before = lookups();
  EXPECT_TRUE(G->rebind_constant("scale", std::vector<float>{5}).ok());
  ASSERT_TRUE(G->execute().ok());
  EXPECT_EQ(G->io().y(0, 2), 15);
  EXPECT_EQ(lookups(), Before) << "other numbers, the same kernels";
}

// A value that the build function has computed is no weight: it has no name,
// and who bakes much of it is told.
TEST(SeedTest, LargeBakedNumbersAreNoted) {
  struct Baked {
    size_t Bytes;
    const char *Name;
  };
  auto NotesOf = [](Baked Table) {
    auto Build = [Table](const Model &, Rows<Trace> &Io) {
      auto Count = static_cast<int64_t>(Table.Bytes / sizeof(float));
      std::vector<float> Computed(static_cast<size_t>(Count), 0.5F);
      Tensor<float> Value = constant(Io.x, Computed, {Count}, Table.Name);
      Io.y = Io.x * slice(Value, 0, 0, 1);
      Io.total = sum(Io.x, 1);
    };
    auto G =
        graph<Rows>(Model(), Build).prepare({.x = {D.b, D.t}}, testConfig());
    EXPECT_TRUE(G.ok()) << G.status().message();
    std::string Text = G->plan().explain();
    size_t Note = Text.find("note: ");
    return Note == std::string::npos ? std::string() : Text.substr(Note);
  };
  std::string Note = NotesOf({(1 << 20) + 4, ""});
  EXPECT_NE(Note.find("SeedTest.cpp:"), std::string::npos) << Note;
  EXPECT_NE(Note.find("constant of 1048580 bytes: is baked into the plan and "
                      "has no name"),
            std::string::npos)
      << Note;
  EXPECT_EQ(NotesOf({1 << 20, ""}), "") << "not that large";
  EXPECT_EQ(NotesOf({(1 << 20) + 4, "table"}), "") << "a weight";
}

TEST(SeedTest, BuffersDoNotMove) {
  auto G = graph<Rows>(Model(), build).prepare({.x = {D.b, D.t}}, testConfig());
  ASSERT_TRUE(G.ok()) << G.status().message();
  const float *X = G->io().x.data(), *Y = G->io().y.data();
  std::vector<float> Mine(4 * 64, 1.0F);
  fill(G->io().x);
  for (int64_t T : {64, 1, 30}) {
    ASSERT_TRUE(G->execute({.x = Mine, .t = T}).ok());
    ASSERT_TRUE(G->execute({.x = G->io().x}).ok());
    EXPECT_EQ(G->io().x.data(), X);
    EXPECT_EQ(G->io().y.data(), Y);
    EXPECT_EQ(X[63], 64) << "calls do not write into inputs";
  }
  // Also where the object goes somewhere else.
  Prepared<Rows> Moved = std::move(*G);
  ASSERT_TRUE(Moved.execute({.b = 1, .t = 2}).ok());
  EXPECT_EQ(Moved.io().y.data(), Y);
}

// Each prepared object has bounds of its own; the model is one.
TEST(SeedTest, OneModelManyBounds) {
  auto G = graph<Rows>(Model(), build);
  auto Small = G.prepare({.x = {D.b, D.t}, .t = at_most(8)}, testConfig());
  auto Large = G.prepare({.x = {D.b, D.t}}, testConfig());
  ASSERT_TRUE(Small.ok() && Large.ok());
  EXPECT_LT(Small->plan().memory().Arena, Large->plan().memory().Arena);
  fill(Small->io().x);
  fill(Large->io().x);
  ASSERT_TRUE(Small->execute({.b = 1, .t = 5}).ok());
  ASSERT_TRUE(Large->execute({.b = 1, .t = 5}).ok());
  EXPECT_EQ(Small->io().total(0), 15);
  EXPECT_EQ(Large->io().total(0), 15);
  EXPECT_FALSE(Small->execute({.t = 9}).ok());
  EXPECT_TRUE(Large->execute({.t = 9}).ok());
}

} // namespace
