//===- AotRecordsTest.cpp - tests of records of linked-in kernels ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records that this program has, as Instance.h makes them, but with launches
// that launch nothing.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/AotRecords.h"

#include <gtest/gtest.h>

using namespace kpack::conv;

namespace {

int launchNothing(int Step, const std::uint32_t *Grid, std::uint32_t Block,
                  std::uint32_t Lds, void *, void *) {
  return static_cast<int>(Grid[0] * Block + Lds) + Step;
}

constexpr AotRecord OfAnotherVersion = {2,     3,        7,
                                        "abc", "gfx90a", launchNothing};
constexpr AotRecord First = {1, 3, 7, "abc", "gfx90a", launchNothing};
constexpr AotRecord SameHash = {1, 4, 7, "abcd", "gfx90a", launchNothing};
constexpr AotRecord OnAnother = {1, 3, 7, "abc", "gfx942", launchNothing};

[[gnu::section("kpack_conv_aot"),
  gnu::used]] constexpr AotRecords::Entry Entries[] = {&OfAnotherVersion,
                                                       &SameHash, &First};
[[gnu::section("kpack_conv_aot"), gnu::used]] constexpr AotRecords::Entry More =
    &OnAnother;

TEST(AotRecordsTest, FindsRecordsByHashTargetAndText) {
  AotRecords Mine = aotRecords();
  EXPECT_EQ(Mine.end() - Mine.begin(), 4);
  EXPECT_EQ(Mine.find(7, "gfx90a", "abc"), &First);
  EXPECT_EQ(Mine.find(7, "gfx90a", "abcd"), &SameHash);
  EXPECT_EQ(Mine.find(7, "gfx942", "abc"), &OnAnother);
  EXPECT_EQ(Mine.find(7, "gfx1100", "abc"), nullptr);
  EXPECT_EQ(Mine.find(8, "gfx90a", "abc"), nullptr);
  EXPECT_EQ(Mine.find(7, "gfx90a", "ab"), nullptr);
  const std::uint32_t Grid[] = {3, 1, 1};
  EXPECT_EQ(First.Launch(1, Grid, 5, 100, nullptr, nullptr), 116);
}

TEST(AotRecordsTest, NoneInAProgramWithoutRecords) {
  EXPECT_EQ(AotRecords().find(7, "gfx90a", "abc"), nullptr);
}

} // namespace
