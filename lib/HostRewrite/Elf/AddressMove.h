//===- AddressMove.h - fields changed by moved addresses --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All addresses after the device code decrease by one distance. Readers of the
// file's tables report each field that depends on such an address and its new
// value; this class collects them. Fields that overlap or get two values mean
// that a reader misunderstood the file, which then is not made compact.
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
  /// Fails if sections share addresses.
  static llvm::Expected<AddressMove> create(const ElfView &View,
                                            const ElfLayout &Layout);

  /// Returns the new address of \p Address. The end of the part before the
  /// device code stays; nullopt for addresses inside of the device code.
  std::optional<uint64_t> of(uint64_t Address) const;
  bool moves(uint64_t Address) const { return of(Address) != Address; }
  /// True if a number could be an address that changes.
  bool isAmongMoved(uint64_t Value) const {
    return Value > Device.Begin && Value < MemoryEnd;
  }

  /// Return a place in a section; only its Section and Offset are set.
  std::optional<MovedField> placeAt(uint64_t Address, unsigned Size) const;
  static std::optional<MovedField> placeIn(const ElfView &View, size_t Section,
                                           uint64_t Offset, unsigned Size);
  llvm::StringRef bytesOf(size_t Section) const;
  /// Returns the bytes in the file, zero-extended.
  uint64_t read(const MovedField &Place) const;
  int64_t readSigned(const MovedField &Place) const;
  /// Reports that \p Place gets \p Value.
  void set(const MovedField &Place, uint64_t Value);

  /// Returns the section that contains \p Address in memory.
  std::optional<size_t> sectionAt(uint64_t Address) const;
  /// True if the linker generates the code, or the pointers, at \p Address;
  /// they have no relocations.
  bool isPlt(uint64_t Address) const;
  bool isGot(uint64_t Address) const;

  /// Returns an error with the reason why the file is not made compact.
  llvm::Error refuse(const llvm::Twine &Why) const;
  /// Returns each changed field once. Fails if fields overlap.
  llvm::Expected<std::vector<MovedField>> takeChanged();

private:
  AddressMove(const ElfView &View, const ElfLayout &Layout);

  const ElfView *View;
  Range Device;
  uint64_t Less, MemoryEnd = 0;
  std::map<uint64_t, size_t> ByAddress; // sections
  std::vector<MovedField> Known;
};

/// True for sections of code that linkers generate, such as .plt.
bool isPltSection(llvm::StringRef SectionName);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_ADDRESSMOVE_H
