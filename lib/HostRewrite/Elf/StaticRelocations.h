//===- StaticRelocations.h - relocations of --emit-relocs -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the relocations of a linked file that loaders ignore. They cover all
// fields that the linker computed, except for linker-generated tables and code.
// Each field is computed again first. A result that differs from the file means
// that the linker changed the instruction; unless RelaxedCode.cpp knows the
// change, nothing is moved. x86-64. Sibling for loaders: Relocations.h.
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_STATICRELOCATIONS_H
#define KPACK_LIB_HOSTREWRITE_ELF_STATICRELOCATIONS_H

#include "AddressMove.h"

#include "llvm/ADT/DenseSet.h"

namespace kpack::hostrewrite {

/// A relocation and its symbol.
struct StaticRelocation {
  size_t Target = 0;  ///< the section to which the relocation applies
  uint64_t Place = 0; ///< an address, or an offset if it is not loaded
  uint64_t Addend = 0;
  uint32_t Type = 0;

  uint64_t Value = 0; ///< of the symbol
  bool IsDefined = false, IsAbsolute = false, IsThreadLocal = false;
  bool IsDevice = false;    ///< defined in the device code
  bool IsUnloaded = false;  ///< defined in a section that is not loaded
  bool IsUndefined = false; ///< or there is no symbol
};

/// Reports the fields of the linker's relocations.
class StaticRelocations {
public:
  StaticRelocations(const ElfView &View, const PointerFacts &Pointers,
                    size_t DeviceSection, AddressMove &Move)
      : View(View), Pointers(Pointers), DeviceSection(DeviceSection),
        Move(Move) {}
  /// Reports all fields to Move. Fails if there are no such relocations, or on
  /// one that is not understood.
  llvm::Error run();

  /// True if a static relocation covers a pointer at \p Address.
  bool hasPointerAt(uint64_t Address) const {
    return PointerPlaces.contains(Address);
  }
  /// Places in .eh_frame, whose fields UnwindTables.h finds; sorted.
  llvm::ArrayRef<uint64_t> ehFramePlaces() const { return EhFramePlaces; }

private:
  llvm::Error visitSection(size_t Relocations);
  llvm::Error readSymbol(const Elf::Shdr &Table, uint32_t Index,
                         StaticRelocation &R) const;
  llvm::Error visit(const StaticRelocation &R);
  llvm::Error visitAbsolute(const StaticRelocation &R, unsigned Size);
  llvm::Error visitUnloaded(const StaticRelocation &R, unsigned Size);
  llvm::Error visitRelative(const StaticRelocation &R, unsigned Size);
  llvm::Error visitRelaxed(const StaticRelocation &R);
  bool isMovedJump(const StaticRelocation &R, const MovedField &Field);
  llvm::Error visitShort(const StaticRelocation &R);
  bool changeRelative(const StaticRelocation &R, const MovedField &Field,
                      uint64_t FieldAddress, uint64_t Target);
  bool isWhatItNames(const StaticRelocation &R, uint64_t Target) const;
  llvm::Error unknown(const StaticRelocation &R) const;

  const ElfView &View;
  const PointerFacts &Pointers;
  const size_t DeviceSection;
  AddressMove &Move;
  llvm::DenseSet<uint64_t> PointerPlaces;
  std::vector<uint64_t> EhFramePlaces;
  /// The place of the call in a relaxed thread-local access, if it has one.
  std::optional<uint64_t> OldCall;
  bool OldCallReadsGot = false;
};

/// The result of relaxing an access to a symbol that turned out to be near: the
/// instruction changed, and its relocation did not. x86-64.
struct RelaxedAccess {
  enum {
    NotKnown,
    Constant, ///< no address any more
    Address,  ///< the address itself, in four bytes at Field
    Jump,     ///< a jump or call to the symbol, with its distance at Field
  } Kind = NotKnown;
  uint64_t Field = 0; ///< in the section
  /// The place of the next relocation, of a call that was replaced as well. The
  /// new instruction reads from the table of offsets or has no address.
  std::optional<uint64_t> Call;
  bool CallReadsGot = false;
};
RelaxedAccess findRelaxed(llvm::StringRef Code, uint64_t Offset,
                          const StaticRelocation &R);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_STATICRELOCATIONS_H
