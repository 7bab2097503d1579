//===- GlobTest.cpp - tests of patterns for names -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Glob.h"
#include "gtest/gtest.h"

using namespace kpack;
using namespace llvm;

static GlobList arches(std::vector<std::string> Lists) {
  return cantFail(GlobList::createFromLists("--arch=", Lists, "target ids"));
}

TEST(Glob, MatchesItsOwnText) {
  Glob G = cantFail(Glob::create("", "a[1]#0"));
  EXPECT_TRUE(G.matches("a1#0"));
  EXPECT_TRUE(G.matches("a[1]#0"));
  EXPECT_FALSE(G.matches("a[2]#0"));
  Glob Moved = std::move(G);
  EXPECT_TRUE(Moved.matches("a1#0"));
  EXPECT_EQ(Moved.text(), "a[1]#0");
}

TEST(Glob, NamesTheBadPattern) {
  Expected<Glob> G = Glob::create("--binary=", "x[");
  ASSERT_FALSE(G);
  std::string Message = toString(G.takeError());
  EXPECT_TRUE(StringRef(Message).starts_with("--binary=x[: ")) << Message;
}

TEST(Glob, RefusesTooManyAlternatives) {
  std::string Many;
  for (int I = 0; I != 20; ++I)
    Many += "{a,b}";
  Expected<Glob> G = Glob::create("", Many);
  ASSERT_FALSE(G);
  consumeError(G.takeError());
}

TEST(GlobList, EmptyMatchesEverything) {
  GlobList None = arches({});
  EXPECT_TRUE(None.empty());
  EXPECT_TRUE(None.matches(""));
  EXPECT_TRUE(None.matches("gfx90a"));
  EXPECT_EQ(None.describe(), "");
}

TEST(GlobList, CommasSeparateOutsideOfBraces) {
  GlobList List = arches({"gfx{90a,942},gfx11*", "gfx1030"});
  for (const char *Name : {"gfx90a", "gfx942", "gfx1100", "gfx1030"})
    EXPECT_TRUE(List.matches(Name)) << Name;
  EXPECT_FALSE(List.matches("gfx1201"));
  EXPECT_EQ(List.describe(), " --arch=gfx{90a,942} --arch=gfx11* "
                             "--arch=gfx1030");
}

TEST(GlobList, EmptyNameIsExplained) {
  std::vector<std::string> Lists = {"gfx90a,"};
  Expected<GlobList> List =
      GlobList::createFromLists("--arch=", Lists, "target ids");
  ASSERT_FALSE(List);
  EXPECT_EQ(toString(List.takeError()),
            "--arch=gfx90a,: a name in it is empty; give target ids");
}
