//===- CostModelTest.cpp - tests of properties of estimates ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has to hold of each estimate, on random candidates: a larger problem
// takes no less, work that is wasted is paid for, and terms add up. Whether the
// order is right is asked of the emulated GPU (CostModelCompiledTest.cpp).
//
//===----------------------------------------------------------------------===//
#include "RandomAlgorithm.h"

#include "kpack/ConvBuilder/Candidates.h"
#include "kpack/ConvBuilder/Describe.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "gtest/gtest.h"

#include <fstream>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// A kernel, and a problem for it.
struct Sample {
  Signature Sig;
  Problem Sizes;
  Algorithm How;
  const Processor *Gpu;

  Estimate of(const Problem &P) const { return estimate(Sig, How, P, *Gpu); }
  std::string text() const {
    return std::string(Gpu->Name) + " " + conv::text(Sig) + " " +
           conv::text(How) + " " + conv::text(Sizes);
  }
};

template <typename Each> void forSamples(unsigned Count, Each &&E) {
  RandomAlgorithm Random(7);
  for (unsigned I = 0, Seen = 0; Seen < Count; ++I) {
    ASSERT_LT(I, Count * 50);
    Sample S;
    S.Sig = resolveSignature(Random.signature());
    S.Sizes = Random.problem(S.Sig);
    std::string_view Name = ProcessorNames[I % std::size(ProcessorNames)];
    S.Gpu = findProcessor(Name);
    std::vector<Candidate> All =
        candidates(S.Sig, S.Sizes, Name, {.allow_reference = I % 7 == 0});
    for (int K = 0; K < 5 && !All.empty(); ++K, ++Seen) {
      S.How = All[Random.below(static_cast<unsigned>(All.size()))].how;
      E(S);
    }
  }
}

double products(const Sample &S, const Problem &P) {
  ProductSize Z = productOf(S.Sig, P);
  return static_cast<double>(times(Z.Rows, Z.Columns, Z.Depth, P.groups));
}

} // namespace

TEST(CostModelTest, EachProcessorHasAMachine) {
  for (std::string_view Name : ProcessorNames) {
    const Machine *Entry = findMachine(Name);
    ASSERT_TRUE(Entry) << Name;
    EXPECT_FALSE(Entry->Source.empty() || Entry->Date.empty()) << Name;
    const Processor *Gpu = findProcessor(Name);
    EXPECT_GE(Entry->LdsBytes, Gpu->LdsBytes) << Name;
    for (const Instruction &I : Instructions)
      if (usesMatrix(I.Of) && Gpu->has(I))
        EXPECT_GT(Entry->matrixRate(I.Operand), 0) << Name << " " << I.Builtin;
  }
}

/// A few tiles more than the GPU runs at once need nearly another round, if
/// nobody shares them; and if there is nothing to share, sharing costs nothing.
TEST(CostModelTest, SharingTilesSavesAPartialRound) {
  Sample S{resolveSignature({.spatial_dim = 2, .data_type = DataType::FP16}),
           {.batch = 1, .c = 4096, .k = 128, .image = {1, 1}, .filter = {1, 1}},
           {},
           findProcessor("gfx942")};
  S.How.kind = Kind::IMPLICIT_GEMM;
  S.How.isa = Isa::MFMA;
  S.How.tile = MNK{128, 128, 32};
  S.How = resolve(S.Sig, S.How, "gfx942").Algo;
  Sample Shared = S;
  Shared.How.split->stream_k.make();
  int Resident = residentOf(S.Sig, Shared.How, S.Gpu);
  auto With = [&](int Tiles) {
    Problem P = S.Sizes;
    P.batch = 128 * Tiles;
    return P;
  };
  Estimate Own = S.of(With(Resident)), Its = Shared.of(With(Resident));
  EXPECT_EQ(Own.total, Its.total);
  EXPECT_EQ(Own.work_groups, Its.work_groups);
  EXPECT_EQ(Its.reduction_time, 0);
  Own = S.of(With(Resident + 40)), Its = Shared.of(With(Resident + 40));
  EXPECT_LT(Its.total, Own.total);
  EXPECT_EQ(Its.work_groups, 2 * Resident);
  EXPECT_EQ(Its.operations, Own.operations);
  EXPECT_GT(Its.reduction_time, 0);
  EXPECT_GT(Its.launch_time, Own.launch_time);
  EXPECT_LT(Its.tail, Own.tail);
  // All tiles but one: those who share them have hardly less to do.
  Own = S.of(With(Resident - 1)), Its = Shared.of(With(Resident - 1));
  EXPECT_GT(Its.total, Own.total);
}

