//===- EntryTable.cpp - address table of named functions ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses sections and the whole symbol table: the file was just linked and is not
// stripped. A slot's address is the addend of its relocation, or the slot's
// content if relocations are packed.
//
//===----------------------------------------------------------------------===//
#include "EntryTable.h"

#include <cstring>
#include <elf.h>
#include <optional>

using namespace kpack;
using namespace kpack::jit;

static constexpr char TableName[] = "kpack_jit_entries";
static constexpr char TypeName[] = "kpack_jit_type_";
/// Maximum bytes of a type.
static constexpr size_t MaxType = 1 << 16;

namespace {

/// A linked ELF file for host or device: 64-bit, little-endian.
class LinkedFile {
public:
  explicit LinkedFile(std::string_view Bytes) : Bytes(Bytes) {}

  /// Returns false if a table is outside of the file.
  bool open();

  /// Returns the symbol of that name.
  std::optional<Elf64_Sym> symbol(const std::string &Name) const;
  /// Returns the name of the function at \p Address, or empty.
  std::string functionAt(uint64_t Address) const;
  /// Returns the bytes loaded at \p Address, up to \p Size.
  std::string_view contentAt(uint64_t Address, uint64_t Size) const;
  /// Returns the target of the pointer at \p Slot.
  uint64_t pointerAt(uint64_t Slot) const;

private:
  template <typename T> bool read(uint64_t Offset, T &Out) const {
    if (Offset > Bytes.size() || Bytes.size() - Offset < sizeof(T))
      return false;
    std::memcpy(&Out, Bytes.data() + Offset, sizeof(T));
    return true;
  }
  std::string_view content(const Elf64_Shdr &Section) const {
    if (Section.sh_type == SHT_NOBITS || Section.sh_offset > Bytes.size() ||
        Bytes.size() - Section.sh_offset < Section.sh_size)
      return {};
    return Bytes.substr(Section.sh_offset, Section.sh_size);
  }
  template <typename T, typename Function>
  void each(const Elf64_Shdr &Section, Function Take) const {
    std::string_view Content = content(Section);
    for (uint64_t Offset = 0; Offset + sizeof(T) <= Content.size();
         Offset += sizeof(T)) {
      T Item;
      std::memcpy(&Item, Content.data() + Offset, sizeof(T));
      if (!Take(Item))
        return;
    }
  }
  std::string_view nameOf(const Elf64_Sym &Symbol) const {
    if (Symbol.st_name >= Strings.size())
      return {};
    std::string_view Name = Strings.substr(Symbol.st_name);
    return Name.substr(0, Name.find('\0'));
  }

  std::string_view Bytes, Strings;
  std::vector<Elf64_Shdr> Sections;
  Elf64_Shdr Symbols{};
};

} // namespace

bool LinkedFile::open() {
  Elf64_Ehdr Header;
  if (!read(0, Header) || std::memcmp(Header.e_ident, ELFMAG, SELFMAG) != 0 ||
      Header.e_ident[EI_CLASS] != ELFCLASS64 ||
      Header.e_ident[EI_DATA] != ELFDATA2LSB || Header.e_type != ET_DYN)
    return false;
  for (uint64_t I = 0; I < Header.e_shnum; ++I) {
    Elf64_Shdr Section;
    if (!read(Header.e_shoff + I * sizeof(Section), Section))
      return false;
    Sections.push_back(Section);
    if (Section.sh_type == SHT_SYMTAB)
      Symbols = Section;
  }
  if (Symbols.sh_type != SHT_SYMTAB || Symbols.sh_link >= Sections.size())
    return false;
  Strings = content(Sections[Symbols.sh_link]);
  return !Strings.empty();
}

std::optional<Elf64_Sym> LinkedFile::symbol(const std::string &Name) const {
  std::optional<Elf64_Sym> Found;
  each<Elf64_Sym>(Symbols, [&](const Elf64_Sym &Symbol) {
    if (Symbol.st_shndx != SHN_UNDEF && nameOf(Symbol) == Name)
      Found = Symbol;
    return !Found;
  });
  return Found;
}

