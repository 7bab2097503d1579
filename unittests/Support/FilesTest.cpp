//===- FilesTest.cpp - files that are written where they stand ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kpack/Support/Files.h"
#include "TempDir.h"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::test;

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
