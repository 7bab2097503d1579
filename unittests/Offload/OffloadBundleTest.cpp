//===- OffloadBundleTest.cpp ----------------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kpack/Offload/OffloadBundle.h"

#include "TestSupport.h"
#include "kpack/Support/BundleHeader.h"

#include <gtest/gtest.h>

#include <ctime>

using namespace llvm;
using namespace kpack::offload;
using namespace kpack::test;

namespace {

const std::string Host = "host-x86_64-unknown-linux-gnu-";
const std::string Hip = "hipv4-amdgcn-amd-amdhsa--";
const std::string Code1 = std::string("\x7f") + "ELF first code object";
const std::string Code2(5000, 'b');

std::string plain() {
  return makeBundle({{Host, ""},
                     {Hip + "gfx1100", Code1},
                     {Hip + "gfx90a:sramecc+:xnack-", Code2}},
                    4096);
}

void expectBoth(const OffloadBundle &Bundle) {
  ASSERT_EQ(Bundle.Images.size(), 2u);
  EXPECT_EQ(Bundle.Images[0].Target, "gfx1100");
  EXPECT_EQ(Bundle.Images[0].Bytes, Code1);
  EXPECT_EQ(Bundle.Images[1].Target, "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(Bundle.Images[1].Bytes, Code2);
}

/// The result points into \p Bytes, so that must not be a temporary.
OffloadBundle parse(const std::string &Bytes) {
  Expected<OffloadBundle> Bundle = parseOffloadBundle(Bytes, "a.o");
  if (Bundle)
    return std::move(*Bundle);
  ADD_FAILURE() << toString(Bundle.takeError());
  return {};
}

OffloadBundle parse(std::string &&) = delete;

std::string refusal(StringRef Bytes) {
  return messageOf(parseOffloadBundle(Bytes, "a.o"));
}

TEST(OffloadBundle, TargetOfEntry) {
  EXPECT_EQ(deviceTargetOfEntry("hipv4-amdgcn-amd-amdhsa--gfx1100"), "gfx1100");
  EXPECT_EQ(deviceTargetOfEntry("hip-amdgcn-amd-amdhsa--gfx90a:xnack-"),
            "gfx90a:xnack-");
  EXPECT_EQ(deviceTargetOfEntry("hip-amdgcn-amd-amdhsa-unknown-gfx942"),
            "gfx942");
  EXPECT_EQ(deviceTargetOfEntry("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic"),
            "gfx9-4-generic");
  EXPECT_EQ(deviceTargetOfEntry("hip-amdgcn-amd-amdhsa-gfx906"), "gfx906");
  EXPECT_EQ(deviceTargetOfEntry("hip-spirv64-amd-amdhsa--amdgcnspirv"),
            "amdgcnspirv");
  for (const char *Id : {"", "hip", "host-x86_64-unknown-linux-gnu-",
                         "openmp-amdgcn-amd-amdhsa--gfx906", "hip-amdgcn",
                         "hip-amdgcn-amd-amdhsa--", "xhip-a-b-c--gfx1"})
    EXPECT_EQ(deviceTargetOfEntry(Id), std::nullopt) << Id;
}

TEST(OffloadBundle, Plain) {
  std::string Bytes = plain();
  OffloadBundle Bundle = parse(Bytes);
  expectBoth(Bundle);
  EXPECT_EQ(Bundle.Size, Bytes.size());
  EXPECT_EQ(Bundle.Storage, nullptr);
  EXPECT_EQ(Bundle.Images[0].Bytes.data(), Bytes.data() + 4096);
}

// Our own writer, which measures the header before it knows the offsets.
TEST(OffloadBundle, WrittenHeader) {
  std::vector<kpack::BundleEntry> Entries = {
      {"host-x86_64-unknown-linux--", 0, 0},
      {kpack::deviceEntryId("gfx90a:xnack-"), 0, 5},
      {kpack::deviceEntryId("gfx942"), 0, 6}};
  uint64_t Size = kpack::bundleHeader(Entries).size();
  Entries[1].Offset = Size;
  Entries[2].Offset = Size + 5;
  std::string Bytes = kpack::bundleHeader(Entries);
  EXPECT_EQ(Bytes.size(), Size);
  Bytes += "firstsecond";
  OffloadBundle Bundle = parse(Bytes);
  ASSERT_EQ(Bundle.Images.size(), 2u);
  EXPECT_EQ(Bundle.Images[0].Target, "gfx90a:xnack-");
  EXPECT_EQ(Bundle.Images[0].Bytes, "first");
  EXPECT_EQ(Bundle.Images[1].Target, "gfx942");
  EXPECT_EQ(Bundle.Images[1].Bytes, "second");
  EXPECT_EQ(Bundle.Size, Bytes.size());
}

TEST(OffloadBundle, EveryCompression) {
  for (unsigned Version : {1u, 2u, 3u})
    for (Method How : {Method::Zlib, Method::Zstd}) {
      std::string Bytes = compressBundle(plain(), Version, How);
      OffloadBundle Bundle = parse(Bytes);
      expectBoth(Bundle);
      EXPECT_EQ(Bundle.Size, Bytes.size());
      EXPECT_NE(Bundle.Storage, nullptr);
    }
}

// ld -r: padding and the next TU's bundle follow.
TEST(OffloadBundle, BytesBehindTheBundle) {
  std::string Padding(100, '\0');
  for (const std::string &Bytes :
       {plain(), compressBundle(plain(), 1), compressBundle(plain(), 2),
        compressBundle(plain(), 3), compressBundle(plain(), 2, Method::Zlib),
        compressBundle(plain(), 3, Method::Zlib)})
    for (const std::string &After : {Padding, Padding + plain(), plain()}) {
      std::string Longer = Bytes + After;
      OffloadBundle Bundle = parse(Longer);
      expectBoth(Bundle);
      EXPECT_EQ(Bundle.Size, Bytes.size());
    }
}

TEST(OffloadBundle, HostOnly) {
  std::string Bytes = makeBundle({{Host, ""}}, 1);
  OffloadBundle Bundle = parse(Bytes);
  EXPECT_TRUE(Bundle.Images.empty());
  EXPECT_EQ(Bundle.Size, Bytes.size());
  Bytes = makeBundle({});
  EXPECT_TRUE(parse(Bytes).Images.empty());
}

// The reference cut code objects off at bytes that look like a magic number,
// and took them for compressed bundles.
TEST(OffloadBundle, D11_MagicInsideCodeObject) {
  std::string Evil = "code CCOB\3\0\1\0 more __CLANG_OFFLOAD_BUNDLE__";
  Evil += bytesOf<uint64_t>(1) + "and the end" + plain() + "CCOB";
  std::string Bytes =
      makeBundle({{Hip + "gfx1100", Evil}, {Hip + "gfx1101", Evil + Evil}});
  for (const std::string &Form :
       {Bytes, compressBundle(Bytes, 2), compressBundle(Bytes, 3)}) {
    OffloadBundle Bundle = parse(Form);
    ASSERT_EQ(Bundle.Images.size(), 2u);
    EXPECT_EQ(Bundle.Images[0].Bytes, Evil);
    EXPECT_EQ(Bundle.Images[1].Bytes, Evil + Evil);
  }
}

TEST(OffloadBundle, D11_TruncatedBundleIsRefused) {
  std::string Small = makeBundle(
      {{Host, ""}, {Hip + "gfx1100", Code1}, {Hip + "gfx1101", Code1}});
  for (const std::string &Good :
       {Small, compressBundle(Small, 1), compressBundle(Small, 2),
        compressBundle(Small, 3), compressBundle(Small, 1, Method::Zlib),
        compressBundle(Small, 3, Method::Zlib)})
    forEachTruncation(
        Good, [](StringRef Cut) { EXPECT_NE(refusal(Cut), "") << Cut.size(); });
}

// The reference needed 57 seconds for 16 MB of padded bundles; one pass over
// a table of a million entries must stay far below a second.
TEST(OffloadBundle, D11_LinearTime) {
  BundleEntries Entries;
  for (int I = 0; I != 200000; ++I)
    Entries.push_back({Hip + "gfx" + std::to_string(I), "x"});
  std::string Bytes = makeBundle(Entries, 1);
  // Of the processor: a busy machine gives it late, but not less of it.
  std::clock_t Start = std::clock();
  OffloadBundle Bundle = parse(Bytes);
  std::clock_t Taken = std::clock() - Start;
  EXPECT_EQ(Bundle.Images.size(), Entries.size());
  EXPECT_LT(Taken, 20 * CLOCKS_PER_SEC);
}

TEST(OffloadBundle, MutationsDoNoHarm) {
  std::string Small = makeBundle(
      {{Host, ""}, {Hip + "gfx1100", Code1}, {Hip + "gfx1101", Code1}});
  for (const std::string &Good :
       {Small, compressBundle(Small, 1), compressBundle(Small, 3)})
    forEachMutation(Good, 7000, [](StringRef Bad) {
      Expected<OffloadBundle> Bundle = parseOffloadBundle(Bad, "a.o");
      if (!Bundle) {
        consumeError(Bundle.takeError());
        return;
      }
      EXPECT_LE(Bundle->Size, Bad.size());
      StringRef Owner = Bundle->Storage ? Bundle->Storage->getBuffer() : Bad;
      for (const DeviceImage &Image : Bundle->Images) {
        if (Image.Bytes.empty())
          continue;
        EXPECT_GE(Image.Bytes.begin(), Owner.begin());
        EXPECT_LE(Image.Bytes.end(), Owner.end());
      }
    });
}

TEST(OffloadBundle, Messages) {
  const std::string Fix =
      "; compile its source again with kpack-clang++ or hipcc";
  EXPECT_EQ(refusal("rubbish"),
            "a.o: its fat binary is not an offload bundle" + Fix);
  std::string Bytes = makeBundle({{Hip + "gfx1100", Code1}});
  EXPECT_EQ(refusal(StringRef(Bytes).take_front(40)),
            "a.o: offload bundle is cut off in its entry table" + Fix);
  EXPECT_EQ(refusal(StringRef(Bytes).drop_back()),
            "a.o: offload bundle is cut off in the code for "
            "hipv4-amdgcn-amd-amdhsa--gfx1100" +
                Fix);
  EXPECT_EQ(refusal(makeBundle({{"openmp-amdgcn-amd-amdhsa--gfx906", "x"}})),
            "a.o: offload bundle has an entry that is not HIP's: "
            "openmp-amdgcn-amd-amdhsa--gfx906" +
                Fix);
  EXPECT_EQ(refusal(makeBundle({{Hip + "gfx1", "x"}, {Hip + "gfx1", "y"}})),
            "a.o: offload bundle has two entries for gfx1" + Fix);
  EXPECT_EQ(refusal(Bytes.replace(32, 8, bytesOf<uint64_t>(8))),
            "a.o: offload bundle has code that overlaps its entry table" + Fix);

  std::string Packed = compressBundle(plain(), 3);
  auto Refusal = [&](size_t At, const std::string &Value) {
    return refusal(std::string(Packed).replace(At, Value.size(), Value));
  };
  EXPECT_EQ(Refusal(4, bytesOf<uint16_t>(4)),
            "a.o: offload bundle has unknown version 4" + Fix);
  EXPECT_EQ(Refusal(6, bytesOf<uint16_t>(2)),
            "a.o: offload bundle has unknown compression 2" + Fix);
  EXPECT_EQ(Refusal(8, bytesOf<uint64_t>(Packed.size() + 1)),
            "a.o: offload bundle is cut off in its compressed data" + Fix);
  EXPECT_EQ(Refusal(16, bytesOf<uint64_t>(uint64_t(1) << 40)),
            "a.o: offload bundle claims an impossible size" + Fix);
  EXPECT_EQ(Refusal(16, bytesOf<uint64_t>(plain().size() + 1)),
            "a.o: offload bundle is shorter than its header says" + Fix);
  EXPECT_TRUE(StringRef(Refusal(36, "\xff\xff\xff\xff\xff"))
                  .starts_with("a.o: offload bundle cannot be decompressed: "));
  EXPECT_EQ(refusal(StringRef(Packed).take_front(20)),
            "a.o: offload bundle is cut off in its header" + Fix);
  EXPECT_EQ(refusal(compressBundle("nothing", 3)),
            "a.o: offload bundle is no bundle when decompressed" + Fix);
}

} // namespace
