//===- DynamicTable.cpp - tables that the dynamic linker reads ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dynamic linker hardly checks the table and follows every address in it.
// So this file follows them too. Redundant tables (a hash and its name, a
// version and its library) are compared, which finds a table at a wrong place.
//
//===----------------------------------------------------------------------===//
#include "DynamicTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

static constexpr uint64_t DynSize = 16;
static constexpr uint64_t SymSize = 24;

std::optional<DynamicTable> DynamicTable::read(const LoadedImage &Image,
                                               Findings &F) {
  const Segment *S = Image.segment(ELF::PT_DYNAMIC);
  if (!S || S->FileSize == 0) {
    if (Image.isMovable() || Image.segment(ELF::PT_INTERP))
      F.problem("no program header has type PT_DYNAMIC, although it needs a "
                "dynamic linker");
    return std::nullopt;
  }
  DynamicTable Table(Image);
  Table.Address = S->Address;
  StringRef Bytes = Image.bytesFrom(S->Address).take_front(S->FileSize);
  for (; Bytes.size() >= DynSize; Bytes = Bytes.drop_front(DynSize)) {
    Entry E = {read64le(Bytes.data()), read64le(Bytes.data() + 8)};
    if (E.Tag == ELF::DT_NULL)
      return Table;
    Table.Entries.push_back(E);
    Table.Values[E.Tag] = E.Value;
  }
  F.problem("the dynamic table at " + hexText(S->Address) +
            " has no end: no DT_NULL in PT_DYNAMIC");
  return std::nullopt;
}

std::optional<uint64_t> DynamicTable::get(uint64_t Tag) const {
  auto It = Values.find(Tag);
  if (It == Values.end())
    return std::nullopt;
  return It->second;
}

uint64_t DynamicTable::getOr(uint64_t Tag, uint64_t Default) const {
  return get(Tag).value_or(Default);
}

std::optional<StringRef> DynamicTable::text(uint64_t Offset) const {
  if (Offset >= Strings.size())
    return std::nullopt;
  size_t End = Strings.find('\0', Offset);
  if (End == StringRef::npos)
    return std::nullopt;
  return Strings.slice(Offset, End);
}

std::optional<DynamicSymbol> DynamicTable::symbol(uint64_t Index) const {
  if (Index >= Symbols.size() / SymSize)
    return std::nullopt;
  const char *P = Symbols.data() + Index * SymSize;
  return DynamicSymbol{read32le(P), uint8_t(P[4]), read16le(P + 6),
                       read64le(P + 8)};
}

void DynamicTable::check(Findings &F) {
  if (!get(ELF::DT_STRTAB) && !get(ELF::DT_SYMTAB) && Entries.empty())
    return;
  checkTags(F);
  checkTables(F);
  checkNames(F);
  checkSysvHash(F);
  checkGnuHash(F);
  checkVersions(F);
  bool IsProgram =
      !Image->isMovable() || (getOr(ELF::DT_FLAGS_1, 0) & ELF::DF_1_PIE);
  if (IsProgram && get(ELF::DT_NEEDED) && !Image->segment(ELF::PT_INTERP))
    F.problem("a program that needs libraries, but it has no PT_INTERP");
}

static bool mayOccurTwice(uint64_t Tag) {
  return Tag == ELF::DT_NEEDED || Tag == ELF::DT_AUXILIARY ||
         Tag == ELF::DT_FILTER;
}

/// The dynamic linker ignores unknown tags, so a corrupt tag would go unnoticed
/// until its entry is needed.
void DynamicTable::checkTags(Findings &F) {
  std::map<uint64_t, unsigned> Times;
  for (const Entry &E : Entries) {
    // DT_RELR's tags are the last of the standard; systems and processors have
    // ranges above.
    bool IsKnown = E.Tag <= ELF::DT_RELRENT ||
                   (E.Tag >= 0x60000000 && E.Tag <= 0x7fffffff);
    if (!IsKnown)
      F.problem("the dynamic table has an entry with tag " + hexText(E.Tag) +
                ", which nobody knows");
    else if (++Times[E.Tag] == 2 && !mayOccurTwice(E.Tag))
      F.problem("the dynamic table has two entries with tag " + hexText(E.Tag));
  }
}

/// Checks strings and symbols, and cuts the tables to the mapped bytes.
void DynamicTable::checkTables(Findings &F) {
  uint64_t StringsAt = getOr(ELF::DT_STRTAB, 0);
  uint64_t StringsSize = getOr(ELF::DT_STRSZ, 0);
  if (std::optional<StringRef> Bytes = Image->bytesAt(StringsAt, StringsSize);
      Bytes && StringsSize && Bytes->front() == 0 && Bytes->back() == 0)
    Strings = *Bytes;
  else
    F.problem("DT_STRTAB " + hexText(StringsAt) + " with DT_STRSZ " +
              hexText(StringsSize) + " leads to no string table");

  uint64_t SymbolsAt = getOr(ELF::DT_SYMTAB, 0);
  Symbols = Image->bytesFrom(SymbolsAt);
  if (StringsAt > SymbolsAt) // linkers put the names after the symbols
    Symbols = Symbols.take_front(StringsAt - SymbolsAt);
  StringRef Null = Symbols.take_front(SymSize);
  if (Null.size() != SymSize || Null.find_first_not_of('\0') != StringRef::npos)
    F.problem("DT_SYMTAB " + hexText(SymbolsAt) + " leads to no symbol table");
  SymbolCount = Symbols.size() / SymSize;
  if (getOr(ELF::DT_SYMENT, 0) != SymSize)
    F.problem("DT_SYMENT is " + Twine(getOr(ELF::DT_SYMENT, 0)) + " and not " +
              Twine(SymSize));
}

