//===- Rewrite.cpp - write a file without its device code -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// .hip_fatbin becomes .rocm_kpack_ref: one section header as before, and
// symbols that named device code name the marker. Section headers stay in the
// order of addresses, which patchelf relies on, so those of what was moved come
// behind the marker's and the numbers of sections change. The table of section
// names gets the new name at its end. Sections behind everything that is loaded
// (symbols, debug information, names, the section headers) are put one behind
// the other again, so no old copy of a table stays; first into the rest of the
// last page that could not be dropped, as far as they fit. What somebody has
// appended to the file behind them is appended again.
//
//===----------------------------------------------------------------------===//
#include "Rewrite.h"

#include "HeaderSlot.h"
#include "MovedTables.h"
#include "kpack/Archive/Marker.h"
#include "kpack/Offload/HipSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

static constexpr uint64_t MarkerAlignment = 8;

namespace {
class ElfRewriter {
public:
  ElfRewriter(const ElfView &View, const PointerFacts &Pointers,
              const ElfLayout &Layout, ArrayRef<MovedField> Fields,
              StringRef Marker, raw_pwrite_stream &OS)
      : View(View), Pointers(Pointers), Layout(Layout), Fields(Fields),
        Marker(Marker), OS(OS), Sections(View.Sections) {}
  Error run();

private:
  void orderSections();
  void findLoadsEnd();
  void writeLoaded();
  Error writeSections();
  void writeSection(size_t I);
  void nameMarker();
  void writeSectionHeaders();
  void writeOverlay();
  size_t nameTable() const;
  void patchHeaders();
  void patchDynamic();
  void patchWrappers();
  void patchRelocation(const WrapperSite &Site);
  void patchFields();
  void patchRelocations();
  bool changeRelocation(Elf::Rela &R, const Elf::Shdr &Table) const;
  void patchSymbols();
  template <typename EntryType>
  void patchTables(ArrayRef<uint32_t> Types,
                   function_ref<bool(EntryType &, const Elf::Shdr &)> Change);
  bool changeSymbol(Elf::Sym &Symbol) const;

  /// Zeros up to the offset \p To.
  void padTo(uint64_t To) { OS.write_zeros(To - OS.tell()); }
  uint64_t writeSomewhere(StringRef Bytes, uint64_t Alignment);
  void copy(Range From) { OS << View.Bytes.slice(From.Begin, From.End); }
  /// What is not in the new file cannot be changed in it: then a table of a
  /// damaged file stood where something was dropped.
  void patch(uint64_t Offset, const void *Bytes, size_t Size) {
    IsDamaged |= Offset > OS.tell() || Size > OS.tell() - Offset;
    if (!IsDamaged)
      OS.pwrite(static_cast<const char *>(Bytes), Size, Offset);
  }
  void patch64(uint64_t Offset, uint64_t Value) {
    char Bytes[sizeof(uint64_t)];
    write64le(Bytes, Value);
    patch(Offset, Bytes, sizeof(Bytes));
  }
  bool isMoved(size_t Section) const;
  bool isLoaded(size_t Section) const {
    return View.Sections[Section].sh_flags & ELF::SHF_ALLOC;
  }
  bool isBehindLoaded(size_t Section) const;

  const ElfView &View;
  const PointerFacts &Pointers;
  const ElfLayout &Layout;
  const ArrayRef<MovedField> Fields;
  const StringRef Marker;
  raw_pwrite_stream &OS;
  std::vector<Elf::Shdr> Sections; // as they will be, in the old order
  std::vector<size_t> Order;       // old indices in the new order
  std::vector<size_t> NewIndex;    // by old index
  uint64_t LoadsEnd = 0;           // in the old file
  Range Gap;                       // in the new one: free for sections
  uint64_t SectionHeaders = 0;     // in the new one
  bool IsDamaged = false;
};
} // namespace

size_t ElfRewriter::nameTable() const {
  uint32_t Index = View.Header.e_shstrndx;
  return Index == ELF::SHN_XINDEX ? View.Sections.front().sh_link : Index;
}

bool ElfRewriter::isMoved(size_t I) const {
  return fileRange(View.Sections[I]).size() != 0 &&
         Layout.Moved.contains(View.Sections[I].sh_offset);
}

