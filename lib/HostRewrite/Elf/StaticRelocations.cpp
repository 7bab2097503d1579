//===- StaticRelocations.cpp - relocations of --emit-relocs ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target is the symbol's address without the addend, which may lead out of
// the symbol's section. For linker-generated tables and code the target is
// computed from the field. Place and target each move with their section.
//
//===----------------------------------------------------------------------===//
#include "StaticRelocations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace kpack::hostrewrite {

Error StaticRelocations::unknown(const StaticRelocation &R) const {
  return Move.refuse("the relocation of type " + Twine(R.Type) + " at 0x" +
                     Twine::utohexstr(R.Place) + " in " +
                     View.sectionName(View.Sections[R.Target]) +
                     " is not what stands there");
}

Error StaticRelocations::readSymbol(const Elf::Shdr &Table, uint32_t Index,
                                    StaticRelocation &R) const {
  if (Index >= fileRange(Table).size() / sizeof(Elf::Sym))
    return Move.refuse("a relocation has a symbol that is not there");
  const auto &S = *reinterpret_cast<const Elf::Sym *>(
      View.Bytes.data() + Table.sh_offset + Index * sizeof(Elf::Sym));
  uint16_t Section = S.st_shndx;
  R.Value = S.st_value;
  R.IsThreadLocal = S.getType() == ELF::STT_TLS;
  R.IsAbsolute = Section == ELF::SHN_ABS;
  R.IsUndefined = Section == ELF::SHN_UNDEF;
  R.IsDefined = !R.IsUndefined;
  if (R.IsUndefined || R.IsAbsolute)
    return Error::success();
  if (Section >= View.Sections.size())
    return Move.refuse("a symbol's section is not there");
  R.IsUnloaded = !(View.Sections[Section].sh_flags & ELF::SHF_ALLOC);
  R.IsDevice = Section == DeviceSection;
  return Error::success();
}

/// True if \p Target, computed from the field, is the symbol of the relocation,
/// or a place that the linker made for it.
bool StaticRelocations::isWhatItNames(const StaticRelocation &R,
                                      uint64_t Target) const {
  bool IsOfGot = false;
  switch (R.Type) {
  case ELF::R_X86_64_PC32:
  case ELF::R_X86_64_PC64:
  case ELF::R_X86_64_PLT32:
    IsOfGot = OldCall == R.Place && OldCallReadsGot;
    break;
  default:
    IsOfGot = true;
  }
  if (IsOfGot && Move.isGot(Target))
    return true;
  if (R.IsThreadLocal || R.IsDevice || R.IsUnloaded)
    return false;
  // An undefined weak symbol has the address 0.
  return (R.IsDefined && Target == R.Value) ||
         (R.IsUndefined && Target == 0 && R.Value == 0) || Move.isPlt(Target);
}

/// Reports the field's new distance to \p Target. Returns false if place or
/// target has no new address.
bool StaticRelocations::changeRelative(const StaticRelocation &R,
                                       const MovedField &Field,
                                       uint64_t FieldAddress, uint64_t Target) {
  std::optional<uint64_t> NewTarget = Move.of(Target),
                          NewField = Move.of(FieldAddress);
  bool IsBad = R.IsAbsolute && Target == R.Value && Move.isAmongMoved(Target);
  if (!NewTarget || !NewField || IsBad)
    return false;
  Move.set(Field, Move.read(Field) + (*NewTarget - Target) -
                      (*NewField - FieldAddress));
  return true;
}

Error StaticRelocations::visitRelative(const StaticRelocation &R,
                                       unsigned Size) {
  if (OldCall == R.Place && !OldCallReadsGot)
    return Error::success();
  std::optional<MovedField> Field = Move.placeAt(R.Place, Size);
  if (!Field || Field->Section != R.Target)
    return unknown(R);
  uint64_t Target = R.Place + Move.readSigned(*Field) - R.Addend;
  if (!isWhatItNames(R, Target))
    return visitRelaxed(R);
  return changeRelative(R, *Field, R.Place, Target) ? Error::success()
                                                    : unknown(R);
}

/// The addend belongs to the old place of the distance, one byte later.
bool StaticRelocations::isMovedJump(const StaticRelocation &R,
                                    const MovedField &Field) {
  uint64_t Address = View.Sections[R.Target].sh_addr + Field.Offset;
  uint64_t Target = Address + Move.readSigned(Field) + 4;
  bool IsIt =
      (R.IsDefined && Target == R.Value + R.Addend + 4) || Move.isPlt(Target);
  return IsIt && !R.IsDevice && changeRelative(R, Field, Address, Target);
}