/// Checks the names of libraries and of folders.
void DynamicTable::checkNames(Findings &F) {
  for (const Entry &E : Entries) {
    if (!is_contained({uint64_t(ELF::DT_NEEDED), uint64_t(ELF::DT_SONAME),
                       uint64_t(ELF::DT_RPATH), uint64_t(ELF::DT_RUNPATH)},
                      E.Tag))
      continue;
    if (!hasText(E.Value) || (isEmptyText(E.Value) && E.Tag == ELF::DT_NEEDED))
      F.problem("entry with tag " + hexText(E.Tag) +
                " of the dynamic table names nothing: string " +
                hexText(E.Value));
  }
}

void DynamicTable::checkSysvHash(Findings &F) {
  std::optional<uint64_t> Address = get(ELF::DT_HASH);
  if (!Address)
    return;
  StringRef Bytes = Image->bytesFrom(*Address);
  auto Damaged = [&] {
    F.problem("DT_HASH " + hexText(*Address) + " leads to no hash table");
  };
  if (Bytes.size() < 8)
    return Damaged();
  uint64_t Buckets = read32le(Bytes.data());
  uint64_t Chains = read32le(Bytes.data() + 4);
  if (Buckets == 0 || (2 + Buckets + Chains) * 4 > Bytes.size() ||
      Chains > SymbolCount)
    return Damaged();
  SymbolCount = HashedCount = Chains;
  for (uint64_t I = 0; I != Buckets + Chains; ++I)
    if (read32le(Bytes.data() + 8 + I * 4) >= std::max<uint64_t>(Chains, 1))
      return Damaged();
}

/// Checks that the symbols of a bucket have the hashes of their names and
/// belong to it. \p First is the first symbol of the chain.
bool DynamicTable::checkChain(StringRef Chains, uint64_t First, uint32_t Bucket,
                              uint32_t BucketCount, uint64_t Offset,
                              uint64_t &Budget) {
  for (uint64_t Index = First;; ++Index) {
    uint64_t Position = (Index - Offset) * 4;
    std::optional<DynamicSymbol> S = symbol(Index);
    if (!S || Position + 4 > Chains.size())
      return false;
    uint32_t Hash = read32le(Chains.data() + Position);
    std::optional<StringRef> Name = text(S->Name);
    if (!Name || Name->size() >= Budget)
      return false;
    Budget -= Name->size() + 1;
    uint32_t Own = object::hashGnu(*Name);
    if ((Own | 1) != (Hash | 1) || Own % BucketCount != Bucket)
      return false;
    SymbolCount = std::max(SymbolCount, Index + 1);
    HashedEnd = std::max(HashedEnd, Index + 1);
    HashedCount = std::max(HashedCount, Index + 1);
    if (Hash & 1)
      return true;
  }
}

void DynamicTable::checkGnuHash(Findings &F) {
  std::optional<uint64_t> Address = get(ELF::DT_GNU_HASH);
  if (!Address)
    return;
  StringRef Bytes = Image->bytesFrom(*Address);
  auto Damaged = [&](const Twine &Why) {
    F.problem("DT_GNU_HASH " + hexText(*Address) + ": " + Why);
  };
  if (Bytes.size() < 16)
    return Damaged("no table is there");
  uint32_t Buckets = read32le(Bytes.data());
  uint32_t Offset = read32le(Bytes.data() + 4);
  uint64_t BloomWords = read32le(Bytes.data() + 8);
  uint64_t ChainsAt = 16 + BloomWords * 8 + uint64_t(Buckets) * 4;
  if (Buckets == 0 || !isPowerOf2_64(BloomWords) || ChainsAt > Bytes.size())
    return Damaged("its header is not one");
  StringRef Chains = Bytes.drop_front(ChainsAt);
  HashedBegin = Offset;
  // Names may share bytes, but a hostile file could make all of them long.
  uint64_t Budget = 4 * Image->file().size();
  for (uint32_t I = 0; I != Buckets; ++I) {
    uint32_t First =
        read32le(Bytes.data() + 16 + BloomWords * 8 + uint64_t(I) * 4);
    if (First != 0 && (First < Offset ||
                       !checkChain(Chains, First, I, Buckets, Offset, Budget)))
      return Damaged("bucket " + Twine(I) +
                     " does not lead to symbols with that hash");
  }
}

/// Longer than any name of a library or version.
static constexpr size_t MostName = 4096;

