//===- RandomGraphTest.cpp - tests of the maker of random graphs ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That other tests can rely on them: they are computed without an error, have
// numbers of moderate size in all nodes, and all that there is in some.
//
//===----------------------------------------------------------------------===//
#include "RandomGraph.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace kpack;
using namespace kpack::jit;

namespace {

TEST(RandomGraphTest, AllAreTame) {
  std::map<OpKind, int> Kinds;
  std::map<ElementType, int> Types;
  std::set<size_t> Outputs;
  double Nodes = 0;
  for (uint32_t Seed = 0; Seed < 200; ++Seed) {
    SCOPED_TRACE(Seed);
    OpGraph G = randomGraph(Seed);
    ASSERT_TRUE(G.status().ok()) << G.status().message();
    ASSERT_GE(G.size(), 5U);
    Nodes += static_cast<double>(G.size());
    Outputs.insert(G.outputs().size());
    for (uint32_t I = 0; I < G.size(); ++I) {
      ++Kinds[G.node(I).Kind];
      ++Types[G.node(I).Type];
    }
    for (uint32_t Call = 0; Call < 3; ++Call) {
      std::vector<int64_t> Variables = randomVariables(G, Seed + Call);
      Result<std::vector<ReferenceTensor>> All =
          evaluateNodes(G, Variables, randomInputs(G, Variables, Seed));
      ASSERT_TRUE(All.ok()) << All.status().message();
      for (size_t I = 0; I < All->size(); ++I) {
        ASSERT_FALSE((*All)[I].Elements.empty()) << G.text();
        for (double V : (*All)[I].Elements)
          ASSERT_LE(std::abs(V), 1e4) << "%" << I << "\n" << G.text();
      }
    }
  }
  EXPECT_EQ(Outputs, (std::set<size_t>{1, 2, 3}));
  EXPECT_LT(Nodes / 200, 45);
  for (int K = 0; K <= static_cast<int>(OpKind::Contract); ++K)
    EXPECT_GT(Kinds[OpKind(K)], 10) << nameOf(OpKind(K));
  for (int T = 0; T <= static_cast<int>(ElementType::Bool); ++T)
    EXPECT_GT(Types[ElementType(T)], 10) << nameOf(ElementType(T));
}

TEST(RandomGraphTest, EqualSeedsGiveEqualGraphs) {
  std::set<std::string> Texts;
  for (uint32_t Seed = 0; Seed < 50; ++Seed) {
    OpGraph G = randomGraph(Seed);
    EXPECT_EQ(G.text(), randomGraph(Seed).text());
    Texts.insert(G.text());
    std::vector<int64_t> Variables = randomVariables(G, Seed);
    EXPECT_EQ(Variables, randomVariables(G, Seed));
    EXPECT_EQ(randomInputs(G, Variables, 1)[0].Elements,
              randomInputs(G, Variables, 1)[0].Elements);
  }
  EXPECT_EQ(Texts.size(), 50U);
}

// What is compared is equal, or differs by more than any rounding. Formulas
// (tanh, sigmoid) compare with a number, where both sides are equal.
TEST(RandomGraphTest, ComparisonsAreFarFromRounding) {
  for (uint32_t Seed = 0; Seed < 200; ++Seed) {
    OpGraph G = randomGraph(Seed);
    std::vector<int64_t> Variables = randomVariables(G, Seed);
    std::vector<ReferenceTensor> Inputs = randomInputs(G, Variables, Seed);
    Result<std::vector<ReferenceTensor>> All =
        evaluateNodes(G, Variables, Inputs);
    ASSERT_TRUE(All.ok());
    for (uint32_t I = 0; I < G.size(); ++I) {
      const OpNode &N = G.node(I);
      bool Jumps = N.Kind >= OpKind::Less && N.Kind <= OpKind::Equal;
      if (!Jumps || N.Type != ElementType::Bool)
        continue;
      const ReferenceTensor &A = (*All)[N.Operands[0]];
      const ReferenceTensor &B = (*All)[N.Operands[1]];
      if (G.node(N.Operands[1]).Kind == OpKind::Full)
        continue;
      for (size_t J = 0; J < A.Elements.size(); ++J) {
        double Distance = std::abs(A.Elements[J] - B.Elements[J]);
        ASSERT_TRUE(Distance == 0 || Distance > 1e-3) << Seed;
      }
    }
  }
}

} // namespace
