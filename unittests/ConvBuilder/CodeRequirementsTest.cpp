//===- CodeRequirementsTest.cpp - tests of checks of compiled kernels -----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each requirement R refuses a code object with a number that is wrong, with an
// exact message, and takes the nearest one that is fine. The code objects are
// doctored: a compiler would hardly give them. What it gives is looked at in
// CompiledTest.cpp, and R4, which takes a disassembler, in
// test/ConvBuilder/code.test.
//
//===----------------------------------------------------------------------===//
#include "CodeObjectWriter.h"

#include "kpack/ConvBuilder/CodeObject.h"
#include "kpack/ConvBuilder/Requirements.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"

#include <gtest/gtest.h>
#include <set>

using namespace kpack;
using namespace kpack::conv;

namespace {

struct CodeCase {
  std::string_view Id;
  std::string_view Gpu;
  Algorithm Given;
  void (*Spoil)(CodeFacts &);
  std::string_view Message;
  long long Limit;
  void (*Nearest)(CodeFacts &);
};

const Algorithm Direct = {.kind = Kind::DIRECT, .block_size = 256};
const Algorithm Gemm = {.kind = Kind::IMPLICIT_GEMM,
                        .isa = Isa::MFMA,
                        .tile = MNK{64, 64, 32},
                        .wave = WaveTile{{2, 2, 1}, {32, 32, 8}}};
const Algorithm Waves16 = {.kind = Kind::DIRECT, .block_size = 1024};

const CodeCase Cases[] = {
    {"R1", "gfx90a", Direct, [](CodeFacts &F) { F.LdsBytes = 4; },
     "[R1] code.lds: 4 bytes, and A7 computes 0; report it: the model is too "
     "low",
     0, [](CodeFacts &F) { F.LdsBytes = 0; }},
    {"R1", "gfx90a", Gemm, [](CodeFacts &F) { F.LdsBytes = 65536; },
     "[R1] code.lds: 65536 bytes, and A7 computes 16384; report it: the model "
     "is too low",
     16384, [](CodeFacts &F) { F.LdsBytes = 8192; }},
    {"R2", "gfx90a", Gemm, [](CodeFacts &F) { F.VgprSpills = 7; },
     "[R2] algorithm.tile: 7 VGPRs are spilled to memory; a smaller one needs "
     "fewer registers",
     0, [](CodeFacts &F) { F.SgprSpills = 7; }},
    {"R2", "gfx1100", Direct, [](CodeFacts &F) { F.VgprSpills = 1; },
     "[R2] algorithm.kind: 1 VGPRs are spilled to memory; report it: this "
     "kernel never needs so many",
     0, [](CodeFacts &F) { F.SgprSpills = 1; }},
    {"R3", "gfx942", Gemm, [](CodeFacts &F) { F.PrivateBytes = 24; },
     "[R3] algorithm.tile: 24 bytes of private memory for each thread; a "
     "smaller one needs fewer registers",
     0, [](CodeFacts &) {}},
    {"R5", "gfx90a", Direct, [](CodeFacts &F) { F.Target = "gfx942"; },
     "[R5] code.target: is for gfx942, asked for was gfx90a; compile it for "
     "gfx90a",
     0, [](CodeFacts &F) { F.Target = "gfx90a:xnack-"; }},
    {"R5", "gfx1100", Direct, [](CodeFacts &F) { F.WaveSize = 64; },
     "[R5] code.wave_size: 64 threads, and the algorithm divides its work by "
     "32; compile it without -mwavefrontsize64 and -mno-wavefrontsize64",
     32, [](CodeFacts &) {}},
    {"R6", "gfx90a", Waves16, [](CodeFacts &F) { F.Vgprs = 129; },
     "[R6] algorithm.kind: 129 registers of a lane: a SIMD of gfx90a runs 3 "
     "such waves, and has 4 of each work-group; report it: this kernel never "
     "needs so many",
     128, [](CodeFacts &F) { F.Vgprs = 128; }},
};

/// Out of the bytes of a code object.
Report makeReport(const CodeCase &Case, void (*Change)(CodeFacts &)) {
  Resolved R = resolve({.spatial_dim = 2, .data_type = DataType::FP16},
                       Case.Given, Case.Gpu);
  EXPECT_TRUE(R.ok()) << R.Why.view();
  MadeCodeObject CodeObject{.Sig = R.Sig, .How = R.Algo};
  CodeObject.Processor = Case.Gpu;
  CodeObject.Facts.Target = Case.Gpu;
  CodeObject.Facts.WaveSize = findProcessor(Target(Case.Gpu))->WaveSize;
  Change(CodeObject.Facts);
  Result<std::vector<KernelTraits>> All = traits(CodeObject.image());
  EXPECT_TRUE(All.ok()) << All.status().message();
  if (!All)
    return {};
  const KernelTraits &Kernel = All->front();
  return validateCode(Kernel.Sig, Kernel.How, Target(Kernel.Processor),
                      *Kernel.Code);
}

TEST(CodeRequirementsTest, EachRefusesItsCaseAndTakesTheNearest) {
  for (const CodeCase &Case : Cases) {
    Report Bad = makeReport(Case, Case.Spoil);
    ASSERT_EQ(Bad.total(), 1U) << Case.Id << ": " << Bad.view();
    EXPECT_EQ(Bad[0].Id, Case.Id);
    EXPECT_EQ(Bad.view(), Case.Message);
    EXPECT_EQ(Bad[0].Limit, Case.Limit);
    EXPECT_FALSE(Bad[0].Remedy.empty());
    Report Good = makeReport(Case, Case.Nearest);
    EXPECT_TRUE(Good.ok()) << Case.Id << ": " << Good.view();
  }
}

TEST(CodeRequirementsTest, EachHasACase) {
  std::set<std::string_view> Shown;
  for (const CodeCase &Case : Cases)
    Shown.insert(Case.Id);
  // R4 takes a disassembler.
  for (const Requirement &R : Requirements)
    if (R.group() == RequirementGroup::CodeObject) {
      EXPECT_EQ(Shown.count(R.Id), R.Id == "R4" ? 0U : 1U) << R.Id;
    }
}

TEST(CodeRequirementsTest, AllViolationsAreReported) {
  Report R = makeReport(Cases[2], [](CodeFacts &F) {
    F.LdsBytes = 1 << 20;
    F.VgprSpills = F.PrivateBytes = 1;
    F.Vgprs = 600;
    F.Target = "gfx906";
  });
  EXPECT_EQ(R.total(), 5U) << R.view();
}

} // namespace
