//===- DynamicTables.cpp - tables that no section header names ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GNU hash table has no number of symbols: its last chain is that of the
// bucket with the largest first symbol, and ends with an odd hash.
//
//===----------------------------------------------------------------------===//
#include "DynamicTables.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

namespace {
/// A hash table, and how many symbols it says there are.
struct HashTable {
  Range Part;
  uint64_t Count;
};
} // namespace

static std::optional<Range> partAt(const ElfView &View, int64_t Tag,
                                   uint64_t Size) {
  std::optional<uint64_t> Address = View.dynamicValue(Tag);
  std::optional<uint64_t> At;
  if (Address)
    At = View.offsetOf(*Address, Size);
  if (!At)
    return std::nullopt;
  return Range{*At, *At + Size};
}

static std::optional<HashTable> readSysvHash(const ElfView &View) {
  constexpr uint64_t WordSize = 4, HeadSize = 2 * WordSize;
  std::optional<Range> Head = partAt(View, ELF::DT_HASH, HeadSize);
  if (!Head)
    return std::nullopt;
  uint64_t Buckets = read32le(View.Bytes.data() + Head->Begin);
  uint64_t Count = read32le(View.Bytes.data() + Head->Begin + WordSize);
  std::optional<Range> Part =
      partAt(View, ELF::DT_HASH, HeadSize + (Buckets + Count) * WordSize);
  if (!Part)
    return std::nullopt;
  return HashTable{*Part, Count};
}

static std::optional<HashTable> readGnuHash(const ElfView &View) {
  constexpr uint64_t WordSize = 4, HeadSize = 4 * WordSize, BloomSize = 8;
  std::optional<Range> Head = partAt(View, ELF::DT_GNU_HASH, HeadSize);
  if (!Head)
    return std::nullopt;
  const char *Table = View.Bytes.data() + Head->Begin;
  uint64_t Buckets = read32le(Table), First = read32le(Table + WordSize);
  uint64_t BucketsAt =
      HeadSize + BloomSize * uint64_t(read32le(Table + 2 * WordSize));
  uint64_t ChainsAt = BucketsAt + Buckets * WordSize;
  if (!partAt(View, ELF::DT_GNU_HASH, ChainsAt))
    return std::nullopt;
  uint64_t Last = 0;
  for (uint64_t I = 0; I != Buckets; ++I)
    Last = std::max<uint64_t>(Last, read32le(Table + BucketsAt + I * WordSize));
  // Without a name in it nothing says how many symbols are not hashed.
  if (Last < First || Last == 0)
    return std::nullopt;
  for (;; ++Last) {
    uint64_t Size = ChainsAt + (Last - First + 1) * WordSize;
    std::optional<Range> Part = partAt(View, ELF::DT_GNU_HASH, Size);
    if (!Part)
      return std::nullopt;
    if (read32le(Table + Size - WordSize) & 1)
      return HashTable{*Part, Last + 1};
  }
}

DynamicTables findDynamicTables(const ElfView &View) {
  DynamicTables Tables;
  std::optional<HashTable> Sysv = readSysvHash(View), Gnu = readGnuHash(View);
  if (!Sysv && !Gnu)
    return Tables;
  // Of two that do not agree neither is believed.
  if (Sysv && Gnu && Sysv->Count != Gnu->Count)
    return Tables;
  uint64_t Count = Sysv ? Sysv->Count : Gnu->Count;
  for (const std::optional<HashTable> &Table : {Sysv, Gnu})
    if (Table)
      Tables.Parts.push_back(Table->Part);
  auto Add = [&](int64_t Tag, uint64_t Size) {
    std::optional<Range> Part = partAt(View, Tag, Size);
    if (Part)
      Tables.Parts.push_back(*Part);
    return Part.value_or(Range());
  };
  Tables.Symbols = Add(ELF::DT_SYMTAB, Count * sizeof(Elf::Sym));
  Add(ELF::DT_VERSYM, Count * sizeof(uint16_t));
  Add(ELF::DT_STRTAB, View.dynamicValue(ELF::DT_STRSZ).value_or(0));
  return Tables;
}

} // namespace kpack::hostrewrite
