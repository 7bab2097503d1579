//===- DeviceCodeTest.cpp - tests of the search for device code -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Offload/DeviceCode.h"

#include "../../lib/Offload/BitcodeObject.h"
#include "ObjectMaker.h"
#include "TestSupport.h"
#include "llvm/Object/ArchiveWriter.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace kpack::offload;
using namespace kpack::test;

namespace {

const std::string Hip = "hipv4-amdgcn-amd-amdhsa--";
const std::string RdcSection =
    "__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx90a:xnack-";

Expected<DeviceCode> find(StringRef Bytes) {
  return findDeviceCode(MemoryBufferRef(Bytes, "f"), "f");
}

std::string refusal(StringRef Bytes) { return getMessage(find(Bytes)); }

std::string bundle(const std::string &Code) {
  return makeBundle({{"host-x86_64-unknown-linux-gnu-", ""},
                     {Hip + "gfx1100", Code},
                     {Hip + "gfx90a:xnack+", Code + Code}},
                    64);
}

std::string object() {
  ObjectMaker Maker;
  Maker.FatBin =
      bundle("one") + std::string(60, '\0') + compressBundle(bundle("two"), 3);
  Maker.More = {{".kpack.devobj", makeOffloadBinary({{"gfx942", "three"}}, 1)},
                {RdcSection, "four"},
                {"__CLANG_OFFLOAD_BUNDLE__host-x86_64--", "host"},
                {"__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx906",
                 std::string(1, '\0')},
                {".hip_fatbin_other", "CCOB, and not looked at"}};
  return Maker.make();
}

std::string staticLibrary(const std::vector<std::string> &Members,
                          bool Thin = false) {
  std::vector<NewArchiveMember> New;
  for (size_t I = 0; I != Members.size(); ++I) {
    std::string Name = "member-with-a-long-name-" + std::to_string(I) + ".o";
    New.emplace_back(MemoryBufferRef(Members[I], ""));
    New.back().Buf = MemoryBuffer::getMemBufferCopy(Members[I], Name);
    New.back().MemberName = New.back().Buf->getBufferIdentifier();
  }
  return cantFail(writeArchiveToBuffer(New, SymtabWritingMode::NoSymtab,
                                       object::Archive::K_GNU,
                                       /*Deterministic=*/true, Thin))
      ->getBuffer()
      .str();
}

/// "member/section: target=size ..." for each part.
std::vector<std::string> described(StringRef Bytes) {
  Expected<DeviceCode> Code = find(Bytes);
  if (!Code)
    return {toString(Code.takeError())};
  std::vector<std::string> All;
  for (const DevicePart &Part : Code->Parts) {
    std::string Text = Part.Member + "/" + Part.Section + ":";
    auto Describe = [&](const StreamedImage &Image) -> Error {
      Text += " " + Image.Target + "=" + std::to_string(Image.Bytes.size());
      return Error::success();
    };
    if (Error E = forEachImage(*Code, Part, "f", Describe))
      return {toString(std::move(E))};
    All.push_back(Text);
    EXPECT_EQ(Bytes.substr(Part.Offset, Part.Size), Part.Code.Bytes);
  }
  return All;
}

using Texts = std::vector<std::string>;

TEST(DeviceCode, SectionsOfAnObject) {
  std::string Bytes = object();
  EXPECT_EQ(cantFail(find(Bytes)).Kind, DeviceFileKind::Object);
  EXPECT_EQ(described(Bytes), Texts({"/.hip_fatbin: gfx1100=3 gfx90a:xnack+=6",
                                     "/.hip_fatbin: gfx1100=3 gfx90a:xnack+=6",
                                     "/.kpack.devobj: gfx942=5",
                                     "/" + RdcSection + ": gfx90a:xnack-=4"}));
}

TEST(DeviceCode, FindsBareContainers) {
  std::string Code = makeCodeObject(0x33f, "code");
  EXPECT_EQ(described(Code),
            Texts({"/: gfx90a:xnack+=" + std::to_string(Code.size())}));
  EXPECT_EQ(cantFail(find(Code)).Kind, DeviceFileKind::Containers);
  std::string Two = compressBundle(bundle("x"), 2) + bundle("yy");
  EXPECT_EQ(described(Two), Texts({"/: gfx1100=1 gfx90a:xnack+=2",
                                   "/: gfx1100=2 gfx90a:xnack+=4"}));
  for (const char *None : {"", "text",
                           "\x7f"
                           "ELF"}) {
    EXPECT_EQ(cantFail(find(None)).Kind, DeviceFileKind::Other);
    EXPECT_EQ(described(None), Texts());
  }
}

TEST(DeviceCode, MembersOfAStaticLibrary) {
  std::string Library = staticLibrary({object(), "text", bundle("abc")});
  EXPECT_EQ(cantFail(find(Library)).Kind, DeviceFileKind::StaticLibrary);
  Texts All = described(Library);
  ASSERT_EQ(All.size(), 5u);
  EXPECT_EQ(All.front(), "member-with-a-long-name-0.o/.hip_fatbin: gfx1100=3 "
                         "gfx90a:xnack+=6");
  EXPECT_EQ(All.back(),
            "member-with-a-long-name-2.o/: gfx1100=3 gfx90a:xnack+=6");
  std::string Bad = staticLibrary({bundle("abc").substr(0, 50)});
  EXPECT_TRUE(StringRef(refusal(Bad))
                  .starts_with("f(member-with-a-long-name-0.o): offload "
                               "bundle is cut off in its entry table;"));
}

TEST(DeviceCode, TruncatedStaticLibraryIsRefused) {
  std::string Library = staticLibrary({bundle("abc")});
  EXPECT_TRUE(StringRef(refusal(StringRef(Library).drop_back(80)))
                  .starts_with("f: its member member-with-a-long-name-0.o is "
                               "cut off;"));
}

TEST(DeviceCode, PayloadBehindBitcode) {
  std::string Module = bitcodeFromAssembly(
      "target triple = \"x86_64-unknown-linux-gnu\"\n@x = global i32 0\n");
  EXPECT_EQ(described(Module), Texts());
  std::string Joined =
      joinBitcode(Module, makeOffloadBinary({{"gfx1100", "code"}}, 1));
  EXPECT_EQ(cantFail(find(Joined)).Kind, DeviceFileKind::Object);
  EXPECT_EQ(described(Joined), Texts({"/.kpack.devobj: gfx1100=4"}));
}

// yaml2obj writes a PE file for headers of one, else an object.
std::string coff(StringRef PeHeaders, StringRef SectionName,
                 const std::string &Contents) {
  return elfFromYaml((Twine(R"(
--- !COFF
)") + PeHeaders + R"(
header:
  Machine: IMAGE_FILE_MACHINE_AMD64
  Characteristics: [ ]
sections:
  - Name: .text
    Characteristics: [ IMAGE_SCN_CNT_CODE ]
    Alignment: 16
    SectionData: C3
    VirtualAddress: 4096
    VirtualSize: 1
  - Name: )" + SectionName +
                      R"(
    Characteristics: [ IMAGE_SCN_CNT_INITIALIZED_DATA ]
    Alignment: 4096
    VirtualAddress: 8192
    VirtualSize: )" + Twine(Contents.size()) +
                      R"(
    SectionData: )" + hex(Contents) +
                      R"(
symbols: [ ]
...
)")
                         .str());
}

