//===- HostObjectTest.cpp - tests of device code added to objects ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Offload/HostObject.h"

#include "ObjectMaker.h"
#include "Offload/HipSymbols.h"
#include "Offload/LinkerInput.h"
#include "TestSupport.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace kpack::offload;
using namespace kpack::test;

namespace {

constexpr uint64_t Token = 0x3fc15a68e0db35d;
const std::string TokenName = "__hip_fatbin_3fc15a68e0db35d";
const std::vector<DeviceImage> Images = {{"gfx1100", "image one"},
                                         {"gfx90a:xnack+", "image two"}};

ObjectMaker hostOnly() {
  ObjectMaker Object;
  Object.Wrappers = {{TokenName}};
  Object.Symbols = {{TokenName}};
  return Object;
}

Expected<std::string> finish(StringRef Object,
                             PayloadKind Kind = PayloadKind::Image) {
  return finishHostObject(MemoryBufferRef(Object, "a.o"), Images, Kind);
}

std::string finished(StringRef Object, PayloadKind Kind = PayloadKind::Image) {
  Expected<std::string> Result = finish(Object, Kind);
  if (Result)
    return std::move(*Result);
  ADD_FAILURE() << toString(Result.takeError());
  return std::string();
}

std::string refusal(StringRef Object) { return getMessage(finish(Object)); }

std::vector<DevicePayload> getPayloads(const std::string &Section) {
  return cantFail(readPayloads(Section, "out"));
}

std::vector<DevicePayload> getPayloads(std::string &&) = delete;

TEST(HostObject, MarksWrapperAndAddsPayload) {
  std::string Object = hostOnly().make(), Out = finished(Object);
  EXPECT_EQ(getWrappers(Out), (std::vector<SeenWrapper>{
                                  {WrapperMagicKpack, Token, TokenName, 0}}));
  SeenSection Section = lookUpSection(Out, ".kpack.devobj");
  EXPECT_EQ(Section.Flags, uint64_t(ELF::SHF_EXCLUDE));
  EXPECT_EQ(Section.Align, 8u);
  std::vector<DevicePayload> Payloads = getPayloads(Section.Contents);
  ASSERT_EQ(Payloads.size(), 1u);
  EXPECT_EQ(Payloads[0].Token, Token);
  ASSERT_EQ(Payloads[0].Images.size(), 2u);
  EXPECT_EQ(Payloads[0].Images[1].Target, "gfx90a:xnack+");
  EXPECT_EQ(Payloads[0].Images[1].Bytes, "image two");
  EXPECT_EQ(lookUpSection(Out, ".text").Contents,
            lookUpSection(Object, ".text").Contents);
  EXPECT_EQ(getUndefined(Out), getUndefined(Object));
  EXPECT_EQ(Out, finished(Object));
}

TEST(HostObject, MarksObjectsOfOtherMachines) {
  ObjectMaker Object = hostOnly();
  Object.Machine = "EM_AARCH64";
  Object.RelocationType = "R_AARCH64_ABS64";
  EXPECT_EQ(getWrappers(finished(Object.make()))[0].Reserved1, Token);
  Object.Machine = "EM_PPC64";
  Object.RelocationType = "R_PPC64_ADDR64";
  EXPECT_EQ(getWrappers(finished(Object.make()))[0].Reserved1, Token);
}

// The plugin may have marked the wrapper before the driver does.
TEST(HostObject, MarkingTwiceIsMarkingOnce) {
  ObjectMaker Marked = hostOnly();
  Marked.Wrappers[0].Magic = WrapperMagicKpack;
  Marked.Wrappers[0].Reserved1 = Token;
  EXPECT_EQ(finished(Marked.make()), finished(hostOnly().make()));
}

TEST(HostObject, MarksSeveralWrappersOfOneTu) {
  ObjectMaker Object = hostOnly();
  Object.Wrappers.push_back({TokenName});
  std::vector<SeenWrapper> Seen = getWrappers(finished(Object.make()));
  ASSERT_EQ(Seen.size(), 2u);
  EXPECT_EQ(Seen[0].Reserved1, Token);
  EXPECT_EQ(Seen[1].Reserved1, Token);
}

TEST(HostObject, ObjectWithoutWrapperGetsOnlyRdcPayload) {
  ObjectMaker Object;
  std::string Elf = Object.make();
  EXPECT_FALSE(lookUpSection(finished(Elf), ".kpack.devobj").Exists);
  SeenSection Rdc =
      lookUpSection(finished(Elf, PayloadKind::Rdc), ".kpack.devobj");
  std::vector<DevicePayload> Payloads = getPayloads(Rdc.Contents);
  ASSERT_EQ(Payloads.size(), 1u);
  EXPECT_EQ(Payloads[0].Token, std::nullopt);
  EXPECT_EQ(Payloads[0].Kind, PayloadKind::Rdc);
}

TEST(HostObject, UnsuitableObjectsAreRefused) {
  EXPECT_EQ(refusal("rubbish"),
            "a.o: not a 64-bit little-endian ELF relocatable file; give an "
            "object file");
  EXPECT_EQ(refusal(finished(hostOnly().make())),
            "a.o: already holds device code in .kpack.devobj; finish each "
            "object once");

  ObjectMaker NoHash = hostOnly();
  NoHash.Wrappers[0].Symbol = NoHash.Symbols[0].Name = "__hip_fatbin";
  EXPECT_EQ(refusal(NoHash.make()),
            "a.o: its fat binary has no hash in its name; compile it without "
            "-fuse-cuid=none");

  ObjectMaker Fat = hostOnly();
  Fat.FatBin = "bytes";
  Fat.Wrappers[0].Symbol = ".hip_fatbin";
  EXPECT_EQ(refusal(Fat.make()),
            "a.o: holds a fat binary; compile it with --offload-host-only");

  ObjectMaker OtherToken = hostOnly();
  OtherToken.Wrappers[0].Magic = WrapperMagicKpack;
  OtherToken.Wrappers[0].Reserved1 = 1;
  EXPECT_EQ(refusal(OtherToken.make()),
            "a.o: its wrapper carries another token than its symbol " +
                TokenName +
                "; compile its source again with kpack-clang++ or hipcc");

  ObjectMaker Joined = hostOnly();
  Joined.Wrappers.push_back({"__hip_fatbin_1"});
  Joined.Symbols.push_back({"__hip_fatbin_1"});
  EXPECT_EQ(refusal(Joined.make()),
            "a.o: holds several TUs; finish each object before it is linked "
            "with -r");
}

TEST(HostObject, DamagedWrappersAreRefused) {
  const std::string Where = "a.o: .hipFatBinSegment: ";
  const std::string Fix =
      "; compile it again with a HIP compiler that this kpack knows";
  ObjectMaker Object = hostOnly();
  Object.Wrappers[0].Magic = 0;
  EXPECT_EQ(refusal(Object.make()),
            Where + "the wrapper at offset 0 has an unknown magic number" +
                Fix);

  Object = hostOnly();
  Object.RelocationType = "R_X86_64_32";
  EXPECT_EQ(refusal(Object.make()),
            Where + "relocation type 10 is not a 64-bit absolute one" + Fix);

  Object = hostOnly();
  Object.Machine = "EM_S390";
  Object.RelocationType = "1";
  EXPECT_EQ(refusal(Object.make()),
            Where + "machine 22 is not supported" + Fix);

  Object = hostOnly();
  Object.Wrappers[0].Addend = 8;
  EXPECT_EQ(refusal(Object.make()),
            Where + "the wrapper at offset 0 does not point to a fat binary" +
                Fix);

  Object = hostOnly();
  Object.Wrappers.clear();
  Object.More = {{".hipFatBinSegment", std::string(25, '\0')}};
  EXPECT_EQ(refusal(Object.make()),
            Where + "size 25 is not a multiple of 8" + Fix);
  Object.More[0].Contents = "FPIH" + std::string(20, '\0');
  EXPECT_EQ(refusal(Object.make()),
            Where + "the wrapper at offset 0 points nowhere" + Fix);

  // Relocations that do not fit the wrappers. Each of them stands in its
  // section as offset, type and symbol, addend.
  std::string Good = hostOnly().make();
  const auto With = [&](size_t At, std::string Value) {
    std::string Changed = Good;
    size_t Rela =
        Good.find(lookUpSection(Good, ".rela.hipFatBinSegment").Contents);
    return Changed.replace(Rela + At, Value.size(), Value);
  };
  EXPECT_EQ(refusal(With(0, std::string(8, '\0'))),
            Where + "unexpected relocation at offset 0" + Fix);
  EXPECT_EQ(refusal(With(12, std::string("\xff\0\0\0", 4))),
            Where + "relocation against symbol 255, which does not exist" +
                Fix);
}

//===----------------------------------------------------------------------===//
// Bitcode
//===----------------------------------------------------------------------===//

std::string module(const std::string &Magic, const std::string &Reserved1) {
  return bitcodeFromAssembly(
      "target triple = \"x86_64-unknown-linux-gnu\"\n"
      "@" +
      TokenName +
      " = external constant i8, section \".hip_fatbin\"\n"
      "@__hip_fatbin_wrapper = internal constant { i32, i32, ptr, ptr } "
      "{ i32 " +
      Magic + ", i32 1, ptr @" + TokenName + ", ptr " + Reserved1 +
      " }, section \".hipFatBinSegment\", align 8\n"
      "@use = global ptr @__hip_fatbin_wrapper\n");
}

std::string markedModule() {
  return module(std::to_string(WrapperMagicKpack),
                "inttoptr (i64 " + std::to_string(Token) + " to ptr)");
}

TEST(HostObject, BitcodeGetsPayloadBehindIt) {
  std::string Out = finished(markedModule());
  EXPECT_EQ(Out.size() % 4, 0u);
  EXPECT_TRUE(StringRef(Out).starts_with(StringRef("\xDE\xC0\x17\x0B", 4)));
  Expected<LinkerInput> Input =
      readLinkerInput(MemoryBufferRef(Out, "a.o"), "a.o");
  ASSERT_TRUE(bool(Input)) << toString(Input.takeError());
  ASSERT_EQ(Input->Payloads.size(), 1u);
  EXPECT_EQ(Input->Payloads[0].Token, Token);
  EXPECT_EQ(Input->Payloads[0].Images[0].Bytes, "image one");
  EXPECT_EQ(Input->FatBinRefs, std::vector<uint64_t>{Token});
  EXPECT_EQ(Input->Rewritten, nullptr);
}

TEST(HostObject, UnsuitableBitcodeIsRefused) {
  EXPECT_EQ(refusal(module(std::to_string(WrapperMagicFat), "null")),
            "a.o: its bitcode was not marked for kpack; compile it with "
            "-fpass-plugin=KpackPlugin.so");
  EXPECT_EQ(refusal(module(std::to_string(WrapperMagicKpack),
                           "inttoptr (i64 1 to ptr)")),
            "a.o: its bitcode was not marked for kpack; compile it with "
            "-fpass-plugin=KpackPlugin.so");
  EXPECT_EQ(refusal(finished(markedModule())),
            "a.o: already holds device code in .kpack.devobj; finish each "
            "object once");
}

TEST(HostObject, BitcodeWithoutHipIsLeftAlone) {
  std::string Module = bitcodeFromAssembly("@x = global i32 1\n");
  EXPECT_EQ(finished(Module), Module);
}

// -ffat-lto-objects: both halves must say the same.
TEST(HostObject, FatLtoObject) {
  ObjectMaker Object = hostOnly();
  Object.More = {{".llvm.lto", markedModule(), "0x6fff4c0c"}};
  std::string Out = finished(Object.make());
  EXPECT_EQ(lookUpSection(Out, ".llvm.lto").Contents, markedModule());
  Object.More[0].Contents = module(std::to_string(WrapperMagicFat), "null");
  EXPECT_NE(refusal(Object.make()), "");
  Object.More[0].Contents = bitcodeFromAssembly("@x = global i32 1\n");
  EXPECT_EQ(refusal(Object.make()),
            "a.o: its bitcode and its code have different tokens; compile its "
            "source again with kpack-clang++ or hipcc");
}

//===----------------------------------------------------------------------===//
// addExcludedSection
//===----------------------------------------------------------------------===//

TEST(HostObject, AddExcludedSection) {
  std::string Object = ObjectMaker().make();
  Expected<std::string> Out =
      addExcludedSection(MemoryBufferRef(Object, "a.o"), ".note.x", "bytes");
  ASSERT_TRUE(bool(Out)) << toString(Out.takeError());
  EXPECT_EQ(lookUpSection(*Out, ".note.x").Contents, "bytes");
  EXPECT_EQ(getMessage(addExcludedSection(MemoryBufferRef(*Out, "a.o"),
                                          ".note.x", "")),
            "a.o: already has a section .note.x; add it once");
}

/// \p Elf with \p Count section headers more, all of them empty.
std::string withSections(std::string Elf, unsigned Count) {
  using namespace support::endian;
  uint64_t Table = read64le(Elf.data() + 40);
  unsigned Old = read16le(Elf.data() + 60);
  std::string Headers = Elf.substr(Table, Old * 64);
  write64le(Elf.data() + 40, Elf.size());
  write16le(Elf.data() + 60, Old + Count);
  return Elf + Headers + std::string(Count * 64, '\0');
}

// With 0xff00 sections and more the count moves into section header 0.
TEST(HostObject, MoreSectionsThanTheHeaderCanCount) {
  std::string Out = finished(withSections(hostOnly().make(), 0xfef0));
  bool Extended = false;
  for (int I = 0; I != 20; ++I) {
    Out = cantFail(addExcludedSection(MemoryBufferRef(Out, "a.o"),
                                      ".x" + std::to_string(I), "more"));
    Extended |= support::endian::read16le(Out.data() + 60) == 0;
  }
  EXPECT_TRUE(Extended);
  EXPECT_EQ(getWrappers(Out)[0].Reserved1, Token);
  EXPECT_EQ(lookUpSection(Out, ".x0").Contents, "more");
  EXPECT_EQ(lookUpSection(Out, ".x19").Contents, "more");
  EXPECT_TRUE(lookUpSection(Out, ".kpack.devobj").Exists);
}

//===----------------------------------------------------------------------===//
// Hostile input
//===----------------------------------------------------------------------===//

TEST(HostObject, TruncationsDoNoHarm) {
  forEachTruncation(hostOnly().make(), [](StringRef Cut) {
    EXPECT_NE(refusal(Cut), "") << Cut.size();
  });
}

TEST(HostObject, MutationsDoNoHarm) {
  std::string Good = hostOnly().make();
  forEachMutation(Good, 20000, [&](StringRef Bad) {
    Expected<std::string> Out = finish(Bad);
    if (Out)
      EXPECT_LE(Out->size(), 4 * Good.size() + 4096);
    else
      consumeError(Out.takeError());
  });
}

} // namespace
