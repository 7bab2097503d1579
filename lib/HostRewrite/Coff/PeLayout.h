//===- PeLayout.h - where everything goes in a Windows file -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No address of the program changes. The loader wants sections one after the
// other without gaps, so .hip_fat keeps its place in memory and has no bytes in
// the file any more, and the marker gets a section of its own after all others
// but DWARF (DebugSections.h), which has no padding in it and changes no other
// section's number (debug information in a PDB goes by these):
//
//   memory   | .text | .hip_fat ....... | .reloc | .debug_info |
//   memory   | .text | zeros            | .reloc | .kpackrf | .debug_info |
//   file     | .text | .reloc | .kpackrf | .debug_info | appended by somebody
//
// The way back takes the marker's section away again.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_COFF_PELAYOUT_H
#define KPACK_LIB_HOSTREWRITE_COFF_PELAYOUT_H

#include "../Range.h"
#include "Offload/PeImage.h"

namespace kpack::hostrewrite {

struct PeLayout {
  /// Bytes of the old file, and where they go.
  struct Piece {
    Range Old;
    uint64_t NewOffset;
  };
  /// In their order, the headers first.
  std::vector<Piece> Pieces;
  /// Between two of them, or after all: the marker, or device code.
  uint64_t InsertedAt = 0, InsertedSize = 0;
  uint64_t InsertedRva = 0;

  /// With their offsets in the new file.
  std::vector<offload::PeImage::Section> Sections;
  /// From this one of the old file's sections on only debuggers read them, and
  /// their numbers are others by that much.
  size_t FirstDebug = 0;
  int DebugNumberShift = 0;
  uint64_t HeadersSize = 0, ImageSize = 0, InitializedSize = 0;
  /// A signature is of the whole file, so it is left out.
  bool LosesSignature = false;

  /// Nothing where the byte at \p Offset of the old file is left out.
  std::optional<uint64_t> newOffset(uint64_t Offset) const;
};

/// Without the bytes of section \p Device, with a marker of \p MarkerSize
/// bytes. Errors: a layout that cannot be kept.
llvm::Expected<PeLayout> planHostOnly(const offload::PeImage &Image,
                                      size_t Device, uint64_t MarkerSize);

/// With \p CodeSize bytes of device code, at the place where some were where
/// they fit in there, or else after all others. Errors: as above.
llvm::Expected<PeLayout> planFat(const offload::PeImage &Image,
                                 uint64_t CodeSize);

/// The number of the section named \p Full (in full). Errors: there are
/// several.
llvm::Expected<std::optional<size_t>> findSection(const offload::PeImage &Image,
                                                  llvm::StringRef Full);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_COFF_PELAYOUT_H
