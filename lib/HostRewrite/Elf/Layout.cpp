//===- Layout.cpp - layout that keeps addresses ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Removes the device code from a file, keeps all addresses, and puts a marker
// in its place. The program contains absolute and relative addresses that
// cannot all be found, so the parts after the device code must stay where they
// are in memory. In the file they move down, which only changes the offsets in
// headers.
//
// The loader maps pages, so the offset and the address of a segment must be
// equal modulo its p_align. So the parts move by a multiple of the largest
// p_align of the segments that reach beyond the device code, and at least of 4
// KiB.
//
// An example with pages of 0x1000 bytes and a marker of 0x20. The segment has
// offset 0x1000, address 0x401000 and size 0x9000:
//
//               old file          address              new file
//   .rodata     0x1000 - 0x2000   0x401000 - 0x402000  0x1000 - 0x2000
//   .hip_fatbin 0x2000 - 0x8800   0x402000 - 0x408800  marker 0x2000 - 0x2020
//   .eh_frame   0x8800 - 0xa000   0x408800 - 0x40a000  0x2800 - 0x4000
//
//   UsedEnd     0x2020            end of the marker in the file
//   HighBegin   0x8800            first byte that is kept after it
//   Removed     0x6000            0x8800 - 0x2020 = 0x67e0, whole pages of it
//
//   segment 1   offset 0x1000, address 0x401000, size 0x1020
//   segment 2   offset 0x2800, address 0x408800, size 0x1800
//
// 0x2800 and 0x408800 are both 0x800 modulo 0x1000. The bytes from 0x2020 to
// 0x2800 are padding, in no segment. Everything after .eh_frame in the file
// moves by 0x6000, too.
//
//   1. findParts() finds the device code and its segment, checks that no other
//      header shares its bytes and that only wrappers point to it, and finds
//      the first part after it.
//   2. place() puts the marker at the start of the device code. If the segment
//      begins with the device code, the marker goes right before the following
//      part instead, so that one segment remains.
//   3. If the segment has parts on both sides, it becomes two, and the table of
//      program headers needs one more entry. findHeaderSlot() takes an unused
//      entry, or moves the parts after the table, such as notes; these go after
//      the marker, and their addresses change (Moved).
//   4. makeSegments() writes the new program headers. A part without code loses
//      PF_X.
//
// If Removed is 0, the marker overwrites a part of the device code, the parts
// after it keep their offsets, and the file only grows by the name of the
// marker's section in the string table. If the table of program headers has no
// room for another entry then, the segment stays whole (HasGap is false).
//
// Invariants: newAddress() is the identity outside of the device code and of
// Moved; offsets stay equal to addresses modulo p_align; unless Removed is 0,
// the two new segments share no page, because the distance between the end of
// the first and the start of the second is at least Removed. If they share one,
// dropExecute() keeps PF_X of the second. If a check fails, the file stays as
// it is, with an error. The cost is linear in headers and sections, and in
// pointers for the checks.
//
// Sibling: CompactLayout.cpp, which moves addresses as well. In the example,
// .eh_frame would get the address 0x402800.
//
//===----------------------------------------------------------------------===//
#include "Layout.h"

#include "HeaderSlot.h"
#include "LayoutPlanner.h"
#include "Offload/HipSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace kpack::hostrewrite {

/// Moved parts keep their address modulo this.
static constexpr uint64_t MovedAlignment = 64;

uint64_t ElfLayout::newOffset(uint64_t Offset) const {
  if (Moved.contains(Offset))
    return MovedTo + (Offset - Moved.Begin);
  if (Offset >= HighBegin)
    return Offset - Removed;
  return std::min(Offset, UsedEnd);
}

uint64_t ElfLayout::newAddress(uint64_t Address) const {
  if (ShiftFrom && Address >= *ShiftFrom)
    return Address - Removed;
  if (MovedAddresses.contains(Address))
    return Address + MovedDelta;
  return Device.addresses().contains(Address) ? MarkerAddress : Address;
}

