//===- Wrappers.cpp - fat-binary wrappers of a linked file ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target of a wrapper comes from one of three sources, depending on linker
// and mode: the bytes in place (non-PIE; RELR keeps the addend there too), a
// RELA entry R_*_RELATIVE (PIE, shared), or a RELA entry with a symbol (if the
// pointer can be preempted). Wrong guesses are reference defects D1 and D2.
//
//===----------------------------------------------------------------------===//
#include "Offload/Wrappers.h"

#include "Damaged.h"
#include "PeWrappers.h"

#include "Offload/CutOff.h"
#include "Offload/HipSymbols.h"
#include "Offload/PeImage.h"
#include "ToolSupport/ElfFile.h"
#include "ToolSupport/Errors.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::object;
using namespace llvm::support::endian;

namespace kpack::offload {

namespace {

class LinkedBinaryReader {
public:
  LinkedBinaryReader(const ElfFile &Elf, StringRef Name)
      : Elf(Elf), Name(Name) {}

  Expected<LinkedBinary> run();

private:
  using Shdr = ELF64LE::Shdr;

  Error readSection(const Shdr &Section, StringRef SectionName);
  Error addWrappers(const Shdr &Section, StringRef Bytes);
  Error applyRela(const Shdr &Section);
  Wrapper *wrapperWithPointerAt(uint64_t Address);
  Expected<uint64_t> symbolValue(const Shdr &Section, uint32_t Symbol);

  Error error(Error Cause) const {
    return damagedBinary(Name, toString(std::move(Cause)));
  }
  Error error(const Twine &What) const { return objectError(Name, What); }

