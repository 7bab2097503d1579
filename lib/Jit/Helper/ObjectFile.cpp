//===- ObjectFile.cpp - symbols made visible in an object -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The visibility of a symbol is two bits of st_other. They are changed in
// place: nothing in the object moves, so <elf.h> is enough and no ELF writer is
// needed.
//
// The default set of exports is a compromise. A weak function may be an
// explicit instantiation that the source exists for, or come from a header, and
// both look the same. So all are exported except those that are certainly not
// meant, by the start of their mangled names. Each offset in the file is
// checked before use, and structures are copied out, as they may be unaligned.
//
//===----------------------------------------------------------------------===//
#include "ObjectFile.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <string_view>

using namespace kpack;
using namespace kpack::jit;

static Status invalid(const char *Problem) {
  return Status(StatusCode::InvalidFormat,
                std::string("object file: ") + Problem +
                    "; the compiler must write ELF objects (no -flto)");
}

/// Copies the structure at \p Offset, which may be unaligned.
template <typename T>
static bool readAt(std::string_view Bytes, uint64_t Offset, T &Out) {
  if (Offset > Bytes.size() || Bytes.size() - Offset < sizeof(T))
    return false;
  std::memcpy(&Out, Bytes.data() + Offset, sizeof(T));
  return true;
}

static bool readContent(std::string_view Bytes, const Elf64_Shdr &Section,
                        std::string_view &Content) {
  if (Section.sh_offset > Bytes.size() ||
      Bytes.size() - Section.sh_offset < Section.sh_size)
    return false;
  Content = Bytes.substr(Section.sh_offset, Section.sh_size);
  return true;
}

/// Finds the symbol table and its strings.
static Status findSymbols(std::string_view Bytes, Elf64_Shdr &Table,
                          std::string_view &Strings) {
  Elf64_Ehdr Header;
  if (!readAt(Bytes, 0, Header) ||
      std::memcmp(Header.e_ident, ELFMAG, SELFMAG) != 0 ||
      Header.e_ident[EI_CLASS] != ELFCLASS64 ||
      Header.e_ident[EI_DATA] != ELFDATA2LSB || Header.e_type != ET_REL)
    return invalid("no ELF relocatable file");
  uint64_t Count = Header.e_shnum;
  Elf64_Shdr First;
  if (!readAt(Bytes, Header.e_shoff, First))
    return invalid("no sections");
  if (Count == 0)
    Count = First.sh_size; // more than e_shnum can hold
  for (uint64_t I = 0; I < Count; ++I) {
    if (!readAt(Bytes, Header.e_shoff + I * sizeof(Elf64_Shdr), Table))
      return invalid("sections are cut off");
    if (Table.sh_type != SHT_SYMTAB)
      continue;
    Elf64_Shdr Names;
    std::string_view Content;
    if (Table.sh_entsize != sizeof(Elf64_Sym) ||
        !readContent(Bytes, Table, Content) || Table.sh_link >= Count ||
        !readAt(Bytes, Header.e_shoff + Table.sh_link * sizeof(Elf64_Shdr),
                Names) ||
        !readContent(Bytes, Names, Strings))
      return invalid("symbol table is damaged");
    return Status::success();
  }
  return invalid("no symbol table");
}

static std::string list(const std::vector<std::string> &Names) {
  std::string Text;
  for (size_t I = 0; I < Names.size() && I < 8; ++I)
    Text += (I ? ", " : "") + Names[I];
  if (Names.size() > 8)
    Text += " and " + std::to_string(Names.size() - 8) + " more";
  return Names.empty() ? "no function" : Text;
}

static bool isStrongFunction(const Elf64_Sym &Symbol) {
  return ELF64_ST_BIND(Symbol.st_info) == STB_GLOBAL &&
         ELF64_ST_TYPE(Symbol.st_info) == STT_FUNC;
}

/// Returns true for a function that a source may define as inline or by an
/// explicit instantiation. Functions that only come with headers look the same;
/// returns false for those that are certain to be such: of the standard library
/// or local to a function, and the compiler's own.
static bool isWeakFunction(const Elf64_Sym &Symbol, std::string_view Name) {
  static constexpr std::string_view Others[] = {
      "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_ZNSt", "_ZNKSt", "_ZSt", "_ZNSa",
      "_ZNSs",         "_ZNKSs",         "_ZZ",   "_ZT",    "_ZGV", "__clang"};
  return ELF64_ST_BIND(Symbol.st_info) == STB_WEAK &&
         ELF64_ST_TYPE(Symbol.st_info) == STT_FUNC &&
         std::none_of(std::begin(Others), std::end(Others),
                      [&](std::string_view Start) {
                        return Name.substr(0, Start.size()) == Start;
                      });
}

