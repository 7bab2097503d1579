//===- BufferFilesTest.cpp - tests of memory files of buffers -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files that small buffers share, where files may not grow.
//
//===----------------------------------------------------------------------===//
#include "../../../lib/SoftGpu/Kfd/BufferFiles.h"

#include "../../Support/FileSizeLimit.h"
#include "gtest/gtest.h"

#include <cerrno>

using namespace kpack;
using namespace kpack::softgpu;

namespace {

constexpr uint64_t Page = 4096;
constexpr BufferKind Kind{1, 2};

TEST(CommonFiles, AFullFileIsReplaced) {
  CommonFiles Files;
  BufferFile First = Files.add(Kind, 2 * Page);
  ASSERT_TRUE(First);
  test::FileSizeLimit Limit(3 * Page);
  BufferFile Second = Files.add(Kind, 2 * Page);
  ASSERT_TRUE(Second);
  EXPECT_NE(Second.Fd, First.Fd);
  EXPECT_EQ(Second.Offset, 0u);
  BufferFile Third = Files.add(Kind, Page);
  EXPECT_EQ(Third.Fd, Second.Fd);
  EXPECT_EQ(Third.Offset, 2 * Page);
}

TEST(CommonFiles, ABufferAboveTheLimitIsRefused) {
  CommonFiles Files;
  test::FileSizeLimit Limit(3 * Page);
  errno = 0;
  EXPECT_FALSE(Files.add(Kind, 4 * Page));
  EXPECT_EQ(errno, EFBIG);
  BufferFile First = Files.add(Kind, Page);
  ASSERT_TRUE(First);
  errno = 0;
  EXPECT_FALSE(Files.add(Kind, 4 * Page));
  EXPECT_EQ(errno, EFBIG);
  // The file still has room for others.
  BufferFile Second = Files.add(Kind, Page);
  EXPECT_EQ(Second.Fd, First.Fd);
  EXPECT_EQ(Second.Offset, Page);
}

} // namespace
