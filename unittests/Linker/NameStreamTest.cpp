//===- NameStreamTest.cpp - tests of names in lld's messages --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "NameStream.h"

#include <gtest/gtest.h>

using namespace kpack::linker;
using namespace llvm;

namespace {

class NameStreamTest : public testing::Test {
protected:
  NameStreamTest() {
    Names.add("/proc/self/fd/1", "a.o");
    Names.add("/proc/self/fd/12", "b.o");
    Names.add("out.tmp-1234", "out");
  }
  NameTable Names;
  std::string Text;
  raw_string_ostream Target{Text};
};

TEST_F(NameStreamTest, PutsTheUsersNamesBack) {
  EXPECT_EQ(Names.userName("/proc/self/fd/12"), "b.o");
  EXPECT_EQ(Names.userName("/proc/self/fd/123"), "/proc/self/fd/123");
  EXPECT_EQ(Names.apply("/proc/self/fd/1:/proc/self/fd/12(/proc/self/fd/123)"),
            "a.o:b.o(/proc/self/fd/123)");
  EXPECT_EQ(Names.apply("out.tmp-1234.lto.o"), "out.lto.o");
}

TEST_F(NameStreamTest, NamesMayBeWrittenInPieces) {
  NameStream OS(Target, Names, /*HoldBack=*/false);
  OS << "in /proc/self/"
     << "fd/1"
     << "2\nno end";
  EXPECT_EQ(Text, "in b.o\n");
  OS.release();
  EXPECT_EQ(Text, "in b.o\nno end");
}

TEST_F(NameStreamTest, HoldsBackFromAnUndefinedFatBinaryOn) {
  NameStream OS(Target, Names, /*HoldBack=*/true);
  OS << "warning: w\nerror: undefined symbol: __hip_fatbin_1\n>>> by a.o\n";
  EXPECT_TRUE(OS.missedFatBin());
  EXPECT_EQ(Text, "warning: w\n");

  // The second run repeats what was printed; it is not printed twice.
  OS.restart();
  OS << "warning: w\nerror: another\n";
  EXPECT_FALSE(OS.missedFatBin());
  OS.release();
  EXPECT_EQ(Text, "warning: w\nerror: another\n");
}

TEST_F(NameStreamTest, ReleasesWhatWasHeldBack) {
  NameStream OS(Target, Names, /*HoldBack=*/true);
  OS << "error: undefined symbol: __hip_fatbin_1\n>>> by /proc/self/fd/1\n";
  EXPECT_EQ(Text, "");
  OS.release();
  EXPECT_EQ(Text, "error: undefined symbol: __hip_fatbin_1\n>>> by a.o\n");
}

} // namespace