TEST(DeviceCode, FindsCodeInWindowsFiles) {
  std::string Object = coff("", ".hip_fatbin", bundle("abc"));
  EXPECT_EQ(cantFail(find(Object)).Kind, DeviceFileKind::Object);
  EXPECT_EQ(described(Object),
            Texts({"/.hip_fatbin: gfx1100=3 gfx90a:xnack+=6"}));
  std::string Program = coff(R"(OptionalHeader:
  AddressOfEntryPoint: 4096
  ImageBase: 5368709120
  SectionAlignment: 4096
  FileAlignment: 512
  MajorOperatingSystemVersion: 6
  MinorOperatingSystemVersion: 0
  MajorImageVersion: 0
  MinorImageVersion: 0
  MajorSubsystemVersion: 6
  MinorSubsystemVersion: 0
  Subsystem: IMAGE_SUBSYSTEM_WINDOWS_CUI
  DLLCharacteristics: [ ]
  SizeOfStackReserve: 1048576
  SizeOfStackCommit: 4096
  SizeOfHeapReserve: 1048576
  SizeOfHeapCommit: 4096)",
                             ".hip_fat", bundle("abc"));
  EXPECT_EQ(cantFail(find(Program)).Kind, DeviceFileKind::Linked);
  EXPECT_EQ(described(Program),
            Texts({"/.hip_fatbin: gfx1100=3 gfx90a:xnack+=6"}));
  // What only begins as an object does.
  EXPECT_EQ(described("d\x86 some text that is no object at all"), Texts());
  forEachMutation(Program, 3000, [](StringRef Bad) {
    if (Expected<DeviceCode> Code = find(Bad); !Code)
      consumeError(Code.takeError());
  });
}

