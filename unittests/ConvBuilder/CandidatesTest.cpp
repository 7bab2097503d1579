//===- CandidatesTest.cpp - tests of the list of candidates ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates are what requirements and lower() accept, in the order of their
// estimates; what is not offered is refused with a reason.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Candidates.h"

#include "kpack/ConvBuilder/Describe.h"
#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/Requirements.h"
#include "gtest/gtest.h"

#include <set>

using namespace kpack;
using namespace kpack::conv;

namespace {

Signature layer(DataType Type = DataType::FP16) {
  Signature Sig;
  Sig.spatial_dim = 2;
  Sig.data_type = Type;
  return resolveSignature(Sig);
}

Problem sizes() {
  return {.batch = 1,
          .c = 64,
          .k = 64,
          .image = {56, 56},
          .filter = {3, 3},
          .pad = {{1, 1}, {1, 1}}};
}

bool offers(const std::vector<Candidate> &All, Kind KernelKind) {
  for (const Candidate &One : All)
    if (One.how.kind == KernelKind)
      return true;
  return false;
}

} // namespace

TEST(ConvCandidates, HoldAndLower) {
  for (std::string_view Gpu : ProcessorNames) {
    std::vector<Candidate> All = candidates(layer(), sizes(), Gpu);
    EXPECT_FALSE(All.empty()) << Gpu;
    double Last = 0;
    for (const Candidate &One : All) {
      EXPECT_TRUE(validate(layer(), One.how, Gpu, sizes()).ok())
          << text(One.how);
      EXPECT_TRUE(lower(layer(), One.how, Gpu).ok()) << text(One.how);
      EXPECT_LE(Last, One.estimate.total) << text(One.how);
      EXPECT_LT(0, One.estimate.total) << text(One.how);
      Last = One.estimate.total;
    }
  }
}

/// Where groups have few channels, tiles have several of them, and are
/// estimated to be faster: of weights, and of integers, which have no NaN.
TEST(ConvCandidates, FewChannelsGetMergedGroups) {
  Problem Few = sizes();
  Few.groups = 48, Few.batch = 8, Few.c = Few.k = 4;
  for (ConvDirection Direction :
       {ConvDirection::FORWARD, ConvDirection::BACKWARD_WEIGHT})
    for (std::string_view Gpu : {"gfx942", "gfx1100", "gfx1030"}) {
      Signature Sig = layer();
      Sig.direction = Direction;
      if (Direction == ConvDirection::FORWARD)
        Sig = resolveSignature(
            {.spatial_dim = Sig.spatial_dim, .data_type = DataType::I8});
      std::vector<Candidate> All =
          candidates(Sig, Few, Gpu, {.kind = Kind::IMPLICIT_GEMM});
      ASSERT_FALSE(All.empty()) << Gpu;
      EXPECT_GT(All[0].how.split->groups_merge, 1) << text(All[0].how);
      for (const Candidate &One : All) {
        EXPECT_TRUE(validate(Sig, One.how, Gpu, Few).ok()) << text(One.how);
        EXPECT_TRUE(lower(Sig, One.how, Gpu).ok()) << text(One.how);
        bool IsWeight = Direction == ConvDirection::BACKWARD_WEIGHT;
        EXPECT_LE(One.how.split->groups_merge * 4,
                  IsWeight ? One.how.tile->m : One.how.tile->n)
            << text(One.how);
      }
    }
  for (const Problem &Sizes : {sizes(), Few})
    for (const Candidate &One : candidates(layer(), Sizes, "gfx942"))
      EXPECT_TRUE(!One.how.split || One.how.split->groups_merge == 1);
}

/// A problem may say into how many pieces the sum is divided.
TEST(ConvCandidates, PiecesOfTheProblem) {
  Problem Sizes = sizes();
  Sizes.k_batch = 3;
  std::vector<Candidate> All = candidates(layer(), Sizes, "gfx942");
  EXPECT_FALSE(All.empty());
  for (const Candidate &One : All) {
    ASSERT_TRUE(One.how.split) << text(One.how);
    EXPECT_EQ(One.how.split->k_batch, 3) << text(One.how);
  }
}

/// Tiles are shared where they leave a part of the GPU empty and sums are long,
/// in the workspace that is said, and for those who want the same bits, too.
TEST(ConvCandidates, LongSumsOnIdleGpusGetStreamK) {
  auto Shared = [](const Problem &Sizes, const Constraints &Within = {}) {
    std::vector<Candidate> Found;
    for (const Candidate &One : candidates(layer(), Sizes, "gfx942", Within))
      if (isStreamK(One.how))
        Found.push_back(One);
    return Found;
  };
  std::vector<Candidate> Few = Shared(sizes(), {.deterministic = true});
  EXPECT_FALSE(Few.empty());
  long long Most = 0;
  for (const Candidate &One : Few) {
    EXPECT_LT(0, One.workspace);
    EXPECT_LT(0, One.estimate.reduction_time);
    EXPECT_EQ(One.workspace,
              workspaceOf(layer(), One.how, sizes(), findProcessor("gfx942")));
    Most = std::max(Most, One.workspace);
  }
  EXPECT_LT(Shared(sizes(), {.workspace_limit = Most - 1}).size(), Few.size());
  EXPECT_TRUE(Shared(sizes(), {.workspace_limit = 0}).empty());
  Problem Short = sizes();
  Short.c = 16;
  Short.filter = {1, 1};
  EXPECT_TRUE(Shared(Short).empty());
  Problem Many = sizes();
  Many.batch = 4096;
  EXPECT_TRUE(Shared(Many).empty());
  Problem Pieces = sizes();
  Pieces.k_batch = 2;
  EXPECT_TRUE(Shared(Pieces).empty());
}

