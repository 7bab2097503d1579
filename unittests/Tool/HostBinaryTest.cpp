//===- HostBinaryTest.cpp - tests of a binary's search paths --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tool/HostBinary.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace kpack::tool;
using namespace llvm;

namespace {

class SearchPathTest : public testing::Test {
protected:
  void SetUp() override {
    SmallString<128> Made;
    ASSERT_FALSE(sys::fs::createUniqueDirectory("kpack-tool", Made));
    // The answers are canonical, so the questions have to be.
    SmallString<128> Real;
    ASSERT_FALSE(sys::fs::real_path(Made, Real));
    Root = std::string(Real);
  }
  void TearDown() override { sys::fs::remove_directories(Root); }

  void touch(StringRef Name) {
    std::string Path = Root + "/" + Name.str();
    ASSERT_FALSE(sys::fs::create_directories(sys::path::parent_path(Path)));
    std::error_code EC;
    raw_fd_ostream(Path, EC) << "x";
    ASSERT_FALSE(EC);
  }

  std::string Root;
};

} // namespace

TEST_F(SearchPathTest, RelativeToTheBinary) {
  touch("share/all.kpack");
  SearchPath P = resolveSearchPath("../share/./all.kpack", Root + "/bin");
  EXPECT_EQ(P.Text, "../share/./all.kpack");
  EXPECT_EQ(P.Place.whole(), Root + "/share/all.kpack");
  ASSERT_EQ(P.Found.size(), 1u);
  EXPECT_EQ(P.Found[0].Arch, "");
  EXPECT_EQ(P.Found[0].Path, Root + "/share/all.kpack");
}

TEST_F(SearchPathTest, AbsolutePathIsUnchanged) {
  SearchPath P = resolveSearchPath("/nowhere/../x.kpack", Root);
  EXPECT_EQ(P.Place.whole(), "/nowhere/../x.kpack");
  EXPECT_TRUE(P.Found.empty());
}

TEST_F(SearchPathTest, FindsEveryArchitecture) {
  for (StringRef Name :
       {"a_gfx90a:xnack+.kpack", "a_gfx1100.kpack", "a_other.kpack",
        "a_gfx1100.txt", "b_gfx1100.kpack", "a_x_gfx1100.kpack", "a_.kpack"})
    touch(Name);
  ASSERT_FALSE(sys::fs::create_directories(Root + "/a_gfx942.kpack"));
  SearchPath P = resolveSearchPath("a_@GFXARCH@.kpack", Root);
  EXPECT_EQ(P.Place.whole(), Root + "/a_@GFXARCH@.kpack");
  ASSERT_EQ(P.Found.size(), 2u);
  EXPECT_EQ(P.Found[0].Arch, "gfx1100");
  EXPECT_EQ(P.Found[0].Path, Root + "/a_gfx1100.kpack");
  EXPECT_EQ(P.Found[1].Arch, "gfx90a:xnack+");
}

TEST_F(SearchPathTest, PlaceholderInADirectory) {
  touch("k/gfx1100/all.kpack");
  touch("k/gfx1101/none.kpack");
  SearchPath P = resolveSearchPath("k/@GFXARCH@/all.kpack", Root);
  ASSERT_EQ(P.Found.size(), 1u);
  EXPECT_EQ(P.Found[0].Arch, "gfx1100");
  EXPECT_EQ(P.Found[0].Path, Root + "/k/gfx1100/all.kpack");
}

TEST_F(SearchPathTest, OnlyTheFirstPlaceholderIsReplaced) {
  touch("gfx1100-@GFXARCH@.kpack");
  touch("gfx1100-gfx1100.kpack");
  SearchPath P = resolveSearchPath("@GFXARCH@-@GFXARCH@.kpack", Root);
  ASSERT_EQ(P.Found.size(), 1u);
  EXPECT_EQ(P.Found[0].Path, Root + "/gfx1100-@GFXARCH@.kpack");
}
