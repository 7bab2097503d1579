//===- CompareCode.cpp - comparison of moved code -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every instruction has to refer to the same target as before, with or without
// a relocation, so a reference that the rewriter missed is found. All other
// bytes must be equal, except for addresses with relocations.
//
//===----------------------------------------------------------------------===//
#include "CompareMoved.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

/// True if a jump table may be at \p Address: distances from its own start. If
/// a section has lost all relocations, such a table has no other trace.
bool MovedComparer::looksLikeTable(uint64_t Address) const {
  const Section *In = sectionAt(Address);
  if (!In || (In->Flags & ELF::SHF_EXECINSTR) ||
      !RelocationsOf[In - Old.Sections.data()].empty())
    return false;
  std::optional<StringRef> Bytes = Old.Image.bytesAt(Address, 8);
  if (!Bytes)
    return false;
  for (unsigned I : {0, 4}) {
    uint64_t Target = Address + int64_t(int32_t(read32le(Bytes->data() + I)));
    const Section *Code = sectionAt(Target);
    bool IsMoved = Moved.at(Target) - Target != Moved.at(Address) - Address;
    if (!Code || !(Code->Flags & ELF::SHF_EXECINSTR) || !IsMoved)
      return false;
  }
  return true;
}

static uint64_t readField(StringRef Bytes, uint64_t Offset, uint32_t Size) {
  return Size == 8 ? read64le(Bytes.data() + Offset)
                   : read32le(Bytes.data() + Offset);
}

/// Copies addresses with relocations in the instruction \p I to \p Wanted.
/// Returns whether there are any; nullopt if one has another target.
std::optional<bool>
MovedComparer::takeFields(const Section &In, uint64_t Position,
                          const Decoded &I, StringRef Is,
                          MutableArrayRef<char> Wanted) const {
  bool HasField = false;
  StringRef Was(Wanted.data(), Wanted.size());
  auto Field =
      lower_bound(Fields, Position, [](const RelocatedField &A, uint64_t O) {
        return A.Offset < O;
      });
  for (; Field != Fields.end() && Field->Offset < Position + I.Size; ++Field) {
    uint64_t Offset = Field->Offset - Position;
    bool IsDistance = Field->IsRelative && (I.Target || Old.Image.isMovable());
    if (IsDistance || Field->IsOffset || Field->Size > I.Size - Offset)
      continue;
    // A linker may have replaced a distance by the address.
    RelocatedField Absolute = *Field;
    Absolute.Addend = Field->IsRelative ? 0 : Field->Addend;
    Absolute.IsRelative = false;
    if (!isSameField(Absolute, readField(Was, Offset, Field->Size),
                     readField(Is, Offset, Field->Size),
                     In.Address + Position + Offset))
      return std::nullopt;
    std::copy_n(Is.data() + Offset, Field->Size, Wanted.data() + Offset);
    HasField = true;
  }
  return HasField;
}

/// \p Was and \p Is are the bytes of the instruction \p I at offset \p Offset.
bool MovedComparer::isSameInstruction(const Section &In, uint64_t Offset,
                                      const Decoded &I, StringRef Was,
                                      StringRef Is) const {
  uint64_t Address = In.Address + Offset, Now = Moved.at(Address);
  SmallVector<char, 16> Wanted(Was.begin(), Was.end());
  std::optional<bool> HasField = takeFields(In, Offset, I, Is, Wanted);
  if (!HasField)
    return false;
  if (I.Target) {
    uint64_t Target = *I.Target;
    if (Moved.isGone(Target) || looksLikeTable(Target))
      return false;
    uint64_t Distance = Moved.at(Target) - (Now + I.Size);
    if (I.IsShort && Distance != Target - (Address + I.Size))
      return false;
    if (!I.IsShort)
      write32le(Wanted.data() + I.DistanceAt, uint32_t(Distance));
  }
  if (StringRef(Wanted.data(), Wanted.size()) != Is)
    return false;
  if (*HasField || Old.Image.isMovable() || I.Target)
    return true;
  return none_of(I.Numbers, [&](uint64_t Value) {
    return mayBeAddress(Value) || mayBeAddress(uint32_t(Value));
  });
}

/// Compares an instruction or a data byte at \p Offset in the section; \p Was
/// and
/// \p Is begin there. Returns its size, or 0 if the two differ.
uint64_t MovedComparer::compareInstruction(size_t Index, uint64_t Offset,
                                           StringRef Was, StringRef Is) {
  const Section &S = Old.Sections[Index];
  std::optional<Decoded> I = Decoder->decode(Was, S.Address + Offset);
  if (I)
    return isSameInstruction(S, Offset, *I, Was.take_front(I->Size),
                             Is.take_front(I->Size))
               ? I->Size
               : 0;
  // Data, or an instruction that this LLVM does not know.
  auto Field =
      lower_bound(Fields, Offset, [](const RelocatedField &A, uint64_t O) {
        return A.Offset < O;
      });
  if (Field == Fields.end() || Field->Offset != Offset)
    return Was.front() == Is.front() ? 1 : 0;
  return isSameField(*Field, readField(Was, 0, Field->Size),
                     readField(Is, 0, Field->Size), S.Address + Offset)
             ? Field->Size
             : 0;
}

void MovedComparer::compareCode(size_t Index) {
  const Section &S = Old.Sections[Index];
  StringRef Was = bytesOf(Old, S), Is = bytesOf(New, New.Sections[Index]);
  if (!Decoder || Was.size() != Is.size())
    return different(S, 0);
  readFields(Index);
  for (uint64_t Offset = 0; Offset != Was.size();) {
    uint64_t Size = compareInstruction(Index, Offset, Was.drop_front(Offset),
                                       Is.drop_front(Offset));
    if (Size == 0)
      return different(S, Offset);
    Offset += Size;
  }
}
