//===- DeviceDebugTest.cpp - tests of device code's DWARF -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Offload/DeviceDebug.h"

#include "TestSupport.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace llvm::object;
using namespace kpack::offload;
using namespace kpack::test;

namespace {

/// As the linker lays a code object out: segments first, the rest behind.
/// \p Behind are sections in YAML.
std::string codeObject(const std::string &Behind) {
  return elfFromYaml(R"(--- !ELF
FileHeader:
  Class: ELFCLASS64
  Data: ELFDATA2LSB
  OSABI: ELFOSABI_AMDGPU_HSA
  ABIVersion: 4
  Type: ET_DYN
  Machine: EM_AMDGPU
  Flags: [ EF_AMDGPU_MACH_AMDGCN_GFX1100 ]
ProgramHeaders:
  - { Type: PT_LOAD, Flags: [ PF_R ], VAddr: 0x1000, Align: 0x1000, Offset: 0x1000,
      FirstSec: .note, LastSec: .rodata }
  - { Type: PT_LOAD, Flags: [ PF_R, PF_X ], VAddr: 0x2000, Align: 0x1000,
      Offset: 0x2000, FirstSec: .text, LastSec: .text }
  - { Type: PT_NOTE, Flags: [ PF_R ], VAddr: 0x1000, Align: 4, Offset: 0x1000,
      FirstSec: .note, LastSec: .note }
Sections:
  - { Name: .note, Type: SHT_NOTE, Flags: [ SHF_ALLOC ], Address: 0x1000, Offset: 0x1000,
      Content: "0400000004000000200000005858585801020304" }
  - { Name: .rodata, Type: SHT_PROGBITS, Flags: [ SHF_ALLOC ], Content: "11223344" }
  - { Name: .text, Type: SHT_PROGBITS, Flags: [ SHF_ALLOC, SHF_EXECINSTR ],
      Address: 0x2000, Offset: 0x2000, Content: "0000B0BF0000B1BF" }
)" + Behind + R"(
Symbols:
  - { Name: kernel, Section: .text, Binding: STB_GLOBAL, Type: STT_FUNC, Size: 8 }
)");
}

constexpr char Dwarf[] = R"(
  - { Name: .debug_info, Type: SHT_PROGBITS, Size: 5000 }
  - { Name: .debug_line, Type: SHT_PROGBITS, Flags: [ SHF_COMPRESSED ], Size: 700 }
  - { Name: .rela.debug_info, Type: SHT_RELA, Info: .debug_info, Size: 48 }
  - { Name: .comment, Type: SHT_PROGBITS, Content: "6b7061636b00" }
)";

std::vector<std::string> sectionNames(StringRef Bytes) {
  std::vector<std::string> Names;
  ELFFile<ELF64LE> File = cantFail(ELFFile<ELF64LE>::create(Bytes));
  for (const ELF64LE::Shdr &Section : cantFail(File.sections()))
    Names.push_back(cantFail(File.getSectionName(Section)).str());
  return Names;
}

bool has(StringRef Bytes, StringRef Name) {
  return is_contained(sectionNames(Bytes), Name);
}

} // namespace

TEST(DeviceDebug, ModesAreParsed) {
  EXPECT_EQ(parseDeviceDebug("keep"), DeviceDebug::Keep);
  EXPECT_EQ(parseDeviceDebug("strip"), DeviceDebug::Strip);
  EXPECT_EQ(parseDeviceDebug("split"), DeviceDebug::Split);
  EXPECT_EQ(parseDeviceDebug("Strip"), std::nullopt);
  EXPECT_EQ(parseDeviceDebug(""), std::nullopt);
}

TEST(DeviceDebug, StrippingRemovesOnlyDebugInformation) {
  std::string Full = codeObject(Dwarf);
  EXPECT_EQ(deviceDebugSize(Full), 5748u);
  auto Bare = cantFail(withoutDeviceDebug(Full));
  ASSERT_TRUE(Bare);
  StringRef Bytes = Bare->getBuffer();
  EXPECT_LT(Bytes.size() + 5700, Full.size());
  EXPECT_EQ(deviceDebugSize(Bytes), 0u);
  for (StringRef Gone : {".debug_info", ".debug_line", ".rela.debug_info"}) {
    EXPECT_TRUE(has(Full, Gone));
    EXPECT_FALSE(has(Bytes, Gone)) << Gone.str();
  }
  for (StringRef Stays : {".note", ".rodata", ".text", ".comment", ".symtab"})
    EXPECT_TRUE(has(Bytes, Stays)) << Stays.str();
  // Everything up to the end of the last segment, but for the place of the
  // table of sections in the header.
  constexpr size_t Loaded = 0x2008;
  EXPECT_EQ(Bytes.substr(0, 40), StringRef(Full).substr(0, 40));
  EXPECT_EQ(Bytes.slice(48, 60), StringRef(Full).slice(48, 60));
  EXPECT_TRUE(Bytes.slice(64, Loaded) == StringRef(Full).slice(64, Loaded));
  // Once more: nothing to do.
  EXPECT_EQ(cantFail(withoutDeviceDebug(Bytes)), nullptr);
}

