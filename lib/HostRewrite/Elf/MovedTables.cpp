//===- MovedTables.cpp - moved linker-generated tables --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a relative relocation of the loader has no counterpart among the static
// relocations, those are incomplete: a tool removed some, or an object was
// linked without them. For position-independent files this check proves
// that the data is covered.
//
//===----------------------------------------------------------------------===//
#include "MovedTables.h"

#include "Relocations.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

namespace {
class PointerMover {
public:
  PointerMover(const ElfView &View, const PointerFacts &Pointers,
               const StaticRelocations &Static, AddressMove &Move)
      : View(View), Pointers(Pointers), Static(Static), Move(Move) {}
  Error run();

private:
  Error visit(const Relocation &R);
  Error visitSections();
  Error moveRelr(size_t Section);
  Error moveGot(size_t Section);
  Error moveGotWord(const MovedField &Word, uint64_t Address);
  Error odd(uint64_t Address) const {
    return Move.refuse("the pointer at 0x" + Twine::utohexstr(Address) +
                       " is not understood");
  }

  const ElfView &View;
  const PointerFacts &Pointers;
  const StaticRelocations &Static;
  AddressMove &Move;
  DenseMap<uint64_t, uint32_t> Types; // of relocations in .got
  std::vector<Range> Tables;          // of RELA, in the file
};
} // namespace

/// True if the addend of a relocation without a symbol is an address.
static bool addsAddress(const Relocation &R) {
  return R.IsRelative || R.Type == ELF::R_X86_64_IRELATIVE;
}

Error PointerMover::visit(const Relocation &R) {
  std::optional<uint64_t> Place = Move.of(R.Address);
  bool IsWrapper = Pointers.ByPointer.count(R.Address);
  if (!Place || (addsAddress(R) && !IsWrapper && !Move.of(R.Addend)))
    return odd(R.Address);
  if (R.RelaOffset &&
      none_of(Tables, [&](Range T) { return T.contains(*R.RelaOffset); }))
    return Move.refuse("its relocations are in no section");
  bool IsGot = Move.isGot(R.Address);
  if (IsGot)
    Types[R.Address] = R.Type;
  if (!R.IsRelative || IsWrapper)
    return Error::success();
  if (!IsGot && !Static.hasPointerAt(R.Address))
    return Move.refuse("the linker's relocations are not all in it: none is "
                       "for the pointer at 0x" +
                       Twine::utohexstr(R.Address));
  // The bytes in place are the address or zeros.
  std::optional<MovedField> Field = Move.placeAt(R.Address, /*Size=*/8);
  if (!Field)
    return odd(R.Address);
  uint64_t Is = Move.read(*Field);
  if (Is == R.Addend)
    Move.set(*Field, *Move.of(R.Addend));
  else if (Is != 0)
    return odd(R.Address);
  return Error::success();
}

/// Entries have 8 bytes: an address, or a bitmap of the 63 words after the last
/// one. All places of a bitmap have to move like the address before it.
Error PointerMover::moveRelr(size_t Section) {
  uint64_t Base = 0, NewBase = 0;
  uint64_t Count = fileRange(View.Sections[Section]).size() / 8;
  for (uint64_t I = 0; I != Count; ++I) {
    MovedField Field = {uint32_t(Section), 8, I * 8, 0};
    uint64_t Word = Move.read(Field);
    if ((Word & 1) == 0) {
      std::optional<uint64_t> Target = Move.of(Word);
      if (!Target)
        return odd(Word);
      Move.set(Field, *Target);
      Base = Word + 8;
      NewBase = *Target + 8;
      continue;
    }
    for (unsigned Bit = 1; Bit != 64; ++Bit)
      if (Word >> Bit & 1) {
        uint64_t More = (Bit - 1) * 8;
        if (Move.of(Base + More) != NewBase + More)
          return odd(Base + More);
      }
    Base += 63 * 8;
    NewBase += 63 * 8;
  }
  return Error::success();
}

/// Moves a word without a relative relocation: the dynamic table's address, the
/// code in .plt for the first call of a function, or an offset of thread-local
/// memory; in a position-dependent program, any address.
Error PointerMover::moveGotWord(const MovedField &Word, uint64_t Address) {
  uint64_t Is = Move.read(Word);
  if (!Move.isAmongMoved(Is))
    return Error::success();
  bool IsKnown = Move.isPlt(Is);
  for (const Elf::Phdr &Segment : View.Segments) {
    IsKnown |= Segment.p_type == ELF::PT_DYNAMIC && Segment.p_vaddr == Is;
    // Small numbers are no addresses in an ET_EXEC file.
    if (View.Header.e_type == ELF::ET_EXEC && Segment.p_type == ELF::PT_TLS &&
        Segment.p_memsz > Is)
      return odd(Address);
  }
  if (View.Header.e_type == ELF::ET_EXEC)
    IsKnown |= !Types.count(Address) ||
               Types.lookup(Address) == ELF::R_X86_64_IRELATIVE;
  std::optional<uint64_t> Target = Move.of(Is);
  if (!IsKnown || !Target)
    return odd(Address);
  Move.set(Word, *Target);
  return Error::success();
}

Error PointerMover::moveGot(size_t Section) {
  uint64_t Begin = View.Sections[Section].sh_addr;
  uint64_t Count = fileRange(View.Sections[Section]).size() / 8;
  for (uint64_t I = 0; I != Count; ++I) {
    auto Type = Types.find(Begin + I * 8);
    // RELR relocations have type 0.
    if (Type != Types.end() &&
        (Type->second == View.RelativeType || Type->second == 0))
      continue;
    if (Error E = moveGotWord({uint32_t(Section), 8, I * 8, 0}, Begin + I * 8))
      return E;
  }
  return Error::success();
}

