//===- CompactLayout.cpp - layout that moves later addresses --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything after the device code moves down by one distance, in memory as in
// the file. So no segment is split, and distances between segments do not
// shrink. The distance is a multiple of all alignments of the moved parts.
// Sibling for files whose addresses stay: Layout.cpp.
//
//===----------------------------------------------------------------------===//
#include "LayoutPlanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace kpack::hostrewrite {

/// True if no memory follows the device code.
bool LayoutPlanner::isLast() const {
  return !hasTail() && none_of(View.Segments, [&](const Elf::Phdr &Segment) {
    return Segment.p_type == ELF::PT_LOAD &&
           Segment.p_vaddr >= Layout.Device.addresses().End;
  });
}

/// True if the same parts follow the device code in the file and in memory, and
/// no header covers both sides of it.
bool LayoutPlanner::isInOrder() const {
  Range Device = Layout.Device.addresses();
  for (size_t I = 0; I != View.Segments.size(); ++I) {
    const Elf::Phdr &Segment = View.Segments[I];
    if (I == LoadIndex || Segment.p_memsz == 0 ||
        Segment.p_type == ELF::PT_GNU_STACK)
      continue;
    bool IsBehind = Segment.p_vaddr >= Device.End;
    if (!IsBehind && Segment.p_vaddr + Segment.p_memsz > Device.Begin)
      return false;
    if (Segment.p_filesz != 0 && IsBehind != (Segment.p_offset >= FatBin.End))
      return false;
  }
  return all_of(View.Sections, [&](const Elf::Shdr &Section) {
    return !(Section.sh_flags & ELF::SHF_ALLOC) ||
           fileRange(Section).size() == 0 ||
           (Section.sh_addr >= Device.End) == (Section.sh_offset >= FatBin.End);
  });
}

/// Returns the largest alignment of the parts that move.
uint64_t LayoutPlanner::compactAlignment() const {
  uint64_t End = Layout.Device.addresses().End;
  uint64_t Most = pageSize();
  for (const Elf::Phdr &Segment : View.Segments)
    if (Segment.p_memsz != 0 && Segment.p_vaddr + Segment.p_memsz > End)
      Most = std::max<uint64_t>(Most, Segment.p_align);
  for (const Elf::Shdr &Section : View.Sections)
    if ((Section.sh_flags & ELF::SHF_ALLOC) && Section.sh_addr >= End)
      Most = std::max<uint64_t>(Most, Section.sh_addralign);
  return Most;
}

void LayoutPlanner::makeCompactSegments() {
  for (size_t I = 0; I != View.Segments.size(); ++I) {
    Elf::Phdr Segment = View.Segments[I];
    if (I == LoadIndex) {
      uint64_t Less =
          hasTail() ? Layout.Removed : fileRange(Load).End - Layout.UsedEnd;
      Segment.p_filesz = Segment.p_filesz - Less;
      Segment.p_memsz = Segment.p_memsz - Less;
    } else if (Segment.p_memsz != 0 && Segment.p_vaddr >= *Layout.ShiftFrom) {
      Segment.p_vaddr = Segment.p_vaddr - Layout.Removed;
      Segment.p_paddr = Segment.p_paddr - Layout.Removed;
      if (Segment.p_offset >= Layout.HighBegin)
        Segment.p_offset = Segment.p_offset - Layout.Removed;
    }
    Layout.Segments.push_back(Segment);
  }
}

Expected<ElfLayout> LayoutPlanner::runCompact() {
  if (Error E = findParts())
    return std::move(E);
  if (View.Sections.empty() || !isInOrder())
    return View.error("its parts are in no order in which those behind the "
                      "device code could move");
  if (Error E = placeInFront({}))
    return std::move(E);
  uint64_t Alignment = compactAlignment();
  if (!isPowerOf2_64(Alignment))
    return View.error("a segment's alignment is no power of two; it is "
                      "damaged, get it again");
  Layout.Removed = alignDown(Layout.HighBegin - Layout.UsedEnd, Alignment);
  if (Layout.Removed == 0)
    return View.error("its device code is smaller than the alignment of what "
                      "stands behind it");
  Layout.ShiftFrom = Layout.Device.addresses().End;
  Layout.HasGap = false;
  makeCompactSegments();
  return std::move(Layout);
}

Expected<ElfLayout> planCompactLayout(const ElfView &View,
                                      const PointerFacts &Pointers,
                                      uint64_t MarkerSize) {
  return LayoutPlanner(View, Pointers, MarkerSize).runCompact();
}

} // namespace kpack::hostrewrite