/// Returns true for the functions that are exported by default. Accepts only
/// names that a linker script can contain.
static bool isEntryPoint(const Elf64_Sym &Symbol, std::string_view Name) {
  return (isStrongFunction(Symbol) || isWeakFunction(Symbol, Name)) &&
         Name.find("__device_stub__") == std::string_view::npos &&
         Name.find_first_of("\"\\\n") == std::string_view::npos;
}

Result<ObjectSymbols>
jit::exposeSymbols(std::string &Bytes, const std::vector<std::string> &Wanted) {
  Elf64_Shdr Table;
  std::string_view Strings;
  if (Status Found = findSymbols(Bytes, Table, Strings); !Found.ok())
    return Found;
  ObjectSymbols Symbols;
  std::vector<std::string> Missing = Wanted;
  for (uint64_t Position = 0; Position + sizeof(Elf64_Sym) <= Table.sh_size;
       Position += sizeof(Elf64_Sym)) {
    Elf64_Sym Symbol;
    uint64_t Offset = Table.sh_offset + Position;
    if (!readAt(Bytes, Offset, Symbol) || Symbol.st_name >= Strings.size())
      return invalid("symbol table is damaged");
    unsigned Binding = ELF64_ST_BIND(Symbol.st_info);
    if (Binding == STB_LOCAL)
      continue;
    std::string_view Name = Strings.substr(Symbol.st_name);
    Name = Name.substr(0, Name.find('\0'));
    if (Symbol.st_shndx == SHN_UNDEF) {
      Symbols.Undefined.emplace_back(Name);
      continue;
    }
    if (isStrongFunction(Symbol))
      Symbols.Defined.emplace_back(Name);
    auto Place = std::find(Missing.begin(), Missing.end(), Name);
    if (Place != Missing.end())
      Missing.erase(Place);
    else if (!Wanted.empty() || !isEntryPoint(Symbol, Name))
      continue;
    Symbols.Exposed.emplace_back(Name);
    size_t Other = offsetof(Elf64_Sym, st_other);
    Bytes[Offset + Other] =
        static_cast<char>((uint8_t(Bytes[Offset + Other]) & ~3u) | STV_DEFAULT);
  }
  if (Wanted.empty() && Symbols.Exposed.empty())
    return Status(StatusCode::KernelNotFound,
                  "the source defines no function that could be called");
  if (!Missing.empty())
    return Status(StatusCode::KernelNotFound,
                  "the source does not define '" + Missing.front() +
                      "'; it defines " + list(Symbols.Defined));
  return Symbols;
}

std::string jit::readInterpreter(std::string_view Bytes) {
  Elf64_Ehdr Header;
  if (!readAt(Bytes, 0, Header) ||
      std::memcmp(Header.e_ident, ELFMAG, SELFMAG) != 0 ||
      Header.e_ident[EI_CLASS] != ELFCLASS64 ||
      Header.e_ident[EI_DATA] != ELFDATA2LSB)
    return {};
  for (uint64_t I = 0; I < Header.e_phnum; ++I) {
    Elf64_Phdr Segment;
    if (!readAt(Bytes, Header.e_phoff + I * sizeof(Elf64_Phdr), Segment))
      return {};
    if (Segment.p_type != PT_INTERP)
      continue;
    if (Segment.p_offset > Bytes.size() ||
        Bytes.size() - Segment.p_offset < Segment.p_filesz)
      return {};
    std::string_view Path = Bytes.substr(Segment.p_offset, Segment.p_filesz);
    return std::string(Path.substr(0, Path.find('\0')));
  }
  return {};
}

bool jit::isSharedObject(std::string_view Bytes) {
  Elf64_Ehdr Header;
  return readAt(Bytes, 0, Header) &&
         std::memcmp(Header.e_ident, ELFMAG, SELFMAG) == 0 &&
         Header.e_type == ET_DYN;
}
