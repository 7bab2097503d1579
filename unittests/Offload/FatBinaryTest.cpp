//===- FatBinaryTest.cpp - tests of containers of device code -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Offload/FatBinary.h"

#include "Support/BundleHeader.h"
#include "TestSupport.h"

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

/// A container that was read and opened.
struct Parsed {
  ContainerKind Kind = ContainerKind::Bundle;
  unsigned Version = 0;
  uint64_t Size = 0, PlainSize = 0;
  std::vector<DeviceImage> Images;
  std::unique_ptr<MemoryBuffer> Storage;
};

Expected<Parsed> tryParse(StringRef Bytes) {
  Expected<Container> C = readContainer(Bytes, "a.o");
  if (!C)
    return C.takeError();
  Expected<OpenContainer> Open = openContainer(*C, "a.o");
  if (!Open)
    return Open.takeError();
  return Parsed{C->Kind,
                C->Version,
                C->Bytes.size(),
                C->PlainSize,
                std::move(Open->Images),
                std::move(Open->Storage)};
}

void expectBoth(const Parsed &Bundle) {
  ASSERT_EQ(Bundle.Images.size(), 2u);
  EXPECT_EQ(Bundle.Images[0].Target, "gfx1100");
  EXPECT_EQ(Bundle.Images[0].Bytes, Code1);
  EXPECT_EQ(Bundle.Images[1].Target, "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(Bundle.Images[1].Bytes, Code2);
}

/// The result points into \p Bytes, so that must not be a temporary.
Parsed parse(const std::string &Bytes) {
  Expected<Parsed> Bundle = tryParse(Bytes);
  if (Bundle)
    return std::move(*Bundle);
  ADD_FAILURE() << toString(Bundle.takeError());
  return {};
}

Parsed parse(std::string &&) = delete;

std::string refusal(StringRef Bytes) { return getMessage(tryParse(Bytes)); }

std::string sectionRefusal(StringRef Bytes) {
  return getMessage(readContainers(Bytes, "a.o"));
}

TEST(FatBinary, TargetOfEntry) {
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

TEST(FatBinary, PlainBundleIsNotCopied) {
  std::string Bytes = plain();
  Parsed Bundle = parse(Bytes);
  expectBoth(Bundle);
  EXPECT_EQ(Bundle.Size, Bytes.size());
  EXPECT_EQ(Bundle.Storage, nullptr);
  EXPECT_EQ(Bundle.Images[0].Bytes.data(), Bytes.data() + 4096);
}

// Our own writer, which measures the header before it knows the offsets.
TEST(FatBinary, WrittenHeaderIsReadBack) {
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
  Parsed Bundle = parse(Bytes);
  ASSERT_EQ(Bundle.Images.size(), 2u);
  EXPECT_EQ(Bundle.Images[0].Target, "gfx90a:xnack-");
  EXPECT_EQ(Bundle.Images[0].Bytes, "first");
  EXPECT_EQ(Bundle.Images[1].Target, "gfx942");
  EXPECT_EQ(Bundle.Images[1].Bytes, "second");
  EXPECT_EQ(Bundle.Size, Bytes.size());
}

TEST(FatBinary, EveryCompressionIsRead) {
  for (unsigned Version : {1u, 2u, 3u})
    for (Method How : {Method::Zlib, Method::Zstd}) {
      std::string Bytes = compressBundle(plain(), Version, How);
      Parsed Bundle = parse(Bytes);
      expectBoth(Bundle);
      EXPECT_EQ(Bundle.Size, Bytes.size());
      EXPECT_NE(Bundle.Storage, nullptr);
      EXPECT_EQ(Bundle.Kind, ContainerKind::CompressedBundle);
      EXPECT_EQ(Bundle.Version, Version);
      EXPECT_EQ(Bundle.PlainSize, plain().size());
    }
}

// The reference never looks at the hash. One of zero is none.
TEST(FatBinary, WrongHashIsRefused) {
  std::string Bad = "a.o: offload bundle does not match its hash; "
                    "compile its source again with kpack-clang++ or "
                    "hipcc";
  for (unsigned Version : {1u, 2u, 3u})
    for (Method How : {Method::Zlib, Method::Zstd}) {
      uint64_t Hash = bundleHash(plain());
      EXPECT_EQ(refusal(compressBundle(plain(), Version, How, Hash)), "");
      EXPECT_EQ(refusal(compressBundle(plain(), Version, How, 0)), "");
      EXPECT_EQ(refusal(compressBundle(plain(), Version, How, Hash ^ 1)), Bad);
    }
}

TEST(FatBinary, TargetsAreCanonical) {
  std::string Bytes = makeBundle({{Hip + "gfx90a:xnack-:sramecc+", Code1}});
  EXPECT_EQ(parse(Bytes).Images[0].Target, "gfx90a:sramecc+:xnack-");
  std::string Twice = makeBundle({{Hip + "gfx90a:xnack-:sramecc+", "a"},
                                  {Hip + "gfx90a:sramecc+:xnack-", "b"}});
  EXPECT_NE(refusal(Twice), "");
}

TEST(FatBinary, OffloadBinaryIsRead) {
  std::string One = makeOffloadBinary({{"gfx1100", Code1}}, 1);
  Parsed Binary = parse(One);
  ASSERT_EQ(Binary.Images.size(), 1u);
  EXPECT_EQ(Binary.Kind, ContainerKind::OffloadBinary);
  EXPECT_EQ(Binary.Version, 1u);
  EXPECT_EQ(Binary.Size, One.size());
  EXPECT_EQ(Binary.Images[0].Target, "gfx1100");
  EXPECT_EQ(Binary.Images[0].Bytes, Code1);

  // LLVM 19 has 3 for HIP; 1 is OpenMP's in all of them.
  std::string Several = makeOffloadBinary({{"gfx1100", Code1, 3},
                                           {"gfx90a", "not HIP", 1},
                                           {"gfx90a:xnack-:sramecc+", Code2}},
                                          2);
  Binary = parse(Several);
  EXPECT_EQ(Binary.Version, 2u);
  ASSERT_NO_FATAL_FAILURE(expectBoth(Binary));
  std::string None = makeOffloadBinary({}, 2);
  EXPECT_TRUE(parse(None).Images.empty());
}

TEST(FatBinary, OffloadBinaryMessages) {
  auto Refusal = [](size_t At, uint64_t Value) {
    std::string Bytes = makeOffloadBinary({{"gfx1", "x"}, {"gfx2", "y"}}, 2);
    std::string Text = refusal(Bytes.replace(At, 8, bytesOf<uint64_t>(Value)));
    return StringRef(Text).split(';').first.str();
  };
  std::string Bad = "a.o: offload binary: ";
  EXPECT_EQ(Refusal(4, 3), Bad + "unknown version 3");
  EXPECT_EQ(Refusal(8, 1000), Bad + "device code is cut off");
  EXPECT_EQ(Refusal(24, 1 << 20), Bad + "entry lies outside");
  EXPECT_EQ(Refusal(32 + 24, 1 << 20), Bad + "image lies outside");
  EXPECT_EQ(Refusal(32 + 16, 1 << 20), Bad + "string table lies outside");
  EXPECT_EQ(Refusal(112, 1 << 20), Bad + "string lies outside");
}

// A million bytes, and a thousand entries that each claim them all.
TEST(FatBinary, OverlappingEntriesAreRefused) {
  std::string Table = "__CLANG_OFFLOAD_BUNDLE__" + bytesOf<uint64_t>(1000);
  for (int I = 0; I != 1000; ++I)
    Table += bytesOf<uint64_t>(64000) + bytesOf<uint64_t>(1000000) +
             bytesOf<uint64_t>(30) + Hip + std::to_string(10000 + I);
  Table.resize(64000);
  Table.resize(64000 + 1000000, 'x');
  EXPECT_TRUE(StringRef(refusal(Table))
                  .starts_with("a.o: offload bundle has code that overlaps;"));
}

TEST(FatBinary, CodeObjectAlone) {
  std::string Elf = makeCodeObject(0x33f, Code2);
  std::string Bytes = Elf + std::string(100, '\0');
  Parsed Object = parse(Bytes);
  EXPECT_EQ(Object.Kind, ContainerKind::CodeObject);
  EXPECT_EQ(Object.Version, 6u);
  EXPECT_EQ(Object.Size, Elf.size());
  ASSERT_EQ(Object.Images.size(), 1u);
  EXPECT_EQ(Object.Images[0].Target, "gfx90a:xnack+");
  EXPECT_EQ(Object.Images[0].Bytes, Elf);
  EXPECT_EQ(refusal(StringRef(Elf).drop_back()),
            "a.o: its code object is cut off; compile its source again with "
            "kpack-clang++ or hipcc");
  // The processor of tomorrow has no name yet.
  std::string New = makeCodeObject(0xff, "");
  EXPECT_EQ(parse(New).Images[0].Target, "");
}

// What .hip_fatbin of a real library is: everything, with padding.
TEST(FatBinary, SeveralInASection) {
  std::string Evil = "CCOB __CLANG_OFFLOAD_BUNDLE__ \x10\xFF\x10\xAD ELF";
  std::vector<std::string> Parts = {
      makeBundle({{Host, ""}, {Hip + "gfx1100", Evil}}, 4096),
      compressBundle(plain(), 1),
      compressBundle(plain(), 2, Method::Zlib),
      compressBundle(plain(), 3),
      makeCodeObject(0x41, Evil),
      makeOffloadBinary({{"gfx1100", Evil}}, 1),
      makeOffloadBinary({{"gfx1100", Evil}, {"gfx1101", Evil}}, 2),
      plain()};
  for (uint64_t Align : {1, 8, 4096}) {
    std::string Section;
    std::vector<uint64_t> Offsets;
    for (const std::string &Part : Parts) {
      Section.resize((Section.size() + Align - 1) / Align * Align);
      Offsets.push_back(Section.size());
      Section += Part;
    }
    Section.resize(Section.size() + Align - 1);
    Expected<std::vector<Container>> All = readContainers(Section, "a.o");
    ASSERT_TRUE(bool(All)) << toString(All.takeError());
    ASSERT_EQ(All->size(), Parts.size());
    for (size_t I = 0; I != Parts.size(); ++I) {
      EXPECT_EQ((*All)[I].Offset, Offsets[I]);
      EXPECT_EQ((*All)[I].Bytes, Parts[I]);
      EXPECT_TRUE(bool(openContainer((*All)[I], "a.o")));
    }
  }
  std::string Zeros(5000, '\0');
  EXPECT_TRUE(cantFail(readContainers(Zeros, "a.o")).empty());
  EXPECT_TRUE(cantFail(readContainers("", "a.o")).empty());
  EXPECT_EQ(sectionRefusal(plain() + Zeros + "rubbish"),
            "a.o: no device code at offset " +
                std::to_string(plain().size() + 5000) +
                " of its fat binary; compile its source again with "
                "kpack-clang++ or hipcc");
}

// The reference copied the rest of the section for each byte of padding: 57
// seconds for 16 MB.
TEST(FatBinary, D11_PaddingTakesLinearTime) {
  std::string Section;
  for (int I = 0; I != 256; ++I) {
    Section += compressBundle(plain(), 2);
    Section.resize(Section.size() + (64 << 10));
  }
  std::clock_t Start = std::clock();
  EXPECT_EQ(cantFail(readContainers(Section, "a.o")).size(), 256u);
  EXPECT_LT(std::clock() - Start, 20 * CLOCKS_PER_SEC);
}

// ld -r: padding and the next TU's bundle follow.
TEST(FatBinary, BytesBehindTheBundle) {
  std::string Padding(100, '\0');
  for (const std::string &Bytes :
       {plain(), compressBundle(plain(), 1), compressBundle(plain(), 2),
        compressBundle(plain(), 3), compressBundle(plain(), 2, Method::Zlib),
        compressBundle(plain(), 3, Method::Zlib)})
    for (const std::string &After : {Padding, Padding + plain(), plain()}) {
      std::string Longer = Bytes + After;
      Parsed Bundle = parse(Longer);
      expectBoth(Bundle);
      EXPECT_EQ(Bundle.Size, Bytes.size());
    }
}

TEST(FatBinary, HostOnlyBundleHasNoImages) {
  std::string Bytes = makeBundle({{Host, ""}}, 1);
  Parsed Bundle = parse(Bytes);
  EXPECT_TRUE(Bundle.Images.empty());
  EXPECT_EQ(Bundle.Size, Bytes.size());
  Bytes = makeBundle({});
  EXPECT_TRUE(parse(Bytes).Images.empty());
}

// The reference cut code objects off at bytes that look like a magic number,
// and took them for compressed bundles.
TEST(FatBinary, D11_MagicInsideCodeObject) {
  std::string Evil = "code CCOB\3\0\1\0 more __CLANG_OFFLOAD_BUNDLE__";
  Evil += bytesOf<uint64_t>(1) + "and the end" + plain() + "CCOB";
  std::string Bytes =
      makeBundle({{Hip + "gfx1100", Evil}, {Hip + "gfx1101", Evil + Evil}});
  for (const std::string &Form :
       {Bytes, compressBundle(Bytes, 2), compressBundle(Bytes, 3)}) {
    Parsed Bundle = parse(Form);
    ASSERT_EQ(Bundle.Images.size(), 2u);
    EXPECT_EQ(Bundle.Images[0].Bytes, Evil);
    EXPECT_EQ(Bundle.Images[1].Bytes, Evil + Evil);
  }
}

TEST(FatBinary, D11_TruncatedBundleIsRefused) {
  std::string Small = makeBundle(
      {{Host, ""}, {Hip + "gfx1100", Code1}, {Hip + "gfx1101", Code1}});
  for (const std::string &Good :
       {Small, compressBundle(Small, 1), compressBundle(Small, 2),
        compressBundle(Small, 3), compressBundle(Small, 1, Method::Zlib),
        compressBundle(Small, 3, Method::Zlib)})
    forEachTruncation(
        Good, [](StringRef Cut) { EXPECT_NE(refusal(Cut), "") << Cut.size(); });
  forEachTruncation(
      makeOffloadBinary({{"gfx1100", Code1}, {"gfx1101", Code1}}, 2),
      [](StringRef Cut) { EXPECT_NE(refusal(Cut), "") << Cut.size(); });
  forEachTruncation(makeCodeObject(0x41, Code1), [](StringRef Cut) {
    EXPECT_NE(refusal(Cut), "") << Cut.size();
  });
}

// The reference needed 57 seconds for 16 MB of padded bundles; one pass over
// a table of a million entries must stay far below a second.
TEST(FatBinary, D11_LinearTime) {
  BundleEntries Entries;
  for (int I = 0; I != 200000; ++I)
    Entries.push_back({Hip + "gfx" + std::to_string(I), "x"});
  std::string Bytes = makeBundle(Entries, 1);
  // Of the processor: a busy machine gives it late, but not less of it.
  std::clock_t Start = std::clock();
  Parsed Bundle = parse(Bytes);
  std::clock_t Taken = std::clock() - Start;
  EXPECT_EQ(Bundle.Images.size(), Entries.size());
  EXPECT_LT(Taken, 20 * CLOCKS_PER_SEC);
}

TEST(FatBinary, MutationsDoNoHarm) {
  std::string Small = makeBundle(
      {{Host, ""}, {Hip + "gfx1100", Code1}, {Hip + "gfx1101", Code1}});
  for (const std::string &Good :
       {Small, compressBundle(Small, 1), compressBundle(Small, 3),
        makeOffloadBinary({{"gfx1100", Code1}, {"gfx1101", Code1}}, 2),
        makeCodeObject(0x41, Code1)})
    forEachMutation(Good, 7000, [](StringRef Bad) {
      Expected<Parsed> Bundle = tryParse(Bad);
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

TEST(FatBinary, DamagedBundleMessagesAreExact) {
  std::string Fix = "; compile its source again with kpack-clang++ or hipcc";
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
