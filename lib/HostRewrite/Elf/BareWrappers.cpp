//===- BareWrappers.cpp - fat-binary wrappers without sections ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a position-independent file only relocated words can be pointers, so its
// relocations are enumerated instead of searching all bytes. Linkers align
// wrappers to eight bytes.
//
//===----------------------------------------------------------------------===//
#include "BareWrappers.h"

#include "../WrapperBundle.h"
#include "Offload/HipSymbols.h"
#include "Relocations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

/// Returns the wrapper at \p Address whose loaded pointer is \p Pointer, if
/// there is one.
static std::optional<offload::Wrapper>
wrapperAt(const ElfView &View, uint64_t Address, uint64_t Pointer) {
  std::optional<uint64_t> Offset = View.offsetOf(Address, offload::WrapperSize);
  if (!Offset)
    return std::nullopt;
  const char *Struct = View.Bytes.data() + *Offset;
  offload::Wrapper W;
  W.FileOffset = *Offset;
  W.Address = Address;
  W.Magic = read32le(Struct);
  W.Version = read32le(Struct + sizeof(uint32_t));
  W.Pointer = Pointer;
  W.Reserved1 = read64le(Struct + offload::WrapperReservedOffset);
  if (W.Version != offload::WrapperVersion)
    return std::nullopt;
  std::optional<uint64_t> Target = View.offsetOf(Pointer, 1);
  bool IsFat = W.Magic == offload::WrapperMagicFat && Target &&
               DeviceCode::startsAt(View.Bytes.drop_front(*Target));
  if (!IsFat && (W.Magic != offload::WrapperMagicKpack || !Target))
    return std::nullopt;
  return W;
}

static void searchSegment(const ElfView &View, const Elf::Phdr &Segment,
                          std::vector<offload::Wrapper> &Found) {
  constexpr uint64_t Alignment = 8;
  uint64_t Skip = (0 - uint64_t(Segment.p_vaddr)) % Alignment;
  for (uint64_t Offset = Skip;
       Offset + offload::WrapperSize <= Segment.p_filesz; Offset += Alignment) {
    const char *Struct = View.Bytes.data() + Segment.p_offset + Offset;
    uint32_t Magic = read32le(Struct);
    if (Magic != offload::WrapperMagicFat &&
        Magic != offload::WrapperMagicKpack)
      continue;
    uint64_t Pointer = read64le(Struct + offload::WrapperPointerOffset);
    if (auto W = wrapperAt(View, Segment.p_vaddr + Offset, Pointer))
      Found.push_back(*W);
  }
}

Expected<std::vector<offload::Wrapper>> findBareWrappers(const ElfView &View) {
  std::vector<offload::Wrapper> Found;
  if (View.Header.e_type == ELF::ET_DYN) {
    if (Error E = forEachRelocation(View, [&](const Relocation &R) {
          if (R.IsRelative)
            if (auto W = wrapperAt(
                    View, R.Address - offload::WrapperPointerOffset, R.Addend))
              Found.push_back(*W);
          return Error::success();
        }))
      return std::move(E);
  } else {
    for (const Elf::Phdr &Segment : View.Segments)
      if (Segment.p_type == ELF::PT_LOAD)
        searchSegment(View, Segment, Found);
  }
  llvm::sort(Found, [](const offload::Wrapper &A, const offload::Wrapper &B) {
    return A.Address < B.Address;
  });
  Found.erase(
      llvm::unique(Found,
                   [](const offload::Wrapper &A, const offload::Wrapper &B) {
                     return A.Address == B.Address;
                   }),
      Found.end());
  return std::move(Found);
}

} // namespace kpack::hostrewrite
