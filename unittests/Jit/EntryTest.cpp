//===- EntryTest.cpp - entries, whole and damaged -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TestFolder.h"

using namespace kpack;
using namespace kpack::jit;

namespace {

class EntryTest : public TestFolder {
protected:
  static std::string entry(const std::string &Payload) {
    auto Tail = encodeEntryTail(info("x"), Payload);
    EXPECT_TRUE(Tail.ok());
    return Payload + *Tail;
  }
};

TEST_F(EntryTest, RoundTrip) {
  for (size_t Size : {0, 1, 7, 8, 1000}) {
    const std::string Payload(Size, 'p'), Bytes = entry(Payload);
    auto Decoded = decodeEntry(Bytes);
    ASSERT_TRUE(Decoded.ok()) << Decoded.status().message();
    EXPECT_EQ(Decoded->Payload, Payload);
    const EntryInfo &Info = Decoded->Info, Expected = info("x");
    EXPECT_EQ(Info.Key.Id, Expected.Key.Id);
    EXPECT_EQ(Info.Key.Fields, Expected.Key.Fields);
    EXPECT_EQ(Info.Key.Fields[1].Shown, "x");
    EXPECT_EQ(Info.Name, Expected.Name);
    EXPECT_EQ(Info.Kind, Expected.Kind);
    EXPECT_EQ(Info.Target, Expected.Target);
    EXPECT_EQ(Info.Symbol, Expected.Symbol);
    EXPECT_EQ(Info.Producer, Expected.Producer);
    EXPECT_EQ(Info.Log, Expected.Log);
    EXPECT_EQ(Info.Created, Expected.Created);
    EXPECT_EQ(Info.CompileMilliseconds, Expected.CompileMilliseconds);
  }
}

TEST_F(EntryTest, EveryTruncationAndEveryFlippedBitIsRefused) {
  const std::string Bytes = entry("payload of nineteen");
  for (size_t Size = 0; Size != Bytes.size(); ++Size) {
    // In a buffer of exactly this size, so that a sanitizer sees reads beyond.
    const std::vector<char> Cut(Bytes.begin(), Bytes.begin() + Size);
    EXPECT_FALSE(decodeEntry({Cut.data(), Cut.size()}).ok()) << Size;
  }
  for (size_t Bit = 0; Bit != 8 * Bytes.size(); ++Bit) {
    std::string Flipped = Bytes;
    Flipped[Bit / 8] ^= char(1 << Bit % 8);
    EXPECT_FALSE(decodeEntry(Flipped).ok()) << Bit;
  }
}

TEST_F(EntryTest, AnotherSchemaIsNotMisread) {
  std::string Bytes = entry("p");
  Bytes[Bytes.size() - EntryFooterSize] = 2;
  EXPECT_EQ(decodeEntry(Bytes).status().code(), StatusCode::UnsupportedVersion);
}

TEST_F(EntryTest, BytesBehindTheEntryAreRefused) {
  EXPECT_FALSE(decodeEntry(entry("p") + "x").ok());
}

} // namespace
