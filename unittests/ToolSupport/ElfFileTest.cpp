//===- ElfFileTest.cpp - tests of damaged ELF files -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/ElfFile.h"

#include "../Support/ElfNote.h"
#include "llvm/BinaryFormat/ELF.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace kpack;
using namespace llvm;

using Type = ElfFile::Type;

/// A file of segments: header, their table, and \p Contents.
static std::string makeElf(std::vector<Type::Phdr> Segments,
                           StringRef Contents) {
  Type::Ehdr Header = {};
  std::memcpy(Header.e_ident, ELF::ElfMagic, 4);
  Header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  Header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  Header.e_machine = ELF::EM_X86_64;
  Header.e_phoff = sizeof(Header);
  Header.e_phentsize = sizeof(Type::Phdr);
  Header.e_phnum = Segments.size();
  std::string File(reinterpret_cast<const char *>(&Header), sizeof(Header));
  File.append(reinterpret_cast<const char *>(Segments.data()),
              Segments.size() * sizeof(Type::Phdr));
  return File + Contents.str();
}

static Type::Phdr segment(uint32_t Kind, uint64_t Offset, uint64_t Size) {
  Type::Phdr Segment = {};
  Segment.p_type = Kind;
  Segment.p_offset = Offset;
  Segment.p_vaddr = Offset;
  Segment.p_filesz = Size;
  Segment.p_memsz = Size;
  return Segment;
}

static void addEntry(std::string &To, uint64_t Tag, uint64_t Value) {
  Type::Dyn Entry;
  Entry.d_tag = Tag;
  Entry.d_un.d_val = Value;
  To.append(reinterpret_cast<const char *>(&Entry), sizeof(Entry));
}

static constexpr uint64_t Start = sizeof(Type::Ehdr) + 2 * sizeof(Type::Phdr);

/// Two segments: all of the file, and the dynamic table, which needs two
/// libraries. Its header states \p Size.
static std::string makeLibrary(uint64_t Size) {
  std::string Table;
  constexpr uint64_t Strings = Start + 5 * sizeof(Type::Dyn);
  addEntry(Table, ELF::DT_NEEDED, 1);
  addEntry(Table, ELF::DT_NEEDED, 7);
  addEntry(Table, ELF::DT_RUNPATH, 12);
  addEntry(Table, ELF::DT_STRTAB, Strings);
  addEntry(Table, ELF::DT_NULL, 0);
  Table += StringRef("\0liba1\0lib2\0$ORIGIN\0", 20);
  return makeElf({segment(ELF::PT_LOAD, 0, Start + Table.size()),
                  segment(ELF::PT_DYNAMIC, Start, Size)},
                 Table);
}

TEST(ElfFile, ReadsNeededNames) {
  auto Names = readNeededNames(makeLibrary(5 * sizeof(Type::Dyn)));
  ASSERT_TRUE(Names);
  EXPECT_EQ(Names->Machine, ELF::EM_X86_64);
  EXPECT_EQ(Names->Needed, (std::vector<std::string>{"liba1", "lib2"}));
  EXPECT_EQ(Names->Runpath, "$ORIGIN");
  EXPECT_EQ(Names->Rpath, "");
}

TEST(ElfFile, RefusesADynamicTableBehindTheEnd) {
  for (uint64_t Size : {uint64_t(1) << 40, ~uint64_t(0), uint64_t(4096)}) {
    std::string Bytes = makeLibrary(Size);
    EXPECT_FALSE(readNeededNames(Bytes)) << Size;
    ElfFile File = cantFail(ElfFile::create(Bytes));
    EXPECT_TRUE(errorToBool(File.dynamicEntries().takeError())) << Size;
  }
}

TEST(ElfFile, LeavesOutNamesWithoutAnEnd) {
  std::string Bytes = makeLibrary(5 * sizeof(Type::Dyn));
  Bytes.pop_back(); // the zero of $ORIGIN; the segment is longer now
  auto Names = readNeededNames(Bytes);
  ASSERT_TRUE(Names);
  EXPECT_EQ(Names->Needed.size(), 2u);
  EXPECT_EQ(Names->Runpath, "");
}

TEST(ElfFile, DamagedDynamicTableIsExplained) {
  uint64_t Whole = 5 * sizeof(Type::Dyn);
  EXPECT_EQ(dynamicDamage(makeLibrary(Whole)), "");
  EXPECT_EQ(dynamicDamage(makeLibrary(0)), ""); // no table
  EXPECT_EQ(dynamicDamage(makeLibrary(Whole - sizeof(Type::Dyn))),
            "the dynamic table has no end");
  EXPECT_NE(dynamicDamage(makeLibrary(uint64_t(1) << 40)), "");
  std::string Cut = makeLibrary(Whole);
  Cut.pop_back(); // the zero of $ORIGIN
  EXPECT_EQ(dynamicDamage(Cut),
            "the dynamic table has a name that is not in the file");
  EXPECT_EQ(dynamicDamage("text"), "");
}

TEST(ElfFile, RefusesOtherFiles) {
  std::string Bytes = makeLibrary(0);
  for (size_t Size = 0; Size < sizeof(Type::Ehdr); ++Size)
    EXPECT_FALSE(ElfFile::startsOne(StringRef(Bytes).take_front(Size)));
  std::string Other = Bytes;
  Other[ELF::EI_CLASS] = ELF::ELFCLASS32;
  EXPECT_TRUE(errorToBool(ElfFile::create(Other).takeError()));
  EXPECT_FALSE(readNeededNames(Other));
}

TEST(ElfFile, FindsBytesOfSegments) {
  std::string Bytes = makeLibrary(0);
  ElfFile File = cantFail(ElfFile::create(Bytes));
  EXPECT_EQ(File.bytesFrom(Bytes.size() - 8), StringRef("$ORIGIN\0", 8));
  EXPECT_EQ(File.bytesFrom(Bytes.size()), "");
  EXPECT_EQ(File.bytesFrom(~uint64_t(0)), "");
}

/// One note of the name "AB" and the description "desc", whose header states
/// the size \p DescriptionSize.
static std::string makeNote(uint64_t Alignment, uint32_t DescriptionSize) {
  std::string Note = test::elfNote("AB", 32, "desc");
  std::memcpy(&Note[4], &DescriptionSize, sizeof(DescriptionSize));
  Type::Phdr Segment =
      segment(ELF::PT_NOTE, sizeof(Type::Ehdr) + sizeof(Type::Phdr), 20);
  Segment.p_align = Alignment;
  return makeElf({Segment}, Note);
}

// 0 and 1 mean the 4 that all notes of Linux have.
TEST(ElfFile, ReadsNotesOfAnyAlignment) {
  for (uint64_t Alignment : {0, 1, 4}) {
    std::string Bytes = makeNote(Alignment, 4);
    ElfFile File = cantFail(ElfFile::create(Bytes));
    auto Notes = cantFail(File.readNotes(cantFail(File.program_headers())[0]));
    ASSERT_EQ(Notes.size(), 1u);
    EXPECT_EQ(Notes[0].Name, "AB");
    EXPECT_EQ(Notes[0].Type, 32u);
    EXPECT_EQ(Notes[0].Description, "desc") << Alignment;
  }
}

TEST(ElfFile, RefusesNotesBehindTheEnd) {
  for (uint32_t Size : {5u, ~0u}) {
    std::string Bytes = makeNote(4, Size);
    ElfFile File = cantFail(ElfFile::create(Bytes));
    EXPECT_TRUE(errorToBool(
        File.readNotes(cantFail(File.program_headers())[0]).takeError()));
  }
}
