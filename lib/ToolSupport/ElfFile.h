//===- ElfFile.h - LLVM's ELF reader with more checks -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wrapper of LLVM's ELF reader for untrusted bytes, and the only file that
// includes that reader (lib/floors.txt). LLVM's reader checks most tables
// against the size of the file, but not all: dynamicEntries() trusts p_filesz,
// getDynSymtabSize() divides by sh_entsize, and the description of a note
// depends on an alignment that the caller has to correct. ElfFile exports the
// functions that check everything they follow, under LLVM's names, and has
// checked replacements for the others. Results point into the file.
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

  /// True if \p Bytes have the identification of a 64-bit little-endian file
  /// and a whole header.
  static bool startsOne(llvm::StringRef Bytes);
  /// Fails if startsOne() is false. Reads only the header.
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

  /// Returns the dynamic table up to DT_NULL; empty if there is none.
  llvm::Expected<llvm::ArrayRef<Type::Dyn>> dynamicEntries() const;
  /// Returns the file bytes of the loadable segment that holds \p Address, from
  /// that address on. Empty if no segment has it.
  llvm::StringRef bytesFrom(uint64_t Address) const;
  /// Returns the notes of \p Segment, a PT_NOTE, up to a damaged one. Fails if
  /// the first one is damaged.
  llvm::Expected<std::vector<ElfNote>>
  readNotes(const Type::Phdr &Segment) const;

private:
  ElfFile(Base File, llvm::StringRef Bytes)
      : Base(std::move(File)), Bytes(Bytes) {}

  llvm::StringRef Bytes;
};

/// The fields of a program or library by which the dynamic linker finds others.
struct NeededNames {
  uint16_t Machine = 0;
  std::vector<std::string> Needed;
  std::string Rpath, Runpath;
};

/// Returns nullopt if \p Bytes are no 64-bit ELF file, or a damaged one. Omits
/// names and lists of folders that are longer than those of linkers.
std::optional<NeededNames> readNeededNames(llvm::StringRef Bytes);

/// Returns the reason why the dynamic table of \p Bytes, a program or library,
/// may have more names than readNeededNames() finds. Empty if it has not, or if
/// \p Bytes are something else.
std::string dynamicDamage(llvm::StringRef Bytes);

/// True if a relocation that a loader applies to \p Bytes, a program or
/// library, refers to the undefined symbol \p Name. Does not use section
/// headers: these relocations lead to all symbols in use. False for other
/// files, and for damaged ones.
bool importsSymbol(llvm::StringRef Bytes, llvm::StringRef Name);

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_ELFFILE_H
