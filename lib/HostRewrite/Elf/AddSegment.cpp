//===- AddSegment.cpp - device code added to an ELF file ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that is not loaded (symbols, debug information, section headers,
// appended bytes) moves after the new segment as one piece, by whole pages. The
// number of section headers does not change. They stay ordered by address,
// which patchelf relies on, so section indices change.
//
//===----------------------------------------------------------------------===//
#include "AddSegment.h"

#include "FilePatch.h"
#include "Offload/HipSymbols.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

static constexpr uint64_t MinPageSize = 4096;
/// Moved parts keep their address modulo this.
static constexpr uint64_t MovedAlignment = 64;

static Range namesOf(const ElfView &View) {
  return fileRange(View.Sections[View.nameTable()]);
}

/// Finds the ends of all bytes in the file and of all segments in memory.
static Error findEnds(const ElfView &View, AddedSegment &Plan) {
  constexpr uint64_t Most = uint64_t(1) << 46;
  uint64_t Align = MinPageSize, End = 0;
  for (const Elf::Phdr &Segment : View.Segments) {
    if (Segment.p_filesz != 0)
      Plan.LoadsEnd = std::max(Plan.LoadsEnd, fileRange(Segment).End);
    if (Segment.p_type != ELF::PT_LOAD)
      continue;
    if (Segment.p_align > Most ||
        (Segment.p_align > 1 && !isPowerOf2_64(Segment.p_align)))
      return View.error("a segment's alignment is no power of two; it is "
                        "damaged, get it again");
    Align = std::max<uint64_t>(Align, Segment.p_align);
    End = std::max<uint64_t>(End, Segment.p_vaddr + Segment.p_memsz);
  }
  for (const Elf::Shdr &Section : View.Sections)
    if (Section.sh_flags & ELF::SHF_ALLOC)
      Plan.LoadsEnd = std::max(Plan.LoadsEnd, fileRange(Section).End);
  if (End > (uint64_t(1) << 62))
    return View.error("a segment ends where no program can be; it is damaged, "
                      "get it again");
  Plan.PageSize = View.Header.e_machine == ELF::EM_X86_64 ? 0x1000 : 0x10000;
  Plan.Address = alignTo(End, std::max(Align, Plan.PageSize));
  Plan.Offset = alignTo(Plan.LoadsEnd, Plan.PageSize);
  return Error::success();
}

static Error placeMoved(const ElfView &View, AddedSegment &Plan) {
  Range Moved = Plan.Slot.Moved;
  if (Moved.empty())
    return Error::success();
  for (const Elf::Phdr &Segment : View.Segments) {
    if (Segment.p_type != ELF::PT_LOAD ||
        Moved.Begin < fileRange(Segment).Begin ||
        Moved.End > fileRange(Segment).End)
      continue;
    uint64_t Was = Segment.p_vaddr + (Moved.Begin - Segment.p_offset);
    uint64_t Is = Plan.Address + Was % MovedAlignment;
    Plan.MovedAddresses = {Was, Was + Moved.size()};
    Plan.MovedDelta = Is - Was;
    Plan.DataDelta = alignTo(Is + Moved.size() - Plan.Address, MinPageSize);
    return Error::success();
  }
  return View.error("what stands behind its program headers is not loaded; "
                    "it is damaged, get it again");
}

