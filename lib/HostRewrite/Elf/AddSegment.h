//===- AddSegment.h - device code added to an ELF file ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds a segment with the device code after all others, in memory and in the
// loaded part of the file. No address changes:
//
//   memory   | .rodata | marker | .eh_frame | .data | .bss |
//   memory   | .rodata | marker | .eh_frame | .data | .bss | .hip_fatbin |
//   file     | .rodata | marker | .eh_frame | .data | .hip_fatbin | .symtab
//
// The marker's bytes stay, but are unreferenced: its section header becomes
// that of .hip_fatbin. If the program header table needs space (HeaderSlot.h),
// the parts after the table move to the start of the new segment. The inverse
// is Layout.h with Rewrite.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_ADDSEGMENT_H
#define KPACK_LIB_HOSTREWRITE_ELF_ADDSEGMENT_H

#include "HeaderSlot.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::hostrewrite {

struct AddedSegment {
  HeaderSlot Slot;
  uint64_t Offset = 0, Address = 0, PageSize = 0;
  /// End of the loaded part of the old file.
  uint64_t LoadsEnd = 0;
  /// Addresses of the parts that make room for the program header, or empty.
  Range MovedAddresses;
  uint64_t MovedDelta = 0; // to be added to these, modulo 2^64
  /// Offset of .hip_fatbin in the segment, after the moved parts.
  uint64_t DataDelta = 0;
  /// The section header that becomes .hip_fatbin's, and the name's offset in
  /// the table of names; nullopt if the file has no section headers.
  std::optional<size_t> Section;
  uint32_t SectionName = 0;
  /// The name has to be written there first.
  bool WritesName = false;

  uint64_t dataAddress() const { return Address + DataDelta; }
  uint64_t dataOffset() const { return Offset + DataDelta; }
};

/// Fails if there is no room for a program header or for the section's name.
llvm::Expected<AddedSegment> planSegment(const ElfView &View,
                                         const PointerFacts &Pointers);

/// Writes the file to \p OS; the caller checks its errors. Wrapper I points to
/// \p Places[I], in bytes from the start of the device code, which
/// \p WriteCode writes and which has \p CodeSize bytes.
llvm::Error
writeWithSegment(const ElfView &View, const PointerFacts &Pointers,
                 const AddedSegment &Plan, llvm::ArrayRef<uint64_t> Places,
                 uint64_t CodeSize,
                 llvm::function_ref<llvm::Error(llvm::raw_ostream &)> WriteCode,
                 llvm::raw_pwrite_stream &OS);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_ADDSEGMENT_H
