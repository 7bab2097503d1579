//===- Layout.h - a file without its device code ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where everything goes when the device code is taken out and no address
// changes (the RFC's zero page): the segment that holds .hip_fatbin ends after
// the marker, which stands at its start, and what followed becomes a segment of
// its own, further to the front in the file by a multiple of the page size.
//
//   memory   | .rodata | .hip_fatbin ............ | .eh_frame |
//   memory   | .rodata | marker |      nothing    | .eh_frame |
//   file     | .rodata | marker | .eh_frame |
//
// Or the compact one, in memory as in the file: what followed moves down, by
// whole pages. Whether it may is asked of Compact.h.
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

  /// The new file: [0, LowEnd) of the old one, the marker at MarkerOffset and
  /// the moved range at MovedTo, up to UsedEnd; and from HighBegin on the old
  /// one again, Removed bytes further to the front.
  uint64_t LowEnd = 0, MarkerOffset = 0, UsedEnd = 0;
  uint64_t HighBegin = 0, Removed = 0;

  /// What makes room after the program headers; empty when nothing has to.
  Range Moved;
  uint64_t MovedTo = 0;    // in the file
  Range MovedAddresses;    // old
  uint64_t MovedDelta = 0; // to be added to these, modulo 2^64

  /// Compact: this address and all after it move down, Removed bytes.
  std::optional<uint64_t> ShiftFrom;
  /// No memory stands after the device code, so that nothing has to move to
  /// make it compact.
  bool IsLast = false;

  std::vector<Elf::Phdr> Segments;
  /// What of the device code's place is still in the file is in no segment.
  bool HasGap = true;

  /// Where the byte at \p Offset of the old file goes that is not dropped.
  uint64_t newOffset(uint64_t Offset) const;
  /// The new address of what was at \p Address.
  uint64_t newAddress(uint64_t Address) const;
};

/// \p MarkerSize is in bytes. Errors: a layout that cannot be kept.
llvm::Expected<ElfLayout> planLayout(const ElfView &View,
                                     const PointerFacts &Pointers,
                                     uint64_t MarkerSize);

/// The same, compact. Errors: also a file whose parts after the device code
/// are in another order in memory, or where no whole page can be taken out.
llvm::Expected<ElfLayout> planCompactLayout(const ElfView &View,
                                            const PointerFacts &Pointers,
                                            uint64_t MarkerSize);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_LAYOUT_H