TEST(DeviceDebug, SplitFileStandsAlone) {
  std::string Full = codeObject(Dwarf);
  auto Debug = cantFail(onlyDeviceDebug(Full));
  ASSERT_TRUE(Debug);
  StringRef Bytes = Debug->getBuffer();
  EXPECT_EQ(deviceDebugSize(Bytes), 5748u);
  EXPECT_TRUE(has(Bytes, ".text"));
  ELFFile<ELF64LE> File = cantFail(ELFFile<ELF64LE>::create(Bytes));
  for (const ELF64LE::Shdr &Section : cantFail(File.sections()))
    if (cantFail(File.getSectionName(Section)) == ".text") {
      EXPECT_EQ(Section.sh_type, ELF::SHT_NOBITS);
      EXPECT_EQ(Section.sh_addr, 0x2000u);
    }
}

TEST(DeviceDebug, FilesWithoutDebugInformationAreUnchanged) {
  EXPECT_EQ(cantFail(withoutDeviceDebug(codeObject(""))), nullptr);
  EXPECT_EQ(cantFail(onlyDeviceDebug(codeObject(""))), nullptr);
  EXPECT_EQ(cantFail(withoutDeviceDebug("")), nullptr);
  EXPECT_EQ(cantFail(withoutDeviceDebug("\x7f"
                                        "ELF")),
            nullptr);
  EXPECT_EQ(cantFail(withoutDeviceDebug(std::string(1000, 'x'))), nullptr);
  // What is loaded is no debug information, whatever its name.
  std::string Loaded = codeObject("");
  size_t Name = Loaded.find(".rodata");
  ASSERT_NE(Name, std::string::npos);
  Loaded.replace(Name, 7, ".debug_");
  EXPECT_EQ(deviceDebugSize(Loaded), 0u);
}

TEST(DeviceDebug, UnloadedSymbolsAreFound) {
  std::string Full = codeObject(Dwarf);
  std::vector<StringRef> Parts = unloadedSymbols(Full);
  ASSERT_EQ(Parts.size(), 2u);
  EXPECT_EQ(Parts[0].size(), 2 * sizeof(ELF64LE::Sym));
  EXPECT_TRUE(Parts[1].contains("kernel"));
  EXPECT_TRUE(unloadedSymbols("").empty());
  EXPECT_TRUE(unloadedSymbols(std::string(1000, 'x')).empty());
}

TEST(DeviceDebug, UnalignedInputIsAccepted) {
  std::string Full = codeObject(Dwarf);
  auto Bare = cantFail(withoutDeviceDebug(Full));
  for (size_t Shift = 1; Shift != 8; ++Shift) {
    std::string Moved(Shift, 'x');
    Moved += Full;
    auto Same = cantFail(withoutDeviceDebug(StringRef(Moved).substr(Shift)));
    ASSERT_TRUE(Same);
    EXPECT_TRUE(Same->getBuffer() == Bare->getBuffer());
  }
}

// No input may crash it or make the output large.
TEST(DeviceDebug, DamagedInputDoesNoHarm) {
  std::string Full = codeObject(Dwarf);
  unsigned Refused = 0, Done = 0;
  auto Try = [&](StringRef Bytes) {
    for (StringRef Part : unloadedSymbols(Bytes))
      EXPECT_LE(Part.size(), Bytes.size());
    for (auto *Change : {withoutDeviceDebug, onlyDeviceDebug}) {
      Expected<std::unique_ptr<MemoryBuffer>> Result = Change(Bytes);
      if (!Result) {
        ++Refused;
        consumeError(Result.takeError());
      } else if (*Result) {
        ++Done;
        EXPECT_LT((*Result)->getBufferSize(), Bytes.size() + (5 << 20));
      }
    }
  };
  forEachTruncation(Full, Try);
  forEachMutation(Full, 20000, Try);
  EXPECT_GT(Refused, 100u);
  EXPECT_GT(Done, 100u);
}