/// An object with one section, whose long name is in the table of strings, with
/// the headers of /bigobj; \p At is where the section is said to be.
std::string bigObject(const std::string &Contents, uint32_t At) {
  std::string File = bytesOf<uint16_t>(0) + bytesOf<uint16_t>(0xffff) +
                     bytesOf<uint16_t>(2) + bytesOf<uint16_t>(0x8664) +
                     bytesOf<uint32_t>(0);
  for (int Byte : {0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b, 0xaf, 0x20,
                   0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8})
    File.push_back(char(Byte));
  constexpr uint32_t Headers = 56 + 40;
  File += std::string(16, '\0') + bytesOf<uint32_t>(1) +
          bytesOf<uint32_t>(Headers + Contents.size()) + bytesOf<uint32_t>(0);
  File += std::string("/4\0\0\0\0\0\0", 8) + bytesOf<uint64_t>(0) +
          bytesOf<uint32_t>(Contents.size()) + bytesOf<uint32_t>(At) +
          std::string(16, '\0');
  return File + Contents + bytesOf<uint32_t>(4 + 12) +
         std::string(".hip_fatbin\0", 12);
}

TEST(DeviceCode, FindsCodeInBigWindowsObjects) {
  std::string Code = bundle("abc");
  std::string Object = bigObject(Code, 56 + 40);
  EXPECT_EQ(cantFail(find(Object)).Kind, DeviceFileKind::Object);
  EXPECT_EQ(described(Object),
            Texts({"/.hip_fatbin: gfx1100=3 gfx90a:xnack+=6"}));
  EXPECT_TRUE(StringRef(refusal(bigObject(Code, 0x70000000)))
                  .contains("a section leads out of the file"));
}

// Headers are 64 bytes each: thousands of them for one section would have it
// read thousands of times.
TEST(DeviceCode, SectionsThatOverlapAreRefused) {
  ObjectMaker Maker;
  Maker.FatBin = bundle(std::string(100000, 'x'));
  std::string Bytes = Maker.make();
  // Let all sections be the largest one, under its name.
  uint64_t Table = 0, Largest = 0;
  memcpy(&Table, Bytes.data() + 40, 8);
  unsigned Count = uint8_t(Bytes[60]);
  SeenSection FatBin = lookUpSection(Bytes, ".hip_fatbin");
  for (unsigned I = 1; I != Count; ++I) {
    uint64_t Size;
    memcpy(&Size, Bytes.data() + Table + 64 * I + 32, 8);
    if (Size == FatBin.Contents.size())
      Largest = Table + 64 * I;
  }
  ASSERT_NE(Largest, 0u);
  std::string Header = Bytes.substr(Largest, 64), Many = Bytes;
  unsigned Names = uint8_t(Bytes[62]);
  for (unsigned I = 1; I != Count; ++I)
    if (I != Names)
      Many.replace(Table + 64 * I, 64, Header);
  EXPECT_TRUE(StringRef(refusal(Many))
                  .starts_with("f: sections with device code overlap;"));
}

TEST(DeviceCode, MutationsDoNoHarm) {
  for (const std::string &Good :
       {object(), staticLibrary({bundle("abc")}), makeCodeObject(0x41, "x")})
    forEachMutation(Good, 3000, [](StringRef Bad) {
      Expected<DeviceCode> Code = find(Bad);
      if (!Code)
        return consumeError(Code.takeError());
      for (const DevicePart &Part : Code->Parts) {
        EXPECT_LE(Part.Offset, Bad.size());
        EXPECT_LE(Part.Size, Bad.size() - Part.Offset);
        consumeError(forEachImage(
            *Code, Part, "f", [](StreamedImage) { return Error::success(); }));
      }
    });
}

} // namespace
