//===- GraphTest.cpp - tests of prepare() and execute() -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs as programs use them, with kernels that the test has written, and each
// error that preparing and executing have. Kernels are real: they go through
// the compiler and the cache.
//
//===----------------------------------------------------------------------===//
#include "TestPlan.h"

#include <numeric>
#include <stdexcept>
#include <thread>

using namespace kpack;
using namespace kpack::jit;

namespace {

GraphErrc getCode(const Status &S) { return graphErrorOf(S); }
template <typename T> GraphErrc getCode(const Result<T> &R) {
  return graphErrorOf(R.status());
}

/// Element I of a row of Affine whose input is \p X.
float affine(float X, size_t I) { return 2 * (X + static_cast<float>(I + 1)); }

class GraphTest : public testing::Test {
protected:
  GraphTest() : G(prepareAffine()) {
    if (!G.ok()) {
      ADD_FAILURE() << G.status().message();
      std::abort();
    }
    std::span<float> X(G->io().x.data(), G->io().x.size());
    std::iota(X.begin(), X.end(), 0.0f);
  }
  /// Whether all of y is what x makes it, x as iota() has filled it.
  static bool isRight(const Prepared<Affine> &P, float Offset = 0) {
    const Out<Live, float> &Y = P.io().y;
    bool IsRight = true;
    for (int64_t B = 0; B < Y.extents()[0]; ++B)
      for (int64_t T = 0; T < Y.extents()[1]; ++T)
        for (int64_t I = 0; I < 4; ++I)
          IsRight &= Y(B, T, I) ==
                     affine(static_cast<float>((B * 100 + T) * 4 + I) + Offset,
                            static_cast<size_t>(I));
    return IsRight;
  }
  std::vector<int64_t> extents() const {
    auto All = G->io().y.extents();
    return {All.begin(), All.end()};
  }

