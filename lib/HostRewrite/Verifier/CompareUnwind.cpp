//===- CompareUnwind.cpp - comparison of unwind tables --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares .eh_frame as LLVM parses it: functions, handlers and instructions,
// at any offset. .eh_frame_hdr is the table that unwinders search at run time.
//
//===----------------------------------------------------------------------===//
#include "CompareMoved.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFDataExtractor.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugFrame.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/Endian.h"

using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

static bool hasSameInstructions(const dwarf::FrameEntry &Was,
                                const dwarf::FrameEntry &Is) {
  const auto &A = Was.cfis(), &B = Is.cfis();
  return std::equal(A.begin(), A.end(), B.begin(), B.end(),
                    [](const auto &X, const auto &Y) {
                      return X.Opcode == Y.Opcode && X.Ops == Y.Ops &&
                             X.Expression == Y.Expression;
                    });
}

static bool hasSameForms(const dwarf::CIE &Was, const dwarf::CIE &Is) {
  return Was.getVersion() == Is.getVersion() &&
         Was.getAugmentationString() == Is.getAugmentationString() &&
         Was.getCodeAlignmentFactor() == Is.getCodeAlignmentFactor() &&
         Was.getDataAlignmentFactor() == Is.getDataAlignmentFactor() &&
         Was.getReturnAddressRegister() == Is.getReturnAddressRegister() &&
         Was.getPersonalityEncoding() == Is.getPersonalityEncoding() &&
         Was.getFDEPointerEncoding() == Is.getFDEPointerEncoding() &&
         Was.getLSDAPointerEncoding() == Is.getLSDAPointerEncoding();
}

template <typename IsSame>
static bool isSameEntry(const dwarf::FrameEntry &Was,
                        const dwarf::FrameEntry &Is, IsSame IsSameAddress) {
  auto IsSamePointer = [&](std::optional<uint64_t> A,
                           std::optional<uint64_t> B) {
    return A.has_value() == B.has_value() && (!A || IsSameAddress(*A, *B));
  };
  if (Was.getKind() != Is.getKind() || Was.getOffset() != Is.getOffset() ||
      Was.getLength() != Is.getLength() || !hasSameInstructions(Was, Is))
    return false;
  if (const auto *A = dyn_cast<dwarf::CIE>(&Was)) {
    const auto &B = cast<dwarf::CIE>(Is);
    return hasSameForms(*A, B) &&
           IsSamePointer(A->getPersonalityAddress(), B.getPersonalityAddress());
  }
  const auto &A = cast<dwarf::FDE>(Was), &B = cast<dwarf::FDE>(Is);
  return A.getAddressRange() == B.getAddressRange() &&
         A.getCIEPointer() == B.getCIEPointer() &&
         IsSameAddress(A.getInitialLocation(), B.getInitialLocation()) &&
         IsSamePointer(A.getLSDAAddress(), B.getLSDAAddress());
}

void MovedComparer::compareFrames(size_t Index) {
  const Section &S = Old.Sections[Index];
  auto Parse = [&](StringRef Bytes, uint64_t Address, DWARFDebugFrame &Into) {
    DWARFDataExtractor Data(Bytes, /*IsLittleEndian=*/true, /*AddressSize=*/8);
    Error E = Into.parse(Data);
    bool IsRead = !E;
    consumeError(std::move(E));
    return IsRead;
  };
  uint64_t Now = New.Sections[Index].Address;
  StringRef Was = bytesOf(Old, S), Is = bytesOf(New, New.Sections[Index]);
  DWARFDebugFrame A(Triple::x86_64, /*IsEH=*/true, S.Address);
  DWARFDebugFrame B(Triple::x86_64, /*IsEH=*/true, Now);
  if (Was.size() != Is.size() || !Parse(Was, S.Address, A) ||
      !Parse(Is, Now, B))
    return different(S, 0);
  auto ToA = A.begin();
  auto ToB = B.begin();
  uint64_t End = 0;
  for (; ToA != A.end() && ToB != B.end(); ++ToA, ++ToB) {
    if (!isSameEntry(*ToA, *ToB, [&](uint64_t X, uint64_t Y) {
          return isSameAddress(X, Y);
        }))
      return different(S, ToA->getOffset());
    if (const auto *Function = dyn_cast<dwarf::FDE>(&*ToA))
      if (std::optional<uint64_t> Handlers = Function->getLSDAAddress())
        compareTypes(*Handlers);
    End = std::max(End, ToA->getOffset() + 4 + ToA->getLength());
  }
  // Only a terminator may follow the last entry.
  bool IsAll = ToA == A.end() && ToB == B.end() && End <= Was.size();
  if (!IsAll ||
      Was.drop_front(End).find_first_not_of('\0') != StringRef::npos ||
      Was.drop_front(End) != Is.drop_front(End))
    different(S, End);
}

/// Checks version and encodings, a pointer, a count, and pairs of distances.
void MovedComparer::compareFrameHeader(size_t Index) {
  constexpr uint64_t Forms = 4, Count = 8, Table = 12;
  constexpr StringLiteral Known("\x01\x1b\x03\x3b");
  const Section &S = Old.Sections[Index];
  StringRef Was = bytesOf(Old, S), Is = bytesOf(New, New.Sections[Index]);
  if (Was.size() != Is.size() || Was.size() < Table ||
      !Was.starts_with(Known) || !Is.starts_with(Known) ||
      Was.slice(Count, Table) != Is.slice(Count, Table) ||
      read32le(Was.data() + Count) != (Was.size() - Table) / 8)
    return different(S, 0);
  uint64_t Now = New.Sections[Index].Address;
  auto IsSame = [&](uint64_t Offset, uint64_t Origin) {
    auto Target = [&](StringRef Bytes, uint64_t Base) {
      return Base + Origin + int64_t(int32_t(read32le(Bytes.data() + Offset)));
    };
    return isSameAddress(Target(Was, S.Address), Target(Is, Now));
  };
  if (!IsSame(Forms, Forms))
    return different(S, Forms);
  for (uint64_t Offset = Table; Offset + 4 <= Was.size(); Offset += 4)
    if (!IsSame(Offset, 0))
      return different(S, Offset);
}
