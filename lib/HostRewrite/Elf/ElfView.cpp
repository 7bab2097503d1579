//===- ElfView.cpp - the tables of a linked ELF file ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks all ranges, so that users of the tables can add offset and size
// without overflow: a segment or a section outside of the file is an error. The
// file's size bounds the number of table entries, as each has bytes in it.
//
//===----------------------------------------------------------------------===//
#include "ElfView.h"

#include "ToolSupport/ElfFile.h"
#include "ToolSupport/Errors.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;
using namespace llvm::object;

namespace kpack::hostrewrite {

Error ElfView::error(const Twine &Message) const {
  return objectError(Name, Message);
}

static bool isInside(uint64_t Offset, uint64_t Size, uint64_t Total) {
  return Offset <= Total && Size <= Total - Offset;
}

Expected<ElfView> ElfView::read(StringRef Bytes, StringRef Name) {
  ElfView View;
  View.Bytes = Bytes;
  View.Name = Name.str();
  Expected<ElfFile> File = ElfFile::create(Bytes);
  if (!File)
    return objectError(Name, File.takeError());
  View.Header = File->getHeader();
  View.RelativeType = File->getRelativeRelocationType();
  Expected<Elf::PhdrRange> Segments = File->program_headers();
  if (!Segments)
    return objectError(Name, Segments.takeError());
  // More than linkers generate. Each address lookup visits all segments.
  constexpr size_t MaxSegments = 128;
  if (Segments->size() > MaxSegments)
    return View.error(Twine(Segments->size()) +
                      " program headers; it is damaged, get it again");
  View.Segments.assign(Segments->begin(), Segments->end());
  Expected<Elf::ShdrRange> Sections = File->sections();
  if (!Sections)
    return objectError(Name, Sections.takeError());
  View.Sections.assign(Sections->begin(), Sections->end());

  for (const Elf::Phdr &Segment : View.Segments)
    if (!isInside(Segment.p_offset, Segment.p_filesz, Bytes.size()) ||
        Segment.p_vaddr + Segment.p_memsz < Segment.p_vaddr ||
        (Segment.p_type == ELF::PT_LOAD && Segment.p_filesz > Segment.p_memsz))
      return View.error("a program header leads out of the file; it is cut "
                        "off or damaged, get it again");
  for (const Elf::Shdr &Section : View.Sections)
    if (!isInside(Section.sh_offset, fileRange(Section).size(), Bytes.size()) &&
        fileRange(Section).size() != 0)
      return View.error("a section header leads out of the file; it is cut "
                        "off or damaged, get it again");
  if (Error E = View.readSectionNames())
    return std::move(E);
  if (Error E = View.readDynamic())
    return std::move(E);
  return std::move(View);
}

size_t ElfView::nameTable() const {
  uint32_t Index = Header.e_shstrndx;
  return Index == ELF::SHN_XINDEX ? Sections.front().sh_link : Index;
}

Error ElfView::readSectionNames() {
  if (Sections.empty())
    return Error::success();
  // A number that does not fit is in the first section header.
  size_t Index = nameTable();
  if (Index == 0 || Index >= Sections.size())
    return error("no table of section names; it is damaged, get it again");
  Range In = fileRange(Sections[Index]);
  SectionNames = Bytes.slice(In.Begin, In.End);
  if (!SectionNames.ends_with(StringRef("\0", 1)))
    return error("the table of section names does not end; it is damaged, "
                 "get it again");
  return Error::success();
}

Error ElfView::readDynamic() {
  const Elf::Phdr *Found = nullptr;
  for (const Elf::Phdr &Segment : Segments)
    if (Segment.p_type == ELF::PT_DYNAMIC && Segment.p_filesz != 0) {
      if (Found)
        return error("two dynamic tables; it is damaged, get it again");
      Found = &Segment;
    }
  if (!Found)
    return Error::success();
  uint64_t Offset = Found->p_offset;
  for (uint64_t N = Found->p_filesz / sizeof(Elf::Dyn); N != 0; --N) {
    const auto *Entry =
        reinterpret_cast<const Elf::Dyn *>(Bytes.data() + Offset);
    if (Entry->d_tag == ELF::DT_NULL)
      break;
    Dynamic.push_back({Entry->d_tag, Entry->d_un.d_val, Offset});
    Offset += sizeof(Elf::Dyn);
  }
  return Error::success();
}

StringRef ElfView::sectionName(const Elf::Shdr &Section) const {
  StringRef Name = SectionNames.drop_front(
      std::min<size_t>(Section.sh_name, SectionNames.size()));
  return Name.take_front(Name.find('\0'));
}

std::optional<size_t> ElfView::findSection(StringRef Wanted) const {
  for (size_t I = 0; I != Sections.size(); ++I)
    if (sectionName(Sections[I]) == Wanted)
      return I;
  return std::nullopt;
}

std::optional<uint64_t> ElfView::dynamicValue(int64_t Tag) const {
  for (const DynamicEntry &Entry : Dynamic)
    if (Entry.Tag == Tag)
      return Entry.Value;
  return std::nullopt;
}

std::optional<uint64_t> ElfView::offsetOf(uint64_t Address,
                                          uint64_t Size) const {
  for (const Elf::Phdr &Segment : Segments) {
    if (Segment.p_type != ELF::PT_LOAD || Address < Segment.p_vaddr)
      continue;
    uint64_t Delta = Address - Segment.p_vaddr;
    if (isInside(Delta, Size, Segment.p_filesz))
      return Segment.p_offset + Delta;
  }
  return std::nullopt;
}

} // namespace kpack::hostrewrite
