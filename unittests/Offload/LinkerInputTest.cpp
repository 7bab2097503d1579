//===- LinkerInputTest.cpp - tests of device code of link inputs ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Offload/LinkerInput.h"

#include "ObjectMaker.h"
#include "Offload/HipSymbols.h"
#include "TestSupport.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace kpack::offload;
using namespace kpack::test;

namespace {

const std::string Hip = "hipv4-amdgcn-amd-amdhsa--";

std::string bundle(const std::string &Code,
                   std::initializer_list<const char *> Targets) {
  BundleEntries Entries = {{"host-x86_64-unknown-linux-gnu-", ""}};
  for (const char *Target : Targets)
    Entries.push_back({Hip + Target, Code + " for " + Target});
  return makeBundle(Entries);
}

std::string padded(std::string Bytes) {
  Bytes.resize(alignTo(Bytes.size(), 4096));
  return Bytes;
}

Expected<LinkerInput> tryRead(StringRef Object) {
  return readLinkerInput(MemoryBufferRef(Object, "a.o"), "libx.a(a.o)");
}

LinkerInput read(StringRef Object) {
  Expected<LinkerInput> Input = tryRead(Object);
  if (Input)
    return std::move(*Input);
  ADD_FAILURE() << toString(Input.takeError());
  return {};
}

std::string refusal(StringRef Object) { return getMessage(tryRead(Object)); }

StringRef rewritten(const LinkerInput &Input) {
  if (Input.Rewritten)
    return Input.Rewritten->getBuffer();
  ADD_FAILURE() << "not rewritten";
  return StringRef();
}

TEST(LinkerInput, OtherFilesHaveNoDeviceCode) {
  for (StringRef File : {"", "rubbish", "!<arch>\n"}) {
    LinkerInput Input = read(File);
    EXPECT_FALSE(Input.hasDeviceCode());
    EXPECT_EQ(Input.Rewritten, nullptr);
  }
  LinkerInput Input = read(ObjectMaker().make());
  EXPECT_FALSE(Input.hasDeviceCode());
  EXPECT_EQ(Input.Rewritten, nullptr);
  EXPECT_TRUE(Input.FatBinRefs.empty());
}

TEST(LinkerInput, ReadsAKpackObject) {
  ObjectMaker Object;
  Object.Wrappers = {{"__hip_fatbin_abc", 0, WrapperMagicKpack, 0xabc}};
  Object.Symbols = {{"__hip_fatbin_abc"}, {"__hip_gpubin_handle_abc"}};
  Object.More = {
      {".kpack.devobj",
       writePayload({0xabc, PayloadKind::Image, {{"gfx1100", "code"}}})}};
  std::string Elf = Object.make();
  LinkerInput Input = read(Elf);
  ASSERT_EQ(Input.Payloads.size(), 1u);
  EXPECT_EQ(Input.Payloads[0].Token, 0xabcu);
  EXPECT_EQ(Input.Payloads[0].Images[0].Bytes, "code");
  EXPECT_EQ(Input.FatBinRefs, std::vector<uint64_t>{0xabc});
  EXPECT_EQ(Input.HandleRefs,
            std::vector<std::string>{"__hip_gpubin_handle_abc"});
  EXPECT_EQ(Input.Rewritten, nullptr);
}

// The plugin's answer to -fuse-cuid=none: no hash, but a token.
TEST(LinkerInput, KpackObjectWithoutCuid) {
  ObjectMaker Object;
  Object.Wrappers = {{"__rocm_kpack_ref", 0, WrapperMagicKpack, 0xabc}};
  Object.Symbols = {{"__rocm_kpack_ref"}};
  LinkerInput Input = read(Object.make());
  EXPECT_EQ(Input.Rewritten, nullptr);
  EXPECT_FALSE(Input.HasAnonymousFatBin);
}

TEST(LinkerInput, AnonymousFatBin) {
  for (const char *Name : {"__hip_fatbin", "__hip_fatbin_"}) {
    ObjectMaker Object;
    Object.Wrappers = {{Name}};
    Object.Symbols = {{Name}};
    EXPECT_TRUE(read(Object.make()).HasAnonymousFatBin);
  }
}

TEST(LinkerInput, ReadsAFatObject) {
  ObjectMaker Object;
  std::string Bundle = bundle("one", {"gfx1100", "gfx90a:xnack+"});
  Object.FatBin = Bundle;
  Object.Wrappers = {{".hip_fatbin"}};
  std::string Elf = Object.make();
  LinkerInput Input = read(Elf);
  uint64_t Token = xxh3_64bits(Bundle);
  ASSERT_EQ(Input.Payloads.size(), 1u);
  EXPECT_EQ(Input.Payloads[0].Token, Token);
  EXPECT_EQ(Input.Payloads[0].Kind, PayloadKind::Image);
  ASSERT_EQ(Input.Payloads[0].Images.size(), 2u);
  EXPECT_EQ(Input.Payloads[0].Images[1].Target, "gfx90a:xnack+");
  EXPECT_EQ(Input.Payloads[0].Images[1].Bytes, "one for gfx90a:xnack+");

  StringRef Out = rewritten(Input);
  EXPECT_EQ(getWrappers(Out),
            (std::vector<SeenWrapper>{
                {WrapperMagicKpack, Token, "__rocm_kpack_ref", 0}}));
  SeenSection FatBin = lookUpSection(Out, ".hip_fatbin");
  EXPECT_EQ(FatBin.Contents, "");
  EXPECT_EQ(FatBin.Align, 1u);
  EXPECT_TRUE(FatBin.Flags & ELF::SHF_EXCLUDE);
  EXPECT_FALSE(Out.contains("__CLANG_OFFLOAD_BUNDLE__"));
  EXPECT_LT(Out.size(), Elf.size());
  EXPECT_EQ(getUndefined(Out), std::vector<std::string>{"__rocm_kpack_ref"});
  EXPECT_EQ(lookUpSection(Out, ".text").Contents, "\xc3");
  EXPECT_EQ(Out, rewritten(read(Elf)));

  // What comes out goes in again as a kpack object.
  EXPECT_EQ(read(Out).Rewritten, nullptr);
}

TEST(LinkerInput, CompressedFatObject) {
  for (unsigned Version : {1u, 2u, 3u}) {
    ObjectMaker Object;
    std::string First = compressBundle(bundle("one", {"gfx1100"}), Version);
    Object.FatBin =
        padded(First) + compressBundle(bundle("two", {"gfx1100"}), Version);
    Object.Wrappers = {{".hip_fatbin"}, {".hip_fatbin", 4096}};
    std::string Elf = Object.make();
    LinkerInput Input = read(Elf);
    ASSERT_EQ(Input.Payloads.size(), 2u);
    EXPECT_EQ(Input.Payloads[0].Token, xxh3_64bits(First));
    EXPECT_EQ(Input.Payloads[0].Images[0].Bytes, "one for gfx1100");
    EXPECT_EQ(Input.Payloads[1].Images[0].Bytes, "two for gfx1100");
  }
}

// Wrappers in one order, bundles in another, relocations in a third, and the
// first TU lacks a target: each wrapper must get the code of its own TU.
TEST(LinkerInput, D4_CodeFollowsTheRelocationNotTheOrder) {
  std::string One = bundle("one", {"gfx1100"}),
              Two = bundle("two", {"gfx1100", "gfx1101"}),
              Three = bundle("three", {"gfx1101"});
  ObjectMaker Object;
  Object.FatBin = padded(Three) + padded(One) + Two;
  Object.Wrappers = {{".hip_fatbin", 4096}, {"two"}, {".hip_fatbin", 0}};
  Object.Symbols = {{"two", ".hip_fatbin", 8192}};
  Object.ReverseRelocations = true;
  std::string Elf = Object.make();
  LinkerInput Input = read(Elf);

  std::vector<SeenWrapper> Seen = getWrappers(rewritten(Input));
  ASSERT_EQ(Seen.size(), 3u);
  ASSERT_EQ(Input.Payloads.size(), 3u);
  auto CodeOf = [&](size_t Wrapper, StringRef Target) -> std::string {
    for (const DevicePayload &Payload : Input.Payloads)
      if (Payload.Token == Seen[Wrapper].Reserved1)
        for (const DeviceImage &Image : Payload.Images)
          if (Image.Target == Target)
            return Image.Bytes.str();
    return std::string();
  };
  EXPECT_EQ(CodeOf(0, "gfx1100"), "one for gfx1100");
  EXPECT_EQ(CodeOf(0, "gfx1101"), "");
  EXPECT_EQ(CodeOf(1, "gfx1100"), "two for gfx1100");
  EXPECT_EQ(CodeOf(1, "gfx1101"), "two for gfx1101");
  EXPECT_EQ(CodeOf(2, "gfx1100"), "");
  EXPECT_EQ(CodeOf(2, "gfx1101"), "three for gfx1101");
  for (const SeenWrapper &W : Seen) {
    EXPECT_EQ(W.Symbol, "__rocm_kpack_ref");
    EXPECT_EQ(W.Addend, 0);
  }
}

// What the HIP link step of -fgpu-rdc assembles: one bundle, a symbol for
// each TU, no wrapper.
TEST(LinkerInput, RdcLinkedObject) {
  ObjectMaker Object;
  Object.FatBin = bundle("linked", {"gfx1100"});
  Object.More = {{".hip_gpubin_handle", std::string(8, '\0')}};
  Object.Symbols = {{"__hip_fatbin_1", ".hip_fatbin"},
                    {"__hip_fatbin_2", ".hip_fatbin"},
                    {"__hip_gpubin_handle_1", ".hip_gpubin_handle"},
                    {"__hip_gpubin_handle_2", ".hip_gpubin_handle"}};
  std::string Elf = Object.make();
  LinkerInput Input = read(Elf);
  ASSERT_EQ(Input.Payloads.size(), 2u);
  EXPECT_EQ(Input.Payloads[0].Token, 1u);
  EXPECT_EQ(Input.Payloads[1].Token, 2u);
  for (const DevicePayload &Payload : Input.Payloads)
    EXPECT_EQ(Payload.Images[0].Bytes, "linked for gfx1100");
  EXPECT_EQ(Input.FatBinRefs, (std::vector<uint64_t>{1, 2}));
  EXPECT_TRUE(Input.HandleRefs.empty());
  StringRef Out = rewritten(Input);
  EXPECT_EQ(getUndefined(Out),
            (std::vector<std::string>{"__hip_fatbin_1", "__hip_fatbin_2"}));
  EXPECT_EQ(lookUpSection(Out, ".hip_fatbin").Contents, "");
  EXPECT_EQ(lookUpSection(Out, ".hip_gpubin_handle").Contents.size(), 8u);
}

// The same, joined with its TU by ld -r.
TEST(LinkerInput, RdcLinkedObjectWithItsWrapper) {
  ObjectMaker Object;
  Object.FatBin = bundle("linked", {"gfx1100"});
  Object.Wrappers = {{"__hip_fatbin_7"}};
  Object.Symbols = {{"__hip_fatbin_7", ".hip_fatbin"}};
  std::string Elf = Object.make();
  LinkerInput Input = read(Elf);
  ASSERT_EQ(Input.Payloads.size(), 1u);
  EXPECT_EQ(Input.Payloads[0].Token, 7u);
  EXPECT_EQ(getWrappers(rewritten(Input))[0].Reserved1, 7u);
}

TEST(LinkerInput, RdcCompiledObject) {
  ObjectMaker Object;
  Object.Wrappers = {{"__hip_fatbin_abc"}};
  Object.Symbols = {{"__hip_fatbin_abc"},
                    {"__hip_gpubin_handle_abc"},
                    {"__hip_cuid_abc", ".text"}};
  const std::string Prefix = "__CLANG_OFFLOAD_BUNDLE__";
  Object.More = {{Prefix + "hip-amdgcn-amd-amdhsa--gfx90a:xnack+", "BC one"},
                 {Prefix + "hip-amdgcn-amd-amdhsa-unknown-gfx942", "BC two"},
                 {Prefix + "host-x86_64-pc-linux-gnu-", std::string(1, '\0')}};
  std::string Elf = Object.make();
  LinkerInput Input = read(Elf);
  ASSERT_EQ(Input.Payloads.size(), 1u);
  EXPECT_EQ(Input.Payloads[0].Kind, PayloadKind::Rdc);
  EXPECT_EQ(Input.Payloads[0].Token, 0xabcu);
  ASSERT_EQ(Input.Payloads[0].Images.size(), 2u);
  EXPECT_EQ(Input.Payloads[0].Images[0].Target, "gfx90a:xnack+");
  EXPECT_EQ(Input.Payloads[0].Images[1].Target, "gfx942");
  EXPECT_EQ(Input.Payloads[0].Images[1].Bytes, "BC two");
  EXPECT_EQ(getWrappers(rewritten(Input)),
            (std::vector<SeenWrapper>{
                {WrapperMagicKpack, 0xabc, "__hip_fatbin_abc", 0}}));

  // Device functions only: no wrapper, no token, nothing to rewrite.
  Object.Wrappers.clear();
  Object.Symbols = {{"__hip_cuid_abc", ".text"}};
  Elf = Object.make();
  Input = read(Elf);
  ASSERT_EQ(Input.Payloads.size(), 1u);
  EXPECT_EQ(Input.Payloads[0].Token, std::nullopt);
  EXPECT_EQ(Input.Rewritten, nullptr);

  Object.Symbols.push_back({"__hip_cuid_def", ".text"});
  EXPECT_EQ(refusal(Object.make()),
            "libx.a(a.o): device code of several -fgpu-rdc TUs was joined by a "
            "relocatable link; link the objects themselves");
}

// A stock host-only object has no device code, but must not reach the output
// with the old magic number.
TEST(LinkerInput, StockHostOnlyObject) {
  ObjectMaker Object;
  Object.Wrappers = {{"__hip_fatbin_abc"}};
  Object.Symbols = {{"__hip_fatbin_abc"}};
  LinkerInput Input = read(Object.make());
  EXPECT_FALSE(Input.hasDeviceCode());
  EXPECT_EQ(getWrappers(rewritten(Input))[0].Magic, WrapperMagicKpack);
  EXPECT_EQ(getWrappers(rewritten(Input))[0].Reserved1, 0xabcu);
}

// Their bitcode still holds the fat binary: lld must take the other half.
TEST(LinkerInput, FatObjectLosesItsBitcode) {
  ObjectMaker Object;
  Object.FatBin = bundle("one", {"gfx1100"});
  Object.Wrappers = {{".hip_fatbin"}};
  Object.More = {{".llvm.lto", "BC\xC0\xDE fat", "0x6fff4c0c"}};
  std::string Elf = Object.make();
  LinkerInput Input = read(Elf);
  StringRef Out = rewritten(Input);
  EXPECT_FALSE(lookUpSection(Out, ".llvm.lto").Exists);
  EXPECT_FALSE(Out.contains("BC\xC0\xDE"));
}

TEST(LinkerInput, NewDriverRdc) {
  // One OffloadBinary: header, then an entry whose second half-word is the
  // producer.
  auto Section = [](uint16_t Producer) {
    return std::string("\x10\xFF\x10\xAD") + bytesOf<uint32_t>(1) +
           bytesOf<uint64_t>(72) + bytesOf<uint64_t>(32) +
           bytesOf<uint64_t>(40) + bytesOf<uint16_t>(2) +
           bytesOf<uint16_t>(Producer) + std::string(36, '\0');
  };
  ObjectMaker Object;
  Object.More = {{".llvm.offloading", Section(1) + Section(4)}};
  EXPECT_TRUE(read(Object.make()).NeedsLinkerWrapper);
  Object.More = {{".llvm.offloading", Section(1)}};
  EXPECT_FALSE(read(Object.make()).NeedsLinkerWrapper);
}

TEST(LinkerInput, DamagedObjectsAreRefused) {
  const std::string Where = "libx.a(a.o): ";
  const std::string Fix =
      "; compile its source again with kpack-clang++ or hipcc";
  const std::string Damaged =
      "; compile its source again with kpack-clang++ or hipcc";
  ObjectMaker Object;
  Object.FatBin = "rubbish";
  Object.Wrappers = {{".hip_fatbin"}};
  EXPECT_EQ(refusal(Object.make()),
            Where + "its fat binary is not an offload bundle" + Fix);
  Object.Wrappers[0].Addend = 7;
  EXPECT_EQ(refusal(Object.make()),
            Where + "a wrapper points behind the end of .hip_fatbin" + Fix);
  Object.Wrappers = {{".text"}};
  EXPECT_EQ(refusal(Object.make()), Where +
                                        "a wrapper points into section 1, "
                                        "which is not .hip_fatbin" +
                                        Fix);
  Object.Wrappers = {{"other"}};
  Object.Symbols = {{"other"}};
  EXPECT_EQ(refusal(Object.make()),
            Where + "a wrapper points to other, which is not a fat binary" +
                Fix);
  EXPECT_EQ(refusal(StringRef(Object.make()).drop_back()),
            Where + "section header table lies outside the file" + Damaged);

  const std::string Prefix = "__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa-";
  Object = ObjectMaker();
  Object.More = {{Prefix + "-gfx942", "BC"}, {Prefix + "unknown-gfx942", "BC"}};
  EXPECT_EQ(refusal(Object.make()),
            Where + "two sections with device code for gfx942" + Fix);
}

// A list of a million images from a file of 80 KB.
TEST(LinkerInput, TooManyNamesForOneFatBinary) {
  BundleEntries Entries;
  for (int I = 0; I != 1025; ++I)
    Entries.push_back({Hip + "gfx" + std::to_string(I), "x"});
  ObjectMaker Object;
  Object.FatBin = makeBundle(Entries, 1);
  for (int I = 0; I != 1025; ++I)
    Object.Symbols.push_back(
        {tokenSymbol(FatBinPrefix, I + 1), ".hip_fatbin", 0});
  EXPECT_EQ(refusal(Object.make()),
            "libx.a(a.o): too many names for one fat binary; compile its "
            "source again with kpack-clang++ or hipcc");
}

//===----------------------------------------------------------------------===//
// Bitcode
//===----------------------------------------------------------------------===//

std::string module(const std::string &Target, const std::string &Fields) {
  return bitcodeFromAssembly(Target +
                             "\n@__hip_fatbin_wrapper.1 = internal constant "
                             "{ i32, i32, ptr, ptr } { " +
                             Fields +
                             " }, section \".hipFatBinSegment\", align 8\n");
}

TEST(LinkerInput, BitcodeWithEmbeddedPayload) {
  std::string Payload =
      writePayload({0xabc, PayloadKind::Image, {{"gfx1100", "code"}}});
  std::string Escaped;
  for (char C : Payload)
    Escaped += "\\" + hex(StringRef(&C, 1));
  std::string Module =
      module("@__hip_fatbin_abc = external constant i8\n"
             "@__hip_gpubin_handle_abc = external global ptr\n"
             "@use = global ptr @__hip_gpubin_handle_abc\n"
             "@llvm.embedded.object = private constant [" +
                 std::to_string(Payload.size()) + " x i8] c\"" + Escaped +
                 "\", section \".kpack.devobj\", align 8\n",
             "i32 1263552840, i32 1, ptr @__hip_fatbin_abc, "
             "ptr inttoptr (i64 2748 to ptr)");
  LinkerInput Input = read(Module);
  ASSERT_EQ(Input.Payloads.size(), 1u);
  EXPECT_EQ(Input.Payloads[0].Token, 0xabcu);
  EXPECT_EQ(Input.Payloads[0].Images[0].Bytes, "code");
  EXPECT_EQ(Input.FatBinRefs, std::vector<uint64_t>{0xabc});
  EXPECT_EQ(Input.HandleRefs,
            std::vector<std::string>{"__hip_gpubin_handle_abc"});
}

TEST(LinkerInput, UnsuitableBitcodeIsRefused) {
  const std::string Fix = "; compile it with -fpass-plugin=KpackPlugin.so";
  EXPECT_EQ(
      refusal(module("@__hip_fatbin = private constant [4 x i8] c\"CCOB\"",
                     "i32 1212764230, i32 1, ptr @__hip_fatbin, ptr null")),
      "libx.a(a.o): its bitcode holds a fat binary" + Fix);
  EXPECT_EQ(refusal(module("@__hip_fatbin_1 = external constant i8",
                           "i32 1212764230, i32 1, ptr @__hip_fatbin_1, "
                           "ptr null")),
            "libx.a(a.o): its bitcode was not marked for kpack" + Fix);
  LinkerInput Input = read(module("@__hip_fatbin = external constant i8",
                                  "i32 1212764230, i32 1, ptr @__hip_fatbin, "
                                  "ptr null"));
  EXPECT_TRUE(Input.HasAnonymousFatBin);
  std::string Header("\xDE\xC0\x17\x0B\0\0\0\0\x14\0\0\0\xff\0\0\0\0\0\0\0",
                     20);
  EXPECT_EQ(refusal(Header),
            "libx.a(a.o): bitcode lies outside the file; compile its source "
            "again with kpack-clang++ or hipcc");
}

//===----------------------------------------------------------------------===//
// Hostile input
//===----------------------------------------------------------------------===//

std::string everything() {
  ObjectMaker Object;
  Object.FatBin = bundle("one", {"gfx1100"});
  uint64_t Second = Object.FatBin.size();
  Object.FatBin += compressBundle(bundle("two", {"gfx1100"}), 3);
  Object.Wrappers = {
      {".hip_fatbin"}, {".hip_fatbin", Second}, {"__hip_fatbin_1"}};
  Object.Symbols = {{"__hip_fatbin_1"}, {"__hip_fatbin_2", ".hip_fatbin", 0}};
  Object.More = {
      {".kpack.devobj",
       writePayload({3, PayloadKind::Image, {{"gfx1100", "code"}}})},
      {"__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx942", "BC"}};
  return Object.make();
}

TEST(LinkerInput, TruncationsDoNoHarm) {
  std::string Good = everything();
  EXPECT_EQ(read(Good).Payloads.size(), 4u);
  forEachTruncation(Good, [](StringRef Cut) {
    if (Cut.size() >= 64)
      EXPECT_NE(refusal(Cut), "") << Cut.size();
    else
      EXPECT_EQ(refusal(Cut), "") << Cut.size();
  });
}

TEST(LinkerInput, MutationsDoNoHarm) {
  std::string Good = everything();
  unsigned Rewritten = 0;
  forEachMutation(Good, 20000, [&](StringRef Bad) {
    Expected<LinkerInput> Input = tryRead(Bad);
    if (!Input) {
      consumeError(Input.takeError());
    } else if (Input->Rewritten) {
      ++Rewritten;
      EXPECT_LE(Input->Rewritten->getBufferSize(), 4 * Bad.size());
    }
  });
  EXPECT_GT(Rewritten, 1000u);
}

// 65 thousand section headers that all claim the whole file.
TEST(LinkerInput, OverlappingSectionsAreRefused) {
  ObjectMaker Object;
  for (int I = 0; I != 1000; ++I)
    Object.More.push_back({".s" + std::to_string(I), "x"});
  std::string Elf = Object.make();
  uint64_t Table = support::endian::read64le(Elf.data() + 40);
  for (int I = 3; I != 900; ++I) {
    char *Header = Elf.data() + Table + I * 64;
    support::endian::write64le(Header + 24, 0);
    support::endian::write64le(Header + 32, Elf.size());
  }
  EXPECT_EQ(refusal(Elf), "libx.a(a.o): sections overlap; compile its source "
                          "again with kpack-clang++ or hipcc");
}

} // namespace
