//===- RequirementsTest.cpp - tests of each requirement's message ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each requirement refuses a value with an exact message, and takes the nearest
// one that is fine (RequirementCases.def). Reports count what they do not keep.
// The reference page is the table. What is asked of compiled code (R) is in
// CodeRequirementsTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "RandomValue.h"
#include "RequirementsPage.h"

#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

using namespace kpack::conv;

namespace {

template <typename T> T valueOf(std::string_view Text) {
  T Value;
  TextError Error = parseText(Text, Value);
  EXPECT_FALSE(Error.failed()) << Text << ": " << Error.Message.view();
  return Value;
}

enum class How { Signature, Resolved, Whole, Problem };

struct Case {
  How Checked;
  std::string_view Id;
  std::string_view Gpu;
  std::string_view Signature;
  std::string_view Algorithm;
  std::string_view Bad;
  std::string_view Good;
  std::string_view Message;
};

const Case Cases[] = {
#define SIGNATURE(ID, BAD, GOOD, MESSAGE)                                      \
  {How::Signature, ID, "", "", "", BAD, GOOD, MESSAGE},
#define ALGORITHM(ID, GPU, SIGNATURE, BAD, GOOD, MESSAGE)                      \
  {How::Resolved, ID, GPU, SIGNATURE, "", BAD, GOOD, MESSAGE},
#define WHOLE(ID, GPU, SIGNATURE, BAD, GOOD, MESSAGE)                          \
  {How::Whole, ID, GPU, SIGNATURE, "", BAD, GOOD, MESSAGE},
#define PROBLEM(ID, SIGNATURE, ALGORITHM, BAD, GOOD, MESSAGE)                  \
  {How::Problem, ID, "gfx942", SIGNATURE, ALGORITHM, BAD, GOOD, MESSAGE},
#include "RequirementCases.def"
};

Report makeReport(const Case &C, std::string_view Text) {
  switch (C.Checked) {
  case How::Signature:
    return validate(valueOf<Signature>(Text));
  case How::Resolved:
    return resolve(valueOf<Signature>(C.Signature), valueOf<Algorithm>(Text),
                   C.Gpu)
        .Why;
  case How::Whole:
    return validate(valueOf<Signature>(C.Signature), valueOf<Algorithm>(Text),
                    C.Gpu);
  case How::Problem:
    Conditions Want;
    Want.WorkspaceLimit = 1 << 20;
    Want.Deterministic = true;
    return resolve(valueOf<Signature>(C.Signature),
                   valueOf<Algorithm>(C.Algorithm), C.Gpu,
                   valueOf<Problem>(Text), Want)
        .Why;
  }
  return {};
}

TEST(RequirementsTest, EachRefusesItsCaseAndTakesTheNearest) {
  for (const Case &C : Cases) {
    SCOPED_TRACE(std::string(C.Id) + ": " + std::string(C.Bad));
    Report Bad = makeReport(C, C.Bad);
    ASSERT_FALSE(Bad.ok());
    EXPECT_EQ(Bad[0].Id, C.Id);
    EXPECT_EQ(Bad.textOf(0), C.Message);
    Report Good = makeReport(C, C.Good);
    EXPECT_TRUE(Good.ok()) << Good.view();
  }
}

/// Those whose cases are elsewhere: of types that are read, in
/// import-errors.test; of an argument that no text has, below; of disassembled
/// code, in code.test.
constexpr std::string_view Elsewhere[] = {"S0", "S11", "R4"};

TEST(RequirementsTest, EachHasACase) {
  std::set<std::string_view> Shown(std::begin(Elsewhere), std::end(Elsewhere));
  for (const Case &C : Cases)
    Shown.insert(C.Id);
  for (const Requirement &R : Requirements) {
    // Whoever adds one without a check has to say here who has its case.
    if (!R.Check) {
      EXPECT_TRUE(R.Id == "S0" || R.Id == "R4") << R.Id;
    } else if (R.group() != RequirementGroup::CodeObject) {
      EXPECT_EQ(Shown.count(R.Id), 1u) << R.Id;
    }
  }
  for (std::string_view Id : Shown)
    EXPECT_NE(findRequirement(Id), nullptr) << Id;
}

// Texts have no negative numbers.
TEST(RequirementsTest, NegativeStridesAreRefused) {
  Signature Sig{.spatial_dim = 1, .data_type = DataType::FP32};
  Sig.output.operation = Operation{
      .elementwise_operation = ElementwiseOperation::BILINEAR,
      .auxiliary_operand_configs = {{.layout = TensorLayout::G_K_strided}}};
  Problem P{.c = 4, .k = 4, .image = {4}, .filter = {1}};
  P.auxiliary_strides = {Strides{4, 1}};
  EXPECT_EQ(validate(Sig, P).view(), "");
  P.auxiliary_strides[0][1] = -1;
  EXPECT_EQ(validate(Sig, P).view(),
            "[P9] problem.auxiliary_strides[0]: has -1; 0 or more");
}

TEST(RequirementsTest, OnlyKnownVersionsAreAccepted) {
  Conditions Want;
  Want.Version = "7";
  Report R = validate({.spatial_dim = 2, .data_type = DataType::FP16}, Want);
  EXPECT_EQ(R.view(), "[S11] VERSION: \"7\" is not known; \"1\" is, \"0.0.0\", "
                      "\"0.1.0\" of CK mean the same");
  for (std::string_view Known : {"1", "0.0.0", "0.1.0"}) {
    Want.Version = Known;
    EXPECT_TRUE(
        validate({.spatial_dim = 2, .data_type = DataType::FP16}, Want).ok());
  }
}

TEST(RequirementsTest, FindingsAreData) {
  Report R = resolve({.spatial_dim = 2, .data_type = DataType::FP16},
                     {.kind = Kind::DIRECT, .block_size = 2000}, "gfx942")
                 .Why;
  ASSERT_EQ(R.size(), 2u);
  EXPECT_EQ(R[0].Id, "A6");
  EXPECT_EQ(R[0].Path, "algorithm.block_size");
  EXPECT_EQ(R[0].Fact, "2000 threads are too many for a work-group");
  EXPECT_EQ(R[0].Remedy, "at most 1024");
  EXPECT_EQ(R[0].Limit, 1024);
  EXPECT_EQ(R[1].Fact, "2000 is no multiple of the 64 threads of a wave");
  EXPECT_EQ(R.view(),
            std::string(R.textOf(0)) + "; " + std::string(R.textOf(1)));
}

TEST(RequirementsTest, SixteenAreKeptAndTheRestIsCounted) {
  // Whatever is absent of an algorithm with all parts.
  Algorithm Empty{.kind = Kind::IMPLICIT_GEMM, .isa = Isa::MFMA};
  Empty.tile.make();
  Empty.wave.make();
  Empty.a.make();
  Empty.b.make();
  Empty.c.make();
  Report R = validate({.spatial_dim = 2, .data_type = DataType::FP16}, Empty);
  EXPECT_EQ(R.size(), Report::MaxFindings);
  ASSERT_GT(R.total(), R.size());
  EXPECT_TRUE(R.view().ends_with(
      " and " + std::to_string(R.total() - R.size()) + " more"))
      << R.view();
}

TEST(RequirementsTest, RandomValuesGiveCompleteFindings) {
  RandomValue Random(3);
  for (int I = 0; I < 3000; ++I) {
    Signature Sig = Random.make<Signature>();
    Algorithm Algo = Random.make<Algorithm>();
    Problem Sizes = Random.make<Problem>();
    std::string_view Gpu = ProcessorNames[I % 8];
    for (const Report &R :
         {validate(Sig, Algo, Gpu, Sizes), resolve(Sig, Algo, Gpu, Sizes).Why,
          resolve({.spatial_dim = 2, .data_type = DataType::FP16}, Algo, Gpu)
              .Why})
      for (unsigned F = 0; F < R.size(); ++F) {
        ASSERT_NE(findRequirement(R[F].Id), nullptr);
        ASSERT_FALSE(R[F].Path.empty()) << R.view();
        ASSERT_FALSE(R[F].Fact.empty()) << R.view();
        ASSERT_FALSE(R[F].Remedy.empty()) << R.view();
      }
  }
}

TEST(RequirementsTest, UnknownProcessorIsReported) {
  Report R = validate(
      {.spatial_dim = 2, .data_type = DataType::FP16},
      {.kind = Kind::DIRECT, .isa = Isa::VALU, .block_size = 64}, "gfx1234");
  EXPECT_EQ(R.view(),
            "[A3] algorithm.isa: gfx1234 is no processor that is known; one of "
            "gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1201");
}

TEST(RequirementsTest, InstructionsDependOnTheCompilerVersion) {
  Signature Sig{.spatial_dim = 2, .data_type = DataType::BF16};
  Algorithm Dot{.isa = Isa::DOT};
  EXPECT_TRUE(resolve(Sig, Dot, {"gfx950", 22}).ok());
  EXPECT_EQ(resolve(Sig, Dot, {"gfx950", 19}).Why[0].Id, "A3");
  // Another one has what the one before it has.
  EXPECT_TRUE(resolve(Sig, Dot, {"gfx950", 23}).ok());
  EXPECT_FALSE(resolve(Sig, Dot, {"gfx950", 21}).ok());
}

// The same while compiling, with the same words.
constexpr Signature HalfSignature{.spatial_dim = 2,
                                  .data_type = DataType::FP16};
constexpr Report WhileCompiling =
    resolve(HalfSignature, {.isa = Isa::MFMA}, "gfx1100").Why;
static_assert(WhileCompiling[0].Id == "A3");
static_assert(valid<HalfSignature, Algorithm{.isa = Isa::MFMA}, "gfx942">);
static_assert(!valid<HalfSignature, Algorithm{.isa = Isa::MFMA}, "gfx1100">);
// Without a processor, what is given is looked at.
static_assert(valid<HalfSignature, Algorithm{.isa = Isa::MFMA}>);
static_assert(!valid<HalfSignature, Algorithm{.block_size = 4096}>);

TEST(RequirementsTest, CompileTimeReportIsTheSame) {
  EXPECT_EQ(WhileCompiling.view(),
            resolve(HalfSignature, {.isa = Isa::MFMA}, "gfx1100").Why.view());
}

TEST(RequirementsTest, ThePageIsTheTable) {
  std::ifstream File(CONV_TEST_REQUIREMENTS_PAGE);
  std::ostringstream Page;
  Page << File.rdbuf();
  EXPECT_EQ(Page.str(), requirementsPage())
      << "docs/reference/conv-requirements.md: is not the table of "
         "Requirements.h; make it the second of the two texts";
}

} // namespace
