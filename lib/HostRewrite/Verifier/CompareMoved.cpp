//===- CompareMoved.cpp - comparison of moved sections --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects the comparison of each section, and compares linker-generated ones:
// the table of offsets, symbols and relocations. Siblings: CompareData.cpp, and
// the files that CompareMoved.h names.
//
//===----------------------------------------------------------------------===//
#include "CompareMoved.h"
#include "Offload/HipSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

static constexpr uint64_t RelaSize = 24, SymbolSize = 24;

static bool isDevice(const Section &S) {
  return S.Name == offload::FatBinSectionName && (S.Flags & ELF::SHF_ALLOC);
}

/// Addresses move only if sections follow the device code.
Shift Shift::between(const Side &Old, const Side &New) {
  auto Device = find_if(Old.Sections, isDevice);
  Shift S;
  if (Device == Old.Sections.end() || Old.Image.machine() != ELF::EM_X86_64)
    return S;
  uint64_t Begin = Device->Address, End = Begin + Device->Size;
  if (End < Begin || none_of(
                         Old.Sections,
                         [&](const Section &Candidate) {
                           return (Candidate.Flags & ELF::SHF_ALLOC) &&
                                  Candidate.Size && Candidate.Address >= End;
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
      upper_bound(ByAddress, Address, [](uint64_t Position, const Section *S) {
        return Position < S->Address;
      });
  if (Next == ByAddress.begin())
    return nullptr;
  const Section *S = *std::prev(Next);
  return Address - S->Address < S->Size ? S : nullptr;
}

/// Returns the bytes in memory if the section is loaded.
StringRef MovedComparer::bytesOf(const Side &S, const Section &Content) const {
  if (!(Content.Flags & ELF::SHF_ALLOC))
    return Content.bytesOf(S.Image.file());
  return S.Image.bytesAt(Content.Address, Content.Size).value_or(StringRef());
}

/// True if the sections have the same order, so that their numbers are equal.
bool MovedComparer::isSameTable() const {
  return std::equal(
      Old.Sections.begin(), Old.Sections.end(), New.Sections.begin(),
      New.Sections.end(), [](const Section &Was, const Section &Is) {
        return isDevice(Was) || (Was.Name == Is.Name && Was.Type == Is.Type &&
                                 Was.Flags == Is.Flags && Was.Link == Is.Link &&
                                 Was.Info == Is.Info);
      });
}

/// Compares the table of offsets. A word without a relocation of the loader is
/// a number, or, in a program that is not relocated, an address.
void MovedComparer::compareOffsets(size_t Index) {
  const Section &S = Old.Sections[Index];
  StringRef Was = bytesOf(Old, S), Is = bytesOf(New, New.Sections[Index]);
  const Segment *Dynamic = Old.Image.segment(ELF::PT_DYNAMIC);
  if (Was.size() != Is.size())
    return different(S, 0);
  for (uint64_t Offset = 0; Offset + 8 <= Was.size(); Offset += 8) {
    uint64_t Before = read64le(Was.data() + Offset);
    uint64_t After = read64le(Is.data() + Offset);
    auto Type = Loaders.find(S.Address + Offset);
    bool IsAddress = false; // false: it may be one
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
      return different(S, Offset);
  }
}

/// Symbols for tools; the dynamic linker's are compared elsewhere.
void MovedComparer::compareSymbols(size_t Index) {
  const Section &S = Old.Sections[Index];
  StringRef Was = bytesOf(Old, S), Is = bytesOf(New, New.Sections[Index]);
  if (Was.size() != Is.size())
    return different(S, 0);
  for (uint64_t Offset = 0; Offset + SymbolSize <= Was.size();
       Offset += SymbolSize) {
    const char *A = Was.data() + Offset, *B = Is.data() + Offset;
    uint16_t Index = read16le(A + 6);
    bool IsSection = Index != 0 && Index <= Old.Sections.size();
    if (IsSection && isDevice(Old.Sections[Index - 1]))
      continue;
    bool IsAddress =
        (A[4] & 15) != ELF::STT_TLS && Index != ELF::SHN_ABS &&
        (!IsSection || (Old.Sections[Index - 1].Flags & ELF::SHF_ALLOC));
    uint64_t Before = read64le(A + 8), After = read64le(B + 8);
    if (StringRef(A, 8) != StringRef(B, 8) ||
        read64le(A + 16) != read64le(B + 16) ||
        !(IsAddress ? isSameAddress(Before, After) : Before == After))
      return different(S, Offset);
  }
}

/// Static relocations have to keep their symbols and move with their places.
/// For device code only the marker is left.
void MovedComparer::compareRelocations(size_t Index) {
  const Section &S = Old.Sections[Index];
  StringRef Was = bytesOf(Old, S), Is = bytesOf(New, New.Sections[Index]);
  bool IsLoaded = S.Info != 0 && S.Info <= Old.Sections.size() &&
                  (Old.Sections[S.Info - 1].Flags & ELF::SHF_ALLOC);
  StringRef Symbols;
  if (S.Link != 0 && S.Link <= Old.Sections.size())
    Symbols = Old.Sections[S.Link - 1].bytesOf(Old.Image.file());
  auto IsOfDevice = [&](uint64_t Info) {
    uint64_t Offset = (Info >> 32) * SymbolSize;
    if (Offset + SymbolSize > Symbols.size())
      return false;
    uint16_t Section = read16le(Symbols.data() + Offset + 6);
    return Section != 0 && Section <= Old.Sections.size() &&
           isDevice(Old.Sections[Section - 1]);
  };
  if (Was.size() != Is.size())
    return different(S, 0);
  for (uint64_t Offset = 0; Offset + RelaSize <= Was.size();
       Offset += RelaSize) {
    const char *A = Was.data() + Offset, *B = Is.data() + Offset;
    uint64_t Place = read64le(A), Info = read64le(A + 8);
    uint64_t Addend = IsOfDevice(Info) ? 0 : read64le(A + 16);
    if (read64le(B) != (IsLoaded ? Moved.at(Place) : Place) ||
        read64le(B + 8) != Info || read64le(B + 16) != Addend)
      return different(S, Offset);
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

/// True for sections whose bytes are compared here. Other loaded sections are
/// tables, which are compared by meaning, or have no addresses.
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

/// Returns false if too many sections of a hostile file share bytes.
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
  // Programs find the header through the segment and ignore section names.
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