TEST(CostModelTest, TermsAddUp) {
  forSamples(300, [](const Sample &S) {
    Estimate E = S.of(S.Sizes);
    double Most = std::max({E.flop_time, E.cache_time, E.issue_time,
                            E.latency_time, E.memory_time});
    double Sum = E.flop_time + E.cache_time + E.issue_time + E.latency_time +
                 E.memory_time;
    double Rest = E.reduction_time + E.launch_time;
    EXPECT_GE(E.total * (1 + 1e-9), Most + Rest) << S.text();
    EXPECT_LE(E.total, (Sum + Rest) * (1 + 1e-9)) << S.text();
    for (double Share : {E.tile_waste, E.wave_waste, E.tail}) {
      EXPECT_GE(Share, -1e-12) << S.text();
      EXPECT_LT(Share, 1) << S.text();
    }
    EXPECT_GE(E.tile_waste, E.wave_waste - 1e-12) << S.text();
    EXPECT_GE(E.rounds, 1) << S.text();
    EXPECT_GE(E.occupancy, 1) << S.text();
    // What is not wasted is the problem.
    EXPECT_NEAR(E.operations * (1 - E.tile_waste), 2 * products(S, S.Sizes),
                1e-6 * E.operations)
        << S.text();
    std::vector<Term> Terms = termsOf(E);
    // The limit of the occupancy is no number.
    EXPECT_EQ(Terms.size() + 1, arity<Estimate>());
    EXPECT_EQ(Terms.back().Name, "total");
    EXPECT_EQ(Terms.back().Value, E.total);
  });
}

TEST(CostModelTest, EstimatesAreDeterministic) {
  forSamples(50, [](const Sample &S) {
    EXPECT_EQ(S.of(S.Sizes).total, S.of(S.Sizes).total);
  });
}

/// More of anything takes no less.
TEST(CostModelTest, LargerProblemsAreNotFaster) {
  forSamples(300, [](const Sample &S) {
    Estimate Before = S.of(S.Sizes);
    for (int Problem::*Size :
         {&Problem::groups, &Problem::batch, &Problem::c, &Problem::k}) {
      Problem More = S.Sizes;
      More.*Size += More.*Size / 3 + 1;
      Estimate After = S.of(More);
      EXPECT_GE(After.total, Before.total * (1 - 1e-9))
          << S.text() << " and " << text(More);
    }
  });
}

/// A problem that fills the same tiles less takes as long for each of its
/// products, or longer.
TEST(CostModelTest, WasteIsPaidFor) {
  unsigned Seen = 0;
  forSamples(300, [&](const Sample &S) {
    Estimate Full = S.of(S.Sizes);
    for (int Problem::*Size : {&Problem::batch, &Problem::c, &Problem::k}) {
      Problem Less = S.Sizes;
      if (--(Less.*Size) < 1)
        continue;
      Estimate Wasted = S.of(Less);
      if (Wasted.operations != Full.operations)
        continue;
      ++Seen;
      EXPECT_GT(Wasted.tile_waste, Full.tile_waste) << S.text();
      EXPECT_EQ(Wasted.flop_time, Full.flop_time) << S.text();
      EXPECT_GE(Wasted.total / products(S, Less),
                Full.total / products(S, S.Sizes))
          << S.text() << " and " << text(Less);
    }
  });
  EXPECT_GT(Seen, 100u);
}

/// Registers and LDS can only lower how many work-groups run at once.
TEST(CostModelTest, OccupancyIsWithinRegistersAndLds) {
  forSamples(300, [](const Sample &S) {
    Estimate E = S.of(S.Sizes);
    const Machine &Its = *findMachine(S.Gpu->Name);
    if (E.occupancy == 1)
      return;
    EXPECT_LE(E.occupancy * E.lds, Its.LdsBytes) << S.text();
    EXPECT_LE(E.occupancy * E.waves, S.Gpu->SimdWaves * Processor::Simds)
        << S.text();
    EXPECT_LE(E.occupancy * E.waves * E.registers,
              S.Gpu->SimdVgprs * Processor::Simds)
        << S.text();
  });
}

TEST(CostModelTest, RefusedAlgorithmHasNoEstimate) {
  Signature Sig;
  Sig.spatial_dim = 2;
  Sig.data_type = DataType::FP16;
  Algorithm Open; // AUTO is no kernel
  Problem P{.c = 8, .k = 8, .image = {8, 8}, .filter = {1, 1}};
  EXPECT_EQ(
      estimate(resolveSignature(Sig), Open, P, *findProcessor("gfx942")).total,
      0);
}

/// docs/reference/conv-cost-model.md has each machine, and each term.
TEST(CostModelTest, PageListsEachMachineAndTerm) {
  std::ifstream File(CONV_TEST_COST_PAGE);
  std::string Page((std::istreambuf_iterator<char>(File)), {});
  for (const Machine &M : Machines) {
    std::string Row =
        "| `" + std::string(M.Processor) + "` | " + std::string(M.Product);
    for (int Value :
         {M.Units, M.MegaHertz, M.GigaBytes, M.LdsBytes, M.Lanes, M.MatrixFp32,
          M.MatrixFp16, M.MatrixBf16, M.Matrix8Bit, M.MatrixFp64})
      Row += " | " + std::to_string(Value);
    Row += " | " + std::string(M.Source) + " | " + std::string(M.Date) + " |";
    EXPECT_NE(Page.find(Row), Page.npos) << Row;
  }
  for (const Term &T : termsOf({}))
    EXPECT_NE(Page.find("| `" + std::string(T.Name) + "` | " +
                        std::string(T.Unit) + " | " + std::string(T.Text) +
                        " |"),
              Page.npos)
        << T.Name << " " << T.Unit << " " << T.Text;
}
