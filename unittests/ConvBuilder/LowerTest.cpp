//===- LowerTest.cpp - tests that valid algorithms can be lowered ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lower() refuses nothing that validate() has accepted: a user who is told that
// an algorithm is fine gets its kernel. Random algorithms as resolve() makes
// them, and the same with one or two fields changed, for signatures that are
// changed as well; and each matrix instruction of each processor.
//
//===----------------------------------------------------------------------===//
#include "Corruption.h"
#include "RandomValue.h"

#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/LowerAlgorithm.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

#include <gtest/gtest.h>
#include <set>

using namespace kpack;
using namespace kpack::conv;

namespace {

TEST(LowerTest, AcceptedAlgorithmsLower) {
  constexpr unsigned Seed = 15, Wanted = 20000;
  std::printf("seed %u, %u accepted algorithms\n", Seed, Wanted);
  RandomAlgorithm Random(Seed);
  unsigned Accepted = 0;
  std::set<std::pair<Kind, Isa>> Seen;
  while (Accepted < Wanted) {
    std::string_view Gpu = ProcessorNames[Random.below(8)];
    Resolved R = resolve(Random.signature(), Random.partial(), Gpu);
    for (unsigned I = 0; R.ok() && I < 10; ++I) {
      Signature Sig = R.Sig;
      Algorithm Algo = R.Algo;
      vary(Random, I, Sig, Algo);
      if (!validate(Sig, Algo, Gpu).ok())
        continue;
      ++Accepted;
      Seen.insert({Algo.kind, Algo.isa});
      Result<Lowered> Values = lower(Sig, Algo, Gpu);
      SCOPED_TRACE(std::string(Gpu) + " " + std::string(textOf(Sig).view()) +
                   " " + std::string(textOf(Algo).view()));
      ASSERT_TRUE(Values.ok()) << Values.status().message();
      ASSERT_EQ(Values->block_size, Algo.block_size);
      if (Algo.kind == Kind::IMPLICIT_GEMM) {
        ASSERT_EQ(ldsBytes(*Values), ldsOf(Sig, Algo).total());
      }
      // Hints are in no kernel.
      ASSERT_EQ(*lower(Sig, withoutHints(Algo), Gpu), *Values);
    }
  }
  EXPECT_EQ(Seen.size(), 7U) << "kinds, and what multiplies";
}

/// Of each type that instructions of the table multiply.
TEST(LowerTest, EachInstructionOfATableIsLowered) {
  unsigned Count = 0;
  for (std::string_view Gpu : ProcessorNames)
    for (DataType Type : {DataType::FP32, DataType::FP16, DataType::BF16,
                          DataType::FP8, DataType::I8, DataType::U8}) {
      Signature Sig = resolveSignature({.spatial_dim = 2, .data_type = Type});
      for (const Instruction &I : Instructions) {
        if (!isUsable(I, I.Of, Sig, findProcessor(Gpu)))
          continue;
        Algorithm Algo{.kind = Kind::IMPLICIT_GEMM, .isa = I.Of};
        if (usesMatrix(I.Of))
          Algo.wave.make().instr = {I.Rows, I.Columns, I.Depth};
        Resolved R = resolve(Sig, Algo, Gpu);
        ASSERT_TRUE(R.ok()) << Gpu << " " << I.Builtin << R.Why.view();
        Result<Lowered> Kernel = lower(R.Sig, R.Algo, Gpu);
        ASSERT_TRUE(Kernel.ok())
            << I.Builtin << ": " << Kernel.status().message();
        EXPECT_NE(Kernel->instruction, 0) << Gpu << " " << I.Builtin;
        ++Count;
      }
    }
  EXPECT_GT(Count, 60U);
}

// What nobody has checked is refused, too, if it is none.
TEST(LowerTest, UncheckedInvalidAlgorithmsAreRefused) {
  RandomAlgorithm Random(16);
  RandomValue Anything(16);
  unsigned Refused = 0;
  for (int I = 0; I < 6000; ++I) {
    std::string_view Gpu = ProcessorNames[Random.below(8)];
    Resolved R = resolve(Random.signature(), Random.partial(), Gpu);
    if (I % 2)
      R.Algo = Anything.make<Algorithm>();
    else
      for (int Field = 0; Field < 4; ++Field)
        Corruption(Random, static_cast<int>(Random.below(110)))
            .visit(R.Algo, "algorithm");
    Result<Lowered> Values = lower(R.Sig, R.Algo, Gpu);
    if (Values)
      continue;
    ++Refused;
    ASSERT_FALSE(Values.status().message().empty());
    ASSERT_FALSE(validate(R.Sig, R.Algo, Gpu).ok()) << textOf(R.Algo).view();
  }
  EXPECT_GT(Refused, 1000U);
}

} // namespace