/// Finds ".hip_fatbin" in the table of names (convert leaves it there), or the
/// place of the marker's name if no other section shares it.
static Error findName(const ElfView &View, AddedSegment &Plan) {
  std::string Name = offload::FatBinSectionName.str();
  Range In = namesOf(View);
  StringRef Names = View.Bytes.slice(In.Begin, In.End);
  size_t Offset = Names.find('\0' + Name + '\0');
  if (Offset != StringRef::npos) {
    Plan.SectionName = Offset + 1;
    return Error::success();
  }
  Range Own = {View.Sections[*Plan.Section].sh_name, 0};
  Own.End = Own.Begin + MarkerSectionName.size() + 1;
  for (size_t I = 0; I != View.Sections.size(); ++I)
    if (I != *Plan.Section && Own.contains(View.Sections[I].sh_name))
      return View.error("its table of section names has no room for "
                        ".hip_fatbin; link it with another linker");
  // A longer string that ends with the name would begin before it.
  if (Own.Begin == 0 || Own.End > Names.size() || Names[Own.Begin - 1] != 0)
    return View.error("its table of section names has no room for "
                      ".hip_fatbin; link it with another linker");
  Plan.SectionName = Own.Begin;
  Plan.WritesName = true;
  return Error::success();
}

Expected<AddedSegment> planSegment(const ElfView &View,
                                   const PointerFacts &Pointers) {
  AddedSegment Plan;
  if (Error E = findHeaderSlot(View, Pointers).moveInto(Plan.Slot))
    return std::move(E);
  if (Error E = findEnds(View, Plan))
    return std::move(E);
  if (Error E = placeMoved(View, Plan))
    return std::move(E);
  if (View.Sections.empty()) {
    // Without section headers, padding could not be told from contents.
    if (!Plan.Slot.Moved.empty())
      return View.error("no section headers, and no room for one more program "
                        "header; give a file that has its section headers");
    return std::move(Plan);
  }
  Plan.Section = View.findSection(StringRef(MarkerSectionName));
  if (!Plan.Section || View.Sections.size() >= ELF::SHN_LORESERVE)
    return View.error("no section .rocm_kpack_ref among less than 65280 "
                      "others; give a file that kpack has written");
  if (Error E = findName(View, Plan))
    return std::move(E);
  return std::move(Plan);
}

namespace {
class SegmentWriter {
public:
  SegmentWriter(const ElfView &View, const PointerFacts &Pointers,
                const AddedSegment &Plan, ArrayRef<uint64_t> Places,
                uint64_t CodeSize, raw_pwrite_stream &OS)
      : View(View), Pointers(Pointers), Plan(Plan), Places(Places),
        CodeSize(CodeSize),
        Shift(
            alignTo(Plan.dataOffset() + CodeSize - Plan.LoadsEnd, MinPageSize)),
        OS(OS), Patch(OS) {}
  Error run(function_ref<Error(raw_ostream &)> WriteCode);

private:
  void orderSections();
  void patchSegments();
  void patchSections();
  void patchDynamic();
  void patchWrapper(const WrapperSite &Site, uint64_t Pointer);
  bool changeSymbol(Elf::Sym &Symbol) const;
  bool isMoved(const Elf::Shdr &Section) const {
    return fileRange(Section).size() != 0 &&
           Plan.Slot.Moved.contains(Section.sh_offset);
  }
  uint64_t movedTo() const {
    return Plan.Offset +
           (Plan.MovedAddresses.Begin + Plan.MovedDelta - Plan.Address);
  }
  uint64_t newOffset(uint64_t Offset) const {
    if (Plan.Slot.Moved.contains(Offset))
      return movedTo() + (Offset - Plan.Slot.Moved.Begin);
    return Offset < Plan.LoadsEnd ? Offset : Offset + Shift;
  }

  const ElfView &View;
  const PointerFacts &Pointers;
  const AddedSegment &Plan;
  const ArrayRef<uint64_t> Places;
  const uint64_t CodeSize;
  const uint64_t Shift; // of the parts that are not loaded
  raw_pwrite_stream &OS;
  FilePatch Patch;
  std::vector<size_t> Order;    // old indices in the new order
  std::vector<size_t> NewIndex; // by old index
};
} // namespace

