//===- KernelArgumentsTest.cpp - tests of --arg= --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../../lib/SoftGpu/Run/KernelArguments.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"
#include <cstring>

using namespace kpack;
using namespace kpack::softgpu;
using namespace llvm;

namespace {

/// The bytes of the one argument that \p Text describes, or its error.
static std::string bytesOf(StringRef Text) {
  MemoryMap Memory;
  Arguments Values(Memory);
  if (Error E = Values.add(Text))
    return "error: " + toString(std::move(E));
  EXPECT_EQ(Values.values().size(), 1u);
  return toHex(Values.values().front(), /*LowerCase=*/true);
}

TEST(KernelArgumentsTest, NumbersHaveTheBytesOfTheirKind) {
  EXPECT_EQ(bytesOf("u8:255"), "ff");
  EXPECT_EQ(bytesOf("i8:-128"), "80");
  EXPECT_EQ(bytesOf("u16:0x1234"), "3412");
  EXPECT_EQ(bytesOf("i32:-1"), "ffffffff");
  EXPECT_EQ(bytesOf("u64:18446744073709551615"), "ffffffffffffffff");
  EXPECT_EQ(bytesOf("f16:1.0"), "003c");
  EXPECT_EQ(bytesOf("f32:-0.5"), "000000bf");
  EXPECT_EQ(bytesOf("f64:1e0"), "000000000000f03f");
}

TEST(KernelArgumentsTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(bytesOf("u8:256"), "error: --arg=u8:256: does not fit into 8 bits; "
                               "give another kind");
  EXPECT_EQ(bytesOf("u32:-1"), "error: --arg=u32:-1: does not fit into 32 "
                               "bits; give another kind");
  EXPECT_EQ(bytesOf("i16:32768"), "error: --arg=i16:32768: does not fit into "
                                  "16 bits; give another kind");
}

TEST(KernelArgumentsTest, RefusesMalformedNumbers) {
  for (const char *Text :
       {"u32:", "u32:four", "f32:x", "u64:0x1ffffffffffffffff"})
    EXPECT_TRUE(StringRef(bytesOf(Text)).starts_with("error: --arg="));
  EXPECT_EQ(bytesOf("u7:1"),
            "error: --arg=u7:1: no such kind; see softgpu-run --help");
  EXPECT_EQ(bytesOf("out:file"), "error: --arg=out:file: two parts expected; "
                                 "see softgpu-run --help");
  EXPECT_EQ(bytesOf("zero:5000000000"), "error: --arg=5000000000: not a size "
                                        "in bytes; give at most 4 GiB");
}

/// Of a buffer the argument is its address, which device code may write to
/// until the arguments are gone.
TEST(KernelArgumentsTest, BuffersAreInTheMemoryMap) {
  MemoryMap Memory;
  uint64_t Address = 0;
  {
    Arguments Values(Memory);
    ASSERT_FALSE(bool(Values.add("zero:64")));
    std::memcpy(&Address, Values.values().front().data(), sizeof(Address));
    EXPECT_EQ(Address % 256, 0u);
    ASSERT_EQ(Memory.snapshot()->size(), 1u);
    EXPECT_EQ(Memory.snapshot()->front().Begin, Address);
    EXPECT_EQ(Memory.snapshot()->front().End, Address + 64);
    EXPECT_TRUE(Memory.snapshot()->front().Writable);
  }
  EXPECT_TRUE(Memory.snapshot()->empty());
}

TEST(KernelArgumentsTest, WritesOutputsAndNothingElse) {
  SmallString<128> Folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("kernel-arguments", Folder));
  std::string Path = (Folder + "/out.bin").str();
  MemoryMap Memory;
  Arguments Values(Memory);
  ASSERT_FALSE(bool(Values.add("out:" + Path + ":4")));
  ASSERT_FALSE(bool(Values.add("zero:4")));
  uint64_t Address = 0;
  std::memcpy(&Address, Values.values().front().data(), sizeof(Address));
  std::memcpy(reinterpret_cast<void *>(Address), "data", 4);
  EXPECT_FALSE(sys::fs::exists(Path));
  ASSERT_FALSE(bool(Values.writeOutputs()));
  auto Written = MemoryBuffer::getFile(Path);
  ASSERT_TRUE(bool(Written));
  EXPECT_EQ((*Written)->getBuffer(), "data");
  sys::fs::remove_directories(Folder);
}

} // namespace
