//===- CompareMoved.cpp - two files, one with other addresses -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The original's own relocations say where its data has addresses; what they
// are is read from the bytes, before and after, and no symbol is asked. A word
// that nothing is said of and that looks like an address that has moved is a
// problem, as the original may mean it.
//
//===----------------------------------------------------------------------===//
#include "CompareMoved.h"
#include "kpack/Offload/HipSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <tuple>

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

static constexpr uint64_t RelaSize = 24, SymbolSize = 24;

static bool isDevice(const Section &S) {
  return S.Name == offload::FatBinSectionName && (S.Flags & ELF::SHF_ALLOC);
}

/// The device code has an end, and sections are behind it.
Shift Shift::between(const Side &Old, const Side &New) {
  auto Device = find_if(Old.Sections, isDevice);
  Shift S;
  if (Device == Old.Sections.end() || Old.Image.machine() != ELF::EM_X86_64)
    return S;
  uint64_t Begin = Device->Address, End = Begin + Device->Size;
  if (End < Begin || none_of(
                         Old.Sections,
                         [&](const Section &Of) {
                           return (Of.Flags & ELF::SHF_ALLOC) && Of.Size &&
                                  Of.Address >= End;
                         }))
    return S;
  uint64_t Was = Old.Image.loads().back().endOfMemory();
  uint64_t Is = New.Image.loads().back().endOfMemory();
  if (Is >= Was || Was - Is > Device->Size)
    return S;
  return {Begin, End, Was, Was - Is};
}

const Section *MovedComparer::sectionAt(uint64_t Address) const {
  auto Next =
      upper_bound(ByAddress, Address, [](uint64_t At, const Section *S) {
        return At < S->Address;
      });
  if (Next == ByAddress.begin())
    return nullptr;
  const Section *S = *std::prev(Next);
  return Address - S->Address < S->Size ? S : nullptr;
}

/// As it is in memory, if it is loaded.
StringRef MovedComparer::bytesOf(const Side &S, const Section &Of) const {
  if (!(Of.Flags & ELF::SHF_ALLOC))
    return Of.bytesOf(S.Image.file());
  return S.Image.bytesAt(Of.Address, Of.Size).value_or(StringRef());
}

/// Nothing is sorted in another way, so that sections have the same numbers.
bool MovedComparer::isSameTable() const {
  return std::equal(
      Old.Sections.begin(), Old.Sections.end(), New.Sections.begin(),
      New.Sections.end(), [](const Section &Was, const Section &Is) {
        return isDevice(Was) || (Was.Name == Is.Name && Was.Type == Is.Type &&
                                 Was.Flags == Is.Flags && Was.Link == Is.Link &&
                                 Was.Info == Is.Info);
      });
}

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

/// Whether the two lead to the same thing; \p Address is the original's.
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
  // Nothing, or the mark of what a linker has left out.
  if (Was == Is && ((Was + 2) & Mask) <= 3)
    return true;
  uint64_t Named = (Was - Field.Addend) & Mask;
  return !Moved.isGone(Named) &&
         ((Moved.at(Named) + Field.Addend) & Mask) == Is;
}

/// False: a place that differs was reported.
bool MovedComparer::compareFields(size_t Index, StringRef Was, StringRef Is) {
  const Section &S = Old.Sections[Index];
  uint64_t At = 0;
  auto Compare = [&](uint64_t End) {
    return Was.slice(At, End) == Is.slice(At, End);
  };
  for (const RelocatedField &Field : Fields) {
    if (Field.Offset < At)
      continue; // the same place again
    if (!Compare(Field.Offset) ||
        !isSameField(Field, readField(Was, Field.Offset, Field.Size),
                     readField(Is, Field.Offset, Field.Size),
                     S.Address + Field.Offset)) {
      different(S, Field.Offset);
      return false;
    }
    At = Field.Offset + Field.Size;
  }
  if (Compare(Was.size()))
    return true;
  different(S, At);
  return false;
}

bool MovedComparer::mayBeAddress(uint64_t Number) const {
  return (Moved.isChanged(Number) || Moved.isGone(Number)) &&
         sectionAt(Number) != nullptr;
}

/// In a program that is not moved any word may be an address.
void MovedComparer::checkUnrelocated(size_t Index, StringRef Was) {
  const Section &S = Old.Sections[Index];
  if (Old.Image.isMovable() || !(S.Flags & ELF::SHF_ALLOC))
    return;
  auto Next = Fields.begin();
  for (uint64_t At = alignTo(S.Address, 8) - S.Address; At + 8 <= Was.size();
       At += 8) {
    while (Next != Fields.end() && Next->Offset + Next->Size <= At)
      ++Next;
    bool IsKnown = (Next != Fields.end() && Next->Offset < At + 8) ||
                   Loaders.contains(S.Address + At);
    if (!IsKnown && mayBeAddress(read64le(Was.data() + At)))
      return different(S, At);
  }
}

