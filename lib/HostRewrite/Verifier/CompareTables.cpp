//===- CompareTables.cpp - comparison of dynamic tables -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the dynamic table by its tags, moved tables by their contents, and
// relocations as a set, since a conversion may sort them or replace one of RELR
// by one of RELA. Siblings: CompareHost.cpp, CompareMemory.cpp.
//
//===----------------------------------------------------------------------===//
#include "CompareHost.h"
#include "Offload/HipSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <set>
#include <tuple>

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

/// True for tags that describe relocation tables.
static bool isAboutRelocations(uint64_t Tag) {
  switch (Tag) {
  case ELF::DT_RELA:
  case ELF::DT_RELASZ:
  case ELF::DT_RELAENT:
  case ELF::DT_RELACOUNT:
  case ELF::DT_REL:
  case ELF::DT_RELSZ:
  case ELF::DT_RELENT:
  case ELF::DT_RELCOUNT:
  case ELF::DT_RELR:
  case ELF::DT_RELRSZ:
  case ELF::DT_RELRENT:
  case ELF::DT_JMPREL:
  case ELF::DT_PLTRELSZ:
    return true;
  }
  return false;
}

static constexpr uint64_t SymbolSize = 24;
static constexpr uint64_t MovableTables[] = {
    ELF::DT_HASH,   ELF::DT_GNU_HASH, ELF::DT_SYMTAB, ELF::DT_STRTAB,
    ELF::DT_VERSYM, ELF::DT_VERNEED,  ELF::DT_VERDEF};

/// Other tags with addresses.
static constexpr uint64_t Addresses[] = {
    ELF::DT_PLTGOT,      ELF::DT_INIT,       ELF::DT_FINI,
    ELF::DT_INIT_ARRAY,  ELF::DT_FINI_ARRAY, ELF::DT_PREINIT_ARRAY,
    ELF::DT_TLSDESC_GOT, ELF::DT_TLSDESC_PLT};

ArrayRef<uint64_t> verifier::movableTables() { return MovableTables; }

uint64_t verifier::addressOf(const Side &S, uint64_t Tag) {
  return S.Table ? S.Table->getOr(Tag, 0) : 0;
}

StringRef verifier::tableBytes(const Side &S, uint64_t Tag) {
  uint64_t Address = addressOf(S, Tag);
  StringRef Bytes = S.Image.bytesFrom(Address);
  if (Tag == ELF::DT_STRTAB)
    return Bytes.take_front(addressOf(S, ELF::DT_STRSZ));
  for (const Section &Candidate : S.Sections)
    if (Candidate.isMapped() && Candidate.Address == Address)
      return Bytes.take_front(Candidate.Size);
  auto CutAt = [&](uint64_t Next) {
    if (Next > Address)
      Bytes = Bytes.take_front(Next - Address);
  };
  for (uint64_t Other : MovableTables)
    CutAt(addressOf(S, Other));
  for (uint64_t Other :
       {ELF::DT_RELA, ELF::DT_RELR, ELF::DT_JMPREL, ELF::DT_INIT, ELF::DT_FINI})
    CutAt(addressOf(S, Other));
  for (const Segment *Other : otherSegments(S.Image))
    CutAt(Other->Address);
  // Padding before the next one is not a part of the table.
  return Bytes.rtrim('\0');
}

/// Section numbers of symbols are for tools: the dynamic linker only tests for
/// SHN_UNDEF and for reserved numbers, whose values are no addresses.
bool HostComparer::isSameSymbol(StringRef A, StringRef B) const {
  constexpr uint64_t SectionAt = 6, SectionEnd = 8, SizeAt = 16;
  uint64_t Was = read64le(A.data() + SectionEnd);
  bool IsAddress = (A[4] & 15) != ELF::STT_TLS &&
                   read16le(A.data() + SectionAt) != ELF::SHN_ABS;
  auto Kind = [](StringRef Symbol) {
    uint16_t Section = read16le(Symbol.data() + SectionAt);
    return Section >= ELF::SHN_LORESERVE ? Section : uint16_t(Section != 0);
  };
  return A.take_front(SectionAt) == B.take_front(SectionAt) &&
         read64le(B.data() + SectionEnd) == (IsAddress ? Moved.at(Was) : Was) &&
         A.drop_front(SizeAt) == B.drop_front(SizeAt) && Kind(A) == Kind(B);
}

/// Returns the number of symbols that a loader may read: those in hash tables,
/// and those of relocations. It does not use section headers.
static uint64_t usedSymbols(const Side &S) {
  uint64_t Count = S.Table ? S.Table->hashedCount() : 0;
  if (S.Relocated)
    S.Relocated->forEach([&](const Relocation &R) {
      Count = std::max<uint64_t>(Count, uint64_t(R.Symbol) + 1);
    });
  return Count;
}

