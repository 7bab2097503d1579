//===- CompareData.cpp - comparison of moved data -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The original's relocations give the places of addresses in data. The targets
// are read from the bytes, before and after, and not from symbols. A word
// without a relocation that looks like a moved address is a problem, since it
// may be one.
//
//===----------------------------------------------------------------------===//
#include "CompareMoved.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <tuple>

using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

static constexpr uint64_t RelaSize = 24, SymbolSize = 24;

void MovedComparer::addField(const char *Entry, const Section &Target,
                             StringRef Symbols) {
  RelocatedField Field = {};
  uint64_t Info = read64le(Entry + 8);
  Field.Offset = read64le(Entry) - Target.Address;
  Field.Addend = read64le(Entry + 16);
  switch (uint32_t(Info)) {
  case ELF::R_X86_64_64:
    Field.Size = 8;
    break;
  case ELF::R_X86_64_32:
  case ELF::R_X86_64_32S:
    Field.Size = 4;
    break;
  case ELF::R_X86_64_PC64:
    Field.Size = 8;
    Field.IsRelative = true;
    break;
  case ELF::R_X86_64_PC32:
  case ELF::R_X86_64_PLT32:
  case ELF::R_X86_64_GOTPCREL:
  case ELF::R_X86_64_GOTPCRELX:
  case ELF::R_X86_64_REX_GOTPCRELX:
  case ELF::R_X86_64_GOTPC32:
    Field.Size = 4;
    Field.IsRelative = true;
    break;
  default:
    return;
  }
  uint64_t Symbol = (Info >> 32) * SymbolSize;
  if (Symbol + SymbolSize > Symbols.size())
    return;
  uint16_t Index = read16le(Symbols.data() + Symbol + 6);
  bool IsSection = Index != ELF::SHN_UNDEF && Index <= Old.Sections.size();
  Field.IsOffset =
      Index == ELF::SHN_ABS ||
      (IsSection && !(Old.Sections[Index - 1].Flags & ELF::SHF_ALLOC));
  if (Field.Offset < Target.Size && Field.Size <= Target.Size - Field.Offset)
    Fields.push_back(Field);
}

void MovedComparer::readFields(size_t Target) {
  Fields.clear();
  for (size_t I : RelocationsOf[Target]) {
    const Section &S = Old.Sections[I];
    if (S.Link == 0 || S.Link > Old.Sections.size())
      continue;
    StringRef Symbols = Old.Sections[S.Link - 1].bytesOf(Old.Image.file());
    StringRef Bytes = S.bytesOf(Old.Image.file());
    for (; Bytes.size() >= RelaSize; Bytes = Bytes.drop_front(RelaSize))
      addField(Bytes.data(), Old.Sections[Target], Symbols);
  }
  llvm::sort(Fields, [](const RelocatedField &A, const RelocatedField &B) {
    return std::tie(A.Offset, A.Size, A.IsRelative, A.Addend) <
           std::tie(B.Offset, B.Size, B.IsRelative, B.Addend);
  });
}

static uint64_t readField(StringRef Bytes, uint64_t Offset, uint32_t Size) {
  return Size == 8 ? read64le(Bytes.data() + Offset)
                   : read32le(Bytes.data() + Offset);
}

/// True if both values have the same target; \p Address is the original's.
bool MovedComparer::isSameField(const RelocatedField &Field, uint64_t Was,
                                uint64_t Is, uint64_t Address) const {
  uint64_t Mask = Field.Size == 8 ? ~uint64_t(0) : UINT32_MAX;
  if (Field.IsOffset)
    return Was == Is;
  auto Extend = [&](uint64_t Value) {
    return Field.Size == 8 ? Value : uint64_t(int64_t(int32_t(Value)));
  };
  if (Field.IsRelative)
    return isSameAddress(Address + Extend(Was) - Field.Addend,
                         Moved.at(Address) + Extend(Is) - Field.Addend);
  // Zeros, or the tombstone of code that the linker dropped.
  if (Was == Is && ((Was + 2) & Mask) <= 3)
    return true;
  uint64_t Named = (Was - Field.Addend) & Mask;
  return !Moved.isGone(Named) &&
         ((Moved.at(Named) + Field.Addend) & Mask) == Is;
}

