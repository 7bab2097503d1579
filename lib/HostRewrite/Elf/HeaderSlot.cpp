//===- HeaderSlot.cpp - space for another program header ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole sections move, together with all other sections under the same program
// header (such as two notes in one PT_NOTE). Relocation tables do not move: the
// code of a static program has their addresses. A part that a relocation points
// to does not move either.
//
//===----------------------------------------------------------------------===//
#include "HeaderSlot.h"

#include "DynamicTables.h"
#include "Relocations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace kpack::hostrewrite {

bool pointsToMovable(int64_t DynamicTag) {
  switch (DynamicTag) {
  case ELF::DT_HASH:
  case ELF::DT_GNU_HASH:
  case ELF::DT_SYMTAB:
  case ELF::DT_STRTAB:
  case ELF::DT_VERSYM:
  case ELF::DT_VERNEED:
  case ELF::DT_VERDEF:
    return true;
  }
  return false;
}

static bool isMovable(const ElfView &View, const Elf::Shdr &Section) {
  switch (Section.sh_type) {
  case ELF::SHT_NOTE:
  case ELF::SHT_HASH:
  case ELF::SHT_GNU_HASH:
  case ELF::SHT_DYNSYM:
  case ELF::SHT_STRTAB:
  case ELF::SHT_GNU_versym:
  case ELF::SHT_GNU_verneed:
  case ELF::SHT_GNU_verdef:
    return true;
  case ELF::SHT_PROGBITS:
    return any_of(View.Segments, [&](const Elf::Phdr &Segment) {
      return Segment.p_type == ELF::PT_INTERP &&
             Segment.p_offset == Section.sh_offset;
    });
  }
  return false;
}

/// Returns the loaded segment that holds all of \p Part, a range of the file.
static const Elf::Phdr *getLoad(const ElfView &View, Range Part) {
  for (const Elf::Phdr &Segment : View.Segments)
    if (Segment.p_type == ELF::PT_LOAD &&
        fileRange(Segment).Begin <= Part.Begin &&
        Part.End <= fileRange(Segment).End)
      return &Segment;
  return nullptr;
}

/// Grows \p Moved until its end cuts no section and no program header. Returns
/// false after more steps than the files of linkers need.
static bool takeWhole(const ElfView &View, const DynamicTables &Tables,
                      Range &Moved) {
  constexpr int MaxSteps = 64;
  bool HasGrown = true;
  for (int Step = 0; HasGrown; ++Step) {
    if (Step == MaxSteps)
      return false;
    HasGrown = false;
    auto Take = [&](Range Part) {
      if (Part.empty() || !Part.overlaps(Moved) || Part.End <= Moved.End)
        return;
      Moved.End = Part.End;
      HasGrown = true;
    };
    for (const Elf::Shdr &Section : View.Sections)
      Take(fileRange(Section));
    for (Range Part : Tables.Parts)
      Take(Part);
    for (const Elf::Phdr &Segment : View.Segments)
      if (Segment.p_type != ELF::PT_LOAD && Segment.p_type != ELF::PT_PHDR)
        Take(fileRange(Segment));
  }
  return true;
}

/// True if relocations use symbols past the end of a table in \p Moved; other
/// bytes will be there.
static Expected<bool>
usesMoreSymbols(const ElfView &View, const DynamicTables &Tables, Range Moved) {
  uint64_t Count = UINT64_MAX;
  if (!Tables.Symbols.empty() && Moved.contains(Tables.Symbols.Begin))
    Count = Tables.Symbols.size() / sizeof(Elf::Sym);
  for (const Elf::Shdr &Section : View.Sections)
    if (Section.sh_type == ELF::SHT_DYNSYM && Moved.contains(Section.sh_offset))
      Count = std::min<uint64_t>(Count, Section.sh_size / sizeof(Elf::Sym));
  bool Found = false;
  if (Error E = forEachRelocation(View, [&](const Relocation &R) {
        Found |= R.Symbol >= Count;
        return Error::success();
      }))
    return std::move(E);
  return Found;
}

