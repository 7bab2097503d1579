//===- Offload/PeImage.h - headers of a linked Windows file -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Headers and section table of a 64-bit Windows program or library (PE32+),
// read once and checked against the file's size. The sections are those of ELF
// files, with names cut to eight characters; MinGW's linker keeps whole names
// in a table. Other tables are not read.
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

/// Refers to the bytes, which must outlive the image.
class PeImage {
public:
  using Section = llvm::object::coff_section;

  /// True if \p Bytes begin like a DOS or Windows program.
  static bool startsOne(llvm::StringRef Bytes) {
    return Bytes.starts_with("MZ");
  }
  /// \p Name is the file's name in messages. Fails on files other than PE32+,
  /// files for several machines at once (ARM64EC, ARM64X), and damaged headers.
  static llvm::Expected<PeImage> read(llvm::StringRef Bytes,
                                      llvm::StringRef Name);

  llvm::StringRef Bytes;
  std::string Name;
  llvm::object::coff_file_header Header;
  llvm::object::pe32plus_header Optional;
  std::vector<llvm::object::data_directory> Directories;
  std::vector<Section> Sections;
  /// File offsets of the headers and tables.
  uint64_t HeaderOffset = 0, OptionalOffset = 0, DirectoriesOffset = 0,
           TableOffset = 0;

  /// Returns the whole name if the file has it.
  llvm::StringRef sectionName(const Section &S) const;
  /// True if \p S is the section whose ELF name is \p Full.
  bool isNamed(const Section &S, llvm::StringRef Full) const;
  /// Returns the bytes of \p S that are both in the file and in memory.
  llvm::StringRef contents(const Section &S) const;
  /// Empty if the file lacks it.
  llvm::object::data_directory directory(size_t Index) const;
  /// True if the loader may place the image at any address.
  bool isMovable() const {
    return !(Header.Characteristics & llvm::COFF::IMAGE_FILE_RELOCS_STRIPPED);
  }
  /// Returns the file offset of the \p Size bytes at \p Rva, an address
  /// relative to the image's base; nullopt unless all are in the file.
  std::optional<uint64_t> offsetOf(uint64_t Rva, uint64_t Size) const;
  /// Returns the bytes of a section, or of the headers, from \p Rva to the end.
  llvm::StringRef bytesFrom(uint64_t Rva) const;
  /// Returns the identifier by which debuggers find the .pdb file, or empty.
  llvm::StringRef buildId() const;

  llvm::Error error(const llvm::Twine &Message) const;
  /// Returns an error about damage of the file.
  llvm::Error damaged(const llvm::Twine &Problem) const {
    return error(Problem + "; it is damaged, get it again");
  }

private:
  llvm::Error readHeaders();
  llvm::Error readSections();
  llvm::Error checkOneMachine() const;
};

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_PEIMAGE_H
