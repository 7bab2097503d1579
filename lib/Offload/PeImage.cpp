//===- PeImage.cpp - headers of a linked Windows file ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's COFF reader reads every table when it opens a file, and fails if one
// is invalid. The kind of a file has to be found whatever its tables are, so
// this reader uses LLVM's structs only.
//
//===----------------------------------------------------------------------===//
#include "Offload/PeImage.h"

#include "ToolSupport/Errors.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace llvm::object;

namespace kpack::offload {

/// Copies \p To from \p Bytes at \p At; returns false if they end before.
template <typename T> static bool copyAt(StringRef Bytes, uint64_t At, T &To) {
  if (At > Bytes.size() || Bytes.size() - At < sizeof(T))
    return false;
  std::memcpy(&To, Bytes.data() + At, sizeof(T));
  return true;
}

Error PeImage::error(const Twine &What) const {
  return objectError(Name, What);
}

Error PeImage::readHeaders() {
  dos_header Dos;
  char Signature[4] = {};
  if (!copyAt(Bytes, 0, Dos) ||
      !copyAt(Bytes, Dos.AddressOfNewExeHeader, Signature) ||
      std::memcmp(Signature, COFF::PEMagic, sizeof(Signature)) != 0)
    return error("a program for DOS, or damaged; give a linked HIP binary");
  HeaderOffset = uint64_t(Dos.AddressOfNewExeHeader) + sizeof(Signature);
  OptionalOffset = HeaderOffset + sizeof(Header);
  if (!copyAt(Bytes, HeaderOffset, Header))
    return damaged("its headers are cut off");
  support::ulittle16_t Magic;
  if (!copyAt(Bytes, OptionalOffset, Magic))
    return damaged("its headers are cut off");
  if (Header.SizeOfOptionalHeader < sizeof(Magic) ||
      Magic != COFF::PE32Header::PE32_PLUS)
    return error("not a 64-bit program or library (PE32+); give a linked HIP "
                 "binary");
  if (Header.SizeOfOptionalHeader < sizeof(Optional) ||
      !copyAt(Bytes, OptionalOffset, Optional))
    return damaged("its headers are cut off");
  DirectoriesOffset = OptionalOffset + sizeof(Optional);
  TableOffset = OptionalOffset + Header.SizeOfOptionalHeader;
  // The header may count more directories than are defined; ignore those.
  uint64_t Count = std::min<uint64_t>(Optional.NumberOfRvaAndSize,
                                      COFF::NUM_DATA_DIRECTORIES);
  if (Count * sizeof(data_directory) > TableOffset - DirectoriesOffset)
    return damaged("its header is too small for its directories");
  Directories.resize(Count);
  for (uint64_t I = 0; I != Count; ++I)
    if (!copyAt(Bytes, DirectoriesOffset + I * sizeof(data_directory),
                Directories[I]))
      return damaged("its headers are cut off");
  return Error::success();
}

Error PeImage::readSections() {
  Sections.resize(Header.NumberOfSections);
  for (size_t I = 0; I != Sections.size(); ++I) {
    Section &S = Sections[I];
    if (!copyAt(Bytes, TableOffset + I * sizeof(Section), S))
      return damaged("its section headers are cut off");
    uint64_t End = uint64_t(S.PointerToRawData) + S.SizeOfRawData;
    if (S.SizeOfRawData != 0 && S.PointerToRawData != 0 && End > Bytes.size())
      return error("it has " + Twine(Bytes.size()) + " of the " + Twine(End) +
                   " bytes that its headers say: it is cut off or damaged; "
                   "get it again");
  }
  return Error::success();
}

/// Refuses files with two programs in one, as for Windows on ARM: the loader
/// makes the second one by patches from a table.
Error PeImage::checkOneMachine() const {
  data_directory Config = directory(COFF::LOAD_CONFIG_TABLE);
  constexpr size_t Place =
      offsetof(coff_load_configuration64, CHPEMetadataPointer);
  support::ulittle32_t Size;
  support::ulittle64_t Pointer;
  std::optional<uint64_t> At = offsetOf(Config.RelativeVirtualAddress, 4);
  if (Config.Size == 0 || !At || !copyAt(Bytes, *At, Size) ||
      Size < Place + sizeof(Pointer) || !copyAt(Bytes, *At + Place, Pointer) ||
      Pointer == 0)
    return Error::success();
  return error("for several machines at once (ARM64EC or ARM64X), which is "
               "not read here; link it for one machine");
}

Expected<PeImage> PeImage::read(StringRef Bytes, StringRef Name) {
  PeImage Image;
  Image.Bytes = Bytes;
  Image.Name = Name.str();
  if (Error E = Image.readHeaders())
    return std::move(E);
  if (Error E = Image.readSections())
    return std::move(E);
  if (Error E = Image.checkOneMachine())
    return std::move(E);
  return std::move(Image);
}

StringRef PeImage::sectionName(const Section &S) const {
  StringRef Short = StringRef(S.Name, sizeof(S.Name));
  Short = Short.take_until([](char C) { return C == '\0'; });
  uint64_t At = 0;
  if (!Short.starts_with("/") || Header.PointerToSymbolTable == 0 ||
      Short.drop_front().getAsInteger(10, At))
    return Short;
  // "/4" is an offset in the strings, which follow the symbols.
  At += uint64_t(Header.PointerToSymbolTable) +
        uint64_t(Header.NumberOfSymbols) * sizeof(coff_symbol16);
  if (At >= Bytes.size())
    return Short;
  constexpr size_t Longest = 256;
  return Bytes.substr(At, Longest).take_until([](char C) { return C == '\0'; });
}

bool PeImage::isNamed(const Section &S, StringRef Full) const {
  StringRef Is = sectionName(S);
  return Is == Full || Is == Full.take_front(COFF::NameSize);
}

StringRef PeImage::contents(const Section &S) const {
  if (S.PointerToRawData == 0)
    return StringRef();
  // In old files a memory size of 0 means the size in the file.
  uint32_t Size = S.VirtualSize == 0
                      ? uint32_t(S.SizeOfRawData)
                      : std::min<uint32_t>(S.VirtualSize, S.SizeOfRawData);
  return Bytes.substr(S.PointerToRawData, Size);
}

data_directory PeImage::directory(size_t Index) const {
  if (Index < Directories.size())
    return Directories[Index];
  data_directory None;
  None.RelativeVirtualAddress = 0;
  None.Size = 0;
  return None;
}

StringRef PeImage::bytesFrom(uint64_t Rva) const {
  if (Rva < Optional.SizeOfHeaders)
    return Bytes.take_front(Optional.SizeOfHeaders).substr(Rva);
  for (const Section &S : Sections)
    if (Rva >= S.VirtualAddress)
      if (StringRef Rest = contents(S).substr(Rva - S.VirtualAddress);
          !Rest.empty())
        return Rest;
  return StringRef();
}

std::optional<uint64_t> PeImage::offsetOf(uint64_t Rva, uint64_t Size) const {
  StringRef Rest = bytesFrom(Rva);
  if (Rest.empty() || Rest.size() < Size)
    return std::nullopt;
  return uint64_t(Rest.data() - Bytes.data());
}

StringRef PeImage::buildId() const {
  constexpr StringLiteral Signature = "RSDS";
  constexpr size_t IdSize = 16;
  data_directory Table = directory(COFF::DEBUG_DIRECTORY);
  std::optional<uint64_t> At =
      offsetOf(Table.RelativeVirtualAddress, Table.Size);
  for (uint64_t I = 0; At && I != Table.Size / sizeof(debug_directory); ++I) {
    debug_directory Entry;
    if (!copyAt(Bytes, *At + I * sizeof(Entry), Entry))
      return StringRef();
    if (Entry.Type != COFF::IMAGE_DEBUG_TYPE_CODEVIEW ||
        Entry.PointerToRawData > Bytes.size())
      continue;
    StringRef Info = Bytes.substr(Entry.PointerToRawData, Entry.SizeOfData);
    if (Info.consume_front(Signature) && Info.size() >= IdSize)
      return Info.take_front(IdSize);
  }
  return StringRef();
}

} // namespace kpack::offload
