//===- LoadedPe.cpp - a Windows file as a loader maps it ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are those of the Windows kernel: sections are adjacent in memory
// and in order, and together have the size in the header. The contents of each
// begin at a multiple of 512 in the file.
//
//===----------------------------------------------------------------------===//
#include "LoadedPe.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

static constexpr uint64_t OptionalSize = 112, PageSize = 4096;
static constexpr uint16_t MagicOf64 = 0x20b;

uint16_t LoadedPe::header16(uint64_t Offset) const {
  return read16le(File.data() + HeaderOffset + Offset);
}

uint32_t LoadedPe::header32(uint64_t Offset) const {
  return read32le(File.data() + HeaderOffset + Offset);
}

uint16_t LoadedPe::optional16(uint64_t Offset) const {
  return read16le(File.data() + optionalOffset() + Offset);
}

uint32_t LoadedPe::optional32(uint64_t Offset) const {
  return read32le(File.data() + optionalOffset() + Offset);
}

bool LoadedPe::readHeaders(Findings &F) {
  constexpr uint64_t DosSize = 64;
  uint64_t Offset = File.size() < DosSize ? 0 : read32le(File.data() + 60);
  if (File.size() < DosSize || Offset > File.size() ||
      File.size() - Offset < 24 + OptionalSize ||
      !File.substr(Offset).starts_with(StringRef("PE\0\0", 4)))
    return F.problem("no headers of a Windows program"), false;
  HeaderOffset = Offset + 4;
  TableOffset = optionalOffset() + header16(16);
  if (optional16(0) != MagicOf64 || header16(16) < OptionalSize)
    return F.problem("not a 64-bit Windows program (PE32+)"), false;
  uint64_t DirectoriesSize = uint64_t(optional32(108)) * 8;
  if (tableOffset() + header16(2) * SectionHeaderSize > File.size() ||
      DirectoriesSize > header16(16) - OptionalSize)
    return F.problem("its headers are cut off"), false;
  Base = read64le(File.data() + optionalOffset() + 24);
  return true;
}

void LoadedPe::readSections(Findings &F) {
  for (unsigned I = 0, Count = header16(2); I != Count; ++I) {
    const char *P = File.data() + TableOffset + I * SectionHeaderSize;
    PeSection S;
    S.Name = StringRef(P, 8).take_until([](char C) { return C == '\0'; });
    uint64_t RawSize = read32le(P + 16);
    S.Offset = read32le(P + 20);
    S.Address = read32le(P + 12);
    S.Size = read32le(P + 8);
    S.Size = S.Size ? S.Size : RawSize;
    S.LineNumberCount = read16le(P + 34);
    S.Flags = read32le(P + 36);
    RawSize = S.Offset == 0 ? 0 : RawSize;
    S.RawEnd = RawSize == 0 ? 0 : S.Offset + RawSize;
    S.FileSize = std::min(RawSize, alignTo(S.Size, PageSize));
    if (S.RawEnd > File.size()) {
      F.problem("section " + S.Name + " is not all in the file");
      uint64_t Left = File.size() - std::min<uint64_t>(S.Offset, File.size());
      S.FileSize = std::min(S.FileSize, Left);
    }
    Sections.push_back(S);
  }
}

void LoadedPe::checkHeaders(Findings &F) const {
  constexpr uint16_t Amd64 = 0x8664, Arm64 = 0xaa64, Executable = 2;
  uint64_t MemoryAlign = optional32(32), FileAlign = optional32(36);
  if (header16(0) != Amd64 && header16(0) != Arm64)
    F.problem("for machine " + hexText(header16(0)) +
              ", which Windows does "
              "not run on");
  if (!(header16(18) & Executable))
    F.problem("its header does not say that it can be executed");
  if (!isPowerOf2_64(MemoryAlign) || !isPowerOf2_64(FileAlign) ||
      MemoryAlign < FileAlign || (FileAlign < 512 && FileAlign != MemoryAlign))
    F.problem("its alignments, " + hexText(FileAlign) + " and " +
              hexText(MemoryAlign) + ", are none that are loaded");
  if (base() % 0x10000 != 0)
    F.problem("its base " + hexText(base()) + " is no multiple of 64 KiB");
  if (headersSize() < tableEnd() || headersSize() > File.size())
    F.problem("its headers have " + hexText(headersSize()) +
              " bytes, which is not where they end");
  PeDirectory Signature = directory(PeSignature);
  if (Signature.Size != 0 &&
      (Signature.Address < contentsEnd() || Signature.Address > File.size() ||
       Signature.Size > File.size() - Signature.Address))
    F.problem("its signature is not at the end of the file");
  if (checksum() != 0 && checksum() != peChecksum(File, optionalOffset() + 64))
    F.problem("its checksum is not that of the file");
  uint64_t Symbols = header32(8), Count = header32(12);
  if (Symbols != 0 && Symbols + Count * 18 > File.size())
    F.problem("its symbols are not in the file");
}

