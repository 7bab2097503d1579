//===- Rewrite.cpp - writer of a file without device code -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// .hip_fatbin becomes .rocm_kpack_ref: the number of section headers does not
// change, and symbols of device code become symbols of the marker. Section
// headers stay ordered by address, which patchelf relies on, so headers of
// moved parts come after the marker's, and section numbers change. The new name
// is appended to the table of section names. Sections after the loaded part
// (symbols, debug information, names, the section headers) are placed one after
// another, so no old copy of a table stays. The rest of the last page that
// could not be dropped stays empty: tools such as dwz and prelink refuse a file
// with a section that is not loaded before one that is. Bytes appended to the
// file are appended again.
//
//===----------------------------------------------------------------------===//
#include "Rewrite.h"

#include "PointerPatch.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace kpack::hostrewrite {

static constexpr uint64_t MarkerAlignment = 8;

namespace {
class ElfRewriter {
public:
  ElfRewriter(const ElfView &View, const PointerFacts &Pointers,
              const ElfLayout &Layout, ArrayRef<MovedField> Fields,
              StringRef Marker, raw_pwrite_stream &OS)
      : View(View), Pointers(Pointers), Layout(Layout), Fields(Fields),
        Marker(Marker), OS(OS), Patch(OS), Sections(View.Sections) {}
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
  void patchHeaders();

  /// Writes zeros up to offset \p Offset.
  void padTo(uint64_t Offset) { OS.write_zeros(Offset - OS.tell()); }
  uint64_t append(StringRef Bytes, uint64_t Alignment);
  void copy(Range Source) { OS << View.Bytes.slice(Source.Begin, Source.End); }
  bool isMoved(size_t Section) const;
  bool isBehindLoaded(size_t Section) const;

  const ElfView &View;
  const PointerFacts &Pointers;
  const ElfLayout &Layout;
  const ArrayRef<MovedField> Fields;
  const StringRef Marker;
  raw_pwrite_stream &OS;
  FilePatch Patch;
  std::vector<Elf::Shdr> Sections; // the new ones, in the old order
  std::vector<size_t> Order;       // old indices in the new order
  std::vector<size_t> NewIndex;    // by old index
  uint64_t LoadsEnd = 0;           // in the old file
  uint64_t SectionHeaders = 0;     // in the new one
};
} // namespace

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
  for (Elf::Shdr &Section : Sections)
    renumber(Section, NewIndex);
}

/// Finds the end of the parts whose place segments or allocated sections fix.
void ElfRewriter::findLoadsEnd() {
  LoadsEnd = std::max(Layout.LowEnd, Layout.UsedEnd);
  for (const Elf::Phdr &Segment : View.Segments)
    if (Segment.p_filesz != 0)
      LoadsEnd = std::max(LoadsEnd, fileRange(Segment).End);
  for (const Elf::Shdr &Section : View.Sections)
    if (Section.sh_flags & ELF::SHF_ALLOC)
      LoadsEnd = std::max(LoadsEnd, fileRange(Section).End);
}

/// The table of names is always rewritten.
bool ElfRewriter::isBehindLoaded(size_t I) const {
  const Elf::Shdr &Section = View.Sections[I];
  return I == View.nameTable() ||
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
    copy({High, LoadsEnd});
  } else {
    padTo(Layout.UsedEnd);
  }
  Patch.write(Layout.MarkerOffset, Marker.data(), Marker.size());
}

/// Sets offsets and addresses of all sections, and writes those after the
/// loaded part.
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
    Range Source = fileRange(View.Sections[I]);
    if (Source.Begin < End && I != View.nameTable())
      return View.error("two sections share bytes of the file; it is damaged, "
                        "get it again");
    End = std::max(End, Source.End);
    writeSection(I);
  }
  nameMarker();
  return Error::success();
}

void ElfRewriter::writeSection(size_t I) {
  Elf::Shdr &Section = Sections[I];
  Range Source = fileRange(View.Sections[I]);
  std::string Bytes;
  StringRef Content = View.Bytes.slice(Source.Begin, Source.End);
  if (I == View.nameTable()) {
    Bytes = Content.str() + std::string(MarkerSectionName) + '\0';
    Content = Bytes;
    Section.sh_size = Content.size();
  }
  uint64_t Alignment = Section.sh_addralign;
  // Sections that violate their alignment keep doing so and get no padding.
  if (Alignment > 4096 || !isPowerOf2_64(Alignment) ||
      Source.Begin % Alignment != 0)
    Alignment = 1;
  Section.sh_offset = append(Content, Alignment);
}

/// The section header of the device code becomes the marker's.
void ElfRewriter::nameMarker() {
  Elf::Shdr &Reference = Sections[*Layout.Device.Section];
  Reference.sh_name = View.Sections[View.nameTable()].sh_size;
  Reference.sh_addr = Layout.MarkerAddress;
  Reference.sh_offset = Layout.MarkerOffset;
  Reference.sh_size = Marker.size();
  Reference.sh_addralign = MarkerAlignment;
}

/// Appends \p Bytes to the file. Returns their offset.
uint64_t ElfRewriter::append(StringRef Bytes, uint64_t Alignment) {
  padTo(alignTo(OS.tell(), Alignment));
  uint64_t Begin = OS.tell();
  OS << Bytes;
  return Begin;
}

void ElfRewriter::writeSectionHeaders() {
  std::vector<Elf::Shdr> Table;
  for (size_t I : Order)
    Table.push_back(Sections[I]);
  SectionHeaders =
      append(StringRef(reinterpret_cast<const char *>(Table.data()),
                       Table.size() * sizeof(Elf::Shdr)),
             alignof(uint64_t));
}

/// Copies the bytes that no header covers.
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
  Patch.write(0, &Header, sizeof(Header));
  if (!Layout.Moved.empty()) {
    std::string Zeros(Layout.Moved.size(), '\0');
    Patch.write(Layout.Moved.Begin, Zeros.data(), Zeros.size());
  }
  Patch.write(View.Header.e_phoff, Layout.Segments.data(),
              Layout.Segments.size() * sizeof(Elf::Phdr));
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
  patchPointers(View, Pointers, Layout, Fields, Marker.size(),
                {Sections, NewIndex}, Patch);
  return Patch.isDamaged()
             ? View.error("a table stands in its device code; it is damaged, "
                          "get it again")
             : Error::success();
}

Error rewriteElf(const ElfView &View, const PointerFacts &Pointers,
                 const ElfLayout &Layout, ArrayRef<MovedField> Fields,
                 StringRef Marker, raw_pwrite_stream &OS) {
  return ElfRewriter(View, Pointers, Layout, Fields, Marker, OS).run();
}

} // namespace kpack::hostrewrite