Error LayoutPlanner::findFatBin() {
  if (Error E = findDeviceRange(View, Pointers).moveInto(Layout.Device))
    return E;
  FatBin = Layout.Device.File;
  for (size_t I = 0; I != View.Segments.size(); ++I) {
    const Elf::Phdr &Segment = View.Segments[I];
    if (Segment.p_type != ELF::PT_LOAD || FatBin.empty() ||
        FatBin.Begin < fileRange(Segment).Begin ||
        FatBin.End > fileRange(Segment).End || !(Segment.p_flags & ELF::PF_R))
      continue;
    LoadIndex = I;
    Load = Segment;
    if (addressOf(FatBin.Begin) == Layout.Device.Address)
      return Error::success();
  }
  return View.error(".hip_fatbin is in no segment that can be read; it is "
                    "damaged, get it again");
}

/// Checks that no other header uses the dropped bytes.
Error LayoutPlanner::checkNothingElse() const {
  auto Shared = [&](const Twine &With) {
    return View.error(".hip_fatbin shares its bytes with " + With +
                      ", so they cannot be dropped; link it with ld.kpack from "
                      "its objects");
  };
  for (size_t I = 0; I != View.Segments.size(); ++I)
    if (I != LoadIndex && View.Segments[I].p_filesz != 0 &&
        fileRange(View.Segments[I]).overlaps(FatBin))
      return Shared("another segment");
  for (size_t I = 0; I != View.Sections.size(); ++I)
    if (I != Layout.Device.Section && fileRange(View.Sections[I]).size() != 0 &&
        fileRange(View.Sections[I]).overlaps(FatBin))
      return Shared("section " + View.sectionName(View.Sections[I]));
  uint64_t Headers = View.Header.e_phoff, Sections = View.Header.e_shoff;
  if (Range{Headers, Headers + View.Segments.size() * sizeof(Elf::Phdr)}
          .overlaps(FatBin) ||
      Range{Sections, Sections + View.Sections.size() * sizeof(Elf::Shdr)}
          .overlaps(FatBin))
    return Shared("a table of headers");
  Expected<bool> IsReferred =
      pointsInto(View, Pointers, Layout.Device.addresses());
  if (!IsReferred)
    return IsReferred.takeError();
  if (*IsReferred)
    return View.error("something else than a wrapper points into .hip_fatbin, "
                      "so it cannot be dropped; link it with ld.kpack from its "
                      "objects");
  return Error::success();
}

/// Finds the parts after the device code, in the file and in its segment.
Error LayoutPlanner::findTail() {
  uint64_t End = fileRange(Load).End;
  uint64_t High = View.Bytes.size();
  auto Stays = [&](uint64_t Begin) {
    if (Begin >= FatBin.End)
      High = std::min(High, Begin);
  };
  TailBegin = End;
  for (const Elf::Shdr &Section : View.Sections)
    if (fileRange(Section).size() != 0) {
      Stays(Section.sh_offset);
      if (Section.sh_offset >= FatBin.End)
        TailBegin = std::min<uint64_t>(TailBegin, Section.sh_offset);
    }
  for (const Elf::Phdr &Segment : View.Segments)
    if (Segment.p_filesz != 0)
      Stays(Segment.p_offset);
  Stays(View.Header.e_shoff);
  // Bytes outside of sections are padding if they are zeros. Without section
  // headers padding cannot be told from contents.
  StringRef Gap = View.Bytes.slice(FatBin.End, TailBegin);
  if (View.Sections.empty() || Gap.find_first_not_of('\0') != StringRef::npos)
    TailBegin = FatBin.End;
  if (!hasTail() && Load.p_memsz != Load.p_filesz)
    return View.error(".hip_fatbin stands in front of memory without bytes in "
                      "the file, so it cannot be dropped; link it with "
                      "ld.kpack from its objects");
  Layout.HighBegin = hasTail() ? std::min(High, TailBegin) : High;
  return Error::success();
}

/// Returns the unit by which segments after the device code may move.
uint64_t LayoutPlanner::pageSize() const {
  uint64_t Size = 4096;
  for (const Elf::Phdr &Segment : View.Segments)
    if (Segment.p_type == ELF::PT_LOAD && fileRange(Segment).End > FatBin.End)
      Size = std::max<uint64_t>(Size, Segment.p_align);
  return Size;
}