/// Sections of the new segment go after the last loaded section.
void SegmentWriter::orderSections() {
  std::vector<size_t> Added;
  size_t Last = 0;
  for (const auto &[I, Section] : enumerate(View.Sections))
    if (isMoved(Section))
      Added.push_back(I);
    else if ((Section.sh_flags & ELF::SHF_ALLOC) && I != *Plan.Section)
      Last = I;
  Added.push_back(*Plan.Section);
  for (const auto &[I, Section] : enumerate(View.Sections)) {
    if (!isMoved(Section) && I != *Plan.Section)
      Order.push_back(I);
    if (I == Last)
      append_range(Order, Added);
  }
  NewIndex.resize(Order.size());
  for (const auto &[I, Old] : enumerate(Order))
    NewIndex[Old] = I;
}

void SegmentWriter::patchSegments() {
  Elf::Phdr New = {};
  New.p_type = ELF::PT_LOAD;
  New.p_flags = ELF::PF_R;
  New.p_offset = Plan.Offset;
  New.p_vaddr = Plan.Address;
  New.p_paddr = Plan.Address;
  New.p_filesz = Plan.DataDelta + CodeSize;
  New.p_memsz = New.p_filesz;
  New.p_align = Plan.PageSize;
  std::vector<Elf::Phdr> Table;
  size_t BehindLoads = 0;
  for (size_t I = 0; I != View.Segments.size(); ++I) {
    if (Plan.Slot.Unused == I)
      continue;
    Elf::Phdr Segment = View.Segments[I];
    if (Segment.p_type == ELF::PT_PHDR && !Plan.Slot.Unused) {
      Segment.p_filesz = (View.Segments.size() + 1) * sizeof(Elf::Phdr);
      Segment.p_memsz = Segment.p_filesz;
    } else if (Segment.p_type != ELF::PT_LOAD && Segment.p_filesz != 0 &&
               Plan.Slot.Moved.contains(Segment.p_offset)) {
      Segment.p_offset = newOffset(Segment.p_offset);
      Segment.p_vaddr = Segment.p_vaddr + Plan.MovedDelta;
      Segment.p_paddr = Segment.p_paddr + Plan.MovedDelta;
    }
    Table.push_back(Segment);
    if (Segment.p_type == ELF::PT_LOAD)
      BehindLoads = Table.size();
  }
  Table.insert(Table.begin() + BehindLoads, New);
  Patch.write(View.Header.e_phoff, Table.data(),
              Table.size() * sizeof(Elf::Phdr));
  Elf::Ehdr Header = View.Header;
  Header.e_phnum = Table.size();
  if (Header.e_shoff != 0)
    Header.e_shoff = newOffset(Header.e_shoff);
  if (Header.e_shstrndx < NewIndex.size())
    Header.e_shstrndx = NewIndex[Header.e_shstrndx];
  Patch.write(0, &Header, sizeof(Header));
}

void SegmentWriter::patchSections() {
  std::vector<Elf::Shdr> Table;
  for (size_t I : Order) {
    Elf::Shdr Section = View.Sections[I];
    renumber(Section, NewIndex);
    if (I == *Plan.Section) {
      Section.sh_name = Plan.SectionName;
      Section.sh_addr = Plan.dataAddress();
      Section.sh_offset = Plan.dataOffset();
      Section.sh_size = CodeSize;
      Section.sh_addralign = MinPageSize;
    } else if (isMoved(Section)) {
      Section.sh_addr = Section.sh_addr + Plan.MovedDelta;
      Section.sh_offset = newOffset(Section.sh_offset);
    } else if (!(Section.sh_flags & ELF::SHF_ALLOC)) {
      Section.sh_offset = newOffset(Section.sh_offset);
    }
    Table.push_back(Section);
  }
  Patch.write(newOffset(View.Header.e_shoff), Table.data(),
              Table.size() * sizeof(Elf::Shdr));
  if (Plan.WritesName)
    Patch.write(newOffset(namesOf(View).Begin) + Plan.SectionName,
                offload::FatBinSectionName.data(),
                offload::FatBinSectionName.size() + 1);
}