Error StaticRelocations::visitRelaxed(const StaticRelocation &R) {
  const Elf::Shdr &Section = View.Sections[R.Target];
  if (!(Section.sh_flags & ELF::SHF_EXECINSTR))
    return unknown(R);
  RelaxedAccess Access =
      findRelaxed(Move.bytesOf(R.Target), R.Place - Section.sh_addr, R);
  std::optional<MovedField> Field =
      AddressMove::placeIn(View, R.Target, Access.Field, /*Size=*/4);
  switch (Access.Kind) {
  case RelaxedAccess::NotKnown:
    return unknown(R);
  case RelaxedAccess::Constant:
    OldCall = Access.Call;
    OldCallReadsGot = Access.CallReadsGot;
    return Error::success();
  case RelaxedAccess::Address: {
    std::optional<uint64_t> NewAddress = Move.of(R.Value);
    if (!Field || !NewAddress || R.IsDevice || R.IsUnloaded || R.IsThreadLocal)
      return unknown(R);
    Move.set(*Field, Move.read(*Field) + (*NewAddress - R.Value));
    return Error::success();
  }
  case RelaxedAccess::Jump:
    return Field && isMovedJump(R, *Field) ? Error::success() : unknown(R);
  }
  llvm_unreachable("all kinds are handled");
}

/// Handles an absolute address, or zeros if a loader writes it.
Error StaticRelocations::visitAbsolute(const StaticRelocation &R,
                                       unsigned Size) {
  if (!(View.Sections[R.Target].sh_flags & ELF::SHF_ALLOC))
    return visitUnloaded(R, Size);
  std::optional<MovedField> Field = Move.placeAt(R.Place, Size);
  if (!Field || Field->Section != R.Target || R.IsThreadLocal)
    return unknown(R);
  if (Size == 8)
    PointerPlaces.insert(R.Place);
  if (R.IsDevice)
    return Pointers.ByPointer.count(R.Place) ? Error::success() : unknown(R);
  uint64_t Mask = Size == 8 ? ~uint64_t(0) : UINT32_MAX;
  uint64_t Is = Move.read(*Field), Named = R.Value;
  bool IsNumber = R.IsUnloaded || (R.IsUndefined && R.Value == 0);
  if (R.IsAbsolute && Move.isAmongMoved(R.Value))
    return unknown(R);
  if (Is == ((R.Value + R.Addend) & Mask) && (IsNumber || R.IsAbsolute))
    return Error::success();
  if (Is != ((R.Value + R.Addend) & Mask)) {
    // Zeros mean that the loader's relocation has the address. Otherwise the
    // address is a place that the linker made for a function, or for a
    // library's variable.
    if (Is == 0)
      return Error::success();
    if (!Move.isPlt(Is) && !(R.IsUndefined && Move.sectionAt(Is)))
      return unknown(R);
    Named = Is;
  }
  std::optional<uint64_t> NewAddress = Move.of(Named);
  if (!NewAddress)
    return unknown(R);
  Move.set(*Field, Is + (*NewAddress - Named));
  return Error::success();
}

/// Handles debug information; references to dropped code are small numbers.
Error StaticRelocations::visitUnloaded(const StaticRelocation &R,
                                       unsigned Size) {
  const Elf::Shdr &Section = View.Sections[R.Target];
  if (R.IsUndefined || R.IsAbsolute || R.IsThreadLocal || R.IsUnloaded)
    return Error::success();
  std::optional<MovedField> Field =
      AddressMove::placeIn(View, R.Target, R.Place - Section.sh_addr, Size);
  std::optional<uint64_t> NewAddress = Move.of(R.Value);
  if (!Field || !NewAddress || R.IsDevice)
    return unknown(R);
  uint64_t Mask = Size == 8 ? ~uint64_t(0) : UINT32_MAX;
  uint64_t Is = Move.read(*Field);
  if (Is == ((R.Value + R.Addend) & Mask))
    Move.set(*Field, Is + (*NewAddress - R.Value));
  else if (((Is + 2) & Mask) > 3)
    return unknown(R);
  return Error::success();
}