  const ElfFile &Elf;
  StringRef Name;
  LinkedBinary Result;
  ELF64LE::ShdrRange Sections;
};

} // namespace

Expected<LinkedBinary> LinkedBinaryReader::run() {
  Expected<ELF64LE::ShdrRange> Table = Elf.sections();
  if (!Table)
    return error(Table.takeError());
  Sections = *Table;
  if (Sections.empty() && Elf.getHeader().e_phnum != 0)
    return error("has no section headers; link it without "
                 "-z nosectionheader");
  for (const Shdr &Section : Sections) {
    Expected<StringRef> SectionName = Elf.getSectionName(Section);
    if (!SectionName)
      return error(SectionName.takeError());
    if (Error E = readSection(Section, *SectionName))
      return std::move(E);
  }
  if (Result.Wrappers.empty())
    return std::move(Result);
  llvm::sort(Result.Wrappers, [](const Wrapper &A, const Wrapper &B) {
    return A.Address < B.Address;
  });
  // RELR needs no work: it adds the load address to the bytes in place.
  for (const Shdr &Section : Sections)
    if (Section.sh_type == ELF::SHT_RELA && (Section.sh_flags & ELF::SHF_ALLOC))
      if (Error E = applyRela(Section))
        return std::move(E);
  return std::move(Result);
}

Error LinkedBinaryReader::readSection(const Shdr &Section,
                                      StringRef SectionName) {
  bool IsWrappers = SectionName == WrapperSectionName;
  bool IsMarker = SectionName == StringRef(MarkerSectionName);
  if (SectionName == FatBinSectionName)
    Result.FatBinSize += Section.sh_size;
  if (!IsWrappers && !IsMarker)
    return Error::success();
  if (Section.sh_type == ELF::SHT_NOBITS)
    return error("section " + SectionName +
                 " has no contents; give the file "
                 "itself, not its debug file");
  Expected<ArrayRef<uint8_t>> Contents = Elf.getSectionContents(Section);
  if (!Contents)
    return error(Contents.takeError());
  StringRef Bytes = toStringRef(*Contents);
  if (IsWrappers)
    return addWrappers(Section, Bytes);
  if (Result.MarkerAddress != 0)
    return damagedBinary(Name, "more than one section " + SectionName);
  Result.MarkerBytes = Bytes;
  Result.MarkerAddress = Section.sh_addr;
  return Error::success();
}

Error LinkedBinaryReader::addWrappers(const Shdr &Section, StringRef Bytes) {
  Expected<std::vector<uint64_t>> Offsets = findWrappers(Bytes);
  if (!Offsets)
    return damagedBinary(Name, Twine(WrapperSectionName) + ": " +
                                   toString(Offsets.takeError()));
  for (uint64_t At : *Offsets) {
    const char *Struct = Bytes.data() + At;
    Wrapper W;
    W.FileOffset = Section.sh_offset + At;
    W.Address = Section.sh_addr + At;
    W.Magic = read32le(Struct);
    W.Version = read32le(Struct + 4);
    W.Pointer = read64le(Struct + WrapperPointerOffset);
    W.Reserved1 = read64le(Struct + WrapperReservedOffset);
    Result.Wrappers.push_back(W);
  }
  return Error::success();
}

Error LinkedBinaryReader::applyRela(const Shdr &Section) {
  Expected<ELF64LE::RelaRange> Relocations = Elf.relas(Section);
  if (!Relocations)
    return error(Relocations.takeError());
  uint32_t Relative = Elf.getRelativeRelocationType();
  for (const ELF64LE::Rela &R : *Relocations) {
    Wrapper *W = wrapperWithPointerAt(R.r_offset);
    if (!W)
      continue;
    uint64_t Addend = static_cast<uint64_t>(static_cast<int64_t>(R.r_addend));
    uint32_t Symbol = R.getSymbol(/*isMips64EL=*/false);
    if (R.getType(/*isMips64EL=*/false) == Relative) {
      W->Pointer = Addend;
    } else if (Symbol != 0) {
      Expected<uint64_t> Value = symbolValue(Section, Symbol);
      if (!Value)
        return Value.takeError();
      if (*Value != 0)
        W->Pointer = *Value + Addend;
    }
  }
  return Error::success();
}

/// Returns the value of a dynamic symbol; 0 if it is undefined here.
Expected<uint64_t> LinkedBinaryReader::symbolValue(const Shdr &Section,
                                                   uint32_t Symbol) {
  Expected<const Shdr *> Table = Elf.getSection(Section.sh_link);
  if (!Table)
    return error(Table.takeError());
  Expected<const ELF64LE::Sym *> S = Elf.getSymbol(*Table, Symbol);
  if (!S)
    return error(S.takeError());
  return (*S)->st_shndx == ELF::SHN_UNDEF ? 0 : uint64_t((*S)->st_value);
}

/// Returns the wrapper whose pointer is at \p Address, or null.
Wrapper *LinkedBinaryReader::wrapperWithPointerAt(uint64_t Address) {
  uint64_t Struct = Address - WrapperPointerOffset;
  auto W = llvm::lower_bound(
      Result.Wrappers, Struct,
      [](const Wrapper &A, uint64_t B) { return A.Address < B; });
  return W != Result.Wrappers.end() && W->Address == Struct ? &*W : nullptr;
}

static Error notLinked(StringRef Name) {
  return objectError(Name, "not an executable or shared object; link it first");
}

Expected<LinkedBinary> readLinkedBinary(MemoryBufferRef File, StringRef Name) {
  StringRef Bytes = File.getBuffer();
  if (PeImage::startsOne(Bytes))
    return readLinkedPe(Bytes, Name);
  if (identify_magic(Bytes) == file_magic::coff_object)
    return notLinked(Name);
  if (Bytes.size() < sizeof(ELF64LE::Ehdr) ||
      !Bytes.starts_with(ELF::ElfMagic) ||
      Bytes[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Bytes[ELF::EI_DATA] != ELF::ELFDATA2LSB)
    return objectError(Name, "not a 64-bit little-endian ELF file; give a "
                             "linked HIP binary");
  Expected<ElfFile> Elf = ElfFile::create(Bytes);
  if (!Elf)
    return damagedBinary(Name, toString(Elf.takeError()));
  uint16_t Type = Elf->getHeader().e_type;
  if (Type != ELF::ET_EXEC && Type != ELF::ET_DYN)
    return notLinked(Name);
  Expected<LinkedBinary> Binary = LinkedBinaryReader(*Elf, Name).run();
  if (!Binary)
    return orCutOff(Binary.takeError(), Bytes, Name);
  return Binary;
}

} // namespace kpack::offload