std::string LinkedFile::functionAt(uint64_t Address) const {
  std::string Name;
  each<Elf64_Sym>(Symbols, [&](const Elf64_Sym &Symbol) {
    if (ELF64_ST_TYPE(Symbol.st_info) == STT_FUNC &&
        Symbol.st_shndx != SHN_UNDEF && Symbol.st_value == Address)
      Name = nameOf(Symbol);
    return Name.empty();
  });
  return Name;
}

std::string_view LinkedFile::contentAt(uint64_t Address, uint64_t Size) const {
  for (const Elf64_Shdr &Section : Sections) {
    if (!(Section.sh_flags & SHF_ALLOC) || Address < Section.sh_addr ||
        Address - Section.sh_addr >= Section.sh_size)
      continue;
    std::string_view Content = content(Section);
    uint64_t Offset = Address - Section.sh_addr;
    if (Offset < Content.size())
      return Content.substr(Offset, Size);
  }
  return {};
}

uint64_t LinkedFile::pointerAt(uint64_t Slot) const {
  uint64_t Address = 0;
  std::string_view Stored = contentAt(Slot, sizeof(Address));
  if (Stored.size() == sizeof(Address))
    std::memcpy(&Address, Stored.data(), sizeof(Address));
  for (const Elf64_Shdr &Section : Sections)
    if (Section.sh_type == SHT_RELA && (Section.sh_flags & SHF_ALLOC))
      each<Elf64_Rela>(Section, [&](const Elf64_Rela &Relocation) {
        if (Relocation.r_offset != Slot)
          return true;
        Address = uint64_t(Relocation.r_addend);
        uint64_t Index = ELF64_R_SYM(Relocation.r_info);
        // This relocation refers to a symbol of the dynamic table.
        if (Index && Section.sh_link < Sections.size()) {
          Elf64_Sym Symbol;
          const Elf64_Shdr &Dynamic = Sections[Section.sh_link];
          if (Index < Dynamic.sh_size / sizeof(Symbol) &&
              read(Dynamic.sh_offset + Index * sizeof(Symbol), Symbol))
            Address += Symbol.st_value;
        }
        return false;
      });
  return Address;
}

/// Extracts the type from clang's name of a template function: "f() [T = int
/// ()]".
static std::string typeIn(std::string_view Pretty) {
  Pretty = Pretty.substr(0, Pretty.find('\0'));
  size_t Start = Pretty.find(" = ", Pretty.find('[')), End = Pretty.rfind(']');
  if (Start == std::string_view::npos || End == std::string_view::npos ||
      End < Start + 3)
    return {};
  return std::string(Pretty.substr(Start + 3, End - Start - 3));
}

Result<std::vector<EntryFunction>>
jit::readEntryTable(std::string_view Bytes,
                    const std::vector<std::string> &Names) {
  LinkedFile File(Bytes);
  if (!File.open())
    return Status(StatusCode::InvalidFormat,
                  "what was linked is no ELF file with symbols; link without "
                  "-s");
  std::optional<Elf64_Sym> Table = File.symbol(TableName);
  if (!Table || Table->st_size / 8 < Names.size())
    return Status(StatusCode::InvalidFormat,
                  "the compiled source has no table of its entries; does a "
                  "brace or a comment of it stay open at its end?");
  std::vector<EntryFunction> Functions;
  for (size_t I = 0; I < Names.size(); ++I) {
    EntryFunction F;
    F.Name = Names[I];
    F.Symbol = File.functionAt(File.pointerAt(Table->st_value + I * 8));
    if (std::optional<Elf64_Sym> Type =
            File.symbol(TypeName + std::to_string(I)))
      F.Type = typeIn(File.contentAt(
          Type->st_value, std::min<uint64_t>(Type->st_size, MaxType)));
    Functions.push_back(std::move(F));
  }
  return Functions;
}
