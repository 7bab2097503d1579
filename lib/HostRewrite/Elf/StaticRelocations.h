//===- StaticRelocations.h - what --emit-relocs has left --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The relocations of a linked file that no loader reads: all fields that the
// linker has computed, but for those that it has made itself. Each is computed
// again first; what does not come out as it stands there was changed by the
// linker in a way that is not known (or is, RelaxedCode.cpp), and then nothing
// is moved. x86-64. Sibling for those of loaders: Relocations.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_STATICRELOCATIONS_H
#define KPACK_LIB_HOSTREWRITE_ELF_STATICRELOCATIONS_H

#include "AddressMove.h"

#include "llvm/ADT/DenseSet.h"

namespace kpack::hostrewrite {

/// A relocation and its symbol.
struct StaticRelocation {
  size_t Target = 0;  ///< the section that it is of
  uint64_t Place = 0; ///< an address; of what is not loaded, an offset
  uint64_t Addend = 0;
  uint32_t Type = 0;

  uint64_t Value = 0; ///< of the symbol
  bool IsDefined = false, IsAbsolute = false, IsThreadLocal = false;
  bool IsDevice = false;    ///< defined in the device code
  bool IsUnloaded = false;  ///< defined in what is not loaded
  bool IsUndefined = false; ///< or there is no symbol
};

/// What the linker's relocations say, field by field.
class StaticRelocations {
public:
  StaticRelocations(const ElfView &View, const PointerFacts &Pointers,
                    size_t DeviceSection, AddressMove &Move)
      : View(View), Pointers(Pointers), DeviceSection(DeviceSection),
        Move(Move) {}
  /// Has Move know all fields. Errors: there are no such relocations, or one
  /// that was not understood.
  llvm::Error run();

  /// Whether a pointer at \p Address is known.
  bool hasPointerAt(uint64_t Address) const {
    return PointerPlaces.contains(Address);
  }
  /// Of .eh_frame, whose fields EhFrame.h finds; sorted.
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
  /// Of the call that a relaxed thread-local access had, if it is one still.
  std::optional<uint64_t> OldCall;
  bool OldCallReadsGot = false;
};

/// What linkers make of accesses to what turns out to be near: the instruction
/// is another one, and its relocation stays as it was. x86-64.
struct RelaxedAccess {
  enum {
    NotKnown,
    Constant, ///< no address any more
    Address,  ///< the address itself, in four bytes at Field
    Jump,     ///< a jump or call to it, whose distance is at Field
  } Kind = NotKnown;
  uint64_t Field = 0; ///< in the section
  /// The place of the next relocation, of a call that was replaced as well;
  /// it may read from the table of offsets, or has no address any more.
  std::optional<uint64_t> Call;
  bool CallReadsGot = false;
};
RelaxedAccess findRelaxed(llvm::StringRef Code, uint64_t Offset,
                          const StaticRelocation &R);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_STATICRELOCATIONS_H
