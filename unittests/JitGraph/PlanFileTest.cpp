//===- PlanFileTest.cpp - tests of plan files -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is saved is executed by who knows nothing of the graph, in C++ and in C;
// what is damaged is refused, or is another correct plan.
//
//===----------------------------------------------------------------------===//
#include "TestPlan.h"

#include "JitGraph/Graph/PlanFile.h"
#include "JitGraph/Sizes/DimText.h"
#include "kpack/JitGraph/AnyGraph.h"
#include "kpack/JitGraph/Ops.h"
#include "kpack/Support/OutputFile.h"
#include "kpack/kpack_jit_graph.h"

#include <fstream>
#include <map>
#include <random>

using namespace kpack;
using namespace kpack::jit;

namespace {

GraphErrc getCode(const Status &S) { return graphErrorOf(S); }

class PlanFileTest : public testing::Test {
protected:
  PlanFileTest() : G(prepareAffine()) {
    EXPECT_TRUE(G.ok()) << G.status().message();
    std::string Pattern = testing::TempDir() + "kpack-plan-XXXXXX";
    Folder = ::mkdtemp(Pattern.data());
    Path = Folder + "/plan";
  }
  ~PlanFileTest() override { std::filesystem::remove_all(Folder); }

  std::string bytes() const { return writePlan(G->replay().plan()); }

