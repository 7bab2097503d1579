//===- HipSymbolsTest.cpp - tests of names that clang gives HIP code ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Offload/HipSymbols.h"

#include <gtest/gtest.h>

using namespace kpack::offload;

namespace {

TEST(HipSymbols, ParsesHashesOfAnyLength) {
  EXPECT_EQ(parseTokenSymbol("__hip_fatbin_2a16e23eccebb307", FatBinPrefix),
            0x2a16e23eccebb307u);
  EXPECT_EQ(parseTokenSymbol("__hip_fatbin_3fc15a68e0db35d", FatBinPrefix),
            0x3fc15a68e0db35du);
  EXPECT_EQ(parseTokenSymbol("__hip_cuid_0", CuidPrefix), 0u);
  EXPECT_EQ(parseTokenSymbol("__hip_fatbin_ffffffffffffffff", FatBinPrefix),
            ~uint64_t(0));
}

TEST(HipSymbols, RefusesOtherNames) {
  for (const char *Name :
       {"", "__hip_fatbin", "__hip_fatbin_", "__hip_fatbin_wrapper",
        "__hip_fatbin_+1", "__hip_fatbin_0x1", "__hip_fatbin_12 ",
        "__hip_fatbin12", "x__hip_fatbin_12", "__hip_fatbin_00000000000000001",
        "__hip_gpubin_handle_12"})
    EXPECT_EQ(parseTokenSymbol(Name, FatBinPrefix), std::nullopt) << Name;
}

TEST(HipSymbols, PrintsWithoutLeadingZeros) {
  EXPECT_EQ(tokenSymbol(FatBinPrefix, 0x3fc15a68e0db35d),
            "__hip_fatbin_3fc15a68e0db35d");
  EXPECT_EQ(tokenSymbol(CuidPrefix, 0), "__hip_cuid_0");
  EXPECT_EQ(hex16(0), "0000000000000000");
  EXPECT_EQ(hex16(0x3fc15a68e0db35d), "03fc15a68e0db35d");
  for (uint64_t Token : {uint64_t(0), uint64_t(0xabc), ~uint64_t(0)})
    EXPECT_EQ(parseTokenSymbol(tokenSymbol(FatBinPrefix, Token), FatBinPrefix),
              Token);
}

} // namespace