/// Reports the first difference and returns false, or returns true.
bool MovedComparer::compareFields(size_t Index, StringRef Was, StringRef Is) {
  const Section &S = Old.Sections[Index];
  uint64_t Offset = 0;
  auto Compare = [&](uint64_t End) {
    return Was.slice(Offset, End) == Is.slice(Offset, End);
  };
  for (const RelocatedField &Field : Fields) {
    if (Field.Offset < Offset)
      continue; // the same place again
    if (!Compare(Field.Offset) ||
        !isSameField(Field, readField(Was, Field.Offset, Field.Size),
                     readField(Is, Field.Offset, Field.Size),
                     S.Address + Field.Offset)) {
      different(S, Field.Offset);
      return false;
    }
    Offset = Field.Offset + Field.Size;
  }
  if (Compare(Was.size()))
    return true;
  different(S, Offset);
  return false;
}

bool MovedComparer::mayBeAddress(uint64_t Value) const {
  return (Moved.isChanged(Value) || Moved.isGone(Value)) &&
         sectionAt(Value) != nullptr;
}

/// In a program that is not relocated any word may be an address.
void MovedComparer::checkUnrelocated(size_t Index, StringRef Was) {
  const Section &S = Old.Sections[Index];
  if (Old.Image.isMovable() || !(S.Flags & ELF::SHF_ALLOC))
    return;
  auto Next = Fields.begin();
  for (uint64_t Offset = alignTo(S.Address, 8) - S.Address;
       Offset + 8 <= Was.size(); Offset += 8) {
    while (Next != Fields.end() && Next->Offset + Next->Size <= Offset)
      ++Next;
    bool IsKnown = (Next != Fields.end() && Next->Offset < Offset + 8) ||
                   Loaders.contains(S.Address + Offset);
    if (!IsKnown && mayBeAddress(read64le(Was.data() + Offset)))
      return different(S, Offset);
  }
}

/// Checks neighbours of relocated distances to code: a distance without a
/// relocation has lost it. Other data may follow such a table, so a word counts
/// only if it would lead to code that has moved by another distance.
void MovedComparer::checkTables(size_t Index, StringRef Was) {
  const Section &S = Old.Sections[Index];
  auto IsKnown = [&](uint64_t Offset) {
    auto Next =
        lower_bound(Fields, Offset, [](const RelocatedField &A, uint64_t O) {
          return A.Offset + A.Size <= O;
        });
    return Next != Fields.end() && Next->Offset < Offset + 4;
  };
  auto IsOdd = [&](uint64_t Offset) {
    if (Offset + 4 > Was.size() || IsKnown(Offset))
      return false;
    uint64_t Address = S.Address + Offset;
    uint64_t Target = Address + int64_t(int32_t(read32le(Was.data() + Offset)));
    const Section *Code = sectionAt(Target);
    return Code && (Code->Flags & ELF::SHF_EXECINSTR) &&
           Moved.at(Target) - Target != Moved.at(Address) - Address;
  };
  for (const RelocatedField &Field : Fields)
    if (Field.IsRelative && Field.Size == 4 &&
        (IsOdd(Field.Offset + 4) ||
         (Field.Offset >= 4 && IsOdd(Field.Offset - 4))))
      return different(S, Field.Offset);
}

void MovedComparer::compareData(size_t Index) {
  StringRef Was = bytesOf(Old, Old.Sections[Index]);
  StringRef Is = bytesOf(New, New.Sections[Index]);
  if (Was.size() != Is.size())
    return different(Old.Sections[Index], 0);
  readFields(Index);
  if (!compareFields(Index, Was, Is))
    return;
  checkUnrelocated(Index, Was);
  if (Old.Sections[Index].Flags & ELF::SHF_ALLOC)
    checkTables(Index, Was);
}
