//===- CutOff.cpp - detection of truncated files --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the part of each table that the file has. A damaged table may hold any
// number, so sums saturate.
//
//===----------------------------------------------------------------------===//
#include "Offload/CutOff.h"

#include "ToolSupport/Errors.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;

namespace kpack::offload {

using Elf = object::ELF64LE;

/// Returns the end of the last part that the headers of \p Bytes describe.
static uint64_t endByHeaders(StringRef Bytes, const Elf::Ehdr &Header) {
  uint64_t End = 0;
  auto Add = [&](uint64_t Offset, uint64_t Size) {
    if (Size != 0)
      End = std::max(End, SaturatingAdd(Offset, Size));
  };
  Add(Header.e_phoff, uint64_t(Header.e_phnum) * sizeof(Elf::Phdr));
  // If 0 although there is a table, its first entry holds the count.
  if (Header.e_shoff != 0)
    Add(Header.e_shoff,
        std::max<uint64_t>(1, Header.e_shnum) * sizeof(Elf::Shdr));
  uint64_t At = Header.e_phoff;
  for (unsigned I = 0; I != Header.e_phnum; ++I, At += sizeof(Elf::Phdr)) {
    if (At > Bytes.size() || Bytes.size() - At < sizeof(Elf::Phdr))
      break;
    Elf::Phdr Segment;
    std::memcpy(&Segment, Bytes.data() + At, sizeof(Segment));
    if (Segment.p_type == ELF::PT_LOAD)
      Add(Segment.p_offset, Segment.p_filesz);
  }
  return End;
}

Error checkNotCutOff(StringRef Bytes, StringRef Name) {
  if (Bytes.size() <= ELF::EI_DATA || !Bytes.starts_with(ELF::ElfMagic) ||
      Bytes[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Bytes[ELF::EI_DATA] != ELF::ELFDATA2LSB)
    return Error::success();
  Elf::Ehdr Header;
  uint64_t End = sizeof(Header);
  if (Bytes.size() >= sizeof(Header)) {
    std::memcpy(&Header, Bytes.data(), sizeof(Header));
    End = endByHeaders(Bytes, Header);
  }
  if (End <= Bytes.size())
    return Error::success();
  return objectError(Name, "it has " + Twine(Bytes.size()) + " of the " +
                               Twine(End) +
                               " bytes that its headers say: it is cut off "
                               "or damaged; get it again");
}

Error orCutOff(Error Failure, StringRef Bytes, StringRef Name) {
  Error Cut = checkNotCutOff(Bytes, Name);
  if (!Cut)
    return Failure;
  consumeError(std::move(Failure));
  return Cut;
}

} // namespace kpack::offload
