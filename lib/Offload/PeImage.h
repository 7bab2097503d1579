//===- Offload/PeImage.h - a linked Windows file ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Headers and section table of a program or library of 64-bit Windows (PE32+),
// read once and checked against the file's size. Windows has the sections that
// ELF files have, under the first eight letters of their names; MinGW's linker
// keeps whole names in a table. What is in other tables is not looked at.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_PEIMAGE_H
#define KPACK_OFFLOAD_PEIMAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/COFF.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace kpack::offload {

inline constexpr llvm::StringLiteral PeMarkerSectionName = ".kpackrf";

/// Refers to the bytes, which must outlive it.
class PeImage {
public:
  using Section = llvm::object::coff_section;

  /// Whether \p Bytes begin as programs for DOS and Windows do.
  static bool startsOne(llvm::StringRef Bytes) {
    return Bytes.starts_with("MZ");
  }
  /// \p Name is how messages call the file. Errors: no PE32+ file; one for
  /// several machines at once (ARM64EC, ARM64X); damaged headers.
  static llvm::Expected<PeImage> read(llvm::StringRef Bytes,
                                      llvm::StringRef Name);

  llvm::StringRef Bytes;
  std::string Name;
  llvm::object::coff_file_header Header;
  llvm::object::pe32plus_header Optional;
  std::vector<llvm::object::data_directory> Directories;
  std::vector<Section> Sections;
  /// Where these stand in the file.
  uint64_t HeaderOffset = 0, OptionalOffset = 0, DirectoriesOffset = 0,
           TableOffset = 0;

  /// The whole name, where the file has it.
  llvm::StringRef sectionName(const Section &S) const;
  /// Whether \p S is the one that other formats call \p Full.
  bool isNamed(const Section &S, llvm::StringRef Full) const;
  /// The bytes of \p S that the file has and memory will have.
  llvm::StringRef contents(const Section &S) const;
  /// Empty where there is none.
  llvm::object::data_directory directory(size_t Index) const;
  /// Whether the loader may put it anywhere.
  bool isMovable() const {
    return !(Header.Characteristics & llvm::COFF::IMAGE_FILE_RELOCS_STRIPPED);
  }
  /// Where the \p Size bytes at \p Rva, which count from the image's base,
  /// stand in the file; nothing when they are not all in it.
  std::optional<uint64_t> offsetOf(uint64_t Rva, uint64_t Size) const;
  /// All of one section, or of the headers, from \p Rva on.
  llvm::StringRef bytesFrom(uint64_t Rva) const;
  /// The identifier by which debuggers find the .pdb file; empty: it has none.
  llvm::StringRef buildId() const;

  llvm::Error error(const llvm::Twine &What) const;
  /// One whose fault is the file's.
  llvm::Error damaged(const llvm::Twine &What) const {
    return error(What + "; it is damaged, get it again");
  }

private:
  llvm::Error readHeaders();
  llvm::Error readSections();
  llvm::Error checkOneMachine() const;
};

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_PEIMAGE_H
