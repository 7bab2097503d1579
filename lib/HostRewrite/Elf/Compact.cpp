//===- Compact.cpp - fields that a compact layout changes -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sections of unknown types, and tables of addresses without relocations,
// prevent a compact layout.
//
//===----------------------------------------------------------------------===//
#include "Compact.h"

#include "MovedTables.h"
#include "UnwindTables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace kpack::hostrewrite {

/// True for loaded sections that have addresses only at relocations, or in a
/// format that this folder reads.
static bool isKnownType(const Elf::Shdr &Section) {
  switch (Section.sh_type) {
  case ELF::SHT_PROGBITS:
  case ELF::SHT_NOBITS:
  case ELF::SHT_NOTE:
  case ELF::SHT_HASH:
  case ELF::SHT_GNU_HASH:
  case ELF::SHT_DYNAMIC:
  case ELF::SHT_DYNSYM:
  case ELF::SHT_STRTAB:
  case ELF::SHT_RELA:
  case ELF::SHT_RELR:
  case ELF::SHT_INIT_ARRAY:
  case ELF::SHT_FINI_ARRAY:
  case ELF::SHT_PREINIT_ARRAY:
  case ELF::SHT_GNU_versym:
  case ELF::SHT_GNU_verdef:
  case ELF::SHT_GNU_verneed:
  case ELF::SHT_X86_64_UNWIND:
    return true;
  }
  return false;
}

/// True for tables of addresses without relocations.
static bool hasAddressesOfItsOwn(StringRef Name) {
  return Name == ".sframe" || Name == ".gdb_index" ||
         Name == ".gnu_debugdata" || Name == ".gnu.prelink_undo";
}

/// True if a table of offsets to types has lost its relocations; no other check
/// would notice.
static bool lacksRelocations(const ElfView &View, size_t Index) {
  const Elf::Shdr &Section = View.Sections[Index];
  if (!View.sectionName(Section).starts_with(".gcc_except_table") ||
      fileRange(Section).empty())
    return false;
  return none_of(View.Sections, [&](const Elf::Shdr &Section) {
    return Section.sh_type == ELF::SHT_RELA && Section.sh_info == Index;
  });
}

static Error checkSections(const ElfView &View, const AddressMove &Move) {
  if (View.Sections.size() >= ELF::SHN_LORESERVE)
    return Move.refuse("it has too many sections");
  for (const Elf::Shdr &Section : View.Sections) {
    StringRef Name = View.sectionName(Section);
    bool IsLoaded = Section.sh_flags & ELF::SHF_ALLOC;
    if (Name == ".gnu_debuglink")
      return Move.refuse("the debug file that its .gnu_debuglink names has "
                         "the addresses of now");
    if ((IsLoaded && !isKnownType(Section)) || hasAddressesOfItsOwn(Name))
      return Move.refuse("section " + Name +
                         " is of a kind whose addresses "
                         "are not known");
    if (Section.sh_type == ELF::SHT_REL || Section.sh_type == ELF::SHT_CREL)
      return Move.refuse("relocations in section " + Name +
                         " are of a kind that is not known");
  }
  return Error::success();
}

Expected<std::vector<MovedField>> findMovedFields(const ElfView &View,
                                                  const PointerFacts &Pointers,
                                                  const ElfLayout &Layout) {
  Expected<AddressMove> Move = AddressMove::create(View, Layout);
  if (!Move)
    return Move.takeError();
  if (View.Header.e_machine != ELF::EM_X86_64)
    return Move->refuse("it is not for x86-64");
  if (Error E = checkSections(View, *Move))
    return std::move(E);
  size_t Device = *Layout.Device.Section;
  StaticRelocations Static(View, Pointers, Device, *Move);
  if (Error E = Static.run())
    return std::move(E);
  for (size_t I = 0; I != View.Sections.size(); ++I)
    if (lacksRelocations(View, I))
      return Move->refuse("section " + View.sectionName(View.Sections[I]) +
                          " has no relocations");
  if (Error E = moveLoadedPointers(View, Pointers, Static, *Move))
    return std::move(E);
  if (Error E = movePltCode(View, *Move))
    return std::move(E);
  if (Error E = moveUnwindTables(View, Static.ehFramePlaces(), *Move))
    return std::move(E);
  if (Error E = checkSymbols(View, Device, *Move))
    return std::move(E);
  if (Error E = checkDynamicTable(View, *Move))
    return std::move(E);
  return Move->takeChanged();
}

} // namespace kpack::hostrewrite
