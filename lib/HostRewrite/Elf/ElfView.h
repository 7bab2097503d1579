//===- ElfView.h - the tables of a linked ELF file --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Header, program headers, section headers and dynamic table of a linked file,
// read once and checked against the file's size. The tables are copies, which
// Rewrite.cpp changes and writes.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_ELFVIEW_H
#define KPACK_LIB_HOSTREWRITE_ELF_ELFVIEW_H

#include "../Range.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace kpack::hostrewrite {

using Elf = llvm::object::ELF64LE;

/// An entry of the dynamic table with its offset in the file.
struct DynamicEntry {
  int64_t Tag;
  uint64_t Value;
  uint64_t FileOffset;
};

/// Refers to the bytes, which must outlive it.
class ElfView {
public:
  /// Messages call the file \p Name.
  static llvm::Expected<ElfView> read(llvm::StringRef Bytes,
                                      llvm::StringRef Name);

  llvm::StringRef Bytes;
  std::string Name;
  Elf::Ehdr Header;
  std::vector<Elf::Phdr> Segments;
  std::vector<Elf::Shdr> Sections;
  std::vector<DynamicEntry> Dynamic;
  uint32_t RelativeType = 0; // R_X86_64_RELATIVE and the like

  llvm::StringRef sectionName(const Elf::Shdr &Section) const;
  /// The index of the table of section names, if there are sections.
  size_t nameTable() const;
  std::optional<size_t> findSection(llvm::StringRef SectionName) const;
  std::optional<uint64_t> dynamicValue(int64_t Tag) const;

  /// Returns the offset of \p Size bytes at \p Address; nullopt if they are not
  /// all in the file part of one segment.
  std::optional<uint64_t> offsetOf(uint64_t Address, uint64_t Size) const;

  llvm::Error error(const llvm::Twine &Message) const;

private:
  llvm::Error readSectionNames();
  llvm::Error readDynamic();

  llvm::StringRef SectionNames;
};

inline Range fileRange(const Elf::Phdr &Segment) {
  return {Segment.p_offset, Segment.p_offset + Segment.p_filesz};
}

/// True if the value of \p Symbol, defined in \p Section, is an address. For a
/// thread-local symbol it is an offset, and a section that is not loaded has no
/// address.
inline bool isAddress(const Elf::Sym &Symbol, const Elf::Shdr &Section) {
  return (Section.sh_flags & llvm::ELF::SHF_ALLOC) &&
         Symbol.getType() != llvm::ELF::STT_TLS;
}

/// Returns the bytes of \p Section in the file; empty for SHT_NOBITS.
inline Range fileRange(const Elf::Shdr &Section) {
  bool HasBytes = Section.sh_type != llvm::ELF::SHT_NOBITS &&
                  Section.sh_type != llvm::ELF::SHT_NULL;
  return {Section.sh_offset,
          Section.sh_offset + (HasBytes ? uint64_t(Section.sh_size) : 0)};
}

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_ELFVIEW_H