/// Returns the names of needed libraries. A budget ends the list if a hostile
/// file uses parts of one long string as many long names.
std::set<StringRef> DynamicTable::neededNames() const {
  std::set<StringRef> Names;
  uint64_t Budget = 4 * Image->file().size();
  for (const Entry &E : Entries) {
    if (E.Tag != ELF::DT_NEEDED || !hasText(E.Value))
      continue;
    StringRef Name = Strings.substr(E.Value, MostName).take_until([](char C) {
      return C == '\0';
    });
    if (Name.size() >= Budget)
      break;
    Budget -= Name.size();
    Names.insert(Name);
  }
  return Names;
}

/// Checks the \p Count versions of one library.
bool DynamicTable::checkVersionChain(uint64_t Address, unsigned Count,
                                     uint64_t &Budget) {
  for (; Count != 0; --Count) {
    std::optional<StringRef> Version = Image->bytesAt(Address, 16);
    if (!Version || !hasText(read32le(Version->data() + 8)))
      return false;
    StringRef Name = Strings.substr(read32le(Version->data() + 8), MostName)
                         .take_until([](char C) { return C == '\0'; });
    if (Name.size() + 16 >= Budget ||
        object::hashSysV(Name) != read32le(Version->data()))
      return false;
    Budget -= Name.size() + 16;
    noteVersion(read16le(Version->data() + 6));
    uint32_t Next = read32le(Version->data() + 12);
    if ((Next == 0) != (Count == 1))
      return false;
    Address += Next;
  }
  return true;
}

/// Checks the libraries and versions at \p Address, in the order of glibc's
/// _dl_check_map_versions().
bool DynamicTable::checkNeededVersions(uint64_t Address, uint64_t Count) {
  std::set<StringRef> Libraries = neededNames();
  uint64_t Budget = 4 * Image->file().size();
  for (; Count != 0; --Count) {
    std::optional<StringRef> Need = Image->bytesAt(Address, 16);
    if (!Need || read16le(Need->data()) != 1)
      return false;
    StringRef Library = Strings.substr(read32le(Need->data() + 4), MostName)
                            .take_until([](char C) { return C == '\0'; });
    if (Library.size() + 16 >= Budget || !Libraries.count(Library) ||
        !checkVersionChain(Address + read32le(Need->data() + 8),
                           read16le(Need->data() + 2), Budget))
      return false;
    Budget -= Library.size() + 16;
    uint32_t Next = read32le(Need->data() + 12);
    if ((Next == 0) != (Count == 1))
      return false;
    Address += Next;
  }
  return true;
}

static constexpr uint16_t VersionMask = 0x7fff; // the other bit: hidden

void DynamicTable::noteVersion(uint16_t Index) {
  LastVersion = std::max<uint16_t>(LastVersion, Index & VersionMask);
}

bool DynamicTable::checkDefinedVersions(uint64_t Address) {
  for (;;) {
    std::optional<StringRef> Version = Image->bytesAt(Address, 20);
    if (!Version)
      return false;
    noteVersion(read16le(Version->data() + 4));
    uint32_t Next = read32le(Version->data() + 16);
    if (Next == 0)
      return true;
    Address += Next;
  }
}

bool DynamicTable::hasVersion(uint64_t Index) const {
  std::optional<uint64_t> Versions = get(ELF::DT_VERSYM);
  if (!Versions)
    return true;
  std::optional<StringRef> Version =
      Image->bytesAt(*Versions + Index * sizeof(uint16_t), sizeof(uint16_t));
  return Version && (read16le(Version->data()) & VersionMask) <= LastVersion;
}

void DynamicTable::checkVersions(Findings &F) {
  std::optional<uint64_t> Needed = get(ELF::DT_VERNEED);
  uint64_t Count = getOr(ELF::DT_VERNEEDNUM, 0);
  if (Needed && (Count == 0 || !checkNeededVersions(*Needed, Count)))
    F.problem("DT_VERNEED " + hexText(*Needed) +
              " leads to no table of the versions that it needs");
  if (get(ELF::DT_VERNEEDNUM) && !Needed)
    F.problem("DT_VERNEEDNUM, but no DT_VERNEED");
  std::optional<uint64_t> Versions = get(ELF::DT_VERSYM);
  if (Versions && !Image->bytesAt(*Versions, SymbolCount ? 2 : 0))
    F.problem("DT_VERSYM " + hexText(*Versions) + " is not mapped");
  if (Needed && !Versions)
    F.problem("DT_VERNEED, but no DT_VERSYM");
  std::optional<uint64_t> Defined = get(ELF::DT_VERDEF);
  if (Defined && (!checkDefinedVersions(*Defined) || !Versions ||
                  getOr(ELF::DT_VERDEFNUM, 0) == 0))
    F.problem("DT_VERDEF " + hexText(*Defined) +
              " leads to no table of the versions that it defines");
  for (uint64_t I = HashedBegin; I < HashedEnd; ++I)
    if (!hasVersion(I))
      return F.problem("symbol " + Twine(I) +
                       " has a version that no table names");
}