StringRef verifier::symbolBytes(const Side &S) {
  uint64_t Size =
      std::max(alignTo(tableBytes(S, ELF::DT_SYMTAB).size(), SymbolSize),
               usedSymbols(S) * SymbolSize);
  StringRef Bytes = S.Image.bytesFrom(addressOf(S, ELF::DT_SYMTAB));
  return Bytes.take_front(std::min(Size, alignDown(Bytes.size(), SymbolSize)));
}

void HostComparer::compareSymbols() {
  StringRef Was = symbolBytes(Old);
  StringRef Is = New.Image.bytesFrom(addressOf(New, ELF::DT_SYMTAB));
  if (Is.size() < Was.size())
    return different("the table of dynamic symbols is shorter than that of the "
                     "original");
  for (uint64_t Offset = 0; Offset + SymbolSize <= Was.size();
       Offset += SymbolSize)
    if (!isSameSymbol(Was.substr(Offset, SymbolSize),
                      Is.substr(Offset, SymbolSize)))
      return different("dynamic symbol " + Twine(Offset / SymbolSize) +
                       " is not that of the original");
}

/// Checks that each moved table is complete at its new place.
void HostComparer::compareTables() {
  compareSymbols();
  for (uint64_t Tag : MovableTables) {
    if (!isMoved(Tag) || Tag == ELF::DT_SYMTAB)
      continue;
    StringRef Was = tableBytes(Old, Tag);
    uint64_t Address = addressOf(New, Tag);
    if (addressOf(Old, Tag) == 0 ||
        !New.Image.bytesFrom(Address).starts_with(Was))
      different("dynamic tag " + hexText(Tag) + " leads to " +
                hexText(Address) +
                ", where not the same table stands as in the original at " +
                hexText(addressOf(Old, Tag)));
  }
}

void HostComparer::compareDynamic() {
  compareTables();
  // Map the original's entries to the expected ones.
  auto Entries = [&](const Side &S) {
    std::vector<DynamicTable::Entry> All;
    if (S.Table)
      llvm::copy_if(S.Table->entries(), std::back_inserter(All),
                    [](const DynamicTable::Entry &E) {
                      return !isAboutRelocations(E.Tag) &&
                             !is_contained(MovableTables, E.Tag);
                    });
    for (DynamicTable::Entry &E : All)
      if (&S == &Old && is_contained(Addresses, E.Tag))
        E.Value = Moved.at(E.Value);
    return All;
  };
  std::vector<DynamicTable::Entry> Was = Entries(Old), Is = Entries(New);
  if (Was.size() != Is.size())
    return different("the dynamic table has " + Twine(Is.size()) +
                     " entries besides relocations, the original " +
                     Twine(Was.size()));
  for (const auto &[A, B] : zip_equal(Was, Is))
    if (!(A == B))
      return different("the dynamic table has " + hexText(B.Value) +
                       " for tag " + hexText(B.Tag) +
                       " where the original has " + hexText(A.Value) +
                       " for tag " + hexText(A.Tag));
}

static std::set<uint64_t> getPointers(ArrayRef<HostWrapper> Wrappers) {
  std::set<uint64_t> All;
  for (const HostWrapper &W : Wrappers)
    All.insert(W.Address + offload::WrapperPointerOffset);
  return All;
}

void HostComparer::compareRelocations() {
  std::set<uint64_t> Pointers = getPointers(New.Wrappers);
  using Key = std::tuple<uint64_t, uint32_t, uint32_t, uint64_t>;
  auto Keys = [&](const Side &S) {
    std::vector<Key> All;
    if (S.Relocated)
      S.Relocated->forEach([&](const Relocation &R) {
        bool IsOld = &S == &Old;
        uint64_t Place = IsOld ? Moved.at(R.Place) : R.Place;
        bool HasAddress = S.Relocated->isRelative(R) ||
                          callsFunction(S.Image.machine(), R.Type);
        if (R.Type != 0 && !Pointers.count(Place))
          All.emplace_back(Place, R.Type, R.Symbol,
                           IsOld && HasAddress ? Moved.at(R.Addend) : R.Addend);
      });
    llvm::sort(All);
    return All;
  };
  std::vector<Key> Was = Keys(Old), Is = Keys(New);
  auto [A, B] = std::mismatch(Was.begin(), Was.end(), Is.begin(), Is.end());
  if (A == Was.end() && B == Is.end())
    return;
  uint64_t Place = A == Was.end()  ? std::get<0>(*B)
                   : B == Is.end() ? std::get<0>(*A)
                                   : std::min(std::get<0>(*A), std::get<0>(*B));
  different("the relocation for " + hexText(Place) +
            " is not that of the original");
}