static Expected<bool> canMove(const ElfView &View, const PointerFacts &Pointers,
                              const DynamicTables &Tables, Range Moved) {
  const Elf::Phdr *Load = getLoad(View, Moved);
  // Section numbers change, and those that do not fit into a symbol are in a
  // separate table.
  if (!Load || View.Sections.size() >= ELF::SHN_LORESERVE)
    return false;
  for (const Elf::Shdr &Section : View.Sections)
    if (fileRange(Section).size() != 0 && fileRange(Section).overlaps(Moved) &&
        (!(Section.sh_flags & ELF::SHF_ALLOC) ||
         fileRange(Section).Begin < Moved.Begin || !isMovable(View, Section)))
      return false;
  for (const Elf::Phdr &Segment : View.Segments)
    if (Segment.p_type == ELF::PT_DYNAMIC && fileRange(Segment).overlaps(Moved))
      return false;
  uint64_t Address = Load->p_vaddr + (Moved.Begin - Load->p_offset);
  Expected<bool> HasOddSymbols = usesMoreSymbols(View, Tables, Moved);
  if (!HasOddSymbols || *HasOddSymbols)
    return HasOddSymbols ? Expected<bool>(false) : HasOddSymbols.takeError();
  Expected<bool> IsReferred =
      pointsInto(View, Pointers, {Address, Address + Moved.size()});
  if (!IsReferred)
    return IsReferred.takeError();
  return !*IsReferred;
}

/// Without section headers: true if program headers and the dynamic table
/// account for the bytes of \p Part, except for a few zeros of alignment.
static bool isKnown(const ElfView &View, const DynamicTables &Tables,
                    Range Part) {
  constexpr uint64_t Padding = 8;
  std::vector<Range> Known = Tables.Parts;
  for (const Elf::Phdr &Segment : View.Segments) {
    switch (Segment.p_type) {
    case ELF::PT_INTERP:
    case ELF::PT_NOTE:
    case ELF::PT_GNU_PROPERTY:
      Known.push_back(fileRange(Segment));
      break;
    case ELF::PT_LOAD:
    case ELF::PT_PHDR:
      break;
    default:
      if (fileRange(Segment).overlaps(Part))
        return false;
    }
  }
  llvm::sort(Known, [](Range A, Range B) { return A.Begin < B.Begin; });
  uint64_t Offset = Part.Begin;
  for (Range R : Known) {
    if (R.End <= Offset || R.Begin >= Part.End)
      continue;
    if (R.Begin > Offset &&
        (R.Begin - Offset >= Padding ||
         View.Bytes.slice(Offset, R.Begin).find_first_not_of('\0') !=
             StringRef::npos))
      return false;
    Offset = R.End;
  }
  return Offset >= Part.End;
}

Expected<HeaderSlot> findHeaderSlot(const ElfView &View,
                                    const PointerFacts &Pointers) {
  HeaderSlot Slot;
  for (size_t I = 0; I != View.Segments.size(); ++I)
    if (View.Segments[I].p_type == ELF::PT_NULL) {
      Slot.Unused = I;
      return Slot;
    }

  uint64_t End = View.Header.e_phoff + View.Segments.size() * sizeof(Elf::Phdr);
  Range Wanted = {End, End + sizeof(Elf::Phdr)};
  uint64_t First = Wanted.End; // of the parts in the way
  DynamicTables Tables;
  if (View.Sections.empty())
    Tables = findDynamicTables(View);
  for (Range Part : Tables.Parts)
    if (!Part.empty() && Part.overlaps(Wanted))
      First = std::min(First, Part.Begin);
  for (const Elf::Shdr &Section : View.Sections)
    if (fileRange(Section).size() != 0 && fileRange(Section).overlaps(Wanted))
      First = std::min(First, fileRange(Section).Begin);
  for (const Elf::Phdr &Segment : View.Segments)
    if (Segment.p_type != ELF::PT_LOAD && Segment.p_type != ELF::PT_PHDR &&
        Segment.p_filesz != 0 && fileRange(Segment).overlaps(Wanted))
      First = std::min(First, fileRange(Segment).Begin);
  Slot.Moved = {First, Wanted.End};
  bool IsPossible = First == Wanted.End || takeWhole(View, Tables, Slot.Moved);
  if (View.Sections.empty())
    IsPossible &= isKnown(View, Tables, {End, Slot.Moved.End});
  // The table grows within its segment.
  IsPossible &= getLoad(View, {View.Header.e_phoff, Wanted.End}) != nullptr;
  uint64_t Sections = View.Header.e_shoff;
  Range Headers = {Sections,
                   Sections + View.Sections.size() * sizeof(Elf::Shdr)};
  IsPossible &= !Headers.overlaps({End, Slot.Moved.End});
  if (IsPossible && !Slot.Moved.empty()) {
    Expected<bool> CanMove = canMove(View, Pointers, Tables, Slot.Moved);
    if (!CanMove)
      return CanMove.takeError();
    IsPossible = *CanMove;
  }
  if (!IsPossible)
    return View.error("no room for one more program header, and what stands "
                      "behind their table cannot be moved; link it with "
                      "--build-id, or with ld.kpack from its objects");
  return Slot;
}

} // namespace kpack::hostrewrite
