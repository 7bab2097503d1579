//===- PeLayout.h - Windows file without device code ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No address of the program changes. The loader requires sections without gaps,
// so .hip_fat keeps its memory and loses its bytes in the file. The marker gets
// a separate section, without padding, after all others except DWARF
// (DebugSections.h), so that the numbers of other sections, which debug
// information in a PDB uses, do not change:
//
//   memory   | .text | .hip_fat ....... | .reloc | .debug_info |
//   memory   | .text | zeros            | .reloc | .kpackrf | .debug_info |
//   file     | .text | .reloc | .kpackrf | .debug_info | appended bytes
//
// The inverse removes the marker's section.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_COFF_PELAYOUT_H
#define KPACK_LIB_HOSTREWRITE_COFF_PELAYOUT_H

#include "../Range.h"
#include "Offload/PeImage.h"

namespace kpack::hostrewrite {

struct PeLayout {
  /// Bytes of the old file and their new offset.
  struct Piece {
    Range Old;
    uint64_t NewOffset;
  };
  /// In file order, the headers first.
  std::vector<Piece> Pieces;
  /// Bytes between two pieces or at the end: the marker, or device code.
  uint64_t InsertedAt = 0, InsertedSize = 0;
  uint64_t InsertedRva = 0;

  /// With their offsets in the new file.
  std::vector<offload::PeImage::Section> Sections;
  /// The first of the old file's debug sections, and the difference between new
  /// and old section numbers from it on.
  size_t FirstDebug = 0;
  int DebugNumberShift = 0;
  uint64_t HeadersSize = 0, ImageSize = 0, InitializedSize = 0;
  /// A signature covers the whole file, so it is dropped.
  bool LosesSignature = false;

  /// Returns the new offset of a byte, or nullopt if it is removed.
  std::optional<uint64_t> newOffset(uint64_t Offset) const;
};

/// Plans to remove the bytes of section \p Device and to add a marker of
/// \p MarkerSize bytes. Fails if the layout cannot be kept.
llvm::Expected<PeLayout> planHostOnly(const offload::PeImage &Image,
                                      size_t Device, uint64_t MarkerSize);

/// Plans to add \p CodeSize bytes of device code, at their former place if they
/// fit there, or else after all other sections. Fails as above.
llvm::Expected<PeLayout> planFat(const offload::PeImage &Image,
                                 uint64_t CodeSize);

/// Returns the index of the section with the full name \p Full. Fails if there
/// are several.
llvm::Expected<std::optional<size_t>> findSection(const offload::PeImage &Image,
                                                  llvm::StringRef Full);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_COFF_PELAYOUT_H
