//===- ToolSupport/ElfFile.h - checked ELF files ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way to LLVM's ELF reader for bytes from outside, and the one file that
// includes it (lib/floors.txt). LLVM's reader compares most tables with the
// size of the file, but not all of them: dynamicEntries() takes p_filesz as it
// is, getDynSymtabSize() divides by sh_entsize, and a note's description is
// looked for with an alignment that the caller has to correct. ElfFile offers
// those functions that check everything they follow, under LLVM's names, and
// checked ones of its own in place of the others. What it returns points into
// the file.
//
// Other readers of foreign files: Offload/PeImage.h and Offload/CoffSections.h
// (Windows), Offload/RelocatableElf.h (objects to edit), HostRewrite's
// ElfView.h and Verifier/LoadedImage.h, ToolSupport/StaticLibrary.h, and
// without LLVM Support/ElfNotes.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_ELFFILE_H
#define KPACK_TOOLSUPPORT_ELFFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kpack {

struct ElfNote {
  llvm::StringRef Name; ///< without its zero
  uint32_t Type = 0;
  llvm::StringRef Description;
};

/// A 64-bit little-endian ELF file. Refers to the bytes, which must outlive it.
class ElfFile : llvm::object::ELFFile<llvm::object::ELF64LE> {
  using Base = llvm::object::ELFFile<llvm::object::ELF64LE>;

public:
  using Type = llvm::object::ELF64LE;

  /// Whether \p Bytes have the identification of such a file and a whole
  /// header.
  static bool startsOne(llvm::StringRef Bytes);
  /// An error where startsOne() is false. Nothing but the header is looked at.
  static llvm::Expected<ElfFile> create(llvm::StringRef Bytes);

  llvm::StringRef bytes() const { return Bytes; }

  using Base::getHeader;
  using Base::getRelativeRelocationType;
  using Base::getSection;
  using Base::getSectionContents;
  using Base::getSectionName;
  using Base::getSectionStringTable;
  using Base::getStringTableForSymtab;
  using Base::getSymbol;
  using Base::program_headers;
  using Base::relas;
  using Base::sections;
  using Base::symbols;

  /// The dynamic table up to DT_NULL; empty: there is none.
  llvm::Expected<llvm::ArrayRef<Type::Dyn>> dynamicEntries() const;
  /// What the loadable segment that holds \p Address has in the file, from
  /// there on. Empty where no segment has it.
  llvm::StringRef bytesFrom(uint64_t Address) const;
  /// The notes of \p Segment, a PT_NOTE, up to a damaged one. An error if that
  /// is the first.
  llvm::Expected<std::vector<ElfNote>> notesOf(const Type::Phdr &Segment) const;

private:
  ElfFile(Base File, llvm::StringRef Bytes)
      : Base(std::move(File)), Bytes(Bytes) {}

  llvm::StringRef Bytes;
};

/// What the dynamic linker reads of a program or library to find others.
struct NeededNames {
  uint16_t Machine = 0;
  std::vector<std::string> Needed;
  std::string Rpath, Runpath;
};

/// Nothing where \p Bytes are no ELF file of 64 bits, or a damaged one. Names
/// and lists of folders that are longer than any linker makes are left out.
std::optional<NeededNames> readNeededNames(llvm::StringRef Bytes);

/// Why the dynamic table of \p Bytes, a program or library, may have more names
/// than readNeededNames() finds; empty: it has not, or \p Bytes are something
/// else.
std::string dynamicDamage(llvm::StringRef Bytes);

/// Whether a relocation that a loader applies to \p Bytes, a program or
/// library, names \p Name, a symbol of another one. Section headers are not
/// looked at: those relocations lead to all symbols that are in use. False for
/// other files, and for damaged ones.
bool importsSymbol(llvm::StringRef Bytes, llvm::StringRef Name);

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_ELFFILE_H
