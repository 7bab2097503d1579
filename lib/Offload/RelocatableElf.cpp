//===- RelocatableElf.cpp - an ELF .o to read and edit --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RelocatableElf.h. LLVM's ELF structs are packed little-endian integers,
// so they can be laid over bytes at any address.
//
//===----------------------------------------------------------------------===//
#include "RelocatableElf.h"
#include "Damaged.h"

#include "ToolSupport/Errors.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

using namespace llvm;

namespace kpack::offload {

static_assert(alignof(RelocatableElf::Symbol) == 1 &&
                  alignof(RelocatableElf::SectionHeader) == 1 &&
                  alignof(RelocatableElf::Relocation) == 1,
              "structs are laid over unaligned bytes");

/// Returns the string at \p Offset of a string table. Names longer than all
/// searched ones come back empty, which bounds the search for their end.
static StringRef stringAt(StringRef Table, uint64_t Offset) {
  static constexpr size_t MaxLength = 256;
  if (Offset >= Table.size())
    return StringRef();
  StringRef Text = Table.substr(Offset, MaxLength);
  size_t End = Text.find('\0');
  return End == StringRef::npos ? StringRef() : Text.take_front(End);
}

/// Appends \p Text to a string table; returns its offset.
static uint32_t appendString(std::string &Table, StringRef Text) {
  if (Table.empty() || Table.back() != '\0')
    Table.push_back('\0');
  uint32_t Offset = Table.size();
  Table.append(Text.begin(), Text.end());
  Table.push_back('\0');
  return Offset;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

bool RelocatableElf::isSupported(StringRef Bytes) {
  if (Bytes.size() < sizeof(Header) || !Bytes.starts_with(ELF::ElfMagic))
    return false;
  const auto *H = reinterpret_cast<const Header *>(Bytes.data());
  return H->e_ident[ELF::EI_CLASS] == ELF::ELFCLASS64 &&
         H->e_ident[ELF::EI_DATA] == ELF::ELFDATA2LSB &&
         H->e_type == ELF::ET_REL;
}

Expected<RelocatableElf> RelocatableElf::parse(StringRef Bytes,
                                               StringRef Object) {
  if (!isSupported(Bytes))
    return objectError(Object,
                       "not a 64-bit little-endian ELF relocatable file; give "
                       "an object file");
  RelocatableElf Elf;
  std::memcpy(&Elf.FileHeader, Bytes.data(), sizeof(Header));
  if (Elf.FileHeader.e_phnum != 0)
    return damagedObject(Object, "relocatable file with program headers");
  if (Error E = Elf.readSections(Bytes, Object))
    return std::move(E);
  if (Error E = Elf.findSymbolTable(Object))
    return std::move(E);
  return std::move(Elf);
}

Error RelocatableElf::readSections(StringRef Bytes, StringRef Object) {
  uint64_t Table = FileHeader.e_shoff;
  if (Table == 0)
    return Error::success();
  if (FileHeader.e_shentsize != sizeof(SectionHeader) || Table > Bytes.size() ||
      Bytes.size() - Table < sizeof(SectionHeader))
    return damagedObject(Object, "section header table lies outside the file");
  const auto *Headers =
      reinterpret_cast<const SectionHeader *>(Bytes.data() + Table);

  // With 0xff00 sections or more, section header 0 has the counts.
  uint64_t Count = FileHeader.e_shnum;
  if (Count == 0)
    Count = Headers[0].sh_size;
  if (Count > (Bytes.size() - Table) / sizeof(SectionHeader))
    return damagedObject(Object, "section header table lies outside the file");
  NameTable = FileHeader.e_shstrndx;
  if (NameTable == ELF::SHN_XINDEX)
    NameTable = Headers[0].sh_link;
  if (NameTable >= Count ||
      (NameTable != 0 && Headers[NameTable].sh_type != ELF::SHT_STRTAB))
    return damagedObject(Object, "section name table does not exist");

  Sections.resize(Count);
  uint64_t Total = 0;
  for (uint64_t I = 0; I != Count; ++I) {
    Section &S = Sections[I];
    S.Header = Headers[I];
    if (I == 0 || S.Header.sh_type == ELF::SHT_NOBITS ||
        S.Header.sh_type == ELF::SHT_NULL)
      continue;
    uint64_t Offset = S.Header.sh_offset, Size = S.Header.sh_size;
    if (Offset > Bytes.size() || Size > Bytes.size() - Offset)
      return damagedObject(Object,
                           "section " + Twine(I) + " lies outside the file");
    Total += Size;
    if (Total > Bytes.size())
      return damagedObject(Object, "sections overlap");
    S.Original = Bytes.substr(Offset, Size);
  }
  for (Section &S : Sections)
    S.Name = stringAt(Sections[NameTable].Original, S.Header.sh_name);
  return Error::success();
}

Error RelocatableElf::findSymbolTable(StringRef Object) {
  for (uint32_t I = 1; I < Sections.size(); ++I) {
    const SectionHeader &H = Sections[I].Header;
    if (H.sh_type == ELF::SHT_SYMTAB_SHNDX)
      IndexTable = I;
    if (H.sh_type != ELF::SHT_SYMTAB)
      continue;
    if (SymbolTable != 0)
      return damagedObject(Object, "more than one symbol table");
    if (H.sh_entsize != sizeof(Symbol) || H.sh_size % sizeof(Symbol) != 0)
      return damagedObject(Object, "symbol table of odd size");
    if (H.sh_link == 0 || H.sh_link >= Sections.size() ||
        Sections[H.sh_link].Header.sh_type != ELF::SHT_STRTAB)
      return damagedObject(Object, "symbol table without string table");
    SymbolTable = I;
    StringTable = H.sh_link;
  }
  if (IndexTable != 0 &&
      (SymbolTable == 0 || Sections[IndexTable].contents().size() !=
                               symbols().size() * sizeof(uint32_t)))
    return damagedObject(Object, "symbol table and its section numbers differ "
                                 "in size");
  return Error::success();
}

const RelocatableElf::Section *RelocatableElf::find(StringRef Name) const {
  for (const Section &S : Sections)
    if (S.Name == Name)
      return &S;
  return nullptr;
}

ArrayRef<RelocatableElf::Symbol> RelocatableElf::symbols() const {
  if (SymbolTable == 0)
    return {};
  StringRef Bytes = Sections[SymbolTable].contents();
  return ArrayRef(reinterpret_cast<const Symbol *>(Bytes.data()),
                  Bytes.size() / sizeof(Symbol));
}

StringRef RelocatableElf::nameOf(const Symbol &S) const {
  return stringAt(Sections[StringTable].contents(), S.st_name);
}

uint32_t RelocatableElf::sectionOfSymbol(uint32_t Index) const {
  uint32_t Number = symbols()[Index].st_shndx;
  if (Number == ELF::SHN_XINDEX && IndexTable != 0)
    Number = support::endian::read32le(Sections[IndexTable].contents().data() +
                                       Index * sizeof(uint32_t));
  else if (Number >= ELF::SHN_LORESERVE)
    return 0;
  return Number < Sections.size() ? Number : 0;
}

//===----------------------------------------------------------------------===//
// Editing
//===----------------------------------------------------------------------===//

std::string &RelocatableElf::Section::edit() {
  if (!Own)
    Own = Original.str();
  return *Own;
}

void RelocatableElf::Section::empty() {
  Own.emplace();
  Header.sh_addralign = 1;
  Header.sh_flags = Header.sh_flags | ELF::SHF_EXCLUDE;
}

void RelocatableElf::undefineSymbol(uint32_t Index) {
  std::string &Bytes = Sections[SymbolTable].edit();
  auto &S = reinterpret_cast<Symbol *>(Bytes.data())[Index];
  S.st_shndx = ELF::SHN_UNDEF;
  S.st_value = 0;
  S.st_size = 0;
  S.setType(ELF::STT_NOTYPE);
  if (IndexTable != 0)
    support::endian::write32le(
        Sections[IndexTable].edit().data() + Index * sizeof(uint32_t), 0);
}

void RelocatableElf::hideSymbol(uint32_t Index) {
  std::string &Bytes = Sections[SymbolTable].edit();
  reinterpret_cast<Symbol *>(Bytes.data())[Index].setVisibility(
      ELF::STV_HIDDEN);
}

uint32_t RelocatableElf::addUndefined(StringRef Name) {
  Symbol S;
  std::memset(&S, 0, sizeof(S));
  S.st_name = appendString(Sections[StringTable].edit(), Name);
  S.setBindingAndType(ELF::STB_GLOBAL, ELF::STT_NOTYPE);
  std::string &Bytes = Sections[SymbolTable].edit();
  uint32_t Index = Bytes.size() / sizeof(Symbol);
  Bytes.append(reinterpret_cast<const char *>(&S), sizeof(S));
  if (IndexTable != 0)
    Sections[IndexTable].edit().append(sizeof(uint32_t), '\0');
  return Index;
}

void RelocatableElf::addExcluded(StringRef Name, StringRef Contents) {
  Section New;
  std::memset(&New.Header, 0, sizeof(New.Header));
  New.Header.sh_name = appendString(Sections[NameTable].edit(), Name);
  New.Header.sh_type = ELF::SHT_PROGBITS;
  New.Header.sh_flags = ELF::SHF_EXCLUDE;
  New.Header.sh_addralign = 8;
  New.Name = Name;
  New.Original = Contents;
  Sections.push_back(std::move(New));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string RelocatableElf::write() const {
  // Alignment in the file is optional; sh_addralign counts. So a huge alignment
  // adds no padding.
  static constexpr uint64_t MaxFileAlign = 16;

  std::string Out(sizeof(Header), '\0');
  std::vector<SectionHeader> Headers;
  Headers.reserve(Sections.size());
  for (const Section &S : Sections) {
    SectionHeader H = S.Header;
    if (&S != &Sections.front() && H.sh_type != ELF::SHT_NULL) {
      uint64_t Align = std::clamp<uint64_t>(H.sh_addralign, 1, MaxFileAlign);
      StringRef Contents = S.contents();
      if (!Contents.empty())
        Out.resize(alignTo(Out.size(), Align));
      H.sh_offset = Out.size();
      if (H.sh_type != ELF::SHT_NOBITS)
        H.sh_size = Contents.size();
      Out.append(Contents.begin(), Contents.end());
    }
    Headers.push_back(H);
  }

  Header H = FileHeader;
  if (!Sections.empty()) {
    Out.resize(alignTo(Out.size(), 8));
    H.e_shoff = Out.size();
    bool Extended = Sections.size() >= ELF::SHN_LORESERVE;
    H.e_shnum = Extended ? 0 : Sections.size();
    Headers[0].sh_size = Extended ? Sections.size() : 0;
    Extended = NameTable >= ELF::SHN_LORESERVE;
    H.e_shstrndx = Extended ? uint32_t(ELF::SHN_XINDEX) : NameTable;
    Headers[0].sh_link = Extended ? NameTable : 0;
    Out.append(reinterpret_cast<const char *>(Headers.data()),
               Headers.size() * sizeof(SectionHeader));
  }
  std::memcpy(Out.data(), &H, sizeof(H));
  return Out;
}

} // namespace kpack::offload