/// Puts the marker at the start of the device code, and moved parts after it.
Error LayoutPlanner::placeInFront(Range Moved) {
  Layout.LowEnd = Layout.MarkerOffset = FatBin.Begin;
  Layout.UsedEnd = FatBin.Begin + MarkerSize;
  Layout.MarkerAddress = addressOf(FatBin.Begin);
  Layout.Moved = Moved;
  if (!Moved.empty()) {
    const Elf::Phdr &Source = *find_if(View.Segments, [&](const Elf::Phdr &S) {
      return S.p_type == ELF::PT_LOAD && S.p_offset <= Moved.Begin &&
             Moved.End <= fileRange(S).End;
    });
    uint64_t Address = Source.p_vaddr + (Moved.Begin - Source.p_offset);
    Layout.MovedAddresses = {Address, Address + Moved.size()};
    uint64_t Free = addressOf(Layout.UsedEnd);
    uint64_t Target = Free + ((Address - Free) & (MovedAlignment - 1));
    Layout.MovedDelta = Target - Address;
    Layout.MovedTo = Load.p_offset + (Target - Load.p_vaddr);
    Layout.UsedEnd = Layout.MovedTo + Moved.size();
  }
  return Layout.UsedEnd > FatBin.End ? tooSmall() : Error::success();
}

Error LayoutPlanner::tooSmall() const {
  return View.error("its device code takes less space than the marker that is "
                    "to replace it; link it with ld.kpack from its objects");
}

/// For a segment that begins with the device code: puts the marker right before
/// the following part, so that the segment stays in one piece.
Error LayoutPlanner::placeBehind() {
  if (MarkerSize + MovedAlignment > FatBin.size())
    return tooSmall();
  uint64_t Address =
      alignDown(addressOf(TailBegin) - MarkerSize, MovedAlignment);
  Layout.LowEnd = Layout.UsedEnd = FatBin.Begin;
  Layout.MarkerAddress = Address;
  Layout.HighBegin = Load.p_offset + (Address - Load.p_vaddr);
  return Error::success();
}

Error LayoutPlanner::place(const HeaderSlot &Slot) {
  Layout.Moved = {};
  bool IsBehind = !hasHead() && hasTail();
  if (Error E = IsBehind ? placeBehind() : placeInFront(Slot.Moved))
    return E;
  uint64_t PageSize = pageSize();
  if (!isPowerOf2_64(PageSize))
    return View.error("a segment's alignment is no power of two; it is "
                      "damaged, get it again");
  Layout.Removed = alignDown(Layout.HighBegin - Layout.UsedEnd, PageSize);
  if (IsBehind)
    Layout.MarkerOffset = Layout.HighBegin - Layout.Removed;
  return Error::success();
}

/// Returns \p Segment from offset \p Begin of the file on.
static Elf::Phdr withoutFront(Elf::Phdr Segment, uint64_t Begin) {
  uint64_t Delta = Begin - Segment.p_offset;
  Segment.p_offset = Begin;
  Segment.p_vaddr = Segment.p_vaddr + Delta;
  Segment.p_paddr = Segment.p_paddr + Delta;
  Segment.p_filesz = Segment.p_filesz - Delta;
  Segment.p_memsz = Segment.p_memsz - Delta;
  return Segment;
}

/// Some linkers put code and data into one segment. Makes a part that has only
/// data, [\p Begin, \p End) of the old file, non-executable.
void LayoutPlanner::dropExecute(Elf::Phdr &Part, uint64_t Begin,
                                uint64_t End) const {
  if (View.Sections.empty())
    return; // code cannot be told from data
  bool HasCode = any_of(View.Sections, [&](const Elf::Shdr &Section) {
    return (Section.sh_flags & ELF::SHF_EXECINSTR) &&
           fileRange(Section).overlaps({Begin, End});
  });
  // If both parts have bytes on one page, the second one's flags apply to it.
  uint64_t Page = View.Header.e_machine == ELF::EM_X86_64 ? 0x1000 : 0x10000;
  bool SharesPage =
      Begin >= FatBin.End && alignDown(uint64_t(Part.p_vaddr), Page) <
                                 alignTo(addressOf(Layout.UsedEnd), Page);
  if (!HasCode && !SharesPage)
    Part.p_flags = Part.p_flags & ~uint32_t(ELF::PF_X);
}

