//===- DynamicRelocations.h - relocations of a loaded file ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the relocations of the dynamic table (DT_RELA, DT_REL, DT_RELR,
// DT_JMPREL), and computes the values that they give to some places: pointers
// of wrappers and of functions called at load.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_DYNAMICRELOCATIONS_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_DYNAMICRELOCATIONS_H

#include "DynamicTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kpack::hostrewrite::verifier {

struct Relocation {
  uint64_t Place;
  uint32_t Type;   ///< for RELR, the relative type
  uint32_t Symbol; ///< 0: none
  /// For REL and RELR, the word at Place.
  uint64_t Addend;
  bool operator==(const Relocation &O) const = default;
};

/// True if the addend of a relocation of \p Type is a function that is called.
bool callsFunction(uint16_t Machine, uint32_t Type);

class Relocations {
public:
  /// Finds the tables and adds their problems to \p F.
  Relocations(const LoadedImage &Image, const DynamicTable &Table, Findings &F);

  /// Visits relocations in the order in which they are applied.
  void forEach(llvm::function_ref<void(const Relocation &)> Use) const;
  /// Checks each relocation.
  void check(Findings &F) const;
  bool isRelative(const Relocation &R) const { return R.Type == Relative; }
  /// Returns the address at R.Place after relocation, as linked; nullopt if it
  /// depends on another file's symbol.
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

/// The values of some places after loading.
class LoadedValues {
public:
  explicit LoadedValues(const LoadedImage &Image) : Image(Image) {}

  void want(uint64_t Place) { Wanted.try_emplace(Place); }
  void apply(const Relocations &All);

  struct Value {
    std::optional<uint64_t> Address; ///< as linked, if it is known
    unsigned Relocations = 0;        ///< number of relocations for it
  };
  Value at(uint64_t Place) const;

private:
  const LoadedImage &Image;
  llvm::DenseMap<uint64_t, Value> Wanted;
};

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_DYNAMICRELOCATIONS_H