Error PointerMover::visitSections() {
  for (size_t I = 0; I != View.Sections.size(); ++I) {
    const Elf::Shdr &Section = View.Sections[I];
    StringRef Name = View.sectionName(Section);
    bool IsLoaded = Section.sh_flags & ELF::SHF_ALLOC;
    if (IsLoaded && Section.sh_type == ELF::SHT_RELR)
      if (Error E = moveRelr(I))
        return E;
    if (IsLoaded && (Name == ".got" || Name == ".got.plt"))
      if (Error E = moveGot(I))
        return E;
  }
  return Error::success();
}

Error PointerMover::run() {
  for (const Elf::Shdr &Section : View.Sections)
    if (Section.sh_type == ELF::SHT_RELA && (Section.sh_flags & ELF::SHF_ALLOC))
      Tables.push_back(fileRange(Section));
  if (View.Dynamic.empty() && !Tables.empty())
    return Move.refuse("it has relocations and no dynamic table");
  if (Error E = forEachRelocation(
          View, [&](const Relocation &R) { return visit(R); }))
    return E;
  return visitSections();
}

Error moveLoadedPointers(const ElfView &View, const PointerFacts &Pointers,
                         const StaticRelocations &Static, AddressMove &Move) {
  return PointerMover(View, Pointers, Static, Move).run();
}

/// True if the symbol can move with its section.
static bool canMove(const ElfView &View, const Elf::Sym &Symbol,
                    const AddressMove &Move) {
  uint64_t Value = Symbol.st_value;
  uint16_t Index = Symbol.st_shndx;
  if (Index == ELF::SHN_UNDEF)
    return Value == 0 || Move.isPlt(Value);
  if (Index >= View.Sections.size())
    return Index == ELF::SHN_ABS && !Move.isAmongMoved(Value);
  const Elf::Shdr &Section = View.Sections[Index];
  if (!(Section.sh_flags & ELF::SHF_ALLOC))
    return true;
  std::optional<uint64_t> Target = Move.of(Value);
  return Target && (*Target != Value) == Move.moves(Section.sh_addr);
}

Error checkSymbols(const ElfView &View, size_t DeviceSection,
                   const AddressMove &Move) {
  for (const Elf::Shdr &Table : View.Sections) {
    if (Table.sh_type != ELF::SHT_SYMTAB && Table.sh_type != ELF::SHT_DYNSYM)
      continue;
    const auto *Begin =
        reinterpret_cast<const Elf::Sym *>(View.Bytes.data() + Table.sh_offset);
    ArrayRef<Elf::Sym> All(Begin, fileRange(Table).size() / sizeof(Elf::Sym));
    for (const auto &[I, Symbol] : enumerate(All))
      if (Symbol.getType() != ELF::STT_TLS &&
          Symbol.st_shndx != DeviceSection && !canMove(View, Symbol, Move))
        return Move.refuse("symbol " + Twine(I) + " of section " +
                           View.sectionName(Table) + " cannot move");
  }
  return Error::success();
}

bool isAddressTag(int64_t Tag) {
  switch (Tag) {
  case ELF::DT_PLTGOT:
  case ELF::DT_HASH:
  case ELF::DT_STRTAB:
  case ELF::DT_SYMTAB:
  case ELF::DT_RELA:
  case ELF::DT_INIT:
  case ELF::DT_FINI:
  case ELF::DT_JMPREL:
  case ELF::DT_INIT_ARRAY:
  case ELF::DT_FINI_ARRAY:
  case ELF::DT_PREINIT_ARRAY:
  case ELF::DT_RELR:
  case ELF::DT_GNU_HASH:
  case ELF::DT_VERSYM:
  case ELF::DT_VERDEF:
  case ELF::DT_VERNEED:
  case ELF::DT_TLSDESC_PLT:
  case ELF::DT_TLSDESC_GOT:
    return true;
  }
  return false;
}

/// True for tags with numbers and string offsets.
static bool isNumberTag(int64_t Tag) {
  switch (Tag) {
  case ELF::DT_NEEDED:
  case ELF::DT_SONAME:
  case ELF::DT_RPATH:
  case ELF::DT_RUNPATH:
  case ELF::DT_PLTRELSZ:
  case ELF::DT_RELASZ:
  case ELF::DT_RELAENT:
  case ELF::DT_STRSZ:
  case ELF::DT_SYMENT:
  case ELF::DT_SYMBOLIC:
  case ELF::DT_PLTREL:
  case ELF::DT_DEBUG:
  case ELF::DT_TEXTREL:
  case ELF::DT_BIND_NOW:
  case ELF::DT_INIT_ARRAYSZ:
  case ELF::DT_FINI_ARRAYSZ:
  case ELF::DT_PREINIT_ARRAYSZ:
  case ELF::DT_RELRSZ:
  case ELF::DT_RELRENT:
  case ELF::DT_FLAGS:
  case ELF::DT_FLAGS_1:
  case ELF::DT_RELACOUNT:
  case ELF::DT_RELCOUNT:
  case ELF::DT_VERDEFNUM:
  case ELF::DT_VERNEEDNUM:
    return true;
  }
  return false;
}

Error checkDynamicTable(const ElfView &View, const AddressMove &Move) {
  for (const DynamicEntry &Entry : View.Dynamic) {
    bool IsKnown = isNumberTag(Entry.Tag);
    if (isAddressTag(Entry.Tag))
      IsKnown = Move.of(Entry.Value).has_value();
    if (!IsKnown)
      return Move.refuse("its dynamic table has tag 0x" +
                         Twine::utohexstr(Entry.Tag) +
                         ", which is not understood");
  }
  return Error::success();
}

} // namespace kpack::hostrewrite