/// In a table of distances to code a place without a relocation has lost it.
/// What follows such a table may be anything, so only a word that would lead
/// to code which is nearer now is one.
void MovedComparer::checkTables(size_t Index, StringRef Was) {
  const Section &S = Old.Sections[Index];
  auto IsKnown = [&](uint64_t At) {
    auto Next =
        lower_bound(Fields, At, [](const RelocatedField &A, uint64_t O) {
          return A.Offset + A.Size <= O;
        });
    return Next != Fields.end() && Next->Offset < At + 4;
  };
  auto IsOdd = [&](uint64_t At) {
    if (At + 4 > Was.size() || IsKnown(At))
      return false;
    uint64_t Address = S.Address + At;
    uint64_t To = Address + int64_t(int32_t(read32le(Was.data() + At)));
    const Section *Code = sectionAt(To);
    return Code && (Code->Flags & ELF::SHF_EXECINSTR) &&
           Moved.at(To) - To != Moved.at(Address) - Address;
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

/// The table of offsets. Without a loader's relocation that has a symbol it has
/// addresses, if it is not moved, and numbers.
void MovedComparer::compareOffsets(size_t Index) {
  const Section &S = Old.Sections[Index];
  StringRef Was = bytesOf(Old, S), Is = bytesOf(New, New.Sections[Index]);
  const Segment *Dynamic = Old.Image.segment(ELF::PT_DYNAMIC);
  if (Was.size() != Is.size())
    return different(S, 0);
  for (uint64_t At = 0; At + 8 <= Was.size(); At += 8) {
    uint64_t Before = read64le(Was.data() + At);
    uint64_t After = read64le(Is.data() + At);
    auto Type = Loaders.find(S.Address + At);
    bool IsAddress = false; // or else it may be one
    if (Type == Loaders.end())
      IsAddress =
          !Old.Image.isMovable() || (Dynamic && Before == Dynamic->Address);
    else
      IsAddress = Type->second == ELF::R_X86_64_JUMP_SLOT ||
                  Type->second == ELF::R_X86_64_RELATIVE ||
                  Type->second == ELF::R_X86_64_IRELATIVE;
    bool IsSame = IsAddress && mayBeAddress(Before)
                      ? isSameAddress(Before, After)
                      : Before == After;
    if (!IsSame)
      return different(S, At);
  }
}

/// Symbols of tools; those of the dynamic linker are compared elsewhere.
void MovedComparer::compareSymbols(size_t Index) {
  const Section &S = Old.Sections[Index];
  StringRef Was = bytesOf(Old, S), Is = bytesOf(New, New.Sections[Index]);
  if (Was.size() != Is.size())
    return different(S, 0);
  for (uint64_t At = 0; At + SymbolSize <= Was.size(); At += SymbolSize) {
    const char *A = Was.data() + At, *B = Is.data() + At;
    uint16_t Number = read16le(A + 6);
    bool IsSection = Number != 0 && Number <= Old.Sections.size();
    if (IsSection && isDevice(Old.Sections[Number - 1]))
      continue;
    bool IsAddress =
        (A[4] & 15) != ELF::STT_TLS && Number != ELF::SHN_ABS &&
        (!IsSection || (Old.Sections[Number - 1].Flags & ELF::SHF_ALLOC));
    uint64_t Before = read64le(A + 8), After = read64le(B + 8);
    if (StringRef(A, 8) != StringRef(B, 8) ||
        read64le(A + 16) != read64le(B + 16) ||
        !(IsAddress ? isSameAddress(Before, After) : Before == After))
      return different(S, At);
  }
}

/// Those of the linker are of the same symbols, at the places' new addresses.
/// Of device code only the marker is left.
void MovedComparer::compareRelocations(size_t Index) {
  const Section &S = Old.Sections[Index];
  StringRef Was = bytesOf(Old, S), Is = bytesOf(New, New.Sections[Index]);
  bool IsLoaded = S.Info != 0 && S.Info <= Old.Sections.size() &&
                  (Old.Sections[S.Info - 1].Flags & ELF::SHF_ALLOC);
  StringRef Symbols;
  if (S.Link != 0 && S.Link <= Old.Sections.size())
    Symbols = Old.Sections[S.Link - 1].bytesOf(Old.Image.file());
  auto IsOfDevice = [&](uint64_t Info) {
    uint64_t At = (Info >> 32) * SymbolSize;
    if (At + SymbolSize > Symbols.size())
      return false;
    uint16_t Section = read16le(Symbols.data() + At + 6);
    return Section != 0 && Section <= Old.Sections.size() &&
           isDevice(Old.Sections[Section - 1]);
  };
  if (Was.size() != Is.size())
    return different(S, 0);
  for (uint64_t At = 0; At + RelaSize <= Was.size(); At += RelaSize) {
    const char *A = Was.data() + At, *B = Is.data() + At;
    uint64_t Place = read64le(A), Info = read64le(A + 8);
    uint64_t Addend = IsOfDevice(Info) ? 0 : read64le(A + 16);
    if (read64le(B) != (IsLoaded ? Moved.at(Place) : Place) ||
        read64le(B + 8) != Info || read64le(B + 16) != Addend)
      return different(S, At);
  }
}

void MovedComparer::compareSection(size_t Index) {
  const Section &S = Old.Sections[Index];
  if (!(S.Flags & ELF::SHF_ALLOC)) {
    if (S.Type == ELF::SHT_RELA)
      return compareRelocations(Index);
    if (S.Type == ELF::SHT_SYMTAB)
      return compareSymbols(Index);
    if (S.Type != ELF::SHT_STRTAB && S.Type != ELF::SHT_NOBITS)
      compareData(Index);
    return;
  }
  if (S.Flags & ELF::SHF_EXECINSTR)
    return compareCode(Index);
  if (S.Name == ".eh_frame" || (Frames && S.Address == *Frames))
    return compareFrames(Index);
  if (FrameHeader && S.Address == FrameHeader->Address)
    return compareFrameHeader(Index);
  if (S.Name == ".got" || S.Name == ".got.plt")
    return compareOffsets(Index);
  compareData(Index);
}

/// Sections of memory whose bytes are compared here; others are tables, which
/// are compared by what they mean, or have no addresses.
static bool isComparedHere(const Side &Old, const Section &S) {
  bool IsContent =
      S.Type == ELF::SHT_PROGBITS || S.Type == ELF::SHT_INIT_ARRAY ||
      S.Type == ELF::SHT_FINI_ARRAY || S.Type == ELF::SHT_PREINIT_ARRAY ||
      S.Type == ELF::SHT_X86_64_UNWIND;
  if (!(S.Flags & ELF::SHF_ALLOC))
    return true;
  return S.isMapped() && IsContent && !isDevice(S) && S.Name != ".interp" &&
         none_of(Old.Wrappers, [&](const HostWrapper &W) {
           return W.Address >= S.Address && W.Address - S.Address < S.Size;
         });
}

/// False: the file says that many sections have the same bytes.
bool MovedComparer::prepare() {
  uint64_t Budget = 2 * Old.Image.file().size();
  RelocationsOf.resize(Old.Sections.size());
  for (const auto &[I, S] : enumerate(Old.Sections)) {
    uint64_t Size = S.bytesOf(Old.Image.file()).size();
    if (Size > Budget)
      return false;
    Budget -= Size;
    bool IsLoaded = S.Flags & ELF::SHF_ALLOC;
    if (S.Type == ELF::SHT_RELA && !IsLoaded && S.Info != 0 &&
        S.Info <= RelocationsOf.size())
      RelocationsOf[S.Info - 1].push_back(I);
    bool IsTbss = S.Type == ELF::SHT_NOBITS && (S.Flags & ELF::SHF_TLS);
    if (IsLoaded && !IsTbss && S.Size != 0)
      ByAddress.push_back(&S);
  }
  llvm::sort(ByAddress, [](const Section *A, const Section *B) {
    return A->Address < B->Address;
  });
  if (Old.Relocated)
    Old.Relocated->forEach([&](const Relocation &R) {
      if (R.Place < AddressLimit)
        Loaders[R.Place] = R.Type;
    });
  Decoder = Disassembler::create();
  // Whatever sections are called, programs go by the segment.
  FrameHeader = Old.Image.segment(ELF::PT_GNU_EH_FRAME);
  if (!FrameHeader)
    return true;
  auto Pointer = Old.Image.bytesAt(FrameHeader->Address + 4, 4);
  if (!Pointer)
    return false;
  Frames =
      FrameHeader->Address + 4 + int64_t(int32_t(read32le(Pointer->data())));
  auto IsSection = [&](uint64_t Address) {
    const Section *S = sectionAt(Address);
    return S && S->Address == Address && S->Type != ELF::SHT_NOBITS &&
           !(S->Flags & ELF::SHF_EXECINSTR);
  };
  return IsSection(FrameHeader->Address) && IsSection(*Frames);
}

void MovedComparer::run(Ranges &Compared) {
  if (!isSameTable() || !prepare())
    return F.problem("its sections are not those of the original",
                     "keep the original, or convert it with --keep-layout");
  for (const auto &[I, S] : enumerate(Old.Sections)) {
    if (!isComparedHere(Old, S))
      continue;
    compareSection(I);
    if (S.Flags & ELF::SHF_ALLOC)
      Compared.add(S.Address, S.Address + S.Size);
  }
}
