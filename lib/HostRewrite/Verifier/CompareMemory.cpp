//===- CompareMemory.cpp - comparison of memory images --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares every byte and the permissions of the original's memory, except for
// places that a conversion changes. CompareTables.cpp and CompareHost.cpp
// compare the parts that may have moved.
//
//===----------------------------------------------------------------------===//
#include "CompareHost.h"
#include "CompareMoved.h"
#include "FindWrappers.h"
#include "Offload/HipSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;

/// Returns the end of the bundle at \p Address, with the zeros up to the next
/// page, where another bundle may begin.
static uint64_t endOfBundle(const LoadedImage &Image, uint64_t Address) {
  StringRef Bytes = Image.bytesFrom(Address);
  uint64_t Size = bundleSizeAt(Image, Address);
  while (Size < Bytes.size() && (Address + Size) % PageSize != 0 &&
         Bytes[Size] == 0)
    ++Size;
  return Address + Size;
}

/// Adds tables that are compared by meaning, or have moved.
void HostComparer::addTables(Ranges &Result) const {
  auto Add = [&](uint64_t Address, uint64_t Size) {
    Result.add(Address, Address + Size);
  };
  for (const Segment &S : Old.Image.segments())
    if (S.Type == ELF::PT_DYNAMIC)
      Add(S.Address, S.MemorySize);
  for (auto [Tag, SizeTag] : {std::pair(ELF::DT_RELA, ELF::DT_RELASZ),
                              {ELF::DT_REL, ELF::DT_RELSZ},
                              {ELF::DT_RELR, ELF::DT_RELRSZ},
                              {ELF::DT_JMPREL, ELF::DT_PLTRELSZ}})
    Add(addressOf(Old, Tag), addressOf(Old, SizeTag));
  for (uint64_t Tag : movableTables())
    if (isMoved(Tag))
      Add(addressOf(Old, Tag), tableBytes(Old, Tag).size());
  Add(addressOf(Old, ELF::DT_SYMTAB), symbolBytes(Old).size());
}

/// Adds the headers, the fields of the ELF header that locate them, and the
/// parts that only headers refer to.
void HostComparer::addHeaders(Ranges &Result) const {
  std::vector<const Segment *> Was = otherSegments(Old.Image);
  std::vector<const Segment *> Is = otherSegments(New.Image);
  for (const auto &[A, B] : zip(Was, Is))
    if (isFoundByHeader(A->Type) && Moved.at(A->Address) != B->Address)
      Result.add(A->Address, A->Address + A->MemorySize);
  for (const Segment &S : Old.Image.loads()) {
    auto AddOfFile = [&](uint64_t Offset, uint64_t Size) {
      uint64_t Address = S.Address + (Offset - S.Offset);
      if (Offset >= S.Offset && Offset - S.Offset < S.FileSize)
        Result.add(Address, Address + Size);
    };
    AddOfFile(24, 24); // e_entry, compared elsewhere, e_phoff, e_shoff
    AddOfFile(56, 8);  // e_phnum, e_shentsize, e_shnum, e_shstrndx
    // One more header may be in the padding after the table.
    AddOfFile(Old.Image.headersOffset(), std::max(Old.Image.segments().size(),
                                                  New.Image.segments().size()) *
                                             PhdrSize);
  }
}

/// Returns addresses whose bytes may differ.
Ranges HostComparer::changedPlaces() const {
  Ranges All;
  for (const HostWrapper &W : Old.Wrappers) {
    All.add(W.Address, W.Address + offload::WrapperSize);
    if (W.Magic == offload::WrapperMagicFat)
      All.add(W.Pointer, endOfBundle(Old.Image, W.Pointer));
  }
  for (const Section &S : Old.Sections)
    if (S.Name == offload::FatBinSectionName && (S.Flags & ELF::SHF_ALLOC))
      All.add(S.Address, S.Address + S.Size);
  addTables(All);
  addHeaders(All);
  All.sort();
  return All;
}

namespace {
/// The part from an address on that is of one kind.
struct Piece {
  uint64_t Size;
  const Segment *Load; ///< null: not mapped
  StringRef Bytes;     ///< empty: zeros
};
} // namespace

