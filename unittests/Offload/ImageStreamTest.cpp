//===- ImageStreamTest.cpp - tests of images read one at a time -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Offload/ImageStream.h"
#include "TestSupport.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace kpack::offload;
using namespace kpack::test;

static const BundleEntries Entries = {
    {"host-x86_64-unknown-linux-gnu-", ""},
    {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", std::string(300000, 'a')},
    {"hipv4-amdgcn-amd-amdhsa--gfx942", ""},
    {"hipv4-amdgcn-amd-amdhsa--gfx1100", std::string(5, 'b')},
    {"hipv4-amdgcn-amd-amdhsa--gfx1030", std::string(70000, 'c')}};

namespace {
struct Streamed {
  std::vector<std::pair<std::string, std::string>> Images;
  std::string Failure;
  /// Whether images had memory of their own.
  bool IsOwned = false;
  /// Of the container, when the last image was there.
  uint64_t Consumed = 0;
};
} // namespace

/// The images of the container \p Bytes.
static Streamed streamed(StringRef Bytes, uint64_t MinSize = 0) {
  Streamed Result;
  Expected<Container> C = readContainer(Bytes, "a.o");
  if (!C) {
    Result.Failure = toString(C.takeError());
    return Result;
  }
  Expected<std::unique_ptr<ImageStream>> Stream =
      ImageStream::open(*C, "a.o", MinSize);
  if (!Stream) {
    Result.Failure = toString(Stream.takeError());
    return Result;
  }
  for (;;) {
    Expected<std::optional<StreamedImage>> Image = (*Stream)->next();
    if (!Image) {
      Result.Failure = toString(Image.takeError());
      return Result;
    }
    Result.Consumed = (*Stream)->consumed();
    if (!*Image)
      return Result;
    Result.IsOwned |= (*Image)->Owner != nullptr;
    Result.Images.emplace_back((*Image)->Target, (*Image)->Bytes.str());
  }
}

static void expectAll(const Streamed &Result) {
  EXPECT_EQ(Result.Failure, "");
  ASSERT_EQ(Result.Images.size(), 4u);
  for (size_t I = 0; I != 4; ++I) {
    const auto &[Id, Code] = Entries[I + 1];
    EXPECT_TRUE(StringRef(Id).ends_with(Result.Images[I].first)) << Id;
    EXPECT_EQ(Result.Images[I].second, Code) << Id;
  }
}

TEST(ImageStreamTest, ContainersOfAllKinds) {
  std::string Plain = makeBundle(Entries, 4096);
  expectAll(streamed(Plain));
  for (Method How : {Method::Zlib, Method::Zstd})
    for (unsigned Version : {1, 2, 3}) {
      std::string Bytes = compressBundle(Plain, Version, How);
      Streamed Result = streamed(Bytes);
      expectAll(Result);
      EXPECT_EQ(Result.IsOwned, How == Method::Zstd);
      if (How == Method::Zstd)
        EXPECT_EQ(Result.Consumed, Bytes.size());
    }
}

TEST(ImageStreamTest, SmallBundlesAreOpenedWhole) {
  std::string Plain = makeBundle(Entries);
  Streamed Result = streamed(compressBundle(Plain, 3), Plain.size() + 1);
  expectAll(Result);
  EXPECT_FALSE(Result.IsOwned);
}

/// As openContainer() has them, whatever the layout.
TEST(ImageStreamTest, EntriesInAnyOrder) {
  std::string Plain = makeBundle(Entries);
  // Exchange the places of the first two entries with code.
  StringRef First = "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-";
  StringRef Last = "hipv4-amdgcn-amd-amdhsa--gfx1030";
  size_t A = Plain.find(First) - 24, B = Plain.find(Last) - 24;
  for (size_t I = 0; I != 16; ++I)
    std::swap(Plain[A + I], Plain[B + I]);
  Streamed Result = streamed(compressBundle(Plain, 3));
  EXPECT_EQ(Result.Failure, "");
  EXPECT_FALSE(Result.IsOwned);
  ASSERT_EQ(Result.Images.size(), 4u);
  EXPECT_EQ(Result.Images[0].second, Entries[4].second);
  EXPECT_EQ(Result.Images[3].second, Entries[1].second);
}

TEST(ImageStreamTest, DamageIsFound) {
  std::string Plain = makeBundle(Entries);
  auto refusal = [](StringRef Bytes) { return streamed(Bytes).Failure; };
  auto has = [](const std::string &Text, StringRef Part) {
    EXPECT_TRUE(StringRef(Text).contains(Part)) << Text;
  };
  has(refusal(compressBundle(Plain, 3, Method::Zstd, bundleHash(Plain) ^ 1)),
      "does not match its hash");
  EXPECT_EQ(refusal(compressBundle(Plain, 3, Method::Zstd, 0)), "");
  for (const std::string &None :
       {std::string("nothing"), std::string(8192, 'x')})
    has(refusal(compressBundle(None, 3)), "is no bundle when decompressed");

  std::string Twice = Plain;
  Twice.replace(Twice.find("gfx1030"), 7, "gfx1100");
  has(refusal(compressBundle(Twice, 3)), "has two entries for gfx1100");

  // The header says other sizes than the data.
  constexpr size_t PlainSizeOffset = 16;
  for (int Change : {-1, 1}) {
    std::string Bytes = compressBundle(Plain, 3, Method::Zstd, 0);
    Bytes[PlainSizeOffset] = static_cast<char>(Bytes[PlainSizeOffset] + Change);
    EXPECT_NE(refusal(Bytes), "") << Change;
  }
  // A flipped bit of the data is noticed where it is when all is read at once.
  std::string Good = compressBundle(Plain, 3);
  size_t Noticed = 0;
  for (size_t At = 32; At != Good.size(); ++At) {
    std::string Bad = Good;
    Bad[At] ^= 1 << (At % 8);
    Streamed Parts = streamed(Bad), Whole = streamed(Bad, UINT64_MAX);
    EXPECT_EQ(Parts.Failure.empty(), Whole.Failure.empty()) << At;
    if (Whole.Failure.empty())
      EXPECT_EQ(Parts.Images, Whole.Images) << At;
    Noticed += !Whole.Failure.empty();
  }
  EXPECT_GT(Noticed, (Good.size() - 32) / 2);
}
