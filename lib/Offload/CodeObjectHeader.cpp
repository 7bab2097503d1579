//===- CodeObjectHeader.cpp - ELF headers of AMDGPU code objects ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An ELF file does not record its size, so it ends where the last of its parts
// does. Every part is visited once, and the number of parts is bounded by the
// bytes of their headers.
//
// Also compiled into the compiler plugin: uses only LLVM's Support.
//
//===----------------------------------------------------------------------===//
#include "Offload/CodeObjectHeader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <algorithm>

using namespace llvm;
using namespace kpack;

// EF_AMDGPU_MACH as listed in AMDGPUUsage ("AMDGPU EF_AMDGPU_MACH Values").
// LLVM's getAMDGPUCPUName() is for checked files only: an unknown value is
// undefined behaviour.
StringRef offload::processorOfMach(unsigned Mach) {
  static constexpr struct {
    uint8_t Mach;
    StringLiteral Name;
  } Processors[] = {
      {0x20, "gfx600"},          {0x21, "gfx601"},
      {0x3a, "gfx602"},          {0x22, "gfx700"},
      {0x23, "gfx701"},          {0x24, "gfx702"},
      {0x25, "gfx703"},          {0x26, "gfx704"},
      {0x3b, "gfx705"},          {0x28, "gfx801"},
      {0x29, "gfx802"},          {0x2a, "gfx803"},
      {0x3c, "gfx805"},          {0x2b, "gfx810"},
      {0x2c, "gfx900"},          {0x2d, "gfx902"},
      {0x2e, "gfx904"},          {0x2f, "gfx906"},
      {0x30, "gfx908"},          {0x31, "gfx909"},
      {0x3f, "gfx90a"},          {0x32, "gfx90c"},
      {0x40, "gfx940"},          {0x4b, "gfx941"},
      {0x4c, "gfx942"},          {0x4f, "gfx950"},
      {0x33, "gfx1010"},         {0x34, "gfx1011"},
      {0x35, "gfx1012"},         {0x42, "gfx1013"},
      {0x36, "gfx1030"},         {0x37, "gfx1031"},
      {0x38, "gfx1032"},         {0x39, "gfx1033"},
      {0x3e, "gfx1034"},         {0x3d, "gfx1035"},
      {0x45, "gfx1036"},         {0x41, "gfx1100"},
      {0x46, "gfx1101"},         {0x47, "gfx1102"},
      {0x44, "gfx1103"},         {0x43, "gfx1150"},
      {0x4a, "gfx1151"},         {0x55, "gfx1152"},
      {0x58, "gfx1153"},         {0x48, "gfx1200"},
      {0x4e, "gfx1201"},         {0x49, "gfx1250"},
      {0x5a, "gfx1251"},         {0x51, "gfx9-generic"},
      {0x52, "gfx10-1-generic"}, {0x53, "gfx10-3-generic"},
      {0x54, "gfx11-generic"},   {0x59, "gfx12-generic"},
      {0x5f, "gfx9-4-generic"},
  };
  const auto *Found =
      find_if(Processors, [&](const auto &P) { return P.Mach == Mach; });
  return Found == std::end(Processors) ? StringRef() : StringRef(Found->Name);
}

/// Two bits of e_flags: 0 not supported, 1 any, 2 off, 3 on.
static char featureOfFlags(unsigned Flags, unsigned Mask) {
  switch ((Flags & Mask) >> countr_zero(Mask)) {
  case 2:
    return '-';
  case 3:
    return '+';
  default:
    return ' ';
  }
}

char offload::xnackOfFlags(unsigned Flags) {
  return featureOfFlags(Flags, ELF::EF_AMDGPU_FEATURE_XNACK_V4);
}

char offload::srameccOfFlags(unsigned Flags) {
  return featureOfFlags(Flags, ELF::EF_AMDGPU_FEATURE_SRAMECC_V4);
}

