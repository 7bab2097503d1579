//===- DynamicTables.cpp - symbol tables without sections -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GNU hash table lacks the number of symbols. Its last chain belongs to the
// bucket with the largest first symbol, and ends at a hash with bit 0 set.
//
//===----------------------------------------------------------------------===//
#include "DynamicTables.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

namespace {
/// A hash table and its number of symbols. A GNU table without symbols does not
/// determine the number.
struct HashTable {
  Range Part;
  std::optional<uint64_t> Count;
};
} // namespace

static std::optional<Range> partAt(const ElfView &View, int64_t Tag,
                                   uint64_t Size) {
  std::optional<uint64_t> Address = View.dynamicValue(Tag);
  std::optional<uint64_t> Offset;
  if (Address)
    Offset = View.offsetOf(*Address, Size);
  if (!Offset)
    return std::nullopt;
  return Range{*Offset, *Offset + Size};
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
  if (Last == 0)
    return HashTable{*partAt(View, ELF::DT_GNU_HASH, ChainsAt), std::nullopt};
  if (Last < First)
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

/// Returns the first offset after \p Begin at which a range of the headers or
/// of the dynamic table begins or ends.
static uint64_t nextKnown(const ElfView &View, uint64_t Begin) {
  uint64_t Next = View.Bytes.size();
  auto Note = [&](uint64_t Offset) {
    if (Offset > Begin)
      Next = std::min(Next, Offset);
  };
  for (const Elf::Phdr &Segment : View.Segments) {
    Note(fileRange(Segment).Begin);
    Note(fileRange(Segment).End);
  }
  for (int64_t Tag :
       {ELF::DT_HASH, ELF::DT_GNU_HASH, ELF::DT_STRTAB, ELF::DT_VERSYM,
        ELF::DT_VERNEED, ELF::DT_VERDEF, ELF::DT_RELA, ELF::DT_REL,
        ELF::DT_RELR, ELF::DT_JMPREL, ELF::DT_INIT, ELF::DT_FINI,
        ELF::DT_PLTGOT, ELF::DT_INIT_ARRAY, ELF::DT_FINI_ARRAY})
    if (std::optional<Range> Part = partAt(View, Tag, 1))
      Note(Part->Begin);
  return Next;
}

/// True if \p Symbol, 24 bytes, is undefined: it has a name and no address, and
/// all bits have known meanings.
static bool isImport(const char *Symbol, uint64_t NamesSize) {
  uint32_t Name = read32le(Symbol);
  unsigned Binding = uint8_t(Symbol[4]) >> 4, Other = uint8_t(Symbol[5]);
  return Name != 0 && Name < NamesSize &&
         (Binding == ELF::STB_GLOBAL || Binding == ELF::STB_WEAK) &&
         Other == ELF::STV_DEFAULT &&
         StringRef(Symbol + 6, sizeof(Elf::Sym) - 6).find_first_not_of('\0') ==
             StringRef::npos;
}

/// Returns the number of symbols of a file that exports none: the number that
/// fits up to the next known range, if all of them are undefined symbols.
static std::optional<uint64_t> countImports(const ElfView &View) {
  constexpr uint64_t Padding = 8, Size = sizeof(Elf::Sym);
  std::optional<Range> First = partAt(View, ELF::DT_SYMTAB, Size);
  if (!First)
    return std::nullopt;
  StringRef Symbols =
      View.Bytes.slice(First->Begin, nextKnown(View, First->Begin));
  uint64_t Count = Symbols.size() / Size;
  StringRef Behind = Symbols.drop_front(Count * Size);
  auto IsZero = [](StringRef Bytes) {
    return Bytes.find_first_not_of('\0') == StringRef::npos;
  };
  if (Count == 0 || Behind.size() >= Padding || !IsZero(Behind) ||
      !IsZero(Symbols.take_front(Size)))
    return std::nullopt;
  uint64_t NamesSize = View.dynamicValue(ELF::DT_STRSZ).value_or(0);
  for (uint64_t I = 1; I != Count; ++I)
    if (!isImport(Symbols.data() + I * Size, NamesSize))
      return std::nullopt;
  return Count;
}

DynamicTables findDynamicTables(const ElfView &View) {
  DynamicTables Tables;
  std::optional<HashTable> Sysv = readSysvHash(View), Gnu = readGnuHash(View);
  if (!Sysv && !Gnu)
    return Tables;
  // If two tables disagree, use neither.
  if (Sysv && Gnu && Gnu->Count && Sysv->Count != Gnu->Count)
    return Tables;
  std::optional<uint64_t> Count = Sysv ? Sysv->Count : Gnu->Count;
  if (!Count)
    Count = countImports(View);
  if (!Count)
    return Tables;
  for (const std::optional<HashTable> &Table : {Sysv, Gnu})
    if (Table)
      Tables.Parts.push_back(Table->Part);
  auto Add = [&](int64_t Tag, uint64_t Size) {
    std::optional<Range> Part = partAt(View, Tag, Size);
    if (Part)
      Tables.Parts.push_back(*Part);
    return Part.value_or(Range());
  };
  Tables.Symbols = Add(ELF::DT_SYMTAB, *Count * sizeof(Elf::Sym));
  Add(ELF::DT_VERSYM, *Count * sizeof(uint16_t));
  Add(ELF::DT_STRTAB, View.dynamicValue(ELF::DT_STRSZ).value_or(0));
  return Tables;
}

} // namespace kpack::hostrewrite
