//===- MarkerTest.cpp - the .rocm_kpack_ref marker ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round trips and every reject rule of docs/format/marker.md.
//
//===----------------------------------------------------------------------===//

#include "kpack/Archive/Marker.h"

#include <gtest/gtest.h>

using namespace kpack;

namespace {

Marker example() {
  Marker M;
  M.KernelName = "lib/libx.so";
  M.SearchPaths = {"../.kpack/x_@GFXARCH@.kpack", "/opt/x.kpack"};
  M.ArchiveId = "0123456789abcdef";
  return M;
}

std::string literal(const char *Bytes, size_t Size) {
  return std::string(Bytes, Size);
}
#define BYTES(Text) literal(Text, sizeof(Text) - 1)

void expectRejected(const std::string &Bytes, const std::string &Why,
                    bool Exact = false) {
  Result<Marker> M = decodeMarker(Bytes, Exact);
  ASSERT_FALSE(M.ok()) << Why;
  EXPECT_EQ(M.status().code(), StatusCode::InvalidMetadata);
  EXPECT_EQ(M.status().message(), "marker: " + Why + "; link the binary again");
}

} // namespace

TEST(Marker, RoundTrip) {
  Result<std::string> Bytes = encodeMarker(example());
  ASSERT_TRUE(Bytes.ok()) << Bytes.status().message();
  size_t Size = 0;
  Result<Marker> M = decodeMarker(*Bytes, /*Exact=*/true, &Size);
  ASSERT_TRUE(M.ok()) << M.status().message();
  EXPECT_EQ(Size, Bytes->size());
  EXPECT_EQ(M->KernelName, example().KernelName);
  EXPECT_EQ(M->SearchPaths, example().SearchPaths);
  EXPECT_EQ(M->ArchiveId, example().ArchiveId);
}

TEST(Marker, BytesAreThoseOfTheShippedWriter) {
  Marker M;
  M.KernelName = "x";
  M.SearchPaths = {"a"};
  EXPECT_EQ(*encodeMarker(M), BYTES("\x82\xb2kpack_search_paths\x91\xa1"
                                    "a\xabkernel_name\xa1x"));
  M.ArchiveId = "i";
  EXPECT_EQ(*encodeMarker(M), BYTES("\x83\xb2kpack_search_paths\x91\xa1"
                                    "a\xabkernel_name\xa1x\xaa"
                                    "archive_id\xa1i"));
}

TEST(Marker, KeysMayStandInAnyOrder) {
  Result<Marker> M = decodeMarker(
      BYTES("\x82\xabkernel_name\xa1x\xb2kpack_search_paths\x91\xa1"
            "a"),
      true);
  ASSERT_TRUE(M.ok()) << M.status().message();
  EXPECT_EQ(M->KernelName, "x");
  EXPECT_EQ(M->ArchiveId, "");
}

TEST(Marker, OtherKeysAndItemsAreIgnored) {
  Result<Marker> M = decodeMarker(
      BYTES("\x84\xa1n\x92\xc0\x81\x01\x02\xa1m\x81\xa1k\x91\x80\xb2kpack_"
            "search_paths\x94\x01\xa1"
            "a\x91\xa1q\xc0\xabkernel_name\xa1x"),
      true);
  ASSERT_TRUE(M.ok()) << M.status().message();
  EXPECT_EQ(M->SearchPaths, std::vector<std::string>{"a"});
}

TEST(Marker, WhatFollowsIsIgnoredUnlessExact) {
  std::string Bytes = *encodeMarker(example());
  size_t MapSize = Bytes.size();
  Bytes += "\xc1 and more";
  size_t Size = 0;
  EXPECT_TRUE(decodeMarker(Bytes, false, &Size).ok());
  EXPECT_EQ(Size, MapSize);
  expectRejected(
      Bytes, "offset " + std::to_string(MapSize) + ": 10 bytes follow the map",
      /*Exact=*/true);
}

// The caller maps no more than the marker: whoever reads on, faults.
TEST(Marker, NeverLooksBehindTheMap) {
  std::string Bytes = *encodeMarker(example());
  for (size_t Size = 0; Size != Bytes.size(); ++Size) {
    std::unique_ptr<char[]> Exactly(new char[Size]);
    std::copy_n(Bytes.data(), Size, Exactly.get());
    EXPECT_FALSE(decodeMarker(std::string_view(Exactly.get(), Size)).ok());
  }
}