namespace {

/// Offsets of fields of Elf64_Ehdr, Elf64_Shdr and Elf64_Phdr. They are read
/// one by one, since the bytes may have any alignment.
enum EhdrField {
  Machine = 18,
  Phoff = 32,
  Shoff = 40,
  Flags = 48,
  Phentsize = 54,
  Phnum = 56,
  Shentsize = 58,
  Shnum = 60
};
constexpr uint64_t EhdrSize = 64, ShdrSize = 64, PhdrSize = 56;

uint16_t half(StringRef Bytes, uint64_t At) {
  return support::endian::read16le(Bytes.data() + At);
}
uint32_t word(StringRef Bytes, uint64_t At) {
  return support::endian::read32le(Bytes.data() + At);
}
uint64_t xword(StringRef Bytes, uint64_t At) {
  return support::endian::read64le(Bytes.data() + At);
}

/// Finds the largest end of all added parts.
class Extent {
public:
  explicit Extent(uint64_t Limit) : Limit(Limit) {}

  /// Returns false if the part is outside of the file.
  bool add(uint64_t Offset, uint64_t Size) {
    if (Offset > Limit || Size > Limit - Offset)
      return false;
    End = std::max(End, Offset + Size);
    return true;
  }
  bool addTable(uint64_t Offset, uint64_t Count, uint64_t EntrySize) {
    return Count <= Limit / EntrySize && add(Offset, Count * EntrySize);
  }
  uint64_t end() const { return End; }

private:
  uint64_t Limit;
  uint64_t End = EhdrSize;
};

} // namespace

/// Adds the section table and the contents of the sections.
static bool addSections(StringRef Bytes, Extent &Parts) {
  uint64_t Table = xword(Bytes, Shoff);
  if (Table == 0)
    return true;
  if (half(Bytes, Shentsize) != ShdrSize || !Parts.addTable(Table, 1, ShdrSize))
    return false;
  // If the field cannot hold the number of sections, the first header does.
  uint64_t Count = half(Bytes, Shnum);
  if (Count == 0)
    Count = xword(Bytes, Table + 32);
  if (!Parts.addTable(Table, Count, ShdrSize))
    return false;
  for (uint64_t I = 1; I < Count; ++I) {
    uint64_t At = Table + I * ShdrSize;
    uint32_t Type = word(Bytes, At + 4);
    if (Type != ELF::SHT_NULL && Type != ELF::SHT_NOBITS &&
        !Parts.add(xword(Bytes, At + 24), xword(Bytes, At + 32)))
      return false;
  }
  return true;
}

static bool addSegments(StringRef Bytes, Extent &Parts) {
  uint64_t Table = xword(Bytes, Phoff), Count = half(Bytes, Phnum);
  if (Table == 0 || Count == 0)
    return true;
  if (half(Bytes, Phentsize) != PhdrSize ||
      !Parts.addTable(Table, Count, PhdrSize))
    return false;
  for (uint64_t I = 0; I != Count; ++I) {
    uint64_t At = Table + I * PhdrSize;
    if (word(Bytes, At) != ELF::PT_NULL &&
        !Parts.add(xword(Bytes, At + 8), xword(Bytes, At + 32)))
      return false;
  }
  return true;
}

bool offload::isCodeObject(StringRef Bytes) {
  return Bytes.size() >= EhdrSize && Bytes.starts_with(ELF::ElfMagic) &&
         Bytes[ELF::EI_CLASS] == ELF::ELFCLASS64 &&
         Bytes[ELF::EI_DATA] == ELF::ELFDATA2LSB &&
         half(Bytes, Machine) == ELF::EM_AMDGPU;
}

std::string offload::targetOfCodeObject(StringRef Bytes) {
  unsigned EFlags = word(Bytes, Flags);
  std::string Target = processorOfMach(EFlags & ELF::EF_AMDGPU_MACH).str();
  if (Target.empty() ||
      uint8_t(Bytes[ELF::EI_ABIVERSION]) < ELF::ELFABIVERSION_AMDGPU_HSA_V4)
    return Target;
  if (char Sign = srameccOfFlags(EFlags); Sign != ' ')
    (Target += ":sramecc") += Sign;
  if (char Sign = xnackOfFlags(EFlags); Sign != ' ')
    (Target += ":xnack") += Sign;
  return Target;
}

unsigned offload::codeObjectVersion(StringRef Bytes) {
  unsigned Abi = uint8_t(Bytes[ELF::EI_ABIVERSION]);
  return Abi <= ELF::ELFABIVERSION_AMDGPU_HSA_V6 ? Abi + 2 : 0;
}

std::optional<uint64_t> offload::codeObjectSize(StringRef Bytes) {
  Extent Parts(Bytes.size());
  if (!addSections(Bytes, Parts) || !addSegments(Bytes, Parts))
    return std::nullopt;
  return Parts.end();
}
