//===- FatMutants.cpp - mutations of fat binaries -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No loader looks at section headers, and a rewriter believes them: a file with
// one that is wrong loads, and shows what is concluded from it. So they are
// changed most, and entries are copied over others, which a random number never
// looks like.
//
//===----------------------------------------------------------------------===//
#include "FatMutants.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::mutations {

static constexpr uint64_t SectionHeaderSize = 64;

static bool isInside(const Input &In, uint64_t Offset, uint64_t Size) {
  return Size != 0 && Offset <= In.Bytes.size() &&
         Size <= In.Bytes.size() - Offset;
}

static bool isTable(uint32_t Type) {
  switch (Type) {
  case ELF::SHT_RELA:
  case ELF::SHT_RELR:
  case ELF::SHT_HASH:
  case ELF::SHT_GNU_HASH:
  case ELF::SHT_GNU_verneed:
  case ELF::SHT_GNU_versym:
  case ELF::SHT_DYNSYM:
  case ELF::SHT_SYMTAB:
  case ELF::SHT_NOTE:
  case ELF::SHT_STRTAB:
  case ELF::SHT_INIT_ARRAY:
    return true;
  }
  return false;
}

static void addSections(Input &In) {
  const char *P = In.Bytes.data();
  uint64_t Position = read64le(P + 40), Count = read16le(P + 60);
  if (!isInside(In, Position, Count * SectionHeaderSize))
    return;
  for (unsigned I = 0; I != 12; ++I)
    In.Regions.push_back({Position, Count * SectionHeaderSize, true});
  for (; Count != 0; --Count, Position += SectionHeaderSize) {
    uint64_t Offset = read64le(P + Position + 24),
             Size = read64le(P + Position + 32);
    if (isTable(read32le(P + Position + 4)) && isInside(In, Offset, Size))
      In.Regions.push_back({Offset, Size, false});
  }
}

/// The headers of bundles, wherever they stand.
static void addBundles(Input &In) {
  constexpr uint64_t HeaderSize = 256;
  for (StringRef Magic : {"__CLANG_OFFLOAD_BUNDLE__", "CCOB"})
    for (size_t Offset = In.Bytes.find(Magic.str());
         Offset != std::string::npos;
         Offset = In.Bytes.find(Magic.str(), Offset + 1))
      if (isInside(In, Offset, HeaderSize))
        In.Regions.push_back({Offset, HeaderSize, false});
}

Input makeFatInput(std::string Path, std::string Bytes) {
  Input In = inputOf(std::move(Path), std::move(Bytes));
  addSections(In);
  addBundles(In);
  return In;
}

/// Copies an entry of a table over another one, or swaps the two.
static void moveEntry(Mutant &M, const Input &In, Random &R) {
  static const uint64_t EntrySizes[] = {8, 16, 24, 56, 64};
  const Region &Where = In.Regions[R() % In.Regions.size()];
  uint64_t Size = EntrySizes[R() % std::size(EntrySizes)];
  uint64_t Entries = Where.Size / Size;
  if (Entries < 2 || Where.Offset + Where.Size > M.Bytes.size())
    return;
  uint64_t Source = Where.Offset + R() % Entries * Size;
  uint64_t Target = Where.Offset + R() % Entries * Size;
  std::string Entry = M.Bytes.substr(Source, Size);
  bool IsSwap = R() % 2;
  if (IsSwap)
    M.Bytes.replace(Source, Size, M.Bytes, Target, Size);
  M.Bytes.replace(Target, Size, Entry);
  raw_string_ostream(M.Changes)
      << " " << utohexstr(Target) << (IsSwap ? "<->" : "<-")
      << utohexstr(Source) << ":" << Size;
}

/// A field of a header becomes another's, or what that would make of it.
static void copyNumber(Mutant &M, const Input &In, Random &R) {
  const Region &Where = In.Regions[R() % In.Regions.size()];
  if (Where.Size < 16 || Where.Offset + Where.Size > M.Bytes.size())
    return;
  uint64_t Source = Where.Offset + R() % (Where.Size / 8) * 8;
  uint64_t Target = Where.Offset + R() % (Where.Size / 8) * 8;
  uint64_t Value = read64le(M.Bytes.data() + Source);
  if (R() % 2)
    Value +=
        read64le(M.Bytes.data() + Where.Offset + R() % (Where.Size / 8) * 8);
  write64le(M.Bytes.data() + Target, Value);
  raw_string_ostream(M.Changes)
      << " " << utohexstr(Target) << ":8->" << utohexstr(Value);
}

/// As `llvm-objcopy --strip-sections` leaves a file.
static void dropSectionHeaders(Mutant &M) {
  constexpr uint64_t Offset = 40, Counts = 60;
  if (M.Bytes.size() < 64)
    return;
  write64le(M.Bytes.data() + Offset, 0);
  write32le(M.Bytes.data() + Counts, 0);
  M.Changes += " no section headers";
}

static void append(Mutant &M, Random &R) {
  M.Bytes.append(R() % 5000, char(R() % 256));
  M.Changes += " grown to " + std::to_string(M.Bytes.size());
}

Mutant makeFatMutant(const Input &In, Random &R) {
  Mutant M;
  M.Bytes = In.Bytes;
  if (R() % 30 == 0)
    dropSectionHeaders(M);
  for (uint64_t Changes = 1 + R() % 4; Changes; --Changes)
    switch (R() % 8) {
    case 0:
      moveEntry(M, In, R);
      break;
    case 1:
      copyNumber(M, In, R);
      break;
    default:
      changeOnce(M, In, R);
    }
  if (R() % 80 == 0)
    append(M, R);
  if (R() % 80 == 0)
    cutOff(M, R);
  return M;
}

} // namespace kpack::mutations
