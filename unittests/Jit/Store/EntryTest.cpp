//===- EntryTest.cpp - tests of whole and damaged cache entries -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

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

TEST_F(EntryTest, FunctionsRoundTripAndAreOptional) {
  EntryInfo Info = info("x");
  std::string Without = *encodeEntryTail(Info, "");
  EXPECT_EQ(Without.find("functions"), std::string::npos);
  Info.Functions = {{"ns::f<4>", "_ZN2ns1fILi4EEEvv", "void ()"},
                    {"g", "", "int (int)"}};
  const std::string Bytes = *encodeEntryTail(Info, "");
  auto Decoded = decodeEntry(Bytes);
  ASSERT_TRUE(Decoded.ok()) << Decoded.status().message();
  const std::vector<EntryFunction> &Read = Decoded->Info.Functions;
  ASSERT_EQ(Read.size(), 2u);
  EXPECT_EQ(Read[0].Name, "ns::f<4>");
  EXPECT_EQ(Read[0].Symbol, "_ZN2ns1fILi4EEEvv");
  EXPECT_EQ(Read[0].Type, "void ()");
  EXPECT_EQ(Read[1].Name, "g");
  EXPECT_EQ(Read[1].Symbol, "");
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

// Entries of the format's first days must be read for as long as the schema has
// that number; fuzz/Jit starts from the same files.
TEST_F(EntryTest, GoldenEntriesAreReadOrRefused) {
  unsigned Good = 0, Bad = 0;
  for (const auto &File :
       std::filesystem::directory_iterator(JIT_TEST_GOLDEN_ENTRIES)) {
    const std::string Name = File.path().filename().string();
    const std::string Bytes = read(File.path().string());
    ASSERT_FALSE(Bytes.empty());
    if (Bytes[0] != 'e') // for the fuzzer alone
      continue;
    const auto Entry = decodeEntry(std::string_view(Bytes).substr(1));
    if (Name.substr(0, 4) == "bad-") {
      ++Bad;
      EXPECT_EQ(Entry.status().code(), StatusCode::InvalidFormat) << Name;
      EXPECT_EQ(Entry.status().message().find("checksum"), std::string::npos)
          << Name;
    } else if (Name == "other-schema") {
      EXPECT_EQ(Entry.status().code(), StatusCode::UnsupportedVersion);
    } else {
      ++Good;
      EXPECT_TRUE(Entry.ok()) << Name << ": " << Entry.status().message();
    }
  }
  EXPECT_EQ(Good, 4u);
  EXPECT_GE(Bad, 38u);
}

TEST_F(EntryTest, EveryAlteredByteOfAGoldenFileIsRefused) {
  const std::string Bytes =
      read(std::string(JIT_TEST_GOLDEN_ENTRIES) + "/whole").substr(1);
  const auto Entry = decodeEntry(Bytes);
  ASSERT_TRUE(Entry.ok());
  EXPECT_EQ(Entry->Info.Name, "kernel");
  EXPECT_EQ(Entry->Info.Key.Fields.size(), 5u);
  for (size_t Offset = 0; Offset != Bytes.size(); ++Offset)
    for (int By : {0x01, 0x20, 0x80, 0xff}) {
      std::string Altered = Bytes;
      Altered[Offset] = static_cast<char>(Altered[Offset] ^ By);
      EXPECT_FALSE(decodeEntry(Altered).ok()) << Offset;
    }
}

// "later" is of a version that is to come, and has a list with a map in it.
TEST_F(EntryTest, UnknownKeysAreIgnored) {
  const std::string Bytes =
      read(std::string(JIT_TEST_GOLDEN_ENTRIES) + "/good-unknown-key");
  const auto Entry = decodeEntry(std::string_view(Bytes).substr(1));
  ASSERT_TRUE(Entry.ok()) << Entry.status().message();
  EXPECT_EQ(Entry->Payload, "code");
  ASSERT_EQ(Entry->Info.Key.Fields.size(), 1u);
  EXPECT_EQ(Entry->Info.Key.Fields[0].Name, "schema");
}

} // namespace
