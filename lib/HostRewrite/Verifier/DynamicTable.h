//===- DynamicTable.h - what the dynamic linker is told ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entries of PT_DYNAMIC, and what they lead to: strings, symbols, hash
// tables, versions, functions that are called when the file is loaded. All of
// it by address. Relocations.h has those tables; sibling LoadedImage.h.
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
  /// Nothing when there is none, which is right for static programs only, or
  /// when it cannot be read; \p F says where that is wrong.
  static std::optional<DynamicTable> read(const LoadedImage &Image,
                                          Findings &F);

  /// The value of \p Tag; of several the last one counts, as for glibc.
  std::optional<uint64_t> get(uint64_t Tag) const;
  uint64_t getOr(uint64_t Tag, uint64_t Default) const;
  struct Entry {
    uint64_t Tag, Value;
    bool operator==(const Entry &O) const = default;
  };
  /// In their order, without the DT_NULL after them.
  llvm::ArrayRef<Entry> entries() const { return Entries; }
  uint64_t address() const { return Address; }

  /// The text at \p Offset of the string table; nothing when it is not one.
  std::optional<llvm::StringRef> text(uint64_t Offset) const;
  /// Whether there is one, which may be empty; without going through it.
  bool hasText(uint64_t Offset) const { return Offset < Strings.size(); }
  bool isEmptyText(uint64_t Offset) const { return Strings[Offset] == 0; }
  /// Nothing when the table has no such entry.
  std::optional<DynamicSymbol> symbol(uint64_t Index) const;
  /// The number of symbols, as far as the tables tell it.
  uint64_t symbolCount() const { return SymbolCount; }
  /// As many of them as a name can be found by: the hash tables lead to no
  /// other one. After check().
  uint64_t hashedCount() const { return HashedCount; }
  /// Whether symbol \p Index has a version that some table names, as far as
  /// symbols have versions; glibc takes what it finds for one otherwise.
  bool hasVersion(uint64_t Index) const;

  /// Looks at strings, symbols, hash tables and versions.
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
  bool checkNeededVersions(uint64_t At, uint64_t Count);
  bool checkVersionsOf(uint64_t At, unsigned Count, uint64_t &Budget);
  bool checkDefinedVersions(uint64_t At);
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