void ElfRewriter::orderSections() {
  std::vector<size_t> Moved;
  for (size_t I = 0; I != Sections.size(); ++I)
    if (isMoved(I))
      Moved.push_back(I);
  for (size_t I = 0; I != Sections.size(); ++I) {
    if (!isMoved(I))
      Order.push_back(I);
    if (I == *Layout.Device.Section)
      append_range(Order, Moved);
  }
  NewIndex.resize(Sections.size());
  for (size_t I = 0; I != Order.size(); ++I)
    NewIndex[Order[I]] = I;
  for (Elf::Shdr &Section : Sections) {
    bool InfoIsSection = Section.sh_type == ELF::SHT_RELA ||
                         Section.sh_type == ELF::SHT_REL ||
                         (Section.sh_flags & ELF::SHF_INFO_LINK);
    if (Section.sh_link < Sections.size())
      Section.sh_link = NewIndex[Section.sh_link];
    if (InfoIsSection && Section.sh_info < Sections.size())
      Section.sh_info = NewIndex[Section.sh_info];
  }
}

/// The end of what has to stay where segments and allocated sections say.
void ElfRewriter::findLoadsEnd() {
  LoadsEnd = std::max(Layout.LowEnd, Layout.UsedEnd);
  for (const Elf::Phdr &Segment : View.Segments)
    if (Segment.p_filesz != 0)
      LoadsEnd = std::max(LoadsEnd, fileRange(Segment).End);
  for (const Elf::Shdr &Section : View.Sections)
    if (Section.sh_flags & ELF::SHF_ALLOC)
      LoadsEnd = std::max(LoadsEnd, fileRange(Section).End);
}

/// The table of names is always written anew.
bool ElfRewriter::isBehindLoaded(size_t I) const {
  const Elf::Shdr &Section = View.Sections[I];
  return I == nameTable() ||
         (fileRange(Section).size() != 0 && Section.sh_offset >= LoadsEnd);
}

void ElfRewriter::writeLoaded() {
  copy({0, Layout.LowEnd});
  if (!Layout.Moved.empty()) {
    padTo(Layout.MovedTo);
    copy(Layout.Moved);
  }
  uint64_t High = std::min(Layout.HighBegin, LoadsEnd);
  if (LoadsEnd > High) {
    padTo(High - Layout.Removed);
    if (Layout.HasGap)
      Gap = {Layout.UsedEnd, OS.tell()};
    copy({High, LoadsEnd});
  } else {
    padTo(Layout.UsedEnd);
  }
  patch(Layout.MarkerOffset, Marker.data(), Marker.size());
}

/// Offsets and addresses of all sections; bytes of those behind what is loaded.
Error ElfRewriter::writeSections() {
  std::vector<size_t> Behind;
  for (size_t I = 1; I < Sections.size(); ++I) {
    Elf::Shdr &Section = Sections[I];
    if (isBehindLoaded(I)) {
      Behind.push_back(I);
      continue;
    }
    if (Section.sh_flags & ELF::SHF_ALLOC)
      Section.sh_addr = Layout.newAddress(Section.sh_addr);
    Section.sh_offset = Layout.newOffset(Section.sh_offset);
  }
  llvm::sort(Behind, [&](size_t A, size_t B) {
    return std::pair(uint64_t(View.Sections[A].sh_offset), A) <
           std::pair(uint64_t(View.Sections[B].sh_offset), B);
  });
  uint64_t End = 0;
  for (size_t I : Behind) {
    Range From = fileRange(View.Sections[I]);
    if (From.Begin < End && I != nameTable())
      return View.error("two sections share bytes of the file; it is damaged, "
                        "get it again");
    End = std::max(End, From.End);
    writeSection(I);
  }
  nameMarker();
  return Error::success();
}

void ElfRewriter::writeSection(size_t I) {
  Elf::Shdr &Section = Sections[I];
  Range From = fileRange(View.Sections[I]);
  std::string Bytes;
  StringRef Content = View.Bytes.slice(From.Begin, From.End);
  if (I == nameTable()) {
    Bytes = Content.str() + std::string(MarkerSectionName) + '\0';
    Content = Bytes;
    Section.sh_size = Content.size();
  }
  uint64_t Alignment = Section.sh_addralign;
  // What is not aligned as it says stays so, and nothing asks for more space.
  if (Alignment > 4096 || !isPowerOf2_64(Alignment) ||
      From.Begin % Alignment != 0)
    Alignment = 1;
  Section.sh_offset = writeSomewhere(Content, Alignment);
}

/// The section header of the device code is that of the marker now.
void ElfRewriter::nameMarker() {
  Elf::Shdr &Reference = Sections[*Layout.Device.Section];
  Reference.sh_name = View.Sections[nameTable()].sh_size;
  Reference.sh_addr = Layout.MarkerAddress;
  Reference.sh_offset = Layout.MarkerOffset;
  Reference.sh_size = Marker.size();
  Reference.sh_addralign = MarkerAlignment;
}

