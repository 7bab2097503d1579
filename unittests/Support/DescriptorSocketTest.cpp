//===- DescriptorSocketTest.cpp - tests of descriptors sent by socket -----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Support/DescriptorSocket.h"
#include "Support/Files.h"

#include "gtest/gtest.h"
#include <fcntl.h>
#include <sys/stat.h>

using namespace kpack;

namespace {

class DescriptorSocketTest : public testing::Test {
protected:
  DescriptorSocketTest() {
    EXPECT_TRUE(makeDescriptorSocket(One, Other));
    int Ends[2];
    EXPECT_EQ(::pipe2(Ends, O_CLOEXEC), 0);
    Read = UniqueFd(Ends[0]);
    Write = UniqueFd(Ends[1]);
  }
  UniqueFd One, Other, Read, Write;
};

TEST_F(DescriptorSocketTest, FilesArriveInTheirOrder) {
  UniqueFd Null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(sendDescriptors(One.get(), {Write.get(), Null.get()}));
  Write = UniqueFd();
  std::vector<UniqueFd> Files = receiveDescriptors(Other.get());
  ASSERT_EQ(Files.size(), 2u);
  EXPECT_TRUE(writeAll(Files[0].get(), "hello"));
  EXPECT_TRUE(::fcntl(Files[0].get(), F_GETFD) & FD_CLOEXEC);
  struct stat Info;
  ASSERT_EQ(::fstat(Files[1].get(), &Info), 0);
  EXPECT_TRUE(S_ISCHR(Info.st_mode));
  Files.clear();
  EXPECT_EQ(readToEnd(Read.get()), "hello") << "nobody else has it open";
}

TEST_F(DescriptorSocketTest, UnreceivedDescriptorsAreClosed) {
  ASSERT_TRUE(sendDescriptors(One.get(), {Write.get()}));
  Write = UniqueFd();
  Other = UniqueFd();
  EXPECT_EQ(readToEnd(Read.get()), "");
}

TEST_F(DescriptorSocketTest, ClosedPeerIsAnErrorWithoutASignal) {
  Other = UniqueFd();
  EXPECT_FALSE(sendDescriptors(One.get(), {Read.get()}));
  EXPECT_EQ(errno, EPIPE);
  EXPECT_TRUE(receiveDescriptors(One.get()).empty());
}

TEST_F(DescriptorSocketTest, TooManyAreRefused) {
  EXPECT_FALSE(sendDescriptors(One.get(), std::vector<int>(9, Read.get())));
  EXPECT_FALSE(sendDescriptors(One.get(), {}));
}

TEST_F(DescriptorSocketTest, FullSocketDoesNotBlock) {
  int Sent = 0;
  while (Sent < 100000 && sendDescriptors(One.get(), {Read.get()}))
    ++Sent;
  EXPECT_GT(Sent, 1);
  EXPECT_LT(Sent, 100000);
}

} // namespace
