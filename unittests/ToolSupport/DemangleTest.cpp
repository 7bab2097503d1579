//===- DemangleTest.cpp - tests of demangling with a limit ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of compilers become what was written; names that would become more than
// memory holds stay as they are.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Demangle.h"

#include <gtest/gtest.h>

using namespace kpack;

/// A pair of pairs of pairs: each level is twice as long as the one below.
static std::string doubling(unsigned Levels) {
  static constexpr char Digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string Name = "_Z1f4pairIiiE";
  for (unsigned Level = 0; Level != Levels; ++Level) {
    std::string Before("S");
    // S_ is "pair", S0_ its first instance, then one for each level.
    Before += Digits[Level % 36];
    Before += '_';
    Name += "S_I" + Before + Before + "E";
  }
  return Name;
}

TEST(Demangle, NamesOfCompilers) {
  EXPECT_EQ(demangleName("_Z5saxpyfPKfPf"),
            "saxpy(float, float const*, float*)");
  EXPECT_EQ(demangleName("_Z5scaleIdEvPT_"), "void scale<double>(double*)");
  EXPECT_EQ(demangleName("_Z3allIJifdEEvDpT_"),
            "void all<int, float, double>(int, float, double)");
  EXPECT_EQ(demangleName("_Z1fNSt3__16vectorIiNS_9allocatorIiEEEE"),
            "f(std::__1::vector<int, std::__1::allocator<int>>)");
  EXPECT_EQ(demangleName(doubling(2)),
            "f(pair<int, int>, pair<pair<int, int>, pair<int, int>>, "
            "pair<pair<pair<int, int>, pair<int, int>>, pair<pair<int, int>, "
            "pair<int, int>>>)");
}

TEST(Demangle, OtherNamesAreUnchanged) {
  for (const char *Name : {"", "main", "_Z", "_Zxx", "Cijk_Ailk_Bljk_SB_MT64"})
    EXPECT_EQ(demangleName(Name), Name);
}

TEST(Demangle, HugeNamesAreNotDemangled) {
  for (unsigned Levels : {20u, 25u, 30u})
    EXPECT_EQ(demangleName(doubling(Levels)), doubling(Levels));
  // A letter a level, and more letters than a name has.
  std::string Deep = "_Z1f" + std::string(8000, 'P') + "i";
  EXPECT_EQ(demangleName(Deep), "f(int" + std::string(8000, '*') + ")");
  std::string Longer = "_Z1f" + std::string(100000, 'P') + "i";
  EXPECT_EQ(demangleName(Longer), Longer);
  // A pack in a pack in a pack.
  std::string Packs = "_Z1fIJiiiiiiiiEEv";
  for (unsigned Level = 0; Level != 12; ++Level)
    Packs += "DpP";
  Packs += "T_";
  EXPECT_LT(demangleName(Packs).size(), size_t(1) << 20);
}
