//===- MemoryPlanTest.cpp - tests of offsets of buffers in a pool ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans by hand; shapes of graphs that people have, where the pool must be
// close to the least there can be; random plans. And the checker is checked:
// damaged plans, each pair of whose buffers is looked at in the plainest way.
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/MemoryPlan.h"
#include "JitGraph/Graph/PlanCheck.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <random>

using namespace kpack;
using namespace kpack::jit;

namespace {

using Buffers = std::vector<PlanBuffer>;

MemoryPlan planned(const Buffers &All) {
  Result<MemoryPlan> Plan = planMemory(All);
  EXPECT_TRUE(Plan.ok()) << Plan.status().message();
  return *Plan;
}

std::string fault(const Buffers &All, const MemoryPlan &Plan) {
  std::optional<PlanFault> Fault = checkPlan(All, Plan);
  return Fault ? Fault->message(All) : "none";
}

/// Whether the two have bytes in common while both are needed: the question of
/// the checker, for two buffers alone.
bool collide(const Buffers &All, const MemoryPlan &Plan, uint32_t A,
             uint32_t B) {
  const PlanBuffer &X = All[A];
  const PlanBuffer &Y = All[B];
  if (X.First > Y.First)
    return collide(All, Plan, B, A);
  uint64_t BeginX = Plan.Places[A].Offset;
  uint64_t BeginY = Plan.Places[B].Offset;
  bool MeetInTime = Y.First <= X.Last;
  bool MeetInSpace =
      X.Size && Y.Size && BeginX < BeginY + Y.Size && BeginY < BeginX + X.Size;
  bool MayMeet = std::count(Y.MayReplace.begin(), Y.MayReplace.end(), A) &&
                 Plan.Places[B].Replaces == A && Y.First == X.Last &&
                 X.First < Y.First && BeginX == BeginY && X.Size == Y.Size;
  return MeetInTime && MeetInSpace && !MayMeet;
}

bool anyCollide(const Buffers &All, const MemoryPlan &Plan) {
  for (uint32_t A = 0; A < All.size(); ++A)
    for (uint32_t B = A + 1; B < All.size(); ++B)
      if (collide(All, Plan, A, B))
        return true;
  return false;
}

// The picture in MemoryPlan.h.
TEST(MemoryPlanTest, LaterBuffersReuseEarlierOnes) {
  const Buffers All = {
      {"x", 4096, 0, 2, {}}, {"y", 4096, 1, 3, {}}, {"z", 2048, 3, 3, {}}};
  MemoryPlan Plan = planned(All);
  EXPECT_EQ(Plan.Places[0].Offset, 0U);
  EXPECT_EQ(Plan.Places[1].Offset, 4096U);
  EXPECT_EQ(Plan.Places[2].Offset, 0U);
  EXPECT_EQ(Plan.Peak, 8192U);
  EXPECT_EQ(Plan.LowerBound, 8192U);
  EXPECT_EQ(Plan.NaiveSum, 10240U);
  EXPECT_EQ(fault(All, Plan), "none");
}

// A node reads what it does not overwrite.
TEST(MemoryPlanTest, WriterAndReaderMeet) {
  MemoryPlan Plan = planned({{"x", 256, 0, 1, {}}, {"y", 256, 1, 2, {}}});
  EXPECT_NE(Plan.Places[0].Offset, Plan.Places[1].Offset);
}

TEST(MemoryPlanTest, ElementwiseInPlace) {
  const Buffers All = {
      {"x", 1000, 0, 1, {}}, {"y", 1000, 1, 2, {0}}, {"z", 1000, 2, 3, {1}}};
  MemoryPlan Plan = planned(All);
  EXPECT_EQ(Plan.Peak, 1024U);
  EXPECT_EQ(Plan.Places[1].Replaces, 0U);
  EXPECT_EQ(Plan.Places[2].Replaces, 1U);
  EXPECT_EQ(Plan.LowerBound, 1024U);
  EXPECT_EQ(fault(All, Plan), "none");
}

TEST(MemoryPlanTest, LiveBuffersAreNotReplaced) {
  // x is read once more; y has elements of another size; two take x's place.
  EXPECT_EQ(planned({{"x", 1000, 0, 2, {}}, {"y", 1000, 1, 2, {0}}}).Peak,
            2048U);
  EXPECT_EQ(planned({{"x", 1000, 0, 1, {}}, {"y", 900, 1, 2, {0}}}).Peak,
            2048U);
  EXPECT_EQ(
      planned(
          {{"x", 256, 0, 1, {}}, {"y", 256, 1, 2, {0}}, {"z", 256, 1, 2, {0}}})
          .Peak,
      512U);
}

TEST(MemoryPlanTest, SecondOperandIsReplaced) {
  MemoryPlan Plan = planned({{"skip", 512, 0, 9, {}},
                             {"x", 512, 1, 2, {}},
                             {"sum", 512, 2, 3, {0, 1}}});
  EXPECT_EQ(Plan.Places[2].Replaces, 1U);
  EXPECT_EQ(Plan.Peak, 1024U);
}

TEST(MemoryPlanTest, EmptyBuffersTakeNoSpace) {
  EXPECT_EQ(planned({}).Peak, 0U);
  const Buffers All = {{"x", 0, 0, 5, {}}, {"y", 1, 1, 2, {}}};
  EXPECT_EQ(planned(All).Peak, 256U);
  EXPECT_EQ(fault(All, planned(All)), "none");
}

TEST(MemoryPlanTest, InvalidBuffersAreRefused) {
  EXPECT_EQ(planMemory(Buffers{{"x", 1, 3, 2, {}}}).status().message(),
            "x: last read by node 2, before node 3 writes it; order the "
            "nodes");
  EXPECT_EQ(planMemory(Buffers{{"x", 1, 0, 0, {7}}}).status().message(),
            "x: may replace buffer 7 of 1; name one that there is");
  const Buffers Huge = {{"x", UINT64_MAX / 2, 0, 1, {}},
                        {"y", UINT64_MAX / 2 - 300, 5, 6, {}}};
  Status S = planMemory(Huge).status();
  EXPECT_EQ(S.code(), StatusCode::OutOfMemory);
  EXPECT_EQ(S.message(),
            "y: the buffers up to this one are more than 64 bits of bytes; "
            "narrow the bounds of the graph's variables");
  EXPECT_FALSE(planMemory(Buffers{{"x", UINT64_MAX, 0, 1, {}}}).ok());
}

TEST(MemoryPlanTest, LargestNodeNumberIsPlanned) {
  const Buffers All = {{"x", 256, UINT32_MAX, UINT32_MAX, {}},
                       {"y", 256, UINT32_MAX - 1, UINT32_MAX, {}}};
  EXPECT_EQ(planned(All).LowerBound, 512U);
  EXPECT_EQ(fault(All, planned(All)), "none");
}

TEST(PlanCheckTest, NamesTheFault) {
  const Buffers All = {{"x", 300, 0, 2, {}}, {"y", 300, 2, 3, {0}}};
  MemoryPlan Plan = planned(All);
  Plan.Places[1] = {0, MemoryPlan::None};
  EXPECT_EQ(fault(All, Plan), "x: node 2 writes y into its bytes while it is "
                              "still needed; plan again");
  Plan.Places[1].Replaces = 0;
  EXPECT_EQ(fault(All, Plan), "none");
  Plan.Places[1].Offset = 256;
  EXPECT_EQ(fault(All, Plan), "y: does not end within the pool; plan again");
  Plan.Places[1].Offset = 100;
  EXPECT_EQ(fault(All, Plan),
            "y: does not begin at a multiple of 256; plan again");
}

/// A graph written as people write one: a node takes buffers and makes one.
class GraphShape {
public:
  explicit GraphShape(uint64_t Seed) : Random(Seed) {}

