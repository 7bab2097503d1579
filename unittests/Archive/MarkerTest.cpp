//===- MarkerTest.cpp - tests of the marker codec -------------------------===//
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
  EXPECT_EQ(M.status().message(),
            "marker: " + Why + "; link the binary again with ld.kpack");
}

//===----------------------------------------------------------------------===//
// "code_objects"
//===----------------------------------------------------------------------===//

Marker withUnits(unsigned Count) {
  Marker M = example();
  for (unsigned I = 0; I != Count; ++I)
    M.Built.add(I % 100 == 7 ? std::vector<std::string>{"gfx1100"}
                             : std::vector<std::string>{"gfx1100", "gfx90a"},
                "unit_" + std::to_string(I) + ".hip");
  return M;
}

TEST(Marker, EncodesTheTargetsOfEachUnit) {
  Marker M =
      std::move(*decodeMarker(*encodeMarker(withUnits(300)), /*Exact=*/true));
  EXPECT_EQ(M.Built.TargetSets.size(), 2u);
  EXPECT_EQ(M.Built.Runs.size(), 7u);
  EXPECT_EQ(M.Built.allTargets(),
            (std::vector<std::string>{"gfx1100", "gfx90a"}));
  for (uint64_t I : {0, 6, 8, 299})
    EXPECT_EQ(M.Built.targetsOf(I)->size(), 2u) << I;
  for (uint64_t I : {7, 107, 207})
    EXPECT_EQ(M.Built.targetsOf(I)->size(), 1u) << I;
  EXPECT_EQ(M.Built.targetsOf(300), nullptr);
  EXPECT_EQ(M.Built.nameOf(207), "unit_207.hip");
  EXPECT_EQ(M.Built.nameOf(300), "");
  EXPECT_EQ(M.BuiltProblem, "");
}

TEST(Marker, EncodesDebugPaths) {
  Marker M = example();
  EXPECT_EQ(decodeMarker(*encodeMarker(M))->DebugPaths.size(), 0u);
  M.DebugPaths = {"../.kpack/debug/x_@GFXARCH@.kpack", "/opt/debug/x.kpack"};
  Result<Marker> Read = decodeMarker(*encodeMarker(M), /*Exact=*/true);
  ASSERT_TRUE(Read.ok()) << Read.status().message();
  EXPECT_EQ(Read->DebugPaths, M.DebugPaths);
  EXPECT_EQ(Read->SearchPaths, M.SearchPaths);
  M.DebugPaths.push_back(BYTES("a\0b"));
  EXPECT_FALSE(encodeMarker(M).ok());
  // No search depends on it.
  for (std::string Value : {BYTES("\xc0"), BYTES("\x92\xa1x\x07")}) {
    Read =
        decodeMarker(BYTES("\x83\xb2kpack_search_paths\x91\xa1p\xabkernel_name"
                           "\xa1n\xb1kpack_debug_paths") +
                         Value,
                     /*Exact=*/true);
    ASSERT_TRUE(Read.ok()) << Read.status().message();
    EXPECT_EQ(Read->DebugPaths.size(), Value.size() == 1 ? 0u : 1u);
  }
}

TEST(Marker, ThreeHundredUnitsAreSmall) {
  EXPECT_LT(encodeMarker(withUnits(300))->size(), 5000u);
  // Whatever their targets are.
  Marker M = example();
  for (int I = 0; I != 300; ++I) {
    std::vector<std::string> Targets;
    for (const char *Target : {"gfx1030", "gfx1100", "gfx1201", "gfx908",
                               "gfx90a:sramecc+:xnack-", "gfx942", "gfx950"})
      if ((I >> (Targets.size() % 7)) & 1 || Target[3] == '9')
        Targets.push_back(Target);
    M.Built.add(Targets,
                "ck_tile_fmha_fwd_d128_bf16_batch_b128x64x32x128_psskddv_"
                "nlogits_alibi_mask_lse_dropout_" +
                    std::to_string(I) + ".cpp");
  }
  EXPECT_LT(encodeMarker(M)->size(), MaxMarkerSize);
}

