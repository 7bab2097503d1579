//===- CoffSections.cpp - sections of Windows files -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CoffSections.h. Only LLVM's structs are used, which are packed
// little-endian integers.
//
//===----------------------------------------------------------------------===//
#include "CoffSections.h"

#include "Offload/PeImage.h"

#include <cstring>

using namespace llvm;
using namespace llvm::object;

namespace kpack::offload {

namespace {

/// The places of the tables.
struct Tables {
  bool IsLinked = false;
  uint64_t Sections = 0, SectionCount = 0;
  /// Offset of the long names, after the symbols; 0 if there are none.
  uint64_t Strings = 0;
};

} // namespace

template <typename T> static bool copyAt(StringRef Bytes, uint64_t At, T &To) {
  if (At > Bytes.size() || Bytes.size() - At < sizeof(T))
    return false;
  std::memcpy(&To, Bytes.data() + At, sizeof(T));
  return true;
}

static Error cutOff() {
  return createStringError(inconvertibleErrorCode(), "its headers are cut off");
}

static uint64_t stringsAfter(uint64_t Symbols, uint64_t Count, size_t Size) {
  return Symbols ? Symbols + Count * Size : 0;
}

static std::optional<Tables> tablesOfBigObject(StringRef Bytes) {
  coff_bigobj_file_header Header;
  if (!copyAt(Bytes, 0, Header) || Header.Sig1 != 0 || Header.Sig2 != 0xffff ||
      Header.Version < COFF::BigObjHeader::MinBigObjectVersion ||
      std::memcmp(Header.UUID, COFF::BigObjMagic, sizeof(Header.UUID)) != 0)
    return std::nullopt;
  return Tables{false, sizeof(Header), Header.NumberOfSections,
                stringsAfter(Header.PointerToSymbolTable,
                             Header.NumberOfSymbols, sizeof(coff_symbol32))};
}

static Expected<Tables> readTables(StringRef Bytes) {
  if (std::optional<Tables> Big = tablesOfBigObject(Bytes))
    return *Big;
  Tables Found;
  uint64_t At = 0;
  if (PeImage::startsOne(Bytes)) {
    dos_header Dos;
    char Signature[sizeof(COFF::PEMagic)];
    if (!copyAt(Bytes, 0, Dos) ||
        !copyAt(Bytes, Dos.AddressOfNewExeHeader, Signature))
      return cutOff();
    if (std::memcmp(Signature, COFF::PEMagic, sizeof(Signature)) != 0)
      return createStringError(inconvertibleErrorCode(), "a program for DOS");
    Found.IsLinked = true;
    At = uint64_t(Dos.AddressOfNewExeHeader) + sizeof(Signature);
  }
  coff_file_header Header;
  if (!copyAt(Bytes, At, Header))
    return cutOff();
  Found.Sections = At + sizeof(Header) + Header.SizeOfOptionalHeader;
  Found.SectionCount = Header.NumberOfSections;
  Found.Strings = stringsAfter(Header.PointerToSymbolTable,
                               Header.NumberOfSymbols, sizeof(coff_symbol16));
  return Found;
}

/// Returns the text at \p Offset of the string table, cut to a length greater
/// than all names that are searched.
static StringRef textAt(StringRef Bytes, const Tables &T, uint64_t Offset) {
  constexpr size_t Longest = 256;
  if (T.Strings == 0 || T.Strings > Bytes.size())
    return StringRef();
  return Bytes.substr(T.Strings).substr(Offset, Longest).take_until([](char C) {
    return C == '\0';
  });
}

/// Parses six base-64 digits, the highest first.
static std::optional<uint64_t> base64Number(StringRef Text) {
  constexpr StringLiteral Digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint64_t Number = 0;
  for (char C : Text) {
    size_t Digit = Digits.find(C);
    if (Digit == StringRef::npos)
      return std::nullopt;
    Number = Number * 64 + Digit;
  }
  return Number;
}

/// "/4" and "//AAAAAE" are offsets in the string table.
static StringRef nameOf(StringRef Bytes, const Tables &T,
                        const coff_section &Section, uint64_t At) {
  // Refer to the file, since Section is a copy.
  StringRef Short =
      Bytes.substr(At + offsetof(coff_section, Name), sizeof(Section.Name))
          .take_until([](char C) { return C == '\0'; });
  if (!Short.starts_with("/"))
    return Short;
  uint64_t Offset = 0;
  if (Short.starts_with("//")) {
    if (std::optional<uint64_t> Number = base64Number(Short.drop_front(2)))
      Offset = *Number;
  } else if (Short.drop_front().getAsInteger(10, Offset)) {
    Offset = 0;
  }
  StringRef Full = Offset ? textAt(Bytes, T, Offset) : StringRef();
  return Full.empty() ? Short : Full;
}

static std::optional<StringRef> getContents(StringRef Bytes, const Tables &T,
                                            const coff_section &Section) {
  if (Section.PointerToRawData == 0)
    return StringRef();
  // Linked files have padding up to the file alignment.
  uint64_t Size = Section.SizeOfRawData;
  if (T.IsLinked && Section.VirtualSize != 0)
    Size = std::min<uint64_t>(Size, Section.VirtualSize);
  if (Section.PointerToRawData > Bytes.size() ||
      Size > Bytes.size() - Section.PointerToRawData)
    return std::nullopt;
  return Bytes.substr(Section.PointerToRawData, Size);
}

Expected<std::vector<CoffSection>> readCoffSections(StringRef Bytes) {
  Expected<Tables> T = readTables(Bytes);
  if (!T)
    return T.takeError();
  if (T->Sections > Bytes.size() ||
      T->SectionCount > (Bytes.size() - T->Sections) / sizeof(coff_section) ||
      (!T->IsLinked && T->Strings > Bytes.size()))
    return cutOff();
  std::vector<CoffSection> All;
  for (uint64_t I = 0; I != T->SectionCount; ++I) {
    uint64_t At = T->Sections + I * sizeof(coff_section);
    coff_section Section;
    if (!copyAt(Bytes, At, Section))
      return cutOff();
    All.push_back(
        {nameOf(Bytes, *T, Section, At), getContents(Bytes, *T, Section)});
  }
  return All;
}

} // namespace kpack::offload
