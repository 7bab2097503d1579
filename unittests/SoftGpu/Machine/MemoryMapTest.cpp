//===- MemoryMapTest.cpp - tests of memory of device code -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/MemoryMap.h"

#include "gtest/gtest.h"
#include <random>
#include <thread>

using namespace kpack::softgpu;

namespace {

TEST(MemoryMap, FindsTheRangeOfAnAddress) {
  MemoryMap M;
  M.add({0x1000, 0x2000, true, "allocation"});
  M.add({0x3000, 0x3010, false, "kernel arguments"});
  EXPECT_FALSE(M.find(0xfff));
  EXPECT_EQ(M.find(0x1000)->End, 0x2000u);
  EXPECT_EQ(M.find(0x1fff)->Begin, 0x1000u);
  EXPECT_FALSE(M.find(0x2000));
  EXPECT_FALSE(M.find(0x3000)->Writable);
  EXPECT_FALSE(M.find(~uint64_t(0)));
}

TEST(MemoryMap, ContainsDoesNotWrapAround) {
  MemoryRange R{0x1000, 0x2000};
  EXPECT_TRUE(R.contains(0x1000, 0x1000));
  EXPECT_FALSE(R.contains(0x1000, 0x1001));
  EXPECT_FALSE(R.contains(0x1fff, 2));
  EXPECT_FALSE(R.contains(0x1800, ~uint64_t(0)));
  EXPECT_FALSE(R.contains(~uint64_t(0), 1));
}

TEST(MemoryMap, LaterRangesReplaceEarlierOnes) {
  MemoryMap M;
  M.add({0x1000, 0x4000, true, "allocation"});
  M.add({0x2000, 0x3000, false, "code object"});
  ASSERT_EQ(M.snapshot()->size(), 3u);
  EXPECT_TRUE(M.find(0x1fff)->Writable);
  EXPECT_FALSE(M.find(0x2000)->Writable);
  EXPECT_TRUE(M.find(0x3000)->Writable);
  M.remove(0x1800, 0x3800);
  ASSERT_EQ(M.snapshot()->size(), 2u);
  EXPECT_EQ(M.find(0x1000)->End, 0x1800u);
  EXPECT_EQ(M.find(0x3fff)->Begin, 0x3800u);
}

TEST(MemoryMap, GenerationChangesWithTheRanges) {
  MemoryMap M;
  uint64_t Before = M.generation();
  EXPECT_NE(Before, 0u);
  M.add({0x1000, 0x2000});
  uint64_t After = M.generation();
  EXPECT_NE(After, Before);
  M.remove(0x1000, 0x2000);
  EXPECT_NE(M.generation(), After);
  EXPECT_TRUE(M.snapshot()->empty());
}

TEST(MemoryMap, EmptyRangesAreIgnored) {
  MemoryMap M;
  M.add({0x1000, 0x1000});
  M.add({0x2000, 0x1000});
  M.remove(0x2000, 0x1000);
  EXPECT_TRUE(M.snapshot()->empty());
}

// A byte array is the plainest map of all.
TEST(MemoryMap, AgreesWithAnArrayOfBytes) {
  std::mt19937 Random(7);
  MemoryMap M;
  std::vector<char> Model(256, 0);
  for (unsigned Step = 0; Step < 2000; ++Step) {
    uint64_t Begin = Random() % 256, End = Random() % 257;
    unsigned What = Random() % 3;
    if (What == 2)
      M.remove(Begin, End);
    else
      M.add({Begin, End, What == 1});
    for (uint64_t I = Begin; I < End; ++I)
      Model[I] = What == 2 ? 0 : char(1 + What);
    for (uint64_t I = 0; I < 256; ++I) {
      auto R = M.find(I);
      ASSERT_EQ(R ? 1 + R->Writable : 0, Model[I]) << Step << ' ' << I;
    }
    auto Ranges = M.snapshot();
    for (size_t I = 1; I < Ranges->size(); ++I)
      ASSERT_LE((*Ranges)[I - 1].End, (*Ranges)[I].Begin);
  }
}

TEST(MemoryMap, DescribesWhereAnAddressLies) {
  MemoryMap M;
  M.add({0x100000, 0x101000, true, "allocation"});
  M.add({0x500000, 0x500040, false, "kernel arguments"});
  EXPECT_EQ(M.describe(0x100010),
            "byte 16 of a 4096-byte allocation at 0x100000");
  EXPECT_EQ(M.describe(0x101000),
            "at the end of a 4096-byte allocation at 0x100000");
  EXPECT_EQ(M.describe(0x101001),
            "1 byte past the end of a 4096-byte allocation at 0x100000");
  EXPECT_EQ(M.describe(0x4ffff0),
            "16 bytes before the 64 bytes of kernel arguments at 0x500000");
  EXPECT_EQ(M.describe(0x500004),
            "byte 4 of the 64 bytes of kernel arguments at 0x500000");
  EXPECT_EQ(M.describe(0x300000), "in no allocation");
  EXPECT_EQ(M.describe(0), "in no allocation");
  EXPECT_EQ(MemoryMap().describe(0x1234), "in no allocation");
}

// Readers see whole changes only; the thread sanitizer looks on.
TEST(MemoryMap, ReadersAndWritersInParallel) {
  MemoryMap M;
  M.add({0x1000, 0x2000});
  std::thread Writer([&] {
    for (uint64_t I = 0; I < 500; ++I) {
      M.add({0x10000 + I * 16, 0x10010 + I * 16});
      M.remove(0x10000 + I * 16, 0x10010 + I * 16);
    }
  });
  for (unsigned I = 0; I < 500; ++I) {
    ASSERT_TRUE(M.find(0x1800));
    auto Ranges = M.snapshot();
    ASSERT_GE(Ranges->size(), 1u);
    ASSERT_LE(Ranges->size(), 2u);
  }
  Writer.join();
  EXPECT_EQ(M.snapshot()->size(), 1u);
}

} // namespace
