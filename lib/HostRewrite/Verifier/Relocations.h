//===- Relocations.h - what is changed when a file is loaded ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The relocations that the dynamic table leads to (DT_RELA, DT_REL, DT_RELR,
// DT_JMPREL), one after the other, and the values that they give to places of
// interest: the pointers of wrappers and of functions that are called at load.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_RELOCATIONS_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_RELOCATIONS_H

#include "DynamicTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kpack::hostrewrite::verifier {

struct Relocation {
  uint64_t Place;
  uint32_t Type;   ///< of RELR: that of a relative one
  uint32_t Symbol; ///< 0: none
  /// Of REL and RELR it stands at Place.
  uint64_t Addend;
  bool operator==(const Relocation &O) const = default;
};

/// Whether the addend of a relocation of \p Type is a function that is called.
bool callsFunction(uint16_t Machine, uint32_t Type);

class Relocations {
public:
  /// Where relocations stand; what is wrong with the tables \p F is told.
  Relocations(const LoadedImage &Image, const DynamicTable &Table, Findings &F);

  /// In the order in which they are applied.
  void forEach(llvm::function_ref<void(const Relocation &)> Use) const;
  /// Looks at each relocation.
  void check(Findings &F) const;
  bool isRelative(const Relocation &R) const { return R.Type == Relative; }
  /// The address that stands at R.Place afterwards, as linked; nothing where
  /// another file's symbol decides.
  std::optional<uint64_t> valueOf(const Relocation &R) const;

private:
  llvm::StringRef tableAt(uint64_t Tag, uint64_t SizeTag, uint64_t EntryTag,
                          uint64_t EntrySize, Findings &F);
  std::string wrongWith(const Relocation &R) const;
  void forEachRelr(llvm::function_ref<void(const Relocation &)> Use) const;
  void forEachIn(llvm::StringRef Bytes, bool HasAddend,
                 llvm::function_ref<void(const Relocation &)> Use) const;
  uint64_t inPlace(uint64_t Place) const;

  const LoadedImage &Image;
  const DynamicTable &Table;
  llvm::StringRef Rela, Rel, Relr, Plt;
  bool PltHasAddend = true, MayWriteCode = false, HasTls = false;
  uint32_t Relative;
};

/// What places of interest hold after loading.
class LoadedValues {
public:
  explicit LoadedValues(const LoadedImage &Image) : Image(Image) {}

  void want(uint64_t Place) { Wanted.try_emplace(Place); }
  void apply(const Relocations &All);

  struct Value {
    std::optional<uint64_t> Address; ///< as linked, if it is known
    unsigned Relocations = 0;        ///< how many there are for it
  };
  Value at(uint64_t Place) const;

private:
  const LoadedImage &Image;
  llvm::DenseMap<uint64_t, Value> Wanted;
};

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_RELOCATIONS_H
