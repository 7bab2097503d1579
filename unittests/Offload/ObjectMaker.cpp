//===- ObjectMaker.cpp - ELF objects with HIP parts for tests -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ObjectMaker.h. Results are looked at with LLVM's ELF reader, not with
// the one under test.
//
//===----------------------------------------------------------------------===//
#include "ObjectMaker.h"

#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace llvm::object;

namespace kpack::test {

static void printSection(raw_ostream &OS, const std::string &Name,
                         const std::string &Type, const std::string &Flags,
                         const std::string &Contents, unsigned Align) {
  OS << "  - Name: '" << Name << "'\n    Type: " << Type << "\n    Flags: ["
     << Flags << "]\n    AddressAlign: " << Align << "\n    Content: '"
     << hex(Contents) << "'\n";
}

std::string ObjectMaker::make() const {
  std::string Structs, Yaml;
  raw_string_ostream OS(Yaml);
  OS << "--- !ELF\nFileHeader:\n  Class: ELFCLASS64\n  Data: ELFDATA2LSB\n"
     << "  Type: ET_REL\n  Machine: " << Machine << "\nSections:\n";
  printSection(OS, ".text", "SHT_PROGBITS", "SHF_ALLOC, SHF_EXECINSTR", "\xc3",
               16);
  if (!FatBin.empty())
    printSection(OS, ".hip_fatbin", "SHT_PROGBITS", "SHF_ALLOC", FatBin, 4096);
  for (const Wrapper &W : Wrappers)
    Structs += bytesOf<uint32_t>(W.Magic) + bytesOf<uint32_t>(1) +
               bytesOf<uint64_t>(0) + bytesOf<uint64_t>(W.Reserved1);
  if (!Wrappers.empty()) {
    printSection(OS, ".hipFatBinSegment", "SHT_PROGBITS",
                 "SHF_ALLOC, SHF_WRITE", Structs, 8);
    OS << "  - Name: .rela.hipFatBinSegment\n    Type: SHT_RELA\n"
       << "    Info: .hipFatBinSegment\n    Link: .symtab\n"
       << "    Relocations:\n";
    for (size_t N = 0; N != Wrappers.size(); ++N) {
      size_t I = ReverseRelocations ? Wrappers.size() - 1 - N : N;
      OS << "      - { Offset: " << I * 24 + 8 << ", Symbol: '"
         << Wrappers[I].Symbol << "', Type: " << RelocationType
         << ", Addend: " << Wrappers[I].Addend << " }\n";
    }
  }
  for (const Section &S : More)
    printSection(OS, S.Name, S.Type, "SHF_EXCLUDE", S.Contents, 8);
  OS << "Symbols:\n";
  for (const char *Name : {".hip_fatbin", ".text"})
    if (Name != std::string(".hip_fatbin") || !FatBin.empty())
      OS << "  - { Name: " << Name << ", Type: STT_SECTION, Section: " << Name
         << " }\n";
  for (const Symbol &S : Symbols) {
    OS << "  - { Name: '" << S.Name << "', Binding: STB_GLOBAL";
    if (!S.Section.empty())
      OS << ", Section: '" << S.Section << "', Value: " << S.Value;
    OS << " }\n";
  }
  return elfFromYaml(OS.str());
}

static ELFFile<ELF64LE> open(StringRef Elf) {
  return cantFail(ELFFile<ELF64LE>::create(Elf));
}

SeenSection lookUpSection(StringRef Elf, StringRef Name) {
  ELFFile<ELF64LE> File = open(Elf);
  for (const ELF64LE::Shdr &S : cantFail(File.sections()))
    if (cantFail(File.getSectionName(S)) == Name) {
      ArrayRef<uint8_t> Bytes = cantFail(File.getSectionContents(S));
      return {true, std::string(Bytes.begin(), Bytes.end()), S.sh_flags,
              S.sh_addralign};
    }
  return {};
}

std::vector<SeenWrapper> getWrappers(StringRef Elf) {
  using namespace support::endian;
  ELFFile<ELF64LE> File = open(Elf);
  std::string Structs = lookUpSection(Elf, ".hipFatBinSegment").Contents;
  std::vector<SeenWrapper> Seen(Structs.size() / 24);
  for (size_t I = 0; I != Seen.size(); ++I) {
    Seen[I].Magic = read32le(Structs.data() + I * 24);
    Seen[I].Reserved1 = read64le(Structs.data() + I * 24 + 16);
  }
  ELF64LE::ShdrRange Sections = cantFail(File.sections());
  for (const ELF64LE::Shdr &S : Sections) {
    if (cantFail(File.getSectionName(S)) != ".rela.hipFatBinSegment")
      continue;
    const ELF64LE::Shdr *Table = cantFail(File.getSection(S.sh_link));
    StringRef Names = cantFail(File.getStringTableForSymtab(*Table, Sections));
    for (const ELF64LE::Rela &R : cantFail(File.relas(S))) {
      const ELF64LE::Sym *Symbol = cantFail(File.getRelocationSymbol(R, Table));
      EXPECT_EQ(R.r_offset % 24, 8u);
      SeenWrapper &W = Seen.at(R.r_offset / 24);
      W.Addend = R.r_addend;
      W.Symbol = Symbol->getType() == ELF::STT_SECTION
                     ? "section"
                     : cantFail(Symbol->getName(Names)).str();
    }
  }
  return Seen;
}

std::vector<std::string> getUndefined(StringRef Elf) {
  ELFFile<ELF64LE> File = open(Elf);
  std::vector<std::string> Undefined;
  ELF64LE::ShdrRange Sections = cantFail(File.sections());
  for (const ELF64LE::Shdr &S : Sections) {
    if (S.sh_type != ELF::SHT_SYMTAB)
      continue;
    StringRef Names = cantFail(File.getStringTableForSymtab(S, Sections));
    for (const ELF64LE::Sym &Symbol : cantFail(File.symbols(&S)).drop_front())
      if (Symbol.isUndefined())
        Undefined.push_back(cantFail(Symbol.getName(Names)).str());
  }
  return Undefined;
}

} // namespace kpack::test