static Piece pieceAt(const LoadedImage &Image, uint64_t Address) {
  const Segment *Load = Image.loadAt(Address);
  if (!Load) {
    auto Next = upper_bound(Image.loads(), Address,
                            [](uint64_t Position, const Segment &S) {
                              return Position < S.Address;
                            });
    uint64_t End = Next == Image.loads().end() ? AddressLimit : Next->Address;
    return {End - Address, nullptr, StringRef()};
  }
  StringRef Bytes = Image.bytesFrom(Address);
  if (!Bytes.empty())
    return {Bytes.size(), Load, Bytes};
  return {Load->endOfMemory() - Address, Load, StringRef()};
}

static bool isSame(StringRef A, StringRef B, uint64_t Size) {
  auto IsZero = [&](StringRef Bytes) {
    return Bytes.take_front(Size).find_first_not_of('\0') == StringRef::npos;
  };
  if (A.empty() || B.empty())
    return IsZero(A.empty() ? B : A);
  return A.take_front(Size) == B.take_front(Size);
}

/// Permissions to read and write have to be equal. Memory without code may lose
/// the permission to execute, as current linkers separate it.
bool HostComparer::hasSameRights(const Segment &Was, const Segment &Is,
                                 uint64_t Place, uint64_t Size) const {
  uint32_t Lost = (Was.Flags ^ Is.Flags) & (ELF::PF_R | ELF::PF_W | ELF::PF_X);
  if (Lost == 0)
    return true;
  if (Lost != ELF::PF_X || !(Was.Flags & ELF::PF_X) || Old.Sections.empty())
    return false;
  return !Old.Code.meets(Place, Place + Size);
}

/// \p IsCompared: the bytes were compared already.
void HostComparer::compareRange(const Segment &Load, uint64_t Begin,
                                uint64_t End, bool IsCompared) {
  for (uint64_t Address = Begin; Address < End;) {
    Piece Was = pieceAt(Old.Image, Address);
    Piece Is = pieceAt(New.Image, Moved.at(Address));
    uint64_t Size = std::min({Was.Size, Is.Size, End - Address});
    if (Address < Moved.End)
      Size = std::min(Size, Moved.End - Address);
    std::string Name = hexText(Size) + " bytes at " + hexText(Address);
    // Padding of parts that only the original has need not be mapped.
    bool IsPadding = !Old.Sections.empty() && !Was.Bytes.empty() &&
                     isSame(Was.Bytes, StringRef(), Size) &&
                     !Old.Contents.meets(Address, Address + Size);
    if (!Is.Load && !IsPadding)
      different(Name + ", section contents of the original, are not mapped");
    else if (Is.Load && !hasSameRights(Load, *Is.Load, Address, Size))
      different(Name + " are mapped with other rights than in the original");
    else if (Is.Load && !IsCompared && !isSame(Was.Bytes, Is.Bytes, Size))
      different("some of " + Name + " are not those of the original");
    Address += Size;
  }
}

/// Memory may grow a little, for a marker and a table of program headers.
void HostComparer::compareAmount() {
  constexpr uint64_t Most = 1 << 20;
  auto Sum = [](const LoadedImage &Image) {
    uint64_t Size = 0;
    for (const Segment &S : Image.loads())
      Size += S.MemorySize;
    return Size;
  };
  uint64_t Was = Sum(Old.Image), Is = Sum(New.Image);
  if (Is > Was && Is - Was > Most)
    different("it takes " + hexText(Is) + " bytes of memory, the original " +
              hexText(Was));
}

void HostComparer::compareMemory() {
  compareAmount();
  Ranges Changed = changedPlaces(), Compared;
  if (Moved.isAny())
    MovedComparer(Old, New, Moved, F).run(Compared);
  Compared.sort();
  for (const Segment &Load : Old.Image.loads())
    Changed.forEachOther(
        Load.Address, Load.endOfMemory(), [&](uint64_t Begin, uint64_t End) {
          Compared.forEachPart(
              Begin, End, [&](uint64_t First, uint64_t Last, bool IsCompared) {
                compareRange(Load, First, Last, IsCompared);
              });
        });
}
