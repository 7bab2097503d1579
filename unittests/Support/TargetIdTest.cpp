//===- TargetIdTest.cpp - tests of AMDGPU target ids ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing, the order of candidates, and LLVM's generic targets.
//
//===----------------------------------------------------------------------===//

#include "kpack/Support/TargetId.h"

#include <gtest/gtest.h>

using namespace kpack;
using Names = std::vector<std::string>;

TEST(TargetId, StripsEveryFormOfTriple) {
  EXPECT_EQ(stripTargetTriple("amdgcn-amd-amdhsa--gfx90a:xnack+"),
            "gfx90a:xnack+");
  EXPECT_EQ(stripTargetTriple("hip-amdgcn-amd-amdhsa--gfx906"), "gfx906");
  EXPECT_EQ(stripTargetTriple("hipv4-amdgcn-amd-amdhsa-unknown-gfx906"),
            "gfx906");
  EXPECT_EQ(stripTargetTriple("amdgcn-amd-amdhsa--gfx9-4-generic:xnack-"),
            "gfx9-4-generic:xnack-");
  EXPECT_EQ(stripTargetTriple("gfx9-4-generic"), "gfx9-4-generic");
  EXPECT_EQ(stripTargetTriple("amdgcn-amd-amdhsa"), "amdgcn-amd-amdhsa");
  EXPECT_EQ(stripTargetTriple("amdgcn-amd-amdhsa-"), "amdgcn-amd-amdhsa-");
  EXPECT_EQ(stripTargetTriple(""), "");
}

TEST(TargetId, ChecksTheFormOfIds) {
  for (const char *Id : {"gfx906", "gfx90a:xnack+", "gfx90a:sramecc+:xnack-",
                         "gfx9-4-generic", "gfx1250-strict"})
    EXPECT_TRUE(isValidTargetId(Id)) << Id;
  for (const char *Id :
       {"", "gfx", "906", "sm_90", "gfx90a:", "gfx90a:xnack", "gfx90a:+",
        "gfx90a:xnack+:xnack-", "gfx90a::xnack+", "GFX90A", "gfx90a/..",
        "gfx90a-", "gfx90a:xnack+ ", "gfx90a:../x+"})
    EXPECT_FALSE(isValidTargetId(Id)) << Id;
}

TEST(TargetId, KnowsTheTargetOfSpirv) {
  EXPECT_TRUE(isCodeTarget("amdgcnspirv"));
  EXPECT_TRUE(isCodeTarget("gfx90a:xnack+"));
  EXPECT_FALSE(isValidTargetId("amdgcnspirv"));
  EXPECT_FALSE(isCodeTarget("amdgcnspirv64"));
}

TEST(TargetId, TriesSubsetsFromTheLargest) {
  EXPECT_EQ(exactCandidates("gfx1100"), Names({"gfx1100"}));
  EXPECT_EQ(exactCandidates("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"),
            Names({"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+", "gfx90a:xnack-",
                   "gfx90a"}));
}

TEST(TargetId, KeepsTheOrderOfFeatures) {
  EXPECT_EQ(exactCandidates("gfx90a:xnack-:sramecc+").front(),
            "gfx90a:xnack-:sramecc+");
}

TEST(TargetId, BoundsTheSubsetsOfAnAbsurdName) {
  std::string Device = "gfx90a";
  for (int I = 0; I != 60; ++I)
    Device += ":f" + std::to_string(I) + "+";
  EXPECT_EQ(exactCandidates(Device).size(), 256u);
  EXPECT_EQ(exactCandidates(Device).back(), "gfx90a");
}

TEST(TargetId, GenericTargetsAreLlvms) {
  EXPECT_EQ(genericTargetOf("gfx906"), "gfx9-generic");
  EXPECT_EQ(genericTargetOf("gfx942"), "gfx9-4-generic");
  EXPECT_EQ(genericTargetOf("gfx950"), "gfx9-4-generic");
  EXPECT_EQ(genericTargetOf("gfx1012"), "gfx10-1-generic");
  EXPECT_EQ(genericTargetOf("gfx1036"), "gfx10-3-generic");
  EXPECT_EQ(genericTargetOf("gfx1151"), "gfx11-generic");
  EXPECT_EQ(genericTargetOf("gfx1201"), "gfx12-generic");
  // Neither prefix nor family makes a member.
  for (const char *None : {"gfx908", "gfx90a", "gfx1250", "gfx803", ""})
    EXPECT_EQ(genericTargetOf(None), "") << None;
}

TEST(TargetId, GenericCandidatesKeepTheFeatures) {
  EXPECT_EQ(genericCandidates("gfx942:xnack+"),
            Names({"gfx9-4-generic:xnack+", "gfx9-4-generic"}));
  EXPECT_EQ(genericCandidates("gfx90a:xnack+"), Names());
}

TEST(TargetId, CanonicalNames) {
  EXPECT_EQ(canonicalTarget("gfx1100"), "gfx1100");
  EXPECT_EQ(canonicalTarget("gfx90a:xnack-:sramecc+"),
            "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(canonicalTarget("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic:xnack+"),
            "gfx9-4-generic:xnack+");
  EXPECT_EQ(canonicalTarget("amdgcnspirv"), "amdgcnspirv");
  EXPECT_EQ(canonicalTarget("gfx90a:xnack-:xnack+"), "gfx90a:xnack-:xnack+");
  EXPECT_EQ(canonicalTarget(""), "");
}

