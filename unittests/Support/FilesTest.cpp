//===- FilesTest.cpp - tests of files written in place --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/Files.h"
#include "Support/SafePath.h"
#include "TempDir.h"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::test;

TEST(Files, ParentFoldersAreMade) {
  TempDir Dir;
  EXPECT_TRUE(makeFolders(Dir.file("a/b//c/")));
  EXPECT_TRUE(makeFolders(Dir.file("a/b")));
  EXPECT_TRUE(std::filesystem::is_directory(Dir.file("a/b/c")));
  EXPECT_TRUE(makeFolders("") && makeFolders("/") && makeFolders("."));
  test::writeFile(Dir.file("file"), "");
  for (const char *Name : {"file", "file/x", "file/x/y"}) {
    EXPECT_FALSE(makeFolders(Dir.file(Name)));
    EXPECT_EQ(errno, ENOTDIR);
  }
  if (::geteuid() != 0)
    return; // cannot make links of other users
  ASSERT_EQ(::symlink("a", Dir.file("link").c_str()), 0);
  ASSERT_EQ(::lchown(Dir.file("link").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(makeFolders(Dir.file("link/new/folder")));
  EXPECT_EQ(errno, EPERM);
  EXPECT_FALSE(std::filesystem::exists(Dir.file("a/new")));
}

TEST(Files, NothingIsWrittenThroughALink) {
  TempDir Dir;
  std::string Own = Dir.file("own"), Other = Dir.file("other");
  constexpr int Flags = O_WRONLY | O_CREAT | O_TRUNC;
  EXPECT_TRUE(writeAll(openToWrite(AT_FDCWD, Own, Flags, 0600).get(), "long"));
  EXPECT_TRUE(writeAll(openToWrite(AT_FDCWD, Own, Flags, 0600).get(), "new"));
  EXPECT_EQ(test::readFile(Own), "new");

  ASSERT_EQ(::symlink(Own.c_str(), Other.c_str()), 0);
  EXPECT_FALSE(openToWrite(AT_FDCWD, Other, Flags, 0600));
  EXPECT_EQ(errno, ELOOP);
  ASSERT_EQ(::unlink(Other.c_str()), 0);
  ASSERT_EQ(::link(Own.c_str(), Other.c_str()), 0);
  EXPECT_FALSE(openToWrite(AT_FDCWD, Other, Flags, 0600));
  EXPECT_EQ(errno, EMLINK);
  EXPECT_EQ(test::readFile(Own), "new");
}
