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

/// \p Was and \p Is are the bytes of the instruction \p I at offset \p At.
bool MovedComparer::isSameInstruction(const Section &In, uint64_t At,
                                      const Decoded &I, StringRef Was,
                                      StringRef Is) const {
  uint64_t Address = In.Address + At, Now = Moved.at(Address);
  SmallVector<char, 16> Wanted(Was.begin(), Was.end());
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
  bool HasField = false;
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
    uint64_t New = Field->Size == 8 ? read64le(Is.data() + Offset)
                                    : read32le(Is.data() + Offset);
    uint64_t Before = Field->Size == 8 ? read64le(Was.data() + Offset)
                                       : read32le(Was.data() + Offset);
    if (!isSameField(Absolute, Before, New, Address + Offset))
      return false;
    std::copy_n(Is.data() + Offset, Field->Size, Wanted.data() + Offset);
    HasField = true;
  }
  if (StringRef(Wanted.data(), Wanted.size()) != Is)
    return false;
  if (HasField || Old.Image.isMovable())
    return true;
  return none_of(I.Numbers, [&](uint64_t Number) {
    return !I.Target &&
           (mayBeAddress(Number) || mayBeAddress(uint32_t(Number)));
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
  uint64_t Before =
      Field->Size == 8 ? read64le(Was.data()) : read32le(Was.data());
  uint64_t New = Field->Size == 8 ? read64le(Is.data()) : read32le(Is.data());
  return isSameField(*Field, Before, New, S.Address + At) ? Field->Size : 0;
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
