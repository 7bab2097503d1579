//===- TreeWalkTest.cpp - tests of walks over directory trees -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostRewrite/TreeWalk.h"

#include "../Support/TempDir.h"

#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace llvm;

namespace {

class TreeWalk : public testing::Test {
protected:
  void SetUp() override {
    std::filesystem::create_directory(Dir.file("sub"));
    test::writeFile(Dir.file("sub/file"), "text");
    Expected<TreeRoot> Opened = TreeRoot::open(Dir.file(""));
    ASSERT_TRUE(bool(Opened));
    Root = std::move(*Opened);
    Expected<std::vector<TreeEntry>> All = Root.walk();
    ASSERT_TRUE(bool(All));
    ASSERT_EQ(All->size(), 3u);
    Folder = (*All)[1];
    File = (*All)[2];
  }

  bool opens(const TreeEntry &Entry) const {
    Expected<UniqueFd> Opened = Root.openEntry(Entry);
    return !errorToBool(Opened.takeError());
  }

  test::TempDir Dir;
  TreeRoot Root;
  TreeEntry Folder, File;
};

TEST_F(TreeWalk, NumbersOfFilesMayChange) {
  ++File.Info.st_ino;
  ++Folder.Info.st_ino;
  EXPECT_TRUE(opens(File));
  EXPECT_TRUE(opens(Folder));
}

TEST_F(TreeWalk, ReplacedFilesAreRefused) {
  EXPECT_TRUE(opens(File));
  test::writeFile(Dir.file("sub/other"), "longer text");
  std::filesystem::rename(Dir.file("sub/other"), Dir.file("sub/file"));
  EXPECT_FALSE(opens(File));
  ++Folder.Info.st_ino;
  Folder.Info.st_ctim.tv_sec -= 1;
  EXPECT_FALSE(opens(Folder));
  std::filesystem::remove(Dir.file("sub/file"));
  std::filesystem::create_symlink("other", Dir.file("sub/file"));
  EXPECT_FALSE(opens(File));
}

} // namespace