void LoadedPe::checkSections(Findings &F) const {
  uint64_t Align = std::max<uint64_t>(optional32(32), 1);
  if (Sections.empty())
    return F.problem("has no sections");
  // If the alignment is less than a page, the file is mapped as one piece.
  bool IsOnePiece = Align < PageSize;
  uint64_t End = alignTo(headersSize(), Align), FileEnd = headersSize();
  std::vector<std::pair<uint64_t, uint64_t>> Contents;
  for (const PeSection &S : Sections) {
    // The first section may leave a gap after the headers.
    bool IsNext = &S == &Sections.front() ? S.Address >= End : S.Address == End;
    if (!IsNext || S.Address % Align != 0)
      F.problem("section " + S.Name + " is at " + hexText(S.Address) +
                " in memory, and the one before it ends at " + hexText(End));
    if (IsOnePiece ? S.RawEnd && S.Offset != S.Address : S.Offset % 512 != 0)
      F.problem("section " + S.Name + " is at " + hexText(S.Offset) +
                " in the file, where none is loaded from");
    End = alignTo(std::max(End, S.end()), Align);
    if (S.RawEnd != 0)
      Contents.emplace_back(S.Offset, S.RawEnd);
  }
  if (End != imageSize())
    F.problem("its header says " + hexText(imageSize()) +
              " bytes of memory, its sections " + hexText(End));
  llvm::sort(Contents);
  for (const auto &[Begin, ItsEnd] : Contents) {
    if (Begin < FileEnd)
      F.problem("two sections, or one and the headers, have the bytes at " +
                hexText(Begin) + " of the file");
    FileEnd = std::max(FileEnd, ItsEnd);
  }
}

uint64_t LoadedPe::contentsEnd() const {
  uint64_t End = headersSize();
  for (const PeSection &S : Sections)
    End = std::max(End, S.RawEnd);
  return End;
}

PeDirectory LoadedPe::directory(size_t Index) const {
  if (Index >= optional32(108))
    return PeDirectory();
  const char *P = File.data() + optionalOffset() + OptionalSize + Index * 8;
  return {read32le(P), read32le(P + 4)};
}

const PeSection *LoadedPe::sectionAt(uint64_t Address) const {
  for (const PeSection &S : Sections)
    if (Address >= S.Address && Address < S.end())
      return &S;
  return nullptr;
}

StringRef LoadedPe::bytesFrom(uint64_t Address) const {
  if (const PeSection *S = sectionAt(Address))
    return File.substr(S->Offset)
        .take_front(S->FileSize)
        .substr(Address - S->Address);
  return Address < headersSize() ? File.slice(Address, headersSize())
                                 : StringRef();
}

std::optional<StringRef> LoadedPe::bytesAt(uint64_t Address,
                                           uint64_t Size) const {
  StringRef Bytes = bytesFrom(Address);
  if (Bytes.size() < Size)
    return std::nullopt;
  return Bytes.take_front(Size);
}

bool LoadedPe::isMapped(uint64_t Address, uint64_t Size, uint32_t Flags) const {
  if (const PeSection *S = sectionAt(Address))
    return (S->Flags & Flags) == Flags && Size <= S->end() - Address;
  return Flags == 0 && Address < headersSize() &&
         Size <= headersSize() - Address;
}

std::optional<LoadedPe> LoadedPe::read(StringRef Bytes, Findings &F) {
  LoadedPe Image;
  Image.File = Bytes;
  if (!Image.readHeaders(F))
    return std::nullopt;
  Image.readSections(F);
  Image.checkHeaders(F);
  Image.checkSections(F);
  return Image;
}

uint32_t verifier::peChecksum(StringRef File, uint64_t ChecksumAt) {
  uint64_t Sum = 0;
  for (uint64_t Offset = 0; Offset < File.size(); Offset += 2)
    if (Offset < ChecksumAt || Offset >= ChecksumAt + 4)
      Sum += Offset + 1 < File.size() ? read16le(File.data() + Offset)
                                      : uint8_t(File[Offset]);
  while (Sum >> 16)
    Sum = (Sum & 0xffff) + (Sum >> 16);
  return uint32_t(Sum + File.size());
}
