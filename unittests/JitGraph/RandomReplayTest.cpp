//===- RandomReplayTest.cpp - tests of kernels of random graphs -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One graph in seven ways: its reference in double, and in each mode of
// mathematics a kernel an operation, and kernels that share what can be shared.
// Most of the time of a compile is not spent on kernels, so the graphs of some
// seeds are one text. KPACK_JIT_GRAPH_SEEDS="first:count" for others than the
// 200; with a count of 1 a text has no other graph.
//
//===----------------------------------------------------------------------===//
#include "ReplayCompare.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

constexpr uint32_t Graphs = 200;
constexpr uint32_t GraphsOfText = 20;

struct Call {
  std::vector<int64_t> Values;
  std::vector<ReferenceTensor> Inputs, Expected;
};

std::vector<Call> makeCalls(const OpGraph &G, uint32_t Seed) {
  std::vector<Call> Calls(4);
  for (Call &C : Calls) {
    C.Values = randomVariables(G, Seed);
    C.Inputs = randomInputs(G, C.Values, Seed++);
    Result<std::vector<ReferenceTensor>> Expected =
        evaluate(G, C.Values, C.Inputs);
    EXPECT_TRUE(Expected.ok()) << Expected.status().message();
    if (Expected)
      C.Expected = std::move(*Expected);
  }
  return Calls;
}

TEST(RandomReplayTest, FusedAndUnfusedMatchTheReference) {
  uint32_t First = 0, Count = Graphs;
  if (const char *Seeds = std::getenv("KPACK_JIT_GRAPH_SEEDS"))
    ASSERT_EQ(std::sscanf(Seeds, "%u:%u", &First, &Count), 2) << Seeds;
  size_t Nodes[2] = {0, 0}, InPlace[2] = {0, 0};
  for (uint32_t Done = 0; Done < Count; Done += GraphsOfText) {
    uint32_t Seed = First + Done, Some = std::min(GraphsOfText, Count - Done);
    SCOPED_TRACE("seeds " + std::to_string(Seed) + ":" + std::to_string(Some));
    std::vector<Call> Calls = makeCalls(randomGraphs(Seed, Some), Seed);
    ASSERT_FALSE(testing::Test::HasFailure());
    for (auto [Math, Name] : {std::pair(MathMode::Strict, "strict"),
                              {MathMode::Relaxed, "relaxed"},
                              {MathMode::Fast, "fast"}})
      for (bool Fuse : {false, true}) {
        PrepareConfig How = compareConfig(Fuse);
        How.math = Math;
        SCOPED_TRACE(std::string(Name) + (Fuse ? ", fused" : ", unfused"));
        Result<std::unique_ptr<Replay>> Made =
            prepareToCompare(randomGraphs(Seed, Some), Fuse, How);
        ASSERT_TRUE(Made.ok()) << Made.status().message();
        if (Math == MathMode::Strict)
          Nodes[Fuse] += (*Made)->plan().Nodes.size();
        if (Math == MathMode::Strict)
          for (const MemoryPlan::Place &P : (*Made)->plan().Memory.Places)
            InPlace[Fuse] += P.Replaces != MemoryPlan::None;
        for (const Call &C : Calls) {
          compareOutputs(**Made, C.Values, C.Inputs, C.Expected);
          ASSERT_FALSE(testing::Test::HasFailure());
        }
      }
  }
  EXPECT_LT(Nodes[1], Nodes[0] * 2 / 3);
  if (Count >= 20)
    EXPECT_GT(InPlace[0], Count) << "kernels that write over what they read";
  testing::Test::RecordProperty("fused", static_cast<int>(Nodes[1]));
  testing::Test::RecordProperty("unfused", static_cast<int>(Nodes[0]));
  testing::Test::RecordProperty("fused, in place",
                                static_cast<int>(InPlace[1]));
}

} // namespace