/// Splits or shrinks the segment that holds the device code.
void LayoutPlanner::splitLoad() {
  if (!Layout.HasGap) {
    Layout.Segments.push_back(Load);
    return;
  }
  if (hasHead() || !hasTail()) {
    Elf::Phdr Front = Load;
    Front.p_filesz = Layout.UsedEnd - Load.p_offset;
    Front.p_memsz = Front.p_filesz;
    dropExecute(Front, Load.p_offset, FatBin.Begin);
    Layout.Segments.push_back(Front);
  }
  if (hasTail()) {
    Elf::Phdr Back =
        withoutFront(Load, hasHead() ? TailBegin : Layout.HighBegin);
    dropExecute(Back, FatBin.End, fileRange(Load).End);
    Back.p_offset = Back.p_offset - Layout.Removed;
    Layout.Segments.push_back(Back);
  }
}

void LayoutPlanner::makeSegments(const HeaderSlot &Slot) {
  bool IsSplit = hasHead() && hasTail() && Layout.HasGap;
  for (size_t I = 0; I != View.Segments.size(); ++I) {
    if (I == LoadIndex) {
      splitLoad();
      continue;
    }
    if (IsSplit && Slot.Unused == I)
      continue;
    Elf::Phdr Segment = View.Segments[I];
    if (Segment.p_type == ELF::PT_PHDR && IsSplit && !Slot.Unused) {
      Segment.p_filesz = (View.Segments.size() + 1) * sizeof(Elf::Phdr);
      Segment.p_memsz = Segment.p_filesz;
    }
    bool IsMoved = Segment.p_type != ELF::PT_LOAD &&
                   Layout.Moved.contains(Segment.p_offset);
    if (IsMoved) {
      Segment.p_vaddr = Segment.p_vaddr + Layout.MovedDelta;
      Segment.p_paddr = Segment.p_paddr + Layout.MovedDelta;
    }
    if (IsMoved || Segment.p_offset >= Layout.HighBegin)
      Segment.p_offset = Layout.newOffset(Segment.p_offset);
    Layout.Segments.push_back(Segment);
  }
}

/// Like place(), but with room for one more program header. After an error
/// Removed has its old value.
Error LayoutPlanner::placeWithSlot(HeaderSlot &Slot) {
  if (Error E = findHeaderSlot(View, Pointers).moveInto(Slot))
    return E;
  uint64_t Removed = Layout.Removed;
  if (Error E = place(Slot)) {
    Layout.Removed = Removed;
    return E;
  }
  return Error::success();
}

/// Finds the parts of the old file.
Error LayoutPlanner::findParts() {
  if (Error E = findFatBin())
    return E;
  if (Error E = checkNothingElse())
    return E;
  if (Error E = findTail())
    return E;
  Layout.IsLast = isLast();
  return Error::success();
}

Expected<ElfLayout> LayoutPlanner::run() {
  if (Error E = findParts())
    return std::move(E);
  HeaderSlot Slot;
  if (Error E = place(Slot))
    return std::move(E);
  if (hasHead() && hasTail())
    if (Error E = placeWithSlot(Slot)) {
      if (Layout.Removed != 0)
        return std::move(E);
      // No bytes would be dropped, so the segment need not be split.
      consumeError(std::move(E));
      Slot = HeaderSlot();
      Layout.HasGap = false;
      if (Error Again = place(Slot))
        return std::move(Again);
    }
  makeSegments(Slot);
  return std::move(Layout);
}

Expected<ElfLayout> planLayout(const ElfView &View,
                               const PointerFacts &Pointers,
                               uint64_t MarkerSize) {
  return LayoutPlanner(View, Pointers, MarkerSize).run();
}

} // namespace kpack::hostrewrite
