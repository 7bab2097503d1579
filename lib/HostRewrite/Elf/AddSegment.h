//===- AddSegment.h - a file with device code again -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One more segment after all others, in memory and in what is loaded of the
// file, holds the device code, and no address changes:
//
//   memory   | .rodata | marker | .eh_frame | .data | .bss |
//   memory   | .rodata | marker | .eh_frame | .data | .bss | .hip_fatbin |
//   file     | .rodata | marker | .eh_frame | .data | .hip_fatbin | .symtab
//
// The marker's bytes stay, but nothing leads to them: its section header is
// that of .hip_fatbin now. What makes room for the program header, if anything
// has to (HeaderSlot.h), moves to the start of the new segment. The inverse is
// Layout.h with Rewrite.h.
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
  /// Of the old file: what is after it is not loaded.
  uint64_t LoadsEnd = 0;
  /// Of what makes room for the program header; empty when nothing has to.
  Range MovedAddresses;
  uint64_t MovedDelta = 0; // to be added to these, modulo 2^64
  /// Of .hip_fatbin in the segment, after what was moved.
  uint64_t DataDelta = 0;
  /// The section header that becomes .hip_fatbin's, and that name's place in
  /// the table of names; none: the file has no section headers.
  std::optional<size_t> Section;
  uint32_t SectionName = 0;
  /// The name is to be written there first.
  bool WritesName = false;

  uint64_t dataAddress() const { return Address + DataDelta; }
  uint64_t dataOffset() const { return Offset + DataDelta; }
};

/// Errors: no room for a program header, or for a name of the section.
llvm::Expected<AddedSegment> planSegment(const ElfView &View,
                                         const PointerFacts &Pointers);

/// Writes the file to \p OS, whose errors the caller looks at. Wrapper I leads
/// to \p Places[I], in bytes from the start of the device code, which
/// \p WriteCode writes and which has \p CodeSize bytes.
llvm::Error
writeWithSegment(const ElfView &View, const PointerFacts &Pointers,
                 const AddedSegment &Plan, llvm::ArrayRef<uint64_t> Places,
                 uint64_t CodeSize,
                 llvm::function_ref<llvm::Error(llvm::raw_ostream &)> WriteCode,
                 llvm::raw_pwrite_stream &OS);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_ADDSEGMENT_H