/// Puts \p Bytes, which nothing loads, into the gap or to the end of the file.
uint64_t ElfRewriter::writeSomewhere(StringRef Bytes, uint64_t Alignment) {
  uint64_t At = alignTo(Gap.Begin, Alignment);
  if (At <= Gap.End && Bytes.size() <= Gap.End - At) {
    Gap.Begin = At + Bytes.size();
    patch(At, Bytes.data(), Bytes.size());
    return At;
  }
  padTo(alignTo(OS.tell(), Alignment));
  At = OS.tell();
  OS << Bytes;
  return At;
}

void ElfRewriter::writeSectionHeaders() {
  std::vector<Elf::Shdr> Table;
  for (size_t I : Order)
    Table.push_back(Sections[I]);
  SectionHeaders =
      writeSomewhere(StringRef(reinterpret_cast<const char *>(Table.data()),
                               Table.size() * sizeof(Elf::Shdr)),
                     alignof(uint64_t));
}

/// What no header knows of.
void ElfRewriter::writeOverlay() {
  uint64_t End = std::max<uint64_t>(
      LoadsEnd, View.Header.e_shoff + View.Sections.size() * sizeof(Elf::Shdr));
  for (const Elf::Shdr &Section : View.Sections)
    End = std::max(End, fileRange(Section).End);
  if (End < View.Bytes.size())
    copy({End, View.Bytes.size()});
}

void ElfRewriter::patchHeaders() {
  Elf::Ehdr Header = View.Header;
  Header.e_shoff = SectionHeaders;
  Header.e_phnum = Layout.Segments.size();
  if (Layout.ShiftFrom)
    Header.e_entry = Layout.newAddress(Header.e_entry);
  if (Header.e_shstrndx < NewIndex.size())
    Header.e_shstrndx = NewIndex[Header.e_shstrndx];
  patch(0, &Header, sizeof(Header));
  if (!Layout.Moved.empty()) {
    std::string Zeros(Layout.Moved.size(), '\0');
    patch(Layout.Moved.Begin, Zeros.data(), Zeros.size());
  }
  patch(View.Header.e_phoff, Layout.Segments.data(),
        Layout.Segments.size() * sizeof(Elf::Phdr));
}

void ElfRewriter::patchDynamic() {
  for (const DynamicEntry &Entry : View.Dynamic)
    if (Layout.ShiftFrom ? isAddressTag(Entry.Tag)
                         : pointsToMovable(Entry.Tag) &&
                               Layout.MovedAddresses.contains(Entry.Value))
      patch64(Layout.newOffset(Entry.FileOffset) + sizeof(uint64_t),
              Layout.newAddress(Entry.Value));
}

void ElfRewriter::patchRelocation(const WrapperSite &Site) {
  Elf::Rela R = *reinterpret_cast<const Elf::Rela *>(View.Bytes.data() +
                                                     *Site.RelaOffset);
  R.r_offset = Layout.newAddress(R.r_offset);
  R.r_addend = static_cast<int64_t>(Layout.MarkerAddress);
  if (Site.HasSymbol)
    R.setSymbolAndType(0, View.RelativeType, /*isMips64EL=*/false);
  patch(Layout.newOffset(*Site.RelaOffset), &R, sizeof(R));
}

void ElfRewriter::patchWrappers() {
  for (size_t I = 0; I != Pointers.Wrappers.size(); ++I) {
    const WrapperSite &Site = Pointers.Wrappers[I];
    char Bytes[offload::WrapperSize];
    write32le(Bytes, offload::WrapperMagicKpack);
    write32le(Bytes + 4, offload::WrapperVersion);
    // With a RELA entry the bytes in place mean nothing; most linkers leave
    // zeros there, and those stay.
    bool IsInPlace = !Site.RelaOffset || Site.InPlace != 0;
    write64le(Bytes + offload::WrapperPointerOffset,
              IsInPlace ? Layout.MarkerAddress : 0);
    write64le(Bytes + offload::WrapperReservedOffset, I);
    patch(Layout.newOffset(Site.FileOffset), Bytes, sizeof(Bytes));
    if (Site.RelaOffset)
      patchRelocation(Site);
  }
}

/// Symbols of device code become symbols of the marker, and those of what was
/// moved go with it.
bool ElfRewriter::changeSymbol(Elf::Sym &Symbol) const {
  size_t Index = Symbol.st_shndx;
  uint64_t Value = Symbol.st_value;
  if (Layout.ShiftFrom && Index == ELF::SHN_UNDEF) {
    Symbol.st_value = Layout.newAddress(Value); // of code in .plt
    return Symbol.st_value != Value;
  }
  if (Index == ELF::SHN_UNDEF || Index >= Sections.size())
    return false;
  if (Index == *Layout.Device.Section) {
    Value = Layout.MarkerAddress;
    if (Symbol.st_size != 0)
      Symbol.st_size = Marker.size();
  } else if (Layout.MovedAddresses.contains(Value) ||
             (Layout.ShiftFrom && isLoaded(Index) &&
              Symbol.getType() != ELF::STT_TLS)) {
    Value = Layout.newAddress(Value);
  }
  bool IsChanged = Value != Symbol.st_value || NewIndex[Index] != Index;
  Symbol.st_value = Value;
  Symbol.st_shndx = NewIndex[Index];
  return IsChanged || Index == *Layout.Device.Section;
}

