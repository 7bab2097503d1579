//===- GemmTest.cpp - IMPLICIT_GEMM beside the host reference -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiled body over random cases, as C++ of this program, phase by phase:
// tiles that the matrix does not fill, and rows and columns that are loaded in
// several parts. KPACK_CONV_CASES and KPACK_CONV_SEED as in DirectTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "ConvCase.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

Algorithm tiled(MNK Tile, int ThreadM, int ThreadN, int Pad = 0) {
  Algorithm How;
  How.kind = Kind::IMPLICIT_GEMM;
  How.isa = Isa::VALU;
  How.tile = Tile;
  How.thread.make().m1 = ThreadM;
  How.thread.make().n1 = ThreadN;
  How.a.make().lds_pad = Pad;
  return How;
}

TEST(GemmTest, RandomCases) {
  const Algorithm Tiles[] = {
      tiled({16, 16, 8}, 2, 2), tiled({8, 8, 8}, 1, 1, 1),
      tiled({8, 16, 16}, 1, 2), tiled({32, 16, 8}, 4, 2),
      tiled({4, 4, 4}, 1, 1),   tiled({16, 8, 4}, 4, 1)};
  const char *Seed = std::getenv("KPACK_CONV_SEED");
  const char *Count = std::getenv("KPACK_CONV_CASES");
  unsigned First = Seed ? static_cast<unsigned>(std::atoi(Seed)) : 1;
  unsigned Cases = Count ? static_cast<unsigned>(std::atoi(Count)) : 1500;
  std::printf("seed %u, %u cases\n", First, Cases);
  RandomCase Random(First + 1000);
  for (unsigned I = 0; I < Cases; ++I) {
    ConvCase Case = Random.next();
    if (Case.Sig.accumulation_data_type == DataType::FP64)
      Case.Sig.accumulation_data_type = DataType::FP32;
    ASSERT_TRUE(Case.fill(First + I));
    std::vector<TensorBytes> Own = Case.Memory;
    Result<Lowered> Kernel =
        lower(Case.Sig, Tiles[I % std::size(Tiles)],
              Case.Form == Fp8Form::Fnuz ? "gfx942" : "cpu");
    ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
    Result<KernelLaunch> Launch =
        launchOf(Case.Sig, *Kernel, Case.P, Case.args(Own));
    ASSERT_TRUE(Launch.ok()) << Launch.status().message();
    runNatively(*Kernel, *Launch);
    ASSERT_EQ(Case.compare(Case.expected(), Own[Case.result()]), "")
        << "case " << I;
  }
}

TEST(GemmTest, TilesThatMakeNoSense) {
  Signature Sig =
      resolveSignature({.spatial_dim = 2, .data_type = DataType::FP16});
  auto Message = [&](const Algorithm &How, const char *Processor) {
    return lower(Sig, How, Processor).status().message();
  };
  Algorithm How;
  How.kind = Kind::IMPLICIT_GEMM;
  How.isa = Isa::MFMA;
  EXPECT_EQ(Message(How, "gfx90a"),
            "algorithm.tile: is missing, or no size from 1 to 1024");
  How.tile = MNK{64, 64, 32};
  EXPECT_EQ(Message(How, "gfx90a"),
            "algorithm.wave: is missing; MFMA needs to know its waves and "
            "instruction");
  How.wave = WaveTile{{2, 2, 1}, {32, 32, 8}};
  EXPECT_EQ(Message(How, "gfx90a"), "");
  EXPECT_EQ(Message(How, "gfx1100"),
            "algorithm.wave.instr: gfx1100 has no MFMA of FP16 with 32x32x8; "
            "take VALU");
  How.wave->instr.k = 16;
  EXPECT_EQ(Message(How, "gfx942"),
            "algorithm.wave.instr: gfx942 has no MFMA of FP16 with 32x32x16; "
            "it has 32x32x8, 16x16x16");
  How.wave = WaveTile{{3, 2, 1}, {32, 32, 8}};
  EXPECT_EQ(Message(How, "gfx942"),
            "algorithm.wave: waves times instr do not divide the tile");
  How.wave = WaveTile{{2, 2, 1}, {32, 32, 8}};
  How.a.make().lds_pad = 1;
  EXPECT_EQ(Message(How, "gfx942"), "algorithm.a.lds_pad: a row of 66 bytes "
                                    "does not keep the alignment of 8");
  How.a.reset();
  How.tile = MNK{256, 128, 32};
  EXPECT_EQ(Message(How, "gfx942"), "algorithm.tile: needs 131072 bytes of "
                                    "LDS, 65536 are there");
  How = tiled({16, 16, 8}, 3, 2);
  EXPECT_EQ(Message(How, "gfx942"),
            "algorithm.thread: m1 and n1 do not divide the tile");
  How = tiled({16, 8, 2}, 1, 1);
  EXPECT_EQ(Message(How, "gfx942"),
            "algorithm.tile: 128 threads cannot load it in equal parts: a "
            "multiple of tile.k, and parts of m times k and of n times k are "
            "needed");
}

} // namespace
