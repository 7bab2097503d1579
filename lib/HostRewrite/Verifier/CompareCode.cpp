//===- CompareCode.cpp - the same instructions at other addresses ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every instruction has to lead to what it led to, whether or not a relocation
// is for it: so it is found when the rewriter has missed one. All its other
// bytes are the same, but for addresses that relocations name.
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

/// Where a switch leads to is a table of distances from its own start. If all
/// relocations of a section were taken away, one may be there unseen.
bool MovedComparer::looksLikeTable(uint64_t Address) const {
  const Section *In = sectionAt(Address);
  if (!In || (In->Flags & ELF::SHF_EXECINSTR) ||
      !RelocationsOf[In - Old.Sections.data()].empty())
    return false;
  std::optional<StringRef> Bytes = Old.Image.bytesAt(Address, 8);
  if (!Bytes)
    return false;
  for (unsigned I : {0, 4}) {
    uint64_t To = Address + int64_t(int32_t(read32le(Bytes->data() + I)));
    const Section *Code = sectionAt(To);
    bool IsMoved = Moved.at(To) - To != Moved.at(Address) - Address;
    if (!Code || !(Code->Flags & ELF::SHF_EXECINSTR) || !IsMoved)
      return false;
  }
  return true;
}

static uint64_t readField(StringRef Bytes, uint64_t Offset, uint32_t Size) {
  return Size == 8 ? read64le(Bytes.data() + Offset)
                   : read32le(Bytes.data() + Offset);
}

/// Addresses in the instruction \p I that relocations name are put into
/// \p Wanted. Whether there are any; nothing: one leads to something else.
std::optional<bool>
MovedComparer::takeFields(const Section &In, uint64_t At, const Decoded &I,
                          StringRef Is, MutableArrayRef<char> Wanted) const {
  bool HasField = false;
  StringRef Was(Wanted.data(), Wanted.size());
  auto Field = lower_bound(Fields, At, [](const RelocatedField &A, uint64_t O) {
    return A.Offset < O;
  });
  for (; Field != Fields.end() && Field->Offset < At + I.Size; ++Field) {
    uint64_t Offset = Field->Offset - At;
    bool IsDistance = Field->IsRelative && (I.Target || Old.Image.isMovable());
    if (IsDistance || Field->IsOffset || Field->Size > I.Size - Offset)
      continue;
    // A linker may have made the address of a distance to it.
    RelocatedField Absolute = *Field;
    Absolute.Addend = Field->IsRelative ? 0 : Field->Addend;
    Absolute.IsRelative = false;
    if (!isSameField(Absolute, readField(Was, Offset, Field->Size),
                     readField(Is, Offset, Field->Size),
                     In.Address + At + Offset))
      return std::nullopt;
    std::copy_n(Is.data() + Offset, Field->Size, Wanted.data() + Offset);
    HasField = true;
  }
  return HasField;
}

/// \p Was and \p Is are the bytes of the instruction \p I at offset \p At.
bool MovedComparer::isSameInstruction(const Section &In, uint64_t At,
                                      const Decoded &I, StringRef Was,
                                      StringRef Is) const {
  uint64_t Address = In.Address + At, Now = Moved.at(Address);
  SmallVector<char, 16> Wanted(Was.begin(), Was.end());
  std::optional<bool> HasField = takeFields(In, At, I, Is, Wanted);
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
  return none_of(I.Numbers, [&](uint64_t Number) {
    return mayBeAddress(Number) || mayBeAddress(uint32_t(Number));
  });
}

/// What stands at \p At in the section; the bytes are those from there on. How
/// many there were; 0: they are not the same.
uint64_t MovedComparer::compareInstruction(size_t Index, uint64_t At,
                                           StringRef Was, StringRef Is) {
  const Section &S = Old.Sections[Index];
  std::optional<Decoded> I = Decoder->decode(Was, S.Address + At);
  if (I)
    return isSameInstruction(S, At, *I, Was.take_front(I->Size),
                             Is.take_front(I->Size))
               ? I->Size
               : 0;
  // Data, or an instruction that is too new.
  auto Field = lower_bound(Fields, At, [](const RelocatedField &A, uint64_t O) {
    return A.Offset < O;
  });
  if (Field == Fields.end() || Field->Offset != At)
    return Was.front() == Is.front() ? 1 : 0;
  return isSameField(*Field, readField(Was, 0, Field->Size),
                     readField(Is, 0, Field->Size), S.Address + At)
             ? Field->Size
             : 0;
}

void MovedComparer::compareCode(size_t Index) {
  const Section &S = Old.Sections[Index];
  StringRef Was = bytesOf(Old, S), Is = bytesOf(New, New.Sections[Index]);
  if (!Decoder || Was.size() != Is.size())
    return different(S, 0);
  readFields(Index);
  for (uint64_t At = 0; At != Was.size();) {
    uint64_t Size =
        compareInstruction(Index, At, Was.drop_front(At), Is.drop_front(At));
    if (Size == 0)
      return different(S, At);
    At += Size;
  }
}
