//===- CodeObjectTest.cpp - tests of ELF headers against targets ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tool/ArchiveEntries.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "gtest/gtest.h"

using namespace kpack::tool;
using namespace llvm;

/// An AMDGPU ELF header without sections.
static std::string codeObject(unsigned Flags,
                              unsigned Machine = ELF::EM_AMDGPU) {
  object::ELF64LE::Ehdr Header;
  memset(&Header, 0, sizeof(Header));
  memcpy(Header.e_ident, ELF::ElfMagic, 4);
  Header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  Header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  Header.e_ident[ELF::EI_ABIVERSION] = ELF::ELFABIVERSION_AMDGPU_HSA_V5;
  Header.e_machine = Machine;
  Header.e_ehsize = sizeof(Header);
  Header.e_phentsize = sizeof(object::ELF64LE::Phdr);
  Header.e_shentsize = sizeof(object::ELF64LE::Shdr);
  Header.e_flags = Flags;
  return std::string(reinterpret_cast<const char *>(&Header), sizeof(Header));
}

static std::string onlyProblem(StringRef Bytes, StringRef Target) {
  std::vector<std::string> Problems = checkCodeObject(Bytes, Target);
  EXPECT_EQ(Problems.size(), 1u);
  return Problems.empty() ? "" : Problems.front();
}

TEST(CodeObject, AcceptsItsOwnTarget) {
  unsigned Mach = ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A;
  EXPECT_TRUE(checkCodeObject(codeObject(Mach), "gfx90a").empty());
  unsigned Any = Mach | ELF::EF_AMDGPU_FEATURE_XNACK_ANY_V4 |
                 ELF::EF_AMDGPU_FEATURE_SRAMECC_ANY_V4;
  EXPECT_TRUE(checkCodeObject(codeObject(Any), "gfx90a").empty());
  unsigned Both = Mach | ELF::EF_AMDGPU_FEATURE_XNACK_OFF_V4 |
                  ELF::EF_AMDGPU_FEATURE_SRAMECC_ON_V4;
  EXPECT_TRUE(
      checkCodeObject(codeObject(Both), "gfx90a:sramecc+:xnack-").empty());
}

TEST(CodeObject, RefusesAnotherTarget) {
  unsigned Mach = ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A;
  unsigned On = Mach | ELF::EF_AMDGPU_FEATURE_XNACK_ON_V4;
  EXPECT_EQ(onlyProblem(codeObject(Mach), "gfx908"),
            "the code object is for gfx90a; build the archive again");
  EXPECT_EQ(onlyProblem(codeObject(On), "gfx90a"),
            "the code object is for gfx90a:xnack+; build the archive again");
  EXPECT_EQ(onlyProblem(codeObject(On), "gfx90a:xnack-"),
            "the code object is for gfx90a:xnack+; build the archive again");
  EXPECT_EQ(onlyProblem(codeObject(Mach), "gfx90a:xnack+"),
            "the code object is for gfx90a; build the archive again");
}

TEST(CodeObject, UnknownProcessorIsAccepted) {
  EXPECT_TRUE(checkCodeObject(codeObject(0xff), "gfx9999").empty());
}

TEST(CodeObject, RefusesOtherFiles) {
  EXPECT_EQ(onlyProblem("", "gfx90a"),
            "not a 64-bit little-endian ELF file; build the archive again");
  std::string Good = codeObject(ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A);
  for (size_t Size : {3, 5, 15, 63})
    EXPECT_FALSE(checkCodeObject(Good.substr(0, Size), "gfx90a").empty());
  EXPECT_EQ(onlyProblem(codeObject(0, ELF::EM_X86_64), "gfx90a"),
            "ELF machine 62 is not EM_AMDGPU; build the archive again");
}

TEST(CodeObject, RefusesTablesBeyondTheEnd) {
  std::string Bytes = codeObject(ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A);
  auto *Header = reinterpret_cast<object::ELF64LE::Ehdr *>(Bytes.data());
  Header->e_shoff = 1u << 20;
  Header->e_shnum = 3;
  EXPECT_FALSE(checkCodeObject(Bytes, "gfx90a").empty());
  Header->e_shoff = 0;
  Header->e_shnum = 0;
  Header->e_phoff = ~uint64_t(0) - 8;
  Header->e_phnum = 1;
  EXPECT_FALSE(checkCodeObject(Bytes, "gfx90a").empty());
}

TEST(CodeObject, RefusesSegmentsBeyondTheEnd) {
  std::string Bytes = codeObject(ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A);
  Bytes.resize(Bytes.size() + sizeof(object::ELF64LE::Phdr));
  auto *Header = reinterpret_cast<object::ELF64LE::Ehdr *>(Bytes.data());
  Header->e_phoff = sizeof(*Header);
  Header->e_phnum = 1;
  EXPECT_TRUE(checkCodeObject(Bytes, "gfx90a").empty());
  auto *Segment = reinterpret_cast<object::ELF64LE::Phdr *>(Header + 1);
  Segment->p_type = ELF::PT_LOAD;
  Segment->p_offset = ~uint64_t(0);
  Segment->p_filesz = 2;
  EXPECT_EQ(checkCodeObject(Bytes, "gfx90a").size(), 1u);
}

TEST(BinaryKey, SplitsNameAndIndex) {
  StringRef Name;
  uint64_t Index = 99;
  EXPECT_TRUE(splitBinaryKey("lib/a#b#12", Name, Index));
  EXPECT_EQ(Name, "lib/a#b");
  EXPECT_EQ(Index, 12u);
  EXPECT_TRUE(splitBinaryKey("a#0", Name, Index));
  EXPECT_EQ(Index, 0u);
}

TEST(BinaryKey, RefusesMalformedKeys) {
  StringRef Name;
  uint64_t Index;
  for (StringRef Key : {"", "a", "a#", "#0", "a#01", "a#-1", "a#1x", "a#+1",
                        "a#99999999999999999999999"})
    EXPECT_FALSE(splitBinaryKey(Key, Name, Index)) << Key.str();
}