  Result<Prepared<Affine>> G;
  std::string Folder, Path;
};

TEST_F(PlanFileTest, PlansRoundTrip) {
  std::string Bytes = bytes();
  Result<GraphPlan> Read = readPlan(Bytes, "plan");
  ASSERT_TRUE(Read.ok()) << Read.status().message();
  EXPECT_EQ(writePlan(*Read), Bytes);
  EXPECT_EQ(Read->Source, G->replay().plan().Source);
  EXPECT_EQ(toText(Read->Nodes[1].Rows), "b*t");
  EXPECT_EQ(Read->Ops.dims().variables()[1].Range, (DimRange{1, 100}));
}

// All kinds of sizes, also those of numbers below zero.
TEST_F(PlanFileTest, SizesRoundTrip) {
  PrepareConfig Config = testConfig();
  Config.lower = [](OpGraph Ops) {
    Result<GraphPlan> Plan = lowerAffine(std::move(Ops));
    Dim B = Plan->Ops.inputs()[0].Shape[0], T = Plan->Ops.inputs()[0].Shape[1];
    GraphNode &N = Plan->Nodes[0];
    for (Dim D : {(T - 1) / 2 + 1, T % 7, min(T, B * 3), max(T, B),
                  (T * T - T) / B * 5 + 3, min(max(T, B), T % 3 + 9),
                  Plan->Ops.dims().constant(17), B * B * T - B * T + 100})
      N.Sizes.push_back(D);
    return Plan;
  };
  Result<Prepared<Affine>> Odd = prepareAffine(Config);
  ASSERT_TRUE(Odd.ok()) << Odd.status().message();
  const GraphPlan &Old = Odd->replay().plan();
  Result<GraphPlan> Read = readPlan(writePlan(Old), "plan");
  ASSERT_TRUE(Read.ok()) << Read.status().message();
  ASSERT_EQ(Read->Nodes[0].Sizes.size(), Old.Nodes[0].Sizes.size());
  for (size_t I = 0; I < Old.Nodes[0].Sizes.size(); ++I)
    EXPECT_EQ(toText(Read->Nodes[0].Sizes[I]), toText(Old.Nodes[0].Sizes[I]));
}

/// z = x + y, of sizes that are equal in each call.
template <class P> struct Pairs {
  In<P, float> x{}, y{};
  Out<P, float> z{};
  Var<P, 1, 8> a{};
  Var<P, 1, 100> b{};
};

Result<Prepared<Pairs>> preparePairs() {
  constexpr Pairs<Names> D = InterfaceOf<Pairs>::positions();
  return graph<Pairs>(0,
                      [](const int &, Pairs<Trace> &Io) {
                        assume_eq(Io.x, Io.a, Io.b);
                        Io.z = Io.x + Io.y;
                      })
      .prepare({.x = {D.a}, .y = {D.b}}, testConfig());
}

TEST_F(PlanFileTest, GuardsAreKept) {
  Result<Prepared<Pairs>> Guarded = preparePairs();
  ASSERT_TRUE(Guarded.ok()) << Guarded.status().message();
  ASSERT_TRUE(AnyGraph::save(Guarded->replay(), Path).ok());
  Result<AnyGraph> Any = AnyGraph::load(Path, testConfig());
  ASSERT_TRUE(Any.ok()) << Any.status().message();
  EXPECT_EQ(getCode(Any->execute()), GraphErrc::ShapeMismatch)
      << "the upper bounds are not equal";
  float X[5] = {1, 2, 3, 4, 5}, Y[5] = {10, 20, 30, 40, 50};
  auto Call = [&](int64_t A, int64_t B) {
    EXPECT_TRUE(Any->set("a", A).ok());
    EXPECT_TRUE(Any->set("b", B).ok());
    EXPECT_TRUE(Any->bind("x", X, sizeof(X)).ok());
    EXPECT_TRUE(Any->bind("y", Y, sizeof(Y)).ok());
    return Any->execute();
  };
  EXPECT_TRUE(Call(5, 5).ok());
  EXPECT_EQ(Call(5, 4).message(),
            "a and b: are assumed to be equal, and are 5 and 4; call with "
            "values that make them so");
  EXPECT_TRUE(Any->execute().ok()) << "as before";
  Result<AnyGraph::Tensor> Z = Any->output("z");
  ASSERT_TRUE(Z.ok());
  EXPECT_EQ(Z->Extents, std::vector<int64_t>{5});
  EXPECT_EQ(static_cast<float *>(Z->Data)[4], 55.0F);

  // Who does not know of guards must not execute it.
  std::string Bytes = writePlan(Guarded->replay().plan());
  EXPECT_EQ(Bytes.substr(0, 8), "KPGRAPH2");
  EXPECT_EQ(bytes().substr(0, 8), "KPGRAPH1");
  Result<GraphPlan> Read = readPlan(Bytes, "plan");
  ASSERT_TRUE(Read.ok()) << Read.status().message();
  EXPECT_EQ(writePlan(*Read), Bytes);
  ASSERT_EQ(Read->Ops.guards().size(), 1U);
  EXPECT_EQ(toText(Read->Ops.guards()[0].A), "a");
}

// The corpus of the fuzzer, which is never written again: what a version has
// written, later ones read; and files that no version has written.
TEST_F(PlanFileTest, GoldenPlansAreReadOrRefused) {
  std::map<std::string, std::string> Reasons = {
      {"1 affine", ""},
      {"1 sizes", ""},
      {"1 guards", "guards, which this version has not"},
      {"2 affine", "of a version with guards, and has none"},
      {"2 sizes", "of a version with guards, and has none"},
      {"2 guards", ""},
      {"2 guards-none", "of a version with guards, and has none"},
      {"2 guards-of-one", "not a list of 2"},
      {"2 guards-of-nothing", "a guard of a size that is none"},
      {"2 guards-outside", "not a number, or one that is too large"},
      {"2 guards-cut", "cut off"},
      {"1 checksum", ""},
      {"2 checksum-guards", ""},
      {"1 checksum-guards", "its content is not that of its checksum"},
      {"1 checksum-weight", "its content is not that of its checksum"},
      {"1 checksum-wrong", "its content is not that of its checksum"},
      {"1 checksum-magic", "the checksum is damaged"},
      {"1 checksum-cut", "the checksum is damaged"},
      {"1 checksum-twice", "its content is not that of its checksum"},
  };
  for (const auto &[File, Reason] : Reasons) {
    SCOPED_TRACE(File);
    std::ifstream In(JIT_TEST_PLANS + ("/" + File.substr(2)), std::ios::binary);
    std::string Bytes((std::istreambuf_iterator<char>(In)), {});
    ASSERT_FALSE(Bytes.empty());
    Result<GraphPlan> Read =
        readPlan("KPGRAPH" + File.substr(0, 1) + Bytes, "plan");
    EXPECT_EQ(Read.ok(), Reason.empty());
    if (Read.ok()) {
      // Those of before there were checksums have none.
      std::string Written = writePlan(*Read).substr(8);
      EXPECT_EQ(File.find("checksum") == std::string::npos
                    ? withoutChecksum(Written)
                    : Written,
                Bytes);
      continue;
    }
    EXPECT_EQ(Read.status().code(), StatusCode::InvalidFormat);
    EXPECT_NE(Read.status().message().find(Reason), std::string::npos)
        << Read.status().message();
  }
}

TEST_F(PlanFileTest, DamagedPlansAreRefused) {
  std::string Bytes = bytes(), Unchecked = withoutChecksum(Bytes);
  // What is cut off in front of the checksum is whole.
  for (size_t I = 0; I < Bytes.size(); ++I)
    EXPECT_EQ(readPlan(std::string_view(Bytes).substr(0, I), "plan").ok(),
              I == Unchecked.size());
  Status S = readPlan("KPGRAPH3" + Bytes.substr(8), "plan").status();
  EXPECT_EQ(S.code(), StatusCode::UnsupportedVersion);
  EXPECT_EQ(readPlan("no plan", "plan").status().code(),
            StatusCode::InvalidFormat);
  // Each bit, and two at once.
  std::mt19937 Random(6);
  for (size_t I = 0; I < Bytes.size() * 8; ++I) {
    std::string Damaged = Bytes;
    Damaged[I / 8] = static_cast<char>(Damaged[I / 8] ^ 1 << I % 8);
    EXPECT_FALSE(readPlan(Damaged, "plan").ok()) << I;
    size_t Other = Random() % Bytes.size();
    Damaged[Other] = static_cast<char>(Damaged[Other] ^ 1 << Random() % 8);
    EXPECT_EQ(readPlan(Damaged, "plan").ok(), Damaged == Bytes) << I;
  }
  // Without a checksum, each byte, and some at once: no crash, and what is
  // accepted is a plan that could be written again.
  for (size_t I = 0; I < 20000; ++I) {
    std::string Damaged = Unchecked;
    for (size_t Count = 1 + I % 3; Count; --Count)
      Damaged[Random() % Damaged.size()] = static_cast<char>(Random());
    if (Result<GraphPlan> Read = readPlan(Damaged, "plan"); Read.ok())
      (void)writePlan(*Read);
  }
}

TEST_F(PlanFileTest, DamagedGuardsAreRefused) {
  Result<Prepared<Pairs>> Guarded = preparePairs();
  ASSERT_TRUE(Guarded.ok()) << Guarded.status().message();
  std::string Bytes = withoutChecksum(writePlan(Guarded->replay().plan()));
  for (size_t I = 0; I < Bytes.size(); ++I)
    EXPECT_FALSE(readPlan(std::string_view(Bytes).substr(0, I), "plan").ok());
  // The end is where they are.
  std::mt19937 Random(8);
  size_t Guards = Bytes.rfind("guards");
  ASSERT_NE(Guards, std::string::npos);
  for (size_t I = 0; I < 5000; ++I) {
    std::string Damaged = Bytes;
    size_t Offset = Guards + Random() % (Bytes.size() - Guards);
    Damaged[Offset] = static_cast<char>(Random());
    if (Result<GraphPlan> Read = readPlan(Damaged, "plan"); Read.ok())
      EXPECT_FALSE(Read->Ops.guards().empty());
  }
}

TEST_F(PlanFileTest, SavedPlansAreExecuted) {
  ASSERT_TRUE(AnyGraph::save(G->replay(), Path).ok());
  Result<AnyGraph> Any = AnyGraph::load(Path, testConfig());
  ASSERT_TRUE(Any.ok()) << Any.status().message();
  std::vector<float> Mine(3200, 5.0f);
  EXPECT_TRUE(Any->set("b", 2).ok());
  EXPECT_TRUE(Any->set("t", 3).ok());
  EXPECT_TRUE(Any->bind("x", Mine.data(), 3200 * 4).ok());
  EXPECT_TRUE(Any->execute().ok());
  Result<AnyGraph::Tensor> Y = Any->output("y");
  ASSERT_TRUE(Y.ok());
  EXPECT_EQ(Y->Extents, (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(Y->Strides, (std::vector<int64_t>{400, 4, 1}));
  EXPECT_EQ(static_cast<float *>(Y->Data)[401], 14.0f);
  // What a call that fails was given is forgotten.
  EXPECT_TRUE(Any->set("b", 9).ok());
  EXPECT_TRUE(Any->set("t", 4).ok());
  EXPECT_EQ(getCode(Any->execute()), GraphErrc::VarOutOfRange);
  EXPECT_TRUE(Any->execute().ok());
  EXPECT_EQ(Any->output("y")->Extents[1], 3);
  // The graph's own memory again.
  EXPECT_TRUE(Any->bind("x", nullptr, 0).ok());
  EXPECT_TRUE(Any->execute().ok());
  EXPECT_EQ(static_cast<float *>(Y->Data)[401], 4.0f);
  EXPECT_EQ(Any->input("x")->Extents, (std::vector<int64_t>{8, 100, 4}));

  EXPECT_EQ(getCode(Any->set("q", 1)), GraphErrc::InputBufferNotFound);
  EXPECT_EQ(getCode(Any->bind("y", nullptr, 0)),
            GraphErrc::InputBufferNotFound);
  EXPECT_EQ(getCode(Any->output("x").status()), GraphErrc::InputBufferNotFound);
  EXPECT_EQ(AnyGraph::load(Folder + "/none", testConfig()).status().code(),
            StatusCode::FileNotFound);
}

TEST_F(PlanFileTest, UnpreparedGraphIsRefused) {
  AnyGraph None;
  for (const Status &S :
       {None.execute(), None.execute_async().status(), None.set("b", 1),
        None.bind("x", nullptr, 0), None.input("x").status(),
        None.output("y").status(), None.plan().status(), None.clone().status()})
    EXPECT_EQ(getCode(S), GraphErrc::NotPrepared);
}

TEST_F(PlanFileTest, PlansWorkThroughTheCApi) {
  ASSERT_TRUE(AnyGraph::save(G->replay(), Path).ok());
  kpack_jit_graph *Loaded = nullptr, *Clone = nullptr;
  ASSERT_EQ(kpack_jit_graph_load(Path.c_str(), TestCache::get(), &Loaded), 0)
      << kpack_jit_graph_last_error();
  float Mine[16] = {1, 2, 3, 4};
  EXPECT_EQ(kpack_jit_graph_set_variable(Loaded, "b", 1), 0);
  EXPECT_EQ(kpack_jit_graph_set_variable(Loaded, "t", 4), 0);
  EXPECT_EQ(kpack_jit_graph_bind_input(Loaded, "x", Mine, sizeof(Mine)), 0);
  EXPECT_EQ(kpack_jit_graph_execute(Loaded), 0);
  kpack_jit_tensor Y{};
  Y.size = sizeof(Y);
  EXPECT_EQ(kpack_jit_graph_output(Loaded, "y", &Y), 0);
  EXPECT_EQ(Y.rank, 3u);
  EXPECT_EQ(Y.extents[1], 4);
  EXPECT_EQ(Y.type, KPACK_JIT_FLOAT32);
  EXPECT_EQ(static_cast<float *>(Y.data)[3], 16.0f);
  EXPECT_EQ(kpack_jit_graph_set_variable(Loaded, "t", 5), 0);
  EXPECT_EQ(kpack_jit_graph_execute(Loaded), KPACK_JIT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(kpack_jit_graph_last_error_detail(),
            KPACK_JIT_GRAPH_SHAPE_MISMATCH);
  EXPECT_EQ(std::string(kpack_jit_graph_last_error()).substr(0, 2), "x:");
  // A shorter structure of an earlier version.
  kpack_jit_tensor Short{};
  Short.size = offsetof(kpack_jit_tensor, type);
  Short.rank = 17;
  EXPECT_EQ(kpack_jit_graph_output(Loaded, "y", &Short), 0);
  EXPECT_EQ(Short.data, Y.data);
  EXPECT_EQ(Short.rank, 17u);

  // A CPU has run a call when it has begun.
  kpack_jit_graph_event *Begun = nullptr;
  EXPECT_EQ(kpack_jit_graph_set_variable(Loaded, "t", 3), 0);
  EXPECT_EQ(kpack_jit_graph_execute_async(Loaded, nullptr, &Begun), 0);
  EXPECT_EQ(kpack_jit_graph_output(Loaded, "y", &Y), 0);
  EXPECT_EQ(Y.extents[1], 3);
  EXPECT_TRUE(kpack_jit_graph_event_done(Begun));
  EXPECT_TRUE(kpack_jit_graph_event_inputs_consumed(Begun));
  EXPECT_EQ(kpack_jit_graph_event_wait(Begun), 0);
  EXPECT_EQ(kpack_jit_graph_event_wait_for_inputs(Begun), 0);
  kpack_jit_graph_event_destroy(Begun);
  EXPECT_NE(kpack_jit_graph_execute_async(Loaded, &Y, nullptr), 0);
  EXPECT_EQ(kpack_jit_graph_last_error_detail(), KPACK_JIT_GRAPH_DEVICE);

  EXPECT_EQ(kpack_jit_graph_clone(Loaded, &Clone), 0);
  kpack_jit_graph_destroy(Loaded);
  EXPECT_EQ(kpack_jit_graph_execute(Clone), 0);
  EXPECT_EQ(kpack_jit_graph_input(Clone, "x", &Y), 0);
  EXPECT_EQ(Y.extents[0], 8);
  kpack_jit_graph_destroy(Clone);

  EXPECT_NE(kpack_jit_graph_execute_async(nullptr, nullptr, nullptr), 0);
  EXPECT_EQ(kpack_jit_graph_last_error_detail(), KPACK_JIT_GRAPH_NOT_PREPARED);
  EXPECT_NE(kpack_jit_graph_execute(nullptr), 0);
  EXPECT_EQ(kpack_jit_graph_last_error_detail(), KPACK_JIT_GRAPH_NOT_PREPARED);
  EXPECT_NE(kpack_jit_graph_output(nullptr, "y", &Y), 0);
  EXPECT_EQ(kpack_jit_graph_last_error_detail(), KPACK_JIT_GRAPH_NOT_PREPARED);
  EXPECT_NE(kpack_jit_graph_set_variable(nullptr, "b", 1), 0);
  EXPECT_NE(kpack_jit_graph_clone(nullptr, &Clone), 0);
  EXPECT_EQ(kpack_jit_graph_load("", nullptr, &Loaded),
            KPACK_JIT_ERROR_INVALID_ARGUMENT);
  kpack_jit_graph_destroy(nullptr);
}

} // namespace