  Result<Prepared<Affine>> G;
};

using Extents = std::vector<int64_t>;

TEST_F(GraphTest, FirstCallIsAtTheUpperBounds) {
  EXPECT_TRUE(G->execute().ok());
  EXPECT_EQ(extents(), (Extents{8, 100, 4}));
  EXPECT_EQ(G->io().b.value(), 8);
  EXPECT_TRUE(isRight(*G));
}

TEST_F(GraphTest, WarmRunLeavesNothing) {
  for (float Y : std::span(G->io().y.data(), 8 * 100 * 4))
    EXPECT_EQ(Y, 0.0f);
}

TEST_F(GraphTest, ExtentsAreThoseOfTheCall) {
  EXPECT_TRUE(G->execute({.b = 3, .t = 37}).ok());
  EXPECT_EQ(extents(), (Extents{3, 37, 4}));
  EXPECT_EQ(G->io().t.value(), 37);
  EXPECT_TRUE(isRight(*G));
  // Beyond them nothing is written.
  EXPECT_EQ(G->io().y.data()[37 * 4], 0.0f);
  EXPECT_EQ(G->io().y.data()[3 * 400], 0.0f);
}

TEST_F(GraphTest, UnboundVariablesKeepTheirValues) {
  EXPECT_TRUE(G->execute({.b = 3, .t = 37}).ok());
  EXPECT_TRUE(G->execute({.t = 5}).ok());
  EXPECT_EQ(extents(), (Extents{3, 5, 4}));
  EXPECT_TRUE(G->execute().ok());
  EXPECT_EQ(extents(), (Extents{3, 5, 4}));
  EXPECT_TRUE(G->execute({}).ok());
  EXPECT_EQ(extents(), (Extents{3, 5, 4}));
}

TEST_F(GraphTest, OutOfRangeVariablesAreRefused) {
  for (int64_t Good : {1, 100, 1})
    EXPECT_TRUE(G->execute({.t = Good}).ok()) << Good;
  EXPECT_TRUE(G->execute({.b = 2, .t = 7}).ok());
  for (int64_t Bad : {int64_t(0), int64_t(101), INT64_MIN, INT64_MAX}) {
    G->io().x.data()[0] = 1000;
    Status S = G->execute({.b = 4, .t = Bad});
    EXPECT_EQ(getCode(S), GraphErrc::VarOutOfRange) << Bad;
    EXPECT_EQ(S.message(), "t: " + std::to_string(Bad) +
                               " is not within 1 to 100; prepare the graph "
                               "with wider bounds");
    // Nothing has changed, and nothing has run.
    EXPECT_EQ(extents(), (Extents{2, 7, 4}));
    EXPECT_EQ(G->io().b.value(), 2);
    EXPECT_EQ(G->io().y(0, 0, 0), affine(0, 0));
  }
}

TEST_F(GraphTest, InputsAreBoundWithoutACopy) {
  std::vector<float> Mine(8 * 100 * 4);
  std::iota(Mine.begin(), Mine.end(), 5.0f);
  EXPECT_TRUE(G->execute({.x = Mine, .b = 3}).ok());
  EXPECT_TRUE(isRight(*G, 5));
  // It stays.
  Mine[0] = 50;
  EXPECT_TRUE(G->execute().ok());
  EXPECT_EQ(G->io().y(0, 0, 0), affine(50, 0));
  EXPECT_TRUE(G->execute({.b = 2}).ok());
  EXPECT_EQ(G->io().y(0, 0, 0), affine(50, 0));
  // A pointer, and then the graph's own memory again.
  std::vector<float> Others(8 * 100 * 4, 7.0f);
  EXPECT_TRUE(G->execute({.x = Others.data()}).ok());
  EXPECT_EQ(G->io().y(1, 1, 1), affine(7, 1));
  EXPECT_TRUE(G->execute({.x = G->io().x}).ok());
  EXPECT_TRUE(isRight(*G));
}

TEST_F(GraphTest, NullInputIsRefused) {
  const float *Nowhere = nullptr;
  std::vector<float> Empty;
  Status S = G->execute({.x = Nowhere});
  EXPECT_EQ(getCode(S), GraphErrc::InputBufferNotFound);
  EXPECT_EQ(S.message().find("x: bound to a null pointer"), 0u) << S.message();
  EXPECT_EQ(getCode(G->execute({.x = nullptr})),
            GraphErrc::InputBufferNotFound);
  EXPECT_EQ(getCode(G->execute({.x = Empty, .b = 2})),
            GraphErrc::InputBufferNotFound);
  EXPECT_EQ(extents()[0], 8) << "values of a refused call";
  EXPECT_TRUE(G->execute().ok());
  EXPECT_TRUE(isRight(*G));
}

TEST_F(GraphTest, BoundInputsAreChecked) {
  std::vector<float> Mine(8 * 100 * 4, 1.0f);
  const auto *Odd = reinterpret_cast<const float *>(
      reinterpret_cast<const char *>(Mine.data()) + 2);
  EXPECT_EQ(getCode(G->execute({.x = Odd})), GraphErrc::Misaligned);
  EXPECT_EQ(getCode(G->execute({.x = G->io().y.data()})),
            GraphErrc::DuplicateInputBuffer);
  EXPECT_EQ(getCode(G->execute({.x = G->io().x.data() + 4})),
            GraphErrc::DuplicateInputBuffer);
  const auto *Last = reinterpret_cast<const float *>(UINTPTR_MAX - 15);
  EXPECT_EQ(getCode(G->execute({.x = Last})), GraphErrc::DuplicateInputBuffer);
  EXPECT_TRUE(G->execute().ok());
  EXPECT_TRUE(isRight(*G)) << "an input that was refused is not read";

  // Rows of [2, 10] end at 1 * 400 + 10 * 4.
  EXPECT_TRUE(
      G->execute({.x = std::span(Mine).first(440), .b = 2, .t = 10}).ok());
  Status S = G->execute({.x = std::span(Mine).first(439)});
  EXPECT_EQ(getCode(S), GraphErrc::ShapeMismatch);
  EXPECT_EQ(S.message(),
            "x: bound to 1756 bytes, this call reads 1760; rows are as far "
            "apart as at the upper bounds");
  // What is bound has to do for later values, too.
  EXPECT_EQ(getCode(G->execute({.t = 11})), GraphErrc::ShapeMismatch);
  EXPECT_EQ(extents(), (Extents{2, 10, 4}));
  EXPECT_TRUE(G->execute().ok());
  EXPECT_EQ(extents(), (Extents{2, 10, 4}));
  EXPECT_TRUE(G->execute({.t = 9}).ok());
}

TEST_F(GraphTest, ClonesShareNothingThatChanges) {
  Result<Prepared<Affine>> Other = G->clone();
  ASSERT_TRUE(Other.ok());
  EXPECT_NE(Other->io().x.data(), G->io().x.data());
  EXPECT_TRUE(G->execute({.b = 1, .t = 2}).ok());
  EXPECT_TRUE(Other->execute().ok());
  EXPECT_EQ(Other->io().y.extents()[0], 8);
  EXPECT_EQ(Other->io().y(0, 0, 0), affine(0, 0)) << "its own x is 0";
  EXPECT_EQ(Other->io().y(0, 0, 3), affine(0, 3));
}

TEST_F(GraphTest, ClonesInThreads) {
  std::vector<std::thread> Threads;
  std::vector<int> Wrong(8);
  for (int I = 0; I < 8; ++I)
    Threads.emplace_back([&, I] {
      Result<Prepared<Affine>> Mine = G->clone();
      std::span<float> X(Mine->io().x.data(), Mine->io().x.size());
      std::iota(X.begin(), X.end(), static_cast<float>(I));
      for (int T = 1; T <= 100; ++T)
        Wrong[I] += !Mine->execute({.b = I + 1, .t = T}).ok() ||
                    !isRight(*Mine, static_cast<float>(I));
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Wrong, std::vector<int>(8));
}

TEST_F(GraphTest, ProfilesListKernels) {
  Result<std::vector<KernelProfile>> Times = G->execute_profiled({.b = 2});
  ASSERT_TRUE(Times.ok());
  ASSERT_EQ(Times->size(), 2u);
  EXPECT_EQ((*Times)[0].name, "add_0");
  EXPECT_EQ((*Times)[1].name, "twice_1");
  EXPECT_EQ((*Times)[0].operations, "test");
  EXPECT_EQ((*Times)[0].location, "model.cpp:80");
  EXPECT_EQ((*Times)[0].flops, 200);
  EXPECT_EQ((*Times)[0].bytes, std::nullopt);
  EXPECT_TRUE(isRight(*G));
  EXPECT_EQ(extents(), (Extents{2, 100, 4}));
  EXPECT_EQ(getCode(G->execute_profiled({.b = 9})), GraphErrc::VarOutOfRange);
}

TEST_F(GraphTest, ConstantsAreRebound) {
  Result<Prepared<Affine>> Before = G->clone();
  std::vector<float> Bias = {10, 20, 30, 40};
  EXPECT_TRUE(G->rebind_constant("bias", Bias).ok());
  EXPECT_TRUE(G->execute().ok());
  EXPECT_EQ(G->io().y(0, 1, 2), 2 * (6.0f + 30));
  Result<Prepared<Affine>> After = G->clone();
  EXPECT_TRUE(Before->execute().ok());
  EXPECT_TRUE(After->execute().ok());
  EXPECT_EQ(Before->io().y(0, 0, 1), 4.0f);
  EXPECT_EQ(After->io().y(0, 0, 1), 40.0f);
  Bias[0] = 0;
  EXPECT_TRUE(G->execute().ok());
  EXPECT_EQ(G->io().y(0, 0, 0), 20.0f) << "they are copied";

  EXPECT_EQ(getCode(G->rebind_constant("bia", Bias)),
            GraphErrc::InputBufferNotFound);
  EXPECT_EQ(getCode(G->rebind_constant("", Bias)),
            GraphErrc::InputBufferNotFound);
  EXPECT_EQ(getCode(G->rebind_constant("bias", std::vector<int32_t>(4))),
            GraphErrc::DtypeMismatch);
  EXPECT_EQ(getCode(G->rebind_constant("bias", std::vector<float>(5))),
            GraphErrc::ShapeMismatch);
}

TEST_F(GraphTest, PlansDescribeThemselves) {
  PlanInfo Plan = G->plan();
  EXPECT_EQ(Plan.inputs()[0].Name, "x");
  EXPECT_EQ(Plan.outputs()[0].Name, "y");
  EXPECT_EQ(Plan.kernels().size(), 2u);
  EXPECT_EQ(Plan.buffers().size(), 4u);
  EXPECT_EQ(Plan.constants()[0].Name, "bias");
  EXPECT_EQ(Plan.memory().Pool, 12800u);
  EXPECT_EQ(Plan.memory().Weights, 16u);
  EXPECT_EQ(Plan.key().size(), 64u);
  EXPECT_NE(Plan.source().find("void twice_1("), std::string::npos);
  EXPECT_EQ(Plan.text(), "input x: float [b, t, 4], 12800 bytes\n"
                         "weight bias: float [4], 16 bytes\n"
                         "pooled %0: float [b, t, 4], 12800 bytes\n"
                         "output y: float [b, t, 4], 12800 bytes\n"
                         "%0 = add_0(x, bias), rows b*t: test at model.cpp:80, "
                         "b*t flops\n"
                         "y = twice_1(%0), rows b*t: test at model.cpp:80, "
                         "b*t flops\n");
  bool IsCompiled = Plan.kernels()[0].Origin == KernelOrigin::Compiled;
  EXPECT_EQ(Plan.explain(),
            "2 nodes, 2 kernels, 1 constant\n"
            "b: 1 to 8\n"
            "t: 1 to 100\n"
            "memory: 39680 bytes a clone, 16 bytes of "
            "constants\n"
            "pool: 12800 bytes, 12800 without sharing, 12800 "
            "at least\n"
            "kernels: 2 " +
                (IsCompiled ? std::string("compiled") : "from memory") +
                "\nkey: " + Plan.key() + "\n");
  std::string Json = Plan.json();
  EXPECT_NE(Json.find(R"({"name":"y","role":"output","type":"float",)"
                      R"("extents":["b","t","4"],"strides":[400,4,1],)"
                      R"("bytes":12800})"),
            std::string::npos)
      << Json;
  EXPECT_NE(Json.find(R"({"kernel":1,"writes":["y"],"reads":["%0"],)"
                      R"("sizes":["t"],"rows":"b*t","bytes":null,)"
                      R"("flops":"b*t"})"),
            std::string::npos)
      << Json;
  EXPECT_NE(Plan.dot().find("b2 -> n1;\n  n1 -> b3") == std::string::npos,
            Plan.dot().find("n1 -> b3;\n  b2 -> n1;") == std::string::npos);
}

/// What prepare() of the affine graph says of its kernels.
std::string originIn(kpack_jit_cache *Cache, KernelOrigin Expected) {
  PrepareConfig Config;
  Config.cache = Cache;
  Result<Prepared<Affine>> G = prepareAffine(Config);
  EXPECT_TRUE(G.ok()) << G.status().message();
  if (!G)
    return {};
  for (const GraphKernel &Kernel : G->plan().kernels()) {
    EXPECT_EQ(Kernel.Origin, Expected);
    EXPECT_EQ(Kernel.Key, G->plan().key());
    EXPECT_EQ(Kernel.Key.size(), 64U);
  }
  std::string Json = G->plan().json();
  size_t Begin = Json.find("\"origin\":\"") + 10;
  EXPECT_EQ(Json.substr(Json.find("\"key\":\"") + 7, 64), G->plan().key());
  std::string Text = G->plan().explain();
  size_t Line = Text.find("kernels: 2 ");
  return Json.substr(Begin, Json.find('"', Begin) - Begin) + "; " +
         Text.substr(Line, Text.find('\n', Line) - Line);
}

TEST(GraphPlanTest, KernelsReportTheirOrigin) {
  (void)TestCache::get(); // names the compiler
  std::string Folder = testing::TempDir() + "kpack-graph-XXXXXX";
  ASSERT_TRUE(::mkdtemp(Folder.data()));
  kpack_jit_cache_options Options{};
  Options.size = sizeof(Options);
  Options.directory = Folder.c_str();
  Options.compile_helper = JIT_TEST_HELPER;
  Options.on_event = [](const kpack_jit_event *, void *) {};
  kpack_jit_cache *First = nullptr, *Second = nullptr;
  ASSERT_EQ(kpack_jit_cache_open(&Options, &First), KPACK_JIT_SUCCESS);
  EXPECT_EQ(originIn(First, KernelOrigin::Compiled),
            "compiled; kernels: 2 compiled");
  EXPECT_EQ(originIn(First, KernelOrigin::Memory),
            "memory; kernels: 2 from memory");
  // As another process has it.
  ASSERT_EQ(kpack_jit_cache_open(&Options, &Second), KPACK_JIT_SUCCESS);
  EXPECT_EQ(originIn(Second, KernelOrigin::File), "file; kernels: 2 from file");
  EXPECT_EQ(originIn(Second, KernelOrigin::Memory),
            "memory; kernels: 2 from memory");
  kpack_jit_cache_close(First);
  kpack_jit_cache_close(Second);
  std::error_code Ignored;
  std::filesystem::remove_all(Folder, Ignored);
}

/// y = x + (bias + bias), by operations.
void addBiasTwice(const int &, Affine<Trace> &Io) {
  OpGraph &G = *Io.x.graph();
  OpConstant C;
  C.Name = "bias";
  C.Shape = {1, 1, 4};
  float Bias[] = {1, 2, 3, 4};
  C.Bytes = ConstantBytes(std::as_bytes(std::span(Bias)));
  uint32_t Once = G.addConstant(std::move(C));
  std::vector<Dim> Shape = G.node(Once).Shape;
  uint32_t Twice =
      G.add({.Kind = OpKind::Add, .Shape = Shape, .Operands = {Once, Once}});
  Shape = G.node(Io.x.id()).Shape;
  uint32_t Wide =
      G.add({.Kind = OpKind::Expand, .Shape = Shape, .Operands = {Twice}});
  Io.y = Tensor<float>(&G, G.add({.Kind = OpKind::Add,
                                  .Shape = Shape,
                                  .Operands = {Io.x.id(), Wide}}));
}

TEST(GraphOpsTest, ProfilesCountBytesAndOperations) {
  constexpr Affine<Names> D = InterfaceOf<Affine>::positions();
  auto G = graph<Affine>(0, addBiasTwice)
               .prepare({.x = {D.b, D.t, 4}}, testConfig());
  ASSERT_TRUE(G.ok()) << G.status().message();
  for (int64_t T : {3, 100}) {
    auto Times = G->execute_profiled({.b = 2, .t = T});
    ASSERT_TRUE(Times.ok());
    ASSERT_EQ(Times->size(), 1U);
    EXPECT_EQ((*Times)[0].bytes, 2 * 4 * (2 * T * 4) + 16);
    EXPECT_EQ((*Times)[0].flops, 2 * T * 4 + 4);
  }
  EXPECT_NE(G->plan().json().find(R"("bytes":"32*b*t + 16",)"
                                  R"("flops":"4*b*t + 4")"),
            std::string::npos)
      << G->plan().json();
}

// What is derived from a constant is computed again where that is replaced.
TEST(GraphOpsTest, ConstantsAreDerived) {
  constexpr Affine<Names> D = InterfaceOf<Affine>::positions();
  for (bool Fuse : {true, false}) {
    PrepareConfig Config = testConfig();
    Config.fuse = Fuse;
    auto G =
        graph<Affine>(0, addBiasTwice).prepare({.x = {D.b, D.t, 4}}, Config);
    ASSERT_TRUE(G.ok()) << G.status().message();
    EXPECT_EQ(G->plan().kernels().size(), Fuse ? 1u : 2u) << G->plan().text();
    G->io().x.data()[404] = 5;
    EXPECT_TRUE(G->execute({.b = 2, .t = 3}).ok());
    EXPECT_EQ(G->io().y(1, 1, 0), 7.0f);
    EXPECT_EQ(G->io().y(0, 2, 3), 8.0f);
    Result<Prepared<Affine>> Before = G->clone();
    EXPECT_TRUE(G->rebind_constant("bias", std::vector<float>(4, 10)).ok());
    Result<Prepared<Affine>> After = G->clone();
    EXPECT_TRUE(G->execute().ok() && Before->execute().ok() &&
                After->execute().ok());
    EXPECT_EQ(G->io().y(1, 1, 0), 25.0f);
    EXPECT_EQ(Before->io().y(1, 1, 0), 2.0f);
    EXPECT_EQ(After->io().y(1, 1, 0), 20.0f);
  }
}

//===----------------------------------------------------------------------===//
// Preparing
//===----------------------------------------------------------------------===//

constexpr Affine<Names> D = InterfaceOf<Affine>::positions();

PrepareConfig affineConfig() {
  PrepareConfig Config = testConfig();
  Config.lower = lowerAffine;
  return Config;
}

TEST(GraphPrepareTest, FixedVariablesAreConstants) {
  auto G = affineGraph().prepare({.x = {D.b, D.t, 4}, .b = fixed(2)},
                                 affineConfig());
  ASSERT_TRUE(G.ok()) << G.status().message();
  EXPECT_EQ(G->plan().inputs()[0].Extents[0].hi(), 2);
  EXPECT_EQ(G->io().b.value(), 2);
  EXPECT_TRUE(G->execute({.b = 2, .t = 3}).ok());
  EXPECT_EQ(G->io().y.extents()[0], 2);
  EXPECT_EQ(G->io().y.extents()[1], 3);
  Status S = G->execute({.b = 1});
  EXPECT_EQ(getCode(S), GraphErrc::VarOutOfRange);
  EXPECT_EQ(S.message(), "b: 1 is not within 2 to 2; prepare the graph with "
                         "wider bounds");
}

TEST(GraphPrepareTest, BadBoundsAreRefused) {
  for (VarBounds Bad : {at_most(0), at_least(101), fixed(0), VarBounds{5, 4}})
    EXPECT_EQ(getCode(affineGraph().prepare({.x = {1, D.t, 4}, .t = Bad},
                                            affineConfig())),
              GraphErrc::BadBounds);
  EXPECT_TRUE(affineGraph()
                  .prepare({.x = {1, D.t, 4}, .t = {1, 100}}, affineConfig())
                  .ok());
}

TEST(GraphPrepareTest, BadShapesAreRefused) {
  auto Prepare = [](std::vector<Extent> Shape) {
    return getCode(affineGraph().prepare(
        {.x = In<Spec, float>(std::move(Shape))}, affineConfig()));
  };
  EXPECT_EQ(Prepare({1, 0, 4}), GraphErrc::ShapeMismatch);
  EXPECT_EQ(Prepare({1, -1, 4}), GraphErrc::ShapeMismatch);
  EXPECT_EQ(Prepare(std::vector<Extent>(9, 1)), GraphErrc::ShapeMismatch);
  EXPECT_EQ(Prepare({INT64_MAX, D.t, 4}), GraphErrc::ShapeMismatch);
  // That of another interface.
  Var<Names, 1, 8> Foreign;
  Foreign.Place = 17;
  EXPECT_EQ(Prepare({1, Foreign, 4}), GraphErrc::ShapeMismatch);
}

template <typename Builder>
auto prepareWith(Builder Build, PrepareConfig Config) {
  return graph<Affine>(0, Build).prepare({.x = {D.b, D.t, 4}}, Config);
}
template <typename Builder> auto prepareWith(Builder Build) {
  return prepareWith(Build, affineConfig());
}

TEST(GraphPrepareTest, BuildFunctionsReturn) {
  auto Works = [](auto G) { return G.ok() && G->execute().ok(); };
  EXPECT_TRUE(Works(prepareWith([](const int &, Affine<Trace> &Io) {
    Io.y = Io.x;
    return Status::success();
  })));
  EXPECT_TRUE(Works(prepareWith(
      [](const int &, Affine<Trace> &Io) -> Tensor<float> { return Io.x; })));
  EXPECT_TRUE(Works(
      prepareWith([](const int &, Affine<Trace> &Io) -> Result<Tensor<float>> {
        return Tensor<float>(Io.x);
      })));
}

TEST(GraphPrepareTest, BuildFunctionsFail) {
  Status Inner(StatusCode::FileNotFound, "weights.bin: is not there");
  auto A = prepareWith([=](const int &, Affine<Trace> &) { return Inner; });
  auto B =
      prepareWith([=](const int &, Affine<Trace> &) -> Result<Tensor<float>> {
        return Inner;
      });
  for (const Status &S : {A.status(), B.status()}) {
    EXPECT_EQ(getCode(S), GraphErrc::Build);
    EXPECT_EQ(S.code(), StatusCode::FileNotFound);
    EXPECT_EQ(S.message(), "build: weights.bin: is not there");
  }
  auto C = prepareWith([](const int &, Affine<Trace> &Io) {
    Io.y = Io.x;
    throw std::runtime_error("no weights");
  });
  EXPECT_EQ(getCode(C), GraphErrc::Build);
  EXPECT_EQ(C.status().message(), "build: no weights");
  auto E = prepareWith([](const int &, Affine<Trace> &) { throw 5; });
  EXPECT_EQ(E.status().message(), "build: threw an unknown exception");
}

TEST(GraphPrepareTest, OutputsAreAssigned) {
  auto None = prepareWith([](const int &, Affine<Trace> &) {});
  EXPECT_EQ(getCode(None), GraphErrc::Build);
  EXPECT_EQ(None.status().message(), "y: the build function assigned no tensor "
                                     "of this graph; assign one");
  OpGraph Others;
  uint32_t Node = Others.addInput({"z", ElementType::Float32, {}});
  auto Foreign = prepareWith([&](const int &, Affine<Trace> &Io) {
    Io.y = Tensor<float>(&Others, Node);
  });
  EXPECT_EQ(getCode(Foreign), GraphErrc::Build);
  auto Other = prepareWith([](const int &, Affine<Trace> &Io) {
    OpNode Node{.Kind = OpKind::Full, .Type = ElementType::Int32, .Shape = {}};
    Io.y = Tensor<float>(Io.x.graph(), Io.x.graph()->add(Node));
  });
  EXPECT_EQ(getCode(Other), GraphErrc::DtypeMismatch);
}

TEST(GraphPrepareTest, ExtraVariablesAreRefused) {
  auto G = prepareWith([](const int &, Affine<Trace> &Io) {
    (void)Io.x.graph()->dims().variable("more", {1, 2});
    Io.y = Io.x;
  });
  EXPECT_EQ(getCode(G), GraphErrc::Build);
}

TEST(GraphPrepareTest, FailedOperationsFailPrepare) {
  auto A = prepareWith([](const int &, Affine<Trace> &Io) {
    Io.x.graph()->refuse(Status(StatusCode::InvalidArgument, "add: no"));
    return Status(StatusCode::InvalidArgument, "what came of it");
  });
  EXPECT_EQ(getCode(A), GraphErrc::Tensor);
  EXPECT_EQ(A.status().message(), "add: no");
  auto B = prepareWith([](const int &, Affine<Trace> &Io) {
    Io.x.graph()->refuse(graphFailure(GraphErrc::ShapeMismatch, "add: no"));
  });
  EXPECT_EQ(getCode(B), GraphErrc::ShapeMismatch);
  auto C = prepareWith([](const int &, Affine<Trace> &Io) {
    (void)(Io.t / Io.x.graph()->dims().constant(0));
    Io.y = Io.x;
  });
  EXPECT_EQ(getCode(C), GraphErrc::Tensor);
}

TEST(GraphPrepareTest, TracesThatDiverge) {
  int Clock = 0;
  auto Build = [&Clock](const int &, Affine<Trace> &Io) {
    OpNode Node{.Kind = OpKind::Full,
                .Shape = {},
                .Value = static_cast<double>(Clock++)};
    Io.x.graph()->add(Node);
    Io.y = Io.x;
  };
  PrepareConfig Config = affineConfig();
  EXPECT_TRUE(prepareWith(Build, Config).ok());
  Config.verify_trace = true;
  auto G = prepareWith(Build, Config);
  EXPECT_EQ(getCode(G), GraphErrc::TraceDiverged);
  EXPECT_EQ(G.status().message(),
            "build: wrote '%1 = full float[] value 1', then '%1 = full "
            "float[] value 2'; what changes between calls belongs into inputs "
            "and variables");
  auto Weights = [&Clock](const int &, Affine<Trace> &Io) {
    OpConstant C;
    C.Shape = {1};
    float Now[] = {static_cast<float>(Clock++)};
    C.Bytes = ConstantBytes(std::as_bytes(std::span(Now)));
    Io.x.graph()->addConstant(std::move(C));
    Io.y = Io.x;
  };
  EXPECT_EQ(getCode(prepareWith(Weights, Config)), GraphErrc::TraceDiverged);
  EXPECT_TRUE(prepareWith(firstInput(), Config).ok());
}

template <class P> struct TwoIns {
  In<P, float> x{}, z{};
  Out<P, float> y{};
};

Result<GraphPlan> lowerTwoIns(OpGraph Ops) {
  std::vector<Dim> Shape = Ops.inputs()[0].Shape;
  PlanWriter W(std::move(Ops));
  uint32_t X = W.input(0), Z = W.input(1), Y = W.output(0, Shape);
  uint32_t Add = W.kernel(
      "add_0", "  for (long long i = first; i < last; ++i)\n"
               "    ((float *)buffers[0])[i] = ((float *)buffers[1])[i] +\n"
               "                               ((float *)buffers[2])[i];\n");
  W.node(Add, {Y, X, Z}, {}, Shape[0]);
  return W.finish();
}

TEST(GraphPrepareTest, UnusedInputsAreNoted) {
  PrepareConfig Config = testConfig();
  Config.lower = lowerTwoIns;
  auto Two =
      graph<TwoIns>(0, [](const int &, TwoIns<Trace> &Io) { Io.y = Io.x; });
  auto G = Two.prepare({.x = {4}, .z = {4}}, Config);
  ASSERT_TRUE(G.ok()) << G.status().message();
  std::string Note = "z: no output depends on this input; use it in the build "
                     "function, or leave it out";
  EXPECT_NE(G->plan().explain().find("note: " + Note + "\n"),
            std::string::npos);
  Config.strict = true;
  auto Strict = Two.prepare({.x = {4}, .z = {4}}, Config);
  EXPECT_EQ(getCode(Strict), GraphErrc::InputBufferNotFound);
  EXPECT_EQ(Strict.status().message(), Note);
}

TEST(GraphPrepareTest, OverlappingInputsAreRefused) {
  PrepareConfig Config = testConfig();
  Config.lower = lowerTwoIns;
  auto Two =
      graph<TwoIns>(0, [](const int &, TwoIns<Trace> &Io) { Io.y = Io.x; });
  auto G = Two.prepare({.x = {4}, .z = {4}}, Config);
  ASSERT_TRUE(G.ok()) << G.status().message();
  std::vector<float> Mine = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_TRUE(G->execute({.x = Mine.data(), .z = Mine.data() + 4}).ok());
  EXPECT_EQ(G->io().y(3), 12.0f);
  Status S = G->execute({.x = Mine.data(), .z = Mine.data() + 3});
  EXPECT_EQ(getCode(S), GraphErrc::DuplicateInputBuffer);
  EXPECT_EQ(S.message(),
            "z: overlaps with x; give each input elements of its own");
  // Also with what was bound before, and with the memory of the other input.
  EXPECT_EQ(getCode(G->execute({.z = Mine.data() + 1})),
            GraphErrc::DuplicateInputBuffer);
  EXPECT_EQ(getCode(G->execute({.z = G->io().x})),
            GraphErrc::DuplicateInputBuffer);
  EXPECT_TRUE(G->execute().ok());
  EXPECT_EQ(G->io().y(3), 12.0f);

  Config.lower = [](OpGraph Ops) {
    Result<GraphPlan> Plan = lowerTwoIns(std::move(Ops));
    Plan->Inputs[1] = Plan->Inputs[0];
    return Plan;
  };
  EXPECT_EQ(getCode(Two.prepare({.x = {4}, .z = {4}}, Config)),
            GraphErrc::DuplicateInputBuffer);
}

TEST(GraphPrepareTest, EnvironmentIsRead) {
  ::setenv("KPACK_JIT_GRAPH_STRICT", "True", 1);
  ::setenv("KPACK_JIT_GRAPH_WARM_RUN", "0", 1);
  ::setenv("KPACK_JIT_GRAPH_MATH", "fast", 1);
  ::setenv("KPACK_JIT_GRAPH_TARGET", "x86-64-v2", 1);
  PrepareConfig Config = PrepareConfig::from_env();
  EXPECT_TRUE(Config.environment.ok());
  EXPECT_TRUE(Config.strict);
  EXPECT_FALSE(Config.verify_trace);
  EXPECT_FALSE(Config.warm_run);
  EXPECT_EQ(Config.math, MathMode::Fast);
  EXPECT_EQ(Config.target, "x86-64-v2");
  ::setenv("KPACK_JIT_GRAPH_MATH", "quick", 1);
  Result<Prepared<Affine>> G =
      affineGraph().prepare({.x = {1, 1, 4}}, PrepareConfig::from_env());
  EXPECT_EQ(G.status().message(), "KPACK_JIT_GRAPH_MATH=quick: has no meaning; "
                                  "give it strict, relaxed or fast");
  for (const char *Name : {"STRICT", "WARM_RUN", "MATH", "TARGET"})
    ::unsetenv((std::string("KPACK_JIT_GRAPH_") + Name).c_str());
  EXPECT_TRUE(PrepareConfig::from_env().environment.ok());
}

// A CPU has no grids, but what is asked must make sense there, too.
TEST(GraphPrepareTest, BucketsAreWithinBounds) {
  PrepareConfig Config = testConfig();
  Config.buckets = bucketsOf<Affine>({{.t = 4}, {.b = 2, .t = 100}});
  ASSERT_EQ(Config.buckets.size(), 2u);
  EXPECT_EQ(Config.buckets[1], (SizeBucket{{"b", 2}, {"t", 100}}));
  Result<Prepared<Affine>> G = prepareAffine(Config);
  ASSERT_TRUE(G.ok()) << G.status().message();
  EXPECT_NE(G->plan().explain().find("note: buckets: there is no graph"),
            std::string::npos);
  EXPECT_NE(G->plan().json().find("\"buckets\":[]"), std::string::npos);
  Config.buckets = bucketsOf<Affine>({{.t = 101}});
  EXPECT_EQ(getCode(prepareAffine(Config)), GraphErrc::BadBounds);
  Config.buckets = {{{"none", 1}}};
  EXPECT_EQ(getCode(prepareAffine(Config)), GraphErrc::BadBounds);
}

TEST(GraphPrepareTest, EnvironmentSelectsTheDevice) {
  PrepareConfig Default = PrepareConfig::from_env();
  EXPECT_EQ(Default.where, GraphTarget::Cpu);
  EXPECT_EQ(Default.device, -1);
  EXPECT_FALSE(Default.one_launch);
  ::setenv("KPACK_JIT_GRAPH_WHERE", "hip", 1);
  ::setenv("KPACK_JIT_GRAPH_DEVICE", "3", 1);
  ::setenv("KPACK_JIT_GRAPH_REPLAY", "graph", 1);
  PrepareConfig Config = PrepareConfig::from_env();
  EXPECT_TRUE(Config.environment.ok());
  EXPECT_EQ(Config.where, GraphTarget::Hip);
  EXPECT_EQ(Config.device, 3);
  EXPECT_TRUE(Config.one_launch);
  for (auto [Name, Value, Accepted] :
       {std::tuple("WHERE", "gpu", "cpu, hip or cuda"),
        std::tuple("DEVICE", "-1", "the number of a GPU, from 0 on"),
        std::tuple("DEVICE", "1x", "the number of a GPU, from 0 on"),
        std::tuple("REPLAY", "stream", "launches or graph")}) {
    std::string Variable = std::string("KPACK_JIT_GRAPH_") + Name;
    std::string Before = std::getenv(Variable.c_str());
    ::setenv(Variable.c_str(), Value, 1);
    EXPECT_EQ(PrepareConfig::from_env().environment.message(),
              Variable + "=" + Value + ": has no meaning; give it " + Accepted);
    ::setenv(Variable.c_str(), Before.c_str(), 1);
  }
  for (const char *Name : {"WHERE", "DEVICE", "REPLAY"})
    ::unsetenv((std::string("KPACK_JIT_GRAPH_") + Name).c_str());
}

// A graph lives in its closure: a model is moved, once, and shared.
TEST(GraphPrepareTest, ModelIsMovedIntoTheGraph) {
  auto G = graph<Affine>(std::make_unique<int>(7),
                         [](const std::unique_ptr<int> &M, Affine<Trace> &Io) {
                           EXPECT_EQ(*M, 7);
                           Io.y = Io.x;
                         });
  EXPECT_EQ(*G.model(), 7);
  EXPECT_TRUE(G.prepare({.x = {D.b, D.t, 4}}, affineConfig()).ok());
  EXPECT_TRUE(
      G.prepare({.x = {D.b, D.t, 4}, .t = at_most(5)}, affineConfig()).ok());
}

} // namespace