TEST(Marker, RejectsWhatIsNoMap) {
  expectRejected("", "offset 0: cut off");
  expectRejected(BYTES("\x91\x01"), "offset 0: not a map");
  expectRejected(BYTES("\x07"), "offset 0: not a map");
  expectRejected(BYTES("\xc1"), "offset 0: not MessagePack");
  expectRejected(BYTES("\x81\x01\x02"), "offset 1: a map key is not a str");
  expectRejected(BYTES("\x81\xa1x"), "offset 3: cut off");
  expectRejected(BYTES("\x81\xa1x\xdb\xff\xff\xff\xff"), "offset 8: cut off");
}

TEST(Marker, RejectsDeepNesting) {
  expectRejected("\x81\xa1x" + std::string(100, '\x91') + "\xc0",
                 "offset 34: nested deeper than 32 levels");
}

TEST(Marker, RejectsMissingKeys) {
  expectRejected(BYTES("\x80"), "no 'kernel_name'");
  expectRejected(BYTES("\x81\xabkernel_name\xa1x"),
                 "no search path in 'kpack_search_paths'");
  expectRejected(BYTES("\x82\xb2kpack_search_paths\x91\x01\xabkernel_name\xa1"
                       "x"),
                 "no search path in 'kpack_search_paths'");
}

TEST(Marker, RejectsWrongTypes) {
  expectRejected(BYTES("\x81\xb2kpack_search_paths\xa1"
                       "a"),
                 "offset 21: 'kpack_search_paths' is not an array");
  expectRejected(BYTES("\x81\xb2kpack_search_paths\x80"),
                 "offset 20: 'kpack_search_paths' is not an array");
  expectRejected(BYTES("\x81\xabkernel_name\x01"),
                 "offset 13: 'kernel_name' is not a str");
  expectRejected(BYTES("\x81\xabkernel_name\x90"),
                 "offset 13: 'kernel_name' is not a str");
  expectRejected(BYTES("\x81\xaa"
                       "archive_id\xc0"),
                 "offset 12: 'archive_id' is not a str");
}

TEST(Marker, RejectsKeysTwice) {
  expectRejected(BYTES("\x82\xabkernel_name\xa1x\xabkernel_name\xa1y"),
                 "offset 26: key 'kernel_name' occurs twice");
}

TEST(Marker, RejectsPathsThatTheSystemWouldCut) {
  expectRejected(BYTES("\x82\xb2kpack_search_paths\x91\xa3"
                       "a\0b\xabkernel_name\xa1x"),
                 "a search path contains a zero byte");
  Marker M = example();
  M.SearchPaths.push_back(std::string("a\0b", 3));
  EXPECT_EQ(encodeMarker(M).status().message(),
            "marker: a search path contains a zero byte; remove it");
}

TEST(Marker, RejectsMoreThan64KiB) {
  Marker M = example();
  M.SearchPaths = {std::string(MaxMarkerSize, 'a')};
  Result<std::string> Bytes = encodeMarker(M);
  ASSERT_FALSE(Bytes.ok());
  EXPECT_EQ(Bytes.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(Bytes.status().message(),
            "marker: 65614 bytes, readers look at no more than 65536; use "
            "fewer or shorter search paths");

  expectRejected(std::string(MaxMarkerSize + 1, '\x80'),
                 "65537 bytes, at most 65536 are allowed", /*Exact=*/true);
  // The map itself reaches beyond what a reader looks at.
  std::string Long = BYTES("\x82\xabkernel_name\xa1x\xb2kpack_search_paths\x91"
                           "\xdb\x00\x01\x00\x00") +
                     std::string(65536, 'a');
  expectRejected(Long, "offset 40: cut off");
}

TEST(Marker, LargestMarkerPasses) {
  Marker M = example();
  M.SearchPaths = {std::string(1000, 'a')};
  size_t Rest = MaxMarkerSize - encodeMarker(M)->size();
  M.SearchPaths[0].append(Rest, 'a');
  Result<std::string> Bytes = encodeMarker(M);
  ASSERT_TRUE(Bytes.ok()) << Bytes.status().message();
  EXPECT_EQ(Bytes->size(), MaxMarkerSize);
  EXPECT_TRUE(decodeMarker(*Bytes, true).ok());
}

TEST(Marker, EncodingNeedsASearchPath) {
  Marker M;
  M.KernelName = "x";
  EXPECT_EQ(encodeMarker(M).status().message(),
            "marker: no search path; name where the archive will be");
}
