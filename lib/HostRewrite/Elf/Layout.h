//===- Layout.h - layouts without device code -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The new places of all parts if the device code is removed and no address
// changes (the RFC's zero page): the segment with .hip_fatbin ends after the
// marker, which replaces the start of the section, and the following part
// becomes a separate segment, nearer by a multiple of the page size in the
// file:
//
//   memory   | .rodata | .hip_fatbin ............ | .eh_frame |
//   memory   | .rodata | marker |      nothing    | .eh_frame |
//   file     | .rodata | marker | .eh_frame |
//
// Or the compact layout: the following part moves down by whole pages, in
// memory as in the file. Compact.h checks whether it may.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_LAYOUT_H
#define KPACK_LIB_HOSTREWRITE_ELF_LAYOUT_H

#include "DeviceRange.h"
#include "ElfView.h"

namespace kpack::hostrewrite {

struct ElfLayout {
  /// The device code, which the marker replaces.
  DeviceRange Device;
  uint64_t MarkerAddress = 0;

  /// The new file is [0, LowEnd) of the old one, the marker at MarkerOffset and
  /// the moved range at MovedTo, up to UsedEnd; then the old file from
  /// HighBegin on, Removed bytes nearer to the start.
  uint64_t LowEnd = 0, MarkerOffset = 0, UsedEnd = 0;
  uint64_t HighBegin = 0, Removed = 0;

  /// The parts that make room after the program headers, or empty.
  Range Moved;
  uint64_t MovedTo = 0;    // in the file
  Range MovedAddresses;    // old
  uint64_t MovedDelta = 0; // to be added to these, modulo 2^64

  /// Compact: this address and all later ones decrease by Removed bytes.
  std::optional<uint64_t> ShiftFrom;
  /// No memory follows the device code, so a compact layout moves nothing.
  bool IsLast = false;

  std::vector<Elf::Phdr> Segments;
  /// The rest of the device code's place in the file is in no segment.
  bool HasGap = true;

  /// Returns the new offset of a byte at \p Offset that is not dropped.
  uint64_t newOffset(uint64_t Offset) const;
  /// Returns the new address of the byte at \p Address.
  uint64_t newAddress(uint64_t Address) const;
};

/// \p MarkerSize is in bytes. Fails if the layout cannot be kept.
llvm::Expected<ElfLayout> planLayout(const ElfView &View,
                                     const PointerFacts &Pointers,
                                     uint64_t MarkerSize);

/// Plans the compact layout. Also fails if the parts after the device code have
/// another order in memory, or if no whole page can be removed.
llvm::Expected<ElfLayout> planCompactLayout(const ElfView &View,
                                            const PointerFacts &Pointers,
                                            uint64_t MarkerSize);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_LAYOUT_H
