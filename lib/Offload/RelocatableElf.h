//===- RelocatableElf.h - an ELF .o to read and edit ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A 64-bit little-endian ELF relocatable file as a list of sections that can be
// changed, emptied and added to. Only the section headers hold file offsets, so
// write() computes a new layout: emptied sections take no space, and section
// and symbol numbers never change.
//
// llvm::objcopy renumbers symbols and copies only sections that it understands;
// this class copies all unedited sections byte for byte. Hostile input: parse()
// refuses files whose sections add up to more than the file, so output and
// memory stay proportional to the input.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_OFFLOAD_RELOCATABLEELF_H
#define KPACK_LIB_OFFLOAD_RELOCATABLEELF_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kpack::offload {

class RelocatableElf {
public:
  using Header = llvm::object::ELF64LE::Ehdr;
  using SectionHeader = llvm::object::ELF64LE::Shdr;
  using Symbol = llvm::object::ELF64LE::Sym;
  using Relocation = llvm::object::ELF64LE::Rela;

  class Section {
  public:
    SectionHeader Header;
    /// Empty if longer than any name that we search.
    llvm::StringRef Name;

    llvm::StringRef contents() const {
      return Own ? llvm::StringRef(*Own) : Original;
    }
    /// The contents to change; copied on first use.
    std::string &edit();
    /// Removes the contents. The section stays, so that numbers stay, but every
    /// linker drops it, and its alignment causes no padding.
    void empty();

  private:
    friend class RelocatableElf;
    llvm::StringRef Original;
    std::optional<std::string> Own; // once it was edited
  };

  /// True if parse() supports the file.
  static bool isSupported(llvm::StringRef Bytes);

  /// \p Bytes must outlive the result. \p Object names it in messages.
  static llvm::Expected<RelocatableElf> parse(llvm::StringRef Bytes,
                                              llvm::StringRef Object);

  uint16_t machine() const { return FileHeader.e_machine; }
  std::vector<Section> &sections() { return Sections; }
  const std::vector<Section> &sections() const { return Sections; }
  const Section *find(llvm::StringRef Name) const;
  bool hasSectionNames() const { return NameTable != 0; }

  /// The symbol table's section number; 0 without one.
  uint32_t symbolTable() const { return SymbolTable; }
  llvm::ArrayRef<Symbol> symbols() const;
  /// Empty if longer than any name that we search.
  llvm::StringRef nameOf(const Symbol &S) const;
  /// Returns the section that defines symbol \p Index; 0 if it is undefined,
  /// absolute or common.
  uint32_t sectionOfSymbol(uint32_t Index) const;

  /// Turns a global symbol into an undefined one.
  void undefineSymbol(uint32_t Index);
  /// Makes links fail if a symbol stays undefined, also those of shared
  /// libraries.
  void hideSymbol(uint32_t Index);
  /// Adds an undefined global symbol at the end of the symbol table, which
  /// must exist; returns its number.
  uint32_t addUndefined(llvm::StringRef Name);
  /// Adds a SHT_PROGBITS section that no linker puts into its output. The file
  /// must have section names.
  void addExcluded(llvm::StringRef Name, llvm::StringRef Contents);

  std::string write() const;

private:
  llvm::Error readSections(llvm::StringRef Bytes, llvm::StringRef Object);
  llvm::Error findSymbolTable(llvm::StringRef Object);

  Header FileHeader;
  std::vector<Section> Sections;
  uint32_t NameTable = 0;
  uint32_t SymbolTable = 0;
  uint32_t StringTable = 0;
  uint32_t IndexTable = 0; // SHT_SYMTAB_SHNDX
};

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_RELOCATABLEELF_H