  /// What comes from outside, and is not planned.
  static constexpr int Input = -1;

  int node(uint64_t Size, std::initializer_list<int> Reads) {
    return add(Size, Reads, {});
  }
  /// Of the same size as what it reads.
  int elementwise(std::initializer_list<int> Reads) {
    std::vector<uint32_t> MayReplace;
    uint64_t Size = 0;
    for (int R : Reads)
      if (R != Input) {
        MayReplace.push_back(R);
        Size = All[R].Size;
      }
    return add(Size, Reads, MayReplace);
  }
  uint64_t size(uint64_t Lo, uint64_t Hi) {
    return std::uniform_int_distribution<uint64_t>(Lo, Hi)(Random);
  }

  Buffers All;

private:
  int add(uint64_t Size, std::initializer_list<int> Reads,
          std::vector<uint32_t> MayReplace) {
    uint32_t Node = static_cast<uint32_t>(All.size());
    for (int R : Reads)
      if (R != Input)
        All[R].Last = Node;
    All.push_back(
        {"n" + std::to_string(Node), Size, Node, Node, std::move(MayReplace)});
    return static_cast<int>(Node);
  }

  std::mt19937_64 Random;
};

/// d: elements of a row of the model; t: rows.
int attention(GraphShape &G, int X, uint64_t T, uint64_t D, uint64_t Heads) {
  int Normal = G.node(T * D * 4, {X});
  int Q = G.node(T * D * 4, {Normal});
  int K = G.node(T * D * 4, {Normal});
  int V = G.node(T * D * 4, {Normal});
  int Scores = G.node(Heads * T * T * 4, {Q, K});
  int Weights = G.elementwise({Scores});
  int Mixed = G.node(T * D * 4, {Weights, V});
  int Projected = G.node(T * D * 4, {Mixed});
  return G.elementwise({X, Projected});
}

int feedForward(GraphShape &G, int X, uint64_t T, uint64_t D) {
  int Normal = G.node(T * D * 4, {X});
  int Wide = G.elementwise({G.node(T * D * 16, {Normal})});
  return G.elementwise({X, G.node(T * D * 4, {Wide})});
}

void conformer(GraphShape &G) {
  uint64_t T = G.size(1, 1500);
  uint64_t D = 16 * G.size(4, 32);
  int X = G.node(T * D * 4, {GraphShape::Input});
  for (int Block = 0; Block < 4; ++Block) {
    X = feedForward(G, X, T, D);
    X = attention(G, X, T, D, 4);
    int Gate = G.node(T * D * 8, {G.node(T * D * 4, {X})});
    int Depthwise = G.node(T * D * 4, {G.node(T * D * 4, {Gate})});
    X = G.elementwise({X, G.node(T * D * 4, {G.elementwise({Depthwise})})});
    X = feedForward(G, X, T, D);
    X = G.node(T * D * 4, {X});
  }
}

void chain(GraphShape &G) {
  int X = GraphShape::Input;
  for (int I = 0; I < 40; ++I) {
    X = G.node(G.size(1000, 1000000), {X});
    if (I % 2)
      X = G.elementwise({X});
  }
}

/// Down with ever less, up again with what was kept.
void unet(GraphShape &G) {
  std::vector<int> Kept;
  uint64_t Size = G.size(1 << 16, 1 << 22);
  int X = GraphShape::Input;
  for (int Level = 0; Level < 5; ++Level, Size /= 2) {
    X = G.elementwise({G.node(Size, {X})});
    Kept.push_back(X = G.elementwise({G.node(Size, {X})}));
    X = G.node(Size / 4, {X});
  }
  for (int Level = 0; Level < 5; ++Level) {
    Size *= 2;
    int Up = G.node(Size, {X});
    X = G.node(Size, {Up, Kept.back()});
    X = G.elementwise({G.node(Size, {X})});
    Kept.pop_back();
  }
}

/// Branches of different lengths that are put together again.
void branches(GraphShape &G) {
  int X = G.node(G.size(1 << 12, 1 << 20), {GraphShape::Input});
  for (int Block = 0; Block < 6; ++Block) {
    int Ends[4] = {};
    for (int Branch = 0; Branch < 4; ++Branch) {
      Ends[Branch] = G.node(G.size(1 << 12, 1 << 18), {X});
      for (int I = 0; I < Branch; ++I)
        Ends[Branch] =
            G.elementwise({G.node(G.size(1 << 12, 1 << 18), {Ends[Branch]})});
    }
    X = G.node(G.size(1 << 14, 1 << 20), {Ends[0], Ends[1], Ends[2], Ends[3]});
  }
}

/// An LSTM's step after convolutions.
void recurrent(GraphShape &G) {
  int Frames = G.elementwise({G.node(4 * 128 * 4, {GraphShape::Input})});
  int Mean = G.node(128 * 4, {Frames});
  for (int Layer = 0; Layer < 3; ++Layer) {
    int Gates = G.node(512 * 4, {Mean});
    int C = G.node(128 * 4, {Gates});
    Mean = G.node(128 * 4, {Gates, C});
  }
  G.elementwise({G.node(4, {Mean})});
}

struct Shape {
  const char *Name;
  void (*Write)(GraphShape &);
};

class ShapeTest : public testing::TestWithParam<Shape> {};

TEST_P(ShapeTest, PoolIsCloseToTheLeast) {
  double Worst = 0;
  for (uint64_t Seed = 0; Seed < 200; ++Seed) {
    GraphShape G(Seed);
    GetParam().Write(G);
    MemoryPlan Plan = planned(G.All);
    ASSERT_EQ(fault(G.All, Plan), "none") << Seed;
    ASSERT_GE(Plan.Peak, Plan.LowerBound);
    ASSERT_LE(Plan.Peak, Plan.NaiveSum);
    double Ratio = double(Plan.Peak) / double(Plan.LowerBound);
    EXPECT_LE(Ratio, 1.1) << "seed " << Seed;
    Worst = std::max(Worst, Ratio);
  }
  std::printf("the pool is at most %.3f times the lower bound\n", Worst);
}

INSTANTIATE_TEST_SUITE_P(Graphs, ShapeTest,
                         testing::Values(Shape{"chain", chain},
                                         Shape{"unet", unet},
                                         Shape{"branches", branches},
                                         Shape{"conformer", conformer},
                                         Shape{"recurrent", recurrent}),
                         [](const testing::TestParamInfo<Shape> &Info) {
                           return std::string(Info.param.Name);
                         });

class PlanRandomTest : public testing::Test {
protected:
  uint64_t number(uint64_t Lo, uint64_t Hi) {
    return std::uniform_int_distribution<uint64_t>(Lo, Hi)(Random);
  }