/// Has \p Change look at each entry of the tables of some types. Those are
/// large, so it is a part of one at a time that is copied.
template <typename EntryType>
void ElfRewriter::patchTables(
    ArrayRef<uint32_t> Types,
    function_ref<bool(EntryType &, const Elf::Shdr &)> Change) {
  constexpr uint64_t AtOnce = 1 << 14;
  for (size_t I = 0; I != View.Sections.size(); ++I) {
    const Elf::Shdr &Table = View.Sections[I];
    if (!is_contained(Types, Table.sh_type))
      continue;
    const auto *Begin = reinterpret_cast<const EntryType *>(View.Bytes.data() +
                                                            Table.sh_offset);
    ArrayRef<EntryType> All(Begin, Table.sh_size / sizeof(EntryType));
    for (uint64_t N = 0; N < All.size(); N += AtOnce) {
      std::vector<EntryType> Part =
          All.slice(N, std::min<uint64_t>(AtOnce, All.size() - N)).vec();
      bool IsChanged = false;
      for (EntryType &Entry : Part)
        IsChanged |= Change(Entry, Table);
      if (IsChanged)
        patch(Sections[I].sh_offset + N * sizeof(EntryType), Part.data(),
              Part.size() * sizeof(EntryType));
    }
  }
}

void ElfRewriter::patchSymbols() {
  patchTables<Elf::Sym>({ELF::SHT_SYMTAB, ELF::SHT_DYNSYM},
                        [&](Elf::Sym &Symbol, const Elf::Shdr &) {
                          return changeSymbol(Symbol);
                        });
}

void ElfRewriter::patchFields() {
  for (const MovedField &Field : Fields) {
    char Bytes[sizeof(uint64_t)];
    write64le(Bytes, Field.Value);
    patch(Sections[Field.Section].sh_offset + Field.Offset, Bytes, Field.Size);
  }
}

/// Places, and what a loader adds its address to. The linker's own relocations
/// have symbols; those of device code are the marker now.
bool ElfRewriter::changeRelocation(Elf::Rela &R, const Elf::Shdr &Table) const {
  bool IsLoaders = Table.sh_flags & ELF::SHF_ALLOC;
  uint32_t Type = R.getType(/*isMips64EL=*/false);
  Elf::Rela Was = R;
  if (IsLoaders || isLoaded(Table.sh_info))
    R.r_offset = Layout.newAddress(R.r_offset);
  if (IsLoaders) {
    if (Type == View.RelativeType || Type == ELF::R_X86_64_IRELATIVE)
      R.r_addend = static_cast<int64_t>(Layout.newAddress(R.r_addend));
    return R.r_offset != Was.r_offset || R.r_addend != Was.r_addend;
  }
  const auto *Symbols = reinterpret_cast<const Elf::Sym *>(
      View.Bytes.data() + View.Sections[Table.sh_link].sh_offset);
  if (Symbols[R.getSymbol(/*isMips64EL=*/false)].st_shndx ==
      *Layout.Device.Section)
    R.r_addend = 0;
  return R.r_offset != Was.r_offset || R.r_addend != Was.r_addend;
}

void ElfRewriter::patchRelocations() {
  patchTables<Elf::Rela>({ELF::SHT_RELA},
                         [&](Elf::Rela &R, const Elf::Shdr &Table) {
                           return changeRelocation(R, Table);
                         });
}

Error ElfRewriter::run() {
  bool HasSections = !Sections.empty();
  if (HasSections)
    orderSections();
  findLoadsEnd();
  writeLoaded();
  if (HasSections) {
    if (Error E = writeSections())
      return E;
    writeSectionHeaders();
  }
  writeOverlay();
  patchHeaders();
  patchDynamic();
  if (Layout.ShiftFrom) {
    patchFields();
    patchRelocations();
  }
  patchWrappers();
  patchSymbols();
  return IsDamaged ? View.error("a table stands in its device code; it is "
                                "damaged, get it again")
                   : Error::success();
}

Error rewriteElf(const ElfView &View, const PointerFacts &Pointers,
                 const ElfLayout &Layout, ArrayRef<MovedField> Fields,
                 StringRef Marker, raw_pwrite_stream &OS) {
  return ElfRewriter(View, Pointers, Layout, Fields, Marker, OS).run();
}

} // namespace kpack::hostrewrite