TEST(Marker, FillsAPlace) {
  Marker M = withUnits(3);
  size_t Least = encodeMarker(M)->size();
  EXPECT_EQ(encodeMarker(M, Least)->size(), Least);
  unsigned Impossible = 0;
  for (size_t Size = Least + 1; Size != Least + 1000; ++Size) {
    Result<std::string> Bytes = encodeMarker(M, Size);
    if (!Bytes) {
      ++Impossible;
      continue;
    }
    ASSERT_EQ(Bytes->size(), Size);
    Result<Marker> Read = decodeMarker(*Bytes, /*Exact=*/true);
    ASSERT_TRUE(Read.ok()) << Read.status().message();
    EXPECT_EQ(Read->Built.nameOf(2), "unit_2.hip");
    EXPECT_EQ(Read->BuiltProblem, "");
  }
  // Less than an item takes, and one where its length gets longer.
  EXPECT_EQ(Impossible, 6u);
  EXPECT_FALSE(encodeMarker(M, Least - 1).ok());
  EXPECT_FALSE(encodeMarker(example(), Least).ok());
}

/// A marker whose "code_objects" is \p Bytes.
Result<Marker> decodeBuilt(const std::string &Bytes) {
  return decodeMarker(BYTES("\x83\xb2kpack_search_paths\x91\xa1p"
                            "\xabkernel_name\xa1k\xac"
                            "code_objects") +
                          Bytes,
                      /*Exact=*/true);
}

TEST(Marker, DamagedBuildListIsOnlyReported) {
  std::string Good = BYTES("\x82\xa7targets\x91\x91\xa4gfx9\xa5units\x92\0\1");
  ASSERT_TRUE(decodeBuilt(Good).ok());
  EXPECT_EQ(decodeBuilt(Good)->Built.targetsOf(0)->front(), "gfx9");
  std::string Bad[] = {
      BYTES("\xc0"),
      BYTES("\x93\x91\x91\x01\xc0\x81\x02\x03"),
      BYTES("\x82\xa7targets\x91\x91\xa4gfx9\xa5units\x91\0"),
      BYTES("\x82\xa7targets\x91\x91\xa4gfx9\xa5units\x92\1\1"),
      BYTES("\x82\xa7targets\x91\x91\xa4gfx9\xa5units\x92\0\xff"),
      BYTES("\x82\xa7targets\x91\x91\xa4gfx9\xa5units\xa1x"),
      BYTES("\x82\xa7targets\x91\x91\x07\xa5units\x92\0\1"),
      BYTES("\x82\xa7targets\x91\xa4gfx9\xa5units\x92\0\1"),
      BYTES("\x82\xa7targets\x91\x91\x91\xa4gfx9\xa5units\x92\0\1"),
      BYTES("\x82\xa7targets\x81\x07\x91\xa4gfx9\xa5units\x92\0\1"),
      BYTES("\x83\xa7targets\x91\x91\xa4gfx9\xa5units\x92\0\2"
            "\xa5names\x91\xa1n"),
  };
  for (const std::string &Bytes : Bad) {
    Result<Marker> M = decodeBuilt(Bytes);
    ASSERT_TRUE(M.ok()) << M.status().message();
    EXPECT_TRUE(M->Built.empty());
    EXPECT_NE(M->BuiltProblem, "");
    EXPECT_EQ(M->KernelName, "k");
  }
  // A count that memory would not be enough for is a number and nothing more.
  EXPECT_EQ(decodeBuilt(BYTES("\x82\xa7targets\x91\x91\xa4gfx9"
                              "\xa5units\x92\0\xce\xff\xff\xff\xff"))
                ->Built.targetsOf(1u << 31)
                ->front(),
            "gfx9");
  // What else is in it is for later versions.
  EXPECT_EQ(decodeBuilt(BYTES("\x83\xa5other\x81\xa1x\x91\x81\x01\xc0"
                              "\xa7targets\x91\x91\xa4gfx9"
                              "\xa5units\x92\0\1"))
                ->BuiltProblem,
            "");
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

TEST(Marker, TrailingBytesAreIgnoredUnlessExact) {
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