  /// Many that may be replaced, and some that have no bytes.
  Buffers buffers() {
    Buffers All(number(1, 40));
    const uint32_t Nodes = uint32_t(number(1, 30));
    const uint64_t Sizes = number(1, 6);
    for (uint32_t I = 0; I < All.size(); ++I) {
      PlanBuffer &B = All[I];
      B.Name = "b" + std::to_string(I);
      B.Size = number(0, Sizes) * number(1, 3) * 100;
      B.First = uint32_t(number(0, Nodes));
      B.Last = B.First + uint32_t(number(0, number(0, Nodes)));
      for (uint64_t Left = number(0, 3); Left; --Left)
        B.MayReplace.push_back(uint32_t(number(0, All.size() - 1)));
    }
    return All;
  }

  std::mt19937_64 Random{7};
};

TEST_F(PlanRandomTest, LiveBuffersDoNotOverlap) {
  int Replaced = 0;
  for (int Round = 0; Round < 10000; ++Round) {
    Buffers All = buffers();
    MemoryPlan Plan = planned(All);
    ASSERT_EQ(fault(All, Plan), "none") << Round;
    ASSERT_FALSE(anyCollide(All, Plan)) << Round;
    ASSERT_GE(Plan.Peak, Plan.LowerBound) << Round;
    ASSERT_LE(Plan.Peak, Plan.NaiveSum) << Round;
    for (const MemoryPlan::Place &P : Plan.Places) {
      ASSERT_EQ(P.Offset % PlanAlignment, 0U);
      Replaced += P.Replaces != MemoryPlan::None;
    }
  }
  EXPECT_GT(Replaced, 1000);
}

// What the checker says of damaged plans is what looking at each pair says.
TEST_F(PlanRandomTest, CheckerAgreesWithPairwiseSearch) {
  int Found = 0;
  for (int Round = 0; Round < 10000; ++Round) {
    Buffers All = buffers();
    MemoryPlan Plan = planned(All);
    uint32_t A = uint32_t(number(0, All.size() - 1));
    uint32_t B = uint32_t(number(0, All.size() - 1));
    MemoryPlan::Place &P = Plan.Places[A];
    switch (number(0, 3)) {
    case 0: // onto another one
      P.Offset = Plan.Places[B].Offset;
      break;
    case 1: // a little down
      P.Offset -= std::min<uint64_t>(P.Offset, 256 * number(1, 4));
      break;
    case 2: // says that it replaces what it does not
      P = {Plan.Places[B].Offset + 256 * number(0, 1), B};
      break;
    default: // needed longer than was planned for
      All[A].Last += uint32_t(number(1, 5));
      break;
    }
    Plan.Peak += 10000; // not what is asked here
    std::optional<PlanFault> Fault = checkPlan(All, Plan);
    ASSERT_EQ(Fault.has_value(), anyCollide(All, Plan)) << Round;
    if (!Fault)
      continue;
    ++Found;
    ASSERT_EQ(Fault->What, PlanFault::Kind::Overlap);
    ASSERT_TRUE(collide(All, Plan, Fault->First, Fault->Second)) << Round;
    ASSERT_EQ(Fault->Node, All[Fault->Second].First);
  }
  EXPECT_GT(Found, 2000);
}

// Two that are needed at once, put onto each other: found each time.
TEST_F(PlanRandomTest, EachInjectedOverlapIsFound) {
  int Injected = 0;
  for (int Round = 0; Round < 200; ++Round) {
    Buffers All = buffers();
    MemoryPlan Plan = planned(All);
    for (uint32_t A = 0; A < All.size(); ++A)
      for (uint32_t B = 0; B < All.size(); ++B) {
        MemoryPlan Damaged = Plan;
        Damaged.Places[B] = {Plan.Places[A].Offset, MemoryPlan::None};
        Damaged.Peak += 10000;
        if (A == B || !All[A].Size || !All[B].Size ||
            All[A].First > All[B].Last || All[B].First > All[A].Last)
          continue;
        if (Plan.Places[A].Replaces == B)
          continue; // where it was
        ++Injected;
        ASSERT_TRUE(checkPlan(All, Damaged)) << Round;
      }
  }
  EXPECT_GT(Injected, 10000);
}

} // namespace
