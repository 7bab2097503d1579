//===- CommandLineTest.cpp - tests of parsed compiler command lines -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the drop-in compiler understands of a command line. Whole invocations:
// test/CkJit/Intercept.
//
//===----------------------------------------------------------------------===//
#include "../../Support/TempDir.h"

#include "CkJit/Intercept/CompilerArguments.h"
#include "gtest/gtest.h"

using namespace kpack;
using namespace kpack::ckjit;
using kpack::test::TempDir;

namespace {

using Texts = std::vector<std::string>;

/// "name=value" of each argument, and how many words it had if they are two.
Texts parsed(const Texts &Command) {
  Texts Result;
  for (const Argument &A : parseArguments(Command))
    Result.push_back(A.Name + "=" + A.Value + (A.Count == 2 ? " (2)" : ""));
  return Result;
}

TEST(CommandLineTest, ValuesAreJoinedOrTheNextWord) {
  EXPECT_EQ(parsed({"-Iinc", "-I", "inc", "-oa.o", "-o", "a.o", "a.cpp"}),
            (Texts{"-I=inc", "-I=inc (2)", "-o=a.o", "-o=a.o (2)", "=a.cpp"}));
  EXPECT_EQ(parsed({"-Xclang", "-c", "-std=c++17", "--offload-arch=gfx90a"}),
            (Texts{"-Xclang=-c (2)", "-std=c++17", "--offload-arch=gfx90a"}));
}

/// One name begins as the other: the longer one is meant.
TEST(CommandLineTest, LongerNamesComeFirst) {
  EXPECT_EQ(parsed({"-include", "a.h", "-includeb.h"}),
            (Texts{"-include=a.h (2)", "-include=b.h"}));
  EXPECT_EQ(parsed({"-include-pch", "a.pch"}),
            (Texts{"-include-pch=a.pch (2)"}));
  EXPECT_EQ(parsed({"-objcmt-migrate-all", "a.m"}),
            (Texts{"-objcmt-migrate-all=", "=a.m"}));
  EXPECT_EQ(parsed({"-Xarch_gfx90a", "-O1"}), (Texts{"-Xarch_gfx90a=-O1 (2)"}));
}

TEST(CommandLineTest, NonOptionIsAnInput) {
  EXPECT_EQ(parsed({"-", "", "a.cpp"}), (Texts{"=-", "=", "=a.cpp"}));
  EXPECT_EQ(parsed({"--", "-c", "-Iinc"}), (Texts{"--=", "=-c", "=-Iinc"}));
  EXPECT_EQ(parsed({"-o"}), (Texts{"-o="})) << "the value is missing";
}

TEST(CommandLineTest, ArgumentsKnowTheirPositions) {
  std::vector<Argument> Arguments = parseArguments({"-I", "inc", "a.cpp"});
  ASSERT_EQ(Arguments.size(), 2u);
  EXPECT_EQ(Arguments[0].First, 0u);
  EXPECT_EQ(Arguments[1].First, 2u);
  EXPECT_TRUE(Arguments[1].isInput());
}

TEST(ResponseFilesTest, QuotingFollowsTheGnuTools) {
  TempDir Dir;
  std::string Inner = Dir.file("inner"), Outer = Dir.file("outer");
  test::writeFile(Inner, "'-DX=a b' \"-DY='\" -DZ=\\\"\\ \\\\ a\"b\"c ''\n");
  test::writeFile(Outer, "-c @" + Inner + "\n\t-O1");
  Result<Texts> Expanded = expandResponseFiles({"@" + Outer, "@", "@/no/such"});
  ASSERT_TRUE(Expanded) << Expanded.status().message();
  EXPECT_EQ(*Expanded, (Texts{"-c", "-DX=a b", "-DY='", "-DZ=\" \\", "abc", "",
                              "-O1", "@", "@/no/such"}));
}

TEST(ResponseFilesTest, CirclesAreErrors) {
  TempDir Dir;
  std::string File = Dir.file("circle");
  test::writeFile(File, "-c @" + File);
  Result<Texts> Expanded = expandResponseFiles({"@" + File});
  ASSERT_FALSE(Expanded);
  EXPECT_EQ(Expanded.status().code(), StatusCode::InvalidFormat);
  EXPECT_EQ(Expanded.status().message(),
            File + ": response files name each other without an end; break the "
                   "circle");
}

TEST(PathsTest, AreNormalisedLexically) {
  EXPECT_EQ(absolutePath("b/./c.cpp", "/a"), "/a/b/c.cpp");
  EXPECT_EQ(absolutePath("../x//y", "/a/b"), "/a/x/y");
  EXPECT_EQ(absolutePath("/x/../y", "/a"), "/y");
  EXPECT_EQ(absolutePath("../..", "/a"), "/");
  EXPECT_EQ(absolutePath("../../../x", "/a/b"), "/x");
  EXPECT_EQ(fileName("a/b.c.cpp"), "b.c.cpp");
  EXPECT_EQ(fileName("b"), "b");
  EXPECT_EQ(fileStem("a.d/b.c.cpp"), "b.c");
  EXPECT_EQ(fileStem("a.d/b"), "b");
}

} // namespace