TEST(TargetId, CodeRunsOnMatchingGpus) {
  std::string Gpu = "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-";
  for (const char *Good : {"gfx942", "gfx942:xnack-", "gfx942:xnack-:sramecc+",
                           "gfx9-4-generic", "gfx9-4-generic:sramecc+"})
    EXPECT_EQ(CodeUse::Runs, codeUse(Good, Gpu)) << Good;
  for (const char *Bad :
       {"gfx942:xnack+", "gfx942:sramecc-:xnack-", "gfx9-generic", "gfx94",
        "gfx9-4-generic:xnack+", "gfx950", "gfx942:other+", "gfx942:", ""})
    EXPECT_EQ(CodeUse::None, codeUse(Bad, Gpu)) << Bad;
  EXPECT_EQ(CodeUse::None, codeUse("", ""));
  EXPECT_EQ(CodeUse::None, codeUse("", "gfx803"));
  for (const auto &[Generic, Member] : {std::pair("gfx9-generic", "gfx906"),
                                        {"gfx10-1-generic", "gfx1010"},
                                        {"gfx10-3-generic", "gfx1030"},
                                        {"gfx11-generic", "gfx1151"},
                                        {"gfx12-generic", "gfx1201"}}) {
    EXPECT_EQ(CodeUse::Runs, codeUse(Generic, Member)) << Generic;
    EXPECT_EQ(CodeUse::None, codeUse(Member, Generic)) << Generic;
  }
}

TEST(TargetId, SpirvSuitsEveryGpuByTranslation) {
  for (const char *Gpu : {"gfx1100", "gfx942:sramecc+:xnack-",
                          "amdgcn-amd-amdhsa--gfx90a", "gfx1250-strict"})
    for (const char *Name :
         {"amdgcnspirv", "hip-spirv64-amd-amdhsa--amdgcnspirv"})
      EXPECT_EQ(CodeUse::ByTranslation, codeUse(Name, Gpu)) << Gpu;
  EXPECT_EQ(targetFitness("amdgcnspirv", "gfx1100"), 0u);
}

TEST(TargetId, AStrictProcessorIsAnother) {
  for (UnsaidFeature Unsaid :
       {UnsaidFeature::IsNotThere, UnsaidFeature::MayBeAnything}) {
    EXPECT_EQ(CodeUse::None, codeUse("gfx1250", "gfx1250-strict", Unsaid));
    EXPECT_EQ(CodeUse::None, codeUse("gfx1250-strict", "gfx1250", Unsaid));
    EXPECT_EQ(CodeUse::Runs,
              codeUse("gfx1250-strict", "gfx1250-strict", Unsaid));
  }
}

// The loader's lists and the rule are two sides of one thing.
TEST(TargetId, CandidatesRun) {
  for (const char *Gpu : {"gfx942:sramecc+:xnack-", "gfx1100", "gfx90a:xnack+"})
    for (auto *Candidates : {exactCandidates, genericCandidates})
      for (const std::string &Id : Candidates(Gpu))
        EXPECT_EQ(CodeUse::Runs, codeUse(Id, Gpu)) << Id;
}

TEST(TargetId, CloserTargetsFitBetter) {
  std::string Gpu = "gfx942:sramecc+:xnack-";
  EXPECT_GT(targetFitness("gfx942", Gpu), targetFitness("gfx9-4-generic", Gpu));
  EXPECT_GT(targetFitness("gfx942", Gpu),
            targetFitness("gfx9-4-generic:sramecc+:xnack-", Gpu));
  EXPECT_GT(targetFitness("gfx942:xnack-", Gpu), targetFitness("gfx942", Gpu));
  // A person may leave out features.
  EXPECT_EQ(targetFitness("gfx942:xnack-", "gfx942"), 0u);
  EXPECT_NE(
      targetFitness("gfx942:xnack-", "gfx942", UnsaidFeature::MayBeAnything),
      0u);
  EXPECT_EQ(targetFitness("gfx942:xnack-", "gfx942:xnack+",
                          UnsaidFeature::MayBeAnything),
            0u);
}

TEST(TargetId, StrictIsNeverServedByItsNamesake) {
  for (const std::string &Id : exactCandidates("gfx1250-strict"))
    EXPECT_NE(Id, "gfx1250");
  EXPECT_EQ(genericCandidates("gfx1250-strict"), Names());
}

TEST(TargetId, FileNamesHaveNoColons) {
  for (const char *Id :
       {"gfx1100", "gfx90a:xnack+", "gfx90a:sramecc+:xnack-", "gfx9-4-generic",
        "gfx9-4-generic:sramecc-:xnack+", "gfx1250-strict"}) {
    EXPECT_EQ(targetFileName(Id).find(':'), std::string::npos);
    EXPECT_EQ(targetOfFileName(targetFileName(Id)), Id);
    EXPECT_EQ(targetOfFileName(Id), Id);
  }
  EXPECT_EQ(targetFileName("gfx90a:sramecc+:xnack-"), "gfx90a-sramecc+-xnack-");
  for (const char *None : {"", "-", "+", "gfx90a-", "gfx90a--", "gfx90a+",
                           "xnack-", "x-xnack+", "gfx90a-xnack+-xnack-"})
    EXPECT_EQ(targetOfFileName(None), "") << None;
}