void SegmentWriter::patchDynamic() {
  for (const DynamicEntry &Entry : View.Dynamic)
    if (pointsToMovable(Entry.Tag) && Plan.MovedAddresses.contains(Entry.Value))
      Patch.write64(Entry.FileOffset + sizeof(uint64_t),
                    Entry.Value + Plan.MovedDelta);
}

void SegmentWriter::patchWrapper(const WrapperSite &Site, uint64_t Pointer) {
  char Bytes[offload::WrapperSize];
  write32le(Bytes, offload::WrapperMagicFat);
  write32le(Bytes + 4, offload::WrapperVersion);
  // With a RELA entry the bytes in place are ignored; zeros stay zeros.
  bool IsInPlace = !Site.RelaOffset || Site.InPlace != 0;
  write64le(Bytes + offload::WrapperPointerOffset, IsInPlace ? Pointer : 0);
  write64le(Bytes + offload::WrapperReservedOffset, 0);
  Patch.write(Site.FileOffset, Bytes, sizeof(Bytes));
  if (!Site.RelaOffset)
    return;
  Elf::Rela R = *reinterpret_cast<const Elf::Rela *>(View.Bytes.data() +
                                                     *Site.RelaOffset);
  R.r_addend = static_cast<int64_t>(Pointer);
  if (Site.HasSymbol)
    R.setSymbolAndType(0, View.RelativeType, /*isMips64EL=*/false);
  Patch.write(*Site.RelaOffset, &R, sizeof(R));
}

/// Symbols of the marker become symbols of the device code.
bool SegmentWriter::changeSymbol(Elf::Sym &Symbol) const {
  size_t Index = Symbol.st_shndx;
  if (Index == ELF::SHN_UNDEF || Index >= NewIndex.size())
    return false;
  if (Index == *Plan.Section) {
    Symbol.st_value = Plan.dataAddress();
    if (Symbol.st_size != 0)
      Symbol.st_size = CodeSize;
  } else if (isAddress(Symbol, View.Sections[Index]) &&
             Plan.MovedAddresses.contains(Symbol.st_value)) {
    Symbol.st_value = Symbol.st_value + Plan.MovedDelta;
  }
  Symbol.st_shndx = NewIndex[Index];
  return true;
}

Error SegmentWriter::run(function_ref<Error(raw_ostream &)> WriteCode) {
  OS << View.Bytes.take_front(Plan.LoadsEnd);
  if (!Plan.Slot.Moved.empty()) {
    OS.write_zeros(movedTo() - OS.tell());
    OS << View.Bytes.slice(Plan.Slot.Moved.Begin, Plan.Slot.Moved.End);
  }
  OS.write_zeros(Plan.dataOffset() - OS.tell());
  if (Error E = WriteCode(OS))
    return E;
  OS.write_zeros(Plan.LoadsEnd + Shift - OS.tell());
  OS << View.Bytes.drop_front(Plan.LoadsEnd);
  if (Plan.Section)
    orderSections();
  patchSegments();
  if (Plan.Section) {
    patchSections();
    patchSymbols(
        View, [&](Elf::Sym &Symbol) { return changeSymbol(Symbol); },
        [&](size_t I) { return newOffset(View.Sections[I].sh_offset); }, Patch);
  }
  patchDynamic();
  for (const auto &[Site, Place] : zip_equal(Pointers.Wrappers, Places))
    patchWrapper(Site, Plan.dataAddress() + Place);
  return Patch.isDamaged()
             ? View.error("a table stands outside of the file; it is "
                          "damaged, get it again")
             : Error::success();
}

Error writeWithSegment(const ElfView &View, const PointerFacts &Pointers,
                       const AddedSegment &Plan, ArrayRef<uint64_t> Places,
                       uint64_t CodeSize,
                       function_ref<Error(raw_ostream &)> WriteCode,
                       raw_pwrite_stream &OS) {
  return SegmentWriter(View, Pointers, Plan, Places, CodeSize, OS)
      .run(WriteCode);
}

} // namespace kpack::hostrewrite
