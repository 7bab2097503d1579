//===- DynamicTable.h - tables that the dynamic linker reads ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entries of PT_DYNAMIC and the tables that they refer to, all by address:
// strings, symbols, hash tables, versions, functions called at load.
// DynamicRelocations.h reads the relocation tables. Sibling: LoadedImage.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_DYNAMICTABLE_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_DYNAMICTABLE_H

#include "LoadedImage.h"

#include <map>
#include <set>

namespace kpack::hostrewrite::verifier {

/// An entry of the symbol table.
struct DynamicSymbol {
  uint32_t Name;
  uint8_t Info;
  uint16_t Section; ///< 0: it is defined elsewhere
  uint64_t Value;
};

class DynamicTable {
public:
  /// Returns nullopt if there is no table, which only a static program may
  /// lack, or if it cannot be read; adds such problems to \p F.
  static std::optional<DynamicTable> read(const LoadedImage &Image,
                                          Findings &F);

  /// Returns the value of \p Tag; the last one counts, as for glibc.
  std::optional<uint64_t> get(uint64_t Tag) const;
  uint64_t getOr(uint64_t Tag, uint64_t Default) const;
  struct Entry {
    uint64_t Tag, Value;
    bool operator==(const Entry &O) const = default;
  };
  /// In file order, without the final DT_NULL.
  llvm::ArrayRef<Entry> entries() const { return Entries; }
  uint64_t address() const { return Address; }

  /// Returns the string at \p Offset of the string table, or nullopt.
  std::optional<llvm::StringRef> text(uint64_t Offset) const;
  /// True if there is a string, perhaps an empty one; takes constant time.
  bool hasText(uint64_t Offset) const { return Offset < Strings.size(); }
  bool isEmptyText(uint64_t Offset) const { return Strings[Offset] == 0; }
  /// Returns nullopt if the table has no such entry.
  std::optional<DynamicSymbol> symbol(uint64_t Index) const;
  /// The number of symbols, as far as the tables determine it.
  uint64_t symbolCount() const { return SymbolCount; }
  /// The number of symbols that a lookup by name can return, since the hash
  /// tables refer to no other ones. Set by check().
  uint64_t hashedCount() const { return HashedCount; }
  /// True if a table names the version of symbol \p Index, or symbols have no
  /// versions; glibc would use arbitrary bytes otherwise.
  bool hasVersion(uint64_t Index) const;

  /// Checks strings, symbols, hash tables and versions.
  void check(Findings &F);

private:
  explicit DynamicTable(const LoadedImage &Image) : Image(&Image) {}
  void checkTags(Findings &F);
  void checkTables(Findings &F);
  void checkNames(Findings &F);
  void checkSysvHash(Findings &F);
  void checkGnuHash(Findings &F);
  bool checkChain(llvm::StringRef Chains, uint64_t First, uint32_t Bucket,
                  uint32_t BucketCount, uint64_t Offset, uint64_t &Budget);
  void checkVersions(Findings &F);
  std::set<llvm::StringRef> neededNames() const;
  bool checkNeededVersions(uint64_t Address, uint64_t Count);
  bool checkVersionChain(uint64_t Address, unsigned Count, uint64_t &Budget);
  bool checkDefinedVersions(uint64_t Address);
  void noteVersion(uint16_t Index);

  const LoadedImage *Image;
  uint64_t Address = 0;
  std::vector<Entry> Entries;
  std::map<uint64_t, uint64_t> Values;
  llvm::StringRef Strings, Symbols;
  uint64_t SymbolCount = 0, HashedCount = 0;
  /// Symbols that DT_GNU_HASH leads to, half-open.
  uint64_t HashedBegin = 0, HashedEnd = 0;
  uint16_t LastVersion = 0;
};

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_DYNAMICTABLE_H
