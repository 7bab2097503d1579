//===- PointerPatch.cpp - updated references to moved parts ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a layout that keeps addresses only the few parts that made room have
// moved, and only tables refer to them. In a compact layout all parts after the
// device code have moved; Compact.h found the references that the linker
// resolved. Sibling: Rewrite.cpp.
//===----------------------------------------------------------------------===//
#include "PointerPatch.h"

#include "HeaderSlot.h"
#include "MovedTables.h"
#include "Offload/HipSymbols.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

namespace {
class PointerPatcher {
public:
  PointerPatcher(const ElfView &View, const PointerFacts &Pointers,
                 const ElfLayout &Layout, ArrayRef<MovedField> Fields,
                 uint64_t MarkerSize, NewSections Sections, FilePatch &Patch)
      : View(View), Pointers(Pointers), Layout(Layout), Fields(Fields),
        MarkerSize(MarkerSize), Sections(Sections), Patch(Patch) {}
  void run();

private:
  void patchDynamic();
  void patchWrappers();
  void patchRelocation(const WrapperSite &Site);
  void patchFields();
  bool changeRelocation(Elf::Rela &R, const Elf::Shdr &Table) const;
  bool changeSymbol(Elf::Sym &Symbol) const;
  bool isLoaded(size_t Section) const {
    return View.Sections[Section].sh_flags & ELF::SHF_ALLOC;
  }

  const ElfView &View;
  const PointerFacts &Pointers;
  const ElfLayout &Layout;
  const ArrayRef<MovedField> Fields;
  const uint64_t MarkerSize;
  const NewSections Sections;
  FilePatch &Patch;
};
} // namespace

void PointerPatcher::patchDynamic() {
  for (const DynamicEntry &Entry : View.Dynamic)
    if (Layout.ShiftFrom ? isAddressTag(Entry.Tag)
                         : pointsToMovable(Entry.Tag) &&
                               Layout.MovedAddresses.contains(Entry.Value))
      Patch.write64(Layout.newOffset(Entry.FileOffset) + sizeof(uint64_t),
                    Layout.newAddress(Entry.Value));
}

void PointerPatcher::patchRelocation(const WrapperSite &Site) {
  Elf::Rela R = *reinterpret_cast<const Elf::Rela *>(View.Bytes.data() +
                                                     *Site.RelaOffset);
  R.r_offset = Layout.newAddress(R.r_offset);
  R.r_addend = static_cast<int64_t>(Layout.MarkerAddress);
  if (Site.HasSymbol)
    R.setSymbolAndType(0, View.RelativeType, /*isMips64EL=*/false);
  Patch.write(Layout.newOffset(*Site.RelaOffset), &R, sizeof(R));
}

void PointerPatcher::patchWrappers() {
  for (size_t I = 0; I != Pointers.Wrappers.size(); ++I) {
    const WrapperSite &Site = Pointers.Wrappers[I];
    char Bytes[offload::WrapperSize];
    write32le(Bytes, offload::WrapperMagicKpack);
    write32le(Bytes + 4, offload::WrapperVersion);
    // With a RELA entry the bytes in place are ignored; most linkers leave
    // zeros there, and those stay.
    bool IsInPlace = !Site.RelaOffset || Site.InPlace != 0;
    write64le(Bytes + offload::WrapperPointerOffset,
              IsInPlace ? Layout.MarkerAddress : 0);
    write64le(Bytes + offload::WrapperReservedOffset, I);
    Patch.write(Layout.newOffset(Site.FileOffset), Bytes, sizeof(Bytes));
    if (Site.RelaOffset)
      patchRelocation(Site);
  }
}

/// Symbols of device code become symbols of the marker, and symbols of moved
/// parts move along.
bool PointerPatcher::changeSymbol(Elf::Sym &Symbol) const {
  size_t Index = Symbol.st_shndx;
  uint64_t Value = Symbol.st_value;
  if (Layout.ShiftFrom && Index == ELF::SHN_UNDEF) {
    Symbol.st_value = Layout.newAddress(Value); // of code in .plt
    return Symbol.st_value != Value;
  }
  if (Index == ELF::SHN_UNDEF || Index >= Sections.Index.size())
    return false;
  if (Index == *Layout.Device.Section) {
    Value = Layout.MarkerAddress;
    if (Symbol.st_size != 0)
      Symbol.st_size = MarkerSize;
  } else if (isAddress(Symbol, View.Sections[Index]) &&
             (Layout.ShiftFrom || Layout.MovedAddresses.contains(Value))) {
    Value = Layout.newAddress(Value);
  }
  bool IsChanged = Value != Symbol.st_value || Sections.Index[Index] != Index;
  Symbol.st_value = Value;
  Symbol.st_shndx = Sections.Index[Index];
  return IsChanged || Index == *Layout.Device.Section;
}

void PointerPatcher::patchFields() {
  for (const MovedField &Field : Fields) {
    char Bytes[sizeof(uint64_t)];
    write64le(Bytes, Field.Value);
    Patch.write(Sections.Headers[Field.Section].sh_offset + Field.Offset, Bytes,
                Field.Size);
  }
}

/// Moves places, and addends of the loader's relative relocations. Static
/// relocations have symbols; symbols of device code now mean the marker.
bool PointerPatcher::changeRelocation(Elf::Rela &R,
                                      const Elf::Shdr &Table) const {
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

void PointerPatcher::run() {
  auto NewOffset = [&](size_t I) -> uint64_t {
    return Sections.Headers[I].sh_offset;
  };
  patchDynamic();
  if (Layout.ShiftFrom) {
    patchFields();
    patchTables<Elf::Rela>(
        View, {ELF::SHT_RELA},
        [&](Elf::Rela &R, const Elf::Shdr &Table) {
          return changeRelocation(R, Table);
        },
        NewOffset, Patch);
  }
  patchWrappers();
  patchSymbols(
      View, [&](Elf::Sym &Symbol) { return changeSymbol(Symbol); }, NewOffset,
      Patch);
}

void patchPointers(const ElfView &View, const PointerFacts &Pointers,
                   const ElfLayout &Layout, ArrayRef<MovedField> Fields,
                   uint64_t MarkerSize, NewSections Sections,
                   FilePatch &Patch) {
  PointerPatcher(View, Pointers, Layout, Fields, MarkerSize, Sections, Patch)
      .run();
}

} // namespace kpack::hostrewrite
