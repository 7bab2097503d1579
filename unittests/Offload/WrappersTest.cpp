//===- WrappersTest.cpp - tests of wrappers in linked binaries ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Offload/Wrappers.h"

#include "Offload/HipSymbols.h"
#include "TestSupport.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace kpack::offload;
using namespace kpack::test;

namespace {

std::string structs(uint64_t Pointer0, uint64_t Pointer1) {
  std::string Out;
  for (uint64_t Pointer : {Pointer0, Pointer1})
    Out += bytesOf<uint32_t>(WrapperMagicKpack) + bytesOf<uint32_t>(1) +
           bytesOf<uint64_t>(Pointer) + bytesOf<uint64_t>(Pointer0 + 5);
  return Out;
}

/// A linked file with two wrappers at 0x3000, a marker at 0x200, and
/// \p Sections.
std::string linked(const std::string &Structs, const std::string &Sections,
                   const std::string &Type = "ET_DYN",
                   const std::string &Machine = "EM_X86_64") {
  return elfFromYaml(
      "--- !ELF\nFileHeader:\n  Class: ELFCLASS64\n  Data: ELFDATA2LSB\n"
      "  Type: " +
      Type + "\n  Machine: " + Machine +
      "\nSections:\n"
      "  - Name: .rocm_kpack_ref\n    Type: SHT_PROGBITS\n"
      "    Flags: [SHF_ALLOC]\n    Address: 0x200\n    Content: '8101A132'\n" +
      Sections +
      "  - Name: .hipFatBinSegment\n    Type: SHT_PROGBITS\n"
      "    Flags: [SHF_ALLOC, SHF_WRITE]\n    Address: 0x3000\n"
      "    Content: '" +
      hex(Structs) +
      "'\n"
      "DynamicSymbols:\n  - { Name: x, Binding: STB_GLOBAL }\n");
}

const std::string Rela = "  - Name: .rela.dyn\n    Type: SHT_RELA\n"
                         "    Flags: [SHF_ALLOC]\n    Link: .dynsym\n"
                         "    Relocations:\n";

Expected<LinkedBinary> tryRead(StringRef File) {
  return readLinkedBinary(MemoryBufferRef(File, "a.out"), "a.out");
}

LinkedBinary read(StringRef File) {
  Expected<LinkedBinary> Binary = tryRead(File);
  if (Binary)
    return std::move(*Binary);
  ADD_FAILURE() << toString(Binary.takeError());
  return {};
}

std::string refusal(StringRef File) { return getMessage(tryRead(File)); }

void expectBoth(const LinkedBinary &Binary, uint64_t Pointer0,
                uint64_t Pointer1) {
  ASSERT_EQ(Binary.Wrappers.size(), 2u);
  EXPECT_EQ(Binary.Wrappers[0].Address, 0x3000u);
  EXPECT_EQ(Binary.Wrappers[1].Address, 0x3018u);
  EXPECT_EQ(Binary.Wrappers[1].FileOffset, Binary.Wrappers[0].FileOffset + 24);
  EXPECT_EQ(Binary.Wrappers[0].Magic, WrapperMagicKpack);
  EXPECT_EQ(Binary.Wrappers[0].Version, 1u);
  EXPECT_EQ(Binary.Wrappers[0].Pointer, Pointer0);
  EXPECT_EQ(Binary.Wrappers[1].Pointer, Pointer1);
}

// The reference took the pointer of a non-PIE executable for null.
TEST(Wrappers, D1_StaticValue) {
  std::string File = linked(structs(0x200, 0x204), "", "ET_EXEC");
  LinkedBinary Binary = read(File);
  expectBoth(Binary, 0x200, 0x204);
  EXPECT_EQ(Binary.MarkerAddress, 0x200u);
  EXPECT_EQ(Binary.MarkerBytes, "\x81\x01\xA1\x32");
  EXPECT_EQ(Binary.FatBinSize, 0u);
  EXPECT_EQ(Binary.Wrappers[0].Reserved1, 0x205u);
  EXPECT_EQ(StringRef(File).substr(Binary.Wrappers[0].FileOffset, 4), "HIPK");
}

// The reference read the ELF header of an image with RELR relocations.
TEST(Wrappers, D2_Relr) {
  expectBoth(read(linked(structs(0x200, 0x200),
                         "  - Name: .relr.dyn\n    Type: SHT_RELR\n"
                         "    Flags: [SHF_ALLOC]\n"
                         "    Entries: [ 0x3008, 0x9 ]\n")),
             0x200, 0x200);
}

TEST(Wrappers, RelativeRelocationIsRead) {
  std::string Entries =
      "      - { Offset: 0x3020, Type: R_X86_64_RELATIVE, Addend: 0x200 }\n"
      "      - { Offset: 0x3009, Type: R_X86_64_RELATIVE, Addend: 0x999 }\n"
      "      - { Offset: 0x0, Type: R_X86_64_RELATIVE, Addend: 0x999 }\n"
      "      - { Offset: 0x3008, Type: R_X86_64_RELATIVE, Addend: 0x204 }\n";
  expectBoth(read(linked(structs(0, 0), Rela + Entries)), 0x204, 0x200);
}

TEST(Wrappers, OtherMachinesAreRead) {
  std::string Entries =
      "      - { Offset: 0x3008, Type: R_AARCH64_RELATIVE, Addend: 0x200 }\n";
  expectBoth(
      read(linked(structs(0, 0), Rela + Entries, "ET_DYN", "EM_AARCH64")),
      0x200, 0);
}

TEST(Wrappers, SymbolicRelocationIsRead) {
  std::string Yaml =
      "--- !ELF\nFileHeader:\n  Class: ELFCLASS64\n  Data: ELFDATA2LSB\n"
      "  Type: ET_DYN\n  Machine: EM_X86_64\nSections:\n"
      "  - Name: .hip_fatbin\n    Type: SHT_PROGBITS\n"
      "    Flags: [SHF_ALLOC]\n    Address: 0x1000\n    Size: 0x40\n" +
      Rela +
      "      - { Offset: 0x3008, Symbol: here, Type: R_X86_64_64, Addend: 4 }\n"
      "      - { Offset: 0x3020, Symbol: away, Type: R_X86_64_64 }\n"
      "  - Name: .hipFatBinSegment\n    Type: SHT_PROGBITS\n"
      "    Flags: [SHF_ALLOC, SHF_WRITE]\n    Address: 0x3000\n"
      "    Content: '" +
      hex(structs(0, 0)) +
      "'\n"
      "DynamicSymbols:\n"
      "  - { Name: here, Section: .hip_fatbin, Binding: STB_GLOBAL, "
      "Value: 0x1000 }\n"
      "  - { Name: away, Binding: STB_GLOBAL }\n";
  LinkedBinary Binary = read(elfFromYaml(Yaml));
  expectBoth(Binary, 0x1004, 0);
  EXPECT_EQ(Binary.FatBinSize, 0x40u);
}

TEST(Wrappers, FileWithoutHipHasNoWrappers) {
  LinkedBinary Binary = read(elfFromYaml(
      "--- !ELF\nFileHeader:\n  Class: ELFCLASS64\n  Data: ELFDATA2LSB\n"
      "  Type: ET_DYN\n  Machine: EM_X86_64\n"));
  EXPECT_TRUE(Binary.Wrappers.empty());
  EXPECT_TRUE(Binary.MarkerBytes.empty());
}

TEST(Wrappers, DamagedFilesAreRefused) {
  EXPECT_EQ(refusal("rubbish"),
            "a.out: not a 64-bit little-endian ELF file; give a linked HIP "
            "binary");
  EXPECT_EQ(refusal(linked(structs(0, 0), "", "ET_REL")),
            "a.out: not an executable or shared object; link it first");
  EXPECT_EQ(refusal(linked("12345", "")),
            "a.out: .hipFatBinSegment: size 5 is not a multiple of 8; link it "
            "again with ld.kpack");
  EXPECT_EQ(
      refusal(elfFromYaml(
          "--- !ELF\nFileHeader:\n  Class: ELFCLASS64\n  Data: ELFDATA2LSB\n"
          "  Type: ET_DYN\n  Machine: EM_X86_64\nProgramHeaders:\n"
          "  - Type: PT_LOAD\n"
          "Sections:\n  - Type: SectionHeaderTable\n    NoHeaders: true\n")),
      "a.out: has no section headers; link it without -z nosectionheader");
  EXPECT_EQ(refusal(elfFromYaml(
                "--- !ELF\nFileHeader:\n  Class: ELFCLASS64\n"
                "  Data: ELFDATA2LSB\n  Type: ET_DYN\n  Machine: EM_X86_64\n"
                "Sections:\n  - Name: .hipFatBinSegment\n"
                "    Type: SHT_NOBITS\n    Size: 24\n")),
            "a.out: section .hipFatBinSegment has no contents; give the file "
            "itself, not its debug file");
  EXPECT_EQ(refusal(elfFromYaml(
                "--- !ELF\nFileHeader:\n  Class: ELFCLASS64\n"
                "  Data: ELFDATA2LSB\n  Type: ET_DYN\n  Machine: EM_X86_64\n"
                "Sections:\n"
                "  - Name: .rocm_kpack_ref\n    Type: SHT_PROGBITS\n"
                "    Address: 0x100\n    Content: '80'\n"
                "  - Name: '.rocm_kpack_ref (1)'\n    Type: SHT_PROGBITS\n"
                "    Address: 0x200\n    Content: '80'\n")),
            "a.out: more than one section .rocm_kpack_ref; link it again with "
            "ld.kpack");
}

TEST(Wrappers, HostileInputDoesNoHarm) {
  std::string Good =
      linked(structs(0, 0), Rela + "      - { Offset: 0x3020, Type: "
                                   "R_X86_64_RELATIVE, Addend: 0x200 }\n");
  forEachTruncation(
      Good, [](StringRef Cut) { EXPECT_NE(refusal(Cut), "") << Cut.size(); });
  forEachMutation(Good, 20000, [](StringRef Bad) {
    Expected<LinkedBinary> Binary = tryRead(Bad);
    if (!Binary) {
      consumeError(Binary.takeError());
      return;
    }
    for (const Wrapper &W : Binary->Wrappers) {
      EXPECT_LE(W.FileOffset + 24, Bad.size());
    }
  });
}

} // namespace