TEST(ConvCandidates, ReferenceHasToBeAllowed) {
  EXPECT_FALSE(offers(candidates(layer(), sizes(), "gfx942"), Kind::REFERENCE));
  EXPECT_TRUE(
      offers(candidates(layer(), sizes(), "gfx942", {.allow_reference = true}),
             Kind::REFERENCE));
}

TEST(ConvCandidates, ConstraintsFilterCandidates) {
  for (const Candidate &One :
       candidates(layer(), sizes(), "gfx942", {.isa = Isa::MFMA}))
    EXPECT_EQ(One.how.isa, Isa::MFMA);
  std::vector<Candidate> All =
      candidates(layer(), sizes(), "gfx942", {.kind = Kind::DIRECT});
  EXPECT_FALSE(All.empty());
  for (const Candidate &One : All)
    EXPECT_EQ(One.how.kind, Kind::DIRECT);
}

TEST(ConvCandidates, MatrixInstructionsOfBytes) {
  struct {
    DataType Type;
    const char *Gpu;
    Isa In;
  } constexpr Rows[] = {{DataType::FP8, "gfx942", Isa::MFMA},
                        {DataType::FP8, "gfx950", Isa::MFMA},
                        {DataType::FP8, "gfx1201", Isa::WMMA},
                        {DataType::U8, "gfx90a", Isa::MFMA},
                        {DataType::U8, "gfx942", Isa::MFMA},
                        {DataType::U8, "gfx1100", Isa::WMMA}};
  for (const auto &Row : Rows) {
    std::vector<Candidate> All =
        candidates(layer(Row.Type), sizes(), Row.Gpu, {.isa = Row.In});
    EXPECT_FALSE(All.empty()) << nameOf(Row.Type) << " on " << Row.Gpu;
    // They are what is estimated to be fastest, too.
    All = candidates(layer(Row.Type), sizes(), Row.Gpu);
    ASSERT_FALSE(All.empty());
    EXPECT_EQ(All[0].how.isa, Row.In) << nameOf(Row.Type) << " on " << Row.Gpu;
  }
}

TEST(ConvCandidates, RefusedWithTheFirstReason) {
  std::vector<Refusal> Refused;
  candidates(layer(), sizes(), "gfx1100", {.isa = Isa::MFMA}, &Refused);
  ASSERT_FALSE(Refused.empty());
  EXPECT_EQ(Refused[0].text(),
            "[A3] algorithm.isa: MFMA is not in gfx1100; it has WMMA DOT VALU");
}

/// Candidates are looked at by part of the table, and one by one: that has to
/// find what the whole table does.
TEST(ConvCandidates, RefusedAsTheTableDoes) {
  Constraints Within{.workspace_limit = 1 << 20, .deterministic = true};
  std::set<std::string> Ids;
  for (DataType Type : {DataType::FP32, DataType::FP16})
    for (std::string_view Gpu : ProcessorNames) {
      std::vector<Refusal> Refused;
      candidates(layer(Type), sizes(), Gpu, Within, &Refused);
      for (const Refusal &One : Refused) {
        // Of one for which no instruction is there, parts are left open.
        Conditions Want;
        Want.WorkspaceLimit = Within.workspace_limit;
        Want.Deterministic = true;
        Want.Parts = One.how.c ? Absent::IsRefused : Absent::IsOpen;
        Report Whole = validate(layer(Type), One.how, Gpu, sizes(), Want);
        Ids.insert(One.id);
        if (Whole.ok()) // by lower()
          EXPECT_EQ(One.id, "A16");
        else
          EXPECT_EQ(One.text(), Whole.textOf(0)) << text(One.how);
      }
    }
  for (const char *Id : {"A3", "A6", "A7", "P6", "P7"})
    EXPECT_TRUE(Ids.count(Id)) << Id;
}

TEST(ConvCandidates, InvalidProblemHasNoCandidates) {
  std::vector<Refusal> Refused;
  Problem Wrong = sizes();
  Wrong.image = {0, 56};
  EXPECT_TRUE(candidates(layer(), Wrong, "gfx942", {}, &Refused).empty());
  ASSERT_EQ(Refused.size(), 1u);
  EXPECT_EQ(Refused[0].id, "P1");
  EXPECT_TRUE(candidates(layer(), sizes(), "gfx1", {}, &Refused).empty());
  ASSERT_EQ(Refused.size(), 2u);
  EXPECT_EQ(Refused[1].text().substr(0, 5), "[A3] ");
  EXPECT_TRUE(candidates(layer(), sizes(), "", {}, &Refused).empty());
  EXPECT_EQ(Refused.size(), 3u);
}
