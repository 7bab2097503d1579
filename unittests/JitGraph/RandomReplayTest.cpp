//===- RandomReplayTest.cpp - kernels of graphs from a seed ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One graph in three ways: its reference in double, a kernel an operation, and
// kernels that share what can be shared. KPACK_JIT_GRAPH_SEEDS="first:count"
// for other graphs than the 200.
//
//===----------------------------------------------------------------------===//
#include "ReplayCompare.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

constexpr uint32_t Graphs = 200;

TEST(RandomReplayTest, FusedAndUnfusedAreTheReference) {
  uint32_t First = 0, Count = Graphs;
  if (const char *Seeds = std::getenv("KPACK_JIT_GRAPH_SEEDS"))
    ASSERT_EQ(std::sscanf(Seeds, "%u:%u", &First, &Count), 2) << Seeds;
  size_t Nodes[2] = {0, 0}, InPlace[2] = {0, 0};
  for (uint32_t Seed = First; Seed < First + Count; ++Seed) {
    SCOPED_TRACE(Seed);
    for (bool Fuse : {false, true}) {
      if (!Fuse && compareConfig(Fuse).where != GraphTarget::Cpu)
        continue;
      SCOPED_TRACE(Fuse ? "fused" : "unfused");
      Result<std::unique_ptr<Replay>> Made =
          prepareToCompare(randomGraph(Seed), Fuse);
      ASSERT_TRUE(Made.ok()) << Made.status().message();
      Nodes[Fuse] += (*Made)->plan().Nodes.size();
      for (const MemoryPlan::Place &P : (*Made)->plan().Memory.Places)
        InPlace[Fuse] += P.Replaces != MemoryPlan::None;
      for (uint32_t Call = 0; Call < 4; ++Call) {
        const OpGraph &G = (*Made)->plan().Ops;
        std::vector<int64_t> Values = randomVariables(G, Seed + Call);
        compareWithReference(**Made, Values,
                             randomInputs(G, Values, Seed + Call));
        ASSERT_FALSE(testing::Test::HasFailure()) << G.text();
      }
    }
  }
  if (Nodes[0])
    EXPECT_LT(Nodes[1], Nodes[0] * 2 / 3);
  if (Nodes[0] && Count >= 20)
    EXPECT_GT(InPlace[0], Count) << "kernels that write over what they read";
  testing::Test::RecordProperty("fused", static_cast<int>(Nodes[1]));
  testing::Test::RecordProperty("unfused", static_cast<int>(Nodes[0]));
  testing::Test::RecordProperty("fused, in place",
                                static_cast<int>(InPlace[1]));
}

} // namespace