/// Handles fields of one or two bytes: place and target must move alike.
Error StaticRelocations::visitShort(const StaticRelocation &R) {
  std::optional<uint64_t> NewAddress = Move.of(R.Value),
                          NewPlace = Move.of(R.Place);
  bool IsKept =
      R.IsUndefined || R.IsUnloaded ||
      (NewAddress && NewPlace && *NewAddress - R.Value == *NewPlace - R.Place);
  return IsKept ? Error::success() : unknown(R);
}

Error StaticRelocations::visit(const StaticRelocation &R) {
  switch (R.Type) {
  case ELF::R_X86_64_NONE:
  case ELF::R_X86_64_TLSDESC_CALL:
  case ELF::R_X86_64_DTPOFF32:
  case ELF::R_X86_64_DTPOFF64:
  case ELF::R_X86_64_TPOFF32:
  case ELF::R_X86_64_TPOFF64:
  case ELF::R_X86_64_SIZE32:
  case ELF::R_X86_64_SIZE64:
    return Error::success();
  case ELF::R_X86_64_64:
    return visitAbsolute(R, /*Size=*/8);
  case ELF::R_X86_64_32:
  case ELF::R_X86_64_32S:
    return visitAbsolute(R, /*Size=*/4);
  case ELF::R_X86_64_PC8:
  case ELF::R_X86_64_PC16:
    return visitShort(R);
  case ELF::R_X86_64_PC32:
  case ELF::R_X86_64_PLT32:
  case ELF::R_X86_64_GOTPCREL:
  case ELF::R_X86_64_GOTPCRELX:
  case ELF::R_X86_64_REX_GOTPCRELX:
  case ELF::R_X86_64_GOTPC32:
  case ELF::R_X86_64_GOTTPOFF:
  case ELF::R_X86_64_GOTPC32_TLSDESC:
  case ELF::R_X86_64_TLSGD:
  case ELF::R_X86_64_TLSLD:
    return visitRelative(R, /*Size=*/4);
  case ELF::R_X86_64_PC64:
    return visitRelative(R, /*Size=*/8);
  }
  return Move.refuse("it has a relocation of type " + Twine(R.Type) +
                     ", which is not known here");
}

Error StaticRelocations::visitSection(size_t Relocations) {
  const Elf::Shdr &Section = View.Sections[Relocations];
  if (Section.sh_info >= View.Sections.size() ||
      Section.sh_link >= View.Sections.size() ||
      View.Sections[Section.sh_link].sh_type != ELF::SHT_SYMTAB)
    return Move.refuse("its relocations have no symbols");
  size_t Target = Section.sh_info;
  const Elf::Shdr &Header = View.Sections[Target];
  bool IsEhFrame = View.sectionName(Header) == ".eh_frame";
  if (Header.sh_flags & ELF::SHF_COMPRESSED)
    return Move.refuse("section " + View.sectionName(Header) +
                       " is compressed");
  Range File = fileRange(Section);
  for (uint64_t Offset = File.Begin; Offset + sizeof(Elf::Rela) <= File.End;
       Offset += sizeof(Elf::Rela)) {
    const auto &Entry =
        *reinterpret_cast<const Elf::Rela *>(View.Bytes.data() + Offset);
    StaticRelocation R;
    R.Target = Target;
    R.Place = Entry.r_offset;
    R.Addend = static_cast<uint64_t>(static_cast<int64_t>(Entry.r_addend));
    R.Type = Entry.getType(/*isMips64EL=*/false);
    if (IsEhFrame && R.Type != ELF::R_X86_64_NONE)
      EhFramePlaces.push_back(R.Place);
    if (Error E = readSymbol(View.Sections[Section.sh_link],
                             Entry.getSymbol(/*isMips64EL=*/false), R))
      return E;
    if (IsEhFrame)
      continue;
    if (Error E = visit(R))
      return E;
  }
  return Error::success();
}

Error StaticRelocations::run() {
  bool HasCode = false;
  for (size_t I = 0; I != View.Sections.size(); ++I) {
    const Elf::Shdr &Section = View.Sections[I];
    if (Section.sh_type != ELF::SHT_RELA || (Section.sh_flags & ELF::SHF_ALLOC))
      continue;
    OldCall.reset();
    if (Error E = visitSection(I))
      return E;
    HasCode |=
        View.Sections[Section.sh_info].sh_flags & uint64_t(ELF::SHF_EXECINSTR);
  }
  llvm::sort(EhFramePlaces);
  if (!HasCode)
    return Move.refuse("the linker's relocations are not in it, which "
                       "-Wl,--emit-relocs keeps");
  return Error::success();
}

} // namespace kpack::hostrewrite
