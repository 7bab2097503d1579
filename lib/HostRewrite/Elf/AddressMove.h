//===- AddressMove.h - what a move changes, field by field ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All addresses after the device code become smaller by one number. Whoever
// finds a field that depends on one says what it is to hold afterwards; the
// answers are collected here. Two that differ, or that meet in part, mean that
// something was not understood: then the file is not made compact.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_ADDRESSMOVE_H
#define KPACK_LIB_HOSTREWRITE_ELF_ADDRESSMOVE_H

#include "Layout.h"

#include <map>

namespace kpack::hostrewrite {

/// Bytes of a section that change.
struct MovedField {
  uint32_t Section = 0;
  uint32_t Size = 0;   ///< 4 or 8
  uint64_t Offset = 0; ///< in the section
  uint64_t Value = 0;
};

class AddressMove {
public:
  /// Errors: sections that share addresses.
  static llvm::Expected<AddressMove> create(const ElfView &View,
                                            const ElfLayout &Layout);

  /// Where what is at \p Address goes. The end of what is in front of the
  /// device code stays; nothing for an address inside of it.
  std::optional<uint64_t> of(uint64_t Address) const;
  bool moves(uint64_t Address) const { return of(Address) != Address; }
  /// Whether a number could be an address that changes.
  bool isAmongMoved(uint64_t Number) const {
    return Number > Device.Begin && Number < MemoryEnd;
  }

  /// A place in a section; Section and Offset alone count.
  std::optional<MovedField> placeAt(uint64_t Address, unsigned Size) const;
  static std::optional<MovedField> placeIn(const ElfView &View, size_t Section,
                                           uint64_t Offset, unsigned Size);
  llvm::StringRef bytesOf(size_t Section) const;
  /// What the file has there, with zeros in front.
  uint64_t read(const MovedField &Place) const;
  int64_t readSigned(const MovedField &Place) const;
  /// \p Place is to hold \p Value.
  void set(const MovedField &Place, uint64_t Value);

  /// The section whose memory has \p Address.
  std::optional<size_t> sectionAt(uint64_t Address) const;
  /// Whether the linker makes the code, or the pointers, at \p Address, for
  /// which it leaves no relocations.
  bool isPlt(uint64_t Address) const;
  bool isGot(uint64_t Address) const;

  /// Why the file is not made compact.
  llvm::Error refuse(const llvm::Twine &Why) const;
  /// All that change, each once. Errors: places that meet.
  llvm::Expected<std::vector<MovedField>> takeChanged();

private:
  AddressMove(const ElfView &View, const ElfLayout &Layout);

  const ElfView *View;
  Range Device;
  uint64_t Less, MemoryEnd = 0;
  std::map<uint64_t, size_t> ByAddress; // sections
  std::vector<MovedField> Known;
};

/// Of code that the linker makes: .plt and what is like it.
bool isPltSection(llvm::StringRef SectionName);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_ADDRESSMOVE_H
